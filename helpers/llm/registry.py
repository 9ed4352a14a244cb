"""What Inspect loads through the entry point of this package, so that anybody's evaluation can name it."""

from helpers.llm.metrics import accuracy_at_coverage, aurc, ece, ecuas, sem1_ece, sem2_ece
from helpers.llm.scorers import classes, grade, option_score
from helpers.llm.tasks import questions, risk_scores

__all__ = [
    "accuracy_at_coverage", "aurc", "classes", "ece", "ecuas", "grade", "option_score", "questions", "risk_scores",
    "sem1_ece", "sem2_ece",
]  # fmt: skip
