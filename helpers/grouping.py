"""The grouping loss: what a calibrated score still gets wrong, because it gives one score to people with different risks.

Unit: squared error of one class, E (q - c)**2. (Perez-Lebel et al. sum over two classes, and so does `glest`: twice this value.)
"""

from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import csr_array
from scipy.stats import chi2, norm

from helpers.binning import group_sums
from helpers.calibration import IsotonicCalibrator, PlattCalibrator
from helpers.checks import (
    check_count,
    check_groups,
    check_labels,
    check_one_of,
    check_probabilities,
    check_same_length,
    check_vector,
    check_weights,
)
from helpers.encoding import check_table
from helpers.partition import HonestTree

CALIBRATORS = {"platt": PlattCalibrator, "isotonic": IsotonicCalibrator, "none": None}
SCORE = "stated probability"
PARALLEL_FROM = 20_000


@dataclass(frozen=True)
class GroupingLoss:
    """Debiased lower bound of the grouping loss, in squared error (0 is best), with what stands behind it.

    value : estimate; may be slightly negative when there is nothing to find
    se, low, high : standard error and 95 % interval of the grouping loss that these regions capture; claim "at least `low`"
    p_value : one-sided test of "no grouping loss"
    plugin, bias : the naive estimate and its upward bias; value = plugin - bias
    calibration_loss : mean (p - c)**2 of the fitted calibrator; NaN without one
    n : rows that were evaluated; n_regions : regions with at least two independent rows; left_out : share of the rows elsewhere
    count, mean, variance : per region, in the order of the parts evaluated; `trees` and `part` tell which tree chose region j
    """

    value: float
    se: float
    low: float
    high: float
    p_value: float
    plugin: float
    bias: float
    calibration_loss: float
    n: int
    n_regions: int
    left_out: float
    count: np.ndarray = field(repr=False)
    mean: np.ndarray = field(repr=False)
    variance: np.ndarray = field(repr=False)
    part: np.ndarray = field(repr=False)
    trees: tuple = field(default=(), repr=False)

    def __str__(self):
        p_value = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        return (
            f"grouping loss {self.value:.4f} [{self.low:.4f}, {self.high:.4f}], "
            f"n = {self.n:,} in {self.n_regions:,} regions; {p_value}"
        )


@dataclass(frozen=True)
class _Part:
    """What one evaluated part says: estimate, variance, its null distribution's variance and sum of cubed weights, region numbers."""

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


def _evaluate_rows(residual, region):
    """Independent rows of equal weight: closed forms in the count n_j, sum S_j and sum of squares Q_j of each region."""
    n = residual.size
    count, sums, squares = group_sums(region, residual, residual**2)
    kept = count >= 2
    n_j, s_j, q_j = count[kept], sums[kept], squares[kept]
    u_j = (s_j**2 - q_j) / (n_j * (n_j - 1))
    v_j = np.maximum(q_j - s_j**2 / n_j, 0) / (n_j - 1)
    value = float(n_j @ u_j) / n
    null_variance = 2 * float((n_j / (n_j - 1)) @ v_j**2) / n**2
    within = 4 * max(float(n_j @ (u_j * v_j)), 0.0) / n**2
    between = max(float(n_j @ u_j**2) / n - value**2, 0.0) / n
    mean, spread = np.zeros(count.size), np.full(count.size, np.nan)
    mean[count > 0] = sums[count > 0] / count[count > 0]
    spread[kept] = v_j
    plugin = float(n_j @ mean[kept] ** 2) / n
    dropped = 1 - float(n_j.sum()) / n
    variance, cubes = within + between + null_variance, float((v_j**3).sum()) / n**3
    return _Part(value, variance, null_variance, cubes, plugin, n, n_j.size, dropped, count, mean, spread)


def _evaluate_cells(residual, region, weight, groups):
    """Weighted or clustered rows: sums of products between different groups only; a row is its own group where `groups` is None.

    With W, S the weight and the weighted residual sum of a (group, region) cell and of a region,
    value = sum_j (W_j / W) (S_j^2 - sum_g S_gj^2) / (W_j^2 - sum_g W_gj^2).
    The variance adds up the groups' influences; twice the null variance, the noise in the squared means, is taken off.
    """
    weight = np.ones_like(residual) if weight is None else weight
    if groups is None:
        cell_region, cell_group, cell_w, cell_s = region, np.arange(residual.size), weight, weight * residual
    else:
        keys, cell = np.unique(region.astype(np.int64) * (groups.max() + 1) + groups, return_inverse=True)
        cell_region, cell_group = np.divmod(keys, groups.max() + 1)
        _, cell_w, cell_s = group_sums(cell, weight, weight * residual)
    count, total, squares = group_sums(region, weight, weight * residual**2)
    _, sums, own_w, own_s = group_sums(cell_region, cell_s, cell_w**2, cell_s**2, size=count.size)
    pairs = total**2 - own_w
    kept = pairs > 1e-9 * total**2
    share = np.where(kept, total, 0) / total.sum()
    mean, factor, spread = np.zeros(count.size), np.zeros(count.size), np.full(count.size, np.nan)
    filled = total > 0
    mean[filled] = sums[filled] / total[filled]
    factor[kept] = share[kept] / pairs[kept]
    spread[kept] = (squares[kept] / total[kept] - mean[kept] ** 2) * total[kept] ** 2 / pairs[kept]
    value = float(factor @ (sums**2 - own_s))

    left = cell_s - cell_w * mean[cell_region]
    bessel = np.zeros(count.size)
    bessel[kept] = np.minimum(total[kept] ** 2 / pairs[kept], 2)
    entry = left * np.sqrt(factor * bessel)[cell_region]
    null_variance = 2 * _off_diagonal(entry, cell_region, cell_group, groups is None)
    cubes = float((np.bincount(cell_region, entry**2) ** 3).sum())
    kept_mean = np.where(kept, mean, 0)
    influence = 2 * (kept_mean * np.sqrt(bessel))[cell_region] * left + cell_w * (kept_mean**2 - value)[cell_region]
    linear = float((np.bincount(cell_group, influence) ** 2).sum()) / total.sum() ** 2
    variance = max(linear - 2 * null_variance, 0.0) + null_variance
    plugin = float(share @ mean**2)
    dropped = 1 - float(share.sum())
    n, n_regions = residual.size, int(kept.sum())
    return _Part(value, variance, null_variance, cubes, plugin, n, n_regions, dropped, count, mean, spread)


def _off_diagonal(entry, region, group, one_region_each):
    """Sum over pairs of different groups of the squared inner product of their rows in the (group, region) matrix."""
    if one_region_each:
        return float((np.bincount(region, entry**2) ** 2).sum() - (entry**4).sum())
    matrix = csr_array((entry, (group, region)))
    matrix = matrix if matrix.shape[0] < matrix.shape[1] else matrix.T
    own = np.bincount(group, entry**2)
    return max(float(((matrix @ matrix.T).data ** 2).sum() - (own**2).sum()), 0.0)


def _combine(parts, calibration_loss, trees=()):
    """Mean of independent parts as a `GroupingLoss`."""
    k = len(parts)
    value = float(np.mean([part.value for part in parts]))
    plugin = float(np.mean([part.plugin for part in parts]))
    se = float(np.sqrt(sum(part.variance for part in parts))) / k
    n = sum(part.n for part in parts)
    return GroupingLoss(
        value=value,
        se=se,
        low=value - norm.ppf(0.975) * se,
        high=value + norm.ppf(0.975) * se,
        p_value=_null_test(k * value, sum(part.null_variance for part in parts), sum(part.null_cubes for part in parts)),
        plugin=plugin,
        bias=plugin - value,
        calibration_loss=calibration_loss,
        n=n,
        n_regions=sum(part.n_regions for part in parts),
        left_out=sum(part.left_out * part.n for part in parts) / n,
        count=np.concatenate([part.count for part in parts]),
        mean=np.concatenate([part.mean for part in parts]),
        variance=np.concatenate([part.spread for part in parts]),
        part=np.repeat(np.arange(k), [part.count.size for part in parts]),
        trees=tuple(trees),
    )


def _null_test(total, variance, cubes):
    """P-value of `total` under no grouping loss: a sum of weighted, centred chi-squares, matched in variance and skewness."""
    if not variance > 0 or not cubes > 0:
        return float(total <= 0)
    freedom = (variance / 2) ** 3 / cubes**2
    return float(chi2.sf(freedom + total * np.sqrt(2 * freedom / variance), freedom))


def _evaluate(residual, region, weight=None, groups=None):
    if weight is None and groups is None:
        return _evaluate_rows(residual, region)
    return _evaluate_cells(residual, region, weight, groups)


def grouping_loss_from_regions(residual, region, *, sample_weight=None, groups=None):
    """Debiased share of the grouping loss that a given partition captures.

    value = sum_j (n_j / n) (S_j^2 - Q_j) / (n_j (n_j - 1)), with S_j the sum and Q_j the sum of squares of the residuals of region j:
    the mean product of two different rows, unbiased when the regions were chosen without these rows.

    Parameters
    ----------
    residual : (n,) label minus calibrated score
    region : (n,) int, region of each row
    sample_weight : (n,) sampling weights (a weight of 2 is not the row twice: two copies are not two draws)
    groups : (n,) labels of people, hospitals, …; products within a group are left out

    Returns
    -------
    GroupingLoss; its interval is for what these regions capture.

    Raises
    ------
    ValueError for lengths that differ, negative regions, or no region with two independent rows.

    Source: Melo et al. (2026), proposition 3 and equation 6; interval, test, weights and groups are ours.

    >>> grouping_loss_from_regions([0.5, 0.5, -0.5, -0.5], [0, 0, 1, 1]).value
    0.25
    """
    residual, weight, groups = check_vector(residual, "residual"), check_weights(sample_weight), check_groups(groups)
    region = np.asarray(region)
    check_same_length(residual=residual, region=region, sample_weight=weight, groups=groups)
    if not np.isfinite(residual).all():
        first = int(np.argmin(np.isfinite(residual)))
        raise ValueError(f"residual must be finite, but residual[{first}] is {residual[first]}.")
    if region.ndim != 1 or region.dtype.kind not in "iu" or region.min() < 0:
        raise ValueError(f"region must hold whole numbers from 0, but it is {region.dtype} and starts at {region.min()}.")
    part = _evaluate(residual, region, weight, groups)
    if not part.n_regions:
        raise ValueError("region must leave two independent rows in at least one region, but no region has them.")
    return _combine([part], float("nan"))


def grouping_loss(
    y,
    p,
    X,
    *,
    method="crossfit",
    calibrator="platt",
    min_samples_leaf=15,
    max_depth=None,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Lower bound of the grouping loss E (q - c)**2 of a score, without bins.

    A tree looks for people whose residuals y - c(p) agree; other people say how large the agreement really is.

    - `method="crossfit"` (default): two halves; regions are chosen on one by the features and the score, and evaluated on the other,
      then the roles change. Every row is evaluated once. The evaluated residuals use a calibrator fitted on all rows.
    - `method="paper"`: 10 % of the rows calibrate, 40 % choose regions by the features alone, 50 % evaluate.

    Parameters
    ----------
    y : (n,) labels 0/1
    p : (n,) stated probabilities of class 1
    X : (n, d) features: DataFrame (numbers, booleans, categories, text, dates, missing values) or array; see `helpers.encoding`
    calibrator : "platt" (on log-odds), "isotonic" or "none"; what it leaves uncalibrated counts as grouping loss
    min_samples_leaf, max_depth : of the trees, in rows of the fitting part
    sample_weight : (n,) sampling weights or None
    groups : (n,) labels of people, hospitals, …: never split, and no pairs within a group
    rng : int, Generator or None

    Returns
    -------
    GroupingLoss, smaller is better; `trees` hold the regions in words.

    Raises
    ------
    ValueError for labels, scores, features, weights or groups that break a rule, or fewer than 4 * min_samples_leaf rows.

    Source: Melo et al. (2026), section 3 and algorithm 1; the cross-fitted form is ours.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 2))
    >>> y = rng.random(4000) < np.where(X[:, 0] > 0, 0.8, 0.2)
    >>> print(grouping_loss(y, np.full(4000, 0.5), X, calibrator="none", rng=0))
    grouping loss 0.0864 [0.0794, 0.0934], n = 4,000 in 202 regions; p < 0.001
    """
    y, p, X = check_labels(y, both=True), check_probabilities(p), check_table(X)
    weight, groups = check_weights(sample_weight), check_groups(groups)
    check_same_length(y=y, p=p, X=X, sample_weight=weight, groups=groups)
    check_one_of(method, "method", ("crossfit", "paper"))
    check_one_of(calibrator, "calibrator", tuple(CALIBRATORS))
    check_count(min_samples_leaf, "min_samples_leaf")
    if y.size < 4 * min_samples_leaf:
        raise ValueError(f"y must have at least 4 * min_samples_leaf = {4 * min_samples_leaf} rows, but it has {y.size}.")
    rng = np.random.default_rng(rng)

    def calibrated(fitted_on, rows):
        if CALIBRATORS[calibrator] is None:
            return p[rows]
        w = None if weight is None else weight[fitted_on]
        return CALIBRATORS[calibrator]().fit(p[fitted_on], y[fitted_on], w).predict(p[rows])

    def part(seed, calibrate, fit, evaluate, evaluate_by, table):
        w_fit, w_eval = (None, None) if weight is None else (weight[fit], weight[evaluate])
        tree = HonestTree(min_samples_leaf=min_samples_leaf, max_depth=max_depth, rng=seed)
        tree.fit(table.iloc[fit], y[fit] - calibrated(calibrate, fit), w_fit)
        region = tree.apply(table.iloc[evaluate])
        residual = y[evaluate] - calibrated(evaluate_by, evaluate)
        result = _evaluate(residual, region, w_eval, None if groups is None else groups[evaluate])
        return result, tree.estimate(table.iloc[evaluate], residual, w_eval)

    seeds = rng.integers(2**31, size=2)
    if method == "paper":
        calibrate, fit, evaluate = split_rows(y, groups, (0.1, 0.5), rng)
        tasks = [(seeds[0], calibrate, fit, evaluate, calibrate, X)]
        calibration_rows = calibrate
    else:
        a, b = split_rows(y, groups, (0.5,), rng)
        calibration_rows = np.arange(y.size)
        name = SCORE
        while name in X.columns:
            name = f"{name} (p)"
        table = X.assign(**{name: p})
        tasks = [(seeds[0], a, a, b, calibration_rows, table), (seeds[1], b, b, a, calibration_rows, table)]
    workers = 2 if y.size >= PARALLEL_FROM else 1
    parts, trees = zip(*Parallel(workers, require="sharedmem")(delayed(part)(*task) for task in tasks), strict=True)
    loss = float("nan")
    if CALIBRATORS[calibrator] is not None:
        everyone = np.arange(y.size)
        loss = float(np.average((p - calibrated(calibration_rows, everyone)) ** 2, weights=weight))
    return _combine(parts, loss, trees)


def split_rows(y, groups, shares, rng):
    """Row numbers of random parts that end at the given shares of the rows; groups stay whole; each part has both classes."""
    unit = np.arange(y.size) if groups is None else groups
    size = np.bincount(unit)
    ones = np.bincount(unit, y)
    for _ in range(100):
        order = rng.permutation(size.size)
        reached = (np.cumsum(size[order]) - size[order] / 2) / y.size
        part_of = np.empty(size.size, int)
        part_of[order] = np.searchsorted(shares, reached)
        rows, hits = np.bincount(part_of, size, len(shares) + 1), np.bincount(part_of, ones, len(shares) + 1)
        if ((hits > 0) & (hits < rows)).all():
            return [np.flatnonzero(part_of[unit] == k) for k in range(len(shares) + 1)]
    raise ValueError(
        f"y must hold enough of both classes{'' if groups is None else ' and groups'} to put some into each of {len(shares) + 1} "
        f"parts, but it has {int(y.sum()):,} ones in {y.size:,} rows{'' if groups is None else f' and {size.size:,} groups'}."
    )
