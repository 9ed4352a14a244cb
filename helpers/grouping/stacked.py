"""The grouping loss by several kinds of learners at once: a closer lower bound than one partition gives.

Unit: squared error of one class, E (q - c)**2, as in `helpers.grouping.crossfit`.
"""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy.stats import norm
from sklearn.model_selection import GroupKFold, KFold

from helpers._result import Result
from helpers.calibration.calibrators import calibrate_rows, make_calibrator
from helpers.checks import check_count
from helpers.grouping.features import Features
from helpers.grouping.inversion import TAIL
from helpers.grouping.learners import NAMES, combine_out_of_fold, predict_out_of_fold, regions_out_of_fold
from helpers.grouping.region_statistics import region_statistics
from helpers.grouping.splits import repeat_splits, splits_note
from helpers.partition.checked import check_rows, with_score_column
from helpers.partition.levels import folds_of_rows, pooled_note
from helpers.resampling import mean_and_variance

LEAST_VARIANCE = 1e-3  # of a label, c (1 - c), when residuals are divided by it

LEAST_ROWS = 60

EVALUATED = 15  # rows of a region in the fold that is judged, about

BINS = 16  # of the scores, within which rows count as having one variance


@dataclass(frozen=True)
class StackedGroupingLoss(Result):
    """Lower bound of the grouping loss from out-of-fold predictions of y - c, in squared error (0 is best).

    Parameters
    ----------
    value, se, low, high : float
        Estimate (slightly negative by luck), its standard error, and 95 % interval of what these predictions capture;
        claim "at least `low`".
    p_value, null_se : float
        One-sided test of "no grouping loss", below 0.025 exactly where `low` is above 0; standard error of the tested
        mean if that were so.
    direct, rest : float
        Mean of 2 g r - g**2, and what regions find in r - g; value = direct + rest, or `low` where that is more.
    calibration_loss : float
        Mean (p - c)**2 of the fitted calibrator; NaN without one.
    n : int
        Rows that were evaluated.
    learners, weights : tuple of str, ndarray
        Names, and the mean weight of each in the combination.
    residual : ndarray, shape (n,)
        Out-of-fold estimate of q - c for each row; NaN for rows of weight 0.
    splits : ndarray, shape (S,)
        Values of repeated foldings (`n_splits`), of which the middle one is `value`; empty without repetition.
    pooled : tuple of Pooled
        Columns of which rare levels were one (`helpers.partition.levels`).

    Examples
    --------
    See `stacked_grouping_loss`.
    """

    value: float
    se: float
    low: float
    high: float
    p_value: float
    null_se: float
    direct: float
    rest: float
    calibration_loss: float
    n: int
    learners: tuple
    weights: np.ndarray = field(repr=False)
    residual: np.ndarray = field(repr=False)
    splits: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    pooled: tuple = ()

    def __str__(self):
        p_value = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        used = int((self.weights > 0).sum())
        return (
            f"grouping loss {self.value:.4f} [{self.low:.4f}, {self.high:.4f}], "
            f"n = {self.n:,} with {used} of {len(self.learners)} learners; {p_value}{splits_note(self.splits)}"
            f"{pooled_note(self.pooled)}"
        )


def stacked_grouping_loss(
    y, p, X, *, calibrator="platt", n_folds=5, n_splits=1, sample_weight=None, groups=None, rng=None
):
    """Lower bound of the grouping loss E (q - c)**2 of a score from learners of several kinds.

    value = mean(2 g r - g**2) + rest, r = y - c, g the prediction of r for a row by learners fitted on other folds.
    For any g made without the row's label, E[2 g r - g**2] = E (q - c)**2 - E (g - (q - c))**2: what g misses is
    subtracted, so this is a lower bound, and the closer the better g predicts. Boosted trees, splines, kernels
    and k-means regions (`helpers.grouping.learners`) predict; the other folds decide with which weights, none below
    0, they are added. `rest` gives back a part of what g missed, never more: the debiased squared means of r - g
    (equation 6 of Melo et al.) in the regions of a tree that other folds have grown.

    - Interval: normal, from the rows' (or groups') terms and the variance of the rest. It is for what is captured.
    - Test: mean(m r), m the plain mean of all learners, which no label has weighted. Folds learn from one another, so
      its variance under "nothing to find" is up to twice the sum of squares of m r: that bound is used. The test has
      a lower bound of its own, (mean(m r) - 1.96 se)^2 / mean(m^2): `low` is the larger of the two where p < 0.025,
      and at most 0 elsewhere, so that the interval and the test say the same.
    - Independence holds within a fold, not between folds. In 300 perfect models of 1,000 rows the mean value was
      -0.0004, `low` above 0 in 2 % and the 5 % test rejected in 4 %.

    Time: 2 s of one core for 10,000 rows x 10 columns, 10 s for 100,000, 84 s and 0.8 GB for a million. Trees of the
    folds run through joblib (`joblib.parallel_config(n_jobs=2)`), with the same answer for any number of workers.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    X : DataFrame or array_like, shape (n, d)
        Features (numbers, booleans, categories, text, dates, missing values), see `helpers.partition.encoder`.
    calibrator : {"platt", "isotonic", "none"}, default "platt"
        "platt" works on log-odds; what it leaves uncalibrated counts as grouping loss.
    n_folds : int, default 5
        At least 2.
    n_splits : int, default 1
        Random foldings (`helpers.grouping.splits`): the value in the middle, with an interval and a test that hold for
        all of them together, at the price of some width. Takes as many times as long.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, …: never split; the standard errors add up groups.
    rng : int, Generator, optional
        Decides the folds and the learners.

    Returns
    -------
    StackedGroupingLoss
        Smaller is better.

    Raises
    ------
    ValueError
        For labels, scores, features, weights or groups that break a rule, fewer than 60 rows, fewer groups than
        folds, or too few rows of one class.

    References
    ----------
    Ours; stacking with weights that are not negative is Breiman's (1996).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> y = rng.random(1000) < np.where(X[:, 0] > 0, 0.8, 0.2)
    >>> gl = stacked_grouping_loss(y, np.full(1000, 0.5), X, calibrator="none", rng=0)
    >>> gl.low < 0.09 < gl.high, gl.p_value < 0.001
    (True, True)
    """
    rows = check_rows(y, p, X, sample_weight, groups)
    make_calibrator(calibrator)  # refuses other names
    check_count(n_folds, "n_folds", least=2)
    check_count(n_splits, "n_splits")
    if rows.y.size < LEAST_ROWS:
        raise ValueError(f"y must have at least {LEAST_ROWS} rows, but it has {rows.y.size}.")
    return stacked_loss_of_rows(rows, calibrator=calibrator, n_folds=n_folds, n_splits=n_splits, rng=rng)


def stacked_loss_of_rows(rows, *, calibrator="platt", n_folds=5, n_splits=1, rng=None):
    """`stacked_grouping_loss` of `helpers.partition.checked.Rows`."""
    c = calibrate_rows(calibrator, rows.p, rows.y, rows.weight, rows.p)
    table = with_score_column(rows.X, rows.p)
    return repeat_splits(partial(_loss_of_folding, rows, table, c, calibrator, n_folds), n_splits, rng)


def _loss_of_folding(rows, table, c, calibrator, n_folds, rng, tail):
    """The grouping loss of calibrated scores `c` by one random folding; `table` holds the features and the score."""
    y = rows.y
    p = rows.p
    weight = rows.weight
    groups = rows.groups
    fold = random_folds(y, groups, n_folds, rng)
    seed = int(rng.integers(2**31))
    w = np.ones(y.size) if weight is None else weight / weight.mean()
    columns, c_out, region, pooled = _out_of_fold(y, p, table, w, fold, calibrator, seed, groups)
    r = y - c
    g, parts = combine_out_of_fold(columns, r, w, fold)
    g = np.clip(g, -c_out, 1 - c_out)
    loss = float("nan") if calibrator == "none" else float(np.average((p - c) ** 2, weights=w))
    rest = _rest(r - g, region, fold, weight, groups)
    judged = _judged(r, g, columns.mean(axis=1), rest, w, groups, loss, parts.mean(axis=0), rows.kept, tail)
    return replace(judged, pooled=pooled, residual=rows.with_copies(judged.residual))


def _rest(residual, region, fold, weight, groups):
    """Debiased squared region means of what the predictions leave, and their variance: a mean over the folds."""
    value = 0.0
    variance = 0.0
    for j in range(fold.max() + 1):
        rows = fold == j
        w, own = (None if column is None else column[rows] for column in (weight, groups))
        part = region_statistics(residual[rows], region[rows], w, own)
        share = rows.mean() if weight is None else w.sum() / weight.sum()
        value += share * part.value
        variance += share**2 * part.variance
    return value, variance


def _judged(r, g, plain, rest, w, groups, calibration_loss, weights, kept, tail=TAIL):
    """Value, interval and test from residuals, their predictions, the plain mean of the learners and the rest."""
    terms = 2 * g * r - g**2
    direct, variance = mean_and_variance(terms, w, groups)
    value = direct + float(rest[0])
    se = float(np.sqrt(variance + rest[1]))
    errors = float(norm.isf(tail))
    half_width = errors * se
    tested, null_se, p_value = joint_test(plain, r, w, groups)
    low, value = _agreed(value, value - half_width, tested - errors * null_se, plain, w)
    residual = np.full(kept.size, np.nan)
    residual[kept] = g
    return StackedGroupingLoss(
        value=value,
        se=se,
        low=low,
        high=max(value + half_width, 0.0),
        p_value=p_value,
        null_se=null_se,
        direct=direct,
        rest=float(rest[0]),
        calibration_loss=calibration_loss,
        n=r.size,
        learners=NAMES,
        weights=weights,
        residual=residual,
    )


def joint_test(plain, residual, weight, groups):
    """Mean product of residuals and out-of-fold predictions, its se under "nothing to find", the one-sided p-value."""
    # `plain` is the mean of all learners, which no label has weighted. Folds learn from one another, so that the
    # variance is up to twice the sum of squares: that bound is used.
    products = np.bincount(np.arange(residual.size) if groups is None else groups, weight * plain * residual)
    mean = float(products.sum() / weight.sum())
    null_se = float(np.sqrt(2 * (products @ products)) / weight.sum())
    return mean, null_se, float(norm.sf(mean / null_se)) if null_se > 0 else 1.0


def label_variance(c):
    """Variance of labels of probability c, at least `LEAST_VARIANCE`."""
    return np.maximum(c * (1 - c), LEAST_VARIANCE)


def _agreed(value, low, tested_low, plain, w):
    """Lower end and value that agree with the test of mean(m r), whose own lower end is `tested_low`."""
    # E[m r] = E[m (q - c)] is at most the root of E m^2 times the grouping loss (Cauchy and Schwarz).
    if not tested_low > 0:
        return min(low, 0.0), value
    low = max(low, float(tested_low**2 / np.average(plain**2, weights=w)))
    return low, max(value, low)


def random_folds(y, groups, n_folds, rng):
    """Random fold of each row, (n,) int; groups stay whole; the rows outside each fold hold both classes."""
    units = y.size if groups is None else int(groups.max()) + 1
    if groups is None and units < n_folds:
        raise ValueError(f"n_folds must be at most the number of rows with a weight, {units:,}, but it is {n_folds:,}.")
    if units < n_folds:
        raise ValueError(f"groups must be at least n_folds = {n_folds}, but there are {units}.")
    splitter = KFold if groups is None else GroupKFold
    fold = np.empty(y.size, int)
    ones = int(y.sum())
    for _ in range(100):
        split = splitter(n_folds, shuffle=True, random_state=int(rng.integers(2**31))).split(y, y, groups)
        for j, (_, inside) in enumerate(split):
            fold[inside] = j
        size = np.bincount(fold, minlength=n_folds)
        hits = np.bincount(fold, y, n_folds)
        if ((ones - hits > 0) & (ones - hits < y.size - size)).all():
            return fold
    raise ValueError(
        f"y must hold both classes outside each of {n_folds} random folds, but it has {ones:,} ones in all."
    )


def _out_of_fold(y, p, table, weight, fold, calibrator, seed, groups=None):
    """From the rows of other folds, for each row: predicted residuals, calibrated score, tree region; levels pooled."""
    folds = np.arange(fold.max() + 1)
    c = np.column_stack([_calibrated(y, p, weight, fold != j, calibrator) for j in folds])
    v = label_variance(c)
    residual = y[:, None] - c
    inner = folds_of_rows(table, groups)
    features, index = Features.of_table(table, weight, seed)
    cuts = np.quantile(p, np.arange(1, BINS) / BINS, method="lower")
    bin_of_row = np.searchsorted(np.unique(cuts), p)
    columns = predict_out_of_fold(features, index, residual, v, bin_of_row, weight, fold, inner)
    region = regions_out_of_fold(features, index, residual, weight, fold, inner, EVALUATED * folds[-1])
    own = (np.arange(y.size), fold)
    return v[own][:, None] * columns, c[own], region, features.encoder_.pooled_


def _calibrated(y, p, weight, rows, calibrator):
    """All scores, calibrated on some of the rows."""
    return calibrate_rows(calibrator, p[rows], y[rows], weight[rows], p)
