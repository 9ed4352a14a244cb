"""Affine calibration of K-class log scores, and its cross-validated predictions.

Source: Estienne, Ernst et al. (2026), equation 18 and appendix B.
"""

import numbers

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from helpers.calibration.calibrators import CLIP, LEAST_SPAN, newton
from helpers.checks import (
    check_classes,
    check_count,
    check_numbers,
    check_one_of,
    check_rng,
    check_same_length,
    check_weights,
)


class AffineCalibrator(ClassifierMixin, BaseEstimator):
    """Affine calibration of K-class log scores: softmax(scale * s + bias), maximum likelihood without a penalty.

    A scikit-learn classifier: X is the (n, K) table of log scores (posteriors or logits; adding a number to a row
    changes nothing), the classes are 0 .. K-1, one a column.

    A log score of minus infinity says that the class cannot come. Such a class has a level of its own: the rate at
    which it came among the rows that said so and one row more, to which the lowest score of that class on the line
    gives its chance. The line shares out the rest among the other classes, and is fitted to the rows of which one of
    these came. Rows that leave one class only have levels by that class.

    Parameters
    ----------
    bias : bool, default True
        Fit one offset a class; False is temperature scaling (temperature = 1 / scale), which keeps each row's order.

    Attributes
    ----------
    scale_ : float
        Below 1 says that the scores were too extreme, below 0 that they point the wrong way.
    bias_ : ndarray, shape (K,)
        Offsets that sum to zero.
    classes_ : ndarray of int, shape (K,)
        0 .. K-1.
    certain_scores_ : ndarray, shape (K + 1, K)
        Calibrated scores of classes (columns) that cannot come, in rows that leave one class only (a row for each) and
        in the others (the last row).
    separated_ : bool
        True where some scale and offsets put every row right (or level), or where a class came in no row of the line,
        so that no maximum likelihood exists; as in `PlattCalibrator`, a row of a class seen m times then counts as
        (m + 1) / (m + K) of its own class and as 1 / (m + K) of each other one.

    References
    ----------
    Estienne, Ernst et al. (2026), equation 18. Plain: `helpers.papers.ecuas2026.equation_18`,
    `helpers.papers.ecuas2026.equation_18_fit`.

    Examples
    --------
    >>> scores = np.log([[0.7, 0.3], [0.7, 0.3], [0.3, 0.7], [0.3, 0.7], [0.7, 0.3], [0.3, 0.7]])
    >>> AffineCalibrator().fit(scores, [0, 1, 1, 0, 0, 1]).predict_proba(scores)[0].round(3)
    array([0.667, 0.333])
    """

    def __init__(self, bias=True):
        self.bias = bias

    def fit(self, log_scores, y, sample_weight=None):
        """Fit scale and offsets.

        Parameters
        ----------
        log_scores : array_like, shape (n, K)
            Logits or log posteriors; minus infinity for a stated probability of 0.
        y : array_like of int, shape (n,)
            Classes 0 .. K-1.
        sample_weight : array_like, shape (n,), optional
            Sampling weights.

        Returns
        -------
        AffineCalibrator
            Itself.

        Raises
        ------
        ValueError
            If with `bias` a class is absent (its offset would be minus infinity), or if no row differs from the others
            (without `bias`: if every row is level), so that the scale is not determined.
        """
        scores = _check_log_scores(log_scores)
        n_classes = scores.shape[1]
        y = check_classes(y, n_classes)
        weight = check_weights(sample_weight)
        check_same_length(log_scores=scores, y=y, sample_weight=weight)
        if weight is not None:
            scores, y, weight = scores[weight > 0], y[weight > 0], weight[weight > 0]
            weight = weight / weight.mean()
        counts = np.bincount(y, weight, n_classes)
        if self.bias and not counts.all():
            raise ValueError(
                f"y must hold every class 0 .. {n_classes - 1} to fit an offset for each, but class "
                f"{np.argmin(counts)} is absent; bias=False (temperature scaling) does without."
            )
        never = _never(scores)
        centered = _centered(scores, never)
        line = slice(None) if never is None else _on_the_line(never, y)
        of_line = [None if column is None else column[line] for column in (centered, y, weight, never)]
        self._fit_line(*of_line)
        self.classes_ = np.arange(n_classes)
        can = True if never is None else ~never[line]
        lowest = self._line(of_line[0], of_line[-1]).min(axis=0, initial=np.inf, where=can)
        chance = np.where(np.isinf(lowest), counts / counts.sum(), lowest)
        same = np.tile(chance, (n_classes + 1, 1))
        self.certain_scores_ = same if never is None else _levels(never, y, weight, chance)
        return self

    def _fit_line(self, scores, y, weight, never):
        """Scale and offsets from rows of which a class came that can come."""
        n, n_classes = scores.shape
        self.scale_, self.bias_, self.separated_ = 1.0, np.zeros(n_classes), False
        if not n:
            return
        center = np.average(scores, axis=0, weights=weight) if self.bias else np.zeros(n_classes)
        sd = np.sqrt(np.average(np.mean((scores - center) ** 2, axis=1), weights=weight))
        if sd < 1e-9:
            if never is None:
                raise ValueError(
                    f"log_scores must {'differ between rows' if self.bias else 'not be level in every row'}."
                )
            sd = 1.0
        counts = np.bincount(y, weight, n_classes)
        target = np.eye(n_classes)
        has_no_offset = self.bias and not counts.all()
        self.separated_ = has_no_offset or _separated(scores, y, self.bias, never)
        if self.separated_:
            target = (target + 1 / np.maximum(counts, 1)[:, None]) / (1 + n_classes / np.maximum(counts, 1)[:, None])
        standardized = (scores - center) / sd  # of order 1: well conditioned from 0 on
        best = _maximum_likelihood(standardized, y, target, self.bias, weight, never)
        self.scale_ = float(best[0] / sd)
        self.bias_ = best[1:] - self.scale_ * center
        self.bias_ -= self.bias_.mean()

    def _line(self, centered, never):
        """Probabilities of the classes that can come, if one of these does."""
        z = self.scale_ * centered + self.bias_
        if never is not None:
            z[never] = -np.inf
        return softmax(z, axis=1)

    def predict_proba(self, log_scores):
        """Calibrated probabilities.

        Parameters
        ----------
        log_scores : array_like, shape (n, K)
            Logits or log posteriors.

        Returns
        -------
        ndarray, shape (n, K)
            Rows sum to 1.
        """
        check_is_fitted(self)
        scores = _check_log_scores(log_scores)
        if scores.shape[1] != self.bias_.size:
            raise ValueError(f"log_scores must have {self.bias_.size} columns as in fit, but it has {scores.shape[1]}.")
        never = _never(scores)
        proba = self._line(_centered(scores, never), never)
        if never is not None:
            level = np.where(never, self.certain_scores_[_kind(never)], 0.0)
            level /= np.maximum(1, level.sum(axis=1, keepdims=True) + 1e-9)  # a part stays for the others
            proba = level + (1 - level.sum(axis=1, keepdims=True)) * proba
        return proba

    def predict(self, log_scores):
        """The most probable class of each row.

        Parameters
        ----------
        log_scores : array_like, shape (n, K)
            Logits or log posteriors.

        Returns
        -------
        ndarray of int, shape (n,)
            Classes 0 .. K-1.
        """
        return self.predict_proba(log_scores).argmax(axis=1)


def _never(scores):
    """Which classes cannot come, (n, K); None where all can."""
    never = np.isneginf(scores)
    return never if never.any() else None


def _kind(never):
    """Row of `certain_scores_`: the class that is left, or K where there are several."""
    n_classes = never.shape[1]
    return np.where(never.sum(axis=1) == n_classes - 1, never.argmin(axis=1), n_classes)


def _on_the_line(never, y):
    """Rows of which a class came that can come, and was not the only one."""
    return ~never[np.arange(y.size), y] & (_kind(never) == never.shape[1])


def _levels(never, y, weight, chance):
    """Rates of classes that cannot come, by kind of row, and of one row more with the chances `chance` (K,)."""
    n_classes = chance.size
    kind = _kind(never)
    own = np.ones(y.size) if weight is None else weight
    cell = kind * n_classes + y
    hits = np.bincount(cell, own * never[np.arange(y.size), y], (n_classes + 1) * n_classes)
    rows = np.column_stack([np.bincount(kind, own * column, n_classes + 1) for column in never.T])
    return (hits.reshape(rows.shape) + chance) / (rows + 1)


def _maximum_likelihood(scores, y, target, bias, weight, never=None):
    """Scale and offsets (K + 1,) of least mean log loss of softmax(scale * scores + offsets)."""
    # `target` (K, K): the distribution that a row of each class stands for (the identity for plain labels)
    n, n_classes = scores.shape
    free = n_classes + 1 if bias else 1
    own = np.ones(n) if weight is None else weight
    if never is None:
        sums = np.array([np.bincount(y, own * column, n_classes) for column in scores.T]).T
        wanted = np.r_[np.vdot(target, sums), np.bincount(y, own, n_classes) @ target][:free] / n
        outside = None
    else:
        scores = np.where(never, 0.0, scores)
        target = np.where(never, 0.0, target[y])
        target *= (own / target.sum(axis=1))[:, None]
        wanted = np.r_[np.vdot(target, scores), target.sum(axis=0)][:free] / n
        outside = never.T
    columns = np.ascontiguousarray(scores.T)
    width = max(20_000 // n_classes, 1)
    cuts = [slice(start, start + width) for start in range(0, n, width)]
    parts = [(columns[:, cut], own[cut], None if outside is None else outside[:, cut]) for cut in cuts]
    fixed = np.zeros((free, free))
    fixed[1:, 1:] = 1 / n_classes  # offsets that rise together change nothing
    fixed.flat[:: free + 1] += 1e-14

    def terms(theta):
        of_parts = [_terms(theta, *part) for part in parts]
        loss, slope, curvature = (sum(term) / n for term in zip(*of_parts, strict=True))
        return loss - theta @ wanted, slope - wanted, curvature + fixed

    best = newton(terms, np.zeros(free), tol=1e-22)
    return best if bias else np.r_[best, np.zeros(n_classes)]


def _terms(theta, scores, weight, never=None):
    """Weighted sums over the columns of `scores` (K, m): log of the normaliser, slopes and curvature by `theta`."""
    # theta is the scale alone, or the scale and K offsets
    bias = theta.size > 1
    z = theta[0] * scores
    if bias:
        z += theta[1:, None]
    if never is not None:
        z[never] = -np.inf
    top = z.max(axis=0)
    proba = np.exp(z - top, out=z)
    total = proba.sum(axis=0)
    proba /= total
    mean = np.einsum("km,km->m", proba, scores)
    deviation = scores - mean
    weighted = proba * weight
    pull = weighted * deviation
    curvature = np.zeros((theta.size, theta.size))
    slope = np.zeros(theta.size)
    slope[0] = mean @ weight
    curvature[0, 0] = np.einsum("km,km", pull, deviation)
    if bias:
        slope[1:] = weighted.sum(axis=1)
        curvature[0, 1:] = curvature[1:, 0] = pull.sum(axis=1)
        curvature[1:, 1:] = np.diag(slope[1:]) - weighted @ proba.T
    return (top + np.log(total)) @ weight, slope, curvature


def _separated(scores, y, bias, never=None):
    """Whether scale = 1 or -1, with offsets if `bias`, gives no row's class less than another class."""
    # Offsets b exist if and only if b_k - b_j <= margin[j, k] can hold for all pairs: if no cycle has a negative sum.
    n_classes = scores.shape[1]
    order = np.argsort(y, kind="stable")
    present, starts = np.unique(y[order], return_index=True)
    gaps = scores[order]
    gaps = gaps[np.arange(len(y)), y[order]][:, None] - gaps
    none = np.zeros_like(gaps, dtype=bool) if never is None else never[order]  # nothing to be compared with
    for sign in (1, -1):
        margin = np.full((n_classes, n_classes), np.inf)
        margin[present] = np.minimum.reduceat(np.where(none, np.inf, sign * gaps), starts)
        np.fill_diagonal(margin, 0)
        for k in range(n_classes if bias else 0):  # shortest paths
            margin = np.minimum(margin, margin[:, [k]] + margin[[k]])
        if (np.diag(margin) if bias else margin).min() >= -1e-12 * np.abs(scores).max():
            return True
    return False


def cross_calibrate(log_scores, y, *, bias=True, n_folds=5, rng=42):
    """Calibrated probabilities of each row from an `AffineCalibrator` that was fitted on the other folds.

    Parameters
    ----------
    log_scores : array_like, shape (n, K)
        Logits or log posteriors.
    y : array_like of int, shape (n,)
        Classes 0 .. K-1.
    bias : bool, default True
        False for temperature scaling.
    n_folds : int, default 5
        Folds, stratified by class and shuffled.
    rng : int, Generator or None, default 42
        42 gives the folds of the paper's calibrated rows.

    Returns
    -------
    ndarray, shape (n, K)
        Rows of one fold share one map, so ranks and means of rows hold within a fold only.

    Raises
    ------
    ValueError
        For bad tables, and for a class with fewer rows than folds, which some fold would lack.

    References
    ----------
    Estienne, Ernst et al. (2026), appendix B.

    Examples
    --------
    >>> scores, y = np.log([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]] * 20), np.tile([0, 1, 1, 0], 20)
    >>> cross_calibrate(scores, y).shape
    (80, 2)
    """
    scores = _check_log_scores(log_scores)
    y = check_classes(y, scores.shape[1])
    check_same_length(log_scores=scores, y=y)
    check_one_of(bias, "bias", (True, False))
    n_folds = check_count(n_folds, "n_folds", least=2)
    counts = np.bincount(y, minlength=scores.shape[1])
    few = (counts < n_folds) & (bias | (counts > 0))
    if few.any():
        raise ValueError(
            f"y must hold at least n_folds = {n_folds} rows of every class, so that no fold lacks one, "
            f"but class {np.argmax(few)} has {counts[np.argmax(few)]}."
        )
    drawn = check_rng(rng).integers(2**31)
    seed = int(rng if isinstance(rng, numbers.Integral) else drawn)
    proba = np.empty_like(scores)
    for fit, rest in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(scores, y):
        proba[rest] = AffineCalibrator(bias=bias).fit(scores[fit], y[fit]).predict_proba(scores[rest])
    return proba


def _centered(scores, never):
    """Scores with the mean of each row moved to 0, which no softmax sees; 0 for a class that cannot come."""
    if never is None:
        return scores - scores.mean(axis=1, keepdims=True)
    can = ~never
    mean = scores.mean(axis=1, keepdims=True, where=can)
    return np.subtract(scores, mean, where=can, out=np.zeros_like(scores))


def _check_log_scores(log_scores):
    """Float copy of the table."""
    scores = check_numbers(log_scores, "log_scores")
    if scores.ndim != 2 or scores.shape[0] < 1 or scores.shape[1] < 2:
        raise ValueError(
            f"log_scores must be a table of rows and at least two classes, but its shape is {scores.shape}."
        )
    bad = ~np.isfinite(scores)
    if bad.any():
        never = np.isneginf(scores)
        bad &= ~never | never.all(axis=1, keepdims=True)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            "log_scores must be finite, or minus infinity beside a finite one, "
            f"but log_scores[{row}, {column}] is {scores[row, column]}."
        )
    largest = np.abs(scores).max(initial=0, where=np.isfinite(scores))
    if largest > 1e100:
        raise ValueError(f"log_scores must lie within -1e100 and 1e100, but the largest size is {largest:g}.")
    return scores


def calibrate_classes(P, code, weight, at):
    """The scores `at` (m, K), calibrated on the scores P (n, K) and the codes of their classes."""
    if (np.ptp(np.maximum(P, CLIP), axis=0) < LEAST_SPAN).all():
        raise ValueError(
            "p must take at least two different values, but all rows are the same; constant scores have no curve to "
            'fit: use calibrator="none".'
        )
    return AffineCalibrator().fit(log_of_stated(P), code, weight).predict_proba(log_of_stated(at))


def log_of_stated(P):
    """Logarithms of scores; minus infinity for those below 1e-6, which are taken for a stated 0."""
    P = np.asarray(P, dtype=float)
    return np.log(P, where=P >= CLIP, out=np.full_like(P, -np.inf))


def information_of_line(z, c, weight):
    """Z' W V Z of the K intercepts and the slope, with the covariances V = diag(c) - c c' of the labels."""
    weighted = weight[:, None] * c
    pulled = c * z - c * (c * z).sum(axis=1, keepdims=True)  # V z
    own = np.diag(weighted.sum(axis=0)) - weighted.T @ c
    cross = weight @ pulled
    return np.block([[own, cross[:, None]], [cross[None, :], np.array([[weight @ (pulled * z).sum(axis=1)]])]])
