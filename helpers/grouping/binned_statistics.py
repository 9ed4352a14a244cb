"""What bins and regions say about rows that did not choose them: every part of the binned bound and its variance."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import digamma, exp1, xlogy

from helpers.binning import cross_cells, group_sums
from helpers.calibration import running_curve
from helpers.grouping.region_statistics import squared_mean, squared_means
from helpers.scoring import BRIER, LOG


@dataclass(frozen=True)
class BinnedRows:
    """Evaluated rows; every region lies in one bin."""

    y: np.ndarray
    p: np.ndarray
    bin: np.ndarray
    region: np.ndarray
    first: np.ndarray  # two calibration curves from different labels
    second: np.ndarray
    in_first: np.ndarray  # whether the row's own label is behind the first
    weight: np.ndarray | None
    groups: np.ndarray | None  # codes
    own_share: float  # share of the two curves that rests on these rows: 1/2 if a fitting half made the first, else 1

    def take(self, kept):
        """The rows where `kept` is true."""
        columns = {name: column for name, column in vars(self).items() if isinstance(column, np.ndarray)}
        return replace(self, **{name: column[kept] for name, column in columns.items()})


def debiased_entropy(hits, count, rate):
    """Binary entropy (nats) behind `hits` ones among `count` rows, debiased; `rate` says about how rare they are."""
    # -log q = sum_v (1 - q)^v / v, and sum (k/n) (digamma(n) - digamma(k)) over the two classes has the entropy up to v
    # = n - 1 as its mean (Zhang 2012, Entropy estimation in Turing's perspective). No function of n labels has the rest
    # as its mean: it is taken at `rate`, so that nothing is left over where the true rate is `rate`, and never more
    # than 0.4 / n. The plug-in lacks 1 / (2 n).
    both = np.stack([hits, count - hits])
    rates = np.stack([rate, 1 - rate])
    gap = digamma(count) - digamma(np.where(both > 0, both, 1))
    start = np.where(both > 0, both * gap, 0).sum(axis=0) / count
    return start + _rest_of_series(rates, count).sum(axis=0)


def _rest_of_series(rate, n):
    """rate * sum over v >= n of (1 - rate)^v / v."""
    # the integral of exp(-n s) / (1 - exp(-s)) from -log(1 - rate), with 1 / (1 - exp(-s)) = 1/s + 1/2 + s/12 - ...
    inner = (rate > 0) & (rate < 1)
    low = -np.log1p(-np.where(inner, rate, 0.5))
    weight = np.exp(-n * low)
    series = exp1(n * low) + weight * (1 / (2 * n) + (low / n + 1 / n**2) / 12)
    return np.where(inner, rate * series, 0)


def bound_parts(rows, rule, correction, n_bins, n_regions):
    """Every number of `BinnedGroupingLoss` but its interval, as a dict, with each row's influence and the variances."""
    independent = np.bincount(_independent(rows), minlength=n_regions)
    seen = np.bincount(rows.region, minlength=n_regions)
    kept = independent[rows.region] >= 2
    if not kept.any():
        name = "X or region" if rows.groups is None else "groups"
        raise ValueError(f"{name} must leave two independent rows in at least one region, but no region has them.")
    every = rows
    rows = every.take(kept)
    statistics = STATISTICS[rule]
    weight = np.ones(rows.y.size) if rows.weight is None else rows.weight
    share = weight / weight.sum()
    bins, bin_rate, bin_stated = _means(rows.bin, weight, rows.y, rows.p, size=n_bins)
    regions, rate, stated, of_bin = _means(rows.region, weight, rows.y, rows.p, rows.bin, size=n_regions)
    around = bin_rate[rows.bin]
    inside = rate[rows.region]
    divergence = rule.binary_entropy(around) - rule.binary_entropy(inside)
    plugin = float(share @ divergence)
    units = independent[rows.region]
    label = (rows.y - inside) * np.sqrt(units / (units - 1))  # the mean of few labels lies too close to them
    induced, by_score, by_label = _induced(rows, rule, weight)
    first = _expected(rows, rule, weight, around, rows.first)
    second = _expected(rows, rule, weight, around, rows.second)
    expected, drift = np.where(rows.in_first, second, first)
    captured = statistics.captured(rows, weight, around, first[0], second[0], expected)
    explained, null, noise = statistics.explained(rows, bin_stated, around, expected)
    if correction == "regions":
        residual = rule.binary_divergence(inside, expected)
        effect = residual - share @ residual + (rule.slope(expected) - rule.slope(inside)) * label
        effect += rule.curvature(expected) * (expected - inside) * drift
        curve_variance = 0.0
    else:
        between = rule.slope(around) * (inside - around)
        effect = divergence - plugin + between + (rule.slope(around) - rule.slope(inside)) * label
        effect -= by_score + rows.own_share * by_label
        curve_variance = float(((share * (1 - rows.own_share) * by_label) ** 2).sum())
    influence = np.zeros(every.y.size)
    influence[kept] = share * effect
    binned, hidden = statistics.calibration(rows, weight, bin_rate, bin_stated, induced)
    used = regions > 0
    return {
        "plugin": plugin,
        "explained": explained,
        "bias": plugin - explained,
        "induced": induced,
        "captured": captured,
        "calibration_binned": binned,
        "calibration_induced": hidden,
        "n": rows.y.size,
        "n_regions": int(used.sum()),
        "n_single": int(((seen > 0) & ~used).sum()),
        "n_empty": int((seen == 0).sum()),
        "left_out": 1 - float(weight.sum() / (every.y.size if every.weight is None else every.weight.sum())),
        "region_bin": np.rint(of_bin[used]).astype(int),
        "count": regions[used],
        "rate": rate[used],
        "stated": stated[used],
        "bin_count": bins,
        "bin_rate": bin_rate,
        "bin_stated": bin_stated,
        "influence": influence,
        "curve_variance": curve_variance,
        "null_variance": null,
        "noise_variance": noise,
    }


def _independent(rows):
    """Region of each independent unit: of each row, or of each (region, group) cell."""
    return rows.region if rows.groups is None else cross_cells(rows.region, rows.groups)[1]


def _means(index, weight, *columns, size=None):
    """Rows of each bin or region, and weighted means of the columns there (NaN without rows)."""
    count, total, *sums = group_sums(index, weight, *(weight * column for column in columns), size=size)
    return count, *(np.divide(part, total, out=np.full(total.size, np.nan), where=total > 0) for part in sums)


def _null_variance(rows, mean_variance):
    """Variance of the explained part when regions do not differ."""
    # Labels then vary in a region as in its bin: regions of few rows often hold one label only, and would look certain.
    total = 0.0
    for index, sign in ((rows.region, 1), (rows.bin, -1)):
        count, variance = group_sums(index, mean_variance[rows.bin])
        kept = count > 0
        total += sign * float(((variance[kept] / count[kept]) ** 2 * count[kept] / (count[kept] - 1)).sum())
    return 2 * max(total, 0.0) / rows.y.size**2


def _mean_square(rows, column):
    """Unbiased mean square of a column's region means around those of their bins."""
    inner, outer = (squared_mean(column, index, rows.weight, rows.groups) for index in (rows.region, rows.bin))
    return inner - outer


def _entropy_left(rows, index, about):
    """Mean debiased entropy over bins or regions, in which the rates `about` are to be expected, (n,)."""
    count, hits, rates = (column[np.bincount(index) > 0] for column in group_sums(index, rows.y, about))
    return float(count @ debiased_entropy(hits, count, rates / count)) / rows.y.size


def _induced(rows, rule, weight):
    """Mean variance of the calibration curve inside the bins, and its effects of a row's score and label, each (n,)."""
    # The curves' mean has noise of its own; half their difference tells how much, because their labels differ.
    curve = (rows.first + rows.second) / 2
    half = (rows.first - rows.second) / 2
    _, centre, offset = _means(rows.bin, weight, curve, half)
    centre = centre[rows.bin]
    offset = offset[rows.bin]
    gap = rule.binary_entropy(centre) + rule.slope(centre) * (curve - centre) - rule.binary_entropy(curve)
    share = weight / weight.sum()
    induced = float(share @ (gap - rule.curvature(centre) / 2 * (half - offset) ** 2))
    return induced, gap - share @ gap, (rule.slope(centre) - rule.slope(curve)) * (rows.y - curve)


def _expected(rows, rule, weight, around, curve):
    """Rate that a curve leads one to expect in each row's region, and its distance from its mean there, (n,)."""
    level, mean = (_means(index, weight, curve)[1][index] for index in (rows.bin, rows.region))
    return rule.shift(around, level, mean), curve - mean


class SquaredError:
    """The parts of the bound in squared error, estimated by products of different rows, without bias."""

    rule = BRIER
    growth = 1  # the variance grows with the loss, at most `growth` times the loss over n
    any_rows = True  # weights and groups are welcome

    def curve(self, y, p, at):
        """Calibration curve of some rows at other scores: running lines."""
        return running_curve(y, p, at)

    def explained(self, rows, bin_stated, around, expected):
        """Debiased variance of region rates around their bin's rate, its variance without any, and the noise."""
        shifted = rows.y - bin_stated[rows.bin]  # to lose less to rounding
        inner, outer = (squared_means(shifted, index, rows.weight, rows.groups) for index in (rows.region, rows.bin))
        value = inner.value - outer.value
        null = max(inner.noise_variance - outer.noise_variance, 0.0)
        if rows.weight is not None or rows.groups is not None:
            return value, null, 2 * null
        noise = 4 * float(np.nansum(inner.mean_variance**2) - np.nansum(outer.mean_variance**2)) / rows.y.size**2
        return value, max(null, _null_variance(rows, outer.mean_variance)), noise

    def captured(self, rows, weight, around, first, second, expected):
        """The part of the explained loss that regions owe to the scores of their rows."""
        # A label is held against the curve that rests on other labels; of the two curves' noise only the product
        # counts, which is zero on average. With M, D the curves' mean and half difference, and s = 1 (-1) for rows
        # behind the first (second): 2 <Y, M> - <M, M> - 2 <s Y, D> + <D, D>, where no row is multiplied with itself.
        # derived in site/derivations/captured.md
        label = rows.y - around
        side = np.where(rows.in_first, 1, -1)
        middle = (rows.first + rows.second) / 2
        half = (rows.first - rows.second) / 2
        columns = (label, side * label - half, label - middle, side * label)
        squared_label, squared_across, squared_rest, squared_side = (_mean_square(rows, column) for column in columns)
        return squared_label - squared_rest + squared_across - squared_side

    def calibration(self, rows, weight, bin_rate, bin_stated, induced):
        """Debiased calibration loss of the binned score, and what the bins hide of the score's own."""
        gaps = [rows.p - curve for curve in (rows.first, rows.second)]
        centres = [mean[rows.bin] for mean in _means(rows.bin, weight, *gaps)[1:]]
        binned = squared_mean(rows.y - rows.p, rows.bin, rows.weight, rows.groups)
        return binned, float(np.average((gaps[0] - centres[0]) * (gaps[1] - centres[1]), weights=weight))


class Nats:
    """The same for the log score: by debiased entropies, which count independent rows of equal weight."""

    rule = LOG
    growth = 2
    any_rows = False

    def curve(self, y, p, at):
        """Calibration curve of some rows at other scores: running lines, and running means where one leaves (0, 1)."""
        line = running_curve(y, p, at)
        return np.where((line > 0) & (line < 1), line, running_curve(y, p, at, degree=0))

    def explained(self, rows, bin_stated, around, expected):
        """As in `SquaredError`."""
        of_bins = _entropy_left(rows, rows.bin, around)
        of_regions = _entropy_left(rows, rows.region, expected)
        freedom = (np.unique(rows.region).size - np.unique(rows.bin).size) / rows.y.size**2
        return of_bins - of_regions, freedom / 2, freedom

    def captured(self, rows, weight, around, first, second, expected):
        """As in `SquaredError`; a curve has noise, and half the difference of the two tells how much."""
        noise = (first - second) ** 2 / 2 * (LOG.curvature((first + second) / 2) / 2)
        gain = LOG.binary_divergence(rows.y, around) - LOG.binary_divergence(rows.y, expected)
        return float(weight @ (gain + noise) / weight.sum())

    def calibration(self, rows, weight, bin_rate, bin_stated, induced):
        """As in `SquaredError`."""
        rate = bin_rate[rows.bin]
        stated = bin_stated[rows.bin]
        cross = float(np.mean(-xlogy(rate, stated) - xlogy(1 - rate, 1 - stated)))
        beyond = float(np.mean(LOG.binary_divergence(rows.y, rows.p))) - cross if np.isfinite(cross) else 0.0
        return cross - _entropy_left(rows, rows.bin, rate), beyond + induced


STATISTICS = {statistics.rule: statistics for statistics in (SquaredError(), Nats())}
