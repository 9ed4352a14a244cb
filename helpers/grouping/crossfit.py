"""The grouping loss: what a calibrated score still gets wrong, because it gives one score to people with different
risks.

Unit: squared error of one class, E (q - c)**2. (Perez-Lebel et al. sum over two classes, and so does `glest`: twice
this value.)
"""

from functools import partial

import numpy as np
from sklearn.base import clone

from helpers._parallel import side_by_side
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
from helpers.grouping.classes import check_calibrator, loss_of_two, loss_of_vectors, yes_or_no
from helpers.grouping.fitted_scores import NO_FIT, effect_of_fit
from helpers.grouping.region_statistics import region_statistics
from helpers.grouping.result import combine
from helpers.grouping.splits import repeat_splits
from helpers.partition import HonestTree, split_rows
from helpers.partition.checked import CheckedTable, check_rows, with_score_column
from helpers.partition.class_rows import check_class_rows, has_classes


def grouping_loss_from_regions(residual, region, *, sample_weight=None, groups=None):
    """Debiased share of the grouping loss that a given partition captures.

    value = sum_j p_j (r_j^2 - v_j / n_j), for regions j with the share p_j of the rows, n_j rows, and residuals of mean
    r_j and variance v_j (`helpers.grouping.region_values`): unbiased when the regions were chosen without these rows.

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
    part = region_statistics(residual, region, weight, groups)  # its value: `squared_mean`, in region_values.py
    if not part.n_regions:
        raise ValueError("region must leave two independent rows in at least one region, but no region has them.")
    return combine([part], float("nan"))


def grouping_loss(
    y,
    p,
    X,
    *,
    given="joint",
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

    A tree looks for people whose residuals y - c(p) agree; other people say how large the agreement really is, by
    equation 6 as in `grouping_loss_from_regions`.

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
    given : "joint", "top" or a class, default "joint"
        Of several classes, what people must share to be compared. "joint": all K scores; the value is then
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
        if method == "paper":
            raise ValueError(f'p must be one column with method="paper", but its shape is {np.shape(p)}.')
        check_calibrator(calibrator)
        rows = check_class_rows(y, p, X, sample_weight, groups, ordered)
        return _loss_of_classes(rows, given, calibrator=calibrator, tree=tree, n_splits=n_splits, rng=rng)
    check_one_of(given, "given of one column", ("joint",))
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


def _part(rows, c, chooser, table, stated, fit, evaluate):
    """What regions found on the rows `fit` say about the rows `evaluate`, the tree, and these rows' regions."""
    # `stated` are the scores of the rows `fit` alone, `c` those of all rows
    weight = (None, None) if rows.weight is None else (rows.weight[fit], rows.weight[evaluate])
    of_fit, groups = (None, None) if rows.groups is None else (rows.groups[fit], rows.groups[evaluate])
    chooser.fit(CheckedTable(table, fit), rows.y[fit] - stated, weight[0], of_fit)
    region = chooser.apply(CheckedTable(table, evaluate))
    residual = rows.y[evaluate] - c[evaluate]
    valued = chooser.estimate_regions(region, residual, weight[1])
    part = region_statistics(residual, region, weight[1], groups)  # its value: `squared_mean`, in region_values.py
    return part, valued, region


def _paper_split(rows, calibrator, rng):
    """Calibrated scores, and what `_part` takes for the one tree: table, stated scores, rows to fit and evaluate."""
    calibrate, fit, evaluate = split_rows(rows.y, rows.groups, (0.1, 0.5), rng)
    c = _calibrated(rows, calibrator, calibrate, slice(None))
    return c, [(rows.X, c[fit], fit, evaluate)]


def _crossfit_split(rows, calibrator, table, c, rng):
    """Calibrated scores, and what `_part` takes for each of two trees: a half fits one and evaluates the other."""
    a, b = split_rows(rows.y, rows.groups, (0.5,), rng)
    return c, [(table, _calibrated(rows, calibrator, fit, fit), fit, evaluate) for fit, evaluate in ((a, b), (b, a))]


def _calibrated(rows, calibrator, fit, at):
    """Scores of the rows `at`, calibrated on the rows `fit`."""
    weight = None if rows.weight is None else rows.weight[fit]
    return calibrate_rows(calibrator, rows.p[fit], rows.y[fit], weight, rows.p[at])


def _loss_of_classes(rows, given, **options):
    """`grouping_loss` of checked `ClassRows`: of their whole vectors, or of one yes-or-no question about the class."""
    question = yes_or_no(rows, given)
    if question is not None:
        return loss_of_rows(question, **options)
    if rows.classes.size == 2:
        return loss_of_two(rows, loss_of_rows(rows.one_of_two(rows.y == 1, rows.P[:, 1]), **options))
    return loss_of_vectors(rows, **options)
