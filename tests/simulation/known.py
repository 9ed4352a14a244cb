"""Populations that the tests of this room share."""

import numpy as np
from scipy.stats import norm

from helpers.simulation import BlindSpot, Links, Sigmoid

STEEP = Links(lambda p: np.minimum(1, 2 * p))
WORST = Links(lambda p: 0 * p + 0.5, other=lambda p: p > 0.5, accurate=True)
TILTED_COVARIANCE = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, 0.3], [0.0, 0.3, 0.5]])


def towards_half(p):
    return p + 0.6 * (0.5 - p)


POPULATIONS = {
    "sigmoid": Sigmoid(),
    "accurate sigmoid": Sigmoid(accurate=True),
    "weak sigmoid": Sigmoid(strength=0.3),
    "no loss": Sigmoid(strength=0),
    "steep link": STEEP,
    "uniform link": Links(lambda p: np.minimum(1, 2 * p), inputs="uniform"),
    "accurate link": Links(
        lambda p: p + 0.8 * np.minimum(np.minimum(p, 1 - p), np.abs(p - 0.5)), inputs="uniform", accurate=True
    ),
    "reweighted link": Links(lambda p: p**2, other=lambda p: p**2 < p),
    "reweighted accurate link": Links(towards_half, other=lambda p: towards_half(p) < p, accurate=True),
    "worst accurate link": WORST,
    "three dimensions": BlindSpot([1, -2, 0.5], psi=np.sin),
    "oblique": BlindSpot([1, 1, 0], covariance=TILTED_COVARIANCE, link=norm.cdf, accurate=True, strength=0.9),
    "named directions": BlindSpot([0, 2], [3, 0], covariance=np.diag([0.5, 4]), psi=np.sign),
}
ACCURATE = ["accurate sigmoid", "accurate link", "reweighted accurate link", "worst accurate link", "oblique"]
