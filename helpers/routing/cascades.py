"""Cascades: ask the cheapest model; if its answer is not good enough, ask the next. Every model asked is paid."""

import numpy as np

from helpers.checks import check_probabilities
from helpers.routing.routed import (
    Routed,
    check_model_table,
    check_predictions,
    check_prices,
    check_thresholds,
    paid_up_to,
)


def cascade(risk, prediction, cost, *, tau=0.0):
    """Risk cascade: stop at the first model whose risk is at most `tau`; if none is, take the answer of lowest risk.

    Parameters
    ----------
    risk : (m, n) estimated risk of relying on each model's answer, at least 0, in units of the decision cost: of
        `RiskEstimator.predict`, or of `calibration_risk` for a calibration cascade
    prediction : (m, n) answers, classes or texts
    cost : (m,) price of asking each model, ascending; or (m, n)
    tau : risk that is accepted, at least 0: the larger, the cheaper

    Returns
    -------
    Routed; a row that stops at model k pays models 0 .. k, a row that never stops pays all.

    Raises
    ------
    ValueError for tables of other shapes, missing or negative entries, models not in order of cost, tau below 0.

    Source: Melo et al. (2026), section 4.3 and appendix B.6.

    >>> routed = cascade([[0.0, 0.2, 0.2], [0.5, 0.0, 0.1]], [[0, 0, 0], [1, 1, 1]], [1, 10])
    >>> routed.prediction, routed.paid
    (array([0, 1, 1]), array([ 1., 11., 11.]))
    """
    prediction = check_predictions(prediction)
    risk = check_model_table(risk, prediction.shape, "risk")
    cost = check_prices(cost, prediction.shape)
    tau = check_thresholds(tau, "tau", least=0)[0]
    return _stop(risk <= tau, risk.argmin(axis=0), prediction, cost)


def confidence_cascade(p, prediction, cost, *, threshold=0.8):
    """Confidence cascade: stop at the first model with p > threshold or 1 - p > threshold; the last model answers the
    rest.

    Parameters
    ----------
    p : (m, n) stated probabilities of class 1, or any confidence in [0, 1] whose two ends mean "sure"
    prediction, cost : as in `cascade`
    threshold : in [1/2, 1]: the larger, the dearer

    Returns
    -------
    Routed

    Raises
    ------
    ValueError as in `cascade`, or for a threshold outside of [1/2, 1].

    Source: Melo et al. (2026), appendix C.5; algorithm 1 of Jitkrittum et al. (2023).

    >>> confidence_cascade([[0.9, 0.6], [0.7, 0.7]], [[1, 1], [0, 0]], [1, 10]).prediction
    array([1, 0])
    """
    prediction = check_predictions(prediction)
    p = check_model_table(check_probabilities(p, ndim=2), prediction.shape, "p", most=1)
    cost = check_prices(cost, prediction.shape)
    threshold = check_thresholds(threshold, "threshold", least=0.5, most=1)[0]
    last = np.full(prediction.shape[1], len(prediction) - 1)
    return _stop(np.maximum(p, 1 - p) > threshold, last, prediction, cost)


def _stop(good, otherwise, prediction, cost):
    """Routed of rows that stop at the first True of their column of `good`, else answer with model `otherwise`."""
    m, n = prediction.shape
    stops = good.any(axis=0)
    first = good.argmax(axis=0)
    model = np.where(stops, first, otherwise)
    paid = paid_up_to(cost, np.where(stops, first, m - 1), n)
    return Routed(prediction[model, np.arange(n)], model, np.asarray(paid, dtype=float))
