"""The blind spot in d dimensions: only the scales of two directions matter."""

import numpy as np
import pytest
from refusals import refuses

from helpers.simulation import BlindSpot


def test_only_the_scales_of_the_two_directions_matter():
    """weights . X has variance 10 and direction . X variance 1 in five dimensions, turned and stretched."""
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(5, 5))
    covariance = factor @ factor.T + np.eye(5)
    weights = rng.normal(size=5)
    weights *= np.sqrt(10 / (weights @ covariance @ weights))
    turned = BlindSpot(weights, covariance=covariance, accurate=True)
    assert abs(turned.direction @ covariance @ weights) < 1e-9
    assert turned.direction @ covariance @ turned.direction == pytest.approx(1)
    assert turned.grouping_loss == pytest.approx(0.007683939163, abs=1e-9)
    X = turned.sample(40_000, rng=0).X.to_numpy()
    products = X[:, :, None] * X[:, None, :]
    assert (np.abs(products.mean(axis=0) - covariance) < 4.5 * products.std(axis=0) / 200).all()


test_blind_spots_that_are_none = refuses(
    ({"weights": [0, 0]}, "weights must"),
    ({"direction": [1, 1]}, "direction must"),
    ({"covariance": [[1, 2], [2, 1]]}, "covariance must"),
    ({"link": lambda t: t}, "link must"),
    ({"psi": np.cos}, "psi must"),
    of=lambda **change: BlindSpot(**{"weights": [1, 0]} | change),
)
