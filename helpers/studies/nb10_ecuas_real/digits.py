"""Studies of notebook 10: machines that read digits, populations of known cost, answers that are made worse."""

import numpy as np
import pandas as pd
from scipy.special import softmax

from helpers.selective import ecuas

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
