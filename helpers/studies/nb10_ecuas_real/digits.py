"""Studies of notebook 10: machines that read digits, populations of known cost, answers that are made worse."""

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.special import expit, log_softmax, softmax

from helpers.calibration import AffineCalibrator
from helpers.checks import check_count
from helpers.selective import ecuas, ecuas_from_uncertainty

TEMPERATURES = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)

SHARPNESS = (1 / 3, 1, 3)  # of the models of `population_table`

EXPONENTS = (0, 1, 128)  # of ECUAS


def sampled_answer_costs(proba, y, temperatures, *, n=1):
    """Expected ECUAS_n of a row whose answer is drawn from softmax(log(proba) / t), over the draw, (n_rows, T)."""
    proba = np.asarray(proba, dtype=float)
    rows = np.arange(len(proba))
    n_classes = proba.shape[1]
    right = (np.arange(n_classes) == np.asarray(y)[:, None]).ravel()
    stated = np.maximum(proba, 1 / n_classes).ravel()
    cost = ecuas(right, stated, n=n, n_classes=n_classes).reshape(proba.shape)
    with np.errstate(divide="ignore"):
        log_proba = np.log(proba)
    drawn = np.zeros((len(temperatures), *proba.shape))
    for share, t in zip(drawn, temperatures, strict=True):
        if t:
            share[:] = softmax(log_proba / t, axis=1)
        else:
            share[rows, proba.argmax(axis=1)] = 1
    return np.multiply(drawn, cost, where=drawn > 0, out=np.zeros_like(drawn)).sum(axis=2).T


def answer_quality(proba, y, *, n=EXPONENTS):
    """Figure 2: mean ECUAS_n of answers drawn at rising `TEMPERATURES`; step: the rise since the temperature before."""
    parts = []
    for exponent in np.atleast_1d(n):
        cost = sampled_answer_costs(proba, y, TEMPERATURES, n=exponent)
        rise = np.diff(cost, axis=1, prepend=np.nan)
        columns = {"n": exponent, "temperature": TEMPERATURES}
        for name, table in (("value", cost), ("step", rise)):
            mean = table.mean(axis=0)
            half = 1.96 * table.std(axis=0, ddof=1) / np.sqrt(len(table))
            ends = ("low", "high") if name == "value" else ("step_low", "step_high")
            columns |= {name: mean, ends[0]: mean - half, ends[1]: mean + half}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def draw_population(n_rows, *, sharpness=1.0, rng=None):
    """Log scores and classes, where P(class 1) = q is uniform and log-odds are stated sharpness times too large."""
    rng = np.random.default_rng(rng)
    q = rng.uniform(1e-9, 1 - 1e-9, size=check_count(n_rows, "n_rows"))
    y = (rng.random(n_rows) < q).astype(int)
    return log_softmax(sharpness * np.log(np.column_stack([1 - q, q])), axis=1), y


def population_ecuas(*, sharpness=1.0, n=1):
    """Exact ECUAS_n of `draw_population`, by quadrature; it is also the normalised value, because nobody's costs 1."""

    def mean_cost(log_odds):
        q = expit(log_odds)
        u = expit([-sharpness * log_odds] * 2)  # 1 - confidence would round to 0
        wrong, right = ecuas_from_uncertainty([1, 0], u, n=n, largest=0.5)
        return 2 * q * (1 - q) * (q * right + (1 - q) * wrong)  # q is uniform: its log-odds have density q (1 - q)

    return quad(mean_cost, 0, 40, limit=200)[0]


def population_table(n_rows, *, rng=None):
    """Exact cost and that of a sample of `draw_population`, with its standard error, and the scale that is found."""
    lines = []
    for factor, seed in zip(SHARPNESS, np.random.default_rng(rng).spawn(len(SHARPNESS)), strict=True):
        scores, y = draw_population(n_rows, sharpness=factor, rng=seed)
        proba = softmax(scores, axis=1)
        scale = AffineCalibrator().fit(scores, y).scale_
        for exponent in EXPONENTS:
            cost = ecuas(proba.argmax(axis=1) == y, proba.max(axis=1), n=exponent, n_classes=2)
            exact = population_ecuas(sharpness=factor, n=exponent)
            se = cost.std() / np.sqrt(n_rows)
            lines.append([factor, exponent, exact, cost.mean(), se, factor * scale])
    return pd.DataFrame(lines, columns=["sharpness", "n", "exact", "sample", "se", "sharpness x scale"])
