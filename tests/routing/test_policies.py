"""Policies to compare with, and tables of them: by hand, against all pairs, with intervals that cover."""

import numpy as np
import pandas as pd
import pytest

from helpers.routing import compare_policies, evaluate_policies, pareto_front, random_mix, single_model
from tests.routing.pool import COSTS, PREDICTION, PRICE, N, Y, policies


def test_pareto_front_against_all_pairs():
    rng = np.random.default_rng(1)
    for _ in range(50):
        cost, accuracy = rng.integers(0, 6, (2, 12))
        beaten = [
            any((c <= a and g >= b and (c < a or g > b)) for c, g in zip(cost, accuracy, strict=True))
            for a, b in zip(cost, accuracy, strict=True)
        ]
        assert np.array_equal(pareto_front(cost, accuracy), ~np.array(beaten))


def test_a_lottery_costs_its_budget_and_lies_on_the_line():
    rng = np.random.default_rng(2)
    n = 40_000
    correct = rng.random((4, n)) < np.array([0.6, 0.55, 0.75, 0.8])[:, None]  # model 1 is dearer and worse than 0
    y = np.ones(n, int)
    routed = random_mix(correct.astype(int), [1, 2, 3, 11], budget=2, correct=correct[:, :1000], rng=3)
    assert set(routed.model) == {0, 2}  # the ladder leaves out model 1
    assert routed.paid.mean() == pytest.approx(2, abs=4 / np.sqrt(n))  # prices 1 and 3: standard deviation 1
    assert (routed.prediction == y).mean() == pytest.approx(0.675, abs=4 * 0.5 / np.sqrt(n))
    assert random_mix(correct.astype(int), [1, 2, 3, 11], budget=99, correct=correct, rng=3).paid.mean() == 11
    same = random_mix(correct.astype(int), [1, 2, 3, 11], budget=2, correct=correct[:, :1000], rng=3)
    assert np.array_equal(same.model, routed.model)


def test_a_lottery_with_a_record_lies_on_the_highest_line_between_two_models():
    rng = np.random.default_rng(6)
    prediction = np.tile(np.arange(5)[:, None], 200)
    for turn in range(40):
        cost = np.cumsum(rng.integers(1, 5, 5))
        right = (np.cumsum if turn % 2 else np.array)(rng.integers(1, 10, 5))  # in half of them the dearer is better
        budget = rng.uniform(cost[0], cost[-1])
        record = np.arange(50) < right[:, None]
        used = np.unique(random_mix(prediction, cost, budget=budget, correct=record, rng=0).model)
        pairs = [[a, b] for b in range(5) for a in range(b + 1) if cost[a] <= budget]
        best = max(np.interp(budget, cost[pair], right[pair]) for pair in pairs)
        assert np.interp(budget, cost[used], right[used]) == pytest.approx(best)


def test_the_table_is_the_means():
    table = evaluate_policies(policies(), Y, cost=COSTS, n_resamples=50, rng=0)
    for name, routed in policies().items():
        assert table.loc[name, "accuracy"] == pytest.approx((routed.prediction == Y).mean())
        assert table.loc[name, "expected_cost"] == pytest.approx(COSTS[routed.prediction, Y].mean())
        assert table.loc[name, "money"] == pytest.approx(routed.paid.mean())
    assert (table["accuracy_low"] <= table["accuracy"]).all() and (table["accuracy"] <= table["accuracy_high"]).all()
    again = evaluate_policies(policies(), Y, cost=COSTS, n_resamples=50, rng=0)
    pd.testing.assert_frame_equal(table, again)


def test_rows_are_resampled_together():
    twins = {"a": single_model(PREDICTION, PRICE, 0), "b": single_model(PREDICTION, PRICE, 0)}
    found = compare_policies(twins, Y, against="a", n_resamples=50, rng=0).loc["b"]
    assert (found[["accuracy_gain_low", "accuracy_gain_high", "cost_change_low", "cost_change_high"]] == 0).all()
    assert (found[["money_ratio_low", "money_ratio_high"]] == 1).all()
    found = compare_policies(policies(), Y, against="small", cost=COSTS, n_resamples=50, rng=0)
    table = evaluate_policies(policies(), Y, cost=COSTS, n_resamples=50, rng=0)
    change = table.loc["cascade"] - table.loc["small"]
    assert found.loc["cascade", "accuracy_gain"] == pytest.approx(change["accuracy"])
    assert found.loc["cascade", "cost_change"] == pytest.approx(change["expected_cost"])


@pytest.mark.slow
def test_intervals_of_gains_cover():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(60):
        right = rng.random(300) < np.array([0.7, 0.75])[:, None]  # the second model is right wherever the first one is
        pool = {str(k): single_model(right.astype(int), [1, 2], k) for k in (0, 1)}
        gain = compare_policies(pool, np.ones(300, int), against="0", n_resamples=200, rng=rng).loc["1"]
        alone = evaluate_policies(pool, np.ones(300, int), n_resamples=200, rng=rng).loc["1"]
        low, high = gain[["accuracy_gain_low", "accuracy_gain_high"]]
        found.append([low <= 0.05 <= high, high - low, alone["accuracy_high"] - alone["accuracy_low"]])
    held, paired, loose = np.mean(found, axis=0)
    assert held >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60) - 0.02  # percentile intervals are a little short
    assert paired < 0.6 * loose  # what pairing buys


def test_groups_are_resampled_whole():
    groups = np.arange(N) // 40
    y = np.repeat(np.arange(10) % 2, 40)
    pool = {"a": single_model(np.zeros((1, N), int), [1], 0)}
    rows = evaluate_policies(pool, y, rng=0).loc["a"]
    people = evaluate_policies(pool, y, groups=groups, rng=0).loc["a"]
    assert people["accuracy_high"] - people["accuracy_low"] > 3 * (rows["accuracy_high"] - rows["accuracy_low"])
