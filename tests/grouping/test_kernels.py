"""The kernel regression: what may not change it."""

import numpy as np

from helpers.grouping.kernels import AdaptedKernel


def test_columns_that_come_twice_change_nothing_before_directions_are_learned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.sin(X[:, 0])
    once = AdaptedKernel(random_state=0).fit(X, y, np.ones(200)).predict(X)
    twice = np.hstack([X, X])
    again = AdaptedKernel(random_state=0).fit(twice, y, np.ones(200)).predict(twice)
    np.testing.assert_allclose(again[:, :2], once[:, :2], atol=1e-6)
