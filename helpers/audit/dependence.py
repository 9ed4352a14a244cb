"""Variance of the gaps of segments where rows depend on each other in groups."""

import numpy as np


def variance_with_groups(y, c, sums, groups, family):
    """Variance of each gap, (segments,): the mean of two estimates, or that of independent rows if it is larger."""
    # Residuals as they are, with a random sign for each group, see any dependence, but too little variance where few
    # events happened to fall. Residuals of the size that the scores expect, correlated in a group as strongly as all
    # rows are on average, do not. (The draws that judge the gaps keep the dependence as it is.)
    sd = np.sqrt(c * (1 - c))
    observed, expected = (_pair_products(values, groups) for values in (y - c, sd))
    correlation = np.clip(observed / expected, 0, 1) if expected > 0 else 0.0
    usable = sums.usable
    independent = np.where(usable, sums.variance, 0.0)
    signed = _squares_by_group(y - c, sums, groups, family)
    correlated = (1 - correlation) * independent + correlation * _squares_by_group(sd, sums, groups, family)
    return np.where(usable, np.maximum(independent, (signed + correlated) / 2), np.inf)


def _squares_by_group(residual, sums, groups, family):
    """Sum over groups of the square of what their residuals add to each G_S, after the step of the calibrator."""
    residual = sums.w * residual
    moved = np.zeros((groups.max() + 1, sums.Z.shape[1]))
    np.add.at(moved, groups, residual[:, None] * sums.Z)
    mixed = family.sums(residual[:, None] * moved[groups])
    step = sums.a @ sums.inverse
    squares = family.squares_by_group(residual, groups)
    return squares - 2 * (step * mixed).sum(axis=1) + ((step @ (moved.T @ moved)) * step).sum(axis=1)


def _pair_products(values, groups):
    """Sum of the products of all pairs of values in one group."""
    return float((np.bincount(groups, values) ** 2).sum() - values @ values)
