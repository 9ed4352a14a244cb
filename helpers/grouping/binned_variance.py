"""How the binned lower bound varies: the noise of labels, the influences of rows and groups, and the interval."""

import numpy as np
from scipy.stats import norm

from helpers.binning import group_sums
from helpers.checks import unequal
from helpers.grouping.inversion import TAIL
from helpers.grouping.region_statistics import region_statistics


def se_and_interval(rows, value, correction, independent, tail=TAIL):
    """Standard error and ends of the interval of a bound; `independent` are the independent rows of each region."""
    null, noise = label_noise(rows)
    influences = influences_by_regions if correction == "regions" else influences_by_bins
    influence, of_curves = influences(rows, independent[rows.region])
    if rows.groups is not None:
        influence = np.bincount(rows.groups, influence)
    # The noise of the labels is in the squares of the influences, too: it is subtracted, and the variance where regions
    # do not differ, which is better known, is added.
    growing = max(float(influence @ influence) - noise, 0.0)
    se = float(np.sqrt(growing + null + of_curves))
    return se, *interval(value, se**2, growing, 1 / rows.y.size, tail)


def influences_by_regions(rows, independent):
    """What each row does to explained - expected: through its region's rate, which its label moves, and its score."""
    share, rate, label_change = _label_changes(rows, independent)
    of_first, of_second = (_expected_rate(rows, curve) for curve in (rows.first, rows.second))
    expected, curve_change = np.where(rows.in_first, of_second, of_first)  # by the curve that rests on other labels
    beyond = rate - expected
    return share * (beyond**2 - share @ beyond**2 + 2 * beyond * (label_change - curve_change)), 0.0


def _expected_rate(rows, curve):
    """Rate that a curve leads one to expect in each row's region, and its value at the row less its mean there."""
    of_region = rows.mean_in(rows.region, curve)
    return rows.mean_in(rows.bin, rows.y) + (of_region - rows.mean_in(rows.bin, curve)), curve - of_region


def influences_by_bins(rows, independent):
    """What each row does to explained - induced, and the variance that the other half's labels bring to the curves."""
    share, rate, label_change = _label_changes(rows, independent)
    beyond = rate - rows.mean_in(rows.bin, rows.y)
    curve = (rows.first + rows.second) / 2
    bend = curve - rows.mean_in(rows.bin, curve)
    of_curve = 2 * bend * (rows.y - curve)
    effect = beyond**2 - share @ beyond**2 + 2 * beyond * label_change
    effect -= bend**2 - share @ bend**2 + rows.own_share * of_curve
    return share * effect, float(((share * (1 - rows.own_share) * of_curve) ** 2).sum())


def _label_changes(rows, independent):
    """Share of each row, the rate of its region, and how its label differs from that."""
    rate = rows.mean_in(rows.region, rows.y)
    change = (rows.y - rate) * np.sqrt(independent / (independent - 1))  # the mean of few labels lies too close to them
    return rows.weight / rows.weight.sum(), rate, change


def label_noise(rows):
    """Variance of the explained loss if regions do not differ, and what the noise of labels adds to its influences."""
    label = rows.y - rows.mean_in(rows.bin, rows.p)
    weight = unequal(rows.weight)
    of_regions, of_bins = (region_statistics(label, index, weight, rows.groups) for index in (rows.region, rows.bin))
    null = max(of_regions.noise_variance - of_bins.noise_variance, 0.0)
    if rows.groups is not None:
        return null, 2 * null
    noise = _squared_noise(rows, rows.region, of_regions) - _squared_noise(rows, rows.bin, of_bins)
    return max(null, null_variance(rows, of_bins.mean_variance)), 4 * float(noise) / rows.weight.sum() ** 2


def _squared_noise(rows, index, part):
    """Sum over regions or bins of the squared variances of their labels, times (sum w^2 / sum w)^2."""
    _, weight, squares = group_sums(index, rows.weight, rows.weight**2)
    used = weight > 0
    return np.nansum((squares[used] / weight[used] * part.mean_variance[used]) ** 2)


def null_variance(rows, mean_variance):
    """Variance of the explained loss if regions do not differ, where the labels of each bin have this variance."""
    # Labels then vary in a region as in its bin: regions of few rows often hold one label only, and would look certain.
    total = 0.0
    w = rows.weight
    w_squared = w**2
    for index, sign in ((rows.region, 1), (rows.bin, -1)):
        _, weight, squares, fourths, variance = group_sums(
            index, w, w_squared, w_squared**2, w * mean_variance[rows.bin]
        )
        used = weight > 0
        ratio = (variance[used] / (weight[used] ** 2 - squares[used])) ** 2
        total += sign * float(ratio @ (squares[used] ** 2 - fourths[used]))
    return 2 * max(total, 0.0) / w.sum() ** 2


def interval(value, variance, growing, most, tail=TAIL):
    """Interval of a loss with `tail` on each side; `growing` is what in its variance grows with it, `most` a loss."""
    # The upper end is where the estimate is z of *its* standard errors away; the lower end uses the standard error
    # of the estimate, which is the safer of the two there.
    z = norm.isf(tail)
    slope = min(growing / value, most) if value > 0 else 0.0
    return value - z * np.sqrt(variance), value + z**2 * slope / 2 + z * np.sqrt(variance + (z * slope / 2) ** 2)
