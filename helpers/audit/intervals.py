"""Intervals of the gaps of segments: the test inverted, with the variance that a rate would have."""

import numpy as np

from helpers.audit.gaps import LEAST_VARIANCE
from helpers.audit.skewness import symmetric, third_moment

HALVINGS = 44  # of the unit interval: the last step, 1e-13, is no more than what machines differ by


def gap_intervals(gaps, critical, segments=slice(None)):
    """Gaps that are no further than `critical` standard errors from those observed, (low, high) of some segments."""
    # near a rate of 0 or 1 the correction for skewness would pass any target before the observed rate is reached
    low, high = _rates_at(gaps, np.multiply([[1], [-1]], critical), segments)
    observed, calibrated = gaps.observed[segments], gaps.calibrated[segments]
    return np.minimum(low, observed) - calibrated, np.maximum(high, observed) - calibrated


def _rates_at(gaps, target, segments):
    """Rates at which the standardised distance to the observed one is `target`, (2, segments), by bisection."""
    calibrated = gaps.calibrated[segments]
    distance = _distance_of_rates(gaps, segments)
    # the distance need not fall all the way if most scores are near 0 or 1: the test gives the side of the end
    rejected = distance(calibrated) > target
    below = np.where(rejected, calibrated, 0.0)
    above = np.where(rejected, 1.0, calibrated)
    for _ in range(HALVINGS if calibrated.size else 1):
        rate = (below + above) / 2
        beyond = distance(rate) > target
        below = np.where(beyond, rate, below)
        above = np.where(beyond, above, rate)
    return rate


def _distance_of_rates(gaps, segments):
    """z_S as a function of the rates from which the observed ones are measured."""
    columns = (gaps.sums.usable, gaps.variance, gaps.calibrated, gaps.observed, gaps.total)
    usable, variances, calibrated, observed, total = (column[segments] for column in columns)
    third, cubes = gaps.sums.third[segments], gaps.sums.cubes[segments]
    inflation = np.where(usable, variances / (calibrated * (1 - calibrated)), 1.0)
    start = third_moment(calibrated)

    def distance(rate):
        variance = np.where(usable, np.maximum(inflation * rate * (1 - rate), LEAST_VARIANCE), np.inf)
        root = np.sqrt(variance)
        z = total * (observed - rate) / root
        if not gaps.independent:
            return z
        return symmetric(z, (third + cubes * (third_moment(rate) - start)) / (variance * root))

    return distance
