"""Several classes on populations with known truth: intervals and alarms of the grouping loss, and the repair.

python bench/classes.py coverage [--rows 500 2000] [--draws 400] writes class_coverage.csv (an hour for both sizes).
python bench/classes.py repair [--rows 2000] [--draws 20] writes class_repair.csv (an hour).

Coverage: 3, 5 and 10 classes: plain, with rare classes, with eight rows a person (labels alike), with weights. A
hidden feature moves half of the people from the first class to the second; without it the scores are right. The truth
of a draw is what its own regions capture in 100,000 fixed rows, without bias from two halves of them.

Repair: mean squared distance to the true probabilities, summed over classes, of 20,000 new rows: scores as stated,
temperature scaling, affine calibration (an offset for each class), and `ClassRecalibrator`.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import softmax
from scipy.stats import norm
from tqdm import tqdm

from helpers.calibration.affine import AffineCalibrator, log_of_stated
from helpers.grouping import grouping_loss
from helpers.partition.checked import CheckedTable, check_table
from helpers.partition.class_rows import with_class_scores
from helpers.practice.repair import ClassRecalibrator

KINDS = ("plain", "rare", "grouped", "weighted")


def population(n_classes, n, rng, shift, kind):
    """Features, scores, true probabilities, labels, groups and weights."""
    X = rng.normal(size=(n, 4))
    direction = np.random.default_rng(1).normal(size=(2, n_classes))
    P = softmax(1.2 * X[:, :2] @ direction + np.linspace(0, -3.5 if kind == "rare" else -1.5, n_classes), axis=1)
    groups = weight = None
    u = rng.random(n)
    if kind == "grouped":
        groups = rng.integers(0, n // 8, n)
        X[:, 2] = rng.normal(size=n // 8)[groups]
        u = norm.cdf(np.sqrt(0.3) * rng.normal(size=n // 8)[groups] + np.sqrt(0.7) * rng.normal(size=n))
    if kind == "weighted":
        weight = rng.gamma(2, size=n)
    moved = shift * np.sign(X[:, 2]) * np.minimum(P[:, 0], P[:, 1])
    Q = P.copy()
    Q[:, 0] -= moved
    Q[:, 1] += moved
    return X, P, Q, (u[:, None] > np.cumsum(Q, axis=1)[:, :-1]).sum(axis=1), groups, weight


def captured(loss, X, P, Q):
    """Squared mean of Q - P in the regions of a loss, as the product of two halves' means."""
    table = CheckedTable(with_class_scores(check_table(X), P, np.arange(P.shape[1])))
    half = np.arange(len(X)) % 2
    values = []
    for tree in loss.trees:
        region = tree.apply(table)
        missed = pd.DataFrame(Q - P).groupby([half, region]).mean()
        share = pd.Series(region).value_counts(normalize=True)
        products = (missed.loc[0] * missed.loc[1]).sum(axis=1)
        values.append(float((share * products).sum()))
    return np.mean(values)


def measure(n_classes, kind, n, draws):
    """One row of the table."""
    fixed = population(n_classes, 100_000, np.random.default_rng(99), 0.5, kind)[:3]
    alarms, z, covered, above = [], [], [], []
    for draw in range(draws):
        rng = np.random.default_rng([draw, n_classes])
        for shift in (0.0, 0.5):
            X, P, _, y, groups, weight = population(n_classes, n, rng, shift, kind)
            if np.bincount(y, minlength=n_classes).min() < 10:  # some half could lack a class
                continue
            loss = grouping_loss(y, P, X, groups=groups, sample_weight=weight, rng=draw)
            if not shift:
                alarms.append(loss.p_value < 0.05)
                z.append(loss.value / loss.null_se)
            else:
                truth = captured(loss, *fixed)
                covered.append(loss.low <= truth <= loss.high)
                above.append(loss.low > truth)
    return {
        "classes": n_classes, "population": kind, "n": n, "tables": len(alarms), "alarms": np.mean(alarms),
        "mean_z": np.mean(z), "intervals": len(covered), "covered": np.mean(covered), "low_above": np.mean(above),
    }  # fmt: skip


def scored(n_classes, n, rng, kind):
    """Features, stated scores, true probabilities and labels, for the repair."""
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd")).assign(town=rng.choice(list("pqr"), n))
    direction = np.random.default_rng(1).normal(size=(2, n_classes))
    P = softmax(1.2 * X[["a", "b"]].to_numpy() @ direction - np.linspace(0, 1.5, n_classes), axis=1)
    Q = P.copy()
    if kind in ("a group", "a town"):
        where = np.sign(X["c"]) if kind == "a group" else np.where(X["town"] == "p", 1.0, -0.5)
        moved = 0.6 * where * np.minimum(P[:, 0], P[:, 1])
        Q[:, 0] -= moved
        Q[:, 1] += moved
    sharper = {"too sure": 1.7, "offsets": 1.3}.get(kind, 1.0)
    offset = {"offsets": 0.6, "small offsets": 0.12}.get(kind, 0.0)
    stated = softmax(sharper * np.log(P) + np.linspace(-offset, offset, n_classes), axis=1)
    y = (rng.random(n)[:, None] > np.cumsum(Q, axis=1)[:, :-1]).sum(axis=1)
    return X.drop(columns=["a", "b"]), stated, Q, y


def repair_errors(n_classes, kind, n, draw):
    """Squared distances to the truth in one draw."""
    rng = np.random.default_rng([draw, n_classes, n])
    X, stated, _, y = scored(n_classes, n, rng, kind)
    new_X, new_stated, Q, _ = scored(n_classes, 20_000, rng, kind)
    lines = {"temperature": AffineCalibrator(bias=False), "affine": AffineCalibrator()}
    told = {"stated": new_stated}
    for name, line in lines.items():
        told[name] = line.fit(log_of_stated(stated), y).predict_proba(log_of_stated(new_stated))
    told["repair"] = ClassRecalibrator(rng=draw).fit(X, y, stated).predict(new_X, new_stated)
    return {name: ((proba - Q) ** 2).sum(axis=1).mean() for name, proba in told.items()}


def measure_repair(n_classes, kind, n, draws):
    """One row of the table of repairs."""
    errors = pd.DataFrame([repair_errors(n_classes, kind, n, draw) for draw in range(draws)])
    difference = errors["repair"] - errors["temperature"]
    return {
        "classes": n_classes, "population": kind, "n": n, "draws": draws, **errors.mean(),
        "repair_minus_temperature": difference.mean(), "se": difference.sem(), "draws_worse": (difference > 1e-6).sum(),
        "most_worse": max(difference.max(), 0),
    }  # fmt: skip


REPAIRED = ("right", "too sure", "offsets", "small offsets", "a group", "a town")

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["coverage", "repair"])
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--draws", type=int)
    given = parser.parse_args()
    if given.part == "coverage":
        one, rows, draws, cases = measure, [500, 2000], 400, [(k, kind) for k in (3, 5, 10) for kind in KINDS]
    else:
        one, rows, draws, cases = measure_repair, [2000], 20, [(k, kind) for k in (3, 5) for kind in REPAIRED]
    cases = [(*case, n) for n in given.rows or rows for case in cases]
    path = Path(__file__).with_name(f"class_{given.part}.csv")
    lines = []
    for case in tqdm(cases):  # what is measured is kept if the rest is not waited for
        lines.append(one(*case, given.draws or draws))
        pd.DataFrame(lines).to_csv(path, index=False, float_format="%.5f")
