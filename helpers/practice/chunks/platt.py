"""Platt's calibrator of rows that come in chunks: a pass for each of Newton's steps, or one in all for few scores."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from helpers.calibration.calibrators import (
    CLIP,
    LEAST_SPAN,
    certain_scores,
    clipped_logit,
    ends_beside,
    is_certain,
    level_start,
    logistic_terms,
    newton,
    ten_digits,
)
from helpers.practice.chunks.cells import Cells, Sums

FEW = 1000  # values of a score


class Counts(Cells):
    """Sums of the weights of each label and score; of a score with more than `FEW` values, of some rows only."""

    def __add__(self, other):
        return next((one for one in (self, other) if one.labels.size > FEW), None) or super().__add__(other)


@dataclass(frozen=True, eq=False)
class PlattStart(Sums):
    """What has to be known of all rows before the first step; x is the log-odds of the score."""

    _least = ("ends",)
    moments: np.ndarray  # (4, 2) rows, sums of w, w x and w x^2, for each label, of scores that have log-odds
    ends: np.ndarray  # (4,) their lowest x and lowest -x of label 0, then of label 1; infinite where there are no rows
    certain: np.ndarray  # (2, 2, 2) rows and sums of w at scores of 0 and 1, for each label
    counts: Counts

    @classmethod
    def of(cls, y, p, weight=None):
        """What some checked rows say; n = 0 is neutral."""
        y = y.astype(int)
        w = np.ones_like(p) if weight is None else weight
        inner = ~is_certain(p)
        certain = [
            [np.bincount(y[end], column[end], 2) for column in (np.ones_like(p), w)] for end in ends_beside(inner, p)
        ]
        rows = slice(2 * FEW if np.unique(p[: 2 * FEW]).size > FEW else None)
        counts = Counts.of(y[rows], p[rows], w[rows])
        x, y, w = clipped_logit(p[inner]), y[inner], w[inner]
        moments = np.array([np.bincount(y, column, 2) for column in (np.ones_like(x), w, w * x, w * x**2)])
        ends = [np.min(sign * x[y == label], initial=np.inf) for label in (0, 1) for sign in (1, -1)]
        return cls(moments, np.array(ends), np.array(certain), counts)

    @property
    def has_line(self):
        """Whether scores that have log-odds tell a line, as `on_the_line` asks of rows."""
        return bool(self.moments[0].all()) and _span(self.ends) >= LEAST_SPAN

    def with_certain(self):
        """The same with scores of 0 and 1 on the line, where they are cut."""
        moments = self.moments
        ends = self.ends.copy()
        for x, (rows, weight) in zip(clipped_logit(np.array([0.0, 1.0])), self.certain, strict=True):
            moments = moments + np.array([rows, weight, weight * x, weight * x**2])
            for label in np.flatnonzero(rows):
                ends[2 * label :][:2] = np.minimum(ends[2 * label :][:2], [x, -x])
        return PlattStart(moments, ends, np.zeros_like(self.certain), self.counts)

    def fit(self, evaluate):
        """(intercept, slope), levels as `PlattCalibrator` fits them to all rows; ValueError for one class or score."""
        if not self.has_line and self.certain.any():
            return self.with_certain().fit(evaluate)
        rows, total, first, second = self.moments
        if not rows.all():
            raise ValueError("label must hold both classes in the chunks, or no calibrator can be fitted.")
        span = _span(self.ends)
        if span < LEAST_SPAN:
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
        scale = np.sqrt(max(second.sum() / total.sum() - center**2, (LEAST_SPAN * span) ** 2))
        apart = bool(self.certain.any())  # whether scores of 0 and 1 have levels of their own
        cells = self.counts
        if cells.labels.size <= FEW:
            evaluate = partial(PlattSums.of, cells.region, cells.labels[cells.group], cells.sums[0])

        def terms(beta):
            sums = evaluate(beta, center, scale, targets, apart)
            return n * float(sums.loss), -n * sums.gradient, n * sums.curvature

        beta = newton(terms, level_start(targets @ total / total.sum()))
        intercept, slope = ten_digits(beta[0] - beta[1] * center / scale), ten_digits(beta[1] / scale)
        all_rows, all_weight = self.certain.sum(axis=(0, 2)) + self.moments[:2].sum(axis=1)
        hits = self.certain[:, 1] * all_rows / all_weight  # weights have a mean of 1
        chances = expit(intercept + slope * np.array([min(low0, low1), max(high0, high1)]))
        return (intercept, slope), certain_scores([(end.sum(), end[1]) for end in hits], chances)


def _span(ends):
    """Range of x from the lowest x and -x of each label."""
    return -np.minimum(*ends[1::2]) - np.minimum(*ends[::2])


@dataclass(frozen=True, eq=False)
class PlattSums(Sums):
    """What one step needs: sums of the logistic loss, of how fast it falls and of its curvature."""

    # eta = intercept + slope z, c = expit(eta), z = (logit(p) - center) / scale

    loss: np.ndarray  # () sum of w (log(1 + e^eta) - y eta)
    gradient: np.ndarray  # (2,) sums of w (y - c) and w (y - c) z
    curvature: np.ndarray  # (2, 2) sums of w c (1 - c) times 1, z and z^2

    @classmethod
    def of(cls, y, p, weight, beta, center, scale, targets, apart):
        """Sums of some checked rows at `beta` = (intercept, slope); `targets` replace the labels 0 and 1.

        `apart`: without scores of 0 and 1.
        """
        if apart:
            inner = ~is_certain(p)
            y, p, weight = y[inner], p[inner], None if weight is None else weight[inner]
        y = np.where(y == 1, targets[1], targets[0])
        w = np.ones_like(p) if weight is None else weight
        z = (clipped_logit(p) - center) / scale
        loss, slope, curvature = logistic_terms(beta, z, y, w)
        return cls(np.array(loss), -slope, curvature)
