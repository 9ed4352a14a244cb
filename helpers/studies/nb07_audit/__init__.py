"""Notebook 07: audits with planted subgroups, pools of models by size, figures."""

from helpers.studies.nb07_audit.audits import (
    alarm_shares,
    alarm_study,
    figure1_study,
    perfect_score,
    planted_study,
    quarter_too_low,
    redrawn,
)
from helpers.studies.nb07_audit.figures import plot_pool, plot_pools, plot_rates
from helpers.studies.nb07_audit.folktexts import simulate_folktexts
from helpers.studies.nb07_audit.model_size import (
    across,
    lowess_trend,
    normalise,
    pool_losses,
    simulate_pool,
    train_pools,
    trained_losses,
)
