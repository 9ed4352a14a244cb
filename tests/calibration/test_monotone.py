"""The isotonic curve and its band: coverage where the truth is known, and agreement of the band with its test."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.isotonic import isotonic_regression

from helpers.calibration import monotone_curve
from helpers.calibration.monotone import _error_of_all, _error_of_each, _largest_deviations, _runs


def scores(rng, n):
    return expit(rng.normal(-1, 1.2, n))


def test_the_curve_is_isotonic_regression():
    rng = np.random.default_rng(0)
    p = np.sort(rng.random(150))
    y = (rng.random(150) < p).astype(float)
    curve = monotone_curve(y, p)
    assert curve.stated == pytest.approx(p) and curve.observed == pytest.approx(isotonic_regression(y))


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 3000])
def test_the_band_holds_the_true_curve_and_its_test_says_the_same(n):
    """Nominal 95 %, and more for curves that rise, whose runs are no sharper bounds (400 draws: 99.5 %)."""
    rng = np.random.default_rng(n)
    covered = alarms = 0
    for _ in range(40):
        p = scores(rng, n)
        bent = expit(0.3 + 0.8 * logit(p))
        curve = monotone_curve((rng.random(n) < bent).astype(float), p)
        truth = expit(0.3 + 0.8 * logit(curve.stated))
        covered += bool(((curve.low <= truth) & (truth <= curve.high)).all())
        assert (curve.p_value < 0.05) == curve.outside.any()
        assert ((curve.low <= curve.observed) & (curve.observed <= curve.high)).all() and curve.is_monotone
        alarms += monotone_curve((rng.random(n) < p).astype(float), p).p_value < 0.05
    assert covered >= 37 and alarms <= 3


@pytest.mark.slow
def test_the_band_holds_flat_curves_whose_runs_are_the_sharpest_bounds():
    """Nominal 80 %, so that a band that is too narrow shows in few draws."""
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(100):
        p = scores(rng, 1500)
        curve = monotone_curve((rng.random(1500) < np.where(p < 0.3, 0.15, 0.3)) * 1.0, p, level=0.8)
        truth = np.where(curve.stated < 0.3, 0.15, 0.3)
        covered += bool(((curve.low <= truth) & (truth <= curve.high)).all())
        assert (curve.p_value < 0.2) == curve.outside.any()
    assert covered >= 72


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
def test_a_run_may_err_more_often_than_if_runs_did_not_overlap(alpha):
    squares = 30.0 * np.arange(65)
    start, stop = _runs(64)
    largest = _largest_deviations(squares, start, stop)
    each = _error_of_each(alpha, start.size, largest)
    assert 1.15 < each * start.size / alpha < 2
    assert _error_of_all(0.99 * each, start.size, largest) < alpha <= _error_of_all(1.01 * each, start.size, largest)


def test_a_bend_is_seen():
    rng = np.random.default_rng(1)
    p = scores(rng, 4000)
    curve = monotone_curve(rng.random(4000) < p**1.5, p)
    assert curve.p_value < 0.001 and curve.outside.any()


def test_a_falling_curve_is_none_of_these():
    p = np.linspace(0.01, 0.99, 2000)
    y = np.random.default_rng(2).random(2000) < 1 - p
    assert not monotone_curve(y, p).is_monotone


def test_rows_that_depend_on_each_other_widen_the_band():
    rng = np.random.default_rng(3)
    p = scores(rng, 400)
    y = rng.random(400) < p
    once = monotone_curve(y, p)
    four = monotone_curve(np.repeat(y, 4), np.repeat(p, 4), groups=np.repeat(np.arange(400), 4))
    assert four.p_value > 0.1 and np.median(four.high - four.low) > 0.8 * np.median(once.high - once.low)
    weighted = monotone_curve(y, p, sample_weight=np.full(400, 3.0))
    assert weighted.high == pytest.approx(once.high)


def test_bad_input():
    with pytest.raises(ValueError, match="level"):
        monotone_curve([0, 1], [0.5, 0.6], level=1.0)


def test_a_constant_score():
    curve = monotone_curve([0, 1, 1, 0] * 30, np.full(120, 0.5))
    assert curve.stated.tolist() == [0.5] and curve.low[0] < 0.5 < curve.high[0] and curve.p_value == 1
