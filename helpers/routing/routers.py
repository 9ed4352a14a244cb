"""Predictive routers: choose one model for each question before any model is asked, and pay only that one."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors

from helpers.checks import check_count, check_groups, check_numbers, check_same_length
from helpers.partition import HonestTree
from helpers.partition.encoder import check_table
from helpers.routing.routed import (
    Routed,
    check_correct,
    check_model_table,
    check_predictions,
    check_prices,
    check_thresholds,
    paid_for,
)


def route(accuracy, prediction, cost, *, willingness):
    """Predictive router: ask only the model with the largest willingness * accuracy - cost; of equal ones the cheapest.

    Parameters
    ----------
    accuracy : (m, n) predicted probability that the model is right, from `TreeRouter` or `NeighborRouter`
    prediction : (m, n) answers
    cost : (m,) ascending, or (m, n)
    willingness : what a right answer is worth, at least 0, in the unit of `cost`: the larger, the dearer

    Returns
    -------
    Routed; each row pays one model.

    Raises
    ------
    ValueError for tables of other shapes, accuracies outside of [0, 1], models not in order of cost, or a negative or
    infinite willingness.

    Source: Melo et al. (2026), section 4.3; Hu et al. (2024).

    >>> routed = route([[0.9, 0.5], [0.95, 0.9]], [[0, 0], [1, 1]], [1, 10], willingness=100)
    >>> routed.model, routed.paid
    (array([0, 1]), array([ 1., 10.]))
    """
    prediction = check_predictions(prediction)
    accuracy = check_model_table(accuracy, prediction.shape, "accuracy", most=1)
    cost = check_prices(cost, prediction.shape)
    willingness = check_thresholds(willingness, "willingness", least=0, most=np.finfo(float).max)[0]
    n = prediction.shape[1]
    model = (willingness * accuracy - (cost[:, None] if cost.ndim == 1 else cost)).argmax(axis=0)
    return Routed(prediction[model, np.arange(n)], model, np.array(paid_for(cost, model, n), dtype=float))


class TreeRouter(BaseEstimator):
    """Predicts where each model is right, from the question alone: trees of the same kind as those of `RiskEstimator`.

    Parameters
    ----------
    min_samples_leaf, max_depth : of the trees
    n_halvings : random halvings; a tree chooses regions on one half, the other half gives them their means, then the
        roles change; predictions are averaged. 0: one tree on all rows, valued by the rows that chose it
    rng : int, Generator or None

    Source: Melo et al. (2026), section 4.3: a tree on the features, with the settings of their risk estimator.

    >>> X = np.arange(400.0)[:, None]
    >>> correct = np.array([X[:, 0] < 200, X[:, 0] >= 200])
    >>> TreeRouter(rng=0).fit(X, correct).predict([[10.0], [390.0]]).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(self, *, min_samples_leaf=15, max_depth=None, n_halvings=5, rng=None):
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.n_halvings = n_halvings
        self.rng = rng

    def fit(self, X, correct, groups=None):
        """Learn from past questions. Returns self.

        Parameters
        ----------
        X : (n, d) table; groups : (n,) labels of rows that stay together
        correct : (m, n) 1 where a model was right, 0 where wrong; where mistakes differ in cost, anything between
        """
        X, correct, groups = check_table(X), check_correct(correct), check_groups(groups)
        _same_rows(X, correct)
        check_same_length(X=X, groups=groups)
        check_count(self.min_samples_leaf, "min_samples_leaf")
        check_count(self.n_halvings, "n_halvings", least=0)
        if len(X) < 4 * self.min_samples_leaf:
            least = 4 * self.min_samples_leaf
            raise ValueError(f"X must have at least 4 * min_samples_leaf = {least} rows, but it has {len(X)}.")
        rng = np.random.default_rng(self.rng)
        everything = np.arange(len(X))
        parts = [] if self.n_halvings else [(everything, everything)]
        for _ in range(self.n_halvings):
            a, b = _halves(len(X), groups, rng)
            parts += [(a, b), (b, a)]
        self.average_ = correct.mean(axis=1)
        self.trees_ = [
            [self._tree(X, right, *rows, rng) for rows in parts] for right in correct - self.average_[:, None]
        ]
        return self

    def _tree(self, X, right, choose, judge, rng):
        tree = HonestTree(min_samples_leaf=self.min_samples_leaf, max_depth=self.max_depth, rng=rng)
        return tree.fit(X.iloc[choose], right[choose]).estimate(X.iloc[judge], right[judge])

    def predict(self, X):
        """Predicted accuracy of each model on each row, (m, n)."""
        if not hasattr(self, "trees_"):
            raise NotFittedError("This TreeRouter has not seen past questions yet: call fit first.")
        X = check_table(X)
        table = [np.mean([tree.predict(X) for tree in trees], axis=0) for trees in self.trees_]
        return np.clip(np.array(table) + self.average_[:, None], 0, 1)


def _halves(n, groups, rng):
    """Row numbers of two random halves; groups stay whole."""
    unit = np.arange(n) if groups is None else groups
    in_first = rng.permutation(unit.max() + 1)[unit] < (unit.max() + 1) / 2
    return np.flatnonzero(in_first), np.flatnonzero(~in_first)


class NeighborRouter(BaseEstimator):
    """Predicts where each model is right: its accuracy on the `k` past questions that are nearest.

    Parameters
    ----------
    k : neighbours
    metric : "cosine", "euclidean" or another metric of scikit-learn's `NearestNeighbors`

    Source: Hu et al. (2024), with the values that Melo et al. (2026, appendix C.4) take from them.

    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> NeighborRouter(k=2).fit(X, [[1, 1, 0, 0]]).predict([[2.0, 0.3], [0.0, 5.0]])
    array([[1., 0.]])
    """

    def __init__(self, *, k=40, metric="cosine"):
        self.k = k
        self.metric = metric

    def fit(self, X, correct):
        """Remember past questions: `X` (n, d) embeddings, `correct` (m, n) as in `TreeRouter.fit`. Returns self."""
        X, correct = _embedding(X), check_correct(correct)
        _same_rows(X, correct)
        check_count(self.k, "k")
        if len(X) < self.k:
            raise ValueError(f"X must have at least k = {self.k} rows, but it has {len(X):,}.")
        self.neighbors_ = NearestNeighbors(n_neighbors=self.k, metric=self.metric).fit(X)
        self.correct_ = correct
        return self

    def predict(self, X):
        """Predicted accuracy of each model on each row, (m, n)."""
        if not hasattr(self, "correct_"):
            raise NotFittedError("This NeighborRouter has not seen past questions yet: call fit first.")
        X = _embedding(X)
        parts = [X[start : start + 4096] for start in range(0, len(X), 4096)]
        near = np.concatenate([self.neighbors_.kneighbors(part, return_distance=False) for part in parts])
        return np.stack([right[near].mean(axis=1) for right in self.correct_])


def _same_rows(X, correct):
    check_same_length(X=X, **{"correct, counted along its rows,": correct.T})


def _embedding(X):
    """Float table of numbers, all finite."""
    array = check_numbers(check_table(X), "X")
    if not np.isfinite(array).all():
        row = int(np.argmax(~np.isfinite(array).all(axis=1)))
        raise ValueError(f"X must be finite, but row {row} of X has a missing entry.")
    return array
