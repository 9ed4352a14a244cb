"""Decisions among several classes: the largest uncertainty, ties, labels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.decisions import bayes_decision, largest_uncertainty
from helpers.decisions.class_costs import check_class_costs
from tests.decisions.drawn import shares, zero_one


@pytest.mark.parametrize("shape", [(0, 3), (3,), (3, 1), (2, 2, 2)])
def test_costs_without_decisions_or_classes_are_refused(shape):
    with pytest.raises(ValueError, match="cost"):
        check_class_costs(np.zeros(shape))
    with pytest.raises(ValueError, match="^cost must"):
        check_class_costs([[0, -1], [1, 0]])


@pytest.mark.parametrize(
    "cost, value",
    [
        (zero_one(2), 1 / 2),
        (3 * zero_one(7), 18 / 7),
        ([[0, 1], [1, 0], [0.2, 0.2]], 0.2),  # a third decision that always costs 0.2
        ([[0, 1], [1, 0], [0.7, 0.7]], 0.5),  # … or too much to matter
        ([[0, 1, 1], [1, 0, 1]], 1.0),  # a class that nothing fits
        ([[2, 5, 1]], 5.0),  # a single decision
        # the first decision is best against the first class
        ([[0, 0], [1, 5]], 0.0),  # a decision that is free
        ([[0, 5e-12], [3e-12, 0], [0, 5e-12]], 1.875e-12),
        ([[0, 5e22], [3e22, 0], [0, 5e22]], 1.875e22),
    ],
)
def test_largest_uncertainty_of_known_games(cost, value):
    found = largest_uncertainty(cost)
    assert found.value == pytest.approx(value, rel=1e-9, abs=1e-15)
    assert found.distribution.sum() == pytest.approx(1) and (found.distribution >= 0).all()
    assert (np.asarray(cost, float) @ found.distribution).min() == pytest.approx(found.value, rel=1e-9, abs=1e-15)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=6))
def test_largest_uncertainty_of_two_classes(rows):
    cost = np.array(rows, float)
    corners = {0.0, 1.0}
    for a in rows:
        for b in rows:
            slope = (a[1] - a[0]) - (b[1] - b[0])
            if slope and 0 <= (b[0] - a[0]) / slope <= 1:
                corners.add((b[0] - a[0]) / slope)
    exact = max(min((1 - q) * a[0] + q * a[1] for a in rows) for q in corners)
    assert largest_uncertainty(cost).value == pytest.approx(exact, abs=1e-12)


@given(st.data())
def test_no_uncertainty_is_above_the_largest(data):
    n_classes = data.draw(st.integers(2, 5))
    n_decisions = data.draw(st.integers(1, 5))
    cost = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n_classes * n_decisions, max_size=40)))
    cost = cost[: n_classes * n_decisions].reshape(n_decisions, n_classes)
    proba = data.draw(shares(n_classes))[None]
    best = bayes_decision(proba, cost)
    top = largest_uncertainty(cost)
    assert best.uncertainty[0] <= top.value * (1 + 1e-12) + 1e-12
    assert best.uncertainty[0] == pytest.approx((cost @ proba[0])[best.decision[0]], abs=1e-9)
    assert bayes_decision(top.distribution[None], cost).uncertainty[0] == pytest.approx(top.value, abs=1e-12)


def test_ties_go_to_the_lower_decision_despite_rounding():
    proba = [[0.1 + 0.2, 0.3, 0.4], [0.5, 0.5, 0.0]]
    cost = [[1, 0, 0], [0, 1, 0], [5, 5, 5]]
    assert bayes_decision(proba, cost).decision.tolist() == [0, 0]
    assert bayes_decision(proba, np.array(cost)[[2, 1, 0]]).decision.tolist() == [1, 1]


def test_labels_of_a_cost_table_are_read():
    table = pd.DataFrame([[0, 5], [3, 0]], ["go", "stay"], ["truth 0", "truth 1"])
    proba = [[0.9, 0.1]]
    assert bayes_decision(proba, table).uncertainty[0] == pytest.approx(0.5)
    assert bayes_decision(proba, table.iloc[:, ::-1]).uncertainty[0] == pytest.approx(0.5)
    for wrong in (table.T, pd.DataFrame(np.eye(2), columns=["predict 0", "predict 1"])):
        with pytest.raises(ValueError, match=r"its (rows|columns) are called .*: pass its transpose, cost.T"):
            bayes_decision(proba, wrong)
    with pytest.raises(ValueError, match=r"one row for each decision.*2 columns as proba has.*transpose, cost.T"):
        bayes_decision(proba, np.ones((2, 3)))
