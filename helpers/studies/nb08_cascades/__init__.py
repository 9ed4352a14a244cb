"""Notebook 08: pools of models, policies on them, their summaries and figures."""

from helpers.studies.nb08_cascades.answers import handing_on, vote
from helpers.studies.nb08_cascades.figures import plot_bills, plot_cascade
from helpers.studies.nb08_cascades.policies import (
    all_pools,
    compare_policies_on,
    every_policy,
    learn,
    people_trial,
    text_trial,
)
from helpers.studies.nb08_cascades.pools import REAL_MODELS, ask, language_like, real_pool
from helpers.studies.nb08_cascades.summaries import in_points, summarise_gains
from helpers.studies.nb08_cascades.text import rows_as_text

__all__ = [
    "REAL_MODELS", "all_pools", "ask", "compare_policies_on", "every_policy", "handing_on", "in_points",
    "language_like", "learn", "people_trial", "plot_bills", "plot_cascade", "real_pool", "rows_as_text",
    "summarise_gains", "text_trial", "vote",
]  # fmt: skip
