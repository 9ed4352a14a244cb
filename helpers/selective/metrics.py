"""The other numbers that papers print beside ECUAS: error rate, ECE, AUC, Brier score and cross entropy.

Those of the confidence treat "was the answer right?" as the label. They must not be compared between systems that
answer differently: the labels differ (`helpers.selective.compare_systems` marks them).
"""

import numpy as np
import pandas as pd

from helpers.binning import bins_between, uniform_edges
from helpers.calibration.reliability import binned_error
from helpers.checks import (
    check_classes,
    check_frequencies,
    check_numbers,
    check_same_length,
    check_simplex,
    check_weights,
)
from helpers.scoring import BRIER, LOG
from helpers.selective.abstention import check_answers, check_exponent, ecuas_of_answers, largest_of
from helpers.selective.risk_coverage import curve_of_answers, tied_blocks

PAPER_BINS = 10  # equal width; gives the ECE printed in table 3


def _classified(y, proba):
    proba = check_simplex(proba)
    y = check_classes(y, proba.shape[1])
    check_same_length(y=y, proba=proba)
    return y, proba


def confidence_auc(correct, confidence, *, sample_weight=None):
    """Probability that a right answer has a higher confidence than a wrong one, ties counted half.

    Unlike scikit-learn's roc_auc_score it has a value, NaN, without a warning where a class is absent or has no weight.

    Parameters
    ----------
    correct : array_like of 0/1, shape (n,)
        Whether each answer is right.
    confidence : array_like, shape (n,)
        Stated probability that the answer is right, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Sampling weights.

    Returns
    -------
    float
        In [0, 1], larger is better, 0.5 is chance; NaN where all answers are right, or all wrong.

    Examples
    --------
    >>> confidence_auc([1, 1, 0, 1], [0.9, 0.7, 0.7, 0.2])
    0.5
    """
    correct, confidence = check_answers(correct, confidence)
    weight = check_weights(sample_weight)
    check_same_length(correct=correct, sample_weight=weight)
    return _auc(correct, confidence, weight)


def _auc(correct, confidence, weight):
    """`confidence_auc` of columns that were checked."""
    weight = np.ones_like(correct) if weight is None else weight
    return float(auc_of_blocks(*tied_blocks(confidence, weight * correct, weight * (1 - correct))[1:]))


def auc_of_blocks(right, wrong):
    """AUC from the weights of right and wrong answers in blocks of tied confidence, the highest first."""
    pairs = right.sum() * wrong.sum()
    return np.dot(right, wrong.sum() - np.cumsum(wrong) + wrong / 2) / pairs if pairs else np.nan


def check_exponents(n):
    """One or more exponents, with the endings of their names: 0 -> "0", 0.5 -> "0.5"."""
    values = check_numbers(n, "n")
    if values.ndim > 1 or not values.size:
        raise ValueError(f"n must be one number or a list of them, but it is {n!r}.")
    return {f"{check_exponent(value):g}": float(value) for value in np.atleast_1d(values)}


def _mean(row, weight):
    """Weighted mean; an infinite cost of weight 0 does not count."""
    return float(row.mean() if weight is None else np.average(row[weight > 0], weights=weight[weight > 0]))


def normalized_of_confidence(score, correct, confidence, *, sample_weight=None):
    """Mean score of the confidence, divided by that of always stating the accuracy.

    Parameters
    ----------
    score : function
        `BRIER.score` or `LOG.score` of `helpers.scoring`, where a certain error costs infinity: nothing is clipped.
    correct : array_like of 0/1, shape (n,)
        Whether each answer is right.
    confidence : array_like, shape (n,)
        Stated probability that the answer is right, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Sampling weights.

    Returns
    -------
    float
        At least 0: 0 is perfect, 1 as good as stating the accuracy for every answer; NaN where all answers are right,
        or all wrong, and stating it is perfect.

    Examples
    --------
    >>> round(normalized_of_confidence(BRIER.score, [1, 1, 1, 0], [0.9, 0.8, 0.9, 0.4]), 3)
    0.293
    """
    correct, confidence = check_answers(correct, confidence)
    weight = check_weights(sample_weight)
    check_same_length(correct=correct, sample_weight=weight)
    return _over_accuracy(score, correct, confidence, weight)


def _over_accuracy(score, correct, confidence, weight):
    """`normalized_of_confidence` of columns that were checked."""
    naive = _mean(score(correct, np.full(correct.size, _mean(correct, weight))), weight)
    return _mean(score(correct, confidence), weight) / naive if naive else np.nan


def _over_shares(score, y, proba, weight, share):
    """Mean score of the probabilities, divided by that of always stating the `share` of each class."""
    naive = _mean(score(y, np.tile(share, (y.shape[0], 1))), weight)
    return _mean(score(y, proba), weight) / naive


def normalized_ecuas(y, proba, *, n=1, sample_weight=None):
    """Mean ECUAS_n of a classifier, divided by that of the system that always states the class shares of `y`.

    The classifier answers argmax(proba), the lower class of tied ones, with confidence max(proba).

    Parameters
    ----------
    y : array_like of int, shape (n_rows,)
        Classes 0 .. K-1.
    proba : array_like, shape (n_rows, K)
        Probabilities of the classes.
    n : float, default 1
        Exponent, see `ecuas`.
    sample_weight : array_like, shape (n_rows,), optional
        Sampling weights.

    Returns
    -------
    float
        At least 0: 0 is perfect, 1 as good as no model, above 1 worse than none (infinity is possible for n = 0).

    References
    ----------
    Estienne, Ernst et al. (2026), section 4.1.

    Examples
    --------
    >>> round(normalized_ecuas([0, 1, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.1, 0.9], [0.3, 0.7]]), 3)
    0.4
    """
    y, proba = _classified(y, proba)
    n = check_exponent(n)
    weight = check_weights(sample_weight)
    check_same_length(y=y, sample_weight=weight)
    return _over_naive_ecuas(y, proba, n, weight, _shares(y, weight, proba.shape[1]))


def _over_naive_ecuas(y, proba, n, weight, share):
    """`normalized_ecuas` of columns that were checked and the `share` of each class."""
    largest = largest_of(proba.shape[1])
    own = ecuas_of_answers(proba.argmax(axis=1) == y, proba.max(axis=1), n, largest)
    naive = ecuas_of_answers(y == share.argmax(), np.full(y.size, share.max()), n, largest)
    return _mean(own, weight) / _mean(naive, weight)


def _shares(y, weight, n_classes):
    total = np.bincount(y, weight, n_classes)
    if total.max() == total.sum():
        raise ValueError(f"y must hold at least two classes, but all {y.size:,} rows are of class {total.argmax()}.")
    return total / total.sum()


def confidence_metrics(correct, confidence, *, n=(0, 1, 128), n_classes=None, sample_weight=None):
    """All measures of answers with a confidence, for systems that state no distribution (table 5 of the paper).

    Parameters
    ----------
    correct : array_like of 0/1, shape (n_rows,)
        Whether each answer is right.
    confidence : array_like, shape (n_rows,)
        Stated probability that the answer is right, in [0, 1].
    n : float or sequence of float, default (0, 1, 128)
        Exponents of ECUAS.
    n_classes : int, optional
        Number of classes K; None for many.
    sample_weight : array_like of int, shape (n_rows,), optional
        How often each row occurs.

    Returns
    -------
    Series
        Measures er, ece (10 bins), auc, ce, brier (one class), aurc, prr, ecuas_0, …. Of auc and prr larger is
        better, of all others smaller.

    References
    ----------
    Estienne, Ernst et al. (2026), section 4.2.

    Examples
    --------
    >>> confidence_metrics([1, 0, 1, 1], [0.6, 0.6, 0.9, 0.9], n=1).round(3).to_dict()
    {'er': 0.25, 'ece': 0.1, 'auc': 0.833, 'ce': 0.409, 'brier': 0.135, 'aurc': 0.104, 'prr': 0.778, 'ecuas_1': 0.385}
    """
    correct, confidence = check_answers(correct, confidence)
    weight = check_frequencies(sample_weight)
    exponents = check_exponents(n)
    largest = largest_of(n_classes)
    check_same_length(correct=correct, sample_weight=weight)
    curve = curve_of_answers(correct, confidence, weight)
    values = {
        "er": _mean(1 - correct, weight),
        "ece": _binned_error(correct, confidence, weight),
        "auc": _auc(correct, confidence, weight),
        "ce": _mean(LOG.row_divergence(correct, confidence), weight),
        "brier": _mean(BRIER.row_divergence(correct, confidence), weight),
        "aurc": curve.aurc,
        "prr": curve.prr,
    }
    for name, exponent in exponents.items():
        values[f"ecuas_{name}"] = _mean(ecuas_of_answers(correct, confidence, exponent, largest), weight)
    return pd.Series(values, name="value")


def _binned_error(correct, confidence, weight):
    """`expected_calibration_error` of columns that were checked, in the paper's bins."""
    return binned_error(correct - confidence, bins_between(confidence, uniform_edges(PAPER_BINS)), weight)


def selective_metrics(y, proba, *, n=(0, 1, 128), paper_scale=True, sample_weight=None):
    """The eleven columns of the paper's table 3, for a classifier that answers argmax and states max.

    "n_" means divided by the value of the system that always states the class shares of `y`; for the two scores of the
    confidence, of always stating the accuracy. The lower of tied classes is answered.

    Parameters
    ----------
    y : array_like of int, shape (n_rows,)
        Classes 0 .. K-1.
    proba : array_like, shape (n_rows, K)
        Probabilities of the classes.
    n : float or sequence of float, default (0, 1, 128)
        Exponents of ECUAS.
    paper_scale : bool, default True
        The n_brier_confidence is twice the ratio, as printed (2 is then as good as stating the accuracy); False gives
        the ratio itself.
    sample_weight : array_like of int, shape (n_rows,), optional
        How often each row occurs.

    Returns
    -------
    Series
        Measures n_er, ece (10 bins), auc (larger is better; all others smaller), n_ce_confidence, n_brier_confidence,
        n_ce, n_brier, aurc, n_ecuas_0, ….

    References
    ----------
    Estienne, Ernst et al. (2026), table 3.

    Examples
    --------
    >>> selective_metrics([0, 1, 1, 0], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]], n=1).round(3).tolist()
    [0.5, 0.35, 0.667, 0.908, 1.867, 0.737, 0.7, 0.146, 0.7]
    """
    y, proba = _classified(y, proba)
    weight = check_frequencies(sample_weight)
    exponents = check_exponents(n)
    check_same_length(y=y, sample_weight=weight)
    share = _shares(y, weight, proba.shape[1])
    correct = (proba.argmax(axis=1) == y).astype(float)
    confidence = proba.max(axis=1)
    answers = (correct, confidence, weight)
    truth = np.eye(proba.shape[1])[y]
    double = 2 if paper_scale else 1
    values = {
        "n_er": _mean(1 - correct, weight) / (1 - share.max()),
        "ece": _binned_error(*answers),
        "auc": _auc(*answers),
        "n_ce_confidence": _over_accuracy(LOG.row_divergence, *answers),
        "n_brier_confidence": double * _over_accuracy(BRIER.row_divergence, *answers),
        "n_ce": _over_shares(LOG.row_divergence, truth, proba, weight, share),
        "n_brier": _over_shares(BRIER.row_divergence, truth, proba, weight, share),
        "aurc": curve_of_answers(*answers).aurc,
    }
    for name, exponent in exponents.items():
        values[f"n_ecuas_{name}"] = _over_naive_ecuas(y, proba, exponent, weight, share)
    return pd.Series(values, name="value")
