"""What a score costs today, after recalibration and after repair, in the unit of the user's costs.

Each score is judged by labels that it has not seen (`rescored`).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.decisions import best_decision, expected_cost, optimal_threshold
from helpers.decisions.estimator import plausible_values
from helpers.decisions.risks import excess_risk
from helpers.reports.rescored import mean_of


@dataclass(frozen=True)
class Money:
    """Costs of deciding by a score, in the unit of the costs for each case."""

    threshold: float  # probability from which yes pays
    # A row a policy: "stated", "recalibrated", "repaired", "always yes", "always no". In shares of the cases: yes,
    # misses, false_alarms. In the unit of the costs: cost, what it saves beside the stated scores (saved) and beside
    # the cheaper of the last two (over_rule). Each with its ends, _low and _high
    costs: pd.DataFrame
    n: int  # cases that judge: all, or about 100,000 of a larger table
    changed: bool  # whether a test sees that the features add something to the score

    def saves(self, policy):
        """Whether a policy, of the index of `costs`, surely saves something (at 95 %, this policy alone)."""
        return bool(self.costs.loc[policy, "saved_low"] > 0)


def count_money(table, scores, cost):
    """Count what a score costs."""
    recalibrated = scores.recalibrated[scores.rows]
    table = table if scores.rows.size == table.n else table.take(scores.rows)
    mean = mean_of(table)
    by_score = {"stated": table.p, "recalibrated": recalibrated, "repaired": scores.repaired}
    decisions = {policy: best_decision(score, cost) for policy, score in by_score.items()}
    decisions |= {"always yes": np.ones(table.n, int), "always no": np.zeros(table.n, int)}
    paid = {policy: expected_cost(decision, table.y, cost) for policy, decision in decisions.items()}
    rule = min(("always yes", "always no"), key=lambda policy: mean("cost", paid[policy])["cost"])
    rows = {}
    for policy, decision in decisions.items():
        columns = {
            "cost": paid[policy],
            "saved": paid["stated"] - paid[policy],
            "over_rule": paid[rule] - paid[policy],
            "yes": decision.astype(float),
            "misses": (1 - decision) * table.y,
            "false_alarms": decision * (1 - table.y),
        }
        rows[policy] = {k: x for name, values in columns.items() for k, x in mean(name, values).items()}
    changed = scores.model is not None and scores.model.changed_
    return Money(optimal_threshold(cost), pd.DataFrame(rows).T, table.n, changed)


def expected_excess(repaired, se, p, cost):
    """What deciding by stated scores is expected to cost more than deciding by repaired ones, which err."""
    return np.mean([excess_risk(value, p, cost) for value in plausible_values(repaired, se)], axis=0)
