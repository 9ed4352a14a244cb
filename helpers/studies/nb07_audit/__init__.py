"""Notebook 07: people with planted subgroups, pools of models by size, and language models about a survey."""

from helpers.studies.nb07_audit.folktexts import simulate_folktexts
from helpers.studies.nb07_audit.language_models import (
    LANGUAGE_MODELS,
    compare_ways,
    count_named_groups,
    loss_falls,
    measure_models,
    survey_pool,
)
from helpers.studies.nb07_audit.model_size import pool_losses, simulate_pool
