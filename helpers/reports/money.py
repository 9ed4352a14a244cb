"""What a score costs today, after recalibration and after repair, in the unit of the user's costs.

Each score is judged by labels that it has not seen (`rescored`).
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.decisions import best_decision, expected_cost, optimal_threshold
from helpers.decisions.estimator import plausible_values
from helpers.decisions.risks import excess_risk
from helpers.reports.rescored import mean_of

THRESHOLDS = 41  # of a decision curve


@dataclass(frozen=True)
class Money:
    """Costs of deciding by a score, in the unit of the costs for each case."""

    threshold: float  # probability from which yes pays
    # A row a policy: "stated", "recalibrated", "repaired", "always yes", "always no". In shares of the cases: yes,
    # misses, false_alarms, and beside the stated scores more_misses, more_false_alarms. In the unit of the costs: cost,
    # what it saves beside the stated scores (saved) and beside the cheaper of the last two (over_rule). Each with its
    # ends, _low and _high
    costs: pd.DataFrame
    # A row a threshold: threshold, and for each of "stated", "recalibrated", "repaired", "always yes" what it saves
    # beside "always no" where yes pays from that threshold on and a miss costs the same; stated_low, stated_high
    curve: pd.DataFrame = field(repr=False)
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
        misses, misses_as_stated = ((1 - yes) * table.y for yes in (decision, decisions["stated"]))
        alarms, alarms_as_stated = (yes * (1 - table.y) for yes in (decision, decisions["stated"]))
        columns = {
            "cost": paid[policy],
            "saved": paid["stated"] - paid[policy],
            "over_rule": paid[rule] - paid[policy],
            "yes": decision.astype(float),
            "misses": misses,
            "false_alarms": alarms,
            "more_misses": misses - misses_as_stated,
            "more_false_alarms": alarms - alarms_as_stated,
        }
        rows[policy] = {k: x for name, values in columns.items() for k, x in mean(name, values).items()}
    threshold = optimal_threshold(cost)
    return Money(
        threshold=threshold,
        costs=pd.DataFrame(rows).T,
        curve=_decision_curve(table, by_score, threshold, float(cost[0][1] - cost[1][1]), mean),
        n=table.n,
        changed=scores.model is not None and scores.model.changed_,
    )


def turned_decisions(table, calibrated, audit, threshold):
    """Shares of the cases: yes by the stated scores, turned by recalibration, and turned after that where scores are
    moved until every misjudged group is right, from no to yes and back.
    """
    stated = table.p >= threshold
    before = calibrated >= threshold
    after = before
    if audit is not None and len(audit.significant):
        after = audit.moved(calibrated) >= threshold
    turned = {"yes": stated, "recalibrated": stated != before, "to_yes": after & ~before, "to_no": before & ~after}
    return {name: float(np.average(rows, weights=table.weight)) for name, rows in turned.items()}


def expected_excess(repaired, se, p, cost):
    """What deciding by stated scores is expected to cost more than deciding by repaired ones, which err."""
    return np.mean([excess_risk(value, p, cost) for value in plausible_values(repaired, se)], axis=0)


def _decision_curve(table, by_score, threshold, miss, mean):
    """What some scores save beside never saying yes, at thresholds around the one in use.

    Net benefit: a hit saves `miss`, a false alarm at threshold t costs miss * t / (1 - t).
    """
    low, high = np.quantile(table.p, [0.02, 0.98])
    ends = np.clip([min(low, threshold / 2), max(high, (1 + threshold) / 2)], 0.005, 0.95)
    rows = []
    for t in np.linspace(*ends, THRESHOLDS):
        worth = miss * np.where(table.y == 1, 1.0, -t / (1 - t))
        row = {"threshold": t, "always yes": float(np.average(worth, weights=mean.weight))}
        for policy, score in by_score.items():
            benefit = mean(policy, worth * (score >= t))
            row |= benefit if policy == "stated" else {policy: benefit[policy]}
        rows.append(row)
    return pd.DataFrame(rows)
