"""Costs, thresholds, and the risk of one decision: what it is expected to cost beyond the best one.

- `costs`: cost matrices of yes-or-no decisions and their thresholds; `class_costs`: several classes and decisions
- `risks`: the formulas, where the truth is known; `estimator`: `RiskEstimator`, where it is not
"""

from helpers.decisions.class_costs import bayes_decision, largest_uncertainty
from helpers.decisions.costs import (
    best_decision,
    cost_gap,
    cost_matrix,
    decision_thresholds,
    expected_cost,
    optimal_threshold,
)
from helpers.decisions.estimator import RiskEstimator
from helpers.decisions.risks import calibration_risk, excess_risk, grouping_risk, oracle_risk

__all__ = [
    "RiskEstimator", "bayes_decision", "best_decision", "calibration_risk",
    "cost_gap", "cost_matrix", "decision_thresholds", "excess_risk", "expected_cost", "grouping_risk",
    "largest_uncertainty", "optimal_threshold", "oracle_risk",
]  # fmt: skip
