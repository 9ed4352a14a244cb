"""Proper scoring rules, row by row, and what they split into when the truth is known.

Losses: smaller is better. The two rules are objects with the same three functions, `BRIER` (squared error, (p - y)**2)
and `LOG` (in nats; infinite for a certain error, as it should be).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr, xlogy

from helpers.checks import check_labels, check_probabilities, check_same_length, check_weights


class _Rule:
    """A proper scoring rule for one probability of class 1; every function maps (n,) arrays to (n,) arrays."""

    def __init__(self, name, divergence, entropy):
        self.name, self._divergence, self._entropy = name, divergence, entropy

    def __repr__(self):
        return self.name

    def score(self, p, y):
        """Loss of stating `p` when the label is `y`, (n,) in [0, inf].

        >>> BRIER.score([0.8, 0.8], [1, 0]).round(2), LOG.score([1.0, 1.0], [1, 0])
        (array([0.04, 0.64]), array([ 0., inf]))
        """
        p, y = check_probabilities(p), check_labels(y)
        check_same_length(p=p, y=y)
        return self._divergence(p, y)

    def entropy(self, q):
        """Expected loss of the best statement when the true probability is `q`, (n,)."""
        return self._entropy(check_probabilities(q, "q"))

    def divergence(self, p, q):
        """Expected loss of stating `p` when the truth is `q`, minus that of stating `q`, (n,) in [0, inf]."""
        p, q = check_probabilities(p), check_probabilities(q, "q")
        check_same_length(p=p, q=q)
        return self._divergence(p, q)

    def variance(self, q, weight=None):
        """h-variance of `q`: entropy of the mean minus mean entropy, the Jensen gap; never negative.

        For `BRIER` it is the variance. Source: Perez-Lebel et al. (2023), definition 4.1 with h = - entropy.

        >>> round(BRIER.variance([0.2, 0.6]), 4) == round(float(np.var([0.2, 0.6])), 4)
        True
        """
        q, weight = check_probabilities(q, "q"), check_weights(weight, "weight")
        check_same_length(q=q, weight=weight)
        gap = self._entropy(np.average(q, weights=weight)) - np.average(self._entropy(q), weights=weight)
        return max(float(gap), 0.0)


def _binary_kl(p, q):
    return np.maximum(rel_entr(q, p) + rel_entr(1 - q, 1 - p), 0)  # rounding may go below 0


BRIER = _Rule("Brier score", lambda p, q: (p - q) ** 2, lambda q: q * (1 - q))
LOG = _Rule("log score", _binary_kl, lambda q: -xlogy(q, q) - xlogy(1 - q, 1 - q))


@dataclass(frozen=True)
class Decomposition:
    """Mean loss in three parts, in the unit of the rule; `total` is their sum."""

    calibration: float
    grouping: float
    irreducible: float
    rule: str

    @property
    def total(self):
        return self.calibration + self.grouping + self.irreducible

    def __str__(self):
        return (
            f"{self.rule} {self.total:.4f} = calibration {self.calibration:.4f} + grouping {self.grouping:.4f}"
            f" + irreducible {self.irreducible:.4f}"
        )


def decompose(p, q, c, *, rule=BRIER, sample_weight=None):
    """Split the expected loss of stated probabilities when the truth is known.

    E loss(p, Y) = E d(p, c) + E d(c, q) + E entropy(q): calibration, grouping and irreducible loss.

    Parameters
    ----------
    p : (n,) stated probabilities of class 1
    q : (n,) true probabilities P(Y=1 | x)
    c : (n,) calibrated scores E[Y | p]
    rule : `BRIER` or `LOG`
    sample_weight : (n,) or None

    Returns
    -------
    Decomposition; every part is >= 0, smaller is better, infinite where the rule is.

    Source: Perez-Lebel et al. (2023), equation 6; Melo et al. (2026), theorem 1. Squared error here is (p - y)**2,
    for one class.

    >>> print(decompose(p=[0.5, 0.5], q=[0.3, 0.9], c=[0.6, 0.6]))
    Brier score 0.2500 = calibration 0.0100 + grouping 0.0900 + irreducible 0.1500
    """
    p, q, c = check_probabilities(p), check_probabilities(q, "q"), check_probabilities(c, "c")
    weight = check_weights(sample_weight)
    check_same_length(p=p, q=q, c=c, sample_weight=weight)
    if weight is not None:  # an infinite loss of weight 0 does not count
        p, q, c, weight = p[weight > 0], q[weight > 0], c[weight > 0], weight[weight > 0]
    parts = rule.divergence(p, c), rule.divergence(c, q), rule.entropy(q)
    return Decomposition(*(float(np.average(part, weights=weight)) for part in parts), rule.name)
