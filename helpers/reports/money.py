"""What a score costs today, after recalibration and after repair, and what a second look at some cases would save.

All in the unit of the user's costs. Each score is judged by labels that it has not seen (`rescored`).
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.decisions import best_decision, expected_cost, optimal_threshold
from helpers.decisions.estimator import plausible_values
from helpers.decisions.risks import excess_risk
from helpers.reports.rescored import mean_of

LOOKS = (0.05, 0.1, 0.2)  # shares of the cases that somebody looks at again
LOOK_OF_AN_ORACLE = 0.1
THRESHOLDS = 41  # of a decision curve


@dataclass(frozen=True)
class Money:
    """Costs of deciding by a score, in the unit of the costs for each case."""

    threshold: float  # probability from which yes pays
    miss: float  # what a miss costs more than a hit
    # A row a way to decide ("stated", "recalibrated", "repaired", "always yes", "always no"): cost, cost_low,
    # cost_high, what it saves beside the stated scores: saved, saved_low, saved_high, and what it saves beside the
    # cheaper of always yes and always no: over_rule, over_rule_low, over_rule_high
    costs: pd.DataFrame
    # the same rows, shares of the cases: yes, misses, false_alarms, and how many more than by the stated scores,
    # more_misses and more_false_alarms, each with its ends, _low and _high
    counts: pd.DataFrame = field(repr=False)
    # A row a share of the cases that somebody looks at again: share, oracle (whether this finds the truth; else the
    # repaired score decides); saved, saved_low and saved_high in columns for each way to choose the cases, ("excess",
    # "saved"), …, "excess", "nearest", "random"
    looks: pd.DataFrame = field(repr=False)
    # A row a threshold: threshold, and for each of "stated", "recalibrated", "repaired", "always yes" what it saves
    # beside "always no" where yes pays from that threshold on and a miss costs the same; stated_low, stated_high
    curve: pd.DataFrame = field(repr=False)
    n: int  # cases that judge: all, or about 100,000 of a larger table
    changed: bool  # whether a test sees that the features add something to the score

    def saves(self, way):
        """Whether a way to decide, of the index of `costs`, surely saves something (at 95 %, this way alone)."""
        return bool(self.costs.loc[way, "saved_low"] > 0)


def count_money(table, scores, cost):
    """Count what a score costs."""
    recalibrated = scores.recalibrated[scores.rows]
    table = table if scores.rows.size == table.n else table.take(scores.rows)
    mean = mean_of(table)
    stated = best_decision(table.p, cost)
    decisions = {
        "stated": stated,
        "recalibrated": best_decision(recalibrated, cost),
        "repaired": best_decision(scores.repaired, cost),
        "always yes": np.ones(table.n, int),
        "always no": np.zeros(table.n, int),
    }
    paid = {way: expected_cost(decision, table.y, cost) for way, decision in decisions.items()}
    rule = min(("always yes", "always no"), key=lambda way: mean("cost", paid[way])["cost"])
    rows = {
        way: mean("cost", of_way) | mean("saved", paid["stated"] - of_way) | mean("over_rule", paid[rule] - of_way)
        for way, of_way in paid.items()
    }
    counts = {way: _counted(decision, stated, table.y, mean) for way, decision in decisions.items()}
    excess = expected_excess(scores.repaired, scores.error, table.p, cost)
    threshold = optimal_threshold(cost)
    orders = {"excess": excess, "nearest": -np.abs(table.p - threshold)}
    saving = paid["stated"] - paid["repaired"]
    truth = paid["stated"] - expected_cost(table.y.astype(int), table.y, cost)
    looks = [_look(share, saving, orders, mean) for share in LOOKS]
    looks.append(_look(LOOK_OF_AN_ORACLE, truth, orders, mean) | {("oracle", ""): True})
    miss = float(cost[0][1] - cost[1][1])
    ways = {"stated": table.p, "recalibrated": recalibrated, "repaired": scores.repaired}
    return Money(
        threshold=threshold,
        miss=miss,
        costs=pd.DataFrame(rows).T,
        counts=pd.DataFrame(counts).T,
        looks=pd.DataFrame(looks),
        curve=_curve(table, ways, threshold, miss, mean),
        n=table.n,
        changed=scores.model is not None and scores.model.changed_,
    )


def _counted(decision, stated, y, mean):
    """How often a way to decide says yes and errs, also beside the stated scores."""
    misses, misses_of_stated = ((1 - said) * y for said in (decision, stated))
    alarms, alarms_of_stated = (said * (1 - y) for said in (decision, stated))
    row = mean("yes", decision.astype(float)) | mean("misses", misses) | mean("false_alarms", alarms)
    row |= mean("more_misses", misses - misses_of_stated)
    return row | mean("more_false_alarms", alarms - alarms_of_stated)


def expected_excess(repaired, error, p, cost):
    """What deciding by stated scores is expected to cost more than deciding by repaired ones, which err."""
    return np.mean([excess_risk(value, p, cost) for value in plausible_values(repaired, error)], axis=0)


def _look(share, saving, orders, mean):
    """What is saved if the first cases of each order get `saving`; part of a case where the share ends in it."""
    row = {("share", ""): share, ("oracle", ""): False}
    weight = mean.weight
    lottery = np.random.default_rng(0).permutation(saving.size)  # decides between equals
    for name, order in orders.items():
        ranked = np.lexsort((lottery, -order))
        end = np.cumsum(weight[ranked])
        part = np.empty(saving.size)
        part[ranked] = np.clip((share * weight.sum() - end) / weight[ranked] + 1, 0, 1)
        row |= {(name, column): value for column, value in mean("saved", part * saving).items()}
    return row | {("random", column): share * value for column, value in mean("saved", saving).items()}


def _curve(table, ways, threshold, miss, mean):
    """The decision curve of some scores: what they save beside never saying yes, at thresholds around the one in use.

    Net benefit: a hit saves `miss`, a false alarm at threshold t costs miss * t / (1 - t).
    """
    low, high = np.quantile(table.p, [0.02, 0.98])
    ends = np.clip([min(low, threshold / 2), max(high, (1 + threshold) / 2)], 0.005, 0.95)
    rows = []
    for t in np.linspace(*ends, THRESHOLDS):
        worth = miss * np.where(table.y == 1, 1.0, -t / (1 - t))
        row = {"threshold": t, "always yes": float(np.average(worth, weights=mean.weight))}
        for way, score in ways.items():
            kept = mean(way, worth * (score >= t))
            row |= kept if way == "stated" else {way: kept[way]}
        rows.append(row)
    return pd.DataFrame(rows)
