"""Functions that a reader hands in: checked on a grid, integrated in pieces so that kinks do no harm.

Rows with known truth, and populations that are a list of cells: everything about them is an exact sum.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.integrate import quad

from helpers.binning import group_sums
from helpers.checks import check_count, check_numbers, check_probabilities, check_same_length, check_vector

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
        first, count = int(np.argmin(fine)), int((~fine).sum())
        raise ValueError(
            f"{name} must stay {rule}, but {name}({at[first]:.4f}) is {values[first]:.4f} "
            f"(and {count - 1:,} more of {at.size:,} points)."
        )


def integral(f, edges):
    """Integral of `f` (a vectorised function) over [edges[0], edges[-1]], adaptive between neighbouring edges."""

    def one(x):
        return float(f(np.array([x]))[0])

    return float(sum(quad(one, a, b, epsabs=1e-13)[0] for a, b in zip(edges[:-1], edges[1:], strict=True)))


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

    @property
    def accuracy_lost(self):
        """Mean accuracy that deciding by p >= 1/2 gives away against deciding by q: 0 if no decision is wrong."""
        return float(np.mean(_regret(self.p, self.q)))


class Cells:
    """A finite population: k kinds of people, each with a stated `p`, a true `q` and a share of the population.

    All losses are squared errors, exact sums over the cells; cells with the same `p` share their calibrated score.

    Parameters
    ----------
    p : (k,) stated probabilities; q : (k,) true probabilities
    share : (k,) positive shares that sum to 1; None for equal ones
    X : (k, d) table of the cells' features; None for the number of the cell, from 0

    Attributes
    ----------
    p, q, share, X : as given; c : (k,) mean of q among the cells with the same p
    calibration_loss, grouping_loss, irreducible_loss : E (p - c)**2, E (q - c)**2, E q (1 - q)
    accuracy_lost : accuracy that deciding by p >= 1/2 gives away against deciding by q

    Raises
    ------
    ValueError for probabilities outside [0, 1], shares that are not positive or do not sum to 1, unequal lengths.

    Source: Perez-Lebel et al. (2023), figures 1 and 2 are populations of this kind.

    >>> figure2 = Cells(p=[0.7, 0.7], q=[0.6, 0.8])
    >>> figure2.c.round(2), round(figure2.grouping_loss, 4), round(figure2.accuracy_lost, 4)
    (array([0.7, 0.7]), 0.01, 0.0)
    """

    def __init__(self, p, q, share=None, *, X=None):
        self.p, self.q = check_probabilities(p), check_probabilities(q, "q")
        check_same_length(p=self.p, q=self.q)
        self.share = _check_share(np.full(self.p.size, 1 / self.p.size) if share is None else share)
        self.X = pd.DataFrame({"cell": np.arange(self.p.size)} if X is None else X).reset_index(drop=True)
        check_same_length(p=self.p, share=self.share, X=self.X)
        code = np.unique(self.p, return_inverse=True)[1]
        _, mass, total = group_sums(code, self.share, self.share * self.q)
        self.c = (total / mass)[code]

    @cached_property
    def calibration_loss(self):
        return self._mean((self.p - self.c) ** 2)

    @cached_property
    def grouping_loss(self):
        return self._mean((self.q - self.c) ** 2)

    @cached_property
    def irreducible_loss(self):
        return self._mean(self.q * (1 - self.q))

    @cached_property
    def accuracy_lost(self):
        return self._mean(_regret(self.p, self.q))

    def sample(self, n, rng=None):
        """`Sample` of n rows, drawn with replacement."""
        rng = np.random.default_rng(rng)
        cell = rng.choice(self.p.size, check_count(n, "n"), p=self.share)
        y = (rng.random(n) < self.q[cell]).astype(int)
        return Sample(self.X.iloc[cell].reset_index(drop=True), y, self.p[cell], self.q[cell], self.c[cell])

    def _mean(self, values):
        return float(self.share @ values)


def largest_grouping_loss(p, *, threshold=None):
    """Largest grouping loss that a calibrated score can have among the people whose score is `p`, (n,).

    p (1 - p) without further promise. If moreover the decision by p >= threshold must be the right one for everybody,
    p (threshold - p) below the threshold and (p - threshold)(1 - p) from there on: the variance of truths that lie
    only at the two ends of the side of p. Smaller is better for those who rely on the score.

    >>> largest_grouping_loss([0.25, 0.5, 0.75])
    array([0.1875, 0.25  , 0.1875])
    >>> largest_grouping_loss([0.25, 0.5, 0.75], threshold=0.5)
    array([0.0625, 0.    , 0.0625])
    """
    p = check_probabilities(p)
    if threshold is None:
        return p * (1 - p)
    t = check_probabilities([threshold], "threshold")[0]
    return np.where(p < t, p * (t - p), (p - t) * (1 - p))


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
