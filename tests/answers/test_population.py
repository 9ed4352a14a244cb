"""Populations of questions with known answer probabilities: constructors, samples, exact calibration errors."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from helpers.answers import AnswerPopulation, confidence_error_bound, exact_bias, selection_error_bound

FOUR = AnswerPopulation([[0.7, 0.3, 0], [0.4, 0.6, 0], [0.45, 0.1, 0.45], [0, 0, 1]], [0, 0, 2, 2])


def listed_calibration(population, n, m, n_bins):
    """Sem1-ECE, Sem2-ECE and oracle ECE by listing counts of both blocks; two classes only."""
    gaps = np.zeros((2, n_bins))
    for pi, right in zip(population.pi, population.correct, strict=True):
        for first in range(n + 1):
            chance = exact_binomial(n, first, pi[0])
            winner = 0 if first >= n - first else 1
            share = max(first, n - first) / n
            gaps[0, min(int(share * n_bins + 1e-9), n_bins - 1)] += chance * (right[winner] - share)
            for held in range(m + 1):
                both = chance * exact_binomial(m, held, pi[winner])
                gaps[1, min(int(held / m * n_bins + 1e-9), n_bins - 1)] += both * (right[winner] - held / m)
    return np.abs(gaps / len(population.pi)).sum(axis=1)


def exact_binomial(n, x, p):
    return comb(n, x) * p**x * (1 - p) ** (n - x)


def test_the_oracle_by_hand():
    assert FOUR.mode.tolist() == [0, 1, 0, 2] and FOUR.oracle_correct.tolist() == [1, 0, 0, 1]
    assert FOUR.oracle_confidence.tolist() == [0.7, 0.6, 0.45, 1.0]
    assert FOUR.oracle_ece(10) == pytest.approx((0.3 + 0.6 + 0.45) / 4)
    assert FOUR.oracle_ece(1) == pytest.approx(abs(0.3 - 0.6 - 0.45) / 4)
    assert str(FOUR) == "4 questions, 3 classes: oracle confidence 0.688, accuracy of the mode 0.500"


def test_a_table_of_right_classes_is_the_same_and_is_frozen():
    table = np.eye(3, dtype=int)[[0, 0, 2, 2]]
    other = AnswerPopulation(FOUR.pi, table)
    assert (other.correct == FOUR.correct).all()
    with pytest.raises(ValueError, match="read-only"):
        other.pi[0, 0] = 1
    table[0] = 1  # the caller's array stays writeable and apart
    assert other.correct[0].tolist() == [1, 0, 0]


def test_classes_come_in_order_of_first_appearance():
    sample = FOUR.sample(12, rng=3)
    assert (sample.counts.sum(axis=1) == 12).all()
    for q in range(4):
        order = sample.order[q]
        assert list(dict.fromkeys(order)) == list(range(order.max() + 1))
        assert (np.bincount(order, minlength=sample.counts.shape[1]) == sample.counts[q]).all()
        seen = sample.counts[q] > 0
        classes = sample.classes[q, seen]
        assert (sample.classes[q, ~seen] == -1).all() and len(set(classes)) == classes.size
        assert (FOUR.pi[q, classes] > 0).all()
        assert (sample.correct[q, seen] == FOUR.correct[q, classes]).all() and not sample.correct[q, ~seen].any()
    assert sample.counts.shape[1] == (sample.counts > 0).sum(axis=1).max()
    assert str(sample).startswith("4 questions, 12 answers each")


def test_samples_follow_pi():
    """Shares of all classes, and of the class that appears first, within four standard errors."""
    pi = np.array([0.5, 0.3, 0.2, 0.0])
    population = AnswerPopulation(np.tile(pi, (20_000, 1)), np.zeros(20_000, int))
    sample = population.sample(5, rng=0)
    for k in range(4):
        share = (sample.counts * (sample.classes == k)).sum() / 100_000
        assert abs(share - pi[k]) <= 4 * np.sqrt(pi[k] * (1 - pi[k]) / 100_000)
        assert abs(np.mean(sample.classes[:, 0] == k) - pi[k]) <= 4 * np.sqrt(pi[k] * (1 - pi[k]) / 20_000)
    last = np.take_along_axis(sample.classes, sample.order[:, -1:], axis=1)  # the fifth answer is like the first
    assert abs(np.mean(last == 0) - 0.5) < 4 * np.sqrt(0.25 / 20_000)


@pytest.mark.parametrize("dial", [-1, -0.5, 0, 0.4, 1])
def test_the_dial_of_overconfidence(dial):
    """Null at 0: the mode is right as often as c* says; else moved as documented; four standard errors."""
    population = AnswerPopulation.dirichlet(20_000, 5, 0.7, overconfidence=dial, rng=2)
    c = population.oracle_confidence
    right = population.oracle_correct
    want = c * (1 - dial) if dial > 0 else c - dial * (1 - c)
    miss = right - want
    assert abs(miss.mean()) <= 4 * np.sqrt((want * (1 - want)).mean() / 20_000) + 1e-12
    assert set(population.correct.sum(axis=1)) == {1}
    wrong = right == 0
    if wrong.any():  # then another class is right, in proportion to pi
        runner = np.argsort(-population.pi, axis=1)[:, 1]
        rows = np.flatnonzero(wrong)
        chance = population.pi[rows, runner[rows]] / (1 - c[rows])
        hit = population.correct[rows, runner[rows]]
        assert abs((hit - chance).mean()) < 4 * np.sqrt((chance * (1 - chance)).mean() / rows.size)


@pytest.mark.parametrize("dial", [-0.5, 0, 0.3, 1])
def test_copies_have_the_accuracy_of_the_dial(dial):
    one = AnswerPopulation.dirichlet(40, 3, overconfidence=dial, rng=1)
    many = AnswerPopulation.dirichlet(40, 3, overconfidence=dial, copies=50, rng=1)
    assert (many.pi == np.repeat(one.pi, 50, axis=0)).all() and (many.correct.sum(axis=1) == 1).all()
    share = many.correct.reshape(40, 50, 3).mean(axis=1)
    c = one.oracle_confidence
    rows = np.arange(40)
    accuracy = c * (1 - dial) if dial > 0 else c - dial * (1 - c)
    want = one.pi * ((1 - accuracy) / (1 - c))[:, None]
    want[rows, one.mode] = accuracy
    assert np.abs(share - want).max() <= 0.5 / 50 + 1e-9 + 0.5 / 50  # both ends of a class are rounded


def test_classes_that_never_come_leave_the_others_as_likely():
    drawn = AnswerPopulation([[0.5, 0.5, 0.0, 0.0]], [0]).sample(4000, rng=0)
    assert sorted(drawn.classes[0]) == [0, 1] and drawn.counts[0] == pytest.approx(2000, abs=150)


def test_one_possible_answer_that_is_wrong():
    population = AnswerPopulation.with_margins([1.0], overconfidence=1, rng=0)
    assert population.pi.tolist() == [[1, 0]] and not population.correct.any()
    assert not AnswerPopulation.with_margins([1.0], overconfidence=1, copies=3).correct.any()
    assert AnswerPopulation.with_margins([1.0], overconfidence=-1, copies=3).correct.sum() == 3
    exact = population.calibration(7)
    assert exact.sem1 == pytest.approx(1) and exact.sem2 == pytest.approx(1) and exact.oracle == 1


@given(st.lists(st.floats(0, 0.3), min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 3), st.floats(0.85, 0.99))
def test_margins_are_as_asked(margins, rivals, far, mass):
    population = AnswerPopulation.with_margins(
        margins, 1 + rivals + far, n_rivals=rivals, mass=mass if far else 1.0, rng=0
    )
    ordered = np.sort(population.pi, axis=1)[:, ::-1]
    assert ordered[:, 0] - ordered[:, 1] == pytest.approx(np.array(margins), abs=1e-12)
    assert np.ptp(ordered[:, 1 : 1 + rivals], axis=1) == pytest.approx(0, abs=1e-12)
    assert (population.mode == 0).all() and population.pi.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("n, m, n_bins", [(1, 1, 10), (4, 3, 10), (5, 5, 4), (6, 2, 1)])
def test_exact_calibration_by_listing(n, m, n_bins):
    population = AnswerPopulation([[0.7, 0.3], [0.45, 0.55], [0.5, 0.5]], [0, 0, 1])
    exact = population.calibration(n, n_held_out=m, n_bins=n_bins)
    assert [exact.sem1, exact.sem2] == pytest.approx(listed_calibration(population, n, m, n_bins), abs=1e-13)
    assert exact.oracle == pytest.approx(population.oracle_ece(n_bins))


def test_order_and_copies_of_questions():
    base = AnswerPopulation.dirichlet(12, 4, rng=3)
    order = np.random.default_rng(0).integers(12, size=31)  # some often, some never
    copies = AnswerPopulation(base.pi[order], base.correct[order])
    exact = copies.calibration(6)
    alone = [AnswerPopulation(base.pi[[q]], base.correct[[q]]).calibration(6) for q in order]
    for name in ("gaps1", "gaps2", "oracle_gaps", "accuracy", "confidence_error1", "selection_error"):
        want = np.mean([getattr(one, name) for one in alone], axis=0)
        assert getattr(exact, name) == pytest.approx(want, abs=1e-14)


def test_means_and_errors_agree_with_the_biases():
    population = AnswerPopulation.dirichlet(30, 3, rng=5)
    exact = population.calibration(8)
    bias = exact_bias(population.pi, 8)
    assert exact.confidence1 - exact.oracle_confidence == pytest.approx(bias.sem1.mean())
    assert exact.confidence2 - exact.oracle_confidence == pytest.approx(bias.sem2.mean())
    assert exact.selection_error <= bias.wrong.mean()
    assert exact.confidence_error1 <= confidence_error_bound(population.pi, 8).mean()
    assert exact.confidence_error2 <= confidence_error_bound(population.pi, 8, n_held_out=8).mean()
    assert exact.selection_error <= selection_error_bound(population.pi, 8).mean()
    assert "Sem1-ECE" in str(exact)


MARGINS = AnswerPopulation.with_margins


test_bad_input = refuses(
    (lambda: AnswerPopulation([0.5, 0.5], [0]), "one dimension"),
    (lambda: AnswerPopulation([[0.5, 0.6]], [0]), "sum to 1"),
    (lambda: AnswerPopulation([[0.5, 0.5]], [[0, 1, 0]]), "shape of pi"),
    (lambda: AnswerPopulation([[0.5, 0.5]], [[0, 2]]), "0 or 1"),
    (lambda: AnswerPopulation([[0.5, 0.5]], [0, 0]), "pi and correct"),
    (lambda: AnswerPopulation.dirichlet(0, 2), "n_questions"),
    (lambda: AnswerPopulation.dirichlet(2, 1), "n_classes"),
    (lambda: AnswerPopulation.dirichlet(2, 2, copies=0), "copies"),
    (lambda: AnswerPopulation.dirichlet(2, 2, 0), "concentration"),
    (lambda: AnswerPopulation.dirichlet(2, 2, overconfidence=2), "overconfidence"),
    (lambda: MARGINS([0.1, -0.1]), r"margins\[1\]"),
    (lambda: MARGINS([0.1, 0.75], 3, mass=0.9), r"margins\[1\]"),
    (lambda: MARGINS([0.1], 2, mass=0.9), "mass"),
    (lambda: MARGINS([0.1], 3, n_rivals=3, mass=1.0), "n_rivals"),
    (lambda: FOUR.calibration(3, n_held_out=0), "n_held_out"),
    (lambda: FOUR.calibration(3, n_bins=0), "n_bins"),
    (lambda: FOUR.sample(0), "n must"),
)
