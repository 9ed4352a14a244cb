"""Notebook 08: pools of models, and policies on them."""

from helpers.studies.nb07_audit import LANGUAGE_MODELS
from helpers.studies.nb08_cascades.answers import handing_on, vote
from helpers.studies.nb08_cascades.figures import plot_rules
from helpers.studies.nb08_cascades.language_models import by_person, survey_curves, survey_gains, survey_trials
from helpers.studies.nb08_cascades.policies import (
    all_pools,
    compare_policies_on,
    every_policy,
    learn,
    people_trial,
    rows_as_text,
    text_trial,
)
from helpers.studies.nb08_cascades.pools import ask, language_like, real_pool
