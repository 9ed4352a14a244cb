"""Leading terms: constants that add up, remainders that vanish, quadrature against draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from helpers.answers import (
    CRITICAL_HALF_MARGIN,
    critical_half_margin,
    direct_gap_constant,
    exact_bias,
    jensen_bias,
    leading_bias,
    leading_bias_multiclass,
    leading_direct_gap,
    leading_oracle_gap,
    oracle_gap_constant,
    selection_bias,
    standardized_margin,
)
from helpers.answers.exact import count_probabilities, count_vectors

THIRDS = (1 / 3, 1 / 3, 1 / 3)


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
    assert abs(leading_bias_multiclass(pi, n).sem1 / bias.sem1 - 1) < 0.02


def test_constants_add_up():
    half = np.linspace(0, 3, 301)
    assert np.abs(direct_gap_constant(half) - jensen_bias(half) - selection_bias(half)).max() < 1e-15
    assert np.abs(oracle_gap_constant(half) - jensen_bias(half) + selection_bias(half)).max() < 1e-15
    assert (np.diff(oracle_gap_constant(half[half < 0.6])) < 0).all() and (jensen_bias(half) > 0).all()
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


@given(st.floats(0, 0.6), st.floats(0.3, 1), st.integers(1, 2000))
def test_two_classes_give_equation_nine(margin, mass, n):
    margin *= mass
    pi = [(mass + margin) / 2, (mass - margin) / 2, 1 - mass]
    if mass < 1 and pi[2] > 0:
        pi = np.array(pi[:2]) / mass  # only two classes: rescaled
    printed = leading_bias(pi[:2], n)
    ours = leading_bias_multiclass(pi[:2], n)
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
        bias = exact_bias(pi, n, ties="average")
        ours = leading_bias_multiclass(pi, n)
        printed = leading_bias(pi, n)
        errors.append(np.sqrt(n) * np.array([bias.sem1 - ours.sem1, bias.sem2 - ours.sem2, bias.sem1 - printed.sem1]))
    first, _, last = np.abs(errors)
    assert (last[:2] < 0.6 * first[:2] + 1e-12).all() and (last[:2] < 0.008).all() and last[2] > 0.03


def test_gaps_are_means_over_questions():
    pi = np.array([[0.5, 0.5], [0.6, 0.4]])
    _, mass, m = standardized_margin(pi, 16)
    assert leading_direct_gap(pi, 16) == pytest.approx((norm.pdf(m) * np.sqrt(mass / 16)).mean())
    assert leading_oracle_gap(pi, 16) == pytest.approx(
        np.mean([leading_bias(row, 16).sem1 + leading_bias(row, 16).sem2 for row in pi])
    )
