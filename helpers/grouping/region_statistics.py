"""What one evaluated part of the rows says: equation 6 (`region_values`) and what its law is made of.

The law needs its variance as the residuals say (`region_variance`) and its moments if every score is right
(`null_moments`). All of it rests on sums over rows or over (region, group) cells, which can be added up in parts.
"""

from dataclasses import dataclass

import numpy as np

from helpers.binning import cross_cells, group_sums
from helpers.grouping.null_moments import label_moments, null_moments, null_moments_of_cells
from helpers.grouping.region_values import RegionValues, quotient
from helpers.grouping.region_variance import variances_of_cells, variances_of_rows

POWERS = tuple((a, b) for a, top in ((1, 2), (2, 2), (3, 3), (4, 4)) for b in range(top + 1))
"""Powers of w and of r whose products are summed for independent rows."""

UNWEIGHTED = 9  # columns of rows of equal weight: four powers of r and the five of `label_moments`


@dataclass(frozen=True)
class RegionStatistics:
    """What one evaluated part says: estimate, parts of its variance (`helpers.grouping.inversion`), regions."""

    value: float  # equation 6
    null_variance: float  # second and third central moments of the value if the scores are right
    null_third: float
    noise_variance: float  # what the residuals say about `null_variance`
    noise_ceiling: float  # the same with squares of single rows in it, biased upwards
    signal_variance: float  # what grouping loss adds, without bias and perhaps below 0
    unit_variance: float  # `signal_variance` of a loss of 1 spread evenly
    plugin: float
    n: int
    n_regions: int
    left_out: float
    count: np.ndarray
    mean: np.ndarray
    mean_variance: np.ndarray

    @property
    def variance(self):
        """Of the estimate, as the residuals say."""
        return self.noise_variance + max(self.signal_variance, 0.0)

    @classmethod
    def of_regions(cls, regions, count, mean, within, variances, null):
        """Of `RegionValues`, rows (J,), mean residuals, sums of w (r - mean)^2, `variances` and the null moments."""
        null_variance, null_third = null
        return cls(
            value=regions.value,
            null_variance=null_variance,
            null_third=null_third,
            **variances,
            plugin=float(regions.share @ mean**2),
            n=int(count.sum()),
            n_regions=int(regions.paired.sum()),
            left_out=max(1 - float(regions.share.sum()), 0.0),
            count=count,
            mean=mean,
            mean_variance=np.where(
                regions.paired, within * quotient(regions.total, regions.pairs, regions.paired), np.nan
            ),
        )


def region_statistics(residual, region, weight=None, groups=None):
    """`RegionStatistics` of residuals in regions 0 .. J-1; weights and integer group codes are optional.

    Its value is `helpers.grouping.region_values.squared_mean`.
    """
    if groups is None:
        count, *sums = group_sums(region, *row_columns(weight, residual))
        return evaluate_rows(count, sums)
    weight = np.ones_like(residual) if weight is None else weight
    cell, cell_region, cell_group = cross_cells(region, groups)
    cell_sums = group_sums(cell, *cell_columns(weight, residual))[1:]
    count, *sums = group_sums(region, *region_columns(weight, residual))
    return evaluate_cells(count, sums, cell_region, cell_group, cell_sums)


def evaluate_rows(count, sums):
    """`RegionStatistics` of independent rows from the sums of `row_columns`, with or without weights."""
    if len(sums) == UNWEIGHTED:  # every power of a weight of 1 is 1
        of_residual = (count.astype(float), *sums[:4])
        sums = [*(of_residual[b] for _, b in POWERS), *sums[4:]]
    powers = dict(zip(POWERS, sums[: len(POWERS)], strict=True))
    W, S = powers[1, 0], powers[1, 1]
    regions = RegionValues.of(W, powers[2, 0], S**2 - powers[2, 2])
    mean = quotient(S, W)
    within = powers[1, 2] - mean * S
    variances = variances_of_rows(regions, mean, powers)
    null = null_moments(regions.pair_weight, *sums[len(POWERS) :])
    return RegionStatistics.of_regions(regions, count, mean, within, variances, null)


def evaluate_cells(count, sums, cell_region, cell_group, cell_sums):
    """`RegionStatistics` of dependent rows from the sums of `region_columns` and `cell_columns`: groups count once."""
    W, squares = sums
    cell_weight, cell_sum, *label_sums = cell_sums
    _, S, squared_weights, Q = group_sums(cell_region, cell_sum, cell_weight**2, cell_sum**2, size=count.size)
    regions = RegionValues.of(W, squared_weights, S**2 - Q)
    mean = quotient(S, W)
    variances = variances_of_cells(regions, mean, S, squared_weights, cell_weight, cell_sum, cell_region, cell_group)
    null = null_moments_of_cells(regions.pair_weight, cell_region, cell_group, cell_sum, *label_sums)
    return RegionStatistics.of_regions(regions, count, mean, squares - mean * S, variances, null)


def cell_columns(weight, residual):
    """What `evaluate_cells` sums over cells: w, w r, moments of the weighted label if its score is right, (w r)^2."""
    variance, _, _, third, _ = label_moments(weight, residual)
    weighted = weight * residual
    return weight, weighted, variance, third, np.sqrt(variance), weighted**2


def region_columns(weight, residual):
    """What `evaluate_cells` sums over regions: w and w r^2."""
    return weight, weight * residual**2


def row_columns(weight, residual):
    """What `evaluate_rows` sums over regions: w^a r^b for the (a, b) of `POWERS` (or r^b), and `label_moments`."""
    r = powers_of(residual)
    if weight is None:
        return *r[1:], *label_moments(np.ones_like(residual), residual)
    w = powers_of(weight)
    return *(w[a] * r[b] for a, b in POWERS), *label_moments(weight, residual)


def powers_of(values):
    """Powers 0 to 4, by multiplication: NumPy's third power takes twenty times as long as a product."""
    square = values * values
    return [np.ones_like(values), values, square, square * values, square * square]
