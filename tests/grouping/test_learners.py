"""The learners of the stack: other rows, scikit-learn as an oracle, fits that share their sums."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from helpers.grouping.features import Features, as_index
from helpers.grouping.learners import Boosting, Linear, combination
from helpers.partition.encoder import TableEncoder


def test_weights_of_the_combination_are_least_squares_where_that_is_not_negative():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(200, 3))
    r = columns @ [0.5, 0.2, 0.9] + 0.1 * rng.normal(size=200)
    w = rng.uniform(0.5, 2, 200)
    root = np.sqrt(w)[:, None]
    free = np.linalg.lstsq(root * columns, root[:, 0] * r, rcond=None)[0]
    assert combination(columns, r, w) == pytest.approx(free, abs=1e-4)
    against = combination(np.column_stack([columns, -columns]), r, w)
    assert (against >= 0).all() and against[3:] == pytest.approx(0, abs=1e-4)
    assert combination(np.zeros((5, 2)), np.ones(5), np.ones(5)).tolist() == [0, 0]


class Learners:
    """All learners, fitted on the same rows and asked about others."""

    def __init__(self, codes, target, weight, categories=()):
        index = as_index(codes)
        self.features = Features(categories, 0).fit(index)
        self.boosting = Boosting().fit(self.features, index, target, weight)
        whole = np.zeros(len(index), int)
        moment = (weight * target)[:, None]
        self.linear = Linear().fit(self.features, index, whole - 1, whole, weight, np.ones((len(index), 1)), moment)

    def predict(self, codes):
        index = self.features.index(codes)
        return np.column_stack(
            [self.boosting.predict(self.features, index), self.linear.predict(self.features, index, 0)]
        )


def codes_of(X):
    X = pd.DataFrame(X)
    return TableEncoder().fit(X, np.zeros(len(X))).transform(X)


@pytest.mark.parametrize("shape", ["line", "corner", "bump"])
def test_learners_predict_rows_they_have_not_seen(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    weight = rng.uniform(0.1, 0.25, 1500)
    s = {
        "line": X[:, 0],
        "corner": 2.0 * (X[:, 0] * X[:, 1] > 0) - 1,
        "bump": 2 * np.exp(-(X[:, 0] ** 2) - X[:, 1] ** 2),
    }
    s = s[shape] - s[shape].mean()
    target = s + rng.normal(size=1500) / np.sqrt(weight) / 2
    codes = codes_of(X)
    fitted = Learners(codes[:1000], target[:1000], weight[:1000])
    columns = fitted.predict(codes[1000:])
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(codes[1000:]), columns)
    error = ((columns - s[1000:, None]) ** 2).mean(axis=0) / (s[1000:] ** 2).mean()
    assert columns.shape == (500, 11) and (error < 0.95).all()
    assert error.min() < {"line": 0.1, "corner": 0.35, "bump": 0.35}[shape]
    kinds = [error[a:b].min() for a, b in ((0, 3), (3, 5), (5, 9), (9, 11))]
    assert np.argmin(kinds) == {"line": 1, "corner": 0, "bump": 2}[shape]


def test_regressions_are_those_of_scikit_learn_and_cluster_means_are_drawn_to_zero():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    target = np.sin(X[:, 0]) + rng.normal(size=400)
    weight = rng.uniform(0.5, 2, 400)
    codes = codes_of(X)
    fitted = Learners(codes, target, weight)
    columns = fitted.predict(codes)
    features = fitted.features
    splines, kernel, _ = features.smooth(as_index(codes))
    mean = np.average(splines[:, :-1], axis=0, weights=weight)
    scale = np.sqrt(np.average((splines[:, :-1] - mean) ** 2, axis=0, weights=weight))
    ridge = Ridge(30 * weight.mean()).fit(splines[:, :-1] / scale, target, weight)
    assert columns[:, 3] == pytest.approx(ridge.predict(splines[:, :-1] / scale), abs=1e-6)
    values, vectors = np.linalg.eigh(next(itertools.islice(features.penalties(), 1, None))[:300, :300])
    sure = values > 1e-9  # ours adds as little to all of them
    bumps = kernel[:, :300] @ vectors[:, sure] / np.sqrt(values[sure])
    table = np.column_stack([bumps, kernel[:, 300:-1]])
    ridge = Ridge(0.3 * weight.mean(), solver="svd").fit(table, target, weight)
    assert columns[:, 5] == pytest.approx(ridge.predict(table), abs=5e-3)
    cluster = features.regions(as_index(codes))[:, 0]
    rows = cluster == cluster[7]
    drawn = (weight[rows] @ target[rows]) / (weight[rows].sum() + 2)
    assert columns[7, 9] == pytest.approx(drawn)


def test_fits_that_share_their_sums_are_those_of_the_rows_outside_each_fold():
    rng = np.random.default_rng(1)
    index = as_index(codes_of(rng.normal(size=(500, 3))))
    fold = rng.integers(0, 3, 500)
    weight = rng.uniform(0.5, 2, 500)
    bin_of_row = rng.integers(0, 4, 500)
    variance = np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.25], [0.15, 0.15, 0.1], [0.2, 0.2, 0.2]])[bin_of_row]
    moment = rng.normal(size=(500, 3))
    features = Features().fit(index)
    together = Linear().fit(features, index, fold, bin_of_row, weight, variance, moment)
    whole = np.zeros(500, int)
    for j in range(3):
        rows = fold != j
        w = (weight * variance[:, j])[rows]
        options = whole[rows] - 1, whole[rows], w, np.ones((w.size, 1)), moment[rows, j, None]
        alone = Linear().fit(features, index[rows], *options)
        assert together.predict(features, index, j) == pytest.approx(alone.predict(features, index, 0), abs=1e-6)


def test_a_category_is_told_by_its_levels_whatever_their_order():
    rng = np.random.default_rng(2)
    level = rng.integers(0, 30, 3000)
    effect = rng.normal(size=30)
    codes = np.column_stack([level, rng.integers(0, 50, 3000)]).astype(np.float32)
    target = effect[level] + rng.normal(size=3000)
    fitted = Learners(codes[:2000], target[:2000], np.ones(2000), categories=(0,))
    error = ((fitted.predict(codes[2000:]) - effect[level[2000:], None]) ** 2).mean(axis=0)
    assert error[:3].min() < 0.1 and error.max() < effect.var()
    unknown = fitted.predict(np.array([[31.0, 0], [np.nan, 0]], np.float32))
    assert np.isfinite(unknown).all()
