"""Rows with known truth, and finite populations: everything about them is an exact sum.

Also functions that a reader hands in: checked on a grid, integrated in pieces so that kinks do no harm.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.integrate import cubature

from helpers.binning import group_sums
from helpers.checks import check_count, check_numbers, check_probabilities, check_rng, check_same_length, check_vector

SLACK = 1e-12  # what rounding may do


def values_of(function, name, at, of="p"):
    """Values of a vectorised function at the points `at`, (n,); ValueError unless there is one number for each."""
    if not callable(function):
        raise ValueError(f"{name} must be a function of {of}, but it is {function!r}.")
    values = check_numbers(function(at), f"{name}(...)")
    if values.shape != at.shape:
        raise ValueError(
            f"{name} must return one value for each value it is given, but {at.size} values gave shape {values.shape}."
        )
    return values


def check_everywhere(fine, at, values, name, rule):
    """ValueError that names the first point where `fine` is False, for the values of a function called `name`."""
    if not fine.all():
        first = int(np.argmin(fine))
        more = int((~fine).sum()) - 1
        raise ValueError(
            f"{name} must stay {rule}, but {name}({at[first]:.4f}) is {values[first]:.4f} "
            f"(and {more:,} more of {at.size:,} points)."
        )


def integral(f, edges):
    """Integral of `f` (a vectorised function) over [edges[0], edges[-1]], adaptive, all parts between edges at once."""
    width = np.diff(edges)

    def parts(share):
        x = edges[:-1] + share * width
        return f(x.ravel()).reshape(x.shape) * width

    return float(cubature(parts, [0.0], [1.0], atol=1e-13, rtol=1e-10).estimate.sum())


@dataclass(frozen=True)
class Sample:
    """Rows of a population whose truth is known.

    Parameters
    ----------
    X : DataFrame, shape (n, d)
        Features.
    y : array of {0, 1}, shape (n,)
        Labels, drawn with probability q.
    p, q, c : array of float, shape (n,)
        Stated and true probabilities, and calibrated scores, E[Y | p].

    Examples
    --------
    >>> round(Sample(None, y=[1, 0], p=0.7, q=np.array([0.6, 0.8]), c=0.7).grouping_loss, 4)
    0.01
    """

    X: pd.DataFrame
    y: np.ndarray
    p: np.ndarray
    q: np.ndarray
    c: np.ndarray

    @property
    def grouping_loss(self):
        """Mean (q - c)**2 of these rows."""
        return float(np.mean((self.q - self.c) ** 2))

    @property
    def accuracy_lost(self):
        """Mean accuracy that deciding by p >= 1/2 gives away against deciding by q: 0 if no decision is wrong."""
        return float(np.mean(_regret(self.p, self.q)))


class Population:
    """What all populations share: rows are drawn by a subclass, their labels with the true probability."""

    def sample(self, n, rng=None):
        """A `Sample` of n rows drawn from the population; `rng` (int, Generator or None) decides which."""
        rng = check_rng(rng)
        X, p, q, c = self._draw(check_count(n, "n"), rng)
        y = (rng.random(n) < q).astype(int)
        return Sample(X, y, p=p, q=q, c=c)


class FinitePopulation(Population):
    """A finite population: k kinds of people, each with a stated `p`, a true `q` and a share of the population.

    All losses are squared errors, exact sums over the kinds; kinds with the same `p` share their calibrated score `c`.
    Figures 1 and 2 of Perez-Lebel et al. (2023) are populations of this kind.
    Plain: `helpers.papers.perezlebel2023.equation_6`.

    Parameters
    ----------
    p, q : array of float, shape (k,)
        Stated and true probabilities.
    share : array of float, shape (k,), or None, default None
        Positive shares that sum to 1; None for equal ones.
    X : DataFrame, shape (k, d), or None, default None
        Features of each kind; None for its number, from 0.

    Examples
    --------
    >>> figure2 = FinitePopulation(p=[0.7, 0.7], q=[0.6, 0.8])
    >>> figure2.c.round(2), round(figure2.grouping_loss, 4), round(figure2.accuracy_lost, 4)
    (array([0.7, 0.7]), 0.01, 0.0)
    """

    def __init__(self, p, q, share=None, *, X=None):
        self.p = check_probabilities(p)
        self.q = check_probabilities(q, "q")
        check_same_length(p=self.p, q=self.q)
        self.share = _check_share(np.full(self.p.size, 1 / self.p.size) if share is None else share)
        self.X = pd.DataFrame({"cell": np.arange(self.p.size)} if X is None else X).reset_index(drop=True)
        check_same_length(p=self.p, share=self.share, X=self.X)
        code = np.unique(self.p, return_inverse=True)[1]
        _, mass, total = group_sums(code, self.share, self.share * self.q)
        self.c = (total / mass)[code]

    @cached_property
    def calibration_loss(self):
        """E (p - c)**2."""
        return self._mean((self.p - self.c) ** 2)

    @cached_property
    def grouping_loss(self):
        """E (q - c)**2."""
        return self._mean((self.q - self.c) ** 2)

    @cached_property
    def irreducible_loss(self):
        """E q (1 - q)."""
        return self._mean(self.q * (1 - self.q))

    @cached_property
    def accuracy_lost(self):
        """Accuracy that deciding by p >= 1/2 gives away against deciding by q."""
        return self._mean(_regret(self.p, self.q))

    def _draw(self, n, rng):
        kind = rng.choice(self.p.size, n, p=self.share)
        return self.X.iloc[kind].reset_index(drop=True), self.p[kind], self.q[kind], self.c[kind]

    def _mean(self, values):
        """Mean over the population."""
        return float(self.share @ values)


def largest_grouping_loss(p, *, threshold=None):
    """Largest grouping loss that a calibrated score can have among the people whose score is `p`.

    p (1 - p) without further promise. If moreover the decision by p >= threshold must be the right one for everybody,
    p (threshold - p) below the threshold and (p - threshold)(1 - p) from there on: the variance of truths that lie
    only at the two ends of the side of p.

    Parameters
    ----------
    p : array of float, shape (n,)
        Calibrated scores.
    threshold : float or None, default None
        Where the decision changes, if it must be right for everybody.

    Returns
    -------
    array of float, shape (n,)
        Squared probability.

    Examples
    --------
    >>> largest_grouping_loss([0.25, 0.5, 0.75], threshold=0.5)
    array([0.0625, 0.    , 0.0625])
    """
    p = check_probabilities(p)
    if threshold is None:
        return p * (1 - p)
    threshold = check_probabilities([threshold], "threshold")[0]
    return np.where(p < threshold, p * (threshold - p), (p - threshold) * (1 - p))


def _regret(p, q):
    """Accuracy that a decision by p >= 1/2 gives away, row by row."""
    return np.where((p >= 0.5) == (q >= 0.5), 0.0, np.abs(2 * q - 1))


def _check_share(share):
    """Positive float shares that sum to 1."""
    share = check_vector(share, "share", finite=True)
    if not (share > 0).all():
        first = int(np.argmin(share > 0))
        more = int((share <= 0).sum()) - 1
        raise ValueError(
            f"share must be positive, but share[{first}] is {share[first]}{f' (and {more:,} more)' if more else ''}."
        )
    if abs(share.sum() - 1) > 1e-9:
        raise ValueError(f"share must sum to 1, but it sums to {share.sum():.6g}.")
    return share / share.sum()
