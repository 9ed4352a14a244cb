"""Interval and test from one law: the interval holds the true losses that the test does not reject.

Around a true loss t, the estimate varies with variance null + slope t and with a positive skewness, as a weighted sum
of non-central chi-squares does: n t is what shifts them. A standard error at the estimate is small where the estimate
happens to be small, and value +- 1.96 se then ends too low; the law at t knows t, as Wilson's interval of a rate does.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincc, gammaincinv, ndtr, ndtri

from helpers.grouping.fitted_scores import NO_FIT

TAIL = 0.025  # on each side of a 95 % interval

LEAST_SKEWNESS = 1e-4  # 800 million degrees of freedom: normal

SKEWEST = 4.0  # of any law: beyond it quantiles fall, because all but a few draws are below the mean

MOST_SHIFT = 0.5  # of the noise: more is beyond the first order, and could put an end on the other side of the estimate

MOST_SKEWNESS = 0.25  # of the upper end: more would shorten the interval on the word of a few regions


@dataclass(frozen=True)
class LossLaw:
    """How the estimate of a grouping loss varies around the true one."""

    null_variance: float
    null_third: float
    ceiling: float
    slope: float
    shift: float = 0.0

    @classmethod
    def of(cls, parts, fit=NO_FIT):
        """Law of the mean of independent parts' values (`RegionStatistics`), whose scores had this `FitEffect`."""
        # Without loss, the scores say how much labels vary: counting on the residuals would find rare events least sure
        # just where they happen to coincide. At the estimate, the residuals say it; the slope leads from the one to the
        # other. Where the estimate is within its noise, the slope of a loss spread evenly over rows takes its place.
        k = len(parts)
        value = max(sum(part.value for part in parts) / k, 0.0)
        null_variance = fit.variance_ratio * sum(part.null_variance for part in parts) / k**2
        noise_variance = sum(part.noise_variance for part in parts) / k**2
        signal = sum(part.signal_variance for part in parts) / k**2 + noise_variance - null_variance
        even = sum(part.unit_variance for part in parts) / k**2
        noise = float(np.sqrt(null_variance))
        return cls(
            null_variance=null_variance,
            null_third=fit.variance_ratio**1.5 * sum(part.null_third for part in parts) / k**3,
            ceiling=max(null_variance, sum(part.noise_ceiling for part in parts) / k**2),
            slope=(max(signal, 0.0) + noise * even) / (value + noise) if value + noise > 0 else 0.0,
            shift=float(np.clip(fit.shift, -MOST_SHIFT * noise, MOST_SHIFT * noise)),
        )

    def variance(self, truth):
        """Of the estimate around a true loss."""
        return self.null_variance + self.slope * truth

    def skewness(self, truth):
        """Skewness of the estimate around a true loss, at most `SKEWEST`."""
        # A weighted sum of shifted, centred chi-squares has variance 2 sum(weight^2 + 2 weight^2 shift) and skewness (8
        # sum(weight^3) + 24 sum(weight^3 shift)) / variance^(3/2).
        if not self.null_variance > 0:
            return 0.0
        third = self.null_third * (1 + 1.5 * self.slope * truth / self.null_variance)
        return min(third / self.variance(truth) ** 1.5, SKEWEST)

    def p_value(self, value):
        """One-sided test of "no grouping loss"."""
        value = value - self.shift
        if not self.null_variance > 0:
            return float(value <= 0)
        skewness = self.skewness(0.0)
        z = value / np.sqrt(self.null_variance)
        if skewness < LEAST_SKEWNESS:
            return float(ndtr(-z))
        freedom = 8 / skewness**2
        return float(gammaincc(freedom / 2, max(freedom + z * np.sqrt(2 * freedom), 0.0) / 2))

    def interval(self, value, tail=TAIL):
        """Interval of the true loss, in [-1, 1], with the chance `tail` on each side."""
        # The lower end is above 0 exactly where `p_value` is below `tail`; elsewhere it is the value less what the test
        # asks for.
        value = value - self.shift
        scale = max(value, float(np.sqrt(self.ceiling)))

        def above_low(truth):
            quantile = skewed_quantile(1 - tail, self.skewness(truth))
            return value - truth - quantile * np.sqrt(self.variance(truth))

        def above_high(truth):
            quantile = skewed_quantile(tail, min(self.skewness(truth), MOST_SKEWNESS))
            # Between the variance of the rows within regions, like truth, and of the regions' shares, like truth^2.
            growth = np.sqrt(max(truth / scale, 1.0))
            return value - truth - quantile * np.sqrt(self.ceiling + self.slope * truth * growth)

        low = above_low(0.0)
        if low > 0 and above_low(value) < 0:
            low = brentq(above_low, 0.0, value)
        if not scale > 0 or above_high(0.0) <= 0:
            return max(float(low), -1.0), 0.0
        top = 2 * scale
        while above_high(top) > 0:
            top *= 2
        return max(float(low), -1.0), min(float(brentq(above_high, 0.0, top)), 1.0)


def skewed_quantile(probability, skewness):
    """Quantile of a standardised chi-square with this skewness (0 or more): the normal's where it is 0."""
    if skewness < LEAST_SKEWNESS:
        return float(ndtri(probability))
    freedom = 8 / skewness**2
    return float((2 * gammaincinv(freedom / 2, probability) - freedom) / np.sqrt(2 * freedom))
