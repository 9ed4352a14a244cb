"""Risk-coverage curves and AURC: every order of tied answers counts the same, and weights are repeated rows."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.selective import aurc, risk_coverage_curve
from helpers.selective.risk_coverage import mean_risk

ORDERS = {size: np.array(list(permutations(range(size)))) for size in range(1, 8)}
ANSWERS = st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40)


def rejection_ratio(correct, confidence, *, sample_weight=None):
    return risk_coverage_curve(correct, confidence, sample_weight=sample_weight).prr


def columns(rows):
    correct, confidence, weight = (np.array(column) for column in zip(*rows, strict=True))
    return correct.astype(float), confidence / 4, weight


def sequential(correct, confidence, orders):
    """AURC of each order of the rows, with ties kept as the rows come."""
    ranked = np.take_along_axis(orders, np.argsort(-confidence[orders], axis=1, kind="stable"), axis=1)
    return (np.cumsum(1 - correct[ranked], axis=1) / np.arange(1, correct.size + 1)).mean(axis=1)


def test_four_rows_by_hand():
    curve = risk_coverage_curve([1, 1, 0, 1], [0.9, 0.7, 0.7, 0.2])
    assert curve.threshold.tolist() == [0.9, 0.7, 0.2] and curve.count.tolist() == [1, 3, 4]
    assert curve.coverage.tolist() == [0.25, 0.75, 1] and curve.risk.tolist() == [0, 1 / 3, 1 / 4]
    assert curve.aurc == pytest.approx((0 + 1 / 4 + 1 / 3 + 1 / 4) / 4, abs=1e-15)
    assert curve.best_aurc == 1 / 16 and curve.accuracy == 0.75 and curve.n == 4
    assert str(curve) == "AURC 0.2083 (0.0625 in the best order), accuracy 0.7500, n = 4 at 3 confidences"


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.just(1)), min_size=1, max_size=7))
def test_aurc_is_the_mean_over_every_order(rows):
    correct, confidence, _ = columns(rows)
    every = sequential(correct, confidence, ORDERS[correct.size])
    assert aurc(correct, confidence) == pytest.approx(every.mean(), abs=1e-12)


def test_rejection_by_hand():
    answers = [1, 1, 0, 1], [0.9, 0.7, 0.7, 0.2]
    assert rejection_ratio(*answers) == pytest.approx((1 / 4 - 5 / 24) / (1 / 4 - 1 / 16))
    reverse = rejection_ratio([0, 1], [0.9, 0.1])
    assert reverse == pytest.approx((1 / 2 - 3 / 4) / (1 / 2 - 1 / 4))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.just(1)), min_size=2, max_size=7), st.integers(0, 99))
def test_ratio_is_the_mean_over_all_orders_of_the_rows(rows, seed):
    """Of a sort that keeps ties as the rows come, which by itself says something else for each order of the rows."""
    correct, confidence, _ = columns(rows)
    value = rejection_ratio(correct, confidence)
    if correct.min() == correct.max():
        assert np.isnan(value)
        return
    orders = ORDERS[correct.size]
    error = 1 - correct.mean()
    best = sequential(correct, correct, orders[:1])[0]
    areas = sequential(correct, confidence, orders)
    assert value == pytest.approx(((error - areas) / (error - best)).mean(), abs=1e-12)
    order = np.random.default_rng(seed).permutation(correct.size)
    assert rejection_ratio(correct[order], confidence[order]) == value


@given(ANSWERS)
def test_weights_are_repeated_rows(rows):
    correct, confidence, weight = columns(rows)
    if not weight.any():
        with pytest.raises(ValueError, match="sample_weight must"):
            aurc(correct, confidence, sample_weight=weight)
        return
    repeated = correct.repeat(weight), confidence.repeat(weight)
    for function in (aurc, rejection_ratio):
        weighted = function(correct, confidence, sample_weight=weight)
        assert weighted == pytest.approx(function(*repeated), abs=1e-12, nan_ok=True)
    one = risk_coverage_curve(correct, confidence, sample_weight=weight)
    other = risk_coverage_curve(*repeated)
    assert one.n == other.n == weight.sum()
    for name in ("threshold", "coverage", "risk", "count", "errors"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@given(ANSWERS, st.integers(0, 1000))
def test_laws(rows, seed):
    correct, confidence, _ = columns(rows)
    order = np.random.default_rng(seed).permutation(correct.size)
    value = aurc(correct, confidence)
    assert aurc(correct[order], confidence[order]) == value
    assert aurc(correct, confidence**3 / 2 + 0.1) == value  # only the order counts
    assert aurc(correct, np.full(correct.size, 0.3)) == pytest.approx(1 - correct.mean(), abs=1e-12)
    best = sequential(correct, correct, np.arange(correct.size)[None])[0]
    curve = risk_coverage_curve(correct, confidence)
    assert curve.best_aurc == pytest.approx(best, abs=1e-12) and best <= value + 1e-12 and value <= 1
    for threshold, coverage, risk in zip(curve.threshold, curve.coverage, curve.risk, strict=True):
        kept = confidence >= threshold
        assert coverage == pytest.approx(kept.mean()) and risk == pytest.approx(1 - correct[kept].mean())


def test_empty_blocks_are_welcome():
    assert mean_risk([0, 2, 0, 1], [0, 1, 0, 1]) == mean_risk([2, 1], [1, 1])
