"""Kernel ridge regression that learns which directions matter."""

import numpy as np
from sklearn.base import BaseEstimator

PENALTIES = (0.6, 6.0)

CENTRES = 300

STEPS = 3  # in which the directions are learned

SAMPLE = 2000  # rows whose gradients tell them

CHUNK = 20_000  # rows for which the kernels are held in memory


class AdaptedKernel(BaseEstimator):
    """Kernel ridge regression that learns the directions in which the target changes; exp(-|x - x'| / width) of the
    scores; predicts columns of the first and the last step, one for each penalty: (m, 4).
    """

    # After each step the rows are turned and stretched by the mean outer product of the fit's gradients, so that
    # features that say nothing stop counting in the distance: Radhakrishnan et al. (2024), Mechanism for feature
    # learning in neural networks; here with few centres and weights.

    def __init__(self, seed):
        self.seed = seed

    def fit(self, features, index, target, weight, fold=None):
        X = features.scores(index)
        rng = np.random.default_rng(self.seed)
        n, d = X.shape
        centres = X[rng.permutation(n)[:CENTRES]]
        sample = rng.permutation(n)[:SAMPLE]
        self.mean_ = np.average(target, weights=weight)
        self.directions_ = np.eye(d)
        self.steps_ = []
        for step in range(STEPS):
            bumps = _Bumps(self.directions_, centres)
            heights = _ridge(bumps, X, target - self.mean_, weight)
            if step in (0, STEPS - 1):
                self.steps_.append((bumps, heights))
            if step < STEPS - 1:
                slope = bumps.gradients(X[sample], heights[:, 0])
                self.directions_ = _root(slope.T @ (weight[sample, None] * slope))
        return self

    def predict(self, features, index):
        X = features.scores(index)
        return np.column_stack([self.mean_ + bumps.times(X, heights) for bumps, heights in self.steps_])


class _Bumps:
    """exp(-|x - x'| / width) between rows and centres, both turned by (d, d) directions."""

    def __init__(self, directions, centres):
        self.directions = directions
        self.centres = centres @ directions
        self.width = np.sqrt(len(directions) / 1.5)

    def distance(self, turned):
        squares = (turned**2).sum(axis=1)[:, None] + (self.centres**2).sum(axis=1) - 2 * turned @ self.centres.T
        return np.sqrt(np.maximum(squares, 0)) / self.width

    def values(self, X):
        """(n, centres)."""
        return np.exp(-self.distance(X @ self.directions))

    def times(self, X, heights):
        """values @ heights, some rows at a time."""
        return np.concatenate([self.values(part) @ heights for part in _chunks(X)])

    def gradients(self, X, height):
        """Of values @ height by the columns of X, (n, d)."""
        turned = X @ self.directions
        distance = np.maximum(self.distance(turned), 1e-4)  # a centre has no gradient at itself
        pull = np.exp(-distance) / distance * height
        return (pull @ self.centres - pull.sum(axis=1)[:, None] * turned) @ self.directions.T

    def norm(self):
        """(centres, centres)."""
        return np.exp(-self.distance(self.centres)) + 1e-6 * np.eye(len(self.centres))


def _chunks(*columns):
    """Rows some at a time."""
    for start in range(0, len(columns[0]), CHUNK):
        parts = [column[start : start + CHUNK] for column in columns]
        yield parts if len(parts) > 1 else parts[0]


def _ridge(bumps, X, y, weight):
    """Heights of the bumps for each penalty, (centres, penalties)."""
    gram = 0.0
    wanted = 0.0
    for rows, target, w in _chunks(X, y, weight):
        values = bumps.values(rows)
        weighted = w[:, None] * values
        gram = gram + values.T @ weighted
        wanted = wanted + target @ weighted
    norm = bumps.norm()
    return np.column_stack([np.linalg.solve(gram + penalty * norm, wanted) for penalty in PENALTIES])


def _root(spread):
    """Directions whose product with their transpose is the (d, d) matrix, scaled to trace d."""
    d = len(spread)
    trace = np.trace(spread)
    if not trace > 0:
        return np.eye(d)
    value, vector = np.linalg.eigh(spread / trace * d + 1e-3 * np.eye(d))
    return vector * np.sqrt(np.maximum(value, 0))
