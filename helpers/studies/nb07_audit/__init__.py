"""Notebook 07: people with planted subgroups, and pools of models by size."""

from helpers.studies.nb07_audit.folktexts import simulate_folktexts
from helpers.studies.nb07_audit.model_size import pool_losses, simulate_pool, trained_losses
