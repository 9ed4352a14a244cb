"""What calibrating scores on the very rows that are judged does to the estimate if the scores are right.

The fit makes the weighted residuals sum to zero, alone and times the log-odds, so that residuals of different rows pull
against one another: the mean product of two is a little below zero, and varies less than that of labels of known
probability. Where a few rows hold most of the variance, as with rare events, that is a quarter of a standard error.
"""

from dataclasses import dataclass

import numpy as np

from helpers.binning import group_sums
from helpers.calibration.calibrators import clipped_logit

LEAST_KEPT = 0.5  # of the variance: the terms are of first order, and a fit that takes more is beyond them


@dataclass(frozen=True)
class FitEffect:
    """Shift of the mean of all parts' values, and the share of their null variance that the fit leaves."""

    shift: float = 0.0
    kept: float = 1.0


NO_FIT = FitEffect()


def effect_of_fit(rows, c, evaluated):
    """Effect of a line in log-odds, fitted to all rows by maximum likelihood, on the mean of the parts' values."""
    # To first order the residuals are (1 - H) (y - c) with H = D Z (Z' W D Z)^-1 Z' W, where Z holds ones and log-odds,
    # D the variances c (1 - c) and W the weights. What H takes from the covariance of the weighted residual sums of two
    # regions has rank four; of dependent rows, it grows by what their dependence adds to the variance of the fit.
    weight = rows.weights / rows.weights.mean()
    curvature = weight * c * (1 - c)
    total = curvature.sum()
    if not total > 0:
        return NO_FIT
    x = clipped_logit(rows.p)
    x = x - np.average(x, weights=curvature)
    scale = float(np.sqrt(np.average(x**2, weights=curvature)))
    x = x / scale if scale > 0 else np.zeros_like(x)  # now Z' W D Z = total * identity
    meat = _moments(weight * curvature, x)
    rank_four = np.block([[-meat / total**2, np.eye(2) / total], [np.eye(2) / total, np.zeros((2, 2))]])
    taken = linear = variance = 0.0
    square = np.zeros((4, 4))
    for part, region in evaluated:
        own = weight[part]
        slope = curvature[part]
        known = own * slope
        _, whole, *sums = group_sums(region, own, slope, slope * x[part], known, known * x[part])
        factor = np.divide(1, whole * own.sum(), out=np.zeros_like(whole), where=whole > 0)
        sums = np.column_stack(sums)
        noise = sums[:, 2]
        covariance = np.einsum("ja,ab,jb->j", sums, rank_four, sums)  # of a region's sum with itself, less
        taken += float(factor @ covariance)
        linear += float(factor**2 @ (noise * covariance))
        variance += float(factor**2 @ noise**2)
        square += (sums * factor[:, None]).T @ sums
    if not variance > 0:
        return NO_FIT
    both = rank_four @ square
    kept = 1 - (2 * linear - np.trace(both @ both)) / variance
    inflation = _inflation(weight * (rows.y - c), x, rows.groups, float(np.trace(meat)))
    return FitEffect(shift=-inflation * taken / len(evaluated), kept=float(np.clip(kept, LEAST_KEPT, 1.0)))


def _moments(weight, x):
    """Z' diag(weight) Z for the columns 1 and x of Z."""
    mixed = float(weight @ x)
    return np.array([[weight.sum(), mixed], [mixed, float((weight * x) @ x)]])


def _inflation(residual, x, groups, expected):
    """Variance of the fitted line over that of independent rows, `expected`: more where groups are alike."""
    if groups is None or not expected > 0:
        return 1.0
    _, *sums = group_sums(groups, residual, residual * x)
    return float(sum(column @ column for column in sums) / expected)
