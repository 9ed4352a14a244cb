"""Systems that state an answer and a confidence, so that a reader may refuse: what they cost, and how to compare them.

`helpers.abstention`, `helpers.risk_coverage`, `helpers.confidence_scores` and `helpers.selective_systems` hold the
code; this is the door.
"""

from helpers.abstention import (
    BayesDecision,
    LargestUncertainty,
    bayes_decision,
    chow_cost,
    ecuas,
    ecuas_from_uncertainty,
    expected_cost_at,
    general_ecuas,
    largest_uncertainty,
    reject_cost_weight,
)
from helpers.confidence_scores import (
    brier_of_confidence,
    brier_of_distribution,
    confidence_auc,
    confidence_metrics,
    cross_entropy_of_confidence,
    cross_entropy_of_distribution,
    expected_calibration_error,
    normalized_ecuas,
    normalized_of_confidence,
    normalized_of_distribution,
    selective_metrics,
)
from helpers.risk_coverage import RiskCoverageCurve, aurc, coverage_at_risk, excess_aurc, risk_coverage_curve
from helpers.selective_systems import compare_systems, measure_systems

__all__ = [
    "BayesDecision", "LargestUncertainty", "RiskCoverageCurve", "aurc", "bayes_decision", "brier_of_confidence",
    "brier_of_distribution", "chow_cost", "compare_systems", "confidence_auc", "confidence_metrics", "coverage_at_risk",
    "cross_entropy_of_confidence", "cross_entropy_of_distribution", "ecuas", "ecuas_from_uncertainty", "excess_aurc",
    "expected_calibration_error", "expected_cost_at", "general_ecuas", "largest_uncertainty", "measure_systems",
    "normalized_ecuas", "normalized_of_confidence", "normalized_of_distribution", "reject_cost_weight",
    "risk_coverage_curve", "selective_metrics",
]  # fmt: skip
