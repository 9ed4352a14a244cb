"""Proper scoring rules, row by row, and what they split into when the truth is known.

Losses: smaller is better. The two rules are objects with the same methods, `BRIER` (squared error) and `LOG` (in nats;
infinite for a certain error, as it should be). The truth comes before the statement: `BRIER.score(y, p)`.

Shapes and units: an (n,) array of probabilities of class 1 is scored as one class, (p - y)**2; an (n, K) table is
scored as the sum over its K classes. So the Brier score of the table [1 - p, p] is twice that of p. The log score of
the two is the same: only the class that occurs counts.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import kl_div, rel_entr, xlogy

from helpers._result import Result
from helpers.checks import (
    check_classes,
    check_labels,
    check_numbers,
    check_one_of,
    check_probabilities,
    check_same_length,
    check_simplex,
    check_weights,
)

__all__ = ["BRIER", "LOG", "ScoringRule", "decompose", "top_label"]


def top_label(y, proba):
    """The binary problem behind top-label calibration: whether the predicted class was right, and how sure the score.

    Perez-Lebel et al. (2023), definition 3.3 and appendix C.9.
    Plain: `helpers.papers.perezlebel2023.section_3_top_label`.

    Parameters
    ----------
    y, proba : array_like, shape (n,) and (n, K)
        Classes 0 .. K-1, and stated probabilities, rows sum to 1; of tied classes the lowest is predicted.

    Returns
    -------
    correct, confidence : ndarray, shape (n,)
        1.0 where the predicted class is right, else 0.0, and the highest stated probability.

    Examples
    --------
    >>> top_label([1, 1], [[0.2, 0.8], [0.5, 0.5]])
    (array([1., 0.]), array([0.8, 0.5]))
    """
    proba = check_simplex(proba)
    y = check_classes(y, proba.shape[1])
    check_same_length(proba=proba, y=y)
    predicted = proba.argmax(axis=1)
    return (predicted == y).astype(float), proba[np.arange(y.size), predicted]


def _check_rows(p, name):
    """(n,) probabilities, or (n, K) rows that sum to 1."""
    array = check_numbers(p, name)
    return check_simplex(array, name) if array.ndim == 2 else check_probabilities(array, name)


def _check_shape(p, other, name):
    """ValueError unless `other` has the shape of `p`."""
    check_same_length(**{"p": p, name: other})
    if p.shape != other.shape:
        raise ValueError(f"{name} must have the shape of p, {p.shape}, but its shape is {other.shape}.")


class ScoringRule:
    """A proper scoring rule for (n,) probabilities of class 1 or (n, K) rows that sum to 1.

    `score`, `entropy`, `divergence` and `variance` check what they are given. The other methods trust their arrays.
    Apart from `row_divergence` they work entry by entry: those called `class_...` on the probabilities of one class,
    the rest on rates of a binary label, which a straight line may carry out of [0, 1] (`BRIER`), or rounding by one
    digit (`LOG`). Plain: equations 4 and 5, `h_brier`, `h_log` and `definition_4_1` of `helpers.papers.perezlebel2023`.

    Examples
    --------
    >>> BRIER, LOG
    (Brier score, log score)
    """

    def __repr__(self):
        return self.name

    def score(self, y, p):
        """Loss of stating `p` when the label is `y` (Perez-Lebel et al., 2023, equation 4).

        Plain: `helpers.papers.perezlebel2023.equation_4_brier`, `helpers.papers.perezlebel2023.equation_4_log`.

        Parameters
        ----------
        y, p : array_like, shape (n,), and (n,) or (n, K)
            0 or 1, or for a table the column 0 .. K-1 that occurred, and stated probabilities.

        Returns
        -------
        ndarray, shape (n,)
            Losses in [0, inf], smaller is better.

        Examples
        --------
        >>> BRIER.score([1, 0], [0.8, 0.8]).round(2), LOG.score([2], [[0.2, 0.8, 0.0]])
        (array([0.04, 0.64]), array([inf]))
        """
        p = _check_rows(p, "p")
        y = check_labels(y) if p.ndim == 1 else check_classes(y, p.shape[1])
        check_same_length(p=p, y=y)
        return self.row_divergence(y if p.ndim == 1 else np.eye(p.shape[1])[y], p)

    def entropy(self, q):
        """Expected loss of the best statement when the true probability is `q`, (n,) or (n, K): what nobody avoids."""
        return self._entropy(_check_rows(q, "q"))

    def divergence(self, q, p):
        """(n,) expected losses of stating `p` beyond those of the truth `q`; Perez-Lebel et al. (2023), equation 5."""
        p = _check_rows(p, "p")
        q = _check_rows(q, "q")
        _check_shape(p, q, "q")
        return self.row_divergence(q, p)

    def variance(self, q, weight=None):
        """h-variance of `q`: entropy of its mean minus mean entropy, >= 0; Perez-Lebel et al., definition 4.1."""
        q = _check_rows(q, "q")
        weight = check_weights(weight, "weight")
        check_same_length(q=q, weight=weight)
        mean = np.minimum(np.average(q, axis=0, weights=weight), 1)[None]
        gap = self._entropy(mean)[0] - np.average(self._entropy(q), weights=weight)
        return max(float(gap), 0.0)

    def row_divergence(self, q, p):
        """`divergence` of arrays that were checked, (n,); `q` may be labels as 0 and 1."""
        if p.ndim == 2:
            return np.maximum(self.class_divergence(q, p).sum(axis=1), 0)  # rounding may go below 0
        return self.binary_divergence(q, p)

    def _entropy(self, q):
        """`entropy` of arrays that were checked."""
        return self.class_entropy(q).sum(axis=1) if q.ndim == 2 else self.binary_entropy(q)


class _Brier(ScoringRule):
    """Squared error; of a single probability one class counts."""

    name = "Brier score"

    def __reduce__(self):
        return "BRIER"  # copies and pickles are the rule itself

    def class_entropy(self, q):
        return q * (1 - q)

    def class_divergence(self, q, p):
        return (p - q) ** 2

    def class_bregman(self, q, p):
        """Bregman divergence of `class_entropy`, never negative; its sum over the classes is the divergence."""
        return (p - q) ** 2

    def binary_entropy(self, q):
        return q * (1 - q)

    def binary_divergence(self, q, p):
        return (p - q) ** 2


class _Log(ScoringRule):
    """Logarithm of the probability of what occurred; of a single probability both classes count."""

    name = "log score"

    def __reduce__(self):
        return "LOG"

    def class_entropy(self, q):
        return 0.0 - xlogy(q, q)

    def class_divergence(self, q, p):
        """What one class adds to the divergence; negative where q < p."""
        return rel_entr(q, p)

    def class_bregman(self, q, p):
        """Bregman divergence of `class_entropy`, never negative; its sum over the classes is the divergence."""
        return kl_div(q, p)

    def binary_entropy(self, q):
        q = np.clip(q, 0, 1)  # a mean may end in 1 + 1e-16
        return self.class_entropy(q) + self.class_entropy(1 - q)

    def binary_divergence(self, q, p):
        return np.maximum(rel_entr(q, p) + rel_entr(1 - q, 1 - p), 0)


BRIER = _Brier()

LOG = _Log()


@dataclass(frozen=True)
class Decomposition(Result):
    """Mean loss in three parts, in the unit of the rule; their sum is the `total`."""

    calibration: float  # with the Brier score of the views "joint" and "classwise" a sum over the classes, else of one
    grouping: float
    irreducible: float
    rule: str  # its name
    view: str = "binary"  # what counts as the same score

    @property
    def total(self):
        return self.calibration + self.grouping + self.irreducible

    def __str__(self):
        view = "" if self.view == "binary" else f"{self.view} "
        return (
            f"{view}{self.rule} {self.total:.4f} = calibration {self.calibration:.4f} + grouping {self.grouping:.4f}"
            f" + irreducible {self.irreducible:.4f}"
        )


def _check_view(view, p):
    """The view, or the default for the shape of `p`."""
    if p.ndim == 1:
        if view not in (None, "binary"):
            raise ValueError(f"view must be None for one probability a row, but it is {view!r}; it needs (n, K) rows.")
        return "binary"
    view = "joint" if view is None else view
    check_one_of(view, "view", ("joint", "top-label", "classwise"))
    return view


def _top(q, p):
    """True probability of the class with the highest stated one, and that stated probability, of each row."""
    top = np.arange(len(p)), p.argmax(axis=1)
    return q[top], p[top]


def _conditional_mean(q, p, weight, view):
    """Mean of `q` over the rows with the same score, in the shape of `p`.

    What can happen keeps a positive mean, and what need not happen one below 1, whatever the rounding: else the log
    score would be infinite where it is not.
    """
    if view == "classwise":
        return np.column_stack([_conditional_mean(*column, weight, "binary") for column in zip(q.T, p.T, strict=True)])
    code = np.unique(p + 0.0, axis=None if p.ndim == 1 else 0, return_inverse=True)[1].ravel()  # -0.0 is 0.0
    size = np.bincount(code, weight)

    def mean(q):
        low = np.nextafter(0, 1) * (np.bincount(code, q > 0) > 0)
        high = np.where(np.bincount(code, q < 1) > 0, np.nextafter(1, 0), 1)
        return np.clip(np.bincount(code, q if weight is None else q * weight) / size, low, high)[code]

    return np.column_stack([mean(column) for column in q.T]) if q.ndim == 2 else mean(q)


def decompose(q, p, c=None, *, rule=BRIER, view=None, sample_weight=None):
    """Split the expected loss of stated probabilities when the truth is known.

    E loss(p, Y) = E d(p, c) + E d(c, q) + E entropy(q): calibration, grouping and irreducible loss. Perez-Lebel et al.
    (2023), equation 6 and appendix C.9; Melo et al. (2026), theorem 1. Plain: `equation_6` and `proposition_c_3` of
    `helpers.papers.perezlebel2023`.

    Parameters
    ----------
    q, p : array_like, shape (n,) or (n, K)
        True probabilities P(Y | x) of class 1, or rows that sum to 1, and stated ones.
    c : array_like, of the same shape, optional
        Calibrated scores: (n,) E[Y | p]; for the view "top-label" (n,) P(predicted class is right | highest score); for
        "joint" (n, K) rows that sum to 1; for "classwise" (n, K) P(Y = k | p_k), whose rows need not sum to 1.
        None: the rows are the whole population, and c is the exact mean of q over the rows with the same score. Scores
        count as the same only if all their digits are: where no two rows share one, c = q and nothing is left to group.
    rule : ScoringRule, default BRIER
        `BRIER` or `LOG`.
    view : {"joint", "top-label", "classwise"}, optional
        None for (n,). Of a table "joint" (default: same score = same row), "top-label" (same highest score; the
        loss is that of the statement "the predicted class is right"; of tied classes the lowest is predicted) or
        "classwise" (same p_k, class by class; sum over k of (p_k - q_k)**2, or of q_k log(q_k / p_k)).
    sample_weight : array_like, shape (n,), optional
        Rows of weight 0 do not count.

    Returns
    -------
    Decomposition
        Parts `calibration`, `grouping`, `irreducible`, >= 0, smaller is better, infinite where a stated 0 can happen
        (log score). With a `c` that is not the calibrated score they do not add up to the expected loss ("classwise",
        log: may be below 0). Units: (n,) and "top-label" one class; "joint" and "classwise" the sum over classes.

    Examples
    --------
    >>> print(decompose(q=[0.3, 0.9], p=[0.5, 0.5], c=[0.6, 0.6]))
    Brier score 0.2500 = calibration 0.0100 + grouping 0.0900 + irreducible 0.1500
    """
    p = _check_rows(p, "p")
    q = _check_rows(q, "q")
    _check_shape(p, q, "q")
    view = _check_view(view, p)
    check_one_of(rule, "rule", (BRIER, LOG))
    weight = check_weights(sample_weight)
    if view == "top-label":
        q, p = _top(q, p)
    if c is not None:
        c = check_probabilities(c, "c", ndim=2) if view == "classwise" else _check_rows(c, "c")
        _check_shape(p, c, "c")
    check_same_length(p=p, sample_weight=weight)
    if weight is not None:  # an infinite loss of weight 0 does not count
        q, p, c = (None if column is None else column[weight > 0] for column in (q, p, c))
        weight = weight[weight > 0]
    exact = c is None
    if exact:
        c = _conditional_mean(q, p, weight, view)
    if view == "classwise":
        parts = [rule.class_divergence(c, p), rule.class_divergence(q, c), rule.class_entropy(q)]
        parts = [part.sum(axis=1) for part in parts]
    else:
        parts = [rule.divergence(c, p), rule.divergence(q, c), rule.entropy(q)]
    means = [float(np.average(part, weights=weight)) for part in parts]
    return Decomposition(*(max(mean, 0.0) if exact else mean for mean in means), rule.name, view)
