"""How much of an estimate is the luck of one random split, and what holds for several of them together.

Each split gives a value, an interval and a test that are valid alone. Of S splits of the same rows, the value in the
middle is reported; half of the splits or more lie beyond an end that is wrong, and by Markov's inequality that happens
at most twice as often as with one split: so each split's interval leaves half the usual chance on each side, and the
p-value in the middle is doubled.
"""

from dataclasses import replace

import numpy as np

from helpers.checks import check_rng
from helpers.grouping.inversion import TAIL


def repeat_splits(estimate, n_splits, rng=None):
    """Estimate by several random splits of the same rows and report the middle.

    `estimate` takes (rng, tail), `tail` the chance that its interval leaves on each side, and returns a dataclass with
    value, low, high, p_value and splits. As for one split, `low` is above 0 exactly where `p_value` is below 0.025.
    Medians over repeated splits with this correction: Chernozhukov, Demirer, Duflo and Fernandez-Val (2018).

    >>> from helpers.grouping import grouping_loss
    >>> X = np.random.default_rng(0).normal(size=(1000, 1))
    >>> y = X[:, 0] > 0
    >>> loss = grouping_loss(y, np.full(1000, 0.5), X, calibrator="none", n_splits=3, rng=0)
    >>> loss.splits.size, float(np.median(loss.splits)) == loss.value
    (3, True)
    """
    rng = check_rng(rng)
    if n_splits == 1:
        return estimate(rng=rng, tail=TAIL)
    streams = [rng, *rng.spawn(n_splits - 1)]  # what is drawn after this does not depend on n_splits
    results = [estimate(rng=stream, tail=TAIL / 2) for stream in streams]
    results.sort(key=lambda result: result.value)
    lower = (n_splits - 1) // 2
    upper = n_splits // 2
    return replace(
        results[lower],
        low=sorted(result.low for result in results)[lower],
        high=sorted(result.high for result in results)[upper],
        p_value=min(2 * sorted(result.p_value for result in results)[upper], 1.0),
        splits=np.array([result.value for result in results]),
    )


def said_of_splits(splits):
    """What a line of print adds about repeated splits.

    >>> said_of_splits(np.array([0.0101, 0.0123]))
    '; the middle of 2 splits, 0.0101 to 0.0123'
    """
    if not splits.size:
        return ""
    return f"; the middle of {splits.size} splits, {splits.min():.4f} to {splits.max():.4f}"
