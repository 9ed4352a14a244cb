"""The risk of one decision where the truth is known: by hand, by brute force, within its bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from helpers.decisions import (
    best_decision,
    calibration_risk,
    cost_gap,
    cost_matrix,
    expected_cost,
    grouping_risk,
    optimal_threshold,
    oracle_risk,
)
from helpers.simulation import FinitePopulation
from tests.decisions.drawn import matrices


def test_four_people_by_hand():
    cost = cost_matrix(false_alarm=1, miss=4)
    assert optimal_threshold(cost) == 0.2 and cost_gap(cost) == 5
    q = [0.1, 0.1, 0.6, 0.6]
    p = [0.1, 0.3, 0.1, 0.3]
    assert oracle_risk(q, p, cost).tolist() == pytest.approx([0, 0.5, 2.0, 0])
    assert oracle_risk(q, p, cost, t=0.05).tolist() == pytest.approx([0.5, 0.5, 0, 0])
    assert expected_cost([0, 1, 0, 1], q, cost).tolist() == pytest.approx([0.4, 0.9, 2.4, 0.4])


test_columns_are_named_as_they_were_given = refuses(
    (lambda: oracle_risk([0.5, 0.5], [0.5], np.eye(2)[::-1]), "q and p must"),
    (lambda: calibration_risk([0.5, 0.5], [0.5], np.eye(2)[::-1]), "c and p must"),
    (lambda: grouping_risk([0.5, 0.5], [0.5], np.eye(2)[::-1]), "c and corrected must"),
    (lambda: grouping_risk([0.5], [np.nan], np.eye(2)[::-1]), "corrected must"),
)


@given(matrices(), st.integers(0, 10**6))
def test_proposition_5_is_what_the_decision_costs_more_than_the_cheapest(cost, seed):
    rng = np.random.default_rng(seed)
    q = rng.random(50)
    p = rng.random(50)
    t = rng.random()
    decided = (p >= t).astype(int)
    paid = expected_cost(decided, q, cost) - expected_cost(best_decision(q, cost), q, cost)
    assert oracle_risk(q, p, cost, t) == pytest.approx(paid, abs=1e-9)


@given(matrices(), st.integers(0, 10**6))
def test_the_risk_is_calibration_risk_plus_grouping_risk_on_average_only(cost, seed):
    rng = np.random.default_rng(seed)
    town = FinitePopulation(p=rng.choice([0.1, 0.3, 0.5, 0.8], 40), q=rng.random(40), share=rng.dirichlet(np.ones(40)))
    t = rng.random()
    total = town.share @ oracle_risk(town.q, town.p, cost, t)
    parts = [calibration_risk(town.c, town.p, cost, t), grouping_risk(town.c, town.q, cost)]
    assert total == pytest.approx(town.share @ parts[0] + town.share @ parts[1], abs=1e-9)
    assert (np.minimum(*parts) >= 0).all()
