"""Sums of scores that are given row by row, and of what a Platt calibrator needs (for `helpers.chunks.sums`)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from helpers.calibration import clipped_logit
from helpers.calibration.calibrators import CLIP, level_start, newton, ten_digits
from helpers.checks import check_labels, check_probabilities, check_same_length, check_vector
from helpers.chunks.cells import Cells, Sums, raw_weights, some


@dataclass(frozen=True, eq=False)
class ScoreSums(Sums):
    """Sums of scores that are given row by row (Brier, log score, costs, …), enough for their means and intervals.

    Parameters
    ----------
    names : tuple of str
        Names of the k scores.
    count : int
        Rows with a weight.
    weights : ndarray, shape (2,)
        Sums of w and w^2.
    moments : ndarray, shape (3, k)
        Sums of w s, w^2 s and w^2 s^2.
    cells : Cells or None
        Sums of w and w s of each group.

    Examples
    --------
    >>> total = ScoreSums.of({"brier": [0.0, 0.5]}) + ScoreSums.of({"brier": [0.25]})
    >>> total.mean, print(total)
    brier 0.2500 [0.0190, 0.4810], n = 3
    ({'brier': 0.25}, None)
    """

    _same = ("names",)
    names: tuple
    count: int
    weights: np.ndarray
    moments: np.ndarray
    cells: Cells | None = None

    @classmethod
    def of(cls, scores, *, sample_weight=None, groups=None):
        """Sums of some rows; `scores` is a dict of (n,) columns, which may hold infinity; n = 0 is neutral."""
        columns = {name: some(column, check_vector, name) for name, column in scores.items()}
        weight = raw_weights(sample_weight)
        check_same_length(**(columns | {"sample_weight": weight, "groups": groups}))
        table = np.array(list(columns.values()))
        w = np.ones(table.shape[1]) if weight is None else weight
        weighted = np.multiply(w, table, out=np.zeros_like(table), where=w > 0)
        moments = np.array([weighted.sum(axis=1), (w * weighted).sum(axis=1), (weighted**2).sum(axis=1)])
        cells = None
        if groups is not None:
            cells = Cells.of(np.zeros(w.size, np.int64), groups, w, *weighted)
        return cls(tuple(scores), int((w > 0).sum()), np.array([w.sum(), (w * w).sum()]), moments, cells)

    @property
    def mean(self):
        """Weighted mean of each score; ValueError without rows."""
        return dict(zip(self.names, self._means().tolist(), strict=True))

    def _means(self):
        if not self.weights[0] > 0:
            raise ValueError("sums must hold at least one row with a weight, but they hold none.")
        return self.moments[0] / self.weights[0]

    @property
    def se(self):
        """Standard error of each mean; NaN where the mean is infinite."""
        mean = self._means()
        total, squares = self.weights
        with np.errstate(invalid="ignore"):
            if self.cells is None:
                variance = self.moments[2] - 2 * mean * self.moments[1] + mean**2 * squares
            else:
                weight, *sums = self.cells.sums
                variance = ((np.array(sums) - mean[:, None] * weight) ** 2).sum(axis=1)
            se = np.sqrt(np.maximum(variance, 0)) / total
        return dict(zip(self.names, se.tolist(), strict=True))

    def __str__(self):
        rows = ((name, mean, 1.96 * self.se[name]) for name, mean in self.mean.items())
        spans = [f"{name} {mean:.4f} [{mean - reach:.4f}, {mean + reach:.4f}]" for name, mean, reach in rows]
        return f"{', '.join(spans)}, n = {self.count:,}"


@dataclass(frozen=True, eq=False)
class PlattStart(Sums):
    """What a Platt calibrator needs to know of all rows before its first step; x is the log-odds of the score.

    Parameters
    ----------
    moments : ndarray, shape (4, 2)
        Rows, sums of w, w x and w x^2, for each label.
    ends : ndarray, shape (4,)
        Lowest x and lowest -x of label 0, then of label 1; infinite where there are no rows.

    Examples
    --------
    >>> (PlattStart.of([0, 1], [0.3, 0.6]) + PlattStart.of([1], [0.8])).rows
    3
    """

    _least = ("ends",)
    moments: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, y, p, *, sample_weight=None):
        """What some rows say; n = 0 is neutral."""
        y, p, w = _checked(y, p, sample_weight)
        y = y[w > 0].astype(int)
        x = clipped_logit(p[w > 0])
        w = w[w > 0]
        moments = np.array([np.bincount(y, column, 2) for column in (np.ones_like(w), w, w * x, w * x**2)])
        ends = [np.min(sign * x[y == label], initial=np.inf) for label in (0, 1) for sign in (1, -1)]
        return cls(moments, np.array(ends))

    @property
    def rows(self):
        """Number of rows with a weight."""
        return int(self.moments[0].sum())

    def fit(self, evaluate):
        """Intercept and slope, as `PlattCalibrator` fits them to all rows; ValueError where they lack a class or
        have one score.

        `evaluate(beta, center, scale, targets)` returns the `PlattSums` of all rows at that place.
        """
        rows, total, first, second = self.moments
        if not rows.all():
            raise ValueError("label must hold both classes in the chunks, or no calibrator can be fitted.")
        spread = -np.minimum(*self.ends[1::2]) - np.minimum(*self.ends[::2])
        if spread < 1e-9:
            raise ValueError(
                f"score must take at least two different values within [{CLIP:g}, 1 - {CLIP:g}], "
                f"but all {self.rows:,} rows of the chunks have one; a constant score has no curve to fit: "
                'use fit_partition(…, calibrator="none").'
            )
        (low0, high0), (low1, high1) = self.ends.reshape(2, 2) * [1, -1]
        targets = np.array([0.0, 1.0])
        if low1 >= high0 or high1 <= low0:  # one threshold tells the classes apart: Platt's smoothed labels
            targets = np.array([1 / (rows[0] + 2), (rows[1] + 1) / (rows[1] + 2)])
        n = rows.sum() / total.sum()
        center = first.sum() / total.sum()
        scale = np.sqrt(max(second.sum() / total.sum() - center**2, (1e-9 * spread) ** 2))

        def terms(beta):
            if beta[1] == 0:  # every row has the same calibrated score: these sums are enough
                sums = self._at_rest(beta[0], center, scale, targets)
            else:
                sums = evaluate(beta, center, scale, targets)
            return n * float(sums.loss), -n * sums.gradient, n * sums.curvature

        beta = newton(terms, level_start(targets @ total / total.sum()))
        return ten_digits(beta[0] - beta[1] * center / scale), ten_digits(beta[1] / scale)

    def _at_rest(self, intercept, center, scale, targets):
        _, total, first, second = self.moments
        z = (first - center * total) / scale
        zz = (second - 2 * center * first + center**2 * total) / scale**2
        c = expit(intercept)
        loss = np.logaddexp(0, intercept) - targets * intercept
        gradient = np.array([(targets - c) @ total, (targets - c) @ z])
        curvature = np.array([[total.sum(), z.sum()], [z.sum(), zz.sum()]]) * c * (1 - c)
        return PlattSums(loss @ total, gradient, curvature)


@dataclass(frozen=True, eq=False)
class PlattSums(Sums):
    """Logistic loss of a Platt calibrator, how fast it falls and its curvature: what one Newton step needs of all rows.

    With eta = intercept + slope z, c = expit(eta) and z = (logit(p) - center) / scale:

    Parameters
    ----------
    loss : ndarray, shape ()
        Sum of w (log(1 + e^eta) - y eta).
    gradient : ndarray, shape (2,)
        Sums of w (y - c) and w (y - c) z.
    curvature : ndarray, shape (2, 2)
        Sums of w c (1 - c) times 1, z and z^2.

    Examples
    --------
    >>> PlattSums.of([0, 1], [0.3, 0.6], (0.0, 1.0)).gradient.round(2)
    array([0.1 , 0.42])
    """

    loss: np.ndarray
    gradient: np.ndarray
    curvature: np.ndarray

    @classmethod
    def of(cls, y, p, beta, *, center=0.0, scale=1.0, targets=(0.0, 1.0), sample_weight=None):
        """Sums of some rows at `beta` = (intercept, slope); `targets` replace the labels 0 and 1; n = 0 is neutral."""
        y, p, w = _checked(y, p, sample_weight)
        y = np.where(y == 1, targets[1], targets[0])
        z = (clipped_logit(p) - center) / scale
        eta = beta[0] + beta[1] * z
        c = expit(eta)
        residual = w * (y - c)
        curved = w * c * (1 - c)
        a = curved.sum()
        b = curved @ z
        d = curved @ (z * z)
        loss = np.dot(w, np.logaddexp(0, eta) - y * eta)
        return cls(np.array(loss), np.array([residual.sum(), residual @ z]), np.array([[a, b], [b, d]]))


def _checked(y, p, weight):
    y = some(y, check_labels)
    p = some(p, check_probabilities)
    weight = raw_weights(weight)
    check_same_length(y=y, p=p, sample_weight=weight)
    return y, p, np.ones_like(p) if weight is None else weight
