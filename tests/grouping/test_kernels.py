"""The kernel regression: what may not change it."""

from types import SimpleNamespace

import numpy as np

from helpers.grouping import kernels
from helpers.grouping.kernels import AdaptedKernel

AS_GIVEN = SimpleNamespace(scores=lambda index: index)


def test_the_kernel_regression_written_out(monkeypatch):
    """With every row a centre; gradients by differences, whose mean outer product turns and stretches the rows."""
    monkeypatch.setattr(kernels, "CHUNK", 16)
    rng = np.random.default_rng(1)
    X, new = rng.normal(size=(40, 2)), rng.normal(size=(7, 2))
    y = X[:, 0] + rng.normal(size=40)
    w = rng.uniform(0.5, 2, 40)
    mean = np.average(y, weights=w)
    turn = np.eye(2)
    stages = []
    for _ in range(3):

        def kernel(rows, turn=turn):
            return np.exp(-np.linalg.norm((rows[:, None] - X) @ turn, axis=2) / np.sqrt(2 / 1.5))

        K = kernel(X)
        ridges = [K.T * w @ K + penalty * (K + 1e-6 * np.eye(40)) for penalty in (0.6, 6)]
        heights = [np.linalg.solve(ridge, K.T * w @ (y - mean)) for ridge in ridges]
        stages.append(mean + kernel(new) @ np.column_stack(heights))
        steps = [1e-6 * np.array(step) for step in ((1, 0), (0, 1))]
        # a centre has no gradient at itself: differences to both sides cancel there
        slope = np.column_stack([(kernel(X + s) - kernel(X - s)) @ heights[0] / 2e-6 for s in steps])
        spread = slope.T * w @ slope
        value, vector = np.linalg.eigh(2 * spread / np.trace(spread) + 1e-3 * np.eye(2))
        turn = vector * np.sqrt(value)
    found = AdaptedKernel(seed=0).fit(AS_GIVEN, X, y, w).predict(AS_GIVEN, new)
    np.testing.assert_allclose(found, np.hstack([stages[0], stages[2]]), atol=1e-4)


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
