"""The law of all gaps where the scores are right: dense matrices, refits, draws, intervals, what can be found."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import expit, logit
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from helpers.audit import null as module
from helpers.audit.gaps import SegmentGaps
from helpers.audit.intervals import gap_intervals
from helpers.audit.joint import bonus_of_singles, largest_gaps
from helpers.audit.null import after_one_step, drawn_gaps
from helpers.audit.power import chances_of
from helpers.audit.recalibration import recalibrated
from helpers.audit.segments import SegmentFamily
from helpers.audit.skewness import skewed_from, symmetric
from helpers.calibration import IsotonicCalibrator, PlattCalibrator

N = 240


def table(seed=0, weighted=True):
    """Labels, scores, features, weights and groups; the scores take four values, each as often."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 4, N), "b": rng.choice(["u", "v", "w"], N)})
    p = rng.permutation(np.arange(N) % 4) / 5 + 0.15
    place = np.arange(N) // 4
    y = (norm.cdf(np.repeat(rng.normal(size=N // 4), 4) + 0.8 * rng.normal(size=N)) < p).astype(float)
    return y, p, X, rng.choice([0.5, 1, 1.5], N) if weighted else np.ones(N), place


def gaps_of(y, p, weight, groups, family, calibrator):
    """Standardised gaps after a calibrator."""
    weight = weight / weight.mean()
    return SegmentGaps(y, p, *recalibrated(y, p, weight, calibrator), weight, groups, family)


def model(calibrator="platt", groups=False, weighted=True, seed=0):
    """Standardised gaps, and the masks of their segments."""
    y, p, X, weight, place = table(seed, weighted)
    family = SegmentFamily(X, y, 15, 2)
    gaps = gaps_of(y, p, weight, place if groups else None, family, calibrator)
    return gaps, family.members(range(family.pairs.size), X).astype(float)


def left_by_fit(c, directions, inside, weight):
    """By how much a change of each label moves each gap after one Newton step of the calibrator, (n, segments)."""
    curved = directions * (weight * c * (1 - c))[:, None]
    return weight[:, None] * (inside - directions @ np.linalg.pinv(directions.T @ curved) @ curved.T @ inside)


def third_moments(c, inside, weight, variance):
    """Third moments of the gaps, as the derivation has them."""
    part = variance / ((weight**2 * c * (1 - c)) @ inside)
    return (weight**3 * c * (1 - c) * (1 - 2 * c)) @ inside * part * (2 * part - 1)


def dense_gaps(y, c, directions, inside, weight=None):
    """Standardised gaps from the definition."""
    weight = np.ones(len(y)) if weight is None else weight
    left = left_by_fit(c, directions, inside, weight)
    variance = (c * (1 - c)) @ left**2
    return symmetric((y - c) @ left / np.sqrt(variance), third_moments(c, inside, weight, variance) / variance**1.5)


@pytest.mark.parametrize("calibrator", ["none", "platt", "isotonic"])
def test_gaps_are_those_of_dense_matrices(calibrator):
    gaps, inside = model(calibrator)
    y, p, X, weight, _ = table()
    weight = weight / weight.mean()
    if calibrator == "none":
        c, directions = p, np.empty((N, 0))
    elif calibrator == "platt":
        c, directions = PlattCalibrator().fit(p, y, weight).predict(p), np.column_stack([np.ones(N), logit(p)])
    else:
        c = IsotonicCalibrator().fit(p, y, weight).predict(p)
        directions = (c[:, None] == np.unique(c)).astype(float)
    np.testing.assert_allclose(gaps.z, dense_gaps(y, c, directions, inside, weight), rtol=1e-6)
    np.testing.assert_array_equal(gaps.n, inside.sum(axis=0))
    total = weight @ inside
    np.testing.assert_allclose(gaps.share, total / N)
    for name, values in (("stated", p), ("calibrated", c), ("observed", y), ("gap", y - c)):
        np.testing.assert_allclose(getattr(gaps, name), (weight * values) @ inside / total, atol=1e-9)
    # a residual that is drawn moves the gaps likewise, and the variance by the slope of its logarithm
    drawn = np.random.default_rng(1).normal(size=(N, 2)).astype(np.float32)
    sums, growth = after_one_step(gaps, drawn)
    left = left_by_fit(c, directions, inside, weight)
    np.testing.assert_allclose(sums, left.T @ drawn, rtol=1e-3, atol=1e-3)
    curved = (directions * (weight * c * (1 - c))[:, None]).T @ directions
    odds = logit(c)[:, None] + 1e-5 * directions @ np.linalg.pinv(curved) @ (directions * weight[:, None]).T @ drawn
    before, after = ((weight**2) * (v * (1 - v)).T @ inside for v in (c[:, None], expit(odds)))
    np.testing.assert_allclose(growth, (np.log(after / before) / 1e-5).T, rtol=1e-2, atol=1e-2)
    z = symmetric(gaps.sums.residual / 1.2 / np.sqrt(gaps.variance), gaps.sums.third / gaps.variance**1.5)
    np.testing.assert_allclose(gaps.standardised(gaps.sums.residual, 1.44), z)


def test_one_step_of_the_calibrator_is_nearly_the_calibrator_fitted_anew():
    gaps, inside = model(weighted=False)
    y, p, *_ = table(weighted=False)
    drawn = (np.random.default_rng(4).random((N, 20)) < gaps.c[:, None]).astype(float)
    sums, growth = after_one_step(gaps, (drawn - gaps.c[:, None]).astype(np.float32))
    anew = [dense_gaps(y, PlattCalibrator().fit(p, y).predict(p), gaps.Z, inside) for y in drawn.T]
    assert np.abs(gaps.standardised(sums, np.exp(growth)) - np.transpose(anew)).max() < 0.15


@pytest.mark.parametrize("groups", [False, True])
def test_gaps_that_are_left_once_some_segments_are_right_are_those_of_a_regression_on_them(groups):
    gaps, inside = model(groups=groups)
    segments = [1, len(gaps.z) - 1]
    y, p, X, weight, _ = table()
    weight = weight / weight.mean()
    directions = np.column_stack([np.ones(N), logit(p), inside[:, segments]])
    fit = sm.GLM(y, directions, family=sm.families.Binomial(), offset=logit(gaps.c), freq_weights=weight).fit()
    left = left_by_fit(fit.fittedvalues, directions, inside, weight)
    variance = (fit.fittedvalues * (1 - fit.fittedvalues)) @ left**2
    judged = variance > 1e-3 * ((weight**2 * fit.fittedvalues * (1 - fit.fittedvalues)) @ inside)
    assert not judged[segments].any()
    if groups:
        z = (y - fit.fittedvalues) @ left / np.sqrt(variance * gaps.variance / gaps.sums.variance)
    else:
        z = dense_gaps(y, fit.fittedvalues, directions, inside, weight)
    np.testing.assert_allclose(gaps.z_after(segments), np.where(judged, z, 0), rtol=1e-4, atol=1e-3)


def test_drawn_gaps_are_normal_and_as_correlated_as_the_segments():
    gaps, inside = model("none", weighted=False)
    draws = np.concatenate(list(drawn_gaps(gaps, 2001, np.random.default_rng(2))), axis=1)
    assert draws.shape == (gaps.z.size, 2001)
    left = left_by_fit(gaps.c, gaps.Z, inside, gaps.weight) * np.sqrt(gaps.c * (1 - gaps.c))[:, None]
    left /= np.linalg.norm(left, axis=0)
    assert np.abs(draws.mean(axis=1)).max() < 4.5 / np.sqrt(2001)
    assert np.abs(np.cov(draws) - left.T @ left).max() < 5 * np.sqrt(2 / 2001)


def test_rows_that_depend_on_each_other_keep_their_dependence_and_its_variance():
    gaps, inside = model(groups=True)
    y, p, X, weight, place = table()
    left = left_by_fit(gaps.c, np.column_stack([np.ones(N), logit(p)]), inside, weight / weight.mean())
    residual = y - gaps.c
    sd = np.sqrt(gaps.c * (1 - gaps.c))
    together = (place[:, None] == place) & ~np.eye(N, dtype=bool)
    shared = (np.outer(residual, residual) * together).sum() / (np.outer(sd, sd) * together).sum()
    assert 0.1 < shared < 0.9
    signed = pd.DataFrame(left * residual[:, None]).groupby(place).sum().to_numpy()
    expected = shared * (pd.DataFrame(left * sd[:, None]).groupby(place).sum().to_numpy() ** 2).sum(axis=0)
    expected += (1 - shared) * (sd**2 @ left**2)
    wanted = np.maximum(sd**2 @ left**2, ((signed**2).sum(axis=0) + expected) / 2)
    np.testing.assert_allclose(gaps.variance, wanted)
    np.testing.assert_allclose(gaps.z, residual @ left / np.sqrt(gaps.variance), rtol=1e-5)
    draws = np.concatenate(list(drawn_gaps(gaps, 2000, np.random.default_rng(2))), axis=1)
    scale = np.sqrt(gaps.variance)
    error = draws @ draws.T / 2000 - (signed / scale).T @ (signed / scale)
    assert np.abs(error).max() < 5 * np.sqrt(2 / 2000) * ((signed / scale) ** 2).sum(axis=0).max()


def test_the_largest_gap_of_each_table_and_p_values_step_down_from_the_strongest():
    blocks = [np.array([[1, -3.0], [2, 0], [0, 1]]), np.array([[0.0], [-2], [4]])]
    bonus = np.array([0.5, 0, 0])
    strength = np.array([3.5, 2, 4])
    drawn = np.abs(np.hstack(blocks)) + bonus[:, None]
    largest, adjusted = largest_gaps(blocks, strength, bonus)
    np.testing.assert_array_equal(largest, drawn.max(axis=0))
    # the strongest is compared with all three, the second with two of them, the weakest with itself, ties against it
    np.testing.assert_allclose(adjusted, [(1 + 1) / 4, (1 + 2) / 4, (1 + 1) / 4])


def test_segments_of_one_column_are_ahead_by_half_of_what_their_smaller_number_is_worth():
    pairs = np.array([False, False, True, True, True, True])
    ahead = (np.sqrt(2 * np.log(4)) - np.sqrt(2 * np.log(2))) / 2
    np.testing.assert_allclose(bonus_of_singles(pairs), [ahead, ahead, 0, 0, 0, 0])
    for few in (pairs[:2], pairs[1:], ~pairs):
        assert not bonus_of_singles(few).any()


@pytest.mark.parametrize("skewness", [-1.0, 0.0, 0.5, 1.0, 3.0])
def test_a_gap_made_symmetric_and_skewed_again_is_itself(skewness):
    z = skewed_from(symmetric(np.array([3.0 if skewness > -1 else 1.5]), np.array(skewness)), skewness)
    np.testing.assert_allclose(z, 3.0 if skewness > -1 else 1.5, rtol=1e-6)


@pytest.mark.parametrize("freedom", [1, 4, 40])
def test_a_standardised_chi_square_is_made_symmetric_as_wilson_and_hilferty_have_it(freedom):
    chi_square = freedom * np.array([0.3, 1, 2.5])
    z = (chi_square - freedom) / np.sqrt(2 * freedom)
    theirs = ((chi_square / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) * np.sqrt(9 * freedom / 2)
    np.testing.assert_allclose(symmetric(z, np.array(np.sqrt(8 / freedom))), theirs)
    np.testing.assert_allclose(symmetric(-z, np.array(-np.sqrt(8 / freedom))), -theirs)
    assert symmetric(z, np.array(5.0)) == pytest.approx(symmetric(z, np.array(3.0)))


@pytest.mark.parametrize("critical", [1.96, 3.2])
def test_intervals_end_where_the_gap_would_be_at_the_critical_value(critical):
    gaps, inside = model()
    weight = gaps.weight
    left = left_by_fit(gaps.c, gaps.Z, inside, weight)
    variance = (gaps.c * (1 - gaps.c)) @ left**2
    part = variance / ((weight**2 * gaps.c * (1 - gaps.c)) @ inside)
    third = third_moments(gaps.c, inside, weight, variance)
    bend = gaps.calibrated * (1 - gaps.calibrated) * (1 - 2 * gaps.calibrated)
    for end, target in zip(gap_intervals(gaps, np.full(gaps.z.size, critical)), (critical, -critical), strict=True):
        rate = end + gaps.calibrated
        spread = variance * rate * (1 - rate) / (gaps.calibrated * (1 - gaps.calibrated))
        moved = weight**3 @ inside * part * (2 * part - 1) * (rate * (1 - rate) * (1 - 2 * rate) - bend)
        z = symmetric(weight @ inside * (gaps.observed - rate) / np.sqrt(spread), (third + moved) / spread**1.5)
        np.testing.assert_allclose(z, target, atol=1e-6)


def test_intervals_of_dependent_rows_are_wilsons_with_fewer_rows():
    gaps, inside = model(groups=True)
    rows = gaps.total**2 * gaps.calibrated * (1 - gaps.calibrated) / gaps.variance
    wilson = proportion_confint(gaps.observed * rows, rows, alpha=2 * norm.sf(2.5), method="wilson")
    np.testing.assert_allclose(np.add(gap_intervals(gaps, 2.5), gaps.calibrated), wilson, atol=1e-9)


@pytest.mark.parametrize(("share", "rate"), [(0.05, 0.03), (0.3, 0.2), (0.7, 0.6)])
def test_a_gap_that_is_detectable_is_beyond_the_critical_value_in_80_percent(share, rate):
    n, critical = 2000, 3.5
    gaps = SimpleNamespace(
        weight=np.ones(n), c=np.full(n, rate), mean=rate, independent=True, variance=np.ones(3),
        sums=SimpleNamespace(variance=np.ones(3), usable=np.array([True, True, False])),
    )  # fmt: skip
    gap = chances_of(gaps).detectable(share, critical)
    inside = np.arange(n) < share * n
    pooled = np.full(n, rate + share * gap)  # recalibration gives everybody a part of the gap
    left = inside - share
    variance = pooled * (1 - pooled) @ left**2
    skewness = (pooled * (1 - pooled) * (1 - 2 * pooled)) @ left**3 / variance**1.5
    q = rate + gap * inside
    beyond = (q - pooled) @ left - skewed_from(critical, skewness) * np.sqrt(variance)
    assert norm.cdf(beyond / np.sqrt(q * (1 - q) @ left**2)) == pytest.approx(0.8, abs=1e-4)


def test_weights_and_groups_leave_fewer_rows_to_find_gaps_in():
    gaps, _ = model("none", weighted=False)
    assert chances_of(gaps).rows == pytest.approx(N) and chances_of(gaps).skewed
    assert (chances_of(gaps).mean, chances_of(gaps).variance) == pytest.approx(
        (gaps.c.mean(), (gaps.c * (1 - gaps.c)).mean())
    )
    y, p, X, weight, place = table()
    moved = gaps_of(y, np.full(N, 0.4), weight, None, gaps.family, "platt")
    np.testing.assert_allclose(moved.c, np.average(y, weights=weight))
    gaps = gaps_of(y, np.full(N, 0.4), weight, None, gaps.family, "none")
    assert chances_of(gaps).rows == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert chances_of(gaps).detectable(0.001, 4.0) == pytest.approx(0.6)  # not even if it happened to all
    dependent = gaps_of(y, np.full(N, 0.4), weight, place, gaps.family, "none")
    fewer = np.median(dependent.variance / gaps.variance)
    assert fewer > 1.05 and chances_of(dependent).rows == pytest.approx(chances_of(gaps).rows / fewer)
    assert not chances_of(dependent).skewed


@pytest.mark.parametrize("groups", [False, True])
def test_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch, groups):
    gaps, _ = model(groups=groups)
    draws = []
    for block in (64, 10):
        monkeypatch.setattr(module, "BLOCK", block)
        draws.append(np.concatenate(list(drawn_gaps(gaps, 30, np.random.default_rng(1))), axis=1))
    np.testing.assert_allclose(*draws, atol=1e-4)
