"""What calibrating scores on the very rows that are judged does to the estimate if the scores are right.

The fit makes the weighted residuals sum to zero, alone and times the log-odds (and, nearly, at scores of 0 and of 1),
so that residuals of different rows pull against one another: the mean product of two is a little below zero, and varies
less than that of labels of known probability. Where a few rows hold most of the variance, as with rare events, that is
a quarter of a standard error.
"""

from dataclasses import dataclass

import numpy as np

from helpers.binning import group_sums
from helpers.calibration.calibrators import platt_directions

LEAST_RATIO = 0.5  # of the variance: the terms are of first order, and a fit that takes more is beyond them


@dataclass(frozen=True)
class FitEffect:
    """Shift of the mean of all parts' values, and the share of their null variance that the fit leaves."""

    shift: float = 0.0
    variance_ratio: float = 1.0


NO_FIT = FitEffect()


def effect_of_fit(rows, c, evaluated):
    """Effect of a line in log-odds, fitted to all rows by maximum likelihood, on the mean of the parts' values."""
    # To first order the residuals are (1 - H) (y - c) with H = D Z (Z' W D Z)^-1 Z' W, where the q columns of Z are the
    # directions of the fit, D the variances c (1 - c) and W the weights. What H takes from the covariance of the
    # weighted residual sums of two regions has rank 2 q; of dependent rows, it grows by what their dependence adds to
    # the variance of the fit.
    weight = rows.weights / rows.weights.mean()
    curvature = weight * c * (1 - c)
    total = curvature.sum()
    if not total > 0:
        return NO_FIT
    Z = _orthonormal(platt_directions(rows.p, rows.y), curvature)
    q = Z.shape[1]
    meat = Z.T @ (Z * (weight * curvature)[:, None])
    rank_two_q = np.block([[-meat / total**2, np.eye(q) / total], [np.eye(q) / total, np.zeros((q, q))]])
    taken = linear = variance = 0.0
    square = np.zeros((2 * q, 2 * q))
    for part, region in evaluated:
        own = weight[part]
        slope = curvature[part]
        known = own * slope
        directions = Z[part].T
        _, whole, noise, *sums = group_sums(region, own, known, *(slope * directions), *(known * directions))
        factor = np.divide(1, whole * own.sum(), out=np.zeros_like(whole), where=whole > 0)
        sums = np.column_stack(sums)
        covariance = np.einsum("ja,ab,jb->j", sums, rank_two_q, sums)  # of a region's sum with itself, less
        taken += float(factor @ covariance)
        linear += float(factor**2 @ (noise * covariance))
        variance += float(factor**2 @ noise**2)
        square += (sums * factor[:, None]).T @ sums
    if not variance > 0:
        return NO_FIT
    both = rank_two_q @ square
    ratio = 1 - (2 * linear - np.trace(both @ both)) / variance
    inflation = _inflation(weight * (rows.y - c), Z, rows.groups, float(np.trace(meat)))
    return FitEffect(shift=-inflation * taken / len(evaluated), variance_ratio=float(np.clip(ratio, LEAST_RATIO, 1.0)))


def _orthonormal(Z, weight):
    """Columns of the same span with Z' diag(weight) Z = sum(weight) * identity."""
    mean = Z.T @ (Z * weight[:, None]) / weight.sum()
    size, axes = np.linalg.eigh(mean)
    known = size > 1e-12 * size[-1]
    return Z @ (axes[:, known] / np.sqrt(size[known]))


def _inflation(residual, Z, groups, expected):
    """Variance of the fitted line over that of independent rows, `expected`: more where groups are alike."""
    if groups is None or not expected > 0:
        return 1.0
    _, *sums = group_sums(groups, *(residual * Z.T))
    return float(sum(column @ column for column in sums) / expected)
