"""Gaps of rare events are skewed: a standardised gap as a value of a normal variable, and back."""

import numpy as np

MOST_SKEWNESS = 3.0  # of a gap that is corrected for it: that of a ninth of an expected event


def third_moment(rate):
    """Third central moment of a label."""
    return rate * (1 - rate) * (1 - 2 * rate)


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
