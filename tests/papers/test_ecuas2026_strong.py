"""What `helpers` computes for abstaining systems equals the plain formulas, on drawn answers with ties and edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.calibration import AffineCalibrator
from helpers.decisions import bayes_decision, largest_uncertainty
from helpers.papers import ecuas2026 as plain
from helpers.selective import (
    aurc,
    chow_cost,
    ecuas,
    ecuas_from_uncertainty,
    expected_cost_at,
    general_ecuas,
    reject_cost_weight,
)

EXPONENTS = st.sampled_from([0, 0.5, 1, 2, 8])
PRICES = st.integers(0, 16).map(lambda eighth: eighth / 16)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


@st.composite
def answers(draw, least=0):
    """(correct, confidence) on a grid of sixteenths, at least `least`: ties, sure errors, all right, one row."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(least, 16)), min_size=1, max_size=9))
    correct, confidence = np.array(rows, float).T
    return correct, confidence / 16


@st.composite
def decisions(draw):
    """Classes, stated probabilities on a grid, and a table of costs C[y, d] in which something can be lost."""
    K, D, n = draw(st.integers(2, 4)), draw(st.integers(2, 3)), draw(st.integers(1, 6))
    weights = draw(st.lists(st.lists(st.integers(0, 4), min_size=K, max_size=K).filter(any), min_size=n, max_size=n))
    q = np.array([np.array(one) / sum(one) for one in weights])
    y = np.array(draw(st.lists(st.integers(0, K - 1), min_size=n, max_size=n)))
    C = np.array(draw(st.lists(st.lists(st.integers(0, 5), min_size=D, max_size=D), min_size=K, max_size=K)), float)
    C -= C.min(axis=1, keepdims=True)
    return y, q, C


@given(answers(), PRICES)
def test_chow_cost_is_equation_7(answers, gamma):
    correct, confidence = answers
    assert chow_cost(correct, confidence, gamma) == close(plain.equation_7(1 - correct, 1 - confidence, gamma))
    d = np.where(1 - confidence <= gamma, correct.astype(int), -1)  # decision 1 is the right one
    cost = plain.equation_1(np.array([[1, 0]]), gamma, np.zeros(len(d), int), d)
    assert chow_cost(correct, confidence, gamma) == close(cost)


@given(answers(), PRICES)
def test_expected_cost_is_equation_2(answers, gamma):
    correct, confidence = answers
    row = expected_cost_at(correct, confidence, [gamma]).iloc[0]
    mean, risk, coverage = plain.equation_2(1 - correct, 1 - confidence <= gamma, gamma)
    assert row["expected_cost"] == close(mean) and row["coverage"] == close(coverage)
    assert row["selective_risk"] == pytest.approx(risk, nan_ok=True)


@given(answers(least=8), EXPONENTS, st.sampled_from([2, 10, None]))
def test_ecuas_is_equations_10_11_and_17(answers, n, K):
    correct, confidence = answers
    paper = plain.equation_17(1 - correct, confidence, n, np.inf if K is None else K)
    assert ecuas(correct, confidence, n=n, n_classes=K) == close(paper)
    if K is None:
        assert ecuas(correct, confidence, n=n) == close(plain.appendix_a_5(1 - correct, confidence, n))
    u_M = 1 if K is None else 1 - 1 / K
    assert ecuas(correct, confidence, n=n, n_classes=K).mean() == close(
        plain.equation_11(1 - correct, 1 - confidence, n, u_M)
    )


@given(answers(least=9), st.sampled_from([0.5, 1, 2]), st.sampled_from([2, None]))
def test_ecuas_is_the_integral_of_chows_cost(answers, n, K):
    correct, confidence = answers[0], np.minimum(answers[1], 15 / 16)
    u_M = 1 if K is None else 1 - 1 / K
    integral = plain.equation_8(
        1 - correct, 1 - confidence, lambda gamma: float(reject_cost_weight(gamma, n=n, n_classes=K)), u_M
    )
    assert ecuas(correct, confidence, n=n, n_classes=K) == pytest.approx(integral, rel=1e-5)


@given(st.floats(0.01, 1), EXPONENTS, st.sampled_from([2, 10, None]))
def test_weight_of_a_price(gamma, n, K):
    u_M = 1 if K is None else 1 - 1 / K
    expected = plain.equation_9_weight(gamma, n, u_M) if gamma <= u_M else 0
    assert float(reject_cost_weight(gamma, n=n, n_classes=K)) == close(expected)


@given(decisions(), EXPONENTS)
def test_general_costs_are_equations_3_6_9_and_16(drawn, n):
    y, q, C = drawn
    best = bayes_decision(q, C.T)
    d, u = plain.equation_6(C, q, np.inf)
    assert best.uncertainty == close(u)
    expected = q @ C
    tied = np.isclose(expected, u[:, None], atol=1e-9).sum(axis=1) > 1
    assert (best.decision == d)[~tied].all() and (best.decision == plain.equation_3(C, q))[~tied].all()
    u_M = plain.section_2_2_u_M(C)
    assert largest_uncertainty(C.T).value == pytest.approx(u_M, abs=1e-9)
    if u_M > 1e-6:
        incurred = C[y, best.decision]
        paper = plain.equation_9(incurred, u, n, u_M)
        assert ecuas_from_uncertainty(incurred, u, n=n, largest=u_M) == pytest.approx(paper, rel=1e-7, abs=1e-9)
        assert general_ecuas(y, q, C.T, n=n) == pytest.approx(paper, rel=1e-6, abs=1e-7)
    else:
        with pytest.raises(ValueError, match="something to lose"):
            general_ecuas(y, q, C.T, n=n)


def test_an_uncertainty_beyond_the_largest_is_charged_as_the_largest():
    with pytest.warns(UserWarning, match="above the largest"):
        found = ecuas_from_uncertainty([9.0], [5.0], n=1, largest=2)
    assert found == close(plain.equation_9([9.0], [5.0], 1, 2))


@given(answers())
def test_area_under_the_risk_coverage_curve(answers):
    correct, confidence = answers
    assert aurc(correct, confidence) == close(plain.section_2_aurc(1 - correct, 1 - confidence))


@pytest.mark.parametrize("K", [2, 3])
def test_affine_calibration_is_equation_18(K):
    rng = np.random.default_rng(K)
    s = rng.dirichlet(np.ones(K), 400)
    y = (rng.random((400, 1)) > s.cumsum(axis=1)).sum(axis=1).clip(max=K - 1)
    strong = AffineCalibrator().fit(np.log(s), y)
    alpha, beta = plain.equation_18_fit(s, y)
    assert strong.scale_ == pytest.approx(alpha, abs=1e-5)
    assert strong.bias_ == pytest.approx(beta - beta.mean(), abs=1e-5)
    assert strong.predict_proba(np.log(s)) == pytest.approx(plain.equation_18(s, alpha, beta), abs=1e-5)
