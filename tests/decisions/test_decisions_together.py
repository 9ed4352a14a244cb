"""Costs and arguments that break a rule are refused by all functions that take them."""

import numpy as np
import pytest

from helpers.decisions import (
    RiskEstimator,
    best_decision,
    cost_gap,
    cost_matrix,
    decision_thresholds,
    excess_risk,
    expected_cost,
    optimal_threshold,
)

EVEN = cost_matrix(false_alarm=1, miss=1)
THREE = np.array([[0, 10], [1, 4], [5, 0]])  # wait, test, treat


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (EVEN.T, "rows are called 'truth 0', 'truth 1': pass its transpose, cost.T"),
        (EVEN.set_axis([0, 1]).T.set_axis([0, 1]).rename_axis("truth"), "rows are called 'truth'"),
        (
            EVEN.set_axis([0, 1]).set_axis([0, 1], axis=1).rename_axis(columns="predicted"),
            "columns are called 'predicted'",
        ),
        (EVEN.set_axis(["sick", "well"], axis=1), "columns must .*'sick'"),
        (THREE.T, r"shape is \(2, 3\): if its rows are the truths, pass its transpose"),
        (np.ones((3, 3)), r"shape is \(3, 3\): this theory is for two classes, so set one of the 3 against the rest"),
        ([[0, 1], [1, np.nan]], "cost must"),
        ([[1, 0], [0, 1]], "cost must"),
    ],
)
def test_costs_that_break_a_rule(cost, sentence):
    calls = [
        lambda: optimal_threshold(cost),
        lambda: cost_gap(cost),
        lambda: decision_thresholds(cost),
        lambda: best_decision([0.5], cost),
        lambda: expected_cost([0], [0.5], cost),
        lambda: excess_risk([0.5], [0.5], cost),
        lambda: RiskEstimator(cost).fit(np.ones((80, 1)), np.tile([0, 1], 40), np.tile([0.2, 0.8], 40)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=sentence):
            call()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cost_matrix(false_alarm=np.nan, miss=1), "false_alarm must"),
        (lambda: cost_matrix(false_alarm=1, miss=1, hit=3), "mistakes dearer"),
        (lambda: optimal_threshold(THREE), "cost must"),
        (lambda: excess_risk([0.5], [0.5], THREE, t=0.5), "t must"),
        (lambda: excess_risk([0.5], [0.5], EVEN, t=50), "t must"),
        (lambda: excess_risk([np.nan], [0.5], EVEN), "reference must"),
        (lambda: expected_cost([2], [0.5], EVEN), "decision must"),
        (lambda: expected_cost([0, 1], [0.5], EVEN), "decision and q must"),
    ],
)
def test_arguments_that_break_a_rule(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
