"""Exact biases: by hand, against every sequence of answers, and in simulation."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.answers import estimator_moments, exact_bias, sem1, sem2, winner_law
from helpers.answers.exact import largest_deviation, orders_of_appearance
from helpers.papers.semece2026 import equation_13, section_3_law

THIRDS = (1 / 3, 1 / 3, 1 / 3)


def simplex(draw, classes, parts=20):
    cuts = sorted(draw(st.lists(st.integers(0, parts), min_size=classes - 1, max_size=classes - 1)))
    return np.diff([0, *cuts, parts]) / parts


@st.composite
def questions(draw, most=5):
    return simplex(draw, draw(st.integers(2, most)))


def test_three_answers_by_hand():
    law = winner_law([0.6, 0.4], 3)
    assert law[0] == pytest.approx([0, 0, 3 * 0.36 * 0.4, 0.216])
    assert law[1] == pytest.approx([0, 0, 3 * 0.16 * 0.6, 0.064])
    bias = exact_bias([0.6, 0.4], 3)
    assert bias.sem1 == pytest.approx((2 * 0.72 + 3 * 0.28) / 3 - 0.6)
    assert bias.sem2 == pytest.approx(-0.2 * bias.wrong) and bias.wrong == pytest.approx(0.288 + 0.064)


def listed_law(pi, n):
    """Winner law by listing all that n answers can show."""
    law = np.zeros((len(pi), n + 1))
    shares, chance = section_3_law(pi, n)
    np.add.at(law, (shares.argmax(axis=1), np.rint(n * shares.max(axis=1)).astype(int)), chance)
    return law


@pytest.mark.parametrize("classes, n", [(2, 1), (2, 7), (3, 1), (3, 6), (4, 5), (5, 4)])
def test_all_that_the_answers_can_show(classes, n):
    pi = np.random.default_rng(classes + n).dirichlet(np.ones(classes))
    orders = [list(order) for order in itertools.permutations(range(classes))]
    by_lot = np.mean([listed_law(pi[order], n)[np.argsort(order)] for order in orders], axis=0)
    assert np.abs(winner_law(pi, n) - listed_law(pi, n)).max() < 1e-14
    assert np.abs(winner_law(pi, n, ties="average") - by_lot).max() < 1e-14


@given(questions(), st.integers(1, 12))
def test_laws_of_the_exact_biases(pi, n):
    bias = exact_bias(pi, n)
    lot = exact_bias(pi, n, ties="average")
    assert bias.law.sum() == pytest.approx(1, abs=1e-12)
    assert bias.sem1 >= -1e-12 and bias.sem2 <= 0  # equations 2 and 5
    assert lot.sem1 == pytest.approx(bias.sem1, abs=1e-12)
    order = np.random.default_rng(0).permutation(pi.size)  # the lot knows no order of the classes
    assert np.abs(exact_bias(pi[order], n, ties="average").selection - lot.selection[order]).max() < 1e-12
    assert exact_bias(pi[order], n).sem1 == pytest.approx(bias.sem1, abs=1e-12)
    assert bias.sem1 - bias.sem2 <= np.sqrt(np.log(pi.size) / (2 * n)) + 1e-12  # both biases together


def test_moments_of_sem1_and_sem2_are_the_exact_biases():
    for pi, n in (((0.55, 0.45), 10), ((0.4, 0.35, 0.25), 9)):
        assert estimator_moments(sem1, pi, n).bias == pytest.approx(exact_bias(pi, n).sem1, abs=1e-12)
        second = estimator_moments(lambda counts: sem2(counts, 4, ties="first"), pi, n)
        assert second.bias == pytest.approx(exact_bias(pi, 4).sem2, abs=1e-12)
        assert second.mse == pytest.approx(second.bias**2 + second.variance)


def test_orders_of_appearance_against_all_sequences():
    tally = {}
    for answers in set(itertools.permutations([0, 0, 0, 1, 2, 2])):
        seen = tuple(dict.fromkeys(answers))
        tally[seen] = tally.get(seen, 0) + 1 / 60
    counts = np.array([[3, 1, 2]])
    for order, (table, chance) in zip(itertools.permutations(range(3)), orders_of_appearance(counts), strict=True):
        assert (table == counts[:, order]).all() and chance[0] == pytest.approx(tally[order])


def test_a_tie_rule_that_saw_the_held_out_answers_leaks():
    """Classes in order of first appearance among all N answers break ties with knowledge of the held-out block."""
    by_order = partial(sem2, ties="first")
    leaky = estimator_moments(by_order, THIRDS, 20, order="appearance").bias
    assert 0.0037 < leaky < 0.0040
    odd = estimator_moments(by_order, (0.6, 0.4), 50, order="appearance")  # 25 answers select: two classes never tie
    assert abs(odd.bias - exact_bias([0.6, 0.4], 25).sem2) < 1e-12


@pytest.mark.parametrize("pi", [THIRDS, (0.6, 0.4), (0.5, 0.3, 0.2)])
def test_a_lot_does_not_leak(pi):
    """Two roads to one number: all count vectors and all splits, or the law of the winner averaged over ties."""
    fair = estimator_moments(lambda counts: sem2(counts, 6, ties="average"), pi, 12, order="appearance")
    assert abs(fair.bias - exact_bias(pi, 6, ties="average").sem2) < 1e-12


def test_the_largest_deviation():
    for pi, n in (((0.2, 0.3, 0.5), 6), ((0.25,) * 4, 8), ((0.9, 0.1), 11)):
        assert largest_deviation(pi, n) == pytest.approx(equation_13(pi, n), abs=1e-11)
