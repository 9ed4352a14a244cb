"""The blind spot in d dimensions: only the scales of two directions matter."""

import numpy as np
import pytest

from helpers.simulation import BlindSpot, Sigmoid


def test_the_plane_is_the_sigmoid_population():
    plane = BlindSpot([1, 0], [0, 1], covariance=np.diag([10, 1]))
    assert plane.grouping_loss == Sigmoid().grouping_loss
    a = plane.sample(100, rng=0)
    b = Sigmoid().sample(100, rng=0)
    assert a.X.equals(b.X) and np.array_equal(a.q, b.q) and np.array_equal(a.y, b.y)


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


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"weights": [1]}, "weights must"),
        ({"weights": [0, 0]}, "weights must"),
        ({"direction": [1, 1]}, "direction must"),
        ({"direction": [0, 1, 0]}, "direction must"),
        ({"covariance": [[1, 2], [2, 1]]}, "covariance must"),
        ({"covariance": [[1, 0.5], [0, 1]]}, "covariance must"),
        ({"link": lambda t: t}, "link must"),
        ({"psi": np.cos}, "psi must"),
        ({"strength": 2}, "strength must"),
    ],
)
def test_blind_spots_that_are_none(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        BlindSpot(**({"weights": [1, 0]} | change))
