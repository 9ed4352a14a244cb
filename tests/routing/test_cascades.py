"""Cascades against loops written row by row."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_more_risk_accepted_is_never_dearer(seed, m):
    rng = np.random.default_rng(seed)
    risk = rng.random((m, 30)).round(1)
    prediction = rng.integers(0, 3, (m, 30))
    price = np.sort(rng.random(m))
    paid = [cascade(risk, prediction, price, tau=tau).paid for tau in (0, 0.1, 0.5, 1)]
    assert all((after <= before + 1e-12).all() for before, after in itertools.pairwise(paid))
    assert np.allclose(paid[-1], price[0])  # all risks accepted: the cheapest model answers everything
    assert (paid[0] <= price.sum() + 1e-12).all() and (paid[0] >= price[0]).all()


def test_sure_means_beyond_the_threshold_on_either_side():
    routed = confidence_cascade([[0.8, 0.2, 0.81, 0.19, 0.5]], [[1] * 5], [1.0], threshold=0.8)
    assert list(routed.paid) == [1.0] * 5  # a pool of one has nobody to hand on to
    routed = confidence_cascade([[0.75, 0.25, 0.76, 0.24]] * 2, [[1] * 4, [0] * 4], [1.0, 1.0], threshold=0.75)
    assert list(routed.model) == [1, 1, 0, 0]


def test_the_model_with_a_wrong_risk_is_named():
    risk = np.array([[0.1, 0.2], [0.3, -1.0]])
    with pytest.raises(ValueError, match="model 1"):
        cascade(risk, [["a", "b"], ["a", "b"]], [1, 2])
