"""The kernel regression that learns directions, written out."""

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
