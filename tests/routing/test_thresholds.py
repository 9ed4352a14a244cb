"""Certified thresholds: a broken promise is as rare as stated."""

import numpy as np
import pytest
from scipy.stats import binom

from helpers.routing import Routed, certified_threshold


def mixture(n, share_wrong, rng, size=1):
    """Policy whose true share of mistakes at threshold t is share_wrong(t); rows of a group are wrong together."""
    luck = np.repeat(rng.random(n // size), size)
    return lambda t: Routed((luck >= share_wrong(t)).astype(int), np.zeros(n, int), np.full(n, 10.0 - t))


@pytest.mark.nightly
@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("border", [0.0, 3.0])
def test_a_broken_promise_is_as_rare_as_stated(size, border):
    rng = np.random.default_rng(4)
    n = 400
    target = 0.2
    broken = 0
    runs = 300
    groups = None if size == 1 else np.arange(n) // size

    def share(t):  # just misses the target from `border` on
        return target + 1e-9 if t >= border else 0.02

    for _ in range(runs):
        policy = mixture(n, share, rng, size)
        found = certified_threshold(policy, [0.0, 1.0, 3.0, 4.0], np.ones(n, int), target=target, groups=groups)
        broken += found.certified and share(found.threshold) > target
    assert broken <= 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)
    if size == 1 and border == 3.0:
        assert broken > 0  # the exact test spends its level


def test_a_sound_policy_is_certified_and_the_cheapest_threshold_found():
    rng = np.random.default_rng(5)
    found = [
        certified_threshold(
            mixture(2000, lambda t: 0.05 + t / 10, rng), [0, 0.5, 1, 2, 3], np.ones(2000, int), target=0.2
        )
        for _ in range(100)
    ]
    assert all(one.certified for one in found)
    assert np.mean([one.threshold == 1 for one in found]) > 0.9  # 0.15 passes easily, 0.25 cannot
    assert (found[0].certified_row["money"], found[0].coverage) == (9, 1)


def test_costs_in_another_currency_with_a_fee_on_every_answer_change_nothing():
    rng = np.random.default_rng(8)
    policy = mixture(600, lambda t: 0.05 * t, rng)
    y = np.ones(600, int)
    plain = certified_threshold(policy, [0.0, 1.0, 2.0, 3.0, 4.0], y, target=0.15, cost=[[0, 1], [1, 0]])
    dear = certified_threshold(policy, [0.0, 1.0, 2.0, 3.0, 4.0], y, target=3.75, cost=[[3, 8], [8, 3]])
    assert dear.threshold == plain.threshold and 0 < plain.threshold < 4
    np.testing.assert_allclose(dear.table["p_value"], plain.table["p_value"], atol=1e-12)


def test_with_few_rows_it_says_so():
    rng = np.random.default_rng(6)
    right = Routed((np.arange(40) >= 4).astype(int), np.zeros(40, int), np.ones(40))
    found = certified_threshold(lambda t: right, [0], np.ones(40, int), target=0.12)
    assert not found.certified and np.isnan(found.threshold) and np.isfinite(found.rows_needed)
    hopeless = certified_threshold(mixture(400, lambda t: 0.5, rng), [0, 1], np.ones(400, int), target=0.2)
    assert np.isinf(hopeless.rows_needed)
    assert hopeless.table["error"].tolist() == pytest.approx([0.05, 0])  # nothing is left behind a failure


def test_rows_needed_are_about_right():
    luck = np.arange(1000) / 1000
    policy = Routed((luck >= 0.19).astype(int), np.zeros(1000, int), np.ones(1000))
    n = int(certified_threshold(lambda t: policy, [0], np.ones(1000, int), target=0.2).rows_needed)
    assert binom.cdf(binom.ppf(0.05, n, 0.2) - 1, n, 0.19) == pytest.approx(0.5, abs=0.05)


def test_rows_of_groups_are_needed_whole():
    """500 groups of one row, or of four rows that fail together: as many groups, so four times the rows."""
    needed = []
    for size in (1, 4):
        wrong = np.repeat(np.arange(500) < 95, size)
        routed = Routed(1 - wrong, np.zeros(wrong.size, int), np.ones(wrong.size))
        options = {"target": 0.2, "groups": np.arange(wrong.size) // size}
        needed.append(certified_threshold(lambda t, routed=routed: routed, [0], np.ones(wrong.size, int), **options))
    assert needed[1].rows_needed == pytest.approx(4 * needed[0].rows_needed, rel=0.01) and not needed[1].certified


def test_the_exact_test_is_the_binomial_one():
    policy = Routed(np.r_[np.zeros(3, int), np.ones(47, int)], np.zeros(50, int), np.ones(50))
    found = certified_threshold(lambda t: policy, [0], np.ones(50, int), target=0.1)
    assert found.table["p_value"][0] == pytest.approx(sum(binom.pmf(k, 50, 0.1) for k in range(4)))
    scaled = certified_threshold(lambda t: policy, [0], np.ones(50, int), target=1.0, cost=10 * (1 - np.eye(2)))
    assert scaled.table["p_value"][0] == pytest.approx(found.table["p_value"][0])
    general = certified_threshold(lambda t: policy, [0], np.ones(50, int), target=0.1, cost=[[0, 1], [0.5, 0]])
    assert general.table["p_value"][0] >= found.table["p_value"][0]  # bounds for any costs promise less
