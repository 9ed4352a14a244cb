"""Notebook 10: ECUAS of digits, of real networks and of a language model."""

from helpers.studies.nb10_ecuas_real.digits import TEMPERATURES, answer_quality, sampled_answer_costs
from helpers.studies.nb10_ecuas_real.figures import plot_prompts
from helpers.studies.nb10_ecuas_real.language_model import (
    compare_confidences,
    greedy_confidences,
    sampled_survey_answers,
    with_intervals,
)
from helpers.studies.nb10_ecuas_real.networks import all_measures, saturated_rows, score_maps
