"""Cascades: ask the cheapest model; if its answer is not good enough, ask the next. Every model asked is paid."""

import numpy as np

from helpers.checks import check_probabilities
from helpers.routing.routed import (
    Routed,
    check_model_table,
    check_predictions,
    check_prices,
    check_thresholds,
    price_of,
)


def cascade(risk, prediction, cost, *, tau=0.0):
    """Risk cascade: stop at the first model whose risk is at most `tau`; if none is, take the answer of lowest risk.

    Melo et al. (2026), section 4.3 and appendix B.6. Plain: `helpers.papers.melo2026.appendix_b_6`.

    Parameters
    ----------
    risk : array of float, shape (m, n)
        Estimated risk of relying on each model's answer, at least 0, in units of the decision cost: of
        `RiskEstimator.predict`, or of `calibration_risk` for a calibration cascade.
    prediction, cost : array, shape (m, n), and (m,) or (m, n)
        Answers, classes or texts, and the price of asking each model, ascending.
    tau : float, default 0.0
        Risk that is accepted, at least 0: the larger, the cheaper.

    Returns
    -------
    Routed
        A row that stops at model k pays models 0 .. k, a row that never stops pays all.

    Examples
    --------
    >>> routed = cascade([[0.0, 0.2, 0.2], [0.5, 0.0, 0.1]], [[0, 0, 0], [1, 1, 1]], [1, 10])
    >>> routed.prediction, routed.paid
    (array([0, 1, 1]), array([ 1., 11., 11.]))
    """
    prediction = check_predictions(prediction)
    risk = check_model_table(risk, prediction.shape, "risk")
    cost = check_prices(cost, prediction.shape)
    tau = check_thresholds(tau, "tau", least=0)[0]
    return _stop_at_first(risk <= tau, risk.argmin(axis=0), prediction, cost)


def confidence_cascade(p, prediction, cost, *, threshold=0.8):
    """Confidence cascade: stop at the first model with p > threshold or 1 - p > threshold.

    The last model answers the rows at which no model stops. Melo et al. (2026), appendix C.5; algorithm 1 of Jitkrittum
    et al. (2023). Plain: `helpers.papers.melo2026.appendix_c_5`.

    Parameters
    ----------
    p : array of float, shape (m, n)
        Stated probabilities of class 1, or any confidence in [0, 1] whose two ends mean "sure".
    prediction, cost : array, shape (m, n), and (m,) or (m, n)
        Answers, classes or texts, and the price of asking each model, ascending.
    threshold : float, default 0.8
        In [1/2, 1]: the larger, the more expensive.

    Returns
    -------
    Routed
        A row that stops at model k pays models 0 .. k.

    Examples
    --------
    >>> confidence_cascade([[0.9, 0.6], [0.7, 0.7]], [[1, 1], [0, 0]], [1, 10]).prediction
    array([1, 0])
    """
    prediction = check_predictions(prediction)
    p = check_model_table(check_probabilities(p, ndim=2), prediction.shape, "p", most=1)
    cost = check_prices(cost, prediction.shape)
    threshold = check_thresholds(threshold, "threshold", least=0.5, most=1)[0]
    last = np.full(prediction.shape[1], len(prediction) - 1)
    return _stop_at_first(np.maximum(p, 1 - p) > threshold, last, prediction, cost)


def _stop_at_first(good, otherwise, prediction, cost):
    """Routed of rows that stop at the first True of their column of `good`, else answer with model `otherwise`."""
    stops = good.any(axis=0)
    first = good.argmax(axis=0)
    last_asked = np.where(stops, first, len(prediction) - 1)
    model = np.where(stops, first, otherwise)
    paid = price_of(np.cumsum(cost, axis=0), last_asked)
    return Routed(prediction[model, np.arange(model.size)], model, paid)
