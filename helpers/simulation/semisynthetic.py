"""Real features with labels drawn from a known truth."""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier

from helpers.checks import check_count, check_labels, check_probabilities, check_rng, check_same_length
from helpers.partition.checked import check_table
from helpers.partition.kinds import as_numbers
from helpers.simulation.populations import Population


class SemiSynthetic(Population):
    """Real features with labels drawn from a known truth (Melo et al., 2026, appendix B.4).

    A model of the label is fitted on one half of a real table and declared to be the truth q; the rows of the other
    half are the population. `sample` draws rows (with replacement) and labels y ~ Bernoulli(q).

    Parameters
    ----------
    X : DataFrame, shape (n, d)
        Real features.
    y : array of {0, 1}, shape (n,)
        Real labels.
    score : function or array of float, shape (n,)
        Stated probabilities: a function of a table of rows, or an array aligned with `X`.
    model : classifier or None, default None
        What becomes the truth; None for a small histogram gradient boosting that takes categories and missing values.
    neighbors : int, default 200
        Rows over which q is smoothed into c, for a continuous score.
    rng : int, Generator or None, default None
        Decides the halves.

    Attributes
    ----------
    X, p, q : DataFrame and arrays of float
        Features, stated and true probabilities of the population.
    c : array of float
        Mean of q among rows with the same stated probability or, for a continuous score, q smoothed over the
        `neighbors` nearest stated probabilities.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.normal(size=400)})
    >>> y = (rng.random(400) < 0.5 + 0.4 * np.sign(X["age"])).astype(int)
    >>> constant = SemiSynthetic(X, y, np.full(400, 0.5), rng=0)
    >>> constant.X.shape, constant.grouping_loss > 0.1
    ((200, 1), True)
    """

    def __init__(self, X, y, score, *, model=None, neighbors=200, rng=None):
        X = check_table(X)
        y = check_labels(y, both=True)
        check_same_length(X=X, y=y)
        if not callable(score):
            score = check_probabilities(score, "score")
            check_same_length(X=X, score=score)
        neighbors = check_count(neighbors, "neighbors", least=2)
        rng = check_rng(rng)
        half = rng.permutation(len(X)) < len(X) // 2
        table = X
        if model is None:
            table = X.apply(_for_boosting)
            model = HistGradientBoostingClassifier(
                max_iter=60, max_leaf_nodes=8, learning_rate=0.1, categorical_features="from_dtype", random_state=0
            )
        self.model_ = clone(model).fit(table[half], y[half])
        self.X = X[~half].reset_index(drop=True)
        self.q = self.model_.predict_proba(table[~half])[:, 1]
        self.p = check_probabilities(score(self.X) if callable(score) else score[~half], "score")
        check_same_length(q=self.q, score=self.p)
        self.c = _conditional_mean(self.p, self.q, neighbors)

    @property
    def grouping_loss(self):
        """Mean (q - c)**2 over the population."""
        return float(np.mean((self.q - self.c) ** 2))

    def _draw(self, n, rng):
        rows = rng.integers(len(self.X), size=n)
        return self.X.iloc[rows].reset_index(drop=True), self.p[rows], self.q[rows], self.c[rows]


def _for_boosting(values):
    """A column of text as categories, one of dates as days; others as they are."""
    if values.dtype.kind in "biuf" or isinstance(values.dtype, pd.CategoricalDtype):
        return values
    numbers = as_numbers(values)
    return values.astype("category") if numbers is None else pd.Series(numbers, index=values.index)


def _conditional_mean(p, q, neighbors):
    """E[q | p] over a finite population: the mean of rows with the same p, joined by rows with the nearest p where
    these are fewer than `neighbors`. Rows with the same p get the same value.
    """
    code, count = np.unique(p, return_inverse=True, return_counts=True)[1:]
    end = np.cumsum(count)
    start = end - count
    middle = (start + end) // 2
    low = np.clip(np.minimum(start, middle - neighbors // 2), 0, max(p.size - neighbors, 0))
    low = np.where(count >= neighbors, start, np.minimum(low, start))
    high = np.where(count >= neighbors, end, np.minimum(np.maximum(low + neighbors, end), p.size))
    total = np.concatenate([[0.0], np.cumsum(q[np.argsort(code, kind="stable")])])
    return ((total[high] - total[low]) / (high - low))[code]
