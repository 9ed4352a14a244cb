"""Calibrators: references and laws, separable data, and the search for the maximum step by step."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from helpers.calibration import IsotonicCalibrator, PlattCalibrator
from helpers.calibration.calibrators import (
    clipped_logit,
    is_certain,
    level_start,
    logistic_terms,
    make_calibrator,
    newton,
)
from helpers.simulation import Sigmoid

BOTH = [PlattCalibrator, IsotonicCalibrator]
NEW = np.linspace(0, 1, 21)
SEPARATED = {
    "in order": ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]),
    "reversed": ([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0]),
    "tied at the threshold": ([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1]),
    "two rows": ([0.3, 0.6], [0, 1]),
    "scores 0 and 1": ([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1]),
}


@st.composite
def labelled_scores(draw):
    """Scores (with ties, 0 and 1) and labels of both classes."""
    n = draw(st.integers(2, 60))
    p = draw(arrays(float, n, elements=st.floats(0, 1) | st.sampled_from([0, 0.2, 0.5, 0.8, 1])))
    y = draw(arrays(float, n, elements=st.sampled_from([0, 1])))
    y[0] = 0
    y[1] = 1
    assume(np.ptp(clipped_logit(p)) > 0.01)
    return p, y


def test_four_rows_by_hand():
    """Two score values with one hit in two rows each: Platt cannot tell them apart, the step function is flat."""
    p = [0.2, 0.2, 0.8, 0.8]
    y = [0, 1, 0, 1]
    platt = PlattCalibrator().fit(p, y)
    assert platt.slope_ == pytest.approx(0, abs=1e-9) and platt.intercept_ == pytest.approx(0, abs=1e-9)
    assert IsotonicCalibrator().fit(p, y).predict([0, 0.5, 1]).tolist() == [0.5, 0.5, 0.5]


def test_platt_equals_an_unpenalised_logistic_regression_on_log_odds():
    sample = Sigmoid().sample(3000, rng=0)
    weight = np.random.default_rng(1).uniform(0.1, 3, 3000)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(logit(sample.p)[:, None], sample.y, weight)
    ours = PlattCalibrator().fit(sample.p, sample.y, weight)
    assert ours.slope_ == pytest.approx(peer.coef_[0, 0], rel=1e-4)
    assert ours.intercept_ == pytest.approx(peer.intercept_[0], abs=1e-4)


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (0.5, 0.4), (-1.0, 0.0)])
def test_a_perfect_score_is_left_alone_and_a_distorted_one_found(slope, shift):
    """Platt's line within 4 standard errors, by the information of the true one."""
    x = np.random.default_rng(3).normal(size=20_000)
    q = expit(slope * x + shift)
    y = np.random.default_rng(4).random(20_000) < q
    design = np.column_stack([np.ones_like(x), x])
    se = np.sqrt(np.diag(np.linalg.inv(design.T @ (design * (q * (1 - q))[:, None]))))
    fitted = PlattCalibrator().fit(expit(x), y)
    assert abs(fitted.intercept_ - shift) < 4 * se[0] and abs(fitted.slope_ - slope) < 4 * se[1]
    rising = expit(np.sign(slope) * x)
    assert np.abs(IsotonicCalibrator().fit(rising, y).predict(rising) - q).mean() < 0.02


@given(labelled_scores())
def test_platt_is_monotone_and_matches_the_moments_of_its_rows(rows):
    """Both hold on the line, to which scores of 0 and 1 belong only where it needs them."""
    p, y = rows
    fitted = PlattCalibrator().fit(p, y)
    line = np.isnan(fitted.certain_scores_[(p > 0.5).astype(int)]) | ~is_certain(p)
    c = fitted.predict(np.sort(p[line]))
    assert np.isfinite([fitted.slope_, fitted.intercept_]).all()
    assert (np.sign(fitted.slope_) * np.diff(c) >= 0).all()
    if not fitted.separated_:
        residual = (y - fitted.predict(p))[line]
        assert abs(residual.sum()) < 1e-3 and abs(residual @ clipped_logit(p[line])) < 1e-2


@given(labelled_scores())
def test_platt_does_not_care_which_class_is_called_one(rows):
    p, y = rows
    c = PlattCalibrator().fit(p, y).predict(p)
    flipped = PlattCalibrator().fit(1 - p, 1 - y).predict(1 - p)
    assert np.allclose(c, 1 - flipped, atol=1e-5)


@pytest.mark.slow
@given(labelled_scores(), st.randoms(use_true_random=False))
def test_row_order_and_unit_weights_do_not_matter(rows, random):
    p, y = rows
    order = random.sample(range(p.size), p.size)
    for calibrator in BOTH:
        c = calibrator().fit(p, y).predict(NEW)
        assert np.allclose(calibrator().fit(p[order], y[order]).predict(NEW), c, atol=1e-5)
        assert np.array_equal(calibrator().fit(p, y, np.full(p.size, 3.0)).predict(NEW), c)


@given(labelled_scores())
def test_rows_of_weight_zero_are_absent(rows):
    p, y = rows
    padded = np.r_[p, 0.01, 0.99, 0.5]
    labels = np.r_[y, 1, 0, 1]
    weight = np.r_[np.ones(p.size), 0, 0, 0]
    for calibrator in BOTH:
        assert np.allclose(calibrator().fit(padded, labels, weight).predict(NEW), calibrator().fit(p, y).predict(NEW))


@given(labelled_scores())
def test_isotonic_is_non_decreasing_keeps_totals_and_stays_inside(rows):
    p, y = rows
    fitted = IsotonicCalibrator().fit(p, y)
    c = fitted.predict(NEW)
    assert (np.diff(c) >= 0).all() and c.min() >= 0 and c.max() <= 1
    assert fitted.predict(p).sum() == pytest.approx(y.sum())


@pytest.mark.parametrize(("p", "y"), SEPARATED.values(), ids=SEPARATED)
def test_separable_labels_give_smoothed_finite_answers(p, y):
    fitted = PlattCalibrator().fit(p, y)
    c = fitted.predict(p)
    n1 = sum(y)
    n0 = len(y) - sum(y)
    assert fitted.separated_ and np.isfinite([fitted.slope_, fitted.intercept_]).all()
    assert c.min() > 0 and c.max() < 1
    smooth = np.where(np.array(y) == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    assert c.sum() == pytest.approx(smooth.sum(), abs=1e-4)


@pytest.mark.parametrize("power", [-8, 8])
def test_weights_over_many_orders_of_magnitude(power):
    sample = Sigmoid().sample(400, rng=0)
    weight = 10.0 ** np.random.default_rng(0).uniform(-8, 8, 400)
    c = PlattCalibrator().fit(sample.p, sample.y, weight).predict(NEW)
    scaled = PlattCalibrator().fit(sample.p, sample.y, weight * 10.0**power).predict(NEW)
    assert np.isfinite(c).all() and np.allclose(c, scaled)


@pytest.mark.parametrize("weight", [None, 3.0])
def test_scores_of_0_and_1_do_not_turn_the_line_and_get_their_own_rate(weight):
    p = np.repeat([0.5, 0.6, 0.7, 0.8, 0.9], 50)
    y = np.concatenate([np.arange(50) < 50 * rate for rate in (0.5, 0.6, 0.7, 0.8, 0.9)]).astype(float)
    at_0, at_1 = np.arange(10) < 1, np.arange(30) < 29
    scores, labels = np.r_[p, np.zeros(10), np.ones(30)], np.r_[y, at_0, at_1]
    fitted = PlattCalibrator().fit(scores, labels, None if weight is None else np.full(290, weight))
    assert (fitted.intercept_, fitted.slope_) == pytest.approx((0, 1), abs=1e-6)
    assert fitted.predict([0, 0.7, 1]) == pytest.approx([(1 + 0.5) / 11, 0.7, (29 + 0.9) / 31], abs=1e-6)
    lower = PlattCalibrator().fit(scores, np.r_[y, at_0, at_1 & (np.arange(30) < 15)])
    assert lower.predict([0.9, 1]) == pytest.approx([0.9, (15 + 0.9) / 31], abs=1e-6) and lower.rises(scores)
    without = PlattCalibrator().fit(p, y)
    assert (
        without.predict([0, 1]) == pytest.approx([1e-6, 1 - 1e-6], rel=1e-3) and np.isnan(without.certain_scores_).all()
    )
    decisions = PlattCalibrator().fit([0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0, 1])
    assert decisions.predict([0, 1]) == pytest.approx([1 / 3, 3 / 4])


def test_scores_outside_of_a_millionth_from_0_and_1_are_clipped_and_counted():
    fitted = PlattCalibrator().fit([0, 1, 0.4, 0.6, 1e-7, 1, 1e-6, 1 - 1e-6], [0, 1, 1, 0, 1, 0, 0, 1])
    assert fitted.n_clipped_ == 4
    assert np.isfinite(fitted.predict([0, 1])).all()
    assert clipped_logit([0, 1]).tolist() == [logit(1e-6), logit(1 - 1e-6)]
    assert make_calibrator("none").fit([0.2, 1], [1, 1]).predict([0, 0.3]).tolist() == [0, 0.3]
    with pytest.raises(ValueError, match="calibrator"):
        make_calibrator("plat")


# ---- the search for the maximum, which rows in chunks share -----------------------------------------------------


def test_the_logistic_loss_with_its_first_and_second_derivatives():
    rng = np.random.default_rng(0)
    z, y, w = rng.normal(size=9), rng.random(9), rng.uniform(0.5, 2, 9)
    beta = np.array([0.3, -0.8])
    loss, slope, curvature = logistic_terms(beta, z, y, w)
    c = expit(beta[0] + beta[1] * z)
    assert loss == pytest.approx(-w @ (y * np.log(c) + (1 - y) * np.log(1 - c)))
    for k, step in enumerate(1e-6 * np.eye(2)):
        above, below = logistic_terms(beta + step, z, y, w), logistic_terms(beta - step, z, y, w)
        assert slope[k] == pytest.approx((above[0] - below[0]) / 2e-6, abs=1e-6)
        assert curvature[k] == pytest.approx((above[1] - below[1]) / 2e-6, abs=1e-6)
    assert level_start(0.25).tolist() == [logit(0.25), 0]
    assert level_start(0.0) == pytest.approx([logit(1e-9), 0]) == -level_start(1.0)


def asked_for(loss, slope, curvature, start, **options):
    """Where `newton` ends on a function of one number, and where it asked for it."""
    asked = []

    def terms(theta):
        asked.append(float(theta[0]))
        return loss(theta[0]), slope(theta), np.atleast_2d(curvature(theta))

    return newton(terms, np.array([start]), **options)[0], asked


def test_steps_are_halved_until_the_loss_falls():
    """From 3, whole steps of the root of 1 + x^2 lead to -27 and beyond; 3 - 30 / 8 is the first that is lower."""
    size = 1.0 + 3.0**2
    end, asked = asked_for(lambda x: np.hypot(1, x), lambda x: x / np.hypot(1, x), lambda x: (1 + x**2) ** -1.5, 3.0)
    assert asked[:5] == pytest.approx([3 - 3 * size * share for share in (0, 1, 1 / 2, 1 / 4, 1 / 8)])
    assert end == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("level", [9, -9])
@pytest.mark.parametrize(("start", "n_asked"), [(0.6, 1), (0.66, 2)])
def test_the_search_ends_where_a_step_would_win_less_than_its_share(level, start, n_asked):
    """To first order the step of a parabola wins x^2; 0.04 (1 + |loss|) is 0.39 to 0.41 at both."""
    end, asked = asked_for(lambda x: level + x * x / 2, lambda x: x, np.ones_like, start, tol=0.04)
    assert len(asked) == n_asked and end == (start if n_asked == 1 else 0)
