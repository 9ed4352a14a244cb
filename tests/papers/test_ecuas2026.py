"""The plain formulas of ECUAS, by hand, by listing, by numerical integration, and against known values."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.integrate import quad

from helpers.papers.ecuas2026 import (
    appendix_a_5,
    appendix_b_1,
    definition_1,
    equation_1,
    equation_2,
    equation_3,
    equation_6,
    equation_7,
    equation_8,
    equation_9,
    equation_9_weight,
    equation_10,
    equation_11,
    equation_15,
    equation_17,
    equation_18,
    equation_18_fit,
    proposition_1,
    proposition_2,
    proposition_3,
    section_2_1_entropy,
    section_2_2,
    section_2_2_u_M,
    section_2_aurc,
    section_3_confidence,
    section_4_normalised,
)

ZERO_ONE = 1 - np.eye(3)
THREE = np.array([[0.0, 2.0], [1.0, 0.25], [4.0, 0.5]])  # cost of two decisions for three classes
BELIEFS = np.array([one for one in product(range(9), repeat=3) if sum(one) == 8]) / 8
WRONG, CONFIDENCE = np.array([0, 1, 0, 1]), np.array([0.6, 0.6, 0.9, 0.9])


def test_cost_of_answers_and_refusals():
    d, y = np.array([0, 1, -1, 1, -1]), np.array([2, 0, 2, 1, 0])
    assert equation_1(THREE, 0.75, y, d).tolist() == [4, 2, 0.75, 0.25, 0.75]


def test_mean_cost_is_risk_times_coverage_and_gamma_for_the_rest():
    incurred, accepted = np.array([0.0, 2, 1, 5]), np.array([True, True, False, False])
    mean, risk, coverage = equation_2(incurred, accepted, 0.5)
    assert (risk, coverage) == (1, 0.5) and mean == np.where(accepted, incurred, 0.5).mean() == 0.75
    assert equation_2(incurred, ~accepted, 0.5)[0] == 1.75
    mean, risk, coverage = equation_2(incurred, accepted & False, 0.5)
    assert (mean, coverage) == (0.5, 0) and np.isnan(risk)
    assert equation_2(incurred, accepted | True, 9) == (2, 2, 1)


def test_bayes_decision_by_listing():
    for q in BELIEFS:
        costs = [sum(q[k] * THREE[k, d] for k in range(3)) for d in range(2)]
        assert equation_3(THREE, q[None])[0] == costs.index(min(costs))
        for gamma in (0, 0.25, 0.5, 9):
            (d,), (u,) = equation_6(THREE, q[None], gamma)
            assert u == min(costs) and d == (costs.index(u) if u <= gamma else -1)
            every = [*costs, gamma]  # a refusal is one more decision
            assert every[d] == min(every)
    assert equation_3(ZERO_ONE, np.array([[0.5, 0.5, 0], [0, 0.5, 0.5]])).tolist() == [0, 1]


def test_what_the_decision_costs():
    incurred, u = np.array([0, 4, 0, 4.0]), np.array([0.5, 0.5, 0.25, 0.75])
    assert equation_7(incurred, u, 0.5).tolist() == [0, 4, 0, 0.5]
    for q in BELIEFS:
        for gamma, y in product((0.25, 0.5), range(3)):
            d, u = equation_6(THREE, q[None], gamma)
            paid = equation_7(THREE[y, equation_3(THREE, q[None])], u, gamma)
            assert paid == equation_1(THREE, gamma, y, d) == proposition_2(THREE, q[None], gamma)[0, y]


@pytest.mark.parametrize("n", [0, 0.25, 1, 2, 5])
@pytest.mark.parametrize("u_M", [0.5, 1.0, 3.0])
def test_closed_form_is_the_integral_of_the_cost(n, u_M):
    incurred, u = np.array([0, 1, 0, 2.5, 1, 0]), np.array([0.1, 0.1, 1, 0.5, 1, 0]) * u_M
    closed = equation_9(incurred, u, n, u_M)
    assert equation_8(incurred, u, lambda gamma: equation_9_weight(gamma, n, u_M), u_M) == pytest.approx(
        closed, rel=1e-6
    )
    for i in (0, 1, 3):

        def cost(gamma, i=i):
            return equation_9_weight(gamma, n, u_M) * equation_7(incurred[i], u[i], gamma)

        whole = quad(cost, 0, u_M, points=[u[i]], epsabs=1e-10, limit=200)[0]
        assert whole == pytest.approx(closed[i], rel=1e-6)
    assert closed[2] == closed[4] == pytest.approx(1)  # whoever states u_M pays 1, right or wrong
    assert equation_11(incurred, u, n, u_M) == pytest.approx(closed.mean())


def test_certain_errors_are_infinite_at_zero_and_certain_answers_free():
    assert equation_9(np.array([0, 1]), np.array([0.0, 0.0]), 0, 1).tolist() == [0, np.inf]


def test_integral_between_any_limits():
    incurred, u = [0.0, 2.0, 2.0, 2.0], [0.5, 0.5, 0.1, 4.0]
    found = equation_15(incurred, u, lambda gamma: 3 * gamma, 0.2, 1.0)
    below, above = (0.5**3 - 0.2**3), 1.5 * (1 - 0.25)
    whole = 1 - 0.2**3
    assert found == pytest.approx([below, below + 2 * above, 2 * 1.5 * (1 - 0.04), whole])


# math.md's list: right and wrong at .6, then at .9
@pytest.mark.parametrize(
    ("K", "n", "expected"),
    [
        (2, 0, [0.8, 1.2462871026, 0.2, 3.4188758249]),
        (2, 1, [0.64, 1.44, 0.04, 3.24]),
        (10, 2, [0.0877914952, 1.4252400549, 0.0013717421, 1.6474622771]),
        (np.inf, 0, [0.4, 1.3162907319, 0.1, 2.402585093]),
        (np.inf, 1, [0.16, 1.36, 0.01, 1.81]),
        (np.inf, 0.5, [0.2529822128, 1.3556156167, 0.0316227766, 2.0829394786]),
    ],
)
def test_known_values_of_the_zero_one_cost(K, n, expected):
    assert equation_17(WRONG, CONFIDENCE, n, K) == pytest.approx(expected, abs=1e-9)
    assert equation_10(WRONG, CONFIDENCE, n, 1 / K) == pytest.approx(expected, abs=1e-9)


def test_area_under_the_risk_coverage_curve_by_all_orders():
    wrong, u = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.1, 0.2, 0.2, 0.1])
    areas = []
    for order in permutations(range(5)):
        order = np.array(order)
        if (np.diff(u[order]) >= 0).all():
            areas.append(np.mean([wrong[order[:k]].mean() for k in range(1, 6)]))
    assert len(areas) == 12 and section_2_aurc(wrong, u) == pytest.approx(np.mean(areas))


def test_normalised_is_one_for_the_shares():
    y = np.array([0, 0, 1, 2])
    shares = np.tile([0.5, 0.25, 0.25], (4, 1))
    for n in (0, 1, 3):
        assert section_4_normalised(THREE, y, shares, n) == pytest.approx(1)
    sharp = np.array([[0.75, 0.125, 0.125]] * 2 + [[0.25, 0.5, 0.25], [0.125, 0.125, 0.75]])
    d, u, u_M = equation_3(THREE, sharp), (sharp @ THREE).min(axis=1), section_2_2_u_M(THREE)
    naive = equation_11(THREE[y, equation_3(THREE, shares)], (shares @ THREE).min(axis=1), 1, u_M)
    assert section_4_normalised(THREE, y, sharp, 1) == pytest.approx(equation_11(THREE[y, d], u, 1, u_M) / naive)


def test_scores_of_bayes_decisions_are_proper_and_others_are_not():
    scores = [proposition_2(THREE, BELIEFS, gamma) for gamma in (0.25, 0.5)]
    for score in (proposition_1(THREE, BELIEFS), proposition_1(ZERO_ONE, BELIEFS), *scores):
        assert definition_1(score, BELIEFS) >= -1e-15
    assert definition_1(proposition_3(np.array(scores), np.array([2, 0.5])), BELIEFS) >= -1e-15
    assert definition_1(proposition_3(np.array(scores), np.array([2, -3])), BELIEFS) < -0.1
    with np.errstate(divide="ignore"):
        log_score = -np.log(BELIEFS)  # infinite where a belief excludes the class
    assert definition_1(log_score, BELIEFS) == 0
    assert definition_1(1 - BELIEFS, BELIEFS) < -0.1  # the linear score rewards certainty
    # by listing: the most that a lie saves
    saved = [(p * (1 - p)).sum() - (p * (1 - q)).sum() for p, q in product(BELIEFS, BELIEFS)]
    assert definition_1(1 - BELIEFS, BELIEFS) == pytest.approx(-max(saved))
    assert proposition_1(THREE, np.array([[1.0, 0, 0]])).tolist() == [THREE[:, 0].tolist()]
    assert proposition_3(np.array([[[1, 2]], [[3, 5]]]), np.array([2, -1])).tolist() == [[-1, -1]]


def test_largest_uncertainty_by_listing():
    fine = np.array([one for one in product(range(41), repeat=3) if sum(one) == 40]) / 40
    for cost in (ZERO_ONE, THREE, THREE[:, ::-1], np.array([[0, 3.0, 1], [2, 0, 1], [5, 5, 1]])):
        listed = (fine @ cost).min(axis=1).max()
        largest = section_2_2_u_M(cost)
        assert listed - 1e-9 <= largest <= listed + 0.1
    assert section_2_2_u_M(ZERO_ONE) == pytest.approx(2 / 3)
    assert section_2_2_u_M(np.array([[0, 1], [3, 0]])) == pytest.approx(0.75)


def test_the_meaning_is_confident_and_not_the_string():
    q, meaning = np.array([0.375, 0.25, 0.25, 0.125]), np.array([1, 0, 0, 2])
    assert section_3_confidence(q, meaning) == (0, 0.5)
    assert section_3_confidence([0.5, 0.25, 0.25], [1, 0, 0]) == (0, 0.5)


@pytest.mark.parametrize("n", [0, 0.5, 1, 128])
def test_generated_answers_are_those_of_infinitely_many_classes(n):
    assert appendix_a_5(WRONG, CONFIDENCE, n) == pytest.approx(equation_17(WRONG, CONFIDENCE, n, np.inf))
    assert appendix_a_5(WRONG, CONFIDENCE, n) == pytest.approx(equation_17(WRONG, CONFIDENCE, n, 1e12))
    assert appendix_a_5([0, 1], [0, 0], n).tolist() == [1, 1]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_beyond_the_largest_uncertainty_an_answer_costs_as_there(n):
    assert equation_9([0, 5], [2.5, 9], n, 2).tolist() == [1, 1]
    assert equation_10([0, 1], [0.1, 0.1], n, 0.25).tolist() == equation_17([0, 1], [0, 0.2], n, 4).tolist() == [1, 1]
    w = lambda gamma: equation_9_weight(gamma, n, 2)  # noqa: E731
    assert equation_8([0, 5], [2.5, 9], w, 2) == pytest.approx([1, 1])


def test_large_powers_do_not_overflow():
    for u_M in (0.002, 500):
        assert equation_9([0, u_M], np.array([0.5, 0.5]) * u_M, 128, u_M) == pytest.approx([0, 129 / 128])
        assert equation_9_weight(u_M, 128, u_M) == pytest.approx(129 / u_M**2)


def test_limit_for_large_n():
    incurred, u = [0, 1, 1, 0], [0.1, 0.6, 0.75, 0.75]
    assert section_2_2(incurred, u, 0.75) == pytest.approx([0, 4 / 3, 1, 1])
    assert equation_9(incurred, u, 1e6, 0.75) == pytest.approx(section_2_2(incurred, u, 0.75), rel=1e-5)


def test_entropy_is_the_least_expected_logarithmic_cost():
    q = np.array([0.5, 0.3, 0.2])
    inside = BELIEFS[(BELIEFS > 0).all(axis=1)]
    (u,) = section_2_1_entropy([q])
    assert u == pytest.approx(-(q @ np.log(q))) and u < (-np.log(inside) @ q).min()


def test_lists_are_read_as_arrays():
    C = [[0, 1], [5, 0]]
    assert equation_1(C, 0.5, [1, 1, 0], [0, -1, 0]).tolist() == [5, 0.5, 0]
    assert equation_2([0, 1, 1], [True, True, False], 0.25) == pytest.approx((1.25 / 3, 0.5, 2 / 3))
    d, u = equation_6(C, [[0.75, 0.25], [0, 1]], 0.5)
    assert (d.tolist(), u.tolist()) == ([-1, 1], [0.75, 0])
    assert equation_7([0, 1, 1], [0.5, 0.125, 0.5], 0.25).tolist() == [0.25, 1, 0.25]
    assert equation_11([0, 1], [0.5, 0.5], 1, 1) == 0.75
    assert section_4_normalised([[0, 1], [1, 0]], [0, 1], [[0.75, 0.25], [0.25, 0.75]], 1) == 0.25
    assert proposition_2(C, [[0.75, 0.25]], 1).tolist() == [[1, 0]]


def test_a_refusal_is_one_more_column_of_costs():
    q = BELIEFS[:, :3]
    with_refusal = np.column_stack([THREE, np.full(3, 0.5)])
    d = equation_3(with_refusal, q)
    assert np.where(d == 2, -1, d).tolist() == equation_6(THREE, q, 0.5)[0].tolist()


def test_an_answer_drawn_at_a_temperature():
    q, y = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]), np.array([2, 1])
    for row, label, found in zip(q, y, appendix_b_1(q, y, 2, 1), strict=True):
        drawn = np.sqrt(row) / np.sqrt(row).sum()
        cost = [equation_17([k != label], [row[k]], 1, 3)[0] for k in range(3)]
        assert found == pytest.approx(drawn @ cost)
    assert appendix_b_1(q, 2, 2, 1)[0] == appendix_b_1(q, y, 2, 1)[0]


def test_affine_calibration():
    s = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    assert equation_18(s, 1, np.zeros(3)) == pytest.approx(s)
    assert equation_18(s, 2, np.log([1, 2, 4]))[0] == pytest.approx(np.array([0.04, 0.18, 1.0]) / 1.22)
    rng = np.random.default_rng(0)
    s = rng.dirichlet(np.ones(3), 20_000)
    truth = equation_18(s, 0.5, np.array([0.5, -0.25, 0]))
    y = (rng.random((len(s), 1)) > truth.cumsum(axis=1)).sum(axis=1)
    alpha, beta = equation_18_fit(s, y)
    assert (alpha, *beta) == pytest.approx((0.5, 0.5, -0.25, 0), abs=0.06)  # three standard errors of the offsets

    def loss(alpha, beta):
        return -np.log(equation_18(s, alpha, beta)[np.arange(len(s)), y]).mean()

    least = loss(alpha, beta)
    for step in (-0.01, 0.01):
        assert loss(alpha + step, beta) > least
        assert loss(alpha, beta + [step, 0, 0]) > least and loss(alpha, beta + [0, step, 0]) > least
