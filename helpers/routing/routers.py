"""Predictive routers: choose one model for each question before any model is asked, and pay only that one."""

from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import NotFittedError

from helpers.checks import check_count, check_groups, check_rng, check_same_length
from helpers.partition import HonestTree
from helpers.partition.checked import CheckedTable, check_table
from helpers.routing.routed import (
    ask_one,
    check_correct,
    check_model_table,
    check_predictions,
    check_prices,
    check_thresholds,
    price_table,
)


def route(accuracy, prediction, cost, *, willingness):
    """Predictive router: ask only the model with the largest willingness * accuracy - cost; of equal ones the cheapest.

    Melo et al. (2026), section 4.3; Hu et al. (2024). Plain: `helpers.papers.melo2026.section_4_3_router`.

    Parameters
    ----------
    accuracy : array of float, shape (m, n)
        Predicted probability that the model is right: of `TreeRouter`, or for embeddings of text of scikit-learn's
        `KNeighborsRegressor(40, metric="cosine")`, fitted to `correct.T` (Hu et al., 2024, appendix C.4 of the paper).
    prediction, cost : array, shape (m, n), and (m,) or (m, n)
        Answers, classes or texts, and the price of asking each model, ascending.
    willingness : float
        What a right answer is worth, at least 0, in the unit of `cost`: the larger, the more expensive.

    Returns
    -------
    Routed
        Each row pays one model.

    Examples
    --------
    >>> routed = route([[0.9, 0.5], [0.95, 0.9]], [[0, 0], [1, 1]], [1, 10], willingness=100)
    >>> routed.model, routed.paid
    (array([0, 1]), array([ 1., 10.]))
    """
    prediction = check_predictions(prediction)
    accuracy = check_model_table(accuracy, prediction.shape, "accuracy", most=1)
    cost = check_prices(cost, prediction.shape)
    willingness = check_thresholds(willingness, "willingness", least=0, most=np.finfo(float).max)[0]
    worth = willingness * accuracy - price_table(cost, prediction.shape)
    return ask_one(prediction, cost, worth.argmax(axis=0))


@dataclass(eq=False, kw_only=True)
class TreeRouter:
    """Predicts where each model is right, from the question alone: trees of the same kind as those of `RiskEstimator`.

    Not an estimator of scikit-learn: it learns a row a model and not a column, as everything else in routing does.

    Melo et al. (2026), section 4.3: a tree on the features, with the settings of their risk estimator. Plain, one tree:
    `helpers.papers.melo2026.section_4_3_accuracy`.

    Parameters
    ----------
    min_samples_leaf : int, default 15
        Rows that a leaf needs.
    max_depth : int or None, default None
        Questions on the way to a leaf, at most.
    n_halvings : int, default 5
        Random halvings; a tree chooses regions on one half, the other half gives them their means, then the roles
        change; predictions are averaged. 0: one tree on all rows, valued by the rows that chose it.
    rng : int, Generator or None, default None
        Source of the halvings.

    Examples
    --------
    >>> X = np.arange(400.0)[:, None]
    >>> correct = np.array([X[:, 0] < 200, X[:, 0] >= 200])
    >>> TreeRouter(rng=0).fit(X, correct).predict([[10.0], [390.0]]).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    min_samples_leaf: int = 15
    max_depth: int | None = None
    n_halvings: int = 5
    rng: object = None

    def fit(self, X, correct, groups=None):
        """Learn from past questions.

        Parameters
        ----------
        X, correct : DataFrame or array, shape (n, d) and (m, n)
            Features of the questions, and 1 where a model was right, 0 where wrong; where mistakes differ in cost,
            anything between. At least four leaves' rows.
        groups : array, shape (n,), optional
            Labels of rows that stay together.

        Returns
        -------
        TreeRouter
            The router itself.
        """
        X = check_table(X)
        correct = check_correct(correct)
        groups = check_groups(groups)
        check_same_length(X=X, **{"correct, counted along its rows,": correct.T})
        check_same_length(X=X, groups=groups)
        check_count(self.min_samples_leaf, "min_samples_leaf")
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth")
        check_count(self.n_halvings, "n_halvings", least=0)
        least = 4 * self.min_samples_leaf
        if len(X) < least:
            raise ValueError(f"X must have at least 4 * min_samples_leaf = {least} rows, but it has {len(X)}.")
        rng = check_rng(self.rng)
        everything = np.arange(len(X))
        roles = [] if self.n_halvings else [(everything, everything)]
        for _ in range(self.n_halvings):
            a, b = _halves(len(X), groups, rng)
            roles += [(a, b), (b, a)]
        self.average_ = correct.mean(axis=1)
        X = CheckedTable(X)
        self.trees_ = [
            [self._tree(X, residual, *rows, rng) for rows in roles] for residual in correct - self.average_[:, None]
        ]
        return self

    def _tree(self, X, residual, choose, judge, rng):
        """Tree chosen on the rows `choose` and valued on the rows `judge`."""
        tree = HonestTree(min_samples_leaf=self.min_samples_leaf, max_depth=self.max_depth, rng=rng)
        tree.fit(CheckedTable(X, choose), residual[choose])
        return tree.estimate_regions(tree.apply(CheckedTable(X, judge)), residual[judge])

    def predict(self, X):
        """Predicted accuracy of each model on each row of X, (m, n), in [0, 1]."""
        if not hasattr(self, "trees_"):
            raise NotFittedError("This TreeRouter has not seen past questions yet: call fit first.")
        X = CheckedTable(check_table(X))
        each = [[tree.value_[tree.apply(X)] for tree in trees] for trees in self.trees_]
        residual = np.mean(each, axis=1)
        return np.clip(residual + self.average_[:, None], 0, 1)


def _halves(n, groups, rng):
    """Row numbers of two random halves; groups stay whole."""
    unit = np.arange(n) if groups is None else groups
    n_units = unit.max() + 1
    in_first = rng.permutation(n_units)[unit] < n_units / 2
    return np.flatnonzero(in_first), np.flatnonzero(~in_first)
