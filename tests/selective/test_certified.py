"""Certified precision: its arithmetic by hand, how often it breaks its promise, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import binom

from helpers.selective import certified_precision
from helpers.selective.certified import certify_rows, shown_threshold


def test_thresholds_by_hand():
    confidence = np.repeat([1.0, 0.8, 0.5], [40, 40, 40])
    correct = np.r_[np.ones(40), np.ones(39), 0, np.zeros(40)]
    result = certified_precision(correct, confidence, precision=0.9, starts=[40])
    assert result.table["threshold"].tolist() == [1, 0.8, 0.5] and result.table["accepted"].tolist() == [40, 80, 120]
    expected = [0.9**40, binom.cdf(1, 80, 0.1), binom.cdf(41, 120, 0.1)]
    np.testing.assert_allclose(result.table["p_value"], expected)
    np.testing.assert_allclose(result.table["error"], [0.05, 0.05, 0.05])
    assert (result.certified, result.threshold, result.n_accepted, result.n_right) == (True, 0.8, 80, 79)


def test_the_error_is_divided_between_the_starts():
    """Passes at 50 and hands its part on; fails at 100; starts anew at 150 with its own part alone."""
    confidence = np.repeat([0.9, 0.7, 0.5], 50)
    correct = np.r_[np.ones(50), np.zeros(20), np.ones(30), np.ones(50)]
    error = certify_rows(correct, confidence, 0.9, 0.95).table["error"]
    np.testing.assert_allclose(error, [0.025, 0.025, 0.025])


CASES = {  # confidences of n answers, and how often such an answer is right
    "votes of ten, just below everywhere": (
        lambda n, rng: rng.binomial(10, rng.beta(2, 1, n)) / 10, lambda s: np.full(s.size, 0.9 - 1e-9)),
    "votes of three, the surest are the worst": (lambda n, rng: rng.integers(1, 4, n) / 3, lambda s: 0.97 - 0.12 * s),
    "no ties, up and down": (lambda n, rng: rng.random(n), lambda s: 0.89 + 0.09 * np.sin(12 * s)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "chance"), CASES.values(), ids=CASES)
def test_the_promise_is_broken_in_five_percent_of_files_at_most(shape, chance):
    """Also where many confidences are equal; 4 standard errors over 200 files."""
    rng = np.random.default_rng(1)
    broken = 0
    for _ in range(200):
        confidence = shape(200, rng)
        q = chance(confidence)
        result = certify_rows((rng.random(200) < q).astype(int), confidence, 0.9, 0.95)
        kept = confidence >= result.threshold - 1e-9
        broken += bool(result.certified and q[kept].mean() < 0.9 - 5e-10)
    assert broken / 200 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)


def test_it_finds_what_is_there():
    """Above 0.5 all but two in a hundred are right: with a thousand questions it nearly always says so."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(60):
        confidence = rng.random(1000)
        correct = rng.random(1000) < np.where(confidence > 0.5, 0.98, 0.5)
        found.append(certify_rows(correct.astype(int), confidence, 0.9, 0.95).coverage)
    assert np.mean(np.array(found) > 0.4) > 0.95 and max(found) < 0.68  # 0.61 would be 90 % right


def test_how_many_questions_would_do():
    rng = np.random.default_rng(3)
    few = certified_precision(np.r_[np.ones(39), 0], np.full(40, 0.9))
    assert not few.certified and 40 < few.rows_needed < 200
    n = int(2 * few.rows_needed)
    passed = [certify_rows((rng.random(n) < 39 / 40).astype(int), np.full(n, 0.9), 0.9, 0.95) for _ in range(50)]
    assert np.mean([result.certified for result in passed]) > 0.5
    for n, right in ((100, 92), (9, 9), (100, 50), (100, 90)):  # more than promised were right, or not
        found = certified_precision(np.arange(n) < right, np.full(n, 0.9))
        assert np.isfinite(found.rows_needed) == (right > 0.9 * n)


def test_a_shown_threshold_is_never_rounded_up():
    assert [shown_threshold(value) for value in (2 / 3, 0.29, 0.9549)] == [0.6666, 0.29, 0.9549]
