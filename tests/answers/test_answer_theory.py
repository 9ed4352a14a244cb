"""Exact biases of Sem1 and Sem2, and the theorems about them: brute force, reference values, bounds, expansions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from helpers.answers import (
    CRITICAL_HALF_MARGIN,
    bias_bound,
    confidence_error_bound,
    critical_half_margin,
    direct_gap,
    direct_gap_leading,
    ece_bound,
    estimator_moments,
    exact_bias,
    jensen_bias,
    leading_bias,
    leading_bias_all,
    oracle_gap,
    oracle_gap_leading,
    selection_bias,
    selection_error_bound,
    sem1,
    sem2,
    standardized,
    winner_law,
)
from helpers.answers.exact import count_probabilities, count_vectors, largest_deviation, orders_of_appearance

THIRDS = (1 / 3, 1 / 3, 1 / 3)


def simplex(draw, classes, parts=20):
    cuts = sorted(draw(st.lists(st.integers(0, parts), min_size=classes - 1, max_size=classes - 1)))
    return np.diff([0, *cuts, parts]) / parts


@st.composite
def questions(draw, most=5):
    return simplex(draw, draw(st.integers(2, most)))


def all_sequences(pi, n):
    """Winner law by listing all K**n sequences of answers, both tie rules."""
    index, lot = np.zeros((2, len(pi), n + 1))
    for answers in itertools.product(range(len(pi)), repeat=n):
        counts = np.bincount(answers, minlength=len(pi))
        chance = np.prod(np.take(pi, answers))
        best = np.flatnonzero(counts == counts.max())
        index[best[0], counts.max()] += chance
        lot[best, counts.max()] += chance / best.size
    return index, lot


def grid(classes, parts):
    """All probability vectors with entries in 1/parts and a unique mode; the mode first, then the mode last."""
    rows = [row for row in itertools.product(range(parts + 1), repeat=classes) if sum(row) == parts]
    rows = np.unique(-np.sort(-np.array(rows), axis=1), axis=0)
    rows = rows[rows[:, 0] > rows[:, 1]] / parts
    return np.vstack([rows, rows[:, ::-1]])


# ---- hand cases and reference values --------------------------------------------------------------------------


def test_three_answers_by_hand():
    law = winner_law([0.6, 0.4], 3)
    assert law[0] == pytest.approx([0, 0, 3 * 0.36 * 0.4, 0.216])
    assert law[1] == pytest.approx([0, 0, 3 * 0.16 * 0.6, 0.064])
    bias = exact_bias([0.6, 0.4], 3)
    assert bias.sem1 == pytest.approx((2 * 0.72 + 3 * 0.28) / 3 - 0.6)
    assert bias.sem2 == pytest.approx(-0.2 * bias.wrong) and bias.wrong == pytest.approx(0.288 + 0.064)


@pytest.mark.parametrize(
    "n, p, first, second",
    [
        (25, 0.5, 0.0805901289, 0),
        (25, 0.55, 0.0400871358, -0.0306323966),
        (25, 0.6, 0.0166496702, -0.0307535538),
        (50, 0.55, 0.0196354481, -0.0196630643),
    ],
)
def test_reference_values(n, p, first, second):
    bias = exact_bias([p, 1 - p], n)
    assert abs(bias.sem1 - first) < 1e-9 and abs(bias.sem2 - second) < 1e-9


def test_reference_values_of_the_constants():
    assert abs(CRITICAL_HALF_MARGIN - 0.3060015905) < 1e-10
    assert abs(2 * CRITICAL_HALF_MARGIN - 0.6120031810) < 1e-10  # the paper prints 0.6125
    assert abs(2 * CRITICAL_HALF_MARGIN / np.sqrt(50) - 0.0865503199) < 1e-10


@pytest.mark.parametrize(
    "pi, n, first, second, printed",
    [
        (THIRDS, 25, 0.0995, 0, 0.0651),
        (THIRDS, 400, 0.0245, 0, 0.0163),
        ((0.36, 0.32, 0.32), 400, 0.0062, -0.0101, 0.0036),
    ],
)
def test_three_near_classes(pi, n, first, second, printed):
    """Exact values from all count vectors; the printed expansion is off at every n, ours is not."""
    counts = count_vectors(n, 3)
    chance = count_probabilities(counts, pi)
    bias = exact_bias(pi, n)
    assert bias.sem1 == pytest.approx((chance * counts.max(axis=1)).sum() / n - max(pi), abs=1e-11)
    assert bias.sem2 == pytest.approx((chance * np.take(pi, counts.argmax(axis=1))).sum() - max(pi), abs=1e-11)
    assert abs(bias.sem1 - first) < 6e-5 and abs(bias.sem2 - second) < 6e-5
    assert abs(leading_bias(pi, n).sem1 - printed) < 6e-5
    assert abs(leading_bias_all(pi, n).sem1 / bias.sem1 - 1) < 0.02


# ---- the exact law --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes, n", [(2, 1), (2, 7), (3, 1), (3, 6), (4, 5), (5, 4)])
def test_brute_force(classes, n):
    pi = np.random.default_rng(classes + n).dirichlet(np.ones(classes))
    for ties, law in zip(("index", "lot"), all_sequences(pi, n), strict=True):
        assert np.abs(winner_law(pi, n, ties=ties) - law).max() < 1e-14


@given(questions(), st.integers(1, 12))
def test_laws_of_the_exact_biases(pi, n):
    bias = exact_bias(pi, n)
    lot = exact_bias(pi, n, ties="lot")
    assert bias.law.sum() == pytest.approx(1, abs=1e-12)
    assert bias.sem1 >= -1e-12 and bias.sem2 <= 0  # equations 2 and 5
    assert lot.sem1 == pytest.approx(bias.sem1, abs=1e-12)
    order = np.random.default_rng(0).permutation(pi.size)  # the lot knows no order of the classes
    assert np.abs(exact_bias(pi[order], n, ties="lot").selection - lot.selection[order]).max() < 1e-12
    assert exact_bias(pi[order], n).sem1 == pytest.approx(bias.sem1, abs=1e-12)
    assert bias.sem1 - bias.sem2 <= np.sqrt(np.log(pi.size) / (2 * n)) + 1e-12  # both biases together


@given(questions(4), st.integers(1, 8))
def test_one_more_class_that_never_occurs_changes_nothing(pi, n):
    assert np.abs(winner_law([*pi, 0.0], n)[:-1] - winner_law(pi, n)).max() < 1e-14


def test_a_table_is_its_rows_and_inputs_stay():
    pi = np.random.default_rng(1).dirichlet(np.ones(3), 7)
    before = pi.copy()
    together = exact_bias(pi, 9)
    assert (pi == before).all()
    for row, one, two in zip(pi, together.sem1, together.sem2, strict=True):
        alone = exact_bias(row, 9)
        assert alone.sem1 == pytest.approx(one, abs=1e-15) and alone.sem2 == pytest.approx(two, abs=1e-15)
    assert "mean of 7 questions" in str(together)
    for function in (leading_bias, leading_bias_all):
        assert function(pi, 9).sem2[3] == pytest.approx(function(pi[3], 9).sem2, abs=1e-12)


def test_simulation():
    """Null (equal classes) and alternative within four standard errors of 40,000 draws."""
    rng = np.random.default_rng(5)
    for pi in (THIRDS, (0.5, 0.3, 0.2)):
        counts = rng.multinomial(20, pi, 40_000)
        held = rng.multinomial(15, pi, 40_000)
        winner = counts.argmax(axis=1)
        bias = exact_bias(pi, 20)
        for values, want in (
            (counts.max(axis=1) / 20, bias.sem1),
            (np.take_along_axis(held, winner[:, None], axis=1)[:, 0] / 15, bias.sem2),
        ):
            assert abs(values.mean() - max(pi) - want) < 4 * values.std() / 200


def test_one_answer_only():
    """Negative control: a question with a single answer has no bias and no error."""
    bias = exact_bias([1, 0, 0], 10)
    assert bias.sem1 == pytest.approx(0, abs=1e-14) and bias.sem2 == 0 and bias.wrong == 0
    assert leading_bias_all([1, 0], 10).sem1 == pytest.approx(0, abs=1e-12)


# ---- moments over all samples ---------------------------------------------------------------------------------


def test_moments_of_sem1_and_sem2_are_the_exact_biases():
    for pi, n in (((0.55, 0.45), 10), ((0.4, 0.35, 0.25), 9)):
        assert estimator_moments(sem1, pi, n).bias == pytest.approx(exact_bias(pi, n).sem1, abs=1e-12)
        second = estimator_moments(lambda counts: sem2(counts, 4), pi, n)
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


@given(st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(sum))
def test_chances_of_the_orders_sum_to_one(counts):
    assert sum(chance[0] for _, chance in orders_of_appearance([counts])) == pytest.approx(1)


def test_a_tie_rule_that_saw_the_held_out_answers_leaks():
    """Classes in order of first appearance among all N answers break ties with knowledge of the held-out block."""
    leaky = estimator_moments(sem2, THIRDS, 20, order="appearance").bias
    assert 0.0037 < leaky < 0.0040
    odd = estimator_moments(sem2, (0.6, 0.4), 50, order="appearance")  # 25 answers select: two classes never tie
    assert abs(odd.bias - exact_bias([0.6, 0.4], 25).sem2) < 1e-12


@pytest.mark.parametrize("pi", [THIRDS, (0.6, 0.4), (0.5, 0.3, 0.2)])
def test_a_lot_does_not_leak(pi):
    """Two roads to one number: all count vectors and all splits, or the law of the winner with ties by lot."""
    fair = estimator_moments(lambda counts: sem2(counts, 6, ties="lot"), pi, 12, order="appearance")
    assert abs(fair.bias - exact_bias(pi, 6, ties="lot").sem2) < 1e-12


# ---- constants and regimes ------------------------------------------------------------------------------------


def test_constants_add_up():
    half = np.linspace(0, 3, 301)
    assert np.abs(direct_gap(half) - jensen_bias(half) - selection_bias(half)).max() < 1e-15
    assert np.abs(oracle_gap(half) - jensen_bias(half) + selection_bias(half)).max() < 1e-15
    assert (np.diff(oracle_gap(half[half < 0.6])) < 0).all() and (jensen_bias(half) > 0).all()
    x = np.random.default_rng(0).normal(size=400_000)
    for u in (0.0, 0.7, 1.5):
        gain = np.maximum(x - u, 0)
        assert abs(gain.mean() - jensen_bias(u / 2)) < 4 * gain.std() / np.sqrt(x.size)


def test_more_rivals_push_the_critical_margin_out():
    half = [critical_half_margin(r) for r in (1, 2, 3, 9, 99)]
    assert (np.diff(half) > 0).all() and half[0] == CRITICAL_HALF_MARGIN
    # exact biases change places there, up to the next order
    n = 900
    unit = np.sqrt(2 / 3 / 900)
    for factor, sign in ((0.9, 1), (1.1, -1)):
        margin = 2 * half[1] * unit * factor
        rival = (1 - margin) / 3
        bias = exact_bias([rival + margin, rival, rival], n)
        assert np.sign(bias.sem1 + bias.sem2) == sign


# ---- bounds: the exact value never above ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "classes, parts, sizes", [(2, 100, (1, 2, 5, 25, 100)), (3, 20, (1, 2, 5, 25)), (4, 12, (1, 2, 10))]
)
def test_bounds_hold_on_a_grid(classes, parts, sizes):
    pi = grid(classes, parts)
    for n in sizes:
        bias = exact_bias(pi, n)
        bound = bias_bound(pi, n)
        assert (bias.sem1 <= bound + 1e-12).all() and (-bias.sem2 <= bound + 1e-12).all()
        paper, chernoff = (selection_error_bound(pi, n, kind=kind) for kind in ("paper", "chernoff"))
        assert (bias.wrong <= chernoff + 1e-13).all() and (chernoff <= paper * (1 + 1e-12)).all()
        v = np.arange(n + 1)
        target = pi.max(axis=1)[:, None, None]
        error1 = (bias.law * np.abs(v / n - target)).sum(axis=(1, 2))
        held = binom.pmf(np.arange(8), 7, pi[:, :, None])
        error2 = (bias.selection[:, :, None] * held * np.abs(np.arange(8) / 7 - target)).sum(axis=(1, 2))
        assert (error1 <= confidence_error_bound(pi, n) + 1e-12).all()
        assert (error2 <= confidence_error_bound(pi, n, n_held_out=7) + 1e-12).all()


def test_the_largest_deviation():
    for pi, n in (((0.2, 0.3, 0.5), 6), ((0.25,) * 4, 8), ((0.9, 0.1), 11)):
        counts = count_vectors(n, len(pi))
        want = (count_probabilities(counts, pi) * np.abs(counts / n - pi).max(axis=1)).sum()
        assert largest_deviation(pi, n) == pytest.approx(want, abs=1e-11)
        assert want <= np.sqrt(np.log(2 * len(pi)) / (2 * n))  # equation 13


def test_ece_bound():
    assert ece_bound(0.01, 0.02, eta=0.1, near_edge=0.3) == pytest.approx(0.02 + 0.01 + 2 * (0.1 + 0.3))
    best = min(ece_bound(0.01, 0.02, eta=eta, near_edge=2 * 1.5 * 9 * eta) for eta in np.geomspace(1e-4, 1, 4001))
    assert ece_bound(0.01, 0.02, density=1.5) == pytest.approx(best, rel=1e-4)  # its eta is the best one


# ---- expansions -----------------------------------------------------------------------------------------------


@given(st.floats(0, 0.6), st.floats(0.3, 1), st.integers(1, 2000))
def test_two_classes_give_equation_nine(margin, mass, n):
    margin *= mass
    pi = [(mass + margin) / 2, (mass - margin) / 2, 1 - mass]
    if mass < 1 and pi[2] > 0:
        pi = np.array(pi[:2]) / mass  # only two classes: rescaled
    printed = leading_bias(pi[:2], n)
    ours = leading_bias_all(pi[:2], n)
    assert ours.sem1 == pytest.approx(printed.sem1, abs=1e-9) and ours.sem2 == pytest.approx(printed.sem2, abs=1e-9)
    assert ours.selection == pytest.approx(printed.selection, abs=1e-9)


@pytest.mark.parametrize("behind", [(0, 0, 0), (0, 0.4, 0.4), (0, 0.8, 0.8, 0.8), (0, 0.3, 1.2)])
def test_the_remainder_of_our_expansion_vanishes_faster(behind):
    """Margins shrink like 1/sqrt(n), so the questions stay as hard; sqrt(n) * error falls with n (and the printed
    expansion's does not, unless there are two classes).
    """
    errors = []
    for n in (25, 100, 400):
        pi = (1 + np.sum(behind) / np.sqrt(n * len(behind))) / len(behind) - np.array(behind) / np.sqrt(n * len(behind))
        bias = exact_bias(pi, n, ties="lot")
        ours = leading_bias_all(pi, n)
        printed = leading_bias(pi, n)
        errors.append(np.sqrt(n) * np.array([bias.sem1 - ours.sem1, bias.sem2 - ours.sem2, bias.sem1 - printed.sem1]))
    first, _, last = np.abs(errors)
    assert (last[:2] < 0.6 * first[:2] + 1e-12).all() and (last[:2] < 0.008).all() and last[2] > 0.03


def test_quadrature_against_draws():
    rng = np.random.default_rng(2)
    pi = np.array([0.4, 0.3, 0.29, 0.01])
    n = 30
    draws = pi + rng.normal(size=(400_000, 4)) * np.sqrt(pi / n)
    best = draws.max(axis=1)
    winner = draws.argmax(axis=1)
    ours = leading_bias_all(pi, n)
    assert abs(best.mean() - 0.4 - ours.sem1) < 4 * best.std() / np.sqrt(4e5)
    share = np.bincount(winner, minlength=4) / 4e5
    assert (np.abs(share - ours.selection) < 4 * np.sqrt(ours.selection / 4e5) + 1e-5).all()
    assert ours.sem1 == pytest.approx(leading_bias_all(pi, n, n_panels=300).sem1, abs=1e-10)


def test_gaps_are_means_over_questions():
    pi = np.array([[0.5, 0.5], [0.6, 0.4]])
    _, mass, m = standardized(pi, 16)
    assert direct_gap_leading(pi, 16) == pytest.approx((norm.pdf(m) * np.sqrt(mass / 16)).mean())
    assert oracle_gap_leading(pi, 16) == pytest.approx(
        np.mean([leading_bias(row, 16).sem1 + leading_bias(row, 16).sem2 for row in pi])
    )


# ---- bad input ------------------------------------------------------------------------------------------------

TAKE_PI = [
    winner_law, exact_bias, largest_deviation, standardized, bias_bound, selection_error_bound,
    confidence_error_bound, leading_bias, leading_bias_all, direct_gap_leading, oracle_gap_leading,
]  # fmt: skip


@pytest.mark.parametrize(
    "pi, n, words",
    [
        ([0.5, 0.6], 5, "sum to 1"),
        ([1.5, -0.5], 5, "lie in"),
        ([np.nan, 0.5], 5, "lie in"),
        ([1.0], 5, "two columns"),
        ([], 5, "shape"),
        (["a", "b"], 5, "numbers"),
        ([0.5, 0.5], 0, "n must be"),
        ([0.5, 0.5], 2.5, "n must be"),
        ([0.5, 0.5], True, "n must be"),
    ],
)
def test_bad_questions(pi, n, words):
    for function in TAKE_PI:
        with pytest.raises(ValueError, match=words):
            function(pi, n)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: jensen_bias(-0.1), "negative"),
        (lambda: direct_gap(np.nan), "negative"),
        (lambda: critical_half_margin(0), "n_rivals"),
        (lambda: winner_law([0.5, 0.5], 3, ties="first"), "ties"),
        (lambda: selection_error_bound([0.5, 0.5], 3, kind="hoeffding"), "kind"),
        (lambda: confidence_error_bound([0.5, 0.5], 3, n_held_out=0), "n_held_out"),
        (lambda: ece_bound(0.1, 0.1), "either"),
        (lambda: ece_bound(0.1, 0.1, eta=0.1), "either"),
        (lambda: ece_bound(0.1, 0.1, eta=0.1, near_edge=0.1, density=1), "either"),
        (lambda: ece_bound(0.1, 0.1, eta=0, near_edge=0.1), "positive"),
        (lambda: largest_deviation([[0.5, 0.5]], 3), "one vector"),
        (lambda: count_vectors(0, 2), "n must be"),
        (lambda: count_probabilities([[1, 1]], [0.2, 0.3, 0.5]), "columns"),
        (lambda: estimator_moments(sem1, [0.5, 0.5], 3, order="random"), "order"),
    ],
)
def test_bad_options(call, words):
    with pytest.raises(ValueError, match=words):
        call()
