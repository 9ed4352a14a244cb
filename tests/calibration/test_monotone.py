"""The isotonic curve and its band: a loop over runs, coverage where the truth is known, agreement with its test."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta
from sklearn.isotonic import IsotonicRegression

from helpers.calibration import monotone_curve
from helpers.calibration.monotone import _error_of_all, _error_of_each, _largest_deviations, _runs


def scores(rng, n):
    return expit(rng.normal(-1, 1.2, n))


def band_of_runs(y, p, w, inflation, level):
    """Ends of the band at any score, and the p-value, from a loop over runs of 1, 2, 4, … cells of ten rows or more."""
    score = np.sort(p)
    n_cells = len(score) // 10
    edges = np.r_[np.unique(score[[k * len(score) // n_cells for k in range(n_cells)]]), 2]
    n_cells = edges.size - 1
    lengths = [2**k for k in range(7) if 2**k <= n_cells]
    runs = [(a, a + length) for length in lengths for a in range(0, n_cells - length + 1, max(length // 4, 1))]
    squares = np.r_[0, np.cumsum([(w[(p >= a) & (p < b)] ** 2).sum() for a, b in zip(edges, edges[1:], strict=False)])]
    largest = _largest_deviations(squares, *np.array(runs).T)
    tail = _error_of_each(1 - level, len(runs), largest) / 2
    bounds, errors = [], []
    for a, b in runs:
        rows = (p >= edges[a]) & (p < edges[b])
        n = w[rows].sum() ** 2 / (w[rows] ** 2).sum() / inflation
        hits = n * np.average(y[rows], weights=w[rows])
        first, last = p[rows].min(), p[rows].max()
        low = beta.ppf(tail, hits, n - hits + 1) if y[rows].any() else 0.0
        high = 1.0 if y[rows].all() else beta.isf(tail, hits + 1, n - hits)
        bounds.append((first, last, low, high))
        errors.append(1.0 if y[rows].all() else beta.sf(first, hits + 1, n - hits))
        errors.append(beta.cdf(last, hits, n - hits + 1) if y[rows].any() else 1.0)

    def ends(x):
        lows = [low for _, last, low, _ in bounds if last <= x]
        highs = [high for first, _, _, high in bounds if first >= x]
        return max(lows, default=0.0), min(highs, default=1.0)

    return ends, _error_of_all(2 * min(errors), len(runs), largest)


@pytest.mark.parametrize("shift", [-0.2, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_band_is_the_tightest_of_what_runs_of_cells_allow(shift, weighted, grouped):
    rng = np.random.default_rng(1)
    p = np.round(rng.random(168), 2)
    y = (rng.random(168) < np.clip(1.6 * p - 0.3 + shift, 0, 1)) * 1.0
    w = rng.uniform(0.5, 2, 168) if weighted else np.ones(168)
    person = np.arange(168) // 4
    curve = monotone_curve(y, p, sample_weight=w if weighted else None, groups=person if grouped else None, level=0.9)
    fit = IsotonicRegression().fit(p, y, w)
    r = w * (y - fit.predict(p))
    inflation = max((np.bincount(person, r) ** 2).sum() / (r @ r), 1) if grouped else 1
    ends, p_value = band_of_runs(y, p, w, inflation, 0.9)
    assert curve.stated.tolist() == np.unique(p).tolist() and curve.observed == pytest.approx(fit.predict(curve.stated))
    assert np.column_stack([curve.low, curve.high]) == pytest.approx(np.array([ends(x) for x in curve.stated]))
    assert curve.p_value == pytest.approx(p_value) and 0 < p_value < 0.9 and curve.level == 0.9
    assert curve.outside.tolist() == [not low <= x <= high for x, (low, high) in ((x, ends(x)) for x in curve.stated)]
    assert "array" not in repr(curve)


def test_many_scores_are_shown_at_two_hundred():
    p = np.random.default_rng(0).random(3000)
    curve = monotone_curve(np.arange(3000) % 2, p)
    assert 190 < curve.stated.size <= 200 and curve.stated[[0, -1]].tolist() == [p.min(), p.max()]
    assert np.isin(np.sort(p)[[3000 * 20 // 64, 3000 * 21 // 64 - 1]], curve.stated).all()  # where the band may move


def test_the_largest_deviation_is_that_of_sums_with_the_same_overlaps():
    """Cells of variance 1 and 3, and both together."""
    z = np.random.default_rng(1).normal(size=(100_000, 2))
    both = z @ [1, np.sqrt(3)] / 2
    expected = np.abs(np.column_stack([z, both])).max(axis=1)
    found = _largest_deviations(np.array([0.0, 1, 4]), np.array([0, 1, 0]), np.array([1, 2, 2]))
    shares = [0.1, 0.5, 0.9, 0.97]
    assert np.quantile(found, shares) == pytest.approx(np.quantile(expected, shares), abs=0.06)
    assert (np.diff(found) >= 0).all() and _error_of_each(1e-5, 3, found) == 1e-5 / 3


@pytest.mark.slow
def test_the_band_holds_flat_curves_whose_runs_are_the_sharpest_bounds():
    """Nominal 80 %, so that a band that is too narrow shows in few draws."""
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(70):
        p = scores(rng, 1500)
        curve = monotone_curve((rng.random(1500) < np.where(p < 0.3, 0.15, 0.3)) * 1.0, p, level=0.8)
        truth = np.where(curve.stated < 0.3, 0.15, 0.3)
        covered += bool(((curve.low <= truth) & (truth <= curve.high)).all())
        assert (curve.p_value < 0.2) == curve.outside.any()
    assert covered >= 50


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
def test_a_run_may_err_more_often_than_if_runs_did_not_overlap(alpha):
    squares = 30.0 * np.arange(65)
    start, stop = _runs(64)
    largest = _largest_deviations(squares, start, stop)
    each = _error_of_each(alpha, start.size, largest)
    assert 1.15 < each * start.size / alpha < 2
    assert _error_of_all(0.99 * each, start.size, largest) < alpha <= _error_of_all(1.01 * each, start.size, largest)


def test_a_falling_curve_is_none_of_these():
    p = np.linspace(0.01, 0.99, 2000)
    y = np.random.default_rng(2).random(2000) < 1 - p
    assert not monotone_curve(y, p).is_monotone


def test_bad_input():
    with pytest.raises(ValueError, match="level"):
        monotone_curve([0, 1], [0.5, 0.6], level=1.0)


def test_a_constant_score():
    curve = monotone_curve([0, 1, 1, 0] * 30, np.full(120, 0.5))
    assert curve.stated.tolist() == [0.5] and curve.low[0] < 0.5 < curve.high[0] and curve.p_value == 1
