"""The grouping loss: what a calibrated score still gets wrong, because it gives one score to people with different
risks.

Unit: squared error of one class, E (q - c)**2. (Perez-Lebel et al. sum over two classes, and so does `glest`: twice
this value.)
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.base import clone

from helpers._parallel import side_by_side
from helpers._result import Result
from helpers.calibration.calibrators import calibrate_rows, make_calibrator
from helpers.checks import (
    check_count,
    check_effective,
    check_groups,
    check_one_of,
    check_regions,
    check_residuals,
    check_same_length,
    check_weights,
    sampled_rows,
)
from helpers.grouping.fitted_scores import NO_FIT, effect_of_fit
from helpers.grouping.inversion import TAIL, LossLaw
from helpers.grouping.region_statistics import squared_means
from helpers.grouping.splits import repeat_splits, said_of_splits
from helpers.partition import HonestTree, split_rows
from helpers.partition.checked import CheckedTable, check_rows, with_score_column
from helpers.partition.class_rows import has_classes
from helpers.partition.levels import most_pooled, said_of_pooled


@dataclass(frozen=True)
class GroupingLoss(Result):
    """Debiased lower bound of the grouping loss, in squared error (0 is best), with what stands behind it.

    Parameters
    ----------
    value, se : float
        Estimate, which may be slightly negative when there is nothing to find, and its standard error.
    low, high : float
        95 % interval of what these regions capture: the mean over the trees of sum_j P(region j) E[q - c | region j]^2,
        c the calibrated score that all the population would give. Claim "at least `low`".
    p_value, null_se : float
        One-sided test of "no grouping loss", below 0.025 exactly where `low` is above 0; standard error of the value if
        that were so.
    plugin, bias : float
        The naive estimate and its upward bias; value = plugin - bias.
    calibration_loss : float
        Mean (p - c)**2 of the fitted calibrator; NaN without one. Where the calibrator does not fit, its sum with
        `value` is no lower bound of the epistemic loss E (p - q)**2: add `recalibration_gain` instead.
    n, n_regions : int
        Rows that were evaluated, and regions with at least two independent rows.
    left_out : float
        Share of the rows elsewhere.
    count, mean, variance : ndarray, shape (J,)
        Rows, mean residual and its variance in each region, in the order of the parts evaluated.
    part : ndarray of int, shape (J,)
        Which of `trees` chose the region.
    trees : tuple
        The trees that chose the regions.
    splits : ndarray, shape (S,)
        Values of repeated splits (`n_splits`), of which the middle one is `value`; empty without repetition.
    recalibration_gain : float
        Mean (p - y)**2 - (c - y)**2, what the calibrator takes from the Brier score; NaN without one. With `value` a
        lower bound of the epistemic loss whether the calibrator fits or not, because
        E (p - q)**2 = E[(p - y)**2 - (c - y)**2] + E (c - q)**2 for any c. Measured on rows that the calibrator has
        seen, so "isotonic", which bends more, gains a little too much.
    by_class : DataFrame or None
        Of scores with a column for each class: a row a class with the share of its labels (observed), its mean score
        (stated) and its part of the value. All values are then sums over the classes, and `mean` has shape (J, K).

    Examples
    --------
    >>> print(grouping_loss_from_regions([0.5, 0.5, -0.5, -0.5], [0, 0, 1, 1]))
    grouping loss 0.2500 [-0.0965, 0.5965], n = 4 in 2 regions; p = 0.079
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
    splits: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    recalibration_gain: float = float("nan")
    by_class: object = field(default=None, repr=False)

    def __str__(self):
        p_value = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        return (
            f"grouping loss {self.value:.4f} [{self.low:.4f}, {self.high:.4f}], "
            f"n = {self.n:,} in {self.n_regions:,} regions; {p_value}{said_of_splits(self.splits)}"
            f"{said_of_pooled(self.pooled)}"
        )

    @property
    def pooled(self):
        """Columns of which rare levels were one, a tuple of `helpers.partition.levels.Pooled`."""
        return most_pooled(tree.encoder_.pooled_ for tree in self.trees)


def combine(parts, calibration_loss, trees=(), tail=TAIL, fit=NO_FIT, gain=float("nan")):
    """Mean of independent parts as a `GroupingLoss`; `tail` is left on each side of its interval."""
    k = len(parts)
    value = float(np.mean([part.value for part in parts]))
    plugin = float(np.mean([part.plugin for part in parts]))
    law = LossLaw.of(parts, fit)
    low, high = law.interval(value, tail)
    n = sum(part.n for part in parts)
    return GroupingLoss(
        value=value,
        se=float(np.sqrt(law.variance(max(value, 0.0)))),
        low=low,
        high=high,
        p_value=law.p_value(value),
        null_se=float(np.sqrt(law.null_variance)),
        plugin=plugin,
        bias=plugin - value,
        calibration_loss=calibration_loss,
        n=n,
        n_regions=sum(part.n_regions for part in parts),
        left_out=sum(part.left_out * part.n for part in parts) / n,
        count=np.concatenate([part.count for part in parts]),
        mean=np.concatenate([part.mean for part in parts]),
        variance=np.concatenate([part.mean_variance for part in parts]),
        part=np.repeat(np.arange(k), [part.count.size for part in parts]),
        trees=tuple(trees),
        recalibration_gain=gain,
    )


def grouping_loss_from_regions(residual, region, *, sample_weight=None, groups=None):
    """Debiased share of the grouping loss that a given partition captures.

    value = sum_j (n_j / n) (S_j^2 - Q_j) / (n_j (n_j - 1)), with S_j the sum and Q_j the sum of squares of the
    residuals of region j: the mean product of two different rows, unbiased when the regions were chosen without these
    rows.

    Parameters
    ----------
    residual : array_like, shape (n,)
        Label (0 or 1) minus calibrated score.
    region : array_like of int, shape (n,)
        Region of each row.
    sample_weight : array_like, shape (n,), optional
        Sampling weights (a weight of 2 is not the row twice: two copies are not two draws).
    groups : array_like, shape (n,), optional
        Labels of people, hospitals, …; products within a group are left out.

    Returns
    -------
    GroupingLoss
        Its interval is for what these regions capture. The test knows how much labels vary if the scores are right:
        |residual| is the score c or 1 - c, either of which gives c (1 - c).

    Raises
    ------
    ValueError
        For lengths that differ, residuals outside of [-1, 1], negative regions, or no region with two independent rows.

    References
    ----------
    Melo et al. (2026), proposition 3 and equation 6; interval, test, weights and groups are ours.
    Plain: `helpers.papers.melo2026.equation_6`.

    Examples
    --------
    >>> grouping_loss_from_regions([0.5, 0.5, -0.5, -0.5], [0, 0, 1, 1]).value
    0.25
    """
    residual = check_residuals(residual)
    region = check_regions(region)
    weight = check_weights(sample_weight)
    groups = check_groups(groups)
    check_same_length(residual=residual, region=region, sample_weight=weight, groups=groups)
    check_effective(weight, groups)
    weight, groups, residual, region = sampled_rows(weight, groups, residual, region)
    return loss_of_regions(residual, region, weight, groups)


def loss_of_regions(residual, region, weight=None, groups=None):
    """`grouping_loss_from_regions` of columns that were checked."""
    part = squared_means(residual, region, weight, groups)
    if not part.n_regions:
        raise ValueError("region must leave two independent rows in at least one region, but no region has them.")
    return combine([part], float("nan"))


def grouping_loss(
    y,
    p,
    X,
    *,
    given="vector",
    ordered=False,
    method="crossfit",
    calibrator="platt",
    min_samples_leaf=15,
    max_depth=None,
    n_splits=1,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Lower bound of the grouping loss E (q - c)**2 of a score, without bins.

    A tree looks for people whose residuals y - c(p) agree; other people say how large the agreement really is.

    The interval holds the losses that a test of each would not reject (`helpers.grouping.inversion`), so it never
    contradicts the test of "no grouping loss". On ten populations with known truth (rare events, heavy tails, weights,
    people with several rows, …) it held what the regions capture in 95 to 98 % of the draws at 1,000 rows, in
    94 to 99 % at 4,000 and in 94 to 98 % at 20,000; the lower end was above it in 2 to 3 %
    (`bench/interval_coverage.py`). Other halves of the same rows give other regions, which capture more or less: the
    interval does not speak of that, but `n_splits` does.

    The test takes the variance of labels from the scores, c (1 - c), and allows for the skewness of rare events and for
    the calibrator's fit to the same rows, which makes the value a little too small
    (`helpers.grouping.fitted_scores`). Where the scores are right it alarms in 3 to 7 % of the draws, also where events
    are rare or rows depend on one another; in 1 to 3 % where events are rare and some groups are far more alike than
    the others.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels 0/1.
    p : array_like, shape (n,) or (n, K)
        Stated probabilities of class 1; or of each of K classes, in columns named by class (an array has them in the
        order of `numpy.unique(y)`, and `y` holds names of classes).
    X : DataFrame or array_like, shape (n, d)
        Features (numbers, booleans, categories, text, dates, missing values), see `helpers.partition.encoder`.
    given : "vector", "top" or a class, default "vector"
        Of several classes, what people must share to be compared. "vector": all K scores; the value is then
        E sum_k (q_k - c_k)**2, which of two classes is twice that of one. "top": the largest score, and the question is
        whether that class is right. A class: its own score, and the question is whether it came.
    ordered : bool, default False
        Whether the classes, in the order of the columns, are steps of a scale. The value is then the sum over all steps
        but the last of the loss of the cumulative probability, "at most this class": errors over several steps count
        more. Of two classes it is that of one.
    method : {"crossfit", "paper"}, default "crossfit"
        "crossfit": two halves; regions are chosen on one by the features and the score, and evaluated on the other,
        then the roles change. Every row is evaluated once. The evaluated residuals use a calibrator fitted on all rows.
        "paper": 10 % of the rows calibrate, 40 % choose regions by the features alone, 50 % evaluate. The noise of a
        calibrator from so few rows counts as grouping loss: below 10,000 rows a perfect model often fails the null
        test.
    calibrator : {"platt", "isotonic", "none"}, default "platt"
        "platt" works on log-odds; what it leaves uncalibrated counts as grouping loss.
    min_samples_leaf, max_depth : int
        Of the trees, in rows of the fitting part; no limit of depth by default.
    n_splits : int, default 1
        Random splits of the rows (`helpers.grouping.splits`): the value in the middle, with an interval and a test that
        hold for all of them together, at the price of some width. Takes as many times as long. Over 16 seeds on two
        tables (4,000 and 10,000 rows) the value of one split spread by 0.3 to 0.5 of its standard error, that of five
        by 0.1 to 0.35; by "paper" 0.6 and 0.3 to 0.4. Where the structure is hardly found (an interaction, 1,500 rows)
        it was 1.3 and 0.4 ("paper" 1.3 and 0.8).
    sample_weight : array_like, shape (n,), optional
        Sampling weights. Refused where they are worth fewer than 30 rows of equal weight: one heavy row is no sample.
    groups : array_like, shape (n,), optional
        Labels of people, hospitals, …, at least five: never split, and no pairs within a group.
    rng : int, Generator, optional
        Decides the halves and the trees.

    Returns
    -------
    GroupingLoss
        Smaller is better; `trees` tell the region of any row and say it in words.

    Raises
    ------
    ValueError
        For labels, scores, features, weights or groups that break a rule, or fewer than 4 * min_samples_leaf rows.

    References
    ----------
    Melo et al. (2026), section 3 and algorithm 1; the cross-fitted form, several classes and steps are ours.
    Plain, by the paper's method: `helpers.papers.melo2026.algorithm_1`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 2))
    >>> y = rng.random(4000) < np.where(X[:, 0] > 0, 0.8, 0.2)
    >>> print(grouping_loss(y, np.full(4000, 0.5), X, calibrator="none", rng=0))
    grouping loss 0.0865 [0.0789, 0.0946], n = 4,000 in 202 regions; p < 0.001
    """
    check_one_of(method, "method", ("crossfit", "paper"))
    make_calibrator(calibrator)  # refuses other names
    check_count(min_samples_leaf, "min_samples_leaf")
    if max_depth is not None:
        check_count(max_depth, "max_depth")
    check_count(n_splits, "n_splits")
    tree = HonestTree(min_samples_leaf=min_samples_leaf, max_depth=max_depth)
    if has_classes(p):
        from helpers.grouping.classes import class_grouping_loss  # which builds on this module

        if method == "paper":
            raise ValueError(f'p must be one column with method="paper", but its shape is {np.shape(p)}.')
        options = {"sample_weight": sample_weight, "groups": groups, "n_splits": n_splits, "rng": rng}
        options |= {"given": given, "ordered": ordered}
        return class_grouping_loss(y, p, X, calibrator=calibrator, tree=tree, **options)
    check_one_of(given, "given of one column", ("vector",))
    check_one_of(ordered, "ordered of one column", (False,))
    rows = check_rows(y, p, X, sample_weight, groups)
    return loss_of_rows(rows, method=method, calibrator=calibrator, tree=tree, n_splits=n_splits, rng=rng)


def loss_of_rows(rows, *, method="crossfit", calibrator="platt", tree=None, n_splits=1, rng=None):
    """`grouping_loss` of checked `Rows`; `tree` is unfitted, by default the one of `grouping_loss`."""
    tree = HonestTree(min_samples_leaf=15) if tree is None else tree
    least = 4 * tree.min_samples_leaf
    if rows.y.size < least:
        raise ValueError(f"y must have at least 4 * min_samples_leaf = {least} rows, but it has {rows.y.size}.")
    if method == "paper":
        split = partial(_paper_split, rows, calibrator)
    else:
        c = _calibrated(rows, calibrator, slice(None), slice(None))
        split = partial(_crossfit_split, rows, calibrator, CheckedTable(with_score_column(rows.X, rows.p)), c)
    fitted = method == "crossfit" and calibrator != "none"
    return repeat_splits(partial(_loss_of_split, rows, calibrator, tree, split, fitted), n_splits, rng)


def _paper_split(rows, calibrator, rng):
    """Calibrated scores, and what `_part` takes for the one tree: table, stated scores, rows to fit and evaluate."""
    calibrate, fit, evaluate = split_rows(rows.y, rows.groups, (0.1, 0.5), rng)
    c = _calibrated(rows, calibrator, calibrate, slice(None))
    return c, [(rows.X, c[fit], fit, evaluate)]


def _crossfit_split(rows, calibrator, table, c, rng):
    """Calibrated scores, and what `_part` takes for each of two trees: a half fits one and evaluates the other."""
    a, b = split_rows(rows.y, rows.groups, (0.5,), rng)
    return c, [(table, _calibrated(rows, calibrator, fit, fit), fit, evaluate) for fit, evaluate in ((a, b), (b, a))]


def _loss_of_split(rows, calibrator, tree, split, fitted, rng, tail):
    """The grouping loss by one random split; `fitted` says that the calibrator has seen the evaluated rows."""
    choosers = [clone(tree).set_params(rng=seed) for seed in rng.integers(2**31, size=2)]
    c, tasks = split(rng)
    jobs = [partial(_part, rows, c, chooser, *task) for chooser, task in zip(choosers, tasks, strict=False)]
    evaluated = side_by_side(jobs, rows.y.size)
    parts, trees, regions = zip(*evaluated, strict=True)
    if not all(part.n_regions for part in parts):
        raise ValueError("groups must leave two of them in at least one region of each part, but a part has no pair.")
    loss = gain = float("nan")
    if calibrator != "none":
        loss = float(np.average((rows.p - c) ** 2, weights=rows.weight))
        gain = float(np.average((rows.p - rows.y) ** 2 - (c - rows.y) ** 2, weights=rows.weight))
    fit = NO_FIT
    if fitted:
        fit = effect_of_fit(rows, c, [(task[-1], region) for task, region in zip(tasks, regions, strict=True)])
    return combine(parts, loss, trees, tail, fit, gain)


def _calibrated(rows, calibrator, fit, at):
    """Scores of the rows `at`, calibrated on the rows `fit`."""
    weight = None if rows.weight is None else rows.weight[fit]
    return calibrate_rows(calibrator, rows.p[fit], rows.y[fit], weight, rows.p[at])


def _part(rows, c, chooser, table, stated, fit, evaluate):
    """What regions found on the rows `fit` say about the rows `evaluate`, the tree, and these rows' regions."""
    # `stated` are the scores of the rows `fit` alone, `c` those of all rows
    weight = (None, None) if rows.weight is None else (rows.weight[fit], rows.weight[evaluate])
    of_fit, groups = (None, None) if rows.groups is None else (rows.groups[fit], rows.groups[evaluate])
    chooser.fit(CheckedTable(table, fit), rows.y[fit] - stated, weight[0], of_fit)
    region = chooser.apply(CheckedTable(table, evaluate))
    residual = rows.y[evaluate] - c[evaluate]
    valued = chooser.estimate_regions(region, residual, weight[1])
    return squared_means(residual, region, weight[1], groups), valued, region
