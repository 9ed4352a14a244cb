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
    """Median of estimate(rng, tail) over random splits of the same rows; `low` > 0 exactly where `p_value` < 0.025.

    Estimates without a test have no `p_value`.
    """
    # Medians over repeated splits, whose tails are halved: Chernozhukov, Demirer, Duflo and Fernandez-Val (2018).
    rng = check_rng(rng)
    if n_splits == 1:
        return estimate(rng=rng, tail=TAIL)
    streams = [rng, *rng.spawn(n_splits - 1)]  # what is drawn after this does not depend on n_splits
    results = [estimate(rng=stream, tail=TAIL / 2) for stream in streams]
    results.sort(key=lambda result: result.value)
    lower = (n_splits - 1) // 2
    upper = n_splits // 2
    middle = replace(
        results[lower],
        low=sorted(result.low for result in results)[lower],
        high=sorted(result.high for result in results)[upper],
        splits=np.array([result.value for result in results]),
    )
    if not hasattr(middle, "p_value"):
        return middle
    return replace(middle, p_value=min(2 * sorted(result.p_value for result in results)[upper], 1.0))


def splits_note(splits):
    """What a line of print adds about repeated splits."""
    if not splits.size:
        return ""
    return f"; the middle of {splits.size} splits, {splits.min():.4f} to {splits.max():.4f}"
