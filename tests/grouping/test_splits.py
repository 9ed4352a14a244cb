"""Repeated random splits: the middle of them, with an interval and a test that hold for all together."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.stats import norm

from helpers.grouping.splits import repeat_splits


@dataclass(frozen=True)
class Normal:
    """An estimate with a normal error of 1, as one split gives it."""

    value: float
    low: float
    high: float
    p_value: float
    splits: np.ndarray = field(default_factory=lambda: np.empty(0))


def estimate(rng, tail, *, shared=0.0, truth=0.0):
    """Half of the error is shared by the splits of a table."""
    value = truth + 0.5**0.5 * (shared + rng.normal())
    reach = norm.isf(tail)
    return Normal(value, value - reach, value + reach, float(norm.sf(value)))


@pytest.mark.parametrize(("n_splits", "middle", "upper"), [(4, 1, 2), (3, 1, 1)])
def test_of_several_splits_the_middle_is_told(n_splits, middle, upper):
    given = []

    def one(rng, tail):
        given.append((rng.random(), tail))
        k = len(given)
        return Normal(-k % 4, 0.1 * (k * 3 % 5), 1 + 0.1 * (k * 2 % 5), 0.05 * k)

    result = repeat_splits(one, n_splits, 0)
    values = sorted(-k % 4 for k in range(1, n_splits + 1))
    lows = sorted(0.1 * (k * 3 % 5) for k in range(1, n_splits + 1))
    highs = sorted(1 + 0.1 * (k * 2 % 5) for k in range(1, n_splits + 1))
    assert result.value == values[middle] and result.splits.tolist() == values
    assert (result.low, result.high) == (lows[middle], highs[upper])
    assert result.p_value == pytest.approx(0.1 * (upper + 1))
    assert {tail for _, tail in given} == {0.0125} and given[0][0] == np.random.default_rng(0).random()
    assert repeat_splits(lambda rng, tail: Normal(tail, 0, 1, 0.9), 2, 0).p_value == 1
    assert repeat_splits(lambda rng, tail: Normal(tail, 0, 1, 0.9), 1, 0).value == 0.025


@pytest.mark.parametrize("n_splits", [2, 3, 4, 9])
def test_the_lower_end_and_the_test_agree(n_splits):
    rng = np.random.default_rng(n_splits)
    seen = set()
    for _ in range(150):
        result = repeat_splits(lambda rng, tail: estimate(rng, tail, truth=2.2), n_splits, rng)
        assert (result.low > 0) == (result.p_value < 0.025)
        assert result.low <= result.value <= result.high
        assert result.value == np.sort(result.splits)[(n_splits - 1) // 2]
        seen.add(result.low > 0)
    assert seen == {True, False}


@pytest.mark.slow
def test_together_they_are_wrong_no_more_often_than_one():
    rng = np.random.default_rng(0)
    wrong = {"low": 0, "high": 0}
    for _ in range(1000):
        shared = rng.normal()
        result = repeat_splits(lambda rng, tail, shared=shared: estimate(rng, tail, shared=shared), 5, rng)
        wrong["low"] += result.low > 0
        wrong["high"] += result.high < 0
    assert max(wrong.values()) <= 1000 * 0.025 + 3 * (1000 * 0.025) ** 0.5
