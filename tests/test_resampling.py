"""Bootstrap intervals: exact small cases, coverage with and without groups."""

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy.stats import binom, norm

from helpers.resampling import bootstrap_interval, exact_interval, paired_difference, resampled_means, resampled_rows


def test_exact_intervals():
    """Ends where the binomial tails hold 2.5 % each; no success, only successes, nothing at all by hand."""
    assert exact_interval(0, 30) == (0.0, pytest.approx(1 - 0.025 ** (1 / 30)))
    assert exact_interval(30, 30) == (pytest.approx(0.025 ** (1 / 30)), 1.0)
    assert np.isnan(exact_interval(0, 0)).all()
    low, high = exact_interval([3, 7], [10, 10], level=0.9)
    assert np.allclose(binom.sf([2, 6], 10, low), 0.05) and np.allclose(binom.cdf([3, 7], 10, high), 0.05)
    assert np.allclose(low, 1 - high[::-1])


def test_two_rows_by_hand():
    """Means of two rows 0 and 1 are 0, 1/2, 1 with chances 1/4, 1/2, 1/4."""
    interval = bootstrap_interval(np.mean, [0.0, 1.0], n_resamples=4000, rng=0)
    share = np.array([(interval.draws == level).mean() for level in (0, 0.5, 1)])
    assert np.abs(share - [0.25, 0.5, 0.25]).max() < 4 * np.sqrt(0.25 / 4000)
    assert (interval.value, interval.low, interval.high, interval.n) == (0.5, 0, 1, 2)


def test_methods_by_hand():
    column = np.random.default_rng(0).exponential(size=80)
    by = {m: bootstrap_interval(np.mean, column, method=m, rng=1) for m in ("percentile", "basic", "normal")}
    assert all(np.array_equal(by["basic"].draws, interval.draws) for interval in by.values())
    low, high = np.quantile(by["basic"].draws, [0.025, 0.975])
    assert (by["percentile"].low, by["percentile"].high) == pytest.approx((low, high))
    assert (by["basic"].low, by["basic"].high) == pytest.approx((2 * column.mean() - high, 2 * column.mean() - low))
    reach = norm.ppf(0.975) * by["normal"].draws.std(ddof=1)
    assert (by["normal"].low, by["normal"].high) == pytest.approx((column.mean() - reach, column.mean() + reach))
    narrow = bootstrap_interval(np.mean, column, level=0.5, rng=1)
    assert narrow.high - narrow.low < high - low and narrow.level == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "basic", "normal"])
def test_coverage_of_a_mean(method):
    """100 draws of 80 rows: 95 % less 1 % for the small sample, less 4 standard errors."""
    rng = np.random.default_rng(1)
    repeats = 100
    hits = []
    for _ in range(repeats):
        interval = bootstrap_interval(np.mean, rng.normal(size=80), n_resamples=200, method=method, rng=rng)
        hits.append(interval.low <= 0 <= interval.high)
    assert np.mean(hits) > 0.94 - 4 * np.sqrt(0.06 * 0.94 / repeats)


def test_groups_widen_the_interval_of_clustered_rows_to_the_truth():
    rng = np.random.default_rng(2)
    person = np.repeat(np.arange(150), 8)
    column = rng.normal(size=150)[person] + 0.1 * rng.normal(size=1200)
    exact = column.reshape(150, 8).mean(axis=1).std() / np.sqrt(150)
    clustered = bootstrap_interval(np.mean, column, groups=person, n_resamples=1500, rng=0)
    rows = bootstrap_interval(np.mean, column, n_resamples=300, rng=0)
    assert abs(clustered.se - exact) < 4 * exact / np.sqrt(2 * 1500) and rows.se < 0.5 * exact


def test_drawn_groups_are_whole_and_their_names_do_not_matter():
    groups = np.array(["c", "a", "c", "b", "a", "c", "d", "e"])
    for rows in resampled_rows(8, 30, groups=groups, rng=0):
        count = pd.Series(groups[rows]).value_counts()
        assert count.get("a", 0) % 2 == 0 and count.get("c", 0) % 3 == 0 and np.bincount(rows).max() <= 5
    first = list(resampled_rows(8, 5, groups=groups, rng=0))
    second = list(resampled_rows(8, 5, groups=[{"c": 9, "a": 7, "b": -1, "d": 0, "e": 1}[g] for g in groups], rng=0))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    singletons = [np.sort(rows).tolist() for rows in resampled_rows(6, 5, groups=np.arange(6), rng=0)]
    assert singletons == [np.sort(rows).tolist() for rows in resampled_rows(6, 5, rng=0)]


def test_columns_are_resampled_together():
    a = np.arange(50.0)
    interval = bootstrap_interval(lambda x, y: np.abs(x + y - 49).max(), a, a[::-1], n_resamples=50, rng=0)
    assert interval.draws.max() == 0
    table = np.column_stack([a, a])
    assert bootstrap_interval(lambda t: t.mean(), table, n_resamples=20, rng=0).value == 24.5


def test_paired_differences_cancel_what_the_systems_share():
    rng = np.random.default_rng(0)
    shared = 10 * rng.normal(size=300)
    a = shared + rng.normal(size=300)
    b = shared + rng.normal(size=300) + 0.5
    difference = paired_difference(a, b, rng=0)
    exact = (a - b).std() / np.sqrt(300)
    assert difference.value == pytest.approx((a - b).mean())
    assert abs(difference.se - exact) < 4 * exact / np.sqrt(2 * 1000) and difference.high < 0
    turned = paired_difference(b, a, rng=0)
    assert turned.value == -difference.value and turned.low == pytest.approx(-difference.high)
    assert difference.p_value == pytest.approx(1 / 1001, rel=1e-6) and turned.p_value == difference.p_value


def test_p_values_are_uniform_enough_under_the_null():
    rng = np.random.default_rng(3)
    repeats = 200
    alarms = [
        paired_difference(*rng.normal(size=(2, 60)), n_resamples=200, rng=rng).p_value < 0.05 for _ in range(repeats)
    ]
    assert np.mean(alarms) < 0.065 + 4 * np.sqrt(0.05 * 0.95 / repeats)
    assert bootstrap_interval(np.mean, [0.0, 0.0, 0.0], rng=0).p_value == 1


test_bad_inputs = refuses(
    (lambda: bootstrap_interval(np.mean), "columns must"),
    (lambda: bootstrap_interval(np.mean, [1.0]), r"columns\[0\] must"),
    (lambda: bootstrap_interval(np.mean, [1, 2], [1, 2, 3]), r"columns\[0\] and columns\[1\] must have the same"),
    (lambda: bootstrap_interval(np.mean, [1, np.nan]), "statistic must"),
    (lambda: bootstrap_interval(lambda x: x, [1, 2]), "statistic must"),
    (lambda: bootstrap_interval(lambda x: 1.0 if x.any() else np.nan, [1, 0, 0], rng=0), "statistic must"),
    (lambda: bootstrap_interval(np.mean, [1, 2], method="bca"), "method must"),
)


def test_resampled_means_have_the_right_spread():
    values = np.random.default_rng(0).normal(size=(400, 2))
    drawn = resampled_means(values, 2000, rng=0)
    np.testing.assert_allclose(drawn.std(axis=0), values.std(axis=0) / 20, rtol=4 / np.sqrt(4000))
