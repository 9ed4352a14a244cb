"""Which model answers which question: cascades, predictive routers, what to compare them with, and what they cost.

Tables are (models, rows), models in order of cost; every model that is asked is paid. `helpers.cascades`,
`helpers.routers`, `helpers.sweeps`, `helpers.policies` and `helpers.thresholds` hold the code; this is the door.
"""

from helpers.cascades import cascade, confidence_cascade
from helpers.policies import (
    always,
    best_single,
    compare_policies,
    evaluate_policies,
    oracle_route,
    pareto_front,
    random_mix,
)
from helpers.routed import Routed
from helpers.routers import NeighborRouter, TreeRouter, route
from helpers.sweeps import sweep_cascades, sweep_routers
from helpers.thresholds import FittedThreshold, fit_threshold

__all__ = [
    "FittedThreshold", "NeighborRouter", "Routed", "TreeRouter", "always", "best_single", "cascade",
    "compare_policies", "confidence_cascade", "evaluate_policies", "fit_threshold", "oracle_route", "pareto_front",
    "random_mix", "route", "sweep_cascades", "sweep_routers",
]  # fmt: skip
