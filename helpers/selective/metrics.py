"""Every measure of answers with a confidence (`METRICS`), and the columns of the paper's table 3.

Those of the confidence treat "was the answer right?" as the label. They must not be compared between systems that
answer differently: the labels differ (`helpers.selective.compare_systems` marks them).

A new measure is one entry of `METRICS`: tables, comparisons, reports and the metrics for Inspect loop over it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from helpers.binning import bins_between, uniform_edges
from helpers.calibration.reliability import curve_of_rows, error_of_curve
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
from helpers.selective.risk_coverage import mean_risk, rejection_ratio, tied_blocks

PAPER_BINS = 10  # equal width; gives the ECE printed in table 3


@dataclass(frozen=True)
class Metric:
    """A measure of answers with a stated confidence; an entry of `METRICS`.

    Parameters
    ----------
    label : str
        What tables call it.
    function : callable
        A number from the inputs that `source` names; NaN where there is none.
    source : {"rows", "blocks", "bins"}
        "rows": (correct, confidence), and the measure is the mean of what comes back for each row, infinite if one is.
        "blocks": (right, wrong), weights of these answers at each confidence that occurs, the highest first; some may
        be 0. "bins": (gap, weight), sums of correct - confidence and of weights in ten bins of equal width.
    larger_is_better : bool, default False
        Which way is good.
    needs_same_answers : bool, default False
        Whether it judges the confidence alone: then systems that answer differently have different labels.
    interval : callable, optional
        (low, high) at 95 % from (correct, confidence, groups, seed), where bootstrap intervals miss; differences then
        have none.
    reported : bool, default False
        Whether the report on a file of answers shows it.

    Examples
    --------
    >>> METRICS["auc"].label, METRICS["auc"].larger_is_better
    ('AUC', True)
    """

    label: str
    function: Callable
    source: str = "rows"
    larger_is_better: bool = False
    needs_same_answers: bool = False
    interval: Callable | None = None
    reported: bool = False


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
    correct, confidence : array_like, shape (n,)
        Whether each answer is right, 0/1, and the probability stated for that, in [0, 1].
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


def _ece_interval(correct, confidence, groups, seed):
    """The interval of `calibration_error`: an ECE is biased upwards, and bootstrap intervals of it miss."""
    error = error_of_curve(curve_of_rows(correct, confidence, PAPER_BINS, groups=groups), rng=seed)
    return error.low, error.high


METRICS = {
    "er": Metric("Error rate", lambda correct, confidence: 1 - correct),
    "ece": Metric(
        "ECE", lambda gap, weight: np.abs(gap).sum() / weight.sum(), "bins",
        needs_same_answers=True, interval=_ece_interval,
    ),
    "auc": Metric("AUC", auc_of_blocks, "blocks", larger_is_better=True, needs_same_answers=True),
    "ce": Metric("Cross entropy", LOG.row_divergence, needs_same_answers=True),
    "brier": Metric("Brier score", BRIER.row_divergence, needs_same_answers=True),
    "aurc": Metric("AURC", lambda right, wrong: mean_risk(right + wrong, wrong), "blocks", reported=True),
    "prr": Metric(
        "PRR", lambda right, wrong: rejection_ratio(right + wrong, wrong), "blocks",
        larger_is_better=True, needs_same_answers=True,
    ),
}  # fmt: skip


def metrics_of(n=(0, 1, 128), n_classes=None):
    """`METRICS`, and `ecuas_0`, ... for one or more exponents n and K classes; ValueError for others."""
    values = check_numbers(n, "n")
    if values.ndim > 1 or not values.size:
        raise ValueError(f"n must be one number or a list of them, but it is {n!r}.")
    largest = largest_of(n_classes)
    family = {}
    for value in map(check_exponent, np.atleast_1d(values)):
        label = f"ECUAS, n = {value:g}".replace("inf", "∞")
        function = partial(ecuas_of_answers, n=value, largest=largest)
        family[f"ecuas_{value:g}"] = Metric(label, function, reported=True)
    return METRICS | family


class MeasuredAnswers:
    """Answers of one system, arranged so that its measures follow from how often each row occurs."""

    def __init__(self, metrics, correct, confidence):
        self.metrics = metrics
        self.correct = correct
        self.confidence = confidence
        self._names = [name for name, metric in metrics.items() if metric.source == "rows"]
        rows = [metrics[name].function(correct, confidence) for name in self._names]
        self._rows = np.array(rows).reshape(len(rows), correct.size).T.copy()
        infinite = np.isinf(self._rows)
        self._certain = np.flatnonzero(infinite.any(axis=1))
        self._infinite = infinite[self._certain].astype(float)
        self._rows[infinite] = 0
        self._gap = correct - confidence
        self._bins = bins_between(confidence, uniform_edges(PAPER_BINS))
        self._order = np.argsort(-confidence)
        self._start = np.flatnonzero(np.diff(confidence[self._order], prepend=-1))

    def measure(self, counts=None):
        """{name: value} of the rows, each taken `counts` (n,) times; None for once."""
        counts = np.ones(self.correct.size) if counts is None else counts
        means = counts @ self._rows / counts.sum()
        means[counts[self._certain] @ self._infinite > 0] = np.inf
        known = dict(zip(self._names, means.tolist(), strict=True))
        inputs = {
            "blocks": [self._blocks(counts * self.correct), self._blocks(counts * (1 - self.correct))],
            "bins": [np.bincount(self._bins, column, PAPER_BINS) for column in (counts * self._gap, counts)],
        }
        return {
            name: known[name] if metric.source == "rows" else float(metric.function(*inputs[metric.source]))
            for name, metric in self.metrics.items()
        }

    def _blocks(self, column):
        """Sum of a column at each confidence that occurs, the highest first."""
        return np.add.reduceat(column[self._order], self._start)


def _mean(row, weight):
    """Weighted mean; an infinite cost of weight 0 does not count."""
    return float(row.mean() if weight is None else np.average(row[weight > 0], weights=weight[weight > 0]))


def normalized_of_confidence(score, correct, confidence, *, sample_weight=None):
    """Mean score of the confidence, divided by that of always stating the accuracy.

    Parameters
    ----------
    score : function
        `BRIER.score` or `LOG.score` of `helpers.scoring`, where a certain error costs infinity: nothing is clipped.
    correct, confidence : array_like, shape (n,)
        Whether each answer is right, 0/1, and the probability stated for that, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Sampling weights.

    Returns
    -------
    float
        0 is perfect, 1 as good as stating the accuracy; NaN where all answers are right, or all wrong.

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

    The classifier answers argmax(proba), the lower class of tied ones, with confidence max(proba). Estienne, Ernst et
    al. (2026), section 4.1. Plain, with the 0-1 cost: `helpers.papers.ecuas2026.section_4_normalised`.

    Parameters
    ----------
    y, proba : array_like, shape (n_rows,) and (n_rows, K)
        Classes 0 .. K-1 and their stated probabilities.
    n : float, default 1
        Exponent, see `ecuas`.
    sample_weight : array_like, shape (n_rows,), optional
        Sampling weights.

    Returns
    -------
    float
        0 is perfect, 1 as good as no model, above 1 worse than none (infinity is possible for n = 0).

    Examples
    --------
    >>> round(normalized_ecuas([0, 1, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.1, 0.9], [0.3, 0.7]]), 3)
    0.4
    """
    y, proba = _classified(y, proba)
    n = check_exponent(n)
    weight = check_weights(sample_weight)
    check_same_length(y=y, sample_weight=weight)
    score = partial(ecuas_of_answers, n=n, largest=largest_of(proba.shape[1]))
    return _over_naive(score, y, proba, weight, _shares(y, weight, proba.shape[1]))


def _over_naive(score, y, proba, weight, share):
    """Mean score of answers and confidences, divided by that of always stating the `share` of each class."""
    own = score(proba.argmax(axis=1) == y, proba.max(axis=1))
    naive = score(y == share.argmax(), np.full(y.size, share.max()))
    return _mean(own, weight) / _mean(naive, weight)


def _shares(y, weight, n_classes):
    total = np.bincount(y, weight, n_classes)
    if total.max() == total.sum():
        raise ValueError(f"y must hold at least two classes, but all {y.size:,} rows are of class {total.argmax()}.")
    return total / total.sum()


def confidence_metrics(correct, confidence, *, n=(0, 1, 128), n_classes=None, sample_weight=None):
    """All measures of answers with a confidence, for systems that state no distribution (table 5 of the paper).

    Estienne, Ernst et al. (2026), section 4.2.

    Parameters
    ----------
    correct, confidence : array_like, shape (n_rows,)
        Whether each answer is right, 0/1, and the probability stated for that, in [0, 1].
    n, n_classes : optional
        Exponents of ECUAS, one or several, and the number of classes K, None for many.
    sample_weight : array_like of int, shape (n_rows,), optional
        How often each row occurs.

    Returns
    -------
    Series
        A number for each of `METRICS`, which say which way is good (the ECE has 10 bins, the Brier score one class),
        and ecuas_0, ….

    Examples
    --------
    >>> found = confidence_metrics([1, 0, 1, 1], [0.6, 0.6, 0.9, 0.9], n=1)
    >>> found[["er", "ece", "auc", "aurc", "ecuas_1"]].round(3).to_dict()
    {'er': 0.25, 'ece': 0.1, 'auc': 0.833, 'aurc': 0.104, 'ecuas_1': 0.385}
    """
    correct, confidence = check_answers(correct, confidence)
    weight = check_frequencies(sample_weight)
    metrics = metrics_of(n, n_classes)
    check_same_length(correct=correct, sample_weight=weight)
    return pd.Series(MeasuredAnswers(metrics, correct, confidence).measure(weight), name="value")


def selective_metrics(y, proba, *, n=(0, 1, 128), paper_scale=True, sample_weight=None):
    """The eleven columns of the paper's table 3, for a classifier that answers argmax and states max.

    "n_" means divided by the value of the system that always states the class shares of `y`; for the two scores of the
    confidence, of always stating the accuracy. The lower of tied classes is answered. Estienne, Ernst et al. (2026),
    table 3.

    Parameters
    ----------
    y, proba : array_like, shape (n_rows,) and (n_rows, K)
        Classes 0 .. K-1 and their stated probabilities.
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

    Examples
    --------
    >>> selective_metrics([0, 1, 1, 0], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]], n=1).round(3).tolist()
    [0.5, 0.35, 0.667, 0.908, 1.867, 0.737, 0.7, 0.146, 0.7]
    """
    y, proba = _classified(y, proba)
    weight = check_frequencies(sample_weight)
    metrics = metrics_of(n, proba.shape[1])
    check_same_length(y=y, sample_weight=weight)
    share = _shares(y, weight, proba.shape[1])
    correct = (proba.argmax(axis=1) == y).astype(float)
    confidence = proba.max(axis=1)
    answers = (correct, confidence, weight)
    truth = np.eye(proba.shape[1])[y]
    double = 2 if paper_scale else 1
    plain = MeasuredAnswers(metrics, correct, confidence).measure(weight)
    values = {
        "n_er": plain["er"] / (1 - share.max()),
        "ece": plain["ece"],
        "auc": plain["auc"],
        "n_ce_confidence": _over_accuracy(LOG.row_divergence, *answers),
        "n_brier_confidence": double * _over_accuracy(BRIER.row_divergence, *answers),
        "n_ce": _over_shares(LOG.row_divergence, truth, proba, weight, share),
        "n_brier": _over_shares(BRIER.row_divergence, truth, proba, weight, share),
        "aurc": plain["aurc"],
    }
    for name, metric in metrics.items():
        if name not in METRICS:
            values[f"n_{name}"] = _over_naive(metric.function, y, proba, weight, share)
    return pd.Series(values, name="value")
