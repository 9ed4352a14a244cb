"""A calibration error is never bare: bins by a loop, and the laws behind null value, debiased value and interval."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import beta, binom, norm

from helpers.calibration import calibration_error, reliability_curve
from helpers.calibration.reliability import binned_error, cluster_effects, design_effect, error_of_curve
from helpers.profile import TableWarning


def draw(n, rng, stated=lambda q: q):
    q = rng.beta(2, 2, n)
    return rng.random(n) < q, stated(q)


def test_four_rows_by_hand():
    error = calibration_error([0, 1, 1, 1], [0.1, 0.1, 0.8, 0.8], n_bins=2, rng=0)
    assert error.curve.stated.tolist() == [0.1, 0.8] and error.curve.observed.tolist() == [0.5, 1]
    assert error.value == pytest.approx(0.5 * 0.4 + 0.5 * 0.2) and error.n == 4 and error.n_bins == 2
    weighted = calibration_error([0, 1, 1, 1], [0.1, 0.1, 0.8, 0.8], n_bins=2, sample_weight=[3, 1, 2, 2], rng=0)
    assert weighted.value == pytest.approx(0.5 * (0.25 - 0.1) + 0.5 * 0.2)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("stated", "n"),
    [(lambda q: q, 1000), (lambda q: expit(1.5 * logit(q)), 1000), (lambda q: expit(logit(q) + 0.5), 300)],
    ids=["perfect", "overconfident", "shifted"],
)
def test_debiased_value_and_interval(stated, n):
    """100 draws. Coverage at least 95 % less 4 standard errors; most of the bias of the plain value is gone."""
    big = np.random.default_rng(99).beta(2, 2, 200_000)
    bin_of = np.minimum((stated(big) * 15).astype(int), 14)
    truth = np.abs(np.bincount(bin_of, stated(big) - big)).sum() / big.size
    rng = np.random.default_rng(7)
    repeats = 100
    errors = [calibration_error(*draw(n, rng, stated), rng=rng, n_simulations=100) for _ in range(repeats)]
    covered = np.mean([error.low <= truth <= error.high for error in errors])
    assert covered >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / repeats)
    assert abs(np.mean([error.debiased - truth for error in errors])) < np.mean([error.null for error in errors]) / 2
    if truth == 0:
        alarms = np.mean([error.low > 0 for error in errors])
        assert alarms <= 0.025 + 4 * np.sqrt(0.025 * 0.975 / repeats)
        p_values = np.mean([error.p_value < 0.05 for error in errors])
        assert p_values <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.parametrize(("y", "p"), [(1, 0.0), (0, 1.0), (1, 0.5)])
def test_certainty_is_not_claimed_from_few_rows(y, p):
    """Six rows, all alike: the lower end stays where six such rows still have a chance of 2 %."""
    error = calibration_error(np.full(6, y), np.full(6, p), rng=0)
    rate = abs(p - error.low) if y else p - error.low
    chance = (p + error.low if y else 1 - (p - error.low)) ** 6
    assert error.value == abs(y - p) and error.low < error.value - 0.1 and error.high <= 1
    assert 0 <= rate <= 1 and chance > 0.01


def clopper_pearson(hits, n):
    low = beta.ppf(0.025, hits, n - hits + 1) if hits > 0 else 0.0
    return low, beta.isf(0.025, hits + 1, n - hits) if hits < n else 1.0


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_bins_by_a_loop(strategy, weighted, grouped):
    """Rates with exact intervals at the effective number of rows, which groups that share their luck make smaller."""
    rng = np.random.default_rng(2)
    p = rng.random(90) ** 2
    person = np.arange(90) // 3
    y = (np.where(person % 2, rng.random(30)[person], rng.random(90)) < p) * 1.0
    w = rng.uniform(0.2, 2, 90) if weighted else np.ones(90)
    curve = reliability_curve(
        y, p, n_bins=4, strategy=strategy, sample_weight=w if weighted else None, groups=person if grouped else None
    )
    bin_of = np.searchsorted(curve.edges[1:-1], p, "right")
    share, stated, rate = (np.bincount(bin_of, w * column) for column in (np.ones(90), p, y))
    assert curve.count.tolist() == np.bincount(bin_of).tolist() and curve.weight == pytest.approx(share / w.sum())
    assert curve.stated == pytest.approx(stated / share) and curve.observed == pytest.approx(rate / share)
    n = share**2 / np.bincount(bin_of, w * w)
    if grouped:
        r = w * (y - p - (curve.observed - curve.stated)[bin_of])
        sums = np.array([[r[(bin_of == b) & (person == g)].sum() for g in range(30)] for b in range(4)])
        products = sums @ sums.T
        apart = ~np.eye(4, dtype=bool)
        root = np.sqrt(np.diag(products))
        assert curve.together == pytest.approx(np.clip(products[apart].sum() / np.outer(root, root)[apart].sum(), 0, 1))
        n = n / max(np.trace(products) / (r @ r), 1)
    assert curve.effective == pytest.approx(n)
    ends = [clopper_pearson(hits, size) for hits, size in zip(n * curve.observed, n, strict=True)]
    assert np.column_stack([curve.low, curve.high]) == pytest.approx(np.array(ends))
    draws = np.maximum(np.round(n), 1)
    assert curve.band_low == pytest.approx(binom.ppf(0.025, draws, curve.stated) / draws)
    assert curve.band_high == pytest.approx(binom.ppf(0.975, draws, curve.stated) / draws)


@pytest.mark.parametrize("hits", [226, 202])
def test_the_ends_are_the_gaps_at_which_the_value_is_a_quantile_of_what_is_seen(hits):
    """One bin of 400 rows; with 202 hits the value is luck, and the upper end is that of a value at the median."""
    error = calibration_error(np.arange(400) < hits, np.full(400, 0.5), n_bins=1, n_simulations=20_000, rng=0)
    noise = np.random.default_rng(0).standard_normal(20_000)

    def seen(gap):
        return np.abs(gap + np.sqrt((0.5 + gap) * (0.5 - gap) / 400) * noise)

    value = abs(hits / 400 - 0.5)
    assert error.value == pytest.approx(value) and error.null == pytest.approx(seen(0).mean())
    assert error.p_value == pytest.approx((seen(0) >= value).mean(), abs=1e-4)
    assert np.quantile(seen(error.high), 0.025) == pytest.approx(max(value, np.median(seen(0))), rel=1e-3)
    if hits == 202:
        assert error.debiased == error.low == 0
    else:
        assert np.quantile(seen(error.low), 0.975) == pytest.approx(value, rel=1e-3) == np.median(seen(error.debiased))


def test_a_value_of_zero_is_luck_as_well():
    error = calibration_error([0, 1] * 50, np.full(100, 0.5), n_simulations=20_000, rng=0)
    assert error.value == error.debiased == error.low == 0 and error.p_value == 1
    noise = np.random.default_rng(0).standard_normal(20_000)
    gap = error.high
    seen = np.abs(gap + np.sqrt((0.25 - gap**2) / 100) * noise)
    assert np.quantile(seen, 0.025) == pytest.approx(0.05 * norm.ppf(0.75), rel=0.03)


def test_thirty_certain_and_right_answers_may_still_be_wrong_at_times():
    """A rate of right answers at which thirty in a row are no rarer than 2.5 % is inside."""
    error = calibration_error(np.ones(30), np.ones(30), rng=0)
    assert error.value == error.low == 0 and error.high == pytest.approx(1 - 0.025 ** (1 / 30), abs=0.02)


@pytest.mark.nightly
@pytest.mark.parametrize("off", [[0.15], [0.07, 0.07, 0.07], [0.08] * 6], ids=["one", "half", "all"])
@pytest.mark.parametrize("n", [300, 20_000])
def test_the_interval_holds_whether_few_bins_are_off_or_all(off, n):
    """Six scores in turn, the highest ones too high; 150 draws each, at least 95 % less 3 standard errors."""
    stated = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    true = stated - np.r_[np.zeros(6 - len(off)), off]
    p, q = np.resize(stated, n), np.resize(true, n)
    rng = np.random.default_rng(4)
    errors = [calibration_error(rng.random(n) < q, p, n_bins=10, n_simulations=200, rng=rng) for _ in range(150)]
    inside = np.mean([error.low <= np.sum(off) / 6 <= error.high for error in errors])
    assert inside > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 150)


@pytest.mark.parametrize("together", [0.0, 0.5, 1.0])
def test_bins_may_share_their_luck(together):
    p = np.repeat([0.1, 0.5, 0.8], [100, 200, 300])
    y = np.concatenate([np.arange(n) < hits for n, hits in [(100, 13), (200, 108), (300, 233)]])
    error = error_of_curve(replace(reliability_curve(y, p), together=together), 20_000, rng=0)
    sd = np.sqrt(np.array([0.09, 0.25, 0.16]) / [100, 200, 300]) * [1 / 6, 1 / 3, 1 / 2]
    correlation = np.full((3, 3), together) + (1 - together) * np.eye(3)
    noise = np.random.default_rng(1).multivariate_normal(np.zeros(3), correlation, 50_000)
    seen = np.abs(sd * noise).sum(axis=1)
    assert error.null == pytest.approx(seen.mean(), rel=0.03)
    assert error.p_value == pytest.approx((seen >= error.value).mean(), abs=0.015)


def test_the_plain_binned_error_by_hand():
    residual = np.array([0.5, -0.2, 0.1, -0.3])
    bins = np.array([0, 0, 1, 1])
    assert binned_error(residual, bins) == pytest.approx((0.3 + 0.2) / 4)
    assert binned_error(residual, bins, np.array([1, 2, 1, 1])) == pytest.approx((0.1 + 0.2) / 5)


def test_unit_weights_singleton_groups_and_row_order_change_nothing():
    rng = np.random.default_rng(0)
    y, p = draw(500, rng)
    p = np.round(p, 1)
    order = rng.permutation(500)
    plain = calibration_error(y, p, rng=0)
    moved = calibration_error(y[order], p[order], rng=0)
    weighted = calibration_error(y, p, sample_weight=np.full(500, 1e-200), rng=0)
    grouped = calibration_error(y, p, groups=[f"person {i}" for i in range(500)], rng=0)
    for other in (moved, weighted, grouped):
        assert np.allclose(
            [plain.value, plain.debiased, plain.low, plain.high, plain.null, plain.p_value],
            [other.value, other.debiased, other.low, other.high, other.null, other.p_value],
            atol=1e-9,
        )
    assert np.allclose(grouped.curve.effective, plain.curve.count)


def test_rows_of_weight_zero_are_absent():
    rng = np.random.default_rng(0)
    y, p = draw(300, rng)
    weight = (np.arange(300) < 200) * 1.0
    for strategy in ("uniform", "quantile"):
        masked = calibration_error(y, p, sample_weight=weight, strategy=strategy, rng=0)
        absent = calibration_error(y[:200], p[:200], strategy=strategy, rng=0)
        assert str(masked) == str(absent) and np.array_equal(masked.curve.count, absent.curve.count)


def test_residuals_of_nothing_are_not_inflated():
    assert design_effect(np.array([0, 0, 1]), np.zeros(3)) == 1
    assert design_effect(np.arange(4), np.ones(4)) == 1
    assert design_effect(np.array([0, 0, 1, 1]), np.ones(4)) == 2


def test_edge_tables_stay_finite():
    for y, p in [([1], [0.3]), ([0, 1], [0, 0]), ([1, 1, 1], [0.2, 0.5, 1]), ([0, 1] * 10, [0.5] * 20)]:
        error = calibration_error(y, p, rng=0)
        numbers = [error.value, error.debiased, error.low, error.high, error.null, error.p_value]
        assert np.isfinite(numbers).all() and error.low <= error.high and 0 <= min(numbers) <= max(numbers) <= 1
        assert "a perfect model shows" in str(error) and "bins" in str(error.curve)


def test_groups_whose_rows_cancel_do_not_make_an_interval_shorter():
    one_bin = np.zeros(2, dtype=int)
    assert cluster_effects(one_bin, np.arange(2), np.array([0.1, -0.1]), own=2.0)[0] == 1.0
    assert cluster_effects(one_bin, np.arange(2), np.array([2.0, -2.0]), own=2.0)[0] == 4.0


def test_the_error_of_a_table_that_stands_twice_is_warned_of_and_is_that_of_its_rows():
    rng = np.random.default_rng(31)
    p = rng.random(300)
    y = (rng.random(300) < p**2).astype(int)
    once = calibration_error(y, p, rng=0)
    with pytest.warns(TableWarning, match="300 rows that stand in X, p and y more than once") as caught:
        twice = calibration_error(np.tile(y, 2), np.tile(p, 2), rng=0)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert (twice.value, twice.low, twice.high) == pytest.approx((once.value, once.low, once.high), abs=1e-12)
