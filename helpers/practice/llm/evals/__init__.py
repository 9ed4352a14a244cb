"""Tasks, scorers and metrics for Inspect, which it finds by the entry point of this package.

`tasks` ask a model, `scorers` grade and sort what it says, `metrics` are our measures over every attempt, and `known`
is a mock model whose probabilities are known. Needs the extra `llm`.
"""

from helpers._inspect import PROJECT  # first, because it says what to install
from helpers.practice.llm.evals.known import known_answers, known_model
from helpers.practice.llm.evals.metrics import MEASURES, sem1_ece, sem2_ece
from helpers.practice.llm.evals.scorers import classes, grade, option_score
from helpers.practice.llm.evals.tasks import questions, risk_scores

globals().update(MEASURES)  # ece, auc, aurc, ecuas, ...: `honest_confidence/aurc` for Inspect

__all__ = [
    "MEASURES", "PROJECT", "classes", "grade", "known_answers", "known_model", "option_score",
    "questions", "risk_scores", "sem1_ece", "sem2_ece", *MEASURES,
]  # fmt: skip
