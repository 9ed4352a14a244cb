"""Errors among the answers that are kept, as fewer and fewer are kept: the risk-coverage curve and its area (AURC).

The prediction-rejection ratio (PRR) is the same area on another scale; AUARC, that of the accuracy, is 1 - AURC.

Answers are kept in order of confidence. Tied answers have no order: every quantity is averaged over all of theirs, in
closed form. These measures see only the order of the confidences, not whether they are right as probabilities.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import digamma

from helpers._result import Result
from helpers.checks import check_frequencies, check_labels, check_probabilities, check_same_length


@dataclass(frozen=True)
class RiskCoverageCurve(Result):
    """One point for each distinct confidence, from the highest down: keep the answers of at least this confidence.

    Parameters
    ----------
    threshold, coverage, risk : ndarray, shape (m,)
        Confidences, decreasing; share of answers kept, up to 1; share of wrong ones in them.
    count, errors : ndarray, shape (m,)
        Answers kept, and wrong ones among them.

    Examples
    --------
    >>> curve = risk_coverage_curve([1, 1, 0, 1], [0.9, 0.7, 0.7, 0.2])
    >>> round(curve.aurc, 4), round(curve.best_aurc, 4), round(curve.prr, 4)
    (0.2083, 0.0625, 0.2222)
    """

    threshold: np.ndarray = field(repr=False)
    coverage: np.ndarray = field(repr=False)
    risk: np.ndarray = field(repr=False)
    count: np.ndarray = field(repr=False)
    errors: np.ndarray = field(repr=False)

    @property
    def n(self):
        """Answers, counted with their weights."""
        return int(self.count[-1])

    @property
    def accuracy(self):
        """Share of right answers when all are kept."""
        return float(1 - self.risk[-1])

    @property
    def aurc(self):
        """Mean error over the coverages 1/n .. 1; smaller is better."""
        return float(mean_risk(*self._blocks))

    @property
    def best_aurc(self):
        """AURC of the same answers in the best order, all right ones first."""
        return float(best_risk(self.count[-1], self.errors[-1]))

    @property
    def prr(self):
        """Share of the way from a random order to the best (PRR): 1 is the best, NaN where all orders are alike.

        (error rate - AURC) / (error rate - AURC of the best order). It must not be compared between systems that answer
        differently: the best order is another. After Malinin and Gales (2021), with the errors among the answers kept;
        their older form, a share of all answers, is 2 AUC - 1 if averaged over ties (`confidence_auc`).
        """
        return float(rejection_ratio(*self._blocks))

    @property
    def _blocks(self):
        return np.diff(self.count, prepend=0), np.diff(self.errors, prepend=0)

    def __str__(self):
        return (
            f"AURC {self.aurc:.4f} ({self.best_aurc:.4f} in the best order), accuracy {self.accuracy:.4f}, "
            f"n = {self.n:,} at {self.threshold.size:,} confidences"
        )


def mean_risk(weight, errors):
    """AURC from blocks of tied answers, the most confident first: mean over k of (errors among the first k) / k.

    Inside a block of W answers with E errors, after W0 answers with E0, the mean over all orders of the errors among
    the first W0 + k answers is E0 + k E / W. So the block adds E + (E0 - W0 E / W) (psi(W0 + W + 1) - psi(W0 + 1)).
    """
    W, E = (np.asarray(column, dtype=float) for column in (weight, errors))
    some = W > 0
    W, E = W[some], E[some]
    n = np.cumsum(W)
    W0 = n - W
    E0 = np.cumsum(E) - E
    harmonic = np.where(W == 1, 1 / n, digamma(n + 1) - digamma(W0 + 1))
    return (E + (E0 - W0 * (E / W)) * harmonic).sum() / n[-1]


def risk_coverage_curve(correct, confidence, *, sample_weight=None):
    """How the share of wrong answers falls when the least confident ones are left out.

    El-Yaniv and Wiener (2010); Geifman et al. (2019).

    Parameters
    ----------
    correct, confidence : array_like, shape (n,)
        Whether each answer is right, 0/1, and its confidence, in [0, 1].
    sample_weight : array_like of int, shape (n,), optional
        How often each row occurs.

    Returns
    -------
    RiskCoverageCurve
        One point for each distinct confidence.

    Examples
    --------
    >>> print(risk_coverage_curve([1, 1, 0, 1], [0.9, 0.7, 0.7, 0.2]))
    AURC 0.2083 (0.0625 in the best order), accuracy 0.7500, n = 4 at 3 confidences
    """
    return curve_of_answers(*_checked(correct, confidence, sample_weight))


def _checked(correct, confidence, sample_weight):
    """Columns of one length; weights are 1 if there are none."""
    correct = check_labels(correct, "correct")
    confidence = check_probabilities(confidence, "confidence")
    weight = check_frequencies(sample_weight)
    check_same_length(correct=correct, confidence=confidence, sample_weight=weight)
    return correct, confidence, np.ones_like(correct) if weight is None else weight


def curve_of_answers(correct, confidence, weight=None):
    """`risk_coverage_curve` of columns that were checked."""
    weight = np.ones_like(correct) if weight is None else weight
    threshold, count, errors = tied_blocks(confidence, weight, weight * (1 - correct))
    keep = count > 0
    threshold = threshold[keep]
    count = np.cumsum(count[keep])
    errors = np.cumsum(errors[keep])
    return RiskCoverageCurve(threshold, count / count[-1], errors / count, count, errors)


def tied_blocks(confidence, *columns):
    """Distinct confidences from the highest down, and the sums of each column at each of them."""
    order = np.argsort(-confidence)
    ordered = confidence[order]
    start = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return ordered[start], *(np.add.reduceat(column[order], start) for column in columns)


def best_risk(n, wrong):
    """`mean_risk` of `n` answers, `wrong` of them wrong, if all right ones come first."""
    return mean_risk(np.array([n - wrong, wrong]), np.array([0.0, wrong]))


def rejection_ratio(weight, errors):
    """PRR from blocks as in `mean_risk`, NaN where all answers are right, or all wrong."""
    total = weight.sum()
    wrong = errors.sum()
    if not 0 < wrong < total:
        return np.nan
    random = wrong / total
    return (random - mean_risk(weight, errors)) / (random - best_risk(total, wrong))


def aurc(correct, confidence, *, sample_weight=None):
    """Area under the risk-coverage curve: mean over coverages 1/n .. 1 of the error among the answers kept.

    Exactly averaged over the orders of tied answers, so it does not depend on the order of the rows. 0 if all answers
    are right, 1 if all are wrong; smaller is better. Constant confidence gives the error rate. Geifman et al. (2019);
    the tied form is ours.

    Plain: `helpers.papers.ecuas2026.section_2_aurc`.

    Parameters
    ----------
    correct, confidence : array_like, shape (n,)
        Whether each answer is right, 0/1, and its confidence, in [0, 1].
    sample_weight : array_like of int, shape (n,), optional
        How often each row occurs.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> round(aurc([1, 1, 0, 1], [0.9, 0.7, 0.7, 0.2]), 4), aurc([0, 0], [0.9, 0.7])
    (0.2083, 1.0)
    """
    correct, confidence, weight = _checked(correct, confidence, sample_weight)
    _, weight, errors = tied_blocks(confidence, weight, weight * (1 - correct))
    return float(mean_risk(weight, errors))
