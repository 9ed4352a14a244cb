"""Notebook 11: biases and errors of Sem1 and Sem2 computed exactly, and figures."""

from helpers.studies.nb11_sem_theory.biases import (
    biases_by_method,
    confidence_errors,
    contested_probabilities,
    deviation_ratios,
    exact_critical_margin,
    gap_at_large_margin_border,
    miss_chances_and_bounds,
    probability_grid,
    regime_borders,
    scaled_chance_to_leave_bin,
    scaled_expansion_errors,
    scaled_sem1_biases,
    simulated_bias_errors,
    worst_bound_ratios,
)
from helpers.studies.nb11_sem_theory.errors import (
    blurred_digits,
    compare_estimators,
    contested_questions,
    ece_gap_by_protocol,
    errors_and_bounds,
    network_questions,
    questions_by_dial,
    scaled_ece_gap,
    scaled_oracle_distances,
    sem1_ece_by_edge_rule,
)
from helpers.studies.nb11_sem_theory.figures import (
    plot_estimator_errors,
    plot_gap_constants,
    plot_question_biases,
    plot_regimes,
    plot_reported,
    plot_shares,
)
