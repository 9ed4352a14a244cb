"""Costs and probabilities that are drawn at random."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

cents = st.integers(-500, 500).map(lambda k: k / 100)


@st.composite
def matrices(draw):
    cost = np.array(draw(st.lists(cents, min_size=4, max_size=4))).reshape(2, 2)
    assume(cost[1, 0] + cost[0, 1] - cost[0, 0] - cost[1, 1] > 0.005)
    return cost


def zero_one(n_classes):
    return 1 - np.eye(n_classes)


def shares(n_classes):
    """Points of the simplex, corners and edges among them."""
    counts = st.lists(st.integers(0, 9), min_size=n_classes, max_size=n_classes).filter(any)
    return counts.map(lambda values: np.array(values) / sum(values))
