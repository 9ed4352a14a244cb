"""Confidence read from counts: reference values, every split by hand, the hypergeometric law, random splits, laws."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from scipy.stats import binom, hypergeom

from helpers.answers import (
    oracle_confidence,
    sem1,
    sem2,
    sem2_splits,
    sem2_spread,
    split_bias_corrected,
    top_two_margin,
    top_two_mass,
)
from helpers.answers.all_splits import mean_over_splits
from helpers.answers.confidence import BALANCING_WEIGHT
from helpers.papers.semece2026 import section_6_1_splits

COUNTS = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(lambda counts: sum(counts) >= 2)


def compositions(total):
    """Every ordered way to write `total` as a sum of positive whole numbers, padded with zeros, one a row."""
    rows = []
    for cuts in itertools.product((False, True), repeat=total - 1):
        row = [1]
        for cut in cuts:
            row = [*row, 1] if cut else [*row[:-1], row[-1] + 1]
        rows.append(row + [0] * (total - len(row)))
    return np.array(rows)


def test_four_answers_by_hand():
    # a a b c, two of them select: aa, ab ×2, ac ×2, bc; held out of a tie of a and b are a c, of b and c a a
    assert sem2([2, 1, 1]) == pytest.approx((0 + 2 * 0.5 / 2 + 2 * 0.5 / 2 + 0) / 6)
    assert sem2([2, 1, 1], ties="first") == pytest.approx((0 + 2 * 0.5 + 2 * 0.5 + 0) / 6)
    assert sem2([[2, 1, 1], [4, 0, 0]]).tolist() == pytest.approx([1 / 6, 1])
    assert sem1([[2, 1, 1], [4, 0, 0]]).tolist() == [0.5, 1]


def test_odd_numbers_hold_one_more_answer_out():
    assert sem2([4, 3]) == sem2([4, 3], n_select=3) != sem2([4, 3], n_select=4)
    mixed = sem2([[4, 3], [2, 2], [1, 1]])
    assert mixed.tolist() == [sem2([4, 3]), sem2([2, 2]), sem2([1, 1])]


@pytest.mark.parametrize("total", range(2, 11))
def test_every_count_vector_and_every_split_up_to_ten_answers(total):
    table = compositions(total)
    answers = np.array([np.repeat(np.arange(total), row) for row in table])
    for n in range(1, total):
        subsets = np.array(list(itertools.combinations(range(total), n)))
        selected = (answers[:, subsets][..., None] == np.arange(total)).sum(axis=2)  # (rows, splits, classes)
        chosen = selected.argmax(axis=2)
        held_out = (table[:, None] - selected) / (total - n)
        left = np.take_along_axis(held_out, chosen[..., None], axis=2)[..., 0]
        np.testing.assert_allclose(sem2(table, n, ties="first"), left.mean(axis=1), atol=1e-13)
        tied = selected == selected.max(axis=2, keepdims=True)
        mean, square = (np.average(power, weights=tied, axis=2).mean(axis=1) for power in (held_out, held_out**2))
        np.testing.assert_allclose(sem2(table, n), mean, atol=1e-13)
        np.testing.assert_allclose(sem2_spread(table, n) ** 2, square - mean**2, atol=1e-13)
        size = np.take_along_axis(table, chosen, axis=1).mean(axis=1)
        options = {"n_select": np.full(len(table), n), "ties": "first"}
        found = mean_over_splits(table, value=lambda count, *_: count, **options)
        np.testing.assert_allclose(found, size, atol=1e-12)
        assert (sem2(table, n) <= sem1(table) + 1e-13).all()


@pytest.mark.parametrize("first, second, n", [(100, 100, 100), (110, 90, 37), (199, 1, 150), (1, 199, 151)])
def test_two_hundred_answers_in_two_classes_by_the_hypergeometric_law(first, second, n):
    seen = np.arange(n + 1)
    held_out = np.where(2 * seen >= n, first - seen, second - (n - seen)) / (200 - n)
    assert sem2([first, second], n) == pytest.approx(hypergeom.pmf(seen, 200, first, n) @ held_out, abs=1e-12)


def test_ten_splits_have_the_spread_that_is_stated():
    counts = np.tile([20, 18, 12], (4000, 1))
    copies = 4000
    found = sem2_splits(counts, rng=3)
    spread = sem2_spread([20, 18, 12]) / np.sqrt(10)
    assert 0.01 < spread < 0.022
    assert abs(found.mean() - sem2([20, 18, 12])) < 4 * spread / np.sqrt(copies)
    assert abs(found.std() / spread - 1) < 4 / np.sqrt(2 * copies)


def test_balancing_weight_has_the_smallest_largest_bias_exactly():
    """Two classes and 50 answers, every margin: no weight near it does better by more than the leading order leaves."""
    seen = np.arange(51)
    counts = np.column_stack([seen, 50 - seen])
    p = np.linspace(0.5, 1, 501)
    chance = binom.pmf(seen, 50, p[:, None])

    def largest(weight):
        return np.abs(chance @ split_bias_corrected(counts, weight=weight) - p).max()

    weights = BALANCING_WEIGHT + np.array([-0.05, -0.025, 0, 0.025, 0.05])
    assert np.argmin([largest(weight) for weight in weights]) == 2


def test_margins():
    assert top_two_margin([30, 20]) == pytest.approx(0.2) == top_two_margin([0.6, 0.4])
    assert top_two_margin([12, 8]) == 0.2  # on the grid, so that an edge of a range is met: 0.6 - 0.4 is less
    assert top_two_mass([30, 10, 10]) == pytest.approx(0.8) and top_two_mass([7]) == 1
    assert top_two_margin([7]) == 1
    assert oracle_confidence([[0.2, 0.5, 0.3]]) == pytest.approx([0.5])


@given(COUNTS, st.data())
def test_laws_of_both(counts, data):
    n = data.draw(st.integers(1, sum(counts) - 1))
    one = sem1(counts)
    two = sem2(counts, n)
    assert 1 / len(counts) - 1e-12 <= one <= 1 and -1e-12 <= two <= one + 1e-12
    assert (two > 1 - 1e-12) == (one == 1)
    assert sem2([*counts, 0], n) == pytest.approx(two, abs=1e-13)
    assert mean_over_splits(np.array([counts]), np.array([n]), lambda *_: 1.0) == pytest.approx(1, abs=1e-12)
    assert top_two_margin(counts) <= one and two <= split_bias_corrected(counts, n_select=n) + 1e-12 <= one + 2e-12


BAD = {
    "negative": ([3, -1], "not negative, but counts.1. is -1"),
    "not whole": ([[3, 1.5], [2, 0.5]], r"counts.0, 1. is 1.5 \(and 1 more\)"),
    "missing": ([3, np.nan], "counts.1. is nan"),
    "no answers": ([[3, 1], [0, 0]], r"question 1 has 0\.$"),
    "no answers twice": ([[3, 1], [0, 0], [0, 0]], r"question 1 has 0 .* 1 more"),
    "ragged": ([[3, 1], [2]], "must hold numbers"),
}
ON_COUNTS = [sem1, sem2, sem2_spread, sem2_splits, split_bias_corrected]


@pytest.mark.parametrize("bad", BAD)
def test_bad_counts(bad):
    counts, words = BAD[bad]
    for function in ON_COUNTS:
        with pytest.raises(ValueError, match=words):
            function(counts)


def test_a_single_answer_cannot_be_split():
    for function in ON_COUNTS[1:]:
        with pytest.raises(ValueError, match="at least 2 answers to every question, but question 1 has 1"):
            function([[2, 1], [1, 0]])
    assert sem1([1, 0]) == 1


test_bad_options = refuses(
    (lambda: sem2([2, 1], n_select=3), "n_select must .*question 0"),
    (lambda: sem2([[5, 1], [2, 1]], n_select=4), "it is 4 and question 1 has 3"),
    (lambda: sem2([2, 1], ties="coin"), "ties must"),
    (lambda: sem2_splits([2, 1], n_splits=0), "n_splits must"),
    (lambda: split_bias_corrected([2, 1], weight=1.5), "weight must lie"),
    (lambda: top_two_margin([0.5, -0.5, 1.0]), r"lie in \[0, 1\]"),
)


@pytest.mark.parametrize("counts", [(2, 1, 1), (3, 3, 2), (1,) * 6, (3, 2, 1), (2, 2, 2, 2), (1, 0, 2, 3), (7,)])
def test_ties_by_lot_against_all_splits(counts):
    """Each of tied classes is selected equally often: the mean over all orders of the classes."""
    orders = [np.repeat(np.arange(len(order)), order) for order in set(itertools.permutations(counts))]
    for n in range(1, sum(counts)):
        listed = np.mean([section_6_1_splits(Z, n).mean() for Z in orders])
        assert sem2(list(counts), n, ties="average") == pytest.approx(listed, abs=1e-12)
