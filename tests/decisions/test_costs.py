"""Costs and their thresholds: by hand, exact in cents, read by their labels."""

import itertools
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from helpers.decisions import (
    best_decision,
    cost_gap,
    cost_matrix,
    decision_thresholds,
    excess_risk,
    expected_cost,
    optimal_threshold,
    oracle_risk,
)
from helpers.decisions.costs import check_costs, decision_names
from tests.decisions.drawn import cents, matrices

EVEN = cost_matrix(false_alarm=1, miss=1)
THREE = np.array([[0, 10], [1, 4], [5, 0]])  # wait, test, treat


def test_a_threshold_belongs_to_the_upper_decision():
    cost = cost_matrix(false_alarm=7, miss=3)
    assert best_decision([0.7, np.nextafter(0.7, 0)], cost).tolist() == [1, 0]
    assert oracle_risk([0.7, 0.7], [0.0, 1.0], cost).tolist() == [0, 0]  # at t* both decisions cost the same


@given(matrices())
def test_thresholds_of_costs_in_cents_are_exact(cost):
    a, b, c, d = (Fraction(round(100 * x), 100) for x in cost.ravel())
    assert optimal_threshold(cost) == float((c - a) / (b + c - a - d))
    assert cost_gap(cost) == float(b + c - a - d)


def test_a_diagonal_may_make_one_decision_always_best():
    # never worth it; always worth it
    lazy = [[0, 1], [3, 2]]
    eager = [[2, 3], [1, 0]]
    assert optimal_threshold(lazy) == 1.5 and optimal_threshold(eager) == -0.5
    q = np.array([0.0, 0.4, 1.0])
    p = np.array([1.0, 1.0, 0.0])
    assert best_decision(q, lazy).tolist() == [0, 0, 0] and best_decision(q, eager).tolist() == [1, 1, 1]
    assert oracle_risk(q, p, lazy).tolist() == [0, 0, 0]  # deciding by p >= t* never acts either
    assert oracle_risk(q, p, lazy, t=0.5).tolist() == pytest.approx([3, 2.2, 0])


def test_three_decisions_by_hand():
    decision, threshold = decision_thresholds(np.vstack([THREE, [6, 6]]))
    assert decision.tolist() == [0, 1, 2] and threshold.tolist() == pytest.approx([1 / 7, 0.5])
    assert best_decision([0.1, 0.3, 0.5], THREE).tolist() == [0, 1, 2]
    assert oracle_risk([0.1, 0.6], [0.9, 0.05], THREE).tolist() == pytest.approx([4.5 - 1, 6 - 2])
    table = pd.DataFrame(THREE[[2, 0, 1]], ["treat", "wait", "test"], ["truth 0", "truth 1"])
    assert best_decision([0.1, 0.3, 0.5], table).tolist() == [1, 2, 0] and decision_names(table)[0] == "treat"


@given(st.lists(st.tuples(cents, cents), min_size=3, max_size=6), st.integers(0, 10**6))
def test_many_decisions_are_many_thresholds(rows, seed):
    cost = np.array(rows)
    rng = np.random.default_rng(seed)
    q = rng.random(50)
    p = rng.random(50)
    price = (1 - q[:, None]) * cost[:, 0] + q[:, None] * cost[:, 1]
    chosen = expected_cost(best_decision(q, cost), q, cost)
    assert chosen == pytest.approx(price.min(axis=1), abs=1e-9)
    taken = expected_cost(best_decision(p, cost), q, cost)
    assert oracle_risk(q, p, cost) == pytest.approx(taken - price.min(axis=1), abs=1e-9)


def test_labelled_costs_are_read_by_their_labels():
    table = cost_matrix(false_alarm=1, miss=5, hit=0.5, rejection=0.1)
    want = [[0.1, 5], [1, 0.5]]
    for rows, columns in itertools.product([[0, 1], [1, 0]], repeat=2):
        assert check_costs(table.iloc[rows, columns]).tolist() == want
    plain = pd.DataFrame(want, index=pd.Index([0, 1], name="predicted"), columns=pd.Index([0, 1], name="true"))
    assert check_costs(plain).tolist() == want and decision_names(plain) == ["predict 0", "predict 1"]
    named = pd.DataFrame(want, index=["send home", "keep"], columns=["truth 0", "truth 1"])
    assert check_costs(named).tolist() == want and decision_names(named) == ["send home", "keep"]


def test_thresholds_that_are_allowed():
    lazy = [[0, 1], [3, 2]]
    assert excess_risk([0.9], [1.0], EVEN, t=np.inf).tolist() == pytest.approx([0.8])
    assert excess_risk([0.9], [0.0], EVEN, t=0).tolist() == [0]
    for half in (np.float32(0.5), np.float64(0.5), 0.5):
        assert best_decision([0.4, 0.5], EVEN, half).tolist() == [0, 1]
    assert best_decision([0.4, 1.0], EVEN, np.int64(1)).tolist() == [0, 1]
    assert excess_risk([0.9], [0.5], lazy, t=optimal_threshold(lazy)).tolist() == [0]


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (EVEN.T, "rows are called 'truth 0', 'truth 1': pass its transpose, cost.T"),
        (pd.DataFrame([[0, 1], [1, 0]]).rename_axis("truth"), "rows are called 'truth'"),
        (pd.DataFrame([[0, 1], [1, 0]]).rename_axis(columns="predicted"), "columns are called 'predicted'"),
        (EVEN.set_axis(["sick", "well"], axis=1), "columns must .*'sick'"),
        (THREE.T, r"shape is \(2, 3\): if its rows are the truths, pass its transpose"),
        (np.ones((3, 3)), r"shape is \(3, 3\): this theory is for two classes, so set one of the 3 against the rest"),
        (np.ones((3, 4)), r"shape is \(3, 4\)\.$"),
        ([[0, 1], [1, np.nan]], "cost must .*decision 1, truth 1"),
        ([[1, 0], [0, 2]], "cost must .* is -3;"),
        ([[1, 2], [0, 1]], "cost must .* is 0;"),
    ],
)
def test_costs_that_break_a_rule(cost, sentence):
    for function in (optimal_threshold, cost_gap, decision_thresholds, partial(best_decision, [0.5])):
        with pytest.raises(ValueError, match=sentence):
            function(cost)


test_arguments_that_break_a_rule = refuses(
    (lambda: cost_matrix(false_alarm=np.nan, miss=1), "false_alarm must"),
    (lambda: cost_matrix(false_alarm=1, miss=1, hit=3), "mistakes dearer"),
    (lambda: optimal_threshold(THREE), "cost must"),
    (lambda: excess_risk([0.5], [0.5], THREE, t=0.5), "t must"),
    (lambda: excess_risk([0.5], [0.5], EVEN, t=1.5), "t must"),
    (lambda: excess_risk([0.5], [0.5], EVEN, t=True), "t must"),
    (lambda: excess_risk([0.5], [0.5], EVEN, t="low"), "t must"),
    (lambda: excess_risk([0.5, 0.5], [0.5], EVEN), "reference and p must"),
    (lambda: excess_risk([np.nan], [0.5], EVEN), "reference must"),
    (lambda: expected_cost([2], [0.5], EVEN), "decision must"),
    (lambda: expected_cost([0, 1], [0.5], EVEN), "decision and q must"),
)
