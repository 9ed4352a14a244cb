"""Studies of abstaining where the truth is known: exact values, proper scores, thresholds, spellings."""

import numpy as np
import pytest
from scipy.stats import sem

from helpers.selective import ecuas
from helpers.studies.nb09_ecuas import Department


def test_four_rows_by_hand():
    ward = Department(n_classes=2)
    assert ward.powered([0.5, 0.75, 1.0], 2) == pytest.approx([0.5, 0.9, 1.0])
    assert ward.powered([0.9], 0.5) == pytest.approx([0.75])


def test_samples_follow_their_chance_and_the_exact_value():
    ward = Department()
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
    ward = Department()
    _, chance = ward.sample(500, 2)
    assert (np.argsort(ward.powered(chance, 3.0)) == np.argsort(chance)).all()
    for n in (0, 0.5, 1, 4):
        honest = ward.expected_ecuas(n=n)
        assert all(ward.expected_ecuas(power, n=n) > honest for power in (0.5, 0.9, 1.1, 2))
