"""Cascades against loops written row by row."""

import numpy as np
import pytest

from helpers.routing import cascade, confidence_cascade
from tests.routing.pool import PREDICTION, PRICE, PRICES, RISK, P, by_rows, same


def risk_row(risk, prediction, price, tau):
    """Appendix B.6, question by question."""
    paid = 0.0
    for m in range(len(risk)):
        paid += price[m]
        if risk[m] <= tau:
            return prediction[m], m, paid
    best = min(range(len(risk)), key=lambda m: risk[m])
    return prediction[best], best, paid


def confident_row(p, prediction, price, threshold):
    """Appendix C.5."""
    paid = 0.0
    for m in range(len(p)):
        paid += price[m]
        if p[m] > threshold or 1 - p[m] > threshold or m == len(p) - 1:
            return prediction[m], m, paid


@pytest.mark.parametrize("price", [PRICE, PRICES], ids=["per model", "per row"])
@pytest.mark.parametrize("value", [0.0, 0.13, 0.5, np.inf])
def test_the_risk_cascade_is_the_printed_one(price, value):
    same(cascade(RISK, PREDICTION, price, tau=value), by_rows(risk_row, RISK, price, value))


@pytest.mark.parametrize("price", [PRICE, PRICES], ids=["per model", "per row"])
@pytest.mark.parametrize("value", [0.5, 0.75, 0.8, 1.0])
def test_the_confidence_cascade_is_the_printed_one(price, value):
    same(confidence_cascade(P, PREDICTION, price, threshold=value), by_rows(confident_row, P, price, value))
