"""A calibration error is never bare: its null value, its debiased value and its interval hold what they promise."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom, norm

from helpers.calibration import calibration_error, reliability_curve
from helpers.calibration.reliability import cluster_effects, design_effect


def draw(n, rng, stated=lambda q: q):
    q = rng.beta(2, 2, n)
    return rng.random(n) < q, stated(q)


def test_four_rows_by_hand():
    error = calibration_error([0, 1, 1, 1], [0.1, 0.1, 0.8, 0.8], n_bins=2, rng=0)
    assert error.curve.stated.tolist() == [0.1, 0.8] and error.curve.observed.tolist() == [0.5, 1]
    assert error.value == pytest.approx(0.5 * 0.4 + 0.5 * 0.2) and error.n == 4 and error.n_bins == 2
    weighted = calibration_error([0, 1, 1, 1], [0.1, 0.1, 0.8, 0.8], n_bins=2, sample_weight=[3, 1, 2, 2], rng=0)
    assert weighted.value == pytest.approx(0.5 * (0.25 - 0.1) + 0.5 * 0.2)


def test_confidences_on_the_tenths_are_binned_exactly():
    """Scores 0, .1, …, 1 in ten bins, 1.0 in the last: 0.110; the edges of linspace join .2 with .3 and .5 with .6."""
    score = np.arange(11) / 10
    size = np.r_[np.full(9, 100), 50, 50]
    surplus = [10, 14, -14, 14, -12, 12, -12, 10, -12, 3, -3]
    hits = np.round(score * size).astype(int) + surplus
    p = np.repeat(score, size)
    y = np.concatenate([np.r_[np.ones(h), np.zeros(n - h)] for h, n in zip(hits, size, strict=True)])
    error = calibration_error(y, p, n_bins=10, rng=0)
    assert error.value == pytest.approx(0.110, abs=1e-12)
    assert error.curve.count.tolist() == [100] * 10
    joined = np.digitize(p, np.linspace(0, 1, 11)[1:-1])
    assert np.abs(np.bincount(joined, y - p)).sum() / p.size == pytest.approx(0.058)


@pytest.mark.parametrize("n", [300, 3000])
def test_the_null_value_against_bernoulli_labels_of_the_same_scores(n):
    rng = np.random.default_rng(1)
    p = rng.beta(2, 2, n)
    shown = [reliability_curve(rng.random(n) < p, p) for _ in range(400)]
    shown = np.array([curve.weight @ np.abs(curve.observed - curve.stated) for curve in shown])
    null = calibration_error(rng.random(n) < p, p, rng=0, n_simulations=2000).null
    assert abs(null - shown.mean()) < 4 * shown.std() * np.hypot(1 / 20, 1 / np.sqrt(2000)) + 0.01 * null


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stated", "n"),
    [(lambda q: q, 1000), (lambda q: expit(1.5 * logit(q)), 1000), (lambda q: expit(logit(q) + 0.5), 300)],
    ids=["perfect", "overconfident", "shifted"],
)
def test_debiased_value_and_interval(stated, n):
    """100 draws. Coverage at least 95 % less 4 standard errors; the debiased value is nearer than the plain one."""
    big = np.random.default_rng(99).beta(2, 2, 1_000_000)
    bin_of = np.minimum((stated(big) * 15).astype(int), 14)
    truth = np.abs(np.bincount(bin_of, stated(big) - big)).sum() / big.size
    rng = np.random.default_rng(7)
    repeats = 100
    errors = [calibration_error(*draw(n, rng, stated), rng=rng, n_simulations=300) for _ in range(repeats)]
    covered = np.mean([error.low <= truth <= error.high for error in errors])
    assert covered >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / repeats)
    plain, debiased = np.mean([(error.value - truth, error.debiased - truth) for error in errors], axis=0)
    assert abs(debiased) < max(abs(plain), 0.005)
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


def test_perfect_certainty_shows_no_error():
    y = np.tile([0, 1], 20)
    error = calibration_error(y, y, rng=0)
    assert (error.value, error.debiased, error.low, error.null, error.p_value) == (0, 0, 0, 0, 1)


def test_intervals_of_the_rates_are_clopper_pearson():
    curve = reliability_curve([0] * 8 + [1] * 2 + [0] * 10 + [1] * 10, [0.1] * 10 + [0.9] * 20, n_bins=2)
    assert binom.sf(1, 10, curve.low[0]) == pytest.approx(0.025)
    assert binom.cdf(2, 10, curve.high[0]) == pytest.approx(0.025)
    assert curve.low[0] < 0.2 < curve.high[0] and (curve.band_low <= curve.stated).all()
    sure = reliability_curve([0, 0, 1, 1], [0.1, 0.1, 0.9, 0.9], n_bins=2)
    assert sure.low[0] == 0 and sure.high[1] == 1 and sure.high[0] < 1


def test_the_band_holds_the_rates_of_a_calibrated_model():
    rng = np.random.default_rng(3)
    outside = []
    for _ in range(100):
        curve = reliability_curve(*draw(2000, rng), n_bins=10)
        outside.append(((curve.observed < curve.band_low) | (curve.observed > curve.band_high)).mean())
    assert np.mean(outside) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 1000)


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


def test_weights_recover_the_population():
    """A population sampled with chances between 0.2 and 1 and reweighted by their inverse."""
    rng = np.random.default_rng(5)
    repeats = 40
    values = []
    big = rng.beta(2, 2, 400_000)
    stated = expit(1.8 * logit(big))
    bin_of = np.minimum((stated * 5).astype(int), 4)
    truth = np.abs(np.bincount(bin_of, stated - big)).sum() / big.size
    for _ in range(repeats):
        y, p = draw(6000, rng, lambda q: expit(1.8 * logit(q)))
        chance = 0.2 + 0.8 * p
        taken = rng.random(p.size) < chance
        values.append(
            calibration_error(y[taken], p[taken], n_bins=5, sample_weight=1 / chance[taken], rng=rng, n_simulations=100)
        )
    debiased = np.array([error.debiased for error in values])
    assert abs(debiased.mean() - truth) < 4 * debiased.std(ddof=1) / np.sqrt(repeats) + 0.001
    covered = np.mean([error.low <= truth <= error.high for error in values])
    assert covered >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / repeats)


def test_residuals_of_nothing_are_not_inflated():
    assert design_effect(np.array([0, 0, 1]), np.zeros(3)) == 1
    assert design_effect(np.arange(4), np.ones(4)) == 1
    assert design_effect(np.array([0, 0, 1, 1]), np.ones(4)) == 2


def test_luck_that_a_group_shares_across_scores_is_no_error():
    """Perfect scores; the rows of a group lie in all bins and are right or wrong together."""
    group = np.repeat(np.arange(60), 40)
    alarms = 0
    ratio = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        p = rng.beta(2, 3, group.size)
        luck = np.sqrt(0.3) * rng.normal(size=60)[group] + np.sqrt(0.7) * rng.normal(size=group.size)
        error = calibration_error(norm.cdf(luck) < p, p, groups=group, rng=seed)
        alarms += error.p_value < 0.05
        ratio.append(error.value / error.null)
    assert np.mean(ratio) == pytest.approx(1, abs=0.1)
    assert alarms <= 10  # 5 on average; 13 where bins count as independent
    assert 0.2 < error.curve.together < 0.8
    apart = calibration_error(rng.random(group.size) < p, p, groups=group, rng=0)
    assert apart.curve.together < 0.02


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
