"""What routed answers cost."""

import pytest

from helpers.routing.routed import decision_losses
from tests.routing.pool import COSTS


def test_a_class_that_the_costs_do_not_know_is_refused():
    for wrong in (0.5, 2, -1):
        with pytest.raises(ValueError, match="prediction"):
            decision_losses([[0, wrong, 1]], [0, 1, 1], COSTS)
