"""Systems that state an answer and a confidence, so that a reader may refuse: what they cost, and how to compare them.

- `abstention`: ECUAS and the costs of refusing; `risk_coverage`: the curve, AURC and PRR
- `certified`: answer these, refuse those, with a promise; `plan`: how many questions that needs
- `metrics`: every measure (`METRICS`) and the paper's tables; `compare`: paired systems with intervals
"""

from helpers.certificates import Certificate
from helpers.selective.abstention import (
    chow_cost,
    ecuas,
    ecuas_from_uncertainty,
    expected_cost_at,
    general_ecuas,
    reject_cost_weight,
)
from helpers.selective.certified import certified_precision
from helpers.selective.compare import compare_systems, measure_systems
from helpers.selective.metrics import (
    METRICS,
    Metric,
    confidence_auc,
    confidence_metrics,
    normalized_ecuas,
    normalized_of_confidence,
    selective_metrics,
)
from helpers.selective.plan import AnswerPlan, plan_answers
from helpers.selective.risk_coverage import (
    RiskCoverageCurve,
    aurc,
    risk_coverage_curve,
)

__all__ = [
    "METRICS", "AnswerPlan", "Certificate", "Metric", "RiskCoverageCurve", "aurc", "certified_precision", "chow_cost",
    "compare_systems", "confidence_auc", "confidence_metrics", "ecuas", "ecuas_from_uncertainty", "expected_cost_at",
    "general_ecuas", "measure_systems", "normalized_ecuas", "normalized_of_confidence", "plan_answers",
    "reject_cost_weight", "risk_coverage_curve", "selective_metrics",
]  # fmt: skip
