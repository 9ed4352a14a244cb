"""The formulas of Wang et al. (2026) against hand-worked examples, listings of all answers, and reference values."""

from functools import partial
from inspect import isfunction, signature
from itertools import permutations, product

import numpy as np
import pytest
from scipy.integrate import quad

from helpers.papers import semece2026 as paper

QUESTIONS = ([0.6, 0.4], [0.2, 0.45, 0.35], [0.4, 0.4, 0.2], [1.0, 0.0], [0.25] * 4)


def close(value):
    return pytest.approx(value, abs=1e-12)


def sequences(pi, n):
    """Every sequence of n answers with its chance."""
    for Z in product(range(len(pi)), repeat=n):
        yield Z, np.prod([pi[k] for k in Z])


def winner(Z, K):
    """Most frequent class of a sequence, the lowest number of those that are tied, and its number of answers."""
    counts = [Z.count(k) for k in range(K)]
    return counts.index(max(counts)), max(counts)


def test_shares_mode_and_confidence():
    assert paper.section_3_pmf([2, 0, 2, 2], 4).tolist() == [0.25, 0, 0.75, 0]
    assert paper.section_3_mode([0.3, 0.35, 0.35]) == 1 and paper.section_3_mode([0.5, 0.5]) == 0
    assert paper.section_3_confidence([0.3, 0.35, 0.35]) == 0.35


def test_margins():
    pi = [0.05, 0.55, 0.4]
    assert paper.section_3_margin(pi) == close(0.15) and paper.section_3_mass(pi) == close(0.95)
    assert paper.section_3_standardized_margin(pi, 50) == close(0.15 * np.sqrt(50) / np.sqrt(0.95))
    assert paper.section_3_margin([0.3, 0.4, 0.3]) == close(0.1)  # rivals that are tied count once
    assert paper.section_3_margin([0.4, 0.4, 0.2]) == 0


@pytest.mark.parametrize("pi", QUESTIONS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_law_of_the_shares_against_all_sequences(pi, n):
    shares, chance = paper.section_3_law(pi, n)
    assert len({tuple(row) for row in shares}) == len(shares) and shares.sum(axis=1) == close(np.ones(len(shares)))
    listed = dict.fromkeys(map(tuple, shares), 0.0)
    for Z, probability in sequences(pi, n):
        listed[tuple(np.array([Z.count(k) for k in range(len(pi))]) / n)] += probability
    assert chance == close(np.array(list(listed.values())))


def test_ece_by_hand():
    c, a = [0.95] * 8 + [0.45] * 2, [1] * 6 + [0] * 2 + [1] * 2
    assert paper.section_3_ece(c, a) == close(0.8 * 0.2 + 0.2 * 0.55)
    assert paper.section_3_ece(c, a, L=1) == close(abs(0.8 - 0.85))  # in one bin the gaps cancel
    assert paper.section_3_ece([0.95, 0.45], [0.75, 1], P=[0.8, 0.2]) == close(0.27)
    assert paper.section_3_ece([0.2, 0.6], [1, 0], P=[0.25, 0.5]) == close(0.2 + 0.3)  # P is taken as it is


def test_bins_hold_their_left_edge_and_the_last_one_1():
    edges = np.arange(11) / 10
    for L in (2, 5, 10):
        for left in edges[:: 10 // L]:
            inside, below = [left, min(left + 0.5 / L, 1)], [left, left - 0.5 / L]
            assert paper.section_3_ece(inside, [1, 0], L) == close(abs(1 - sum(inside)) / 2)  # together
            if 0 < left < 1:
                assert paper.section_3_ece(below, [1, 0], L) == close((1 - left + left - 0.5 / L) / 2)  # apart
    shares = np.arange(51) / 50  # each as it is computed from counts
    for v, share in enumerate(shares):
        assert paper.section_3_ece([share, v // 5 / 10 + 0.001], [0, 1]) == close(abs(share + v // 5 / 10 - 0.999) / 2)


def test_ten_bins_as_in_the_paper():
    functions = [one for one in vars(paper).values() if isfunction(one)]
    bins = {one: signature(one).parameters["L"].default for one in functions if "L" in signature(one).parameters}
    assert len(bins) > 5 and set(bins.values()) == {10}


def test_rounding_puts_no_confidence_beside_its_edge():
    for c, L in ((0.3 - 0.1, 10), (1 - 2 / 3, 3), (0.1 * 3, 10), (0.7 - 1e-13, 10)):
        assert paper.section_3_ece([c, c + 0.5 / L], [1, 0], L) == close(abs(0.5 - c - 0.25 / L))  # together
    assert paper.section_3_ece([0.7 - 1e-11, 0.75], [1, 0]) == pytest.approx((0.3 + 0.75) / 2)  # apart


def test_oracle_ece_by_hand():
    pi = [[0.7, 0.3], [0.2, 0.8], [0.45, 0.55]]
    Y = [[1, 0], [1, 0], [0, 1]]
    assert paper.section_3_oracle_ece(pi, Y) == close((0.3 + 0.8 + 0.45) / 3)
    assert paper.section_3_oracle_ece(pi, Y, L=2) == close(abs(0.7 - 1 + 0.8 + 0.55 - 1) / 3)


def pairs(pi, Y, n, m):
    """Every (chance, Sem1, Sem2, correct, c*, oracle correct) of a question, by sequences of answers."""
    best = pi.index(max(pi))
    for Z, chance in sequences(pi, n + m):
        k, copies = winner(Z[:n], len(pi))
        yield chance, copies / n, Z[n:].count(k) / m, Y[k], max(pi), Y[best]


@pytest.mark.parametrize("n, m, L", [(1, 1, 10), (3, 2, 10), (2, 4, 3), (4, 1, 1)])
def test_sem_ece_and_errors_against_all_sequences(n, m, L):
    pi = [[0.6, 0.4, 0.0], [0.2, 0.45, 0.35], [0.4, 0.4, 0.2]]
    Y = [[1, 0, 0], [1, 0, 1], [0, 1, 0]]
    gaps, errors = np.zeros((2, L)), np.zeros(3)
    for pi_q, Y_q in zip(pi, Y, strict=True):
        for chance, c_1, c_2, a, c_star, a_star in pairs(pi_q, Y_q, n, m):
            for gap, c in zip(gaps, (c_1, c_2), strict=True):
                gap[min(int(c * L + 1e-9), L - 1)] += chance * (a - c) / 3
            errors += chance / 3 * np.array([abs(c_1 - c_star), abs(c_2 - c_star), a != a_star])
    assert paper.section_3_sem_ece(pi, Y, n, m, L) == close(tuple(np.abs(gaps).sum(axis=1)))
    assert paper.section_5_1_errors(pi, Y, n, m) == close(tuple(errors))


def test_sem1_and_sem2_by_hand():
    chosen, held = [0.48, 0.36, 0.16], [0.4, 0.48, 0.12]  # 12, 9, 4 and 10, 12, 3 of 25
    assert paper.equation_1(chosen) == 0.48 and paper.equation_3(chosen, held) == 0.4
    assert paper.equation_3([0.2, 0.4, 0.4], [0.1, 0.2, 0.7]) == 0.2  # of tied classes the first


@pytest.mark.parametrize("pi", QUESTIONS)
@pytest.mark.parametrize("n, m", [(1, 2), (2, 1), (4, 2)])
def test_biases_against_all_sequences(pi, n, m):
    K = len(pi)
    mean_1, chosen, held, away, missed = 0.0, np.zeros(K), np.zeros(K), 0.0, 0.0
    for Z, chance in sequences(pi, n + m):
        k, copies = winner(Z[:n], K)
        mean_1 += chance * copies / n
        chosen[k] += chance
        held[k] += chance * Z[n:].count(k) / m
        away += chance * max(abs(Z[:n].count(j) / n - pi[j]) for j in range(K))
        missed += chance * (k != pi.index(max(pi)))
    assert paper.equation_2(pi, n) == close(mean_1 - max(pi))
    assert paper.equation_5(pi, n) == close(held.sum() - max(pi))
    assert paper.equation_13(pi, n) == close(away)
    assert paper.lemma_a_1_chance(pi, n) == close(missed)
    seen = chosen > 0
    given = paper.equation_4(pi, n, m)
    assert given[seen] == close((held / np.where(seen, chosen, 1))[seen]) and given[seen] == close(np.array(pi)[seen])
    assert np.isnan(given[~seen]).all()


@pytest.mark.parametrize(
    "n, first, sem_1, sem_2",
    [
        (25, 0.5, 0.0805901289, 0),
        (25, 0.55, 0.0400871358, -0.0306323966),
        (25, 0.6, 0.0166496702, -0.0307535538),
        (50, 0.55, 0.0196354481, -0.0196630642),
    ],
)
def test_reference_values_of_the_biases(n, first, sem_1, sem_2):
    pi = [first, 1 - first]
    assert paper.equation_2(pi, n) == pytest.approx(sem_1, abs=6e-11)
    assert paper.equation_5(pi, n) == pytest.approx(sem_2, abs=6e-11)


def test_strictness_as_it_holds():
    for n in (1, 2, 5):
        assert paper.equation_2([1.0, 0.0], n) == 0 < paper.equation_2([0.99, 0.01], n)
        assert paper.equation_5([0.25] * 4, n) == close(0) and paper.lemma_a_1_chance([0.25] * 4, n) > 0.4
        assert paper.equation_5([0.3, 0.3, 0.4], n) < -0.01


def grid(K, parts):
    """Every question in multiples of 1 / parts with one mode."""
    rows = np.array([row for row in product(range(parts + 1), repeat=K) if sum(row) == parts]) / parts
    return [pi for pi in rows if np.sort(pi)[-1] > np.sort(pi)[-2]]


@pytest.mark.parametrize("K, parts, n", [(2, 20, 1), (2, 20, 9), (3, 8, 2), (3, 8, 6), (4, 5, 3)])
def test_bounds_hold(K, parts, n):
    pi = grid(K, parts)
    for one in pi:
        assert max(paper.equation_2(one, n), -paper.equation_5(one, n)) <= paper.theorem_5_1(one, n) + 1e-12
        assert paper.lemma_a_1_chance(one, n) <= paper.lemma_a_1(one, n) + 1e-12
        assert paper.lemma_a_1(one, n) < paper.appendix_a_1(one, n)  # the printed step goes the wrong way
        assert paper.equation_13(one, n) <= paper.equation_13_bound(K, n)
    Y = np.eye(K)[np.zeros(len(pi), int)]
    epsilon_1, epsilon_2, delta = paper.section_5_1_errors(pi, Y, n, 2)
    (bound_1, missed_1), (bound_2, missed_2) = paper.theorem_5_3(pi, n), paper.theorem_5_4(pi, n, 2)
    assert epsilon_1 <= bound_1 and epsilon_2 <= bound_2 and delta <= missed_1 == missed_2


def test_bounds_by_hand():
    pi, n = [0.2, 0.5, 0.3], 40
    exponential = 2 * np.exp(-40 * 0.2**2 / (2 * 0.8))
    assert paper.lemma_a_1(pi, n) == close(exponential) == close(2 * np.exp(-1))
    assert paper.appendix_a_1(pi, n) == close(2 * np.exp(-40 * 0.04 / 4.2))
    assert paper.equation_13_bound(3, n) == close(np.sqrt(np.log(6) / 80))
    assert paper.theorem_5_1(pi, n) == close(np.sqrt(np.log(6) / 80)) == paper.equation_6(pi, n)
    assert paper.theorem_5_1(pi, n, C=2) == close(2 * np.sqrt(np.log(6) / 80))
    assert paper.theorem_5_1(pi, 400) == close(2 * np.exp(-10))
    bernoulli, clear = np.sqrt(0.25 / 400), [0.25, 0.25, 0.5]
    missed = [2 * np.exp(-10), 2 * np.exp(-400 * 0.25**2 / 1.5)]
    assert paper.theorem_5_3([pi, clear], 400) == close((bernoulli + np.mean(missed), np.mean(missed)))
    assert paper.theorem_5_3([pi, clear], n)[0] == close(  # the first by the uniform, the second by the other term
        (np.sqrt(np.log(6) / 80) + min(np.sqrt(0.25 / 40) + 2 * np.exp(-2.5 / 1.5), np.sqrt(np.log(6) / 80))) / 2
    )
    assert paper.theorem_5_4([pi, clear], 400, 16) == close((0.5 / 4 + np.mean(missed), np.mean(missed)))


def test_each_question_has_its_own_number_of_classes():
    pi, n, m = [[0.6, 0.4], [0.4, 0.3, 0.2, 0.1]], 30, 10
    alone = np.array([paper.theorem_5_3([one], n) for one in pi])
    assert alone[1, 0] == close(np.sqrt(np.log(8) / 60))  # the uniform term, with four classes
    assert paper.theorem_5_3(pi, n) == close(tuple(alone.mean(axis=0)))
    apart = np.mean([paper.theorem_5_4([one], n, m) for one in pi], axis=0)
    assert paper.theorem_5_4(pi, n, m) == close(tuple(apart))


def test_theorem_5_3_takes_the_smaller_term_of_each_question():
    tied, sure = [0.5, 0.5], [0.98, 0.02]
    one, other = (paper.theorem_5_3([pi], 50)[0] for pi in (tied, sure))
    assert one == close(np.sqrt(np.log(4) / 100)) and other == close(np.sqrt(0.98 * 0.02 / 50) + np.exp(-25 * 0.96**2))
    assert paper.theorem_5_3([tied, sure], 50)[0] == close((one + other) / 2)


def test_theorem_5_2():
    c_star = [0.75, 0.52, 0.31, 0.05]  # 0.05, 0.02, 0.01 from an edge; the ends of [0, 1] are none
    assert [paper.equation_8(c_star, eta) for eta in (0.005, 0.015, 0.03, 0.06)] == [0, 0.25, 0.5, 1]
    middles = np.arange(0.05, 1, 0.1)  # each 0.05 from an edge, computed with an error of either sign
    assert paper.equation_8(middles, 0.05) == paper.equation_8([0.4], 0.3 - 0.2, L=2) == 1
    assert paper.equation_8(middles, 0.05 - 1e-11) == 0
    assert paper.equation_8([0.2, 1], 1, L=1) == 0  # one bin has no edge
    assert paper.theorem_5_2(0.01, 0.02, 0.5, [0.2], L=1) == close(0.07)
    assert paper.equation_8([0.05, 0.99], 0.04) == 0 and paper.equation_8([0.3], 0.2, L=2) == 1
    assert paper.equation_8([0.25], 0.25, L=2) == 1  # at most
    assert paper.theorem_5_2(0.01, 0.02, 0.015, c_star) == close(0.03 + 2 * (2 / 3 + 0.25))
    assert paper.equation_7(0.01, 0.02, 0.03, c_star, L=2) == close(0.03 + 2 * (1 / 3 + 0.25))
    best = min(0.03 + 2 * (0.01 / eta + 2 * 1.5 * 4 * eta) for eta in np.geomspace(1e-3, 1, 100_001))
    assert paper.theorem_5_2_density(0.01, 0.02, 1.5, L=5) == pytest.approx(best, rel=1e-8)
    assert paper.theorem_5_2_density(0.01, 0.02, 1.5) == close(0.03 + 4 * np.sqrt(0.27))


def test_theorem_5_2_is_reached_in_one_bin():
    pi, Y = [[0.5, 0.5]] * 10, [[1, 0]] * 3 + [[0, 0]] * 7
    epsilon_1, _, delta = paper.section_5_1_errors(pi, Y, 5, 1)
    distance = paper.section_3_sem_ece(pi, Y, 5, 1, L=1)[0] - paper.section_3_oracle_ece(pi, Y, L=1)
    assert distance == close(epsilon_1 + delta) and delta == close(0.15)


@pytest.mark.parametrize("lam", [0, 0.1, 0.306, 0.8, 2])
def test_leading_constants_are_moments_of_a_normal_lead(lam):
    """The lead is N(2 lam, 1): J is its mean negative part, S the margin times the chance that it is negative."""
    m = 2 * lam
    density = lambda x: np.exp(-((x - m) ** 2) / 2) / np.sqrt(2 * np.pi)  # noqa: E731
    J, behind = quad(lambda x: -x * density(x), -40, 0)[0], quad(density, -40, 0)[0]
    assert paper.equation_9_J(lam) == pytest.approx(J, abs=1e-9)
    assert paper.equation_9_S(lam) == pytest.approx(m * behind, abs=1e-9)
    g_A, g_B = paper.equation_10(lam)
    assert g_A == close(np.exp(-(m**2) / 2) / np.sqrt(2 * np.pi)) and g_B == pytest.approx(J - m * behind, abs=1e-9)


def test_expansions():
    pi, n = [0.45, 0.05, 0.5], 100
    lam = 0.05 / np.sqrt(0.95 / 100) / 2
    scale = np.sqrt(0.95 / 100)
    assert paper.equation_9(pi, n) == close((scale * paper.equation_9_J(lam), -scale * paper.equation_9_S(lam)))
    for d in (0, 0.05, 0.15):  # two contestants, 101 answers
        two = [0.5 + d / 2, 0.5 - d / 2]
        first, second = paper.equation_9(two, 101)
        assert first == pytest.approx(paper.equation_2(two, 101), rel=0.03)
        assert second == pytest.approx(paper.equation_5(two, 101), rel=0.03, abs=1e-12)
    third = [1 / 3] * 3  # a third class, and the printed expansion is wrong
    assert paper.equation_9(third, 25)[0] == pytest.approx(0.0651, abs=5e-5)
    assert paper.equation_2(third, 25) == pytest.approx(0.0995, abs=5e-5)


def test_the_critical_margin():
    root = paper.appendix_a_8()
    assert root == pytest.approx(0.3060015905, abs=5e-11) and abs(paper.equation_10(root)[1]) < 1e-14
    assert 2 * root / np.sqrt(50) == pytest.approx(0.0865503199, abs=5e-11)
    lam = np.linspace(0, 3, 301)
    g_B = paper.equation_10(lam)[1]
    assert ((g_B > 0) == (lam < root)).all()
    assert lam[g_B.argmin()] == close(0.6) and g_B.min() == pytest.approx(-0.0820, abs=5e-5) and g_B[-1] > g_B.min()
    assert paper.appendix_d_borders(2, 50) == pytest.approx((0.0865503199, 0.1177410023), abs=5e-11)
    assert paper.appendix_d_borders(9, 50)[1] == close(np.sqrt(np.log(9) / 50))


def test_regimes():
    def question(m, n, K):
        rest = np.full(K - 2, 0.1 / max(K - 2, 1))
        p = 1 - rest.sum()
        margin = m * np.sqrt(p / n)
        return [*rest, (p - margin) / 2, (p + margin) / 2]

    for K in (2, 5):
        borders = (2 * 0.3060015905, np.sqrt(np.log(K)))
        for m, name in ((borders[0] - 1e-6, "Jensen-dominated"), (borders[0] + 1e-6, "low margin"),
                        (borders[1] - 1e-6, "low margin"), (borders[1] + 1e-6, "large margin"), (0, "Jensen-dominated"),
                        (3, "large margin")):  # fmt: skip
            assert paper.regimes(question(m, 100, K), 100) == name
            assert paper.definition_5_5(question(m, 100, K), 100) == (name == "Jensen-dominated")


def test_leading_gaps_by_hand():
    pi, n = [[0.5, 0.5, 0], [0.45, 0.35, 0.2]], 25
    m = 0.1 / np.sqrt(0.8 / 25)
    J, S = paper.equation_9_J(m / 2), paper.equation_9_S(m / 2)
    phi_0 = 1 / np.sqrt(2 * np.pi)
    assert paper.theorem_5_6(pi, n) == close((phi_0 + np.sqrt(0.8) * (J + S)) / 2 / 5) == paper.equation_11(pi, n)
    assert paper.theorem_5_7(pi, n) == close((phi_0 + np.sqrt(0.8) * (J - S)) / 2 / 5) == paper.equation_12(pi, n)


def test_overconfidence_is_that_of_the_selected_answers():
    pi, Y = [[0.75, 0.25], [0.2, 0.5, 0.3]], [[0, 1], [1, 1, 0]]
    missed = 0.25**2 * (1 + 2 * 0.75)  # at most one of three for the mode
    right = [missed, sum(chance for Z, chance in sequences(pi[1], 3) if winner(Z, 3)[0] != 2)]
    assert paper.section_5_2_overconfidence(pi, Y, 3) == close(0.625 - np.mean(right))


def test_gaps_of_never_right_questions_are_the_leading_ones():
    pi, Y, n = [[0.53, 0.47]] * 2, [[0, 0]] * 2, 25
    sem_1, sem_2 = paper.section_3_sem_ece(pi, Y, n, 3, L=1)
    oracle = paper.section_3_oracle_ece(pi, Y, L=1)
    assert sem_1 - sem_2 == pytest.approx(paper.theorem_5_6(pi, n), rel=0.02)
    assert abs(sem_1 - oracle) - abs(sem_2 - oracle) == pytest.approx(paper.theorem_5_7(pi, n), rel=0.05)


def test_every_split_by_hand():
    # answers 0 0 1, one selects: 0 holds out 0 1, again, and 1 holds out 0 0
    assert paper.section_6_1_splits([0, 0, 1], 1).tolist() == [0.5, 0.5, 0]
    # two select: 00 | 1, 01 | 0, 01 | 0, ties to the first class
    assert paper.section_6_1_splits([0, 0, 1], 2).tolist() == [0, 1, 1]
    assert paper.section_6_1_splits([1, 0, 1], 2).tolist() == [0, 0, 0]  # 10 | 1, 11 | 0, 01 | 1
    assert paper.section_6_1_splits([0, 0, 0, 1, 1], 3).mean() == close(0.3)  # exercise 1 of lesson 12


@pytest.mark.parametrize("Z", [[0, 0, 1], [0, 1, 2, 0, 1], [0, 0, 0, 1]])
def test_random_halvings_have_the_law_of_all_of_them(Z):
    every = paper.section_6_1_splits(Z, len(Z) // 2)
    found = [paper.section_6_1_sem2(Z, 1, rng=rng) for rng in range(600)]
    assert set(found) <= set(every)
    assert abs(np.mean(found) - every.mean()) < 4 * every.std() / np.sqrt(600)
    ten = [paper.section_6_1_sem2(Z, rng=rng) for rng in range(300)]
    assert np.std(ten) == pytest.approx(every.std() / np.sqrt(10), rel=0.2)
    assert abs(np.mean(ten) - every.mean()) < 4 * every.std() / np.sqrt(3000)
    assert paper.section_6_1_sem2(Z, rng=1) == paper.section_6_1_sem2(Z, rng=np.random.default_rng(1))


def test_verbalised_confidence():
    assert paper.section_6_1_verbalized([0.2, 0.4]) == close(0.3)
    assert paper.section_6_1_verbalized([0.2, np.nan, 0.3]) == close(0.5)


def test_the_lead_has_a_smaller_variance_than_the_proof_prints():
    pi = np.array([0.2, 0.5, 0.3])
    lead = np.array([0, 1, -1])
    variance = lead**2 @ pi - (lead @ pi) ** 2
    assert paper.appendix_a_5(pi) - variance == close(0.3) and variance == close(0.8 - 0.2**2)


def test_algorithm_1():
    assert paper.algorithm_1(list("aabcb"), 3) == ("a", close(2 / 3), 0)
    assert paper.algorithm_1(list("babaa"), 4) == ("b", 0.5, 0)  # a tie: b came first
    assert paper.algorithm_1([7, 3, 3, 7], 3) == (3, close(2 / 3), 0)
    assert paper.algorithm_1(["x"] * 4, 1) == ("x", 1, 1)
    # which class came first among the answers held out does not matter
    assert {paper.algorithm_1(["a", "b", *rest], 2)[0] for rest in permutations("aab")} == {"a"}


def test_the_prediction_at_a_border():
    assert paper.appendix_d(2 * 0.306, 50) == close(np.exp(-(0.612**2) / 2) / np.sqrt(100 * np.pi))


def test_the_bootstrap_is_paired():
    rng = np.random.default_rng(0)
    c_1, a = rng.integers(10, 26, 400) / 25, rng.integers(0, 2, 400)
    c_2 = c_1 - 0.1
    reduction, gap = paper.appendix_e(c_1, c_2, a, rng=1)
    assert reduction == close(np.array([0.1, 0.1]))  # the same in every resample
    want = paper.section_3_ece(c_1, a) - paper.section_3_ece(c_2, a)
    assert gap[0] < want < gap[1] and gap[1] - gap[0] < 0.2


def test_ends_of_the_bootstrap_are_those_of_a_mean():
    c_1 = np.random.default_rng(0).random(400)
    reduction, gap = paper.appendix_e(c_1, np.zeros(400), np.zeros(400, int), L=1, B=4000, rng=2)
    se = c_1.std() / 20
    assert (reduction - c_1.mean()) / se == pytest.approx([-1.96, 1.96], abs=0.12)
    assert gap == close(reduction)  # in one bin, nobody right: the error is the mean confidence


def test_the_bootstrap_reads_its_options():
    rng = np.random.default_rng(0)
    c_1, c_2, a = rng.random(60), rng.random(60), rng.integers(0, 2, 60)
    run = partial(paper.appendix_e, c_1, c_2, a, B=40)
    assert (run(rng=3) == run(rng=3)).all() and (run(rng=3) == run(L=10, rng=3)).all()
    assert (run(rng=3)[0] == run(L=2, rng=3)[0]).all() and (run(rng=3)[1] != run(L=2, rng=3)[1]).all()
    assert (run(rng=3) != run(rng=4)).all()
    assert (paper.appendix_e(c_1, c_2, a, rng=3) == run(B=1000, rng=3)).all()
