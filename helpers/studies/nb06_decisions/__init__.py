"""Notebook 06: post-training of real models, errors of the risk estimator."""

from helpers.studies.nb06_decisions.errors import estimation_errors
from helpers.studies.nb06_decisions.post_training import (
    models,
    rank_guides,
    real_tasks,
    squared_rank_correlation,
    survey_tasks,
    try_all,
)
