"""Intervals and alarms of `grouping_loss` for several classes, on populations with known truth.

python bench/class_coverage.py [--rows 500 2000] [--draws 400] writes bench/class_coverage.csv (an hour for both sizes).

Populations of 3, 5 and 10 classes: plain, with rare classes, with eight rows a person (labels alike), with weights. A
hidden feature moves half of the people from the first class to the second; without it the scores are right. The truth
of a draw is what its own regions capture in 100,000 fixed rows, without bias from two halves of them.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import softmax
from scipy.stats import norm
from tqdm import tqdm

from helpers.grouping import grouping_loss
from helpers.partition.checked import CheckedTable, check_table
from helpers.partition.class_rows import with_class_scores

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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--draws", type=int, default=400)
    given = parser.parse_args()
    cases = [(k, kind, n) for n in given.rows for k in (3, 5, 10) for kind in KINDS]
    lines = [measure(*case, given.draws) for case in tqdm(cases)]
    pd.DataFrame(lines).to_csv(Path(__file__).with_name("class_coverage.csv"), index=False, float_format="%.4f")
