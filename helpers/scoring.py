"""K-class scores reduced to one probability a row.

Proper scoring rules, row by row, and what they split into when the truth is known.

Losses: smaller is better. The two rules are objects with the same functions, `BRIER` (squared error) and `LOG` (in
nats; infinite for a certain error, as it should be).

Shapes and units: an (n,) array of probabilities of class 1 is scored as one class, (p - y)**2; an (n, K) table is
scored as the sum over its K classes. So the Brier score of the table [1 - p, p] is twice that of p. The log score of
the two is the same: only the class that occurs counts.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr, xlogy

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


def top_label(proba, y):
    """The binary problem behind top-label calibration: was the predicted class right, and how sure was the score?

    Parameters
    ----------
    proba : (n, K) stated probabilities, rows sum to 1; of tied classes the lowest is predicted
    y : (n,) classes 0 .. K-1

    Returns
    -------
    correct (n,) of 0.0 and 1.0, confidence (n,) = the highest stated probability

    Raises
    ------
    ValueError for rows off the simplex, classes that are no column of `proba`, or lengths that differ.

    Source: Perez-Lebel et al. (2023), definition 3.3 and appendix C.9.

    >>> top_label([[0.2, 0.8], [0.5, 0.5]], [1, 1])
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
    check_same_length(**{"p": p, name: other})
    if p.shape != other.shape:
        raise ValueError(f"{name} must have the shape of p, {p.shape}, but its shape is {other.shape}.")


class _Rule:
    """A proper scoring rule for (n,) probabilities of class 1 or (n, K) rows that sum to 1.

    `part(p, q)` and `part_entropy(q)` are the share of one class, entry by entry; `binary` says whether both classes
    of a single probability count (log score) or one (Brier score).
    """

    def __init__(self, name, part, part_entropy, *, both):
        self.name, self.part, self.part_entropy, self._both = name, part, part_entropy, both

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return "LOG" if self._both else "BRIER"  # copies and pickles are the rule itself

    def score(self, p, y):
        """Loss of stating `p` when the label is `y`, (n,) in [0, inf]; y is 0 or 1, or the column 0 .. K-1 of a table.

        Source: Perez-Lebel et al. (2023), equation 4.

        >>> BRIER.score([0.8, 0.8], [1, 0]).round(2), LOG.score([1.0, 1.0], [1, 0])
        (array([0.04, 0.64]), array([ 0., inf]))
        >>> BRIER.score([[0.2, 0.8, 0.0]], [1]).round(2), LOG.score([[0.2, 0.8, 0.0]], [2])
        (array([0.08]), array([inf]))
        """
        p = _check_rows(p, "p")
        y = check_labels(y) if p.ndim == 1 else check_classes(y, p.shape[1])
        check_same_length(p=p, y=y)
        return self._divergence(p, y if p.ndim == 1 else np.eye(p.shape[1])[y])

    def entropy(self, q):
        """Expected loss of the best statement when the true probability is `q`, (n,).

        >>> BRIER.entropy([0.5]), BRIER.entropy([[0.5, 0.5]]), LOG.entropy([[1.0, 0.0]])
        (array([0.25]), array([0.5]), array([0.]))
        """
        return self._entropy(_check_rows(q, "q"))

    def divergence(self, p, q):
        """Expected loss of stating `p` when the truth is `q`, minus that of stating `q`, (n,) in [0, inf].

        Source: Perez-Lebel et al. (2023), equation 5: sum_k (p_k - q_k)**2, or sum_k q_k log(q_k / p_k).

        >>> BRIER.divergence([[0.5, 0.5]], [[0.7, 0.3]]).round(2), LOG.divergence([[1, 0]], [[0.9, 0.1]])
        (array([0.08]), array([inf]))
        """
        p, q = _check_rows(p, "p"), _check_rows(q, "q")
        _check_shape(p, q, "q")
        return self._divergence(p, q)

    def variance(self, q, weight=None):
        """h-variance of `q`: entropy of the mean minus mean entropy, the Jensen gap, one number; never negative.

        For `BRIER` it is the variance, of a table the sum of those of its columns.
        Source: Perez-Lebel et al. (2023), definition 4.1 with h = - entropy.

        >>> round(BRIER.variance([0.2, 0.6]), 4) == round(float(np.var([0.2, 0.6])), 4)
        True
        >>> round(BRIER.variance([[0.2, 0.8], [0.6, 0.4]]), 4)
        0.08
        """
        q, weight = _check_rows(q, "q"), check_weights(weight, "weight")
        check_same_length(q=q, weight=weight)
        mean = np.minimum(np.average(q, axis=0, weights=weight), 1)[None]
        gap = self._entropy(mean)[0] - np.average(self._entropy(q), weights=weight)
        return max(float(gap), 0.0)

    def _divergence(self, p, q):
        if p.ndim == 2:
            return np.maximum(self.part(p, q).sum(axis=1), 0)  # rounding may go below 0
        if self._both:
            return np.maximum(self.part(p, q) + self.part(1 - p, 1 - q), 0)
        return self.part(p, q)

    def _entropy(self, q):
        if q.ndim == 2:
            return self.part_entropy(q).sum(axis=1)
        return self.part_entropy(q) + self.part_entropy(1 - q) if self._both else self.part_entropy(q)


BRIER = _Rule("Brier score", lambda p, q: (p - q) ** 2, lambda q: q * (1 - q), both=False)

LOG = _Rule("log score", lambda p, q: rel_entr(q, p), lambda q: 0.0 - xlogy(q, q), both=True)


@dataclass(frozen=True)
class Decomposition:
    """Mean loss in three parts, in the unit of the rule; `total` is their sum.

    `view` is "binary", "joint", "top-label" or "classwise". The Brier parts of "joint" and "classwise" are sums over
    the classes, those of "binary" and "top-label" belong to one class.
    """

    calibration: float
    grouping: float
    irreducible: float
    rule: str
    view: str = "binary"

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


def _top(p, q):
    """Highest stated probability of each row, and the true probability of that class."""
    top = np.arange(len(p)), p.argmax(axis=1)
    return p[top], q[top]


def _conditional_mean(p, q, weight, view):
    """Mean of `q` over the rows with the same score, in the shape of `p`.

    What can happen keeps a positive mean, and what need not happen one below 1, whatever the rounding: else the log
    score would be infinite where it is not.
    """
    if view == "classwise":
        return np.column_stack([_conditional_mean(*column, weight, "binary") for column in zip(p.T, q.T, strict=True)])
    code = np.unique(p + 0.0, axis=None if p.ndim == 1 else 0, return_inverse=True)[1].ravel()  # -0.0 is 0.0
    size = np.bincount(code, weight)

    def mean(q):
        low = np.nextafter(0, 1) * (np.bincount(code, q > 0) > 0)
        high = np.where(np.bincount(code, q < 1) > 0, np.nextafter(1, 0), 1)
        return np.clip(np.bincount(code, q if weight is None else q * weight) / size, low, high)[code]

    return np.column_stack([mean(column) for column in q.T]) if q.ndim == 2 else mean(q)


def decompose(p, q, c=None, *, rule=BRIER, view=None, sample_weight=None):
    """Split the expected loss of stated probabilities when the truth is known.

    E loss(p, Y) = E d(p, c) + E d(c, q) + E entropy(q): calibration, grouping and irreducible loss.

    Parameters
    ----------
    p : (n,) stated probabilities of class 1, or (n, K) rows that sum to 1
    q : true probabilities P(Y | x), of the same shape
    c : calibrated scores: (n,) E[Y | p]; for the view "top-label" (n,) P(predicted class is right | highest score); for
        "joint" (n, K) rows that sum to 1; for "classwise" (n, K) P(Y = k | p_k), whose rows need not sum to 1.
        None: the rows are the whole population, and c is the exact mean of q over the rows with the same score. Scores
        count as the same only if all their digits are: where no two rows share one, c = q and nothing is left to group
    rule : `BRIER` or `LOG`
    view : None for (n,); of a table "joint" (default: same score = same row), "top-label" (same highest score; the
        loss is that of the statement "the predicted class is right"; of tied classes the lowest is predicted) or
        "classwise" (same p_k, class by class; sum over k of (p_k - q_k)**2, or of q_k log(q_k / p_k))
    sample_weight : (n,) or None; rows of weight 0 do not count

    Returns
    -------
    Decomposition; every part is >= 0, smaller is better, infinite where a stated 0 can happen (log score). With a `c`
    that is not the calibrated score the parts do not add up to the expected loss ("classwise", log: may be below 0).
    Units: (n,) and "top-label" one class; "joint" and "classwise" the sum over classes.

    Raises
    ------
    ValueError for rows off the simplex, shapes that differ, a view that the shape does not have.

    Source: Perez-Lebel et al. (2023), equation 6 and appendix C.9; Melo et al. (2026), theorem 1.

    >>> print(decompose(p=[0.5, 0.5], q=[0.3, 0.9], c=[0.6, 0.6]))
    Brier score 0.2500 = calibration 0.0100 + grouping 0.0900 + irreducible 0.1500
    >>> print(decompose([[0.5, 0.5], [0.5, 0.5]], [[0.7, 0.3], [0.1, 0.9]], view="classwise"))
    classwise Brier score 0.5000 = calibration 0.0200 + grouping 0.1800 + irreducible 0.3000
    """
    p, q = _check_rows(p, "p"), _check_rows(q, "q")
    _check_shape(p, q, "q")
    view = _check_view(view, p)
    check_one_of(rule, "rule", (BRIER, LOG))
    weight = check_weights(sample_weight)
    p, q = _top(p, q) if view == "top-label" else (p, q)
    if c is not None:
        c = check_probabilities(c, "c", ndim=2) if view == "classwise" else _check_rows(c, "c")
        _check_shape(p, c, "c")
    check_same_length(p=p, sample_weight=weight)
    if weight is not None:  # an infinite loss of weight 0 does not count
        p, q, c = (None if a is None else a[weight > 0] for a in (p, q, c))
        weight = weight[weight > 0]
    exact = c is None
    c = _conditional_mean(p, q, weight, view) if exact else c
    if view == "classwise":
        parts = [np.sum(part, axis=1) for part in (rule.part(p, c), rule.part(c, q), rule.part_entropy(q))]
    else:
        parts = rule.divergence(p, c), rule.divergence(c, q), rule.entropy(q)
    means = [float(np.average(part, weights=weight)) for part in parts]
    return Decomposition(*(max(mean, 0.0) if exact else mean for mean in means), rule.name, view)
