"""The kernel regression: what may not change it."""

from types import SimpleNamespace

import numpy as np

from helpers.grouping.kernels import AdaptedKernel

AS_GIVEN = SimpleNamespace(scores=lambda index: index)


def test_columns_that_come_twice_change_nothing_before_directions_are_learned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.sin(X[:, 0])
    once = AdaptedKernel(seed=0).fit(AS_GIVEN, X, y, np.ones(200)).predict(AS_GIVEN, X)
    twice = np.hstack([X, X])
    again = AdaptedKernel(seed=0).fit(AS_GIVEN, twice, y, np.ones(200)).predict(AS_GIVEN, twice)
    np.testing.assert_allclose(again[:, :2], once[:, :2], atol=1e-6)


def test_the_adapted_kernel_finds_the_feature_that_counts():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 8))
    new = rng.normal(size=(1000, 8))
    y = np.sin(2 * X[:, 3]) + 0.3 * rng.normal(size=1500)
    model = AdaptedKernel(seed=0).fit(AS_GIVEN, X, y, np.ones(1500))
    plain, _, adapted, _ = model.predict(AS_GIVEN, new).T
    missed = [np.mean((column - np.sin(2 * new[:, 3])) ** 2) ** 0.5 for column in (adapted, plain)]
    assert missed[0] < 0.5 * missed[1]
    assert np.linalg.norm(model.directions_, axis=1).argmax() == 3
