"""What all that takes answer probabilities keeps: tables are their rows, inputs stay, bad input is named."""

import numpy as np
import pytest
from refusals import refuses

from helpers.answers import (
    bias_bound,
    confidence_error_bound,
    critical_half_margin,
    ece_bound,
    estimator_moments,
    exact_bias,
    jensen_bias,
    leading_bias,
    leading_bias_multiclass,
    leading_direct_gap,
    leading_oracle_gap,
    selection_error_bound,
    sem1,
    standardized_margin,
    winner_law,
)
from helpers.answers.exact import count_probabilities, largest_deviation


def test_a_table_is_its_rows_and_inputs_stay():
    pi = np.random.default_rng(1).dirichlet(np.ones(3), 7)
    before = pi.copy()
    together = exact_bias(pi, 9)
    assert (pi == before).all()
    for row, one, two in zip(pi, together.sem1, together.sem2, strict=True):
        alone = exact_bias(row, 9)
        assert alone.sem1 == pytest.approx(one, abs=1e-15) and alone.sem2 == pytest.approx(two, abs=1e-15)
    assert "mean of 7 questions" in str(together)
    for function in (leading_bias, leading_bias_multiclass):
        assert function(pi, 9).sem2[3] == pytest.approx(function(pi[3], 9).sem2, abs=1e-12)


TAKE_PI = [
    winner_law, exact_bias, largest_deviation, standardized_margin, bias_bound, selection_error_bound,
    confidence_error_bound, leading_bias, leading_bias_multiclass, leading_direct_gap, leading_oracle_gap,
]  # fmt: skip


@pytest.mark.parametrize(
    "pi, n, words",
    [
        ([0.5, 0.6], 5, "sum to 1"),
        ([np.nan, 0.5], 5, "lie in"),
        ([1.0], 5, "two columns"),
        ([0.5, 0.5], 0, "n must be"),
        ([0.5, 0.5], 2.5, "n must be"),
    ],
)
def test_bad_questions(pi, n, words):
    for function in TAKE_PI:
        with pytest.raises(ValueError, match=words):
            function(pi, n)


test_bad_options = refuses(
    (lambda: winner_law([0.5, 0.5], 3, ties="last"), "ties"),
    (lambda: selection_error_bound([0.5, 0.5], 3, kind="hoeffding"), "kind"),
    (lambda: ece_bound(0.1, 0.1), "either"),
    (lambda: ece_bound(0.1, 0.1, eta=0.1, near_edge=0.1, density=1), "either"),
    (lambda: ece_bound(0.1, 0.1, eta=0, near_edge=0.1), "positive"),
    (lambda: ece_bound(-0.1, 0.1, density=1), "confidence_error"),
    (lambda: ece_bound(0.1, 0.1, density=1, n_bins=0), "n_bins"),
    (lambda: jensen_bias(-0.1), "half_margin"),
    (lambda: critical_half_margin(0), "n_rivals"),
    (lambda: largest_deviation([[0.5, 0.5]], 3), "one vector"),
    (lambda: count_probabilities([[1, 1]], [0.2, 0.3, 0.5]), "columns"),
    (lambda: estimator_moments(sem1, [0.5, 0.5], 3, order="random"), "order"),
)
