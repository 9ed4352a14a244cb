"""Squared region means without their bias: the U-statistic behind the grouping loss, and what its law is made of.

Everything is a sum over rows or over (group, region) cells: of powers of the weight w times powers of the residual r.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from helpers.binning import cross_cells, group_sums

POWERS = tuple((a, b) for a, top in ((1, 2), (2, 2), (3, 3), (4, 4)) for b in range(top + 1))
"""Powers of w and of r whose products are summed for independent rows."""


@dataclass(frozen=True)
class RegionStatistics:
    """What one evaluated part says: estimate, the parts of its variance (`helpers.grouping.inversion`), region numbers.

    `null_variance` is that without grouping loss, `null_cubes` the sum of cubes of its weights, `null_ceiling` the same
    variance with squares of single rows in it, which are biased upwards; `signal_variance` is what grouping loss adds
    to it, without bias and perhaps below 0, and `unit_variance` what that would be for a loss of 1 spread evenly.
    """

    value: float
    null_variance: float
    null_cubes: float
    null_ceiling: float
    signal_variance: float
    unit_variance: float
    plugin: float
    n: int
    n_regions: int
    left_out: float
    count: np.ndarray
    mean: np.ndarray
    spread: np.ndarray

    @property
    def variance(self):
        """Of the estimate."""
        return self.null_variance + max(self.signal_variance, 0.0)


class _Regions:
    """Weights W_j, sums S_j and squares Q_j of residuals, and what follows from them and from the sums of squared
    weights and weighted residuals of the independent units: rows, or (group, region) cells.
    """

    def __init__(self, count, total, sums, squares, own_w, own_s):
        self.count = count
        self.total = total
        self.sums = sums
        self.pairs = total**2 - own_w
        self.kept = self.pairs > 1e-9 * total**2
        self.share = np.where(self.kept, total, 0) / total.sum()
        self.mean = _divided(sums, total)
        self.factor = _divided(self.share, self.pairs, self.kept)
        self.bessel = np.minimum(_divided(total**2, self.pairs, self.kept), 2)
        self.square = _divided(sums**2 - own_s, self.pairs, self.kept)  # of the mean, without bias
        self.value = float(self.share @ self.square)
        units = _divided(total**2, own_w, self.kept)
        lost = _divided(units * (units - 1), np.maximum(units - 2, 1e-9) ** 2, self.kept)
        self.slope = 2 * self.factor * np.sqrt(np.minimum(lost, 2))  # of the influences, whose own means cost freedom
        self.level = np.where(self.kept, self.square - self.value, 0) / total.sum()
        self.spread = np.where(self.kept, (squares - self.mean * sums) * _divided(total, self.pairs, self.kept), np.nan)

    def statistics(self, influences, left, fourth, null_variance):
        """`RegionStatistics` from the sum of squared influences, and from the units' squared and fourth deviations in
        each region.
        """
        weight = self.factor * self.bessel
        cubes = np.maximum((weight * left) ** 2 - weight**2 * fourth, 0) ** 1.5
        return RegionStatistics(
            value=self.value,
            null_variance=null_variance,
            null_cubes=float(cubes.sum()),
            null_ceiling=max(null_variance, 2 * float(weight * self.factor @ left**2)),
            signal_variance=influences - 2 * null_variance,  # the noise of the squared means is in it twice
            unit_variance=4 * float(self.bessel @ left) / self.total.sum() ** 2,
            plugin=float(self.share @ self.mean**2),
            n=int(self.count.sum()),
            n_regions=int(self.kept.sum()),
            left_out=max(1 - float(self.share.sum()), 0.0),
            count=self.count,
            mean=self.mean,
            spread=self.spread,
        )


def _divided(above, below, where=None):
    """Quotient, and 0 where nothing is below or `where` is False."""
    return np.divide(above, below, out=np.zeros(np.shape(below)), where=below > 0 if where is None else where)


def evaluate_sums(count, *sums):
    """`RegionStatistics` of independent rows of equal weight from sums of r, r^2, r^3 and r^4 in each region."""
    powers = (count.astype(float), *sums)
    return evaluate_moments(count, [powers[b] for _, b in POWERS])


def evaluate_moments(count, moments):
    """`RegionStatistics` of independent rows from the sums of w^a r^b in each region, for the (a, b) of `POWERS`; the
    same as `evaluate_cells` with a cell for each row, up to rounding.

    A row's influence is the change of the value with its weight: c (w r (S - w r) - u w (W - w)) + l w, with u the
    squared mean of its region without bias, c and l region numbers; its square is a sum of powers.
    """
    m = dict(zip(POWERS, moments, strict=True))
    regions = _Regions(count, m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 2])
    mean = regions.mean
    left = np.maximum(m[2, 2] - 2 * mean * m[2, 1] + mean**2 * m[2, 0], 0)  # sum of w^2 (r - mean)^2
    fourth = sum(binomial * (-mean) ** (4 - b) * m[4, b] for b, binomial in enumerate((1, 4, 6, 4, 1)))
    fourth = np.clip(fourth, 0, left**2)
    null_variance = 2 * float((regions.factor * regions.bessel) ** 2 @ (left**2 - fourth))
    terms = {
        (1, 1): regions.slope * regions.sums,
        (2, 2): -regions.slope,
        (1, 0): regions.level - regions.slope * regions.square * regions.total,
        (2, 0): regions.slope * regions.square,
    }
    influences = sum(terms[i] @ (terms[k] * m[i[0] + k[0], i[1] + k[1]]) for i in terms for k in terms)
    return regions.statistics(float(influences), left, fourth, null_variance)


def evaluate_cells(count, total, squares, cell_region, cell_group, cell_w, cell_s):
    """`RegionStatistics` of dependent rows from region sums of rows, weights and weighted squares, and from the region,
    group, weight and weighted residual sum of each (group, region) cell: only groups are independent.

    With W, S the weight and the weighted residual sum of a cell and of a region,
    value = sum_j (W_j / W) (S_j^2 - sum_g S_gj^2) / (W_j^2 - sum_g W_gj^2).
    """
    _, sums, own_w, own_s = group_sums(cell_region, cell_s, cell_w**2, cell_s**2, size=count.size)
    regions = _Regions(count, total, sums, squares, own_w, own_s)
    deviation = cell_s - cell_w * regions.mean[cell_region]
    _, left, fourth = group_sums(cell_region, deviation**2, deviation**4, size=count.size)
    entry = deviation * np.sqrt(regions.factor * regions.bessel)[cell_region]
    null_variance = 2 * _off_diagonal(entry, cell_region, cell_group)
    pairs = cell_s * (sums[cell_region] - cell_s)
    pairs -= regions.square[cell_region] * cell_w * (total[cell_region] - cell_w)
    influence = regions.slope[cell_region] * pairs + regions.level[cell_region] * cell_w
    influences = float((np.bincount(cell_group, influence) ** 2).sum())
    return regions.statistics(influences, left, fourth, null_variance)


def _off_diagonal(entry, region, group):
    """Sum over pairs of different groups of the squared inner product of their rows in the (group, region) matrix."""
    matrix = csr_array((entry, (group, region)))
    if (np.bincount(group) ** 2.0).sum() < (np.bincount(region) ** 2.0).sum():  # the product with fewer terms
        matrix = matrix.T
    own = np.bincount(group, entry**2)
    return max(float(((matrix @ matrix.T).data ** 2).sum() - (own**2).sum()), 0.0)


def powers_of(values):
    """Powers 0 to 4, by multiplication: NumPy's third power takes twenty times as long as a product."""
    square = values * values
    return [np.ones_like(values), values, square, square * values, square * square]


def products(weight, residual):
    """w^a r^b of each row for the (a, b) of `POWERS`, one after another."""
    w = powers_of(weight)
    r = powers_of(residual)
    return (w[a] * r[b] for a, b in POWERS)


def squared_means(residual, region, weight=None, groups=None):
    """`RegionStatistics` of residuals in regions 0 .. J-1; weights and integer group codes are optional."""
    if weight is None and groups is None:
        return evaluate_sums(*group_sums(region, *powers_of(residual)[1:]))
    if groups is None:
        count, *moments = group_sums(region, *products(weight, residual))
        return evaluate_moments(count, moments)
    weight = np.ones_like(residual) if weight is None else weight
    cell, cell_region, cell_group = cross_cells(region, groups)
    _, cell_w, cell_s = group_sums(cell, weight, weight * residual)
    count, total, squares = group_sums(region, weight, weight * residual**2)
    return evaluate_cells(count, total, squares, cell_region, cell_group, cell_w, cell_s)
