"""Every estimator of `helpers.answers` that is in the paper equals its plain form, on drawn questions.

Ties: the paper has a fixed rule, here the lowest number. Where an estimator lets each of tied classes win equally
often, it equals the mean of the plain form over all orders of the classes.
"""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import answers as strong
from helpers.answers.exact import largest_deviation
from helpers.papers import semece2026 as plain


def close(value):
    return pytest.approx(value, abs=1e-11)


@st.composite
def questions(draw, most=4, parts=12):
    """Answer probabilities on a coarse grid: ties, classes without any probability, one class with all of it."""
    classes = draw(st.integers(2, most))
    cuts = sorted(draw(st.lists(st.integers(0, parts), min_size=classes - 1, max_size=classes - 1)))
    return np.diff([0, *cuts, parts]) / parts


@st.composite
def populations(draw, classes=3):
    """Some questions, and which of their classes are right: one, several or none."""
    pi = [draw(questions(most=classes).map(lambda one: np.pad(one, (0, classes - len(one))))) for _ in range(3)]
    Y = draw(st.lists(st.lists(st.integers(0, 1), min_size=classes, max_size=classes), min_size=3, max_size=3))
    return np.array(pi), np.array(Y)


COUNTS = st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(lambda counts: 2 <= sum(counts) <= 8)
FEW = st.integers(1, 6)
HALF_MARGINS = st.floats(0, 4)


def listed(counts):
    """Answers that have these counts."""
    return np.repeat(np.arange(len(counts)), counts)


def splits_by_lot(counts, n):
    """Sem2 of every split, with the classes in every order."""
    return np.concatenate([plain.section_6_1_splits(listed(order), n) for order in permutations(counts)])


@given(COUNTS)
def test_sem1(counts):
    assert strong.sem1(counts) == close(plain.equation_1(plain.section_3_pmf(listed(counts), len(counts))))


@given(COUNTS, st.data())
def test_sem2(counts, data):
    n = data.draw(st.integers(1, sum(counts) - 1))
    assert strong.sem2(counts, n, ties="first") == close(plain.section_6_1_splits(listed(counts), n).mean())
    by_lot = splits_by_lot(counts, n)
    assert strong.sem2(counts, n) == close(by_lot.mean())
    assert strong.sem2_spread(counts, n) ** 2 == close(by_lot.var())
    mixture = 0.25 * strong.sem1(counts) + 0.75 * by_lot.mean()
    assert strong.split_bias_corrected(counts, weight=0.25, n_select=n) == close(mixture)
    assert strong.sem2(counts) == close(splits_by_lot(counts, sum(counts) // 2).mean())


@given(COUNTS, st.integers(0, 99))
def test_random_splits(counts, rng):
    every = splits_by_lot(counts, sum(counts) // 2)
    assert np.abs(every - strong.sem2_splits(counts, n_splits=1, rng=rng)).min() < 1e-12
    many = strong.sem2_splits(counts, n_splits=2000, rng=rng)
    assert abs(many - every.mean()) <= 5 * every.std() / np.sqrt(2000) + 1e-12


@given(COUNTS.filter(lambda counts: len(counts) > 1))
def test_margins_of_counts(counts):
    shares = plain.section_3_pmf(listed(counts), len(counts))
    assert strong.top_two_margin(counts) == close(plain.section_3_margin(shares))
    assert strong.top_two_mass(counts) == close(plain.section_3_mass(shares))


def test_one_class_alone():
    """The paper's margin needs a runner-up; the estimators take a probability of 0 for it."""
    assert strong.top_two_margin([5]) == strong.top_two_mass([5]) == 1
    with pytest.raises(ValueError):
        plain.section_3_margin([1.0])
    with pytest.raises(ValueError, match="pi"):
        strong.exact_bias([1.0], 5)
    assert plain.equation_2([1.0], 5) == plain.equation_5([1.0], 5) == 0


@given(questions(), st.integers(1, 60))
def test_margins_of_probabilities(pi, n):
    margin, mass, m = plain.section_3_margin(pi), plain.section_3_mass(pi), plain.section_3_standardized_margin(pi, n)
    assert strong.standardized_margin(pi, n) == close((margin, mass, m))
    assert strong.top_two_margin(pi) == close(margin) and strong.top_two_mass(pi) == close(mass)
    assert strong.oracle_confidence(pi) == close(plain.section_3_confidence(pi))


def law_of_winner(pi, n):
    """(K, n + 1) chance of each winner and its number of answers."""
    law = np.zeros((len(pi), n + 1))
    for pi_N, chance in zip(*plain.section_3_law(pi, n), strict=True):
        law[plain.section_3_mode(pi_N), round(n * plain.equation_1(pi_N))] += chance
    return law


def over_orders(pi, function):
    """Mean of a table with a row a class over all orders of the classes, each put back in order."""
    orders = [list(order) for order in permutations(range(len(pi)))]
    return np.mean([function(pi[order])[np.argsort(order)] for order in orders], axis=0)


@given(questions(), FEW)
def test_laws(pi, n):
    assert strong.winner_law(pi, n) == close(law_of_winner(pi, n))
    assert strong.winner_law(pi, n, ties="average") == close(over_orders(pi, lambda one: law_of_winner(one, n)))
    shares, chance = plain.section_3_law([pi[0], 1 - pi[0]], n)
    assert (shares[:, 0] == np.arange(n + 1) / n).all()
    assert strong.binomial_law(pi[0], n) == close(chance)


@given(questions(), FEW)
def test_biases(pi, n):
    bias = strong.exact_bias(pi, n)
    assert bias.target == plain.section_3_confidence(pi)
    assert (bias.sem1, bias.sem2) == close((plain.equation_2(pi, n), plain.equation_5(pi, n)))
    assert bias.wrong == close(plain.lemma_a_1_chance(pi, n))
    assert bias.selection == close(law_of_winner(pi, n).sum(axis=1))
    by_lot = strong.exact_bias(pi, n, ties="average")
    orders = [pi[list(order)] for order in permutations(range(len(pi)))]
    assert by_lot.sem1 == close(bias.sem1)
    assert by_lot.sem2 == close(np.mean([plain.equation_5(order, n) for order in orders]))
    assert largest_deviation(pi, n) == close(plain.equation_13(pi, n))


@given(questions(most=3), st.integers(2, 6))
def test_moments_of_estimators(pi, n):
    first = strong.estimator_moments(strong.sem1, pi, n)
    shares, chance = plain.section_3_law(pi, n)
    c_1 = np.array([plain.equation_1(pi_N) for pi_N in shares])
    assert first.bias == close(plain.equation_2(pi, n))
    assert first.variance == close(chance @ c_1**2 - (chance @ c_1) ** 2)
    select = n // 2  # a split of answers in random order has the law of two blocks
    second = strong.estimator_moments(lambda counts: strong.sem2(counts, ties="first"), pi, n)
    assert second.bias == close(plain.equation_5(pi, select))


@given(st.lists(HALF_MARGINS, min_size=1, max_size=4))
def test_constants(lam):
    assert strong.jensen_bias(lam) == close(plain.equation_9_J(lam))
    assert strong.selection_bias(lam) == close(plain.equation_9_S(lam))
    g_A, g_B = plain.equation_10(lam)
    assert strong.direct_gap_constant(lam) == close(g_A) and strong.oracle_gap_constant(lam) == close(g_B)


def test_critical_margin():
    assert strong.CRITICAL_HALF_MARGIN == strong.critical_half_margin(1) == close(plain.appendix_a_8())


@given(questions(), st.integers(1, 200))
def test_expansions(pi, n):
    found = strong.leading_bias(pi, n)
    assert (found.sem1, found.sem2) == close(plain.equation_9(pi, n))


@given(st.integers(1, 11), st.integers(1, 200))
def test_all_near_classes_are_the_printed_expansion_for_two(part, n):
    """With a third class that can win they differ, and should: equation 9 leaves it out."""
    pi = [part / 12, 1 - part / 12]
    found = strong.leading_bias_multiclass(pi, n)
    assert (found.sem1, found.sem2) == pytest.approx(plain.equation_9(pi, n), abs=1e-9)


def test_a_class_that_never_comes_is_a_rival_in_print_only():
    found = strong.leading_bias_multiclass([1.0, 0.0], 9)
    assert (found.sem1, found.sem2, plain.equation_2([1.0, 0.0], 9)) == close((0, 0, 0))
    assert plain.equation_9([1.0, 0.0], 9)[0] > 1e-4


@given(questions(), st.integers(1, 200), st.floats(0.1, 3))
def test_bounds(pi, n, C):
    assert strong.bias_bound(pi, n) == close(plain.theorem_5_1(pi, n))
    assert strong.bias_bound(pi, n, constant=C) == close(plain.theorem_5_1(pi, n, C))
    assert strong.selection_error_bound(pi, n) == close(plain.lemma_a_1(pi, n))


@given(populations(), st.integers(1, 200), st.integers(1, 200))
def test_bounds_and_leading_terms_of_populations(population, n, m):
    pi, _ = population
    bounds = strong.confidence_error_bound(pi, n), strong.selection_error_bound(pi, n)
    assert tuple(bound.mean() for bound in bounds) == close(plain.theorem_5_3(pi, n))
    held_out = strong.confidence_error_bound(pi, n, n_held_out=m)
    assert (held_out.mean(), bounds[1].mean()) == close(plain.theorem_5_4(pi, n, m))
    assert strong.leading_direct_gap(pi, n) == close(plain.theorem_5_6(pi, n))
    assert strong.leading_oracle_gap(pi, n) == close(plain.theorem_5_7(pi, n))


@given(
    st.lists(st.integers(0, 100).map(lambda c: c / 100), min_size=1, max_size=5),
    *[st.floats(0, 1)] * 2,
    st.floats(0.001, 1),
    st.integers(2, 10),
)
def test_bounds_of_calibration_errors(c_star, epsilon, delta, eta, L):
    near = np.mean([min(abs(c - edge) for edge in np.arange(1, L) / L) <= eta for c in c_star])
    assert plain.equation_8(c_star, eta, L) == near
    assert strong.ece_bound(epsilon, delta, eta=eta, near_edge=near) == close(
        plain.theorem_5_2(epsilon, delta, eta, c_star, L)
    )
    assert strong.ece_bound(epsilon, delta, density=2, n_bins=L) == close(
        plain.theorem_5_2_density(epsilon, delta, 2, L)
    )


@given(populations(), st.integers(1, 4), st.integers(1, 3), st.sampled_from([1, 2, 5, 10]))
def test_populations(population, n, m, L):
    pi, Y = population
    known = strong.AnswerPopulation(pi, Y)
    exact = known.calibration(n, n_held_out=m, n_bins=L)
    assert (exact.sem1, exact.sem2) == close(plain.section_3_sem_ece(pi, Y, n, m, L))
    assert exact.oracle == known.oracle_ece(L) == close(plain.section_3_oracle_ece(pi, Y, L))
    errors = exact.confidence_error1, exact.confidence_error2, exact.selection_error
    assert errors == close(plain.section_5_1_errors(pi, Y, n, m))
    assert known.mode.tolist() == [plain.section_3_mode(one) for one in pi]
    biases = np.mean([(plain.equation_2(one, n), plain.equation_5(one, n)) for one in pi], axis=0)
    confidences = np.array([exact.confidence1, exact.confidence2])
    assert confidences - exact.oracle_confidence == close(biases)


@st.composite
def graded(draw):
    """Labels of the answers to some questions, each in order, and which labels are right."""
    n = draw(st.integers(2, 7))
    line = st.lists(st.sampled_from("abcd"), min_size=n, max_size=n)
    return draw(st.lists(line, min_size=2, max_size=8)), draw(st.lists(st.sampled_from("abcd"), min_size=8, max_size=8))


@settings(max_examples=20)
@given(graded(), st.data())
def test_sem_ece(rows, data):
    lines, right = rows
    n_answers = len(lines[0])
    table = pd.DataFrame(lines).melt(ignore_index=False, var_name="sample", value_name="answer")
    table = table.rename_axis("question").reset_index()
    table["reference"] = [right[q] for q in table["question"]]
    grouped = strong.group_answers(table, "exact")
    n = data.draw(st.integers(1, n_answers - 1))
    options = {"ties": "first", "n_select": n, "margins": None, "n_resamples": 20, "rng": 0}

    block = strong.sem_ece(grouped, answer="block", **options)
    z_N, c_1, c_2 = zip(*[plain.algorithm_1(line, n) for line in lines], strict=True)
    a = np.array([z == y for z, y in zip(z_N, right, strict=False)], float)
    assert block.per_question[["sem1", "sem2", "correct"]].to_numpy() == close(np.column_stack([c_1, c_2, a]))
    found = block.summary.set_index("source")["ece"]
    assert found["sem1"] == close(plain.section_3_ece(c_1, a)) and found["sem2"] == close(plain.section_3_ece(c_2, a))

    whole = strong.sem_ece(grouped, **options)
    codes = [pd.factorize(np.array(line))[0] for line in lines]
    c_1 = np.array([plain.equation_1(plain.section_3_pmf(Z, 4)) for Z in codes])
    c_2 = np.array([plain.section_6_1_splits(Z, n).mean() for Z in codes])
    mode = [line[list(Z).index(plain.section_3_mode(np.bincount(Z)))] for line, Z in zip(lines, codes, strict=True)]
    a = np.array([z == y for z, y in zip(mode, right, strict=False)], float)
    assert whole.per_question[["sem1", "sem2", "correct"]].to_numpy() == close(np.column_stack([c_1, c_2, a]))
    found = whole.summary.set_index("source")["ece"]
    assert found["sem1"] == close(plain.section_3_ece(c_1, a))
    assert found["sem2"] == close(plain.section_3_ece(c_2, a))


@given(st.lists(st.none() | st.integers(0, 100).map(lambda c: c / 100), min_size=2, max_size=6))
def test_verbalised_confidence(stated):
    table = pd.DataFrame({"question": 0, "sample": range(len(stated)), "answer": "a", "confidence": stated})
    table["confidence"] = table["confidence"].astype(float)
    found = strong.group_answers(table, reference=None, confidence="confidence", missing_confidence=1.0)
    assert found.confidence[0] == close(plain.section_6_1_verbalized(table["confidence"]))


def test_the_bootstrap_of_differences():
    """The paper's percentile interval is not the package's, but both are about the same two differences."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(20, [0.5, 0.4, 0.1], size=300)
    measured = strong.sem_ece(counts, np.zeros_like(counts), ties="first", rng=0)
    table = measured.differences.set_index("what").loc[["confidence", "ece"]]
    row = measured.per_question
    plain_ends = plain.appendix_e(row["sem1"], row["sem2"], row["correct"], rng=0)
    c_1, c_2, a = (row[name].to_numpy() for name in ("sem1", "sem2", "correct"))
    gap = plain.section_3_ece(c_1, a) - plain.section_3_ece(c_2, a)
    assert table["difference"].to_numpy() == close(np.array([(c_1 - c_2).mean(), gap]))
    assert np.abs(table[["low", "high"]].to_numpy() - plain_ends).max() < 0.004
