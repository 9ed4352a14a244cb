"""Populations whose truth is known: what an estimator should find, and what it should not."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier

from helpers.checks import (
    check_count,
    check_labels,
    check_numbers,
    check_one_of,
    check_probabilities,
    check_same_length,
)
from helpers.encoding import as_numbers, check_table


@dataclass(frozen=True)
class Sample:
    """Rows of a population: features `X`, label `y`, stated `p`, true `q`, calibrated `c`, each with n rows."""

    X: pd.DataFrame
    y: np.ndarray
    p: np.ndarray
    q: np.ndarray
    c: np.ndarray

    @property
    def grouping_loss(self):
        """Mean (q - c)**2 of these rows."""
        return float(np.mean((self.q - self.c) ** 2))


class Sigmoid:
    """A calibrated score that is blind to one direction: the stretched sigmoid of a network's last layer.

    X = (x1, x2) normal with variances 10 and 1; p = expit(x1); q = p + psi(x2) * room(p), psi(t) = 2 expit(3 t) - 1
    odd, so that E[Y | p] = p. `room` is min(p, 1 - p); with `accurate=True` also at most |p - 1/2|, so that deciding
    by p > 1/2 is optimal. `strength` in [0, 1] scales psi; at 0 the score is perfect (the null population).

    Source: Perez-Lebel et al. (2023), appendix B.2.

    >>> round(Sigmoid().grouping_loss, 8), round(Sigmoid(accurate=True).grouping_loss, 8)
    (0.02535948, 0.00768394)
    """

    def __init__(self, *, accurate=False, strength=1.0):
        if not 0 <= float(check_numbers(strength, "strength")) <= 1:
            raise ValueError(f"strength must lie in [0, 1], but it is {strength}.")
        self.accurate, self.strength = accurate, strength

    def room(self, p):
        """Largest deviation that the true probability may have from `p`, (n,)."""
        p = np.asarray(p, dtype=float)
        room = np.minimum(p, 1 - p)
        return np.minimum(room, np.abs(p - 0.5)) if self.accurate else room

    def truth(self, X):
        """True probability q of each row of `X` (n, 2)."""
        x1, x2 = np.asarray(X, dtype=float).T
        p = expit(x1)
        return p + self.strength * np.tanh(1.5 * x2) * self.room(p)

    def sample(self, n, rng=None):
        """`Sample` of n rows."""
        rng = np.random.default_rng(rng)
        X = rng.normal(size=(check_count(n, "n"), 2)) * np.sqrt([10, 1])
        p, q = expit(X[:, 0]), self.truth(X)
        return Sample(pd.DataFrame(X, columns=["x1", "x2"]), (rng.random(n) < q).astype(int), p, q, p)

    @cached_property
    def grouping_loss(self):
        """E (q - c)**2 by quadrature."""
        wave = 2 * quad(lambda t: np.tanh(1.5 * t) ** 2 * norm.pdf(t), 0, 12)[0]
        return self.strength**2 * wave * self._mean_over_scores(lambda p: self.room(p) ** 2)

    @cached_property
    def irreducible_loss(self):
        """E q (1 - q) by quadrature: p (1 - p) is what is left without the features, the grouping loss what
        they explain.
        """
        return self._mean_over_scores(lambda p: p * (1 - p)) - self.grouping_loss

    @staticmethod
    def _mean_over_scores(f):
        def density(x):
            return f(expit(x)) * norm.pdf(x, scale=np.sqrt(10))

        return 2 * sum(quad(density, a, b, epsabs=1e-13)[0] for a, b in ((0, np.log(3)), (np.log(3), 40)))


class Links:
    """A calibrated score p(x) of one feature whose link to the true probability is yours to choose.

    x is standard normal or uniform on [-2, 2]; p = 1 - exp(-(0.9 x)**2) is the same at x and -x; q = h(p) for x > 0
    and 2 p - h(p) for x < 0, so that E[Y | p] = p whatever the link h.

    Parameters
    ----------
    link : vectorised function h of p with max(0, 2 p - 1) <= h(p) <= min(1, 2 p)
    inputs : "normal" or "uniform"
    accurate : require that h(p) and 2 p - h(p) lie on the side of 1/2 on which p lies

    Raises
    ------
    ValueError where the link leaves its bounds; the first offending p is named.

    Source: Perez-Lebel et al. (2023), appendix B.1.

    >>> Links(lambda p: p).grouping_loss
    0.0
    >>> round(Links(lambda p: np.minimum(1, 2 * p), inputs="uniform").grouping_loss, 4)
    0.0612
    """

    def __init__(self, link, *, inputs="normal", accurate=False):
        check_one_of(inputs, "inputs", ("normal", "uniform"))
        self.link, self.inputs, self.accurate = link, inputs, accurate
        p = np.linspace(0, 1, 10_001)
        h = check_numbers(link(p), "link(p)")
        if h.shape != p.shape:
            raise ValueError(f"link must return one value for each p, but {p.size} values of p gave shape {h.shape}.")
        slack = 1e-12
        inside = (h >= np.maximum(0, 2 * p - 1) - slack) & (h <= np.minimum(1, 2 * p) + slack)
        if accurate:
            inside &= np.where(p < 0.5, np.maximum(h, 2 * p - h) < 0.5, np.minimum(h, 2 * p - h) >= 0.5 - slack)
        if not inside.all():
            first = np.argmin(inside)
            bounds = (
                "on p's side of 1/2 (both h and 2 p - h)" if accurate else "between max(0, 2 p - 1) and min(1, 2 p)"
            )
            raise ValueError(f"link must keep h(p) {bounds}, but h({p[first]:.4f}) is {h[first]:.4f}.")

    @staticmethod
    def stated(x):
        """Stated probability at `x`, (n,)."""
        return 1 - np.exp(-((0.9 * np.asarray(x, dtype=float)) ** 2))

    def truth(self, x):
        """True probability at `x`, (n,)."""
        x = np.asarray(x, dtype=float)
        p = self.stated(x)
        h = np.clip(self.link(p), 0, 1)
        return np.where(x > 0, h, np.where(x < 0, np.clip(2 * p - h, 0, 1), p))

    def sample(self, n, rng=None):
        """`Sample` of n rows."""
        rng = np.random.default_rng(rng)
        x = rng.normal(size=check_count(n, "n")) if self.inputs == "normal" else rng.uniform(-2, 2, n)
        p, q = self.stated(x), self.truth(x)
        return Sample(pd.DataFrame({"x": x}), (rng.random(n) < q).astype(int), p, q, p)

    @cached_property
    def grouping_loss(self):
        """E (q - c)**2 by quadrature, on pieces so that kinks of the link do no harm."""
        top = 2.0 if self.inputs == "uniform" else 9.0
        density = norm.pdf if self.inputs == "normal" else (lambda x: 0.25)

        def weighted(x):
            return 2 * density(x) * float((self.truth(np.array([x]))[0] - self.stated(x)) ** 2)

        edges = np.linspace(0, top, 65)
        return float(sum(quad(weighted, a, b, epsabs=1e-13)[0] for a, b in zip(edges[:-1], edges[1:], strict=True)))


class SemiSynthetic:
    """Real features with labels drawn from a known truth.

    A model of the label is fitted on one half of a real table and declared to be the truth q; the rows of the other
    half are the population. `sample` draws rows (with replacement) and labels y ~ Bernoulli(q).

    Parameters
    ----------
    X : (n, d) real table; y : (n,) real 0/1 labels
    score : stated probabilities: function of a table of rows, or (n,) array aligned with `X`
    model : classifier that becomes the truth; default a small histogram gradient boosting that takes categories and
        missing values
    rng : int, Generator or None; decides the halves

    Attributes
    ----------
    X, p, q, c : the population; c is the mean of q among rows with the same stated probability or, for a continuous
        score, q smoothed over the `neighbors` nearest stated probabilities
    grouping_loss : mean (q - c)**2 over the population

    Source: Melo et al. (2026), appendix B.4.
    """

    def __init__(self, X, y, score, *, model=None, neighbors=200, rng=None):
        X, y = check_table(X), check_labels(y, both=True)
        check_same_length(X=X, y=y)
        rng = np.random.default_rng(rng)
        half = rng.permutation(len(X)) < len(X) // 2
        own = model is not None
        model = model or HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=8, learning_rate=0.1, categorical_features="from_dtype", random_state=0
        )
        table = X if own else X.apply(_for_boosting)
        self.model_ = clone(model).fit(table[half], y[half])
        self.X = X[~half].reset_index(drop=True)
        self.q = self.model_.predict_proba(table[~half])[:, 1]
        if not callable(score):
            score = check_probabilities(score, "score")
            check_same_length(X=X, score=score)
        self.p = check_probabilities(score(self.X) if callable(score) else score[~half], "score")
        check_same_length(q=self.q, score=self.p)
        self.c = _conditional_mean(self.p, self.q, check_count(neighbors, "neighbors", least=2))

    @property
    def grouping_loss(self):
        """Mean (q - c)**2 over the population."""
        return float(np.mean((self.q - self.c) ** 2))

    def sample(self, n, rng=None):
        """`Sample` of n rows, drawn with replacement from the population."""
        rng = np.random.default_rng(rng)
        rows = rng.integers(len(self.X), size=check_count(n, "n"))
        y = (rng.random(n) < self.q[rows]).astype(int)
        return Sample(self.X.iloc[rows].reset_index(drop=True), y, self.p[rows], self.q[rows], self.c[rows])


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
