"""Affine calibration: derivatives, the maximum of the likelihood, known truths, and no maximum at all."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.special import logsumexp, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from helpers.calibration import AffineCalibrator, PlattCalibrator, affine, cross_calibrate
from helpers.calibration.affine import _terms, calibrate_classes, information_of_line, log_of_stated


def draw(n, n_classes, scale=1.0, bias=0.0, seed=0):
    """Log scores and classes drawn from softmax(scale * scores + bias)."""
    rng = np.random.default_rng(seed)
    scores = 1.5 * rng.normal(size=(n, n_classes))
    return scores, (scale * scores + bias + rng.gumbel(size=scores.shape)).argmax(axis=1)


def gradient(fitted, scores, y):
    """Slope of the log loss at a fit, in the units of the fit."""
    gap = fitted.predict_proba(scores) - np.eye(scores.shape[1])[y]
    offsets = gap.mean(axis=0) if fitted.bias else np.zeros(scores.shape[1])
    return np.r_[np.vdot(gap, scores) / len(y), offsets]


def errors_of(scores, proba):
    """Standard errors of scale and centred offsets, from the Fisher information at the true probabilities."""
    n, n_classes = scores.shape
    design = np.concatenate([scores[:, :, None], np.broadcast_to(np.eye(n_classes), (n, n_classes, n_classes))], axis=2)
    mean = np.einsum("nk,nkp->np", proba, design)
    information = np.einsum("nk,nkp,nkq->pq", proba, design, design) - mean.T @ mean
    center = np.eye(n_classes + 1)
    center[1:, 1:] -= 1 / n_classes
    return np.sqrt(np.diag(center @ np.linalg.pinv(information) @ center.T))


# ---------------------------------------------------------------- by hand


def test_four_rows_by_hand():
    """Odds of 4 stated, odds of 3 seen: the scale is log 3 / log 4, and nothing prefers a class."""
    scores = np.log([[0.8, 0.2]] * 4 + [[0.2, 0.8]] * 4)
    fitted = AffineCalibrator().fit(scores, [0, 0, 0, 1, 1, 1, 1, 0])
    assert fitted.scale_ == pytest.approx(np.log(3) / np.log(4)) and np.allclose(fitted.bias_, 0, atol=1e-8)
    assert fitted.predict_proba(scores)[0] == pytest.approx([0.75, 0.25])
    assert fitted.predict(scores).tolist() == [0] * 4 + [1] * 4 and fitted.classes_.tolist() == [0, 1]


# ---------------------------------------------------------------- gradient and maximum


def test_two_classes_are_an_unpenalised_logistic_regression_on_the_difference():
    scores, y = draw(3000, 2, scale=1.3, bias=np.array([0.4, -0.4]), seed=2)
    x = np.diff(scores, axis=1)
    peer = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(x, y)
    proba = AffineCalibrator().fit(scores, y).predict_proba(scores)
    assert np.allclose(proba, peer.predict_proba(x), atol=1e-6)
    flat = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, fit_intercept=False).fit(x, y)
    temperature = AffineCalibrator(bias=False).fit(scores, y)
    assert temperature.scale_ == pytest.approx(flat.coef_[0, 0], rel=1e-5) and (temperature.bias_ == 0).all()


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_maximum_is_reached_whatever_the_size_of_the_scores(size):
    scores, y = draw(300, 5, scale=0.5, seed=3)
    for bias in (True, False):
        fitted = AffineCalibrator(bias=bias).fit(size * scores, y)
        slopes = gradient(fitted, size * scores, y) / np.r_[size, np.ones(5)]
        assert np.abs(slopes).max() < 1e-6
        assert fitted.scale_ * size == pytest.approx(AffineCalibrator(bias=bias).fit(scores, y).scale_, rel=1e-5)


# ---------------------------------------------------------------- known truth, and nothing to find


@pytest.mark.parametrize(
    ("scale", "bias"), [(1.0, [0, 0, 0, 0]), (0.4, [1, 0, 0, -1]), (2.5, [0.2, 0.3, -0.9, 0.4]), (-1.0, [0, 0, 0, 0])]
)
def test_scale_and_offsets_are_recovered_within_standard_errors(scale, bias):
    """(1, 0) is the null: a perfect model is left alone. 5 numbers in 4 cases, so 4 standard errors."""
    scores, y = draw(20_000, 4, scale, np.array(bias), seed=4)
    fitted = AffineCalibrator().fit(scores, y)
    se = errors_of(scores, softmax(scale * scores + bias, axis=1))
    assert (np.abs(np.r_[fitted.scale_ - scale, fitted.bias_ - bias]) < 4 * se).all()


# ---------------------------------------------------------------- laws


@st.composite
def tables(draw_one):
    """Scores on a coarse grid (ties, level rows) and classes, every class present."""
    n_classes = draw_one(st.integers(2, 4))
    n = draw_one(st.integers(n_classes, 25))
    scores = draw_one(arrays(float, (n, n_classes), elements=st.integers(-3, 3).map(float)))
    y = draw_one(arrays(int, n, elements=st.integers(0, n_classes - 1)))
    y[:n_classes] = np.arange(n_classes)
    assume((scores != scores[0]).any() and np.ptp(scores - scores.mean(axis=1, keepdims=True), axis=0).max() > 0.1)
    return scores, y


@given(tables(), st.booleans())
def test_rows_may_be_shifted_and_shuffled_and_classes_renamed(table, bias):
    scores, y = table
    assume(bias or np.ptp(scores, axis=1).max() > 0)
    kept = scores.copy(), y.copy()
    proba = AffineCalibrator(bias=bias).fit(scores, y).predict_proba(scores)
    rng = np.random.default_rng(0)
    shifted = scores + rng.normal(size=(len(y), 1))
    assert np.allclose(AffineCalibrator(bias=bias).fit(shifted, y).predict_proba(shifted), proba, atol=1e-5)
    order = rng.permutation(len(y))
    assert np.allclose(AffineCalibrator(bias=bias).fit(scores[order], y[order]).predict_proba(scores), proba, atol=1e-5)
    names = rng.permutation(scores.shape[1])  # class k is called names[k]
    renamed = AffineCalibrator(bias=bias).fit(scores[:, np.argsort(names)], names[y])
    assert np.allclose(renamed.predict_proba(scores[:, np.argsort(names)])[:, names], proba, atol=1e-5)
    assert np.array_equal(scores, kept[0]) and np.array_equal(y, kept[1])


# ---------------------------------------------------------------- no maximum


def has_no_maximum(scores, y, bias):
    """Whether a direction of scale and offsets lowers no row's margin and raises one: by linear programming."""
    n, n_classes = scores.shape
    own = np.eye(n_classes)[y]
    rows = np.array([
        np.r_[scores[i, y[i]] - scores[i, k], (own[i] - np.eye(n_classes)[k]) * bias]
        for i in range(n) for k in range(n_classes) if k != y[i]
    ])  # fmt: skip
    best = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * (n_classes + 1))
    return -best.fun > 1e-7


@given(tables(), st.booleans())
def test_separated_says_exactly_where_no_maximum_exists(table, bias):
    scores, y = table
    assume(bias or np.ptp(scores, axis=1).max() > 0)
    centered = scores - scores.mean(axis=1, keepdims=True)
    assert AffineCalibrator(bias=bias).fit(scores, y).separated_ == has_no_maximum(centered, y, bias)


@pytest.mark.parametrize("y", [[0, 0, 0, 1, 1], [1, 1, 1, 0, 0]], ids=["right", "reversed"])
def test_separated_rows_count_as_in_platt_scaling(y):
    p = np.array([0.1, 0.2, 0.3, 0.8, 0.9])
    scores = np.log(np.column_stack([1 - p, p]))
    fitted = AffineCalibrator().fit(scores, y)
    platt = PlattCalibrator().fit(p, y)
    assert fitted.separated_ and platt.separated_
    assert np.allclose(fitted.predict_proba(scores)[:, 1], platt.predict(p), atol=1e-6)
    assert not AffineCalibrator().fit(scores, [0, 1, 0, 1, 1]).separated_


def test_separated_rows_of_three_classes_count_as_smoothed_ones():
    y = np.array([0, 0, 0, 1, 1, 2])
    rng = np.random.default_rng(0)
    scores = 3 * np.eye(3)[y] + rng.random((6, 3))
    fitted = AffineCalibrator().fit(scores, y)
    m = np.bincount(y)
    target = (1 + m[:, None] * np.eye(3)) / (m[:, None] + 3)
    gap = fitted.predict_proba(scores) - target[y]
    assert fitted.separated_ and gap.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.vdot(gap, scores) == pytest.approx(0, abs=1e-6)


def test_level_rows_are_separated_whatever_the_rounding():
    for shift in np.random.default_rng(0).random((20, 2, 1)):
        scores = np.array([[0.3e6, 0], [0.3e6, 0], [0, 1e6], [1e6, 0]]) + np.r_[shift, [[0], [0]]]
        assert AffineCalibrator().fit(scores, [0, 1, 1, 0]).separated_


# ---------------------------------------------------------------- scores of exactly 0 and 1


def draw_with_zeros(n=400, seed=0):
    """Scores of three classes: a quarter one-hot (right in 80 %), a quarter with one 0, the rest inside."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet([4, 3, 2], n)
    true = P.copy()
    quarter = np.arange(n) % 4
    P[quarter == 0] = np.eye(3)[P[quarter == 0].argmax(axis=1)]
    true[quarter == 0] = 0.8 * P[quarter == 0] + 0.2 * np.roll(P[quarter == 0], 1, axis=1)
    P[np.arange(n), np.where(quarter == 1, P.argmin(axis=1), P.argmax(axis=1))] *= quarter != 1
    P /= P.sum(axis=1, keepdims=True)
    true[quarter == 1] = 0.9 * P[quarter == 1] + 0.1 / 3
    return P, (true.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)


def test_one_hot_scores_have_the_rates_of_their_class_and_leave_the_line_alone():
    P, y = draw_with_zeros()
    hot = P.max(axis=1) == 1
    with np.errstate(divide="ignore"):
        fitted = AffineCalibrator().fit(np.log(P), y)
        without = AffineCalibrator().fit(np.log(P[~hot]), y[~hot])
    assert (fitted.scale_, *fitted.bias_) == pytest.approx((without.scale_, *without.bias_))
    c = fitted.predict_proba(log_of_stated(P))
    assert c.sum(axis=1) == pytest.approx(np.ones(len(P))) and c.min() > 0
    for k in range(3):
        own = hot & (P[:, k] == 1)
        gap = own.sum() * (c[own][0] - np.bincount(y[own], minlength=3) / own.sum())
        assert np.ptp(c[own], axis=0) == pytest.approx(np.zeros(3)) and np.abs(gap).max() < 1  # one row more


def test_a_class_stated_0_has_the_rate_at_which_it_came():
    P, y = draw_with_zeros()
    c = calibrate_classes(P, y, None, P)
    for k in range(3):
        own = (P[:, k] == 0) & (P.max(axis=1) < 1)
        assert np.ptp(c[own, k]) < 1e-12
        assert 0 < c[own, k][0] * (own.sum() + 1) - (y[own] == k).sum() < 0.2  # the chance of one row more


def test_the_line_is_the_likeliest_among_rows_of_which_a_stated_class_came():
    P, y = draw_with_zeros()
    row = (P[np.arange(len(y)), y] > 0) & (P.max(axis=1) < 1)
    P, y = P[row], y[row]
    fitted = AffineCalibrator().fit(log_of_stated(P), y)
    z = np.where(P > 0, fitted.scale_ * np.log(np.maximum(P, 1e-300)) + fitted.bias_, -np.inf)
    gap = softmax(z, axis=1) - np.eye(3)[y]
    assert gap.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.vdot(gap, np.where(P > 0, np.log(np.maximum(P, 1e-300)), 0)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_0_and_1_of_two_classes_are_those_of_platt(weighted):
    rng = np.random.default_rng(1)
    p = np.r_[rng.random(150), np.zeros(20), np.ones(30)]
    y = (rng.random(200) < 0.1 + 0.8 * p).astype(int)
    w = rng.uniform(0.5, 2, 200) if weighted else None
    P = np.column_stack([1 - p, p])
    platt = PlattCalibrator().fit(p, y, w)
    assert calibrate_classes(P, y, w, P)[:, 1] == pytest.approx(platt.predict(p), abs=1e-6)


def test_a_hard_classifier_has_the_rates_of_its_answers():
    rng = np.random.default_rng(2)
    answer, y = rng.integers(0, 3, 600), rng.integers(0, 3, 600)
    y[:300] = answer[:300]
    fitted = AffineCalibrator().fit(log_of_stated(np.eye(3)[answer]), y)
    assert (fitted.scale_, *fitted.bias_) == (1, 0, 0, 0)  # nothing tells a line
    c = fitted.predict_proba(log_of_stated(np.eye(3)))
    base = np.bincount(y) / 600
    for k in range(3):
        own = np.bincount(y[answer == k], minlength=3)
        assert c[k] == pytest.approx((own + base) / (own.sum() + 1))


def test_zeros_that_no_row_of_the_fit_has_are_as_low_as_the_lowest():
    scores, y = draw(200, 3, seed=5)
    fitted = AffineCalibrator().fit(scores, y)
    lowest = fitted.predict_proba(scores).min(axis=0)
    assert fitted.predict_proba([[0, -np.inf, 0]])[0, 1] == pytest.approx(lowest[1])


def test_a_class_that_only_one_hot_rows_have_breaks_nothing():
    P, y = draw_with_zeros()
    row = (P.max(axis=1) == 1) | (y != 2)
    c = calibrate_classes(P[row], y[row], None, P)
    assert np.isfinite(c).all() and c.min() > 0


@pytest.mark.parametrize("clip", [1e-9, 1e-4])
def test_nothing_hangs_on_where_scores_count_as_0(clip, monkeypatch):
    P, y = draw_with_zeros()
    P = np.where(P > 0, np.maximum(P, 1e-3), 0)
    P /= P.sum(axis=1, keepdims=True)
    before = calibrate_classes(P, y, None, P)
    monkeypatch.setattr(affine, "CLIP", clip)
    assert np.array_equal(calibrate_classes(P, y, None, P), before)


# ---------------------------------------------------------------- cross-validation and scikit-learn


def test_cross_calibrate_is_what_scikit_learn_does_with_the_same_folds():
    scores, y = draw(400, 3, scale=0.6, bias=np.array([0.5, 0, -0.5]), seed=6)
    folds = StratifiedKFold(5, shuffle=True, random_state=42)
    for bias in (True, False):
        peer = cross_val_predict(AffineCalibrator(bias=bias), scores, y, cv=folds, method="predict_proba")
        assert np.array_equal(cross_calibrate(scores, y, bias=bias), peer)
    one, two = (cross_calibrate(scores, y, rng=np.random.default_rng(seed)) for seed in (1, 2))
    assert np.abs(one - two).max() > 1e-6
    assert np.array_equal(cross_val_predict(AffineCalibrator(), scores, y, cv=folds).shape, y.shape)


def test_classes_are_calibrated_by_the_logarithms_of_their_scores():
    assert log_of_stated([[0.0, 1.0], [0.25, 0.75]]).tolist() == [[-np.inf, 0], [np.log(0.25), np.log(0.75)]]
    scores, y = draw(200, 3, scale=0.5, seed=5)
    P = softmax(scores, axis=1)
    found = calibrate_classes(P[:100], y[:100], None, P[100:])
    assert found == pytest.approx(AffineCalibrator().fit(np.log(P[:100]), y[:100]).predict_proba(np.log(P[100:])))
    with pytest.raises(ValueError, match="p must"):
        calibrate_classes(np.tile(P[:1], (100, 1)), y[:100], None, P)


@pytest.mark.parametrize("never", [None, np.arange(24).reshape(3, 8) % 5 == 0], ids=["all can come", "some cannot"])
@pytest.mark.parametrize("theta", [[0.7], [0.7, 0.3, -0.5, 0.2]], ids=["scale", "scale and offsets"])
def test_first_and_second_derivatives_of_the_normaliser(theta, never):
    rng = np.random.default_rng(0)
    scores, w = rng.normal(size=(3, 8)), rng.uniform(0.5, 2, 8)
    loss, slope, curvature = _terms(np.array(theta), scores, w, never)
    z = theta[0] * scores + (np.array(theta[1:])[:, None] if len(theta) > 1 else 0)
    assert loss == pytest.approx(w @ logsumexp(z, axis=0, b=1.0 if never is None else ~never))
    for k, step in enumerate(1e-6 * np.eye(len(theta))):
        above, below = _terms(theta + step, scores, w, never), _terms(theta - step, scores, w, never)
        assert slope[k] == pytest.approx((above[0] - below[0]) / 2e-6, abs=1e-6)
        assert curvature[k] == pytest.approx((above[1] - below[1]) / 2e-6, abs=1e-6)


def test_the_information_of_a_line_is_summed_over_rows():
    rng = np.random.default_rng(0)
    z, c, w = rng.normal(size=(7, 3)), rng.dirichlet(np.ones(3), 7), rng.uniform(0.5, 2, 7)
    designs = [np.column_stack([np.eye(3), row]) for row in z]
    rows = [own * Z.T @ (np.diag(q) - np.outer(q, q)) @ Z for own, Z, q in zip(w, designs, c, strict=True)]
    assert information_of_line(z, c, w) == pytest.approx(sum(rows))


def test_weights_count_rows():
    scores, y = draw(60, 3, scale=0.6, seed=8)
    times = np.random.default_rng(0).integers(0, 3, 60)
    for bias in (True, False):
        weighted = AffineCalibrator(bias=bias).fit(scores, y, 0.3 * times)
        copies = AffineCalibrator(bias=bias).fit(np.repeat(scores, times, axis=0), np.repeat(y, times))
        assert np.r_[weighted.scale_, weighted.bias_] == pytest.approx(np.r_[copies.scale_, copies.bias_], abs=1e-6)


# ---------------------------------------------------------------- bad input

GOOD = np.log([[0.7, 0.3], [0.4, 0.6], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5], [0.9, 0.1]])
BAD = [
    (GOOD, [0, 1, 1, 0, 1, 2], "y must"),
    (GOOD, [0, 1, 1, 0, 1, np.nan], "y must"),
    (GOOD, [0, 1], "log_scores and y must"),
    (GOOD[:, 0], [0] * 6, "table of rows and at least two classes"),
    (GOOD[:, :1], [0] * 6, "table of rows and at least two classes"),
    (np.empty((0, 2)), [], "table of rows"),
    (np.where(GOOD < -2, np.inf, GOOD), [0, 1, 1, 0, 1, 0], r"log_scores\[5, 1\] is inf"),
    (np.where(GOOD[:, [0]] < -1.5, -np.inf, GOOD), [0, 1, 1, 0, 1, 0], r"log_scores\[2, 0\] is -inf"),
    (np.where(GOOD < -2, np.nan, GOOD), [0, 1, 1, 0, 1, 0], r"log_scores\[5, 1\] is nan"),
    (GOOD * 1e101, [0, 1, 1, 0, 1, 0], "must lie within -1e100 and 1e100"),
    ([["a", "b"]] * 6, [0, 1, 1, 0, 1, 0], "log_scores must"),
]  # fmt: skip


@pytest.mark.parametrize(("scores", "y", "sentence"), BAD)
def test_bad_input_is_named(scores, y, sentence):
    for fit in (AffineCalibrator().fit, cross_calibrate):
        with pytest.raises(ValueError, match=sentence):
            fit(scores, y)


def test_an_absent_class_has_no_offset_but_a_temperature():
    scores, y = draw(200, 3, seed=11)
    y = np.where(y == 2, 0, y)
    with pytest.raises(ValueError, match=r"every class 0 .. 2 .* class 2 is absent; bias=False"):
        AffineCalibrator().fit(scores, y)
    fitted = AffineCalibrator(bias=False).fit(scores, y)
    assert fitted.classes_.tolist() == [0, 1, 2] and fitted.predict_proba(scores).shape == (200, 3)
    assert cross_calibrate(scores, y, bias=False).shape == (200, 3)


def test_a_class_that_a_fold_would_lack_is_named():
    scores, y = draw(200, 3, seed=12)
    y = np.where(y == 2, 0, y)
    y[:3] = 2
    with pytest.raises(ValueError, match=r"at least n_folds = 5 rows of every class.*class 2 has 3"):
        cross_calibrate(scores, y)
    with pytest.raises(ValueError, match=r"class 2 has 3"):
        cross_calibrate(scores, y, bias=False)
    assert cross_calibrate(scores, y, n_folds=3).shape == (200, 3)
    with pytest.raises(ValueError, match=r"class 0 has 0"):
        cross_calibrate(scores + 0, np.maximum(y, 1))


def test_scores_that_say_nothing_have_no_scale():
    with pytest.raises(ValueError, match="must differ between rows"):
        AffineCalibrator().fit([[0.3, -0.2]] * 4, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="must not be level in every row"):
        AffineCalibrator(bias=False).fit([[0.3, 0.3], [1.0, 1.0]], [0, 1])


def test_huge_scores_do_not_overflow():
    scores, y = draw(100, 3, seed=13)
    fitted = AffineCalibrator().fit(1e80 * scores, y)
    assert np.allclose(fitted.predict_proba(1e80 * scores), AffineCalibrator().fit(scores, y).predict_proba(scores))
    assert np.isfinite(AffineCalibrator().fit(scores, y).predict_proba(1e80 * scores)).all()
