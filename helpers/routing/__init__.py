"""Which model answers which question: cascades, predictive routers, what to compare them with, and what they cost.

Tables are (models, rows), models in order of cost; every model that is asked is paid.
"""

from helpers.certificates import Certificate
from helpers.routing.cascades import cascade, confidence_cascade
from helpers.routing.policies import (
    best_single,
    compare_policies,
    evaluate_policies,
    oracle_route,
    pareto_front,
    random_mix,
    single_model,
)
from helpers.routing.routed import Routed
from helpers.routing.routers import TreeRouter, route
from helpers.routing.sweeps import sweep_cascades, sweep_routers
from helpers.routing.thresholds import certified_threshold

__all__ = [
    "Certificate", "Routed", "TreeRouter", "best_single", "cascade", "certified_threshold",
    "compare_policies", "confidence_cascade", "evaluate_policies", "oracle_route", "pareto_front", "random_mix",
    "route", "single_model", "sweep_cascades", "sweep_routers",
]  # fmt: skip
