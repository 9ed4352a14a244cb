"""Chow's cost, ECUAS and its general form: reference values, identities, propriety, edges and bad inputs."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from scipy.integrate import quad

from helpers.decisions import largest_uncertainty
from helpers.scoring import BRIER
from helpers.selective import (
    aurc,
    chow_cost,
    ecuas,
    ecuas_from_uncertainty,
    expected_cost_at,
    general_ecuas,
    normalized_ecuas,
    reject_cost_weight,
)
from tests.decisions.drawn import shares, zero_one

ROWS = [1, 0, 1, 0], [0.6, 0.6, 0.9, 0.9]
EXPONENTS = [0, 0.25, 0.5, 1, 2, 128]


@pytest.mark.parametrize(
    "n_classes, n, values",
    [
        (2, 0, [0.8, 1.2462871026, 0.2, 3.4188758249]),
        (2, 1, [0.64, 1.44, 0.04, 3.24]),
        (10, 2, [0.0877914952, 1.4252400549, 0.0013717421, 1.6474622771]),
        (None, 0, [0.4, 1.3162907319, 0.1, 2.402585093]),
        (None, 1, [0.16, 1.36, 0.01, 1.81]),
        (None, 0.5, [0.2529822128, 1.3556156167, 0.0316227766, 2.0829394786]),
    ],
)
def test_reference_values(n_classes, n, values):
    np.testing.assert_allclose(ecuas(*ROWS, n=n, n_classes=n_classes), values, rtol=0, atol=1e-10)


def test_chow_by_hand():
    assert chow_cost(*ROWS, 0.5).tolist() == [0, 1, 0, 1]
    assert chow_cost(*ROWS, 0.2).tolist() == [0.2, 0.2, 0, 1]
    assert chow_cost(*ROWS, 0.05).tolist() == [0.05] * 4
    assert chow_cost(*ROWS, 7).tolist() == [0, 1, 0, 1]
    assert chow_cost([0, 0], [1.0, 0.9], 0).tolist() == [1, 0]


def test_edges_cost_what_they_should():
    for n in [*EXPONENTS, np.inf]:
        assert ecuas([1, 0], [0.25, 0.25], n=n, n_classes=4).tolist() == [1, 1]  # refused at any rejection cost
        assert ecuas([1], [1.0], n=n) == 0
    assert ecuas([1, 0], [1.0, 1.0], n=0).tolist() == [0, np.inf]
    np.testing.assert_allclose(ecuas([0], [1.0], n=0.25, n_classes=2), 5 * 2)  # (n + 1) / (n u_M)


def test_no_overflow():
    for n in (128, 1e4, 1e308, np.inf):
        values = ecuas([1, 0, 0, 1], [0.9, 0.9, 1.0, 0.5], n=n, n_classes=2)
        np.testing.assert_allclose(values, [0, 2 * (1 + 1 / n), 2 * (1 + 1 / n), 1], atol=1e-15)
    assert np.isfinite(ecuas([0, 1], [0.5 + 1e-12, 1 - 1e-16], n=1e-300, n_classes=2)).all()


def test_weights_by_hand():
    np.testing.assert_allclose(reject_cost_weight([0.0, 0.5, 1.0, 1.5], n=2), [0, 1.5, 3, 0])
    assert reject_cost_weight([0.49, 0.5, 0.51], n=1, n_classes=2).tolist() == [8, 8, 0]
    assert (
        reject_cost_weight(0.25) == 2
        and reject_cost_weight(0.0, n=0) == np.inf
        and reject_cost_weight(0.5, n=0, n_classes=2) == 4
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [3, None])
@pytest.mark.parametrize("n", EXPONENTS)
def test_integral_of_chow_is_ecuas(n, n_classes):
    top = 1 - (1 / n_classes if n_classes else 0)
    for correct in (0, 1):
        for u in (0.03, 0.4 * top, 0.97 * top, top):

            def integrand(gamma, correct=correct, u=u):
                weight = reject_cost_weight(gamma, n=n, n_classes=n_classes)
                return float(weight * chow_cost([correct], [1 - u], gamma)[0])

            pieces = [quad(integrand, *ends, epsabs=1e-13, epsrel=1e-12)[0] for ends in ((0, u), (u, top))]
            want = ecuas([correct], [1 - u], n=n, n_classes=n_classes)[0]
            assert abs(sum(pieces) - want) < 1e-9 * max(1, want)


@given(st.integers(2, 6), st.sampled_from(EXPONENTS), st.integers(0, 10**6))
def test_general_form_with_zero_one_cost(n_classes, n, seed):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.5), 30)
    y = rng.integers(n_classes, size=30)
    general = general_ecuas(y, proba, zero_one(n_classes), n=n)
    special = ecuas(proba.argmax(axis=1) == y, proba.max(axis=1), n=n, n_classes=n_classes)
    np.testing.assert_allclose(general, special, rtol=1e-12, atol=1e-12)
    scaled = general_ecuas(y, proba, 7 * zero_one(n_classes), n=n)  # by linear programming
    np.testing.assert_allclose(scaled, special, rtol=1e-9, atol=1e-12)


def test_from_uncertainty_is_both():
    correct = np.array([1, 0, 1, 0])
    confidence = np.array([0.6, 0.6, 0.9, 0.9])
    for n in EXPONENTS:
        made = ecuas_from_uncertainty(1 - correct, 1 - confidence, n=n, largest=0.9)
        np.testing.assert_array_equal(made, ecuas(correct, confidence, n=n, n_classes=10))


def test_two_classes_and_n_one_is_the_brier_score():
    rng = np.random.default_rng(1)
    p = rng.random(200)
    y = rng.integers(2, size=200)
    proba = np.column_stack([1 - p, p])
    cost = ecuas(proba.argmax(axis=1) == y, proba.max(axis=1), n=1, n_classes=2)
    np.testing.assert_allclose(cost, 4 * BRIER.score(y, p), atol=1e-14)


def test_limits_in_n():
    correct = [1, 0, 1, 0, 0]
    confidence = [0.6, 0.6, 0.99, 0.99, 0.2]
    for n_classes in (10, None):
        near, zero = (ecuas(correct, confidence, n=n, n_classes=n_classes) for n in (1e-9, 0))
        np.testing.assert_allclose(near, zero, rtol=1e-7)
        far, limit = (ecuas(correct, confidence, n=n, n_classes=n_classes) for n in (1e7, np.inf))
        np.testing.assert_allclose(far, limit, atol=1e-6)
    np.testing.assert_allclose(ecuas([1, 0], [0.7, 0.7], n=np.inf, n_classes=2), [0, 2])  # 1 / u_M, not 1


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 20), st.integers(0, 3)), min_size=1, max_size=30).filter(
        lambda rows: any(row[2] for row in rows)
    ),
    st.lists(st.integers(0, 25), min_size=1, max_size=8),
)
def test_expected_cost_is_the_mean_of_chow(rows, gammas):
    correct, confidence, weight = (np.array(column) for column in zip(*rows, strict=True))
    confidence = confidence / 20
    gammas = np.array(gammas) / 20
    table = expected_cost_at(correct, confidence, gammas, sample_weight=weight)
    assert list(table) == ["reject_cost", "expected_cost", "coverage", "selective_risk"]
    for row in table.itertuples():
        costs = chow_cost(correct, confidence, row.reject_cost)
        assert row.expected_cost == pytest.approx(np.average(costs, weights=weight), abs=1e-12)
        accepted = 1 - confidence <= row.reject_cost + 1e-12
        assert row.coverage == pytest.approx(np.average(accepted, weights=weight), abs=1e-12)
        kept = 0 if np.isnan(row.selective_risk) else row.selective_risk * row.coverage
        assert row.expected_cost == pytest.approx(kept + row.reject_cost * (1 - row.coverage), abs=1e-12)  # eq. 2
        assert np.isnan(row.selective_risk) == (row.coverage == 0)


def test_decimal_confidences_are_not_refused_by_rounding():
    steps = np.arange(1001)
    for k in range(0, 1001, 7):
        accepted = chow_cost(np.ones(1001), steps / 1000, k / 1000) == 0
        assert accepted.tolist() == ((1000 - steps <= k) | (k == 0)).tolist()  # refused for nothing is free too
    assert expected_cost_at([1, 1], [0.7, 0.9], [0.3, 0.1])["coverage"].tolist() == [1, 0.5]


def expectation(p, values):
    """Mean of values under p, without 0 * inf."""
    return sum(share * value for share, value in zip(p, values, strict=True) if share)


@pytest.mark.slow
@given(st.data())
def test_general_ecuas_is_proper(data):
    n_classes, n_decisions = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 4))
    size = n_classes * n_decisions
    cost = np.reshape(data.draw(st.lists(st.integers(0, 20), min_size=size, max_size=size)), (n_decisions, -1)) / 4
    if largest_uncertainty(cost).value <= 1e-9:
        with pytest.raises(ValueError, match="leave something to lose"):
            general_ecuas([0], [np.eye(n_classes)[0]], cost)
        return
    n = data.draw(st.sampled_from(EXPONENTS))
    p, q = data.draw(shares(n_classes)), data.draw(shares(n_classes))
    y = np.arange(n_classes)
    honest, other = (expectation(p, general_ecuas(y, np.tile(s, (n_classes, 1)), cost, n=n)) for s in (p, q))
    assert honest <= other + 1e-9 * (1 + honest)


@given(st.data())
def test_ecuas_and_chow_are_proper(data):
    n_classes = data.draw(st.integers(2, 5))
    p = data.draw(shares(n_classes))
    q = data.draw(shares(n_classes))
    gamma = data.draw(st.integers(0, 20)) / 20
    n = data.draw(st.sampled_from(EXPONENTS))
    y = np.arange(n_classes)

    def cost(stated, score):
        return expectation(p, score(y == stated.argmax(), np.full(n_classes, stated.max())))

    for score in (lambda *rows: chow_cost(*rows, gamma), lambda *rows: ecuas(*rows, n=n, n_classes=n_classes)):
        honest = cost(p, score)
        other = cost(q, score)
        assert honest <= other + 1e-12 * (1 + honest)


def test_a_confidence_below_one_in_k_is_counted_and_costs_one():
    with pytest.warns(UserWarning, match=r"below 1/4 in 2 of 5 rows.*cost 1") as caught:
        values = ecuas([1, 0, 1, 0, 1], [0.2, 0.0, 0.25, 0.5, 0.9], n=0, n_classes=4)
    assert len(caught) == 1 and caught[0].filename == __file__ and values[:3].tolist() == [1, 1, 1]
    with pytest.warns(UserWarning, match="above the largest possible value, 2, in 1 of 2 rows"):
        assert ecuas_from_uncertainty([9, 0], [3, 2], largest=2).tolist() == [1, 1]


def test_rounding_is_not_worth_a_warning():
    third = np.float32(1) / np.float32(3) - np.float32(1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ecuas([0], [third], n_classes=3) == 1
        ecuas([0, 1], [0.0, 0.1])  # no K, no lowest confidence


PROBA = [[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]]


test_what_is_refused = refuses(
    (lambda: normalized_ecuas([1, 1, 1], PROBA), "y must"),
    (lambda: normalized_ecuas([1, 0], PROBA), "y and proba must"),
    (lambda: normalized_ecuas([1, 0, 1], PROBA, sample_weight=[1, 2]), "y and sample_weight must"),
    (lambda: ecuas([1, 0], [0.5, 0.5], n=-1), "^n must"),
    (lambda: ecuas([1, 0], [0.5, 0.5], n=[1, 2]), "^n must"),
    (lambda: ecuas([1, 0], [0.5], n_classes=2), "correct and confidence must"),
    (lambda: ecuas([1, 0], [0.5, 0.5], n_classes=1), "^n_classes must"),
    (lambda: ecuas_from_uncertainty([1], [1], largest=0), "^largest must"),
    (lambda: ecuas_from_uncertainty([1], [1], largest=np.inf), "largest must"),
    (lambda: ecuas_from_uncertainty([1], [1], largest=[1, 2]), "largest must"),
    (lambda: ecuas_from_uncertainty([-1], [1], largest=1), "^incurred must"),
    (lambda: ecuas_from_uncertainty([1], [1, 2], largest=1), "incurred and uncertainty must"),
    (lambda: chow_cost([1], [0.5], [0.1]), "^reject_cost must"),
    (lambda: chow_cost([1], [0.5], -0.1), "reject_cost must"),
    (lambda: expected_cost_at([1], [0.5], [-0.1]), "^reject_costs must"),
    (lambda: expected_cost_at([1], [0.5], [0.1], sample_weight=[1, 2]), "correct and sample_weight must"),
    (lambda: reject_cost_weight(-0.1), "reject_cost must"),
    (lambda: reject_cost_weight(0.1, n=np.inf), "point mass"),
    (lambda: general_ecuas([0, 1], PROBA, zero_one(2)), "y and proba must"),
    (lambda: aurc([1, 0], [0.5, 0.5], sample_weight=[1, 2, 3]), "sample_weight must"),
    (lambda: general_ecuas([1, 0, 2], PROBA, zero_one(2)), "y must"),
    (lambda: general_ecuas([1, 0, 1], PROBA, [[0, 0], [1, 1]]), "one decision is free"),
)
