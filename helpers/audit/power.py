"""What a search could have found: the gap that is detected in a segment of some size."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from helpers.audit.skewness import skewed_from

POWER_80 = 0.8416  # normal quantile: how far a gap must be beyond the critical value to be found in 80 % of tables


@dataclass(frozen=True)
class Chances:
    """What decides whether the gap of a segment is found, given its share of the rows."""

    mean: float  # recalibrated score
    variance: float  # of a label, on average
    rows: float  # effective number of them
    skewed: bool  # whether gaps are corrected for skewness
    planned: bool = False  # whether the rows are still to be drawn, and how many of them are in the segment

    def detectable(self, share, critical):
        """Gap in a segment with this share of rows whose z is beyond `critical` in 80 % of tables; at most 1 - mean."""
        most = 1 - self.mean
        if not self.beyond(most, share, critical) > POWER_80:
            return most
        return float(brentq(lambda gap: self.beyond(gap, share, critical) - POWER_80, 0.0, most))

    def beyond(self, gap, share, critical):
        """By how many standard errors a gap is expected beyond the critical value: the normal quantile of the power."""
        # Recalibration adds share * gap to all scores: that much of the gap is lost, and the variance which the gap is
        # compared with grows. The true variance is that of the labels of the segment and of the others.
        others = 1 - share
        expected = self._variance(share * gap)
        true = others * self._variance_inside(gap) + share * self.variance
        if self.planned:  # the root of rows * share * others below varies with the share that is drawn
            true += (gap * (others - share) / 2) ** 2
        if self.skewed:
            bend = 1 - 2 * (self.mean + share * gap)
            skewness = bend * (others - share) / np.sqrt(expected * self.rows * share * others)
            critical = skewed_from(critical, skewness)
        observed = gap * np.sqrt(self.rows * share * others / expected)
        return (observed - critical) * np.sqrt(expected / true)

    def _variance(self, gap):
        """Mean variance of labels whose rate is higher by a gap, where scores tell them apart as well as all."""
        unexplained = self.variance / max(_of_labels(self.mean), 1e-12)
        return max(unexplained * _of_labels(self.mean + gap), 1e-12)

    def _variance_inside(self, gap):
        """The same of a segment whose gap need not be alike for all scores: as elsewhere, if its rate allows that."""
        return max(self._variance(gap), min(self.variance, _of_labels(self.mean + gap)))


def _of_labels(rate):
    """Variance of labels of some rate."""
    return rate * (1 - rate)


def chances_of(gaps):
    """`Chances` of segments whose scores are like all, from `helpers.audit.gaps.SegmentGaps`."""
    weight, sums = gaps.weight, gaps.sums
    terms = weight * gaps.c * (1 - gaps.c)
    usable = sums.usable
    inflation = np.median(gaps.variance[usable] / sums.variance[usable]) if usable.any() else np.inf
    rows = weight.sum() * terms.sum() / (weight @ terms) / inflation if terms.any() else 0.0
    mean = float(np.average(gaps.c, weights=weight))
    return Chances(mean, float(terms.sum() / weight.sum()), float(rows), gaps.independent)
