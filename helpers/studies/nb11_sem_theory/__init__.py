"""Notebook 11: biases and errors of Sem1 and Sem2 computed exactly, and figures."""

from helpers.studies.nb11_sem_theory.biases import (
    biases_by_method,
    contested_probabilities,
    scaled_sem1_biases,
    simulated_bias_errors,
)
from helpers.studies.nb11_sem_theory.errors import (
    blurred_digits,
    compare_estimators,
    contested_questions,
    scaled_ece_gap,
)
from helpers.studies.nb11_sem_theory.figures import (
    plot_reported,
    plot_shares,
)
