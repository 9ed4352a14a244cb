"""Scores that need no more than recalibration: standardised gaps of segments, and their largest in drawn tables."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from helpers.calibration.calibrators import calibrate_rows, clipped_logit, newton, platt_directions

BLOCK = 64  # tables drawn at once, fewer where there are many rows or segments
STEPS = 12  # levels of an isotonic curve that count as fitted anew in each draw
MOST_SKEWNESS = 3.0  # of a gap that is corrected for it: that of a ninth of an expected event
LEAST_VARIANCE = 1e-12  # of a gap: scores of 0 and 1 leave none
POWER_80 = 0.8416  # normal quantile: how far a gap must be beyond the critical value to be found in 80 % of tables


@dataclass(frozen=True)
class Chances:
    """What the gap of a segment needs to be found, by its share of the rows."""

    mean: float
    variance: float
    rows: float
    skewed: bool

    def detectable(self, share, critical):
        """Gap in a segment with this share of rows whose z is beyond `critical` in 80 % of tables; at most 1 - mean."""
        most = 1 - self.mean
        if not self._beyond(most, share, critical) > 0:
            return most
        return float(brentq(self._beyond, 0.0, most, args=(share, critical)))

    def _beyond(self, gap, share, critical):
        """By how many standard errors, less those of 80 %, a gap is expected beyond the critical value."""
        # Recalibration adds share * gap to all scores: that much of the gap is lost, and the variance which the gap is
        # compared with grows. The true variance is that of the labels of the segment and of the others.
        others = 1 - share
        expected = self._variance(share * gap)
        true = others * self._variance(gap) + share * self.variance
        if self.skewed:
            bend = 1 - 2 * (self.mean + share * gap)
            skewness = bend * (others - share) / np.sqrt(expected * self.rows * share * others)
            critical = skewed_from(critical, skewness)
        seen = gap * np.sqrt(self.rows * share * others / expected)
        return (seen - critical) * np.sqrt(expected / true) - POWER_80

    def _variance(self, gap):
        """Mean variance of labels whose probabilities are higher by a gap."""
        return max(self.variance + gap * (1 - 2 * self.mean - gap), 1e-12)


class NullModel:
    """Standardised gaps of all segments of a family."""

    # A gap is the sum over a segment of weight * (y - c), c the recalibrated score. Its variance is that of labels
    # drawn from c, after the calibrator has been fitted to them as well: one Newton step from the fit, whose direction
    # z (1 and the log-odds) is projected out of the segment.

    def __init__(self, y, p, weight, groups, family, calibrator):
        self.y = y
        self.weight = weight / weight.mean()
        self.groups = groups
        self.family = family
        self.c, self.tangent = _calibrated(y, p, self.weight, calibrator)
        self._measure(p)
        sums = ResidualSums(self, self.c, self.tangent)
        self.sums = sums
        self.variance = sums.variance
        if groups is not None:
            self._allow_for_groups()
        self.z = self.standardised(sums.residual)

    @property
    def independent(self):
        """Whether no rows depend on each other."""
        return self.groups is None

    def _measure(self, p):
        """Rates of the segments."""
        weight = self.weight
        columns = np.column_stack([np.ones_like(p), weight, weight * p, weight * self.c, weight * self.y])
        self.n, self.total, *rates = self.family.sums(columns).T
        self.n = self.n.astype(int)
        self.share = self.total / weight.sum()
        self.stated, self.calibrated, self.observed = (rate / self.total for rate in rates)
        self.gap = self.observed - self.calibrated
        self.mean = float(np.average(self.c, weights=weight))

    def _allow_for_groups(self):
        """Variance of each gap where rows depend on each other: the mean of two, or without groups."""
        # Residuals as they are, with a random sign for each group, see any dependence, but too little variance where
        # few events happened to fall. Residuals of the size that the scores expect, correlated in a group as strongly
        # as all rows are on average, do not. (The draws that judge the gaps keep the dependence as it is.)
        sd = np.sqrt(self.c * (1 - self.c))
        seen, expected = (_pair_products(values, self.groups) for values in (self.y - self.c, sd))
        shared = np.clip(seen / expected, 0, 1) if expected > 0 else 0.0
        usable = self.sums.usable
        alone = np.where(usable, self.sums.variance, 0.0)
        signed = self.sums.squares_by_group(self.y - self.c, self.groups)
        correlated = (1 - shared) * alone + shared * self.sums.squares_by_group(sd, self.groups)
        self.variance = np.where(usable, np.maximum(alone, (signed + correlated) / 2), np.inf)

    def _blocks(self, n_draws):
        """Numbers of draws that are made at once."""
        most = max(self.c.size, self.n.size)
        size = int(np.clip(4_000_000 // most, 8, BLOCK))
        return [min(size, n_draws - first) for first in range(0, n_draws, size)]

    def _signs(self, block, rng):
        """(n, block) random signs, one for each group."""
        signs = rng.integers(0, 2, (block, self.groups.max() + 1), dtype=np.int8).T.astype(np.float32) * 2 - 1
        return signs[self.groups]

    def _signed(self, block, rng):
        """(n, block) residuals, those of a group with one random sign."""
        return self._signs(block, rng) * (self.y - self.c).astype(np.float32)[:, None]

    def _redrawn(self, block, rng):
        """(n, block) residuals of labels drawn from c."""
        c = self.c.astype(np.float32)[:, None]
        # table by table, so that a draw does not depend on how many are made at once
        drawn = np.ascontiguousarray(rng.random((block, c.size), dtype=np.float32).T)
        return np.subtract(drawn < c, c, out=drawn)

    def draws(self, n_draws, rng):
        """Standardised gaps of tables without misjudged segments, in blocks (segments, draws)."""
        for block in self._blocks(n_draws):
            if self.groups is not None:
                yield self.standardised(self.sums.projected(self._signed(block, rng))[0])
                continue
            residual, growth = self.sums.projected(self._redrawn(block, rng))
            yield self.standardised(residual, np.exp(growth))

    def standardised(self, residual, growth=1.0):
        """Gaps as values of a normal variable: over their standard error, corrected for skewness."""
        shape = (-1,) + (1,) * (residual.ndim - 1)
        z = residual / np.sqrt(self.variance.reshape(shape).astype(residual.dtype) * growth)
        return symmetric(z, (self.sums.third / self.variance**1.5).reshape(shape)) if self.independent else z

    def z_after(self, segments):
        """Standardised gaps that are left once the scores are right on average in some segments, too."""
        tangent = np.column_stack([self.tangent, self.family.members(segments, self.family.X)])
        sums = ResidualSums(self, self._refitted(tangent), tangent)
        usable = sums.usable & self.sums.usable
        variance = np.where(usable, sums.variance, np.inf)
        inflation = np.where(usable, self.variance, 1.0) / np.where(usable, self.sums.variance, 1.0)
        z = sums.residual / np.sqrt(variance * inflation)
        return symmetric(z, sums.third / variance**1.5) if self.independent else z

    def _refitted(self, tangent):
        """Scores moved along some directions of the log-odds to the maximum of the likelihood."""
        start = logit(np.clip(self.c, 1e-6, 1 - 1e-6))
        ridge = 1e-9 * np.eye(tangent.shape[1])  # directions may say the same

        def terms(beta):
            odds = start + tangent @ beta
            c = expit(odds)
            curved = tangent * (self.weight * c * (1 - c))[:, None]
            loss = self.weight @ (np.logaddexp(0, odds) - self.y * odds)
            return loss, tangent.T @ (self.weight * (c - self.y)), tangent.T @ curved + ridge

        return expit(start + tangent @ newton(terms, np.zeros(tangent.shape[1])))

    @property
    def chances(self):
        """`Chances` of segments whose scores are like all."""
        terms = self.weight * self.c * (1 - self.c)
        usable = self.sums.usable
        inflation = np.median(self.variance[usable] / self.sums.variance[usable]) if usable.any() else np.inf
        rows = self.weight.sum() * terms.sum() / (self.weight @ terms) / inflation if terms.any() else 0.0
        return Chances(self.mean, float(terms.sum() / self.weight.sum()), float(rows), self.independent)

    def intervals(self, critical, segments=slice(None)):
        """Gaps that are no further than `critical` standard errors from those seen, with the variance of their rate."""
        # near a rate of 0 or 1 the correction for skewness would pass any target before the observed rate is reached
        low, high = self._ends(np.multiply([[1], [-1]], critical), segments)
        observed, calibrated = self.observed[segments], self.calibrated[segments]
        return np.minimum(low, observed) - calibrated, np.maximum(high, observed) - calibrated

    def _ends(self, target, segments):
        """Rates at which the standardised distance to the observed one is `target`, (2, segments), by bisection."""
        columns = [self.sums.usable, self.variance, self.calibrated, self.observed, self.total, self.sums.third]
        usable, variances, calibrated, observed, total, third, cubes = (
            column[segments] for column in [*columns, self.sums.cubes]
        )
        inflation = np.where(usable, variances / (calibrated * (1 - calibrated)), 1.0)
        start = _third(calibrated)

        def distance(rate):
            variance = np.where(usable, np.maximum(inflation * rate * (1 - rate), LEAST_VARIANCE), np.inf)
            root = np.sqrt(variance)
            z = total * (observed - rate) / root
            return symmetric(z, (third + cubes * (_third(rate) - start)) / (variance * root)) if self.independent else z

        # it need not fall all the way if most scores are near 0 or 1: the end is on the side where the test says so
        rejected = distance(calibrated) > target
        below = np.where(rejected, calibrated, 0.0)
        above = np.where(rejected, 1.0, calibrated)
        for _ in range(44 if calibrated.size else 1):  # the last step, 1e-13, is no more than what machines differ by
            rate = (below + above) / 2
            beyond = distance(rate) > target
            below = np.where(beyond, rate, below)
            above = np.where(beyond, above, rate)
        return rate


class ResidualSums:
    """Sums over segments for a score c and the directions in which its calibrator can move."""

    def __init__(self, null, c, tangent):
        # derived in site/derivations/search_null.md
        weight = null.weight
        v = c * (1 - c)
        q = tangent.shape[1]
        self._family = null.family
        self._weight = weight
        self._tangent = tangent
        self._weighted = None if (weight == 1).all() else weight.astype(np.float32)[:, None]
        once = tangent * (weight * v)[:, None]
        twice = once * weight[:, None]
        bend = 1 - 2 * c
        plain = [weight * (null.y - c), weight**2 * v, weight**3 * v * bend, weight**3]
        sums = null.family.sums(np.column_stack([*plain, once, twice, twice * bend[:, None]]))
        residual, variance, third, cubes = sums[:, :4].T
        self._slope = sums[:, 4 : 4 + q]
        mixed = sums[:, 4 + q : 4 + 2 * q]
        self._growth = sums[:, 4 + 2 * q :] / np.maximum(variance, 1e-300)[:, None]
        self._inverse = np.linalg.pinv(tangent.T @ once, hermitian=True)
        self._directions = (tangent * weight[:, None]).astype(np.float32)
        step = self._slope @ self._inverse
        left = variance - 2 * (step * mixed).sum(axis=1) + ((step @ (tangent.T @ twice)) * step).sum(axis=1)
        part = left / np.maximum(variance, 1e-300)
        self.usable = part > 1e-3
        self.variance = np.where(self.usable, np.maximum(left, LEAST_VARIANCE), np.inf)
        self.third = third * part * (2 * part - 1)
        self.cubes = cubes * part * (2 * part - 1)
        fitted = self._inverse @ (tangent * weight[:, None]).T @ (null.y - c)
        self.residual = residual - self._slope @ fitted

    def projected(self, residual):
        """Sums of drawn residuals over segments after one Newton step, and by what factor (log) the variance grows."""
        step = (self._inverse @ (self._directions.T @ residual)).astype(np.float32)
        if self._weighted is not None:
            residual = residual * self._weighted
        sums = self._family.sums(residual)
        sums -= self._slope.astype(np.float32) @ step
        return sums, self._growth.astype(np.float32) @ step

    def squares_by_group(self, residual, groups):
        """Sum over groups of the square of what their residuals add to each gap, after the step of the calibrator."""
        residual = self._weight * residual
        moved = np.zeros((groups.max() + 1, self._tangent.shape[1]))
        np.add.at(moved, groups, residual[:, None] * self._tangent)
        mixed = self._family.sums(residual[:, None] * moved[groups])
        step = self._slope @ self._inverse
        squares = self._family.squares_by_group(residual, groups)
        return squares - 2 * (step * mixed).sum(axis=1) + ((step @ (moved.T @ moved)) * step).sum(axis=1)


def symmetric(z, skewness):
    """A standardised gap of known skewness as a value of a normal variable (Wilson and Hilferty's cube root)."""
    # where a tenth of an event is expected, the cube root puts no event at all as far out as one
    skewness = np.minimum(np.maximum(skewness, -MOST_SKEWNESS), MOST_SKEWNESS)
    skewness = np.where(np.abs(skewness) < 1e-3, 1e-3, skewness).astype(z.dtype, copy=False)
    return 6 / skewness * (np.cbrt(skewness * z / 2 + 1) - 1) + skewness / 6


def skewed_from(z, skewness):
    """The standardised gap that `symmetric` makes z."""
    skewness = float(np.clip(skewness, -MOST_SKEWNESS, MOST_SKEWNESS)) if abs(skewness) > 1e-3 else 1e-3
    return ((skewness * (z - skewness / 6) / 6 + 1) ** 3 - 1) * 2 / skewness


def _third(rate):
    """Third central moment of a label."""
    return rate * (1 - rate) * (1 - 2 * rate)


def _calibrated(y, p, weight, calibrator):
    """Recalibrated scores, and the directions in which the fit can move them on the log-odds (n, q)."""
    if calibrator == "none":
        return p, np.empty((y.size, 0))
    if np.ptp(clipped_logit(p)) < 1e-9:  # a constant score has no slope
        return np.full(y.size, np.average(y, weights=weight)), np.ones((y.size, 1))
    c = calibrate_rows(calibrator, p, y, weight, p)
    if calibrator == "platt":
        return c, platt_directions(p, y)
    start = np.unique(np.quantile(c, np.arange(STEPS) / STEPS, method="lower"))
    step = np.searchsorted(start, c, side="right") - 1
    return c, np.eye(start.size)[step]


def _pair_products(values, groups):
    """Sum of the products of all pairs of values in one group."""
    return float((np.bincount(groups, values) ** 2).sum() - values @ values)


def bonus_of_singles(pairs):
    """Standard errors that a segment of one column is granted, since there are fewer of them."""
    n_pairs = int(pairs.sum())
    n_singles = pairs.size - n_pairs
    if not n_pairs or n_singles < 2:
        return np.zeros(pairs.size)
    # one half of what the largest of so many normal values is larger: sqrt(2 log m)
    ahead = np.sqrt(2 * np.log(max(n_pairs, n_singles))) - np.sqrt(2 * np.log(n_singles))
    return np.where(pairs, 0.0, ahead / 2)


def largest_gaps(null, strength, bonus, n_draws, rng):
    """Largest strength in each drawn table, and step-down adjusted p-values (Westfall, Young 1993, algorithm 2.8)."""
    weakest_first = np.argsort(strength, kind="stable")
    exceeded = np.zeros(strength.size)
    largest = []
    for drawn in null.draws(n_draws, rng):
        drawn = (np.abs(drawn) + bonus[:, None].astype(drawn.dtype))[weakest_first]
        np.maximum.accumulate(drawn, axis=0, out=drawn)
        exceeded += (drawn >= strength[weakest_first, None]).sum(axis=1)
        largest.append(drawn[-1])
    p_value = (exceeded + 1) / (n_draws + 1)
    adjusted = np.empty(strength.size)
    adjusted[weakest_first] = np.maximum.accumulate(p_value[::-1])[::-1]
    return np.concatenate(largest), adjusted
