"""Squared region means without their bias: the U-statistic behind the grouping loss, and what its law is made of.

Everything is a sum over rows or over (group, region) cells: of powers of the weight w times powers of the residual r,
or of the moments that r has if its score is right. These need no second column: |r| is the score c or 1 - c, so that
the variance of the label, c (1 - c), is |r| (1 - |r|).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from helpers.binning import cross_cells, group_sums

POWERS = tuple((a, b) for a, top in ((1, 2), (2, 2), (3, 3), (4, 4)) for b in range(top + 1))
"""Powers of w and of r whose products are summed for independent rows."""

UNWEIGHTED = 9  # columns of rows of equal weight: four powers of r and the five of `label_moments`


@dataclass(frozen=True)
class RegionStatistics:
    """What one evaluated part says: estimate, parts of its variance (`helpers.grouping.inversion`), regions."""

    value: float
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


class _Regions:
    """Weights W_j, sums S_j and squares Q_j of residuals, and what follows; units are rows, or cells."""

    def __init__(self, count, total, sums, squares, own_w, own_s):
        self.count = count
        self.total = total
        self.sums = sums
        self.squares = squares
        self.own_w = own_w
        self.pairs = total**2 - own_w
        self.kept = self.pairs > 1e-9 * total**2
        self.share = np.where(self.kept, total, 0) / total.sum()
        self.square = _divided(sums**2 - own_s, self.pairs, self.kept)  # of the mean, without bias
        self.value = float(self.share @ self.square)

    @cached_property
    def mean(self):
        return _divided(self.sums, self.total)

    @cached_property
    def factor(self):
        return _divided(self.share, self.pairs, self.kept)

    @cached_property
    def bessel(self):
        return np.minimum(_divided(self.total**2, self.pairs, self.kept), 2)

    @cached_property
    def slope(self):
        """Of the influences, whose own means cost freedom."""
        units = _divided(self.total**2, self.own_w, self.kept)
        lost = _divided(units * (units - 1), np.maximum(units - 2, 1e-9) ** 2, self.kept)
        return 2 * self.factor * np.sqrt(np.minimum(lost, 2))

    @cached_property
    def level(self):
        return np.where(self.kept, self.square - self.value, 0) / self.total.sum()

    @cached_property
    def mean_variance(self):
        within = self.squares - self.mean * self.sums
        return np.where(self.kept, within * _divided(self.total, self.pairs, self.kept), np.nan)

    def null_moments(self, variance, squares, cubes, third, third_squares):
        """Second and third central moments of the value, from sums over the units in each region."""
        # The value is a sum over pairs of different units. Its square has the product of the variances of each pair
        # twice; its cube that of the third moments four times, and that of the variances of three different units
        # eight.
        # derived in site/derivations/null_law.md
        pairs = np.maximum(variance**2 - squares, 0)
        triples = np.maximum(variance**3 - 3 * variance * squares + 2 * cubes, 0)
        skewed = np.maximum(third**2 - third_squares, 0)  # of pairs: below 0 by rounding, or where c is on both sides
        return 2 * float(self.factor**2 @ pairs), float(self.factor**3 @ (8 * triples + 4 * skewed))

    def statistics(self, influences, left, noise_variance, null_variance, null_third):
        """`RegionStatistics`; `influences` is a sum of squares, `left` the units' squared deviations in each region."""
        return RegionStatistics(
            value=self.value,
            null_variance=null_variance,
            null_third=null_third,
            noise_variance=noise_variance,
            noise_ceiling=max(noise_variance, 2 * float(self.factor**2 * self.bessel @ left**2)),
            signal_variance=influences - 2 * noise_variance,  # the noise of the squared means is in it twice
            unit_variance=4 * float(self.bessel @ left) / self.total.sum() ** 2,
            plugin=float(self.share @ self.mean**2),
            n=int(self.count.sum()),
            n_regions=int(self.kept.sum()),
            left_out=max(1 - float(self.share.sum()), 0.0),
            count=self.count,
            mean=self.mean,
            mean_variance=self.mean_variance,
        )


def _divided(above, below, where=None):
    """Quotient, and 0 where nothing is below or `where` is False."""
    return np.divide(above, below, out=np.zeros(np.shape(below)), where=below > 0 if where is None else where)


def evaluate_rows(count, moments):
    """`RegionStatistics` of independent rows from the sums of `row_columns`, with or without weights."""
    if len(moments) == UNWEIGHTED:  # every power of a weight of 1 is 1
        powers = (count.astype(float), *moments[:4])
        moments = [*(powers[b] for _, b in POWERS), *moments[4:]]
    m = dict(zip(POWERS, moments[: len(POWERS)], strict=True))
    regions = _Regions(count, m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 2])
    mean = regions.mean
    left = np.maximum(m[2, 2] - 2 * mean * m[2, 1] + mean**2 * m[2, 0], 0)  # sum of w^2 (r - mean)^2
    fourth = sum(binomial * (-mean) ** (4 - b) * m[4, b] for b, binomial in enumerate((1, 4, 6, 4, 1)))
    fourth = np.clip(fourth, 0, left**2)
    noise_variance = 2 * float((regions.factor * regions.bessel) ** 2 @ (left**2 - fourth))
    # A row's influence is the change of the value with its weight: c (w r (S - w r) - u w (W - w)) + l w, with u the
    # squared mean of its region without bias, c and l region numbers; its square is a sum of powers.
    terms = {
        (1, 1): regions.slope * regions.sums,
        (2, 2): -regions.slope,
        (1, 0): regions.level - regions.slope * regions.square * regions.total,
        (2, 0): regions.slope * regions.square,
    }
    influences = sum(terms[i] @ (terms[k] * m[i[0] + k[0], i[1] + k[1]]) for i in terms for k in terms)
    known = regions.null_moments(*moments[len(POWERS) :])
    return regions.statistics(float(influences), left, noise_variance, *known)


def evaluate_cells(count, moments, cell_region, cell_group, cell_sums):
    """`RegionStatistics` of dependent rows: only groups are independent."""
    # W, S: weight and weighted residual sum of a cell and of a region; value = sum_j (W_j / W) (S_j^2 - sum_g S_gj^2) /
    # (W_j^2 - sum_g W_gj^2)
    cell_w, cell_s, *label_sums = cell_sums
    total, squares = moments
    _, sums, own_w, own_s = group_sums(cell_region, cell_s, cell_w**2, cell_s**2, size=count.size)
    regions = _Regions(count, total, sums, squares, own_w, own_s)
    deviation = cell_s - cell_w * regions.mean[cell_region]
    _, left = group_sums(cell_region, deviation**2, size=count.size)
    entry = deviation * np.sqrt(regions.factor * regions.bessel)[cell_region]
    noise_variance = 2 * _off_diagonal(entry, cell_region, cell_group)
    pairs = cell_s * (sums[cell_region] - cell_s)
    pairs -= regions.square[cell_region] * cell_w * (total[cell_region] - cell_w)
    influence = regions.slope[cell_region] * pairs + regions.level[cell_region] * cell_w
    influences = float((np.bincount(cell_group, influence) ** 2).sum())
    known = _null_moments_of_cells(regions, cell_region, cell_group, cell_s, *label_sums)
    return regions.statistics(influences, left, noise_variance, *known)


def _null_moments_of_cells(regions, region, group, residual, variance, third, sd, own):
    """Second and third central moments of the value if the scores are right, from sums over the rows of each cell."""
    # Two labels of a group are correlated as strongly as the residuals of all groups' pairs of rows are on average, or
    # as those of their own group, whichever has the larger variance: a few large groups may be more alike than others.
    # Both look at pairs within groups, the value at pairs of different groups, so that rare events which happen to
    # coincide do not raise the variance with the value.
    whole = np.bincount(group, sd) ** 2
    pairs = np.maximum(whole - np.bincount(group, variance), 0)
    seen = np.bincount(group, residual) ** 2 - np.bincount(group, own)
    several = pairs > 1e-9 * whole
    average = np.clip(_divided(seen[several].sum(), pairs[several].sum()), 0, 1)
    labels = (region, group, variance, third, sd)
    moments = _moments_if_alike(regions, np.full(pairs.size, average), *labels)
    if not several.any():
        return moments
    each = np.maximum(_divided(seen, pairs, several), 0)
    return max(moments[0], _moments_if_alike(regions, each, *labels)[0]), moments[1]


def _moments_if_alike(regions, shared, region, group, variance, third, sd):
    """Second and third central moments of the value if the labels of a group have the correlation `shared`."""
    shared = shared[group]
    within = (1 - shared) * variance + shared * sd**2
    # third moments grow with the square of what it does to variances, as those of equal labels do
    third = third * (_divided(within, variance)) ** 2
    common = shared * sd**2
    columns = (within, within**2, within**3, third, third**2, common, common**2)
    *sums, squares, fourths = group_sums(region, *columns, size=regions.count.size)[1:]
    null_variance, null_third = regions.null_moments(*sums)
    if shared.any():  # of the sums of one group in two regions
        across = _off_diagonal(np.sqrt(common * regions.factor[region]), region, group)
        across -= float(regions.factor**2 @ (squares**2 - fourths))
        null_variance += 2 * max(across, 0.0)
    return null_variance, null_third


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


def label_moments(weight, residual):
    """Variance of each weighted label if its score is right, its square and cube, third central moment, its square."""
    size = np.abs(residual)
    spread = np.maximum(size * (1 - size), 0)
    variance = weight**2 * spread
    third = weight * weight**2 * (np.sign(residual) * spread * (2 * size - 1))
    return variance, variance**2, variance * variance**2, third, third**2


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


def squared_means(residual, region, weight=None, groups=None):
    """`RegionStatistics` of residuals in regions 0 .. J-1; weights and integer group codes are optional."""
    if groups is None:
        count, *moments = group_sums(region, *row_columns(weight, residual))
        return evaluate_rows(count, moments)
    weight = np.ones_like(residual) if weight is None else weight
    cell, cell_region, cell_group = cross_cells(region, groups)
    cell_sums = group_sums(cell, *cell_columns(weight, residual))[1:]
    count, *moments = group_sums(region, *region_columns(weight, residual))
    return evaluate_cells(count, moments, cell_region, cell_group, cell_sums)


def squared_mean(residual, region, weight=None, groups=None):
    """The value of `squared_means` alone, which takes a fraction of its time."""
    own = np.ones_like(residual) if weight is None else weight
    sums = own * residual
    if groups is not None:
        cell, region, _ = cross_cells(region, groups)
        _, own, sums = group_sums(cell, own, sums)
    count, total, own_w, whole, own_s = group_sums(region, own, own**2, sums, sums**2)
    return _Regions(count, total, whole, None, own_w, own_s).value
