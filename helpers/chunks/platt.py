"""Platt's calibrator of rows that come in chunks: a pass for each of Newton's steps, or one in all for few scores."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from helpers.calibration.calibrators import CLIP, clipped_logit, level_start, logistic_terms, newton, ten_digits
from helpers.chunks.cells import Cells, Sums

FEW = 1000  # values of a score


class Counts(Cells):
    """Sums of the weights of each label and score; of a score with more than `FEW` values, of some rows only."""

    def __add__(self, other):
        return next((one for one in (self, other) if one.labels.size > FEW), None) or super().__add__(other)


@dataclass(frozen=True, eq=False)
class PlattStart(Sums):
    """What has to be known of all rows before the first step; x is the log-odds of the score."""

    _least = ("ends",)
    moments: np.ndarray  # (4, 2) rows, sums of w, w x and w x^2, for each label
    ends: np.ndarray  # (4,) lowest x and lowest -x of label 0, then of label 1; infinite where there are no rows
    counts: Counts

    @classmethod
    def of(cls, y, p, weight=None):
        """What some checked rows say; n = 0 is neutral."""
        x = clipped_logit(p)
        y = y.astype(int)
        one = np.ones_like(x)
        w = one if weight is None else weight
        moments = np.array([np.bincount(y, column, 2) for column in (one, w, w * x, w * x**2)])
        ends = [np.min(sign * x[y == label], initial=np.inf) for label in (0, 1) for sign in (1, -1)]
        rows = slice(2 * FEW if np.unique(p[: 2 * FEW]).size > FEW else None)
        return cls(moments, np.array(ends), Counts.of(y[rows], p[rows], w[rows]))

    def fit(self, evaluate):
        """Intercept and slope as `PlattCalibrator` fits them to all rows; ValueError for one class or one score."""
        rows, total, first, second = self.moments
        if not rows.all():
            raise ValueError("label must hold both classes in the chunks, or no calibrator can be fitted.")
        span = -np.minimum(*self.ends[1::2]) - np.minimum(*self.ends[::2])
        if span < 1e-9:
            raise ValueError(
                f"score must take at least two different values within [{CLIP:g}, 1 - {CLIP:g}], but all "
                f"{int(rows.sum()):,} rows of the chunks have one; a constant score has no curve to fit: "
                'use fit_partition(…, calibrator="none").'
            )
        (low0, high0), (low1, high1) = self.ends.reshape(2, 2) * [1, -1]
        targets = np.array([0.0, 1.0])
        if low1 >= high0 or high1 <= low0:  # one threshold tells the classes apart: Platt's smoothed labels
            targets = np.array([1 / (rows[0] + 2), (rows[1] + 1) / (rows[1] + 2)])
        n = rows.sum() / total.sum()
        center = first.sum() / total.sum()
        scale = np.sqrt(max(second.sum() / total.sum() - center**2, (1e-9 * span) ** 2))
        cells = self.counts
        if cells.labels.size <= FEW:
            evaluate = partial(PlattSums.of, cells.region, cells.labels[cells.group], cells.sums[0])

        def terms(beta):
            sums = evaluate(beta, center, scale, targets)
            return n * float(sums.loss), -n * sums.gradient, n * sums.curvature

        beta = newton(terms, level_start(targets @ total / total.sum()))
        return ten_digits(beta[0] - beta[1] * center / scale), ten_digits(beta[1] / scale)


@dataclass(frozen=True, eq=False)
class PlattSums(Sums):
    """What one step needs: sums of the logistic loss, of how fast it falls and of its curvature."""

    # eta = intercept + slope z, c = expit(eta), z = (logit(p) - center) / scale

    loss: np.ndarray  # () sum of w (log(1 + e^eta) - y eta)
    gradient: np.ndarray  # (2,) sums of w (y - c) and w (y - c) z
    curvature: np.ndarray  # (2, 2) sums of w c (1 - c) times 1, z and z^2

    @classmethod
    def of(cls, y, p, weight, beta, center, scale, targets):
        """Sums of some checked rows at `beta` = (intercept, slope); `targets` replace the labels 0 and 1."""
        y = np.where(y == 1, targets[1], targets[0])
        w = np.ones_like(p) if weight is None else weight
        z = (clipped_logit(p) - center) / scale
        loss, slope, curvature = logistic_terms(beta, z, y, w)
        return cls(np.array(loss), -slope, curvature)
