"""What routed answers cost."""

import numpy as np
import pytest

from helpers.routing.routed import decision_losses
from tests.routing.pool import COSTS


def test_a_class_that_the_costs_do_not_know_is_refused():
    for cost in ([[0, 1], [1, np.inf]], np.zeros((2, 2, 2)), [0, 1]):
        with pytest.raises(ValueError, match="cost"):
            decision_losses([[0, 1]], [0, 1], cost)
    for wrong in (0.5, 2, -1):
        with pytest.raises(ValueError, match="prediction"):
            decision_losses([[0, wrong, 1]], [0, 1, 1], COSTS)


def test_numbers_are_compared_by_value_whatever_holds_them():
    y = np.array([0, 0])
    assert decision_losses(np.array([[0, 1]], object), y).tolist() == [[0, 1]]
    assert decision_losses(np.array([[0.0, 1.0]]), y.astype(bool)).tolist() == [[0, 1]]
