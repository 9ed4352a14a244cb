"""The grouping loss: what a calibrated score still gets wrong, because it gives one score to people with different
risks.

Unit: squared error of one class, E (q - c)**2. (Perez-Lebel et al. sum over two classes, and so does `glest`: twice
this value.)
"""

from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm

from helpers._parallel import PARALLEL_FROM
from helpers.calibration.calibrators import make_calibrator
from helpers.checks import (
    check_count,
    check_groups,
    check_labels,
    check_one_of,
    check_probabilities,
    check_regions,
    check_same_length,
    check_vector,
    check_weights,
)
from helpers.grouping.region_statistics import null_p_value, squared_means
from helpers.partition import split_rows
from helpers.partition.encoder import check_table, with_score_column
from helpers.partition.honest_tree import TREES


@dataclass(frozen=True)
class GroupingLoss:
    """Debiased lower bound of the grouping loss, in squared error (0 is best), with what stands behind it.

    value : estimate; may be slightly negative when there is nothing to find
    se, low, high : standard error and 95 % interval of the grouping loss that these regions capture; claim "at least
        `low`"
    p_value : one-sided test of "no grouping loss"; null_se : standard error of the value if that were so
    plugin, bias : the naive estimate and its upward bias; value = plugin - bias
    calibration_loss : mean (p - c)**2 of the fitted calibrator; NaN without one
    n : rows that were evaluated; n_regions : regions with at least two independent rows; left_out : share of the rows
        elsewhere
    count, mean, variance : per region, in the order of the parts evaluated; `trees` and `part` tell which tree chose
        region j
    """

    value: float
    se: float
    low: float
    high: float
    p_value: float
    null_se: float
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


def combine(parts, calibration_loss, trees=()):
    """Mean of independent parts as a `GroupingLoss`."""
    k = len(parts)
    value = float(np.mean([part.value for part in parts]))
    plugin = float(np.mean([part.plugin for part in parts]))
    se = float(np.sqrt(sum(part.variance for part in parts))) / k
    reach = float(norm.ppf(0.975)) * se
    null_variance, null_cubes = (sum(getattr(part, name) for part in parts) for name in ("null_variance", "null_cubes"))
    n = sum(part.n for part in parts)
    return GroupingLoss(
        value=value,
        se=se,
        low=value - reach,
        high=value + reach,
        p_value=null_p_value(k * value, null_variance, null_cubes),
        null_se=float(np.sqrt(null_variance)) / k,
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


def grouping_loss_from_regions(residual, region, *, sample_weight=None, groups=None):
    """Debiased share of the grouping loss that a given partition captures.

    value = sum_j (n_j / n) (S_j^2 - Q_j) / (n_j (n_j - 1)), with S_j the sum and Q_j the sum of squares of the
    residuals of region j: the mean product of two different rows, unbiased when the regions were chosen without these
    rows.

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
    residual, region = check_vector(residual, "residual", finite=True), check_regions(region)
    weight, groups = check_weights(sample_weight), check_groups(groups)
    check_same_length(residual=residual, region=region, sample_weight=weight, groups=groups)
    part = squared_means(residual, region, weight, groups)
    if not part.n_regions:
        raise ValueError("region must leave two independent rows in at least one region, but no region has them.")
    return combine([part], float("nan"))


def grouping_loss(
    y,
    p,
    X,
    *,
    method="crossfit",
    calibrator="platt",
    tree="exact",
    min_samples_leaf=15,
    max_depth=None,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Lower bound of the grouping loss E (q - c)**2 of a score, without bins.

    A tree looks for people whose residuals y - c(p) agree; other people say how large the agreement really is.

    - `method="crossfit"` (default): two halves; regions are chosen on one by the features and the score, and
      evaluated on the other, then the roles change. Every row is evaluated once. The evaluated residuals use a
      calibrator fitted on all rows.
    - `method="paper"`: 10 % of the rows calibrate, 40 % choose regions by the features alone, 50 % evaluate. The noise
      of a calibrator from so few rows counts as grouping loss: below 10,000 rows a perfect model often fails the
      null test.

    Parameters
    ----------
    y : (n,) labels 0/1
    p : (n,) stated probabilities of class 1
    X : (n, d) features: DataFrame (numbers, booleans, categories, text, dates, missing values) or array; see
        `helpers.partition.encoder`
    calibrator : "platt" (on log-odds), "isotonic" or "none"; what it leaves uncalibrated counts as grouping loss
    tree : "exact" (`HonestTree`), or "hist" (`HistogramTree`) for many rows: several times faster, numbers cut at
        255 quantiles, no rules in words
    min_samples_leaf, max_depth : of the trees, in rows of the fitting part
    sample_weight : (n,) sampling weights or None
    groups : (n,) labels of people, hospitals, …: never split, and no pairs within a group
    rng : int, Generator or None

    Returns
    -------
    GroupingLoss, smaller is better; `trees` tell the region of any row and, if exact, say it in words.

    Raises
    ------
    ValueError for labels, scores, features, weights or groups that break a rule, or fewer than 4 * min_samples_leaf
    rows.

    Source: Melo et al. (2026), section 3 and algorithm 1; the cross-fitted form is ours.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 2))
    >>> y = rng.random(4000) < np.where(X[:, 0] > 0, 0.8, 0.2)
    >>> print(grouping_loss(y, np.full(4000, 0.5), X, calibrator="none", rng=0))
    grouping loss 0.0864 [0.0794, 0.0934], n = 4,000 in 202 regions; p < 0.001
    """
    y, p, X, weight, groups = checked_columns(y, p, X, sample_weight, groups)
    check_one_of(method, "method", ("crossfit", "paper"))
    make_calibrator(calibrator)  # refuses other names
    check_one_of(tree, "tree", tuple(TREES))
    check_count(min_samples_leaf, "min_samples_leaf")
    if y.size < 4 * min_samples_leaf:
        raise ValueError(
            f"y must have at least 4 * min_samples_leaf = {4 * min_samples_leaf} rows, but it has {y.size}."
        )
    rng = np.random.default_rng(rng)

    def calibrated(rows, of):
        """Scores `of` some rows, calibrated on others."""
        w = None if weight is None else weight[rows]
        return make_calibrator(calibrator).fit(p[rows], y[rows], w).predict(p[of])

    def part(seed, calibrate, fit, evaluate, table):
        w_fit, w_eval = (None, None) if weight is None else (weight[fit], weight[evaluate])
        chooser = TREES[tree](min_samples_leaf=min_samples_leaf, max_depth=max_depth, rng=seed)
        chooser.fit(table.iloc[fit], y[fit] - calibrated(calibrate, fit), w_fit)
        region, residual = chooser.apply(table.iloc[evaluate]), y[evaluate] - c[evaluate]
        result = squared_means(residual, region, w_eval, None if groups is None else groups[evaluate])
        return result, chooser.estimate_regions(region, residual, w_eval)

    seeds = rng.integers(2**31, size=2)
    if method == "paper":
        calibrate, fit, evaluate = split_rows(y, groups, (0.1, 0.5), rng)
        c = calibrated(calibrate, slice(None))
        tasks = [(seeds[0], calibrate, fit, evaluate, X)]
    else:
        c = calibrated(slice(None), slice(None))
        a, b = split_rows(y, groups, (0.5,), rng)
        table = with_score_column(X, p)
        tasks = [(seeds[0], a, a, b, table), (seeds[1], b, b, a, table)]
    workers = 2 if y.size >= PARALLEL_FROM else 1
    parts, trees = zip(*Parallel(workers, require="sharedmem")(delayed(part)(*task) for task in tasks), strict=True)
    if not all(part.n_regions for part in parts):
        raise ValueError("groups must leave two of them in at least one region of each part, but a part has no pair.")
    loss = float("nan")
    if calibrator != "none":
        loss = float(np.average((p - c) ** 2, weights=weight))
    return combine(parts, loss, trees)


def checked_columns(y, p, X, weight, groups):
    """Clean columns without the rows of weight 0, which were not sampled."""
    y, p, X, weight = check_labels(y, both=True), check_probabilities(p), check_table(X), check_weights(weight)
    codes = check_groups(groups)
    check_same_length(y=y, p=p, X=X, sample_weight=weight, groups=codes)
    if weight is None or weight.all():
        return y, p, X, weight, codes
    rows = np.flatnonzero(weight)
    try:
        codes = None if codes is None else check_groups(codes[rows])
        return check_labels(y[rows], both=True), p[rows], X.iloc[rows], weight[rows], codes
    except ValueError as error:
        raise ValueError(f"sample_weight must leave enough rows with a weight: {error}") from None
