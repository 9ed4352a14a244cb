"""From a model to the tables of this package: sampled answers, confidences, scores and classes, collected safely.

Any OpenAI-compatible endpoint will do. Nothing is sent before a plan has said what it costs; every response is in a
file at once; a second start goes on where the first one stopped. Needs the extra `llm`.
"""

from helpers.collect._client import CollectionStopped
from helpers.collect._usage import Usage
from helpers.collect.answers import CollectedAnswers, collect_answers
from helpers.collect.confidences import (
    is_true_probability,
    option_masses,
    option_probability,
    parse_verbalised,
    sequence_posterior,
)
from helpers.collect.endpoint import Endpoint, EndpointFacts
from helpers.collect.judge import JudgedAnswers, grade_answers, judge_classes
from helpers.collect.plan import CollectionPlan, plan_answers
from helpers.collect.prompts import prompt_hash, prompt_names, prompt_text
from helpers.collect.questions import read_questions
from helpers.collect.risk_scores import CollectedScores, ScorePlan, collect_risk_scores, plan_risk_scores

__all__ = [
    "CollectedAnswers", "CollectedScores", "CollectionPlan", "CollectionStopped", "Endpoint", "EndpointFacts",
    "JudgedAnswers", "ScorePlan", "Usage", "collect_answers", "collect_risk_scores", "grade_answers",
    "is_true_probability", "judge_classes", "option_masses", "option_probability", "parse_verbalised", "plan_answers",
    "plan_risk_scores", "prompt_hash", "prompt_names", "prompt_text", "read_questions", "sequence_posterior",
]  # fmt: skip
