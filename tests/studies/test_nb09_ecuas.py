"""Studies of abstaining where the truth is known: exact values, proper scores, thresholds, spellings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import sem

from helpers.selective import ecuas
from helpers.studies import nb09_ecuas


def test_four_rows_by_hand():
    ward = nb09_ecuas.Department(n_classes=2)
    assert ward.powered([0.5, 0.75, 1.0], 2) == pytest.approx([0.5, 0.9, 1.0])
    assert ward.powered([0.9], 0.5) == pytest.approx([0.75])
    cost = [[0, 1, 10], [6, 3, 1]]
    assert nb09_ecuas.stated_costs([[1, 0, 0], [0.4, 0, 0.6]], cost, reject_cost=2).tolist() == [[0, 1, 10], [2, 2, 2]]


def test_the_grid_covers_the_triangle_once():
    grid = nb09_ecuas.simplex_grid(10)
    assert len(grid) == len(np.unique(grid, axis=0)) == 66
    assert grid.sum(axis=1) == pytest.approx(np.ones(66)) and grid.min() == 0 and grid.max() == 1


def test_samples_follow_their_chance_and_the_exact_value():
    ward = nb09_ecuas.Department()
    right, chance = ward.sample(40_000, 1)
    assert chance.min() >= 1 / 4 and abs(right.mean() - ward.accuracy) < 4 * sem(right)
    assert abs((right - chance).mean()) < 4 * sem(right - chance)
    for power in (0.5, 1.0, 2.0):
        for n in (0, 1, 128):
            rows = ecuas(right, ward.powered(chance, power), n=n, n_classes=4)
            assert abs(rows.mean() - ward.expected_ecuas(power, n=n)) < 4.5 * sem(rows)
    again = ward.sample(40_000, 1)
    assert (again[0] == right).all() and (again[1] == chance).all()


def test_a_power_keeps_the_order_and_honesty_is_cheapest():
    ward = nb09_ecuas.Department()
    _, chance = ward.sample(500, 2)
    assert (np.argsort(ward.powered(chance, 3.0)) == np.argsort(chance)).all()
    for n in (0, 0.5, 1, 4):
        honest = ward.expected_ecuas(n=n)
        assert all(ward.expected_ecuas(power, n=n) > honest for power in (0.5, 0.9, 1.1, 2))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), classes=st.integers(2, 5), decisions=st.integers(1, 5), n=st.floats(0, 64))
def test_ecuas_of_any_cost_is_proper(seed, classes, decisions, n):
    rng = np.random.default_rng(seed)
    cost = rng.random((decisions, classes)) + 0.01
    beliefs = rng.dirichlet(np.full(classes, 0.7), 60)
    for how in ({"n": n}, {"reject_cost": rng.random()}, {}):
        paid = nb09_ecuas.stated_costs(beliefs, cost, **how)
        assert nb09_ecuas.smallest_gain(beliefs, paid) >= -1e-12 * max(1.0, paid.max())
