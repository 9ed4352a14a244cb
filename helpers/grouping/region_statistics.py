"""Squared region means without their bias: the U-statistic behind the grouping loss, its variance and null law.

Everything is a sum over rows or over (group, region) cells: counts, weights, residuals and their squares.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import chi2

from helpers.binning import cross_cells, group_sums


@dataclass(frozen=True)
class RegionStatistics:
    """What one evaluated part says: estimate, variance, its null distribution's variance and sum of cubed
    weights, region numbers.
    """

    value: float
    variance: float
    null_variance: float
    null_cubes: float
    plugin: float
    n: int
    n_regions: int
    left_out: float
    count: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


def evaluate_sums(count, sums, squares):
    """Independent rows of equal weight: closed forms in the count n_j, sum S_j and sum of squares Q_j of each
    region.
    """
    n = int(count.sum())
    kept = count >= 2
    n_j = count[kept]
    s_j = sums[kept]
    q_j = squares[kept]
    u_j = (s_j**2 - q_j) / (n_j * (n_j - 1))
    v_j = np.maximum(q_j - s_j**2 / n_j, 0) / (n_j - 1)
    value = float(n_j @ u_j) / n
    null_variance = 2 * float((n_j / (n_j - 1)) @ v_j**2) / n**2
    within = 4 * max(float(n_j @ (u_j * v_j)), 0.0) / n**2
    between = max(float(n_j @ u_j**2) / n - value**2, 0.0) / n
    mean = np.zeros(count.size)
    spread = np.full(count.size, np.nan)
    mean[count > 0] = sums[count > 0] / count[count > 0]
    spread[kept] = v_j
    plugin = float(n_j @ mean[kept] ** 2) / n
    dropped = 1 - int(n_j.sum()) / n
    variance = within + between + null_variance
    cubes = float((v_j**3).sum()) / n**3
    return RegionStatistics(value, variance, null_variance, cubes, plugin, n, n_j.size, dropped, count, mean, spread)


def _evaluate_cells(residual, region, weight, groups):
    """Weighted or clustered rows: sums of products between different groups only; a row is its own group where
    `groups` is None.

    With W, S the weight and the weighted residual sum of a (group, region) cell and of a region,
    value = sum_j (W_j / W) (S_j^2 - sum_g S_gj^2) / (W_j^2 - sum_g W_gj^2).
    The variance adds up the groups' influences; twice the null variance, the noise in the squared means, is taken off.
    """
    weight = np.ones_like(residual) if weight is None else weight
    if groups is None:
        cell_region = region
        cell_group = np.arange(residual.size)
        cell_w = weight
        cell_s = weight * residual
    else:
        cell, cell_region, cell_group = cross_cells(region, groups)
        _, cell_w, cell_s = group_sums(cell, weight, weight * residual)
    count, total, squares = group_sums(region, weight, weight * residual**2)
    return evaluate_cells(count, total, squares, cell_region, cell_group, cell_w, cell_s, groups is None)


def evaluate_cells(count, total, squares, cell_region, cell_group, cell_w, cell_s, one_region_each=False):
    """`RegionStatistics` from region sums of rows, weights and weighted squares, and from the region, group, weight and
    weighted residual sum of each (group, region) cell; `one_region_each` says that every cell is a group of its own.
    """
    _, sums, own_w, own_s = group_sums(cell_region, cell_s, cell_w**2, cell_s**2, size=count.size)
    pairs = total**2 - own_w
    kept = pairs > 1e-9 * total**2
    share = np.where(kept, total, 0) / total.sum()
    mean = np.zeros(count.size)
    factor = np.zeros(count.size)
    spread = np.full(count.size, np.nan)
    filled = total > 0
    mean[filled] = sums[filled] / total[filled]
    factor[kept] = share[kept] / pairs[kept]
    spread[kept] = (squares[kept] / total[kept] - mean[kept] ** 2) * total[kept] ** 2 / pairs[kept]
    value = float(factor @ (sums**2 - own_s))

    left = cell_s - cell_w * mean[cell_region]
    bessel = np.zeros(count.size)
    bessel[kept] = np.minimum(total[kept] ** 2 / pairs[kept], 2)
    entry = left * np.sqrt(factor * bessel)[cell_region]
    null_variance = 2 * _off_diagonal(entry, cell_region, cell_group, one_region_each)
    cubes = float((np.bincount(cell_region, entry**2) ** 3).sum())
    kept_mean = np.where(kept, mean, 0)
    influence = 2 * (kept_mean * np.sqrt(bessel))[cell_region] * left + cell_w * (kept_mean**2 - value)[cell_region]
    linear = float((np.bincount(cell_group, influence) ** 2).sum()) / total.sum() ** 2
    variance = max(linear - 2 * null_variance, 0.0) + null_variance
    plugin = float(share @ mean**2)
    dropped = max(1 - float(share.sum()), 0.0)
    n = int(count.sum())
    n_regions = int(kept.sum())
    return RegionStatistics(value, variance, null_variance, cubes, plugin, n, n_regions, dropped, count, mean, spread)


def evaluate_moments(count, moments):
    """`RegionStatistics` of independent weighted rows from region sums alone: those of w, w r, w r^2, w^2, w^2 r,
    w^2 r^2 and w^4 r^k, k = 0 .. 4; the same as `evaluate_cells` with a cell for each row, up to rounding.
    """
    total, sums, squares, own_w, own_r, own_s, *fourth = moments
    pairs = total**2 - own_w
    kept = pairs > 1e-9 * total**2
    share = np.where(kept, total, 0) / total.sum()
    mean = np.zeros(count.size)
    factor = np.zeros(count.size)
    bessel = np.zeros(count.size)
    spread = np.full(count.size, np.nan)
    filled = total > 0
    mean[filled] = sums[filled] / total[filled]
    factor[kept] = share[kept] / pairs[kept]
    spread[kept] = (squares[kept] / total[kept] - mean[kept] ** 2) * total[kept] ** 2 / pairs[kept]
    bessel[kept] = np.minimum(total[kept] ** 2 / pairs[kept], 2)
    value = float(factor @ (sums**2 - own_s))
    left = np.maximum(own_s - 2 * mean * own_r + mean**2 * own_w, 0)  # sum of w^2 (r - mean)^2
    fourth = sum(binomial * (-mean) ** (4 - k) * fourth[k] for k, binomial in enumerate((1, 4, 6, 4, 1)))
    entry = left * factor * bessel
    null_variance = 2 * max(float(entry @ entry - (np.maximum(fourth, 0) * (factor * bessel) ** 2).sum()), 0.0)
    kept_mean = np.where(kept, mean, 0)
    slope = 2 * kept_mean * np.sqrt(bessel)
    level = kept_mean**2 - value
    linear = float((slope**2 * left + 2 * slope * level * (own_r - mean * own_w) + level**2 * own_w).sum())
    variance = max(linear / total.sum() ** 2 - 2 * null_variance, 0.0) + null_variance
    dropped = max(1 - float(share.sum()), 0.0)
    n = int(count.sum())
    n_regions = int(kept.sum())
    plugin = float(share @ mean**2)
    cubes = float((entry**3).sum())
    return RegionStatistics(value, variance, null_variance, cubes, plugin, n, n_regions, dropped, count, mean, spread)


def _off_diagonal(entry, region, group, one_region_each):
    """Sum over pairs of different groups of the squared inner product of their rows in the (group, region) matrix."""
    if one_region_each:
        return float((np.bincount(region, entry**2) ** 2).sum() - (entry**4).sum())
    matrix = csr_array((entry, (group, region)))
    if (np.bincount(group) ** 2.0).sum() < (np.bincount(region) ** 2.0).sum():  # the product with fewer terms
        matrix = matrix.T
    own = np.bincount(group, entry**2)
    return max(float(((matrix @ matrix.T).data ** 2).sum() - (own**2).sum()), 0.0)


def squared_means(residual, region, weight=None, groups=None):
    """`RegionStatistics` of residuals in regions 0 .. J-1; weights and integer group codes are optional."""
    if weight is None and groups is None:
        return evaluate_sums(*group_sums(region, residual, residual**2))
    return _evaluate_cells(residual, region, weight, groups)


def null_p_value(total, variance, cubes):
    """P-value of `total` under no grouping loss: a sum of weighted, centred chi-squares, matched in variance
    and skewness.
    """
    if not variance > 0 or not cubes > 0:
        return float(total <= 0)
    freedom = (variance / 2) ** 3 / cubes**2
    return float(chi2.sf(freedom + total * np.sqrt(2 * freedom / variance), freedom))
