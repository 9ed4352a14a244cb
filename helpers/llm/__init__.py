"""From a model to the tables of this package: sampled answers, confidences, scores and classes, collected safely.

Any OpenAI-compatible endpoint will do. Nothing is sent before a plan has said what it costs; every response is in a
file at once; a second start goes on where the first one stopped. Needs the extra `llm`.
"""

from helpers.llm.answers import CollectedAnswers, collect_answers
from helpers.llm.client import CollectionStopped
from helpers.llm.confidences import (
    is_true_probability,
    length_normalised_posterior,
    option_masses,
    parse_verbalised,
    sequence_posterior,
    swapped_is_true_probability,
)
from helpers.llm.endpoint import Endpoint, EndpointFacts
from helpers.llm.judge import JudgedAnswers, grade_answers, judge_classes
from helpers.llm.plan import CONFIDENCES, CollectionPlan, plan_answers
from helpers.llm.prompts import prompt_names, prompt_text
from helpers.llm.questions import read_questions
from helpers.llm.risk_scores import CollectedScores, ScorePlan, collect_risk_scores, plan_risk_scores
from helpers.llm.runner import Usage

__all__ = [
    "CONFIDENCES", "CollectedAnswers", "CollectedScores", "CollectionPlan", "CollectionStopped", "Endpoint",
    "EndpointFacts", "JudgedAnswers", "ScorePlan", "Usage", "collect_answers", "collect_risk_scores", "grade_answers",
    "is_true_probability", "judge_classes", "length_normalised_posterior", "option_masses", "parse_verbalised",
    "plan_answers", "plan_risk_scores", "prompt_names", "prompt_text", "read_questions", "sequence_posterior",
    "swapped_is_true_probability",
]  # fmt: skip
