"""Notebook 06: post-training of real models, errors of the risk estimator, figures."""

from helpers.studies.nb06_decisions.errors import acting_on_it, estimation_errors
from helpers.studies.nb06_decisions.figures import plot_intervals, plot_risk_corners
from helpers.studies.nb06_decisions.language_model import decide_by_scores
from helpers.studies.nb06_decisions.post_training import (
    models,
    rank_guides,
    real_tasks,
    squared_rank_correlation,
    try_all,
)
