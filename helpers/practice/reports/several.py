"""Scores of several classes: the grouping loss of all of them, who is given the wrong class, what decisions cost."""

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.audit.classes import class_groups_of_rows
from helpers.calibration.affine import calibrate_classes
from helpers.checks import check_columns
from helpers.decisions.class_costs import cheapest, check_class_costs
from helpers.grouping import GroupingLoss
from helpers.grouping.classes import loss_of_vectors
from helpers.partition.class_rows import ClassRows
from helpers.practice.repair import ClassRecalibrator
from helpers.practice.reports.rescored import (
    MOST_ROWS,
    Repaired,
    by_other_folds,
    mean_of,
    out_of_fold,
    rows_of_whole_groups,
)
from helpers.practice.tables.files import open_table
from helpers.practice.tables.scores import ANSWER

MOST_SEARCHED = 50_000  # rows in which groups are sought


@dataclass(frozen=True)
class ClassCosts:
    """What decisions cost by the scores of all classes, each judged by labels that it has not seen."""

    # A row a policy: "stated", "recalibrated", "repaired", "always" and the best single decision. The cost of a case
    # and what it saves beside the stated scores (saved), each with its ends, _low and _high
    costs: pd.DataFrame
    shares: pd.DataFrame  # of the cases: how often each policy takes each decision
    n: int  # cases that judge: all, or about 12,000 of a larger table
    changed: bool  # whether the features add something to the scores

    @property
    def rule(self):
        """The policy that always takes the same decision, the one that costs least."""
        return self.costs.index[-1]


@dataclass(frozen=True)
class ClassRepair:
    """The scores of all classes, recalibrated and repaired by labels that they have not seen."""

    model: ClassRecalibrator  # for new cases
    rows: np.ndarray  # of the table: all, or about 12,000 of a larger one
    recalibrated: np.ndarray  # (m, K) of these rows
    repaired: np.ndarray  # (m, K); as `recalibrated` where nothing is repaired
    # What they save of the squared error of the stated scores, summed over classes; a row each, "recalibrated",
    # "repaired", and "beyond": what the repaired ones save of that of the recalibrated ones. saved, with its ends
    gains: pd.DataFrame


@dataclass(frozen=True)
class SeveralClasses:
    """What is said of the vector of scores beyond that of the answer."""

    loss: GroupingLoss  # summed over classes, or over the steps of ordered ones
    # as `audit_groups` gives them, a row a group, and of the class that is off the gap as stated with its interval
    groups: pd.DataFrame
    repair: ClassRepair = field(repr=False)
    ordered: bool = False
    money: ClassCosts | None = field(default=None, repr=False)

    @property
    def needs(self):
        """Columns that tell the groups apart, those of the largest sum of share * |gap| first."""
        effects = Counter()
        for row in self.groups.itertuples():
            effects.update(dict.fromkeys(row.needs, row.share * abs(row.gap)))
        return [name for name, _ in effects.most_common() if name != ANSWER]


def check_classes_asked(table, class_cost, ordered):
    """Costs (D, K) as a frame in the order of the classes, or None; ValueError where the table has no classes."""
    for name, value in {"class_cost": class_cost is not None, "ordered": ordered}.items():
        if value and table.classes is None:
            raise ValueError(f"{name} is given, but the table has one score: name a column of scores for each class.")
    if class_cost is None:
        return None
    if isinstance(class_cost, str | Path):
        try:
            frame = open_table(class_cost).frame
        except ValueError as error:
            raise ValueError(f"class_cost: {error}") from error
        class_cost = frame.set_index(frame.columns[0])
    classes = list(table.classes.P.columns)
    if not isinstance(class_cost, pd.DataFrame):
        values = check_class_costs(class_cost, len(classes), "class_cost")
        return pd.DataFrame(values, [f"decision {d}" for d in range(len(values))], classes)
    costs = class_cost.rename(columns=str)
    check_columns("class_cost", list(costs.columns), {f"class {name}": str(name) for name in classes})
    costs = costs[[str(name) for name in classes]]
    values = check_class_costs(costs.to_numpy(), len(classes), "class_cost")
    return pd.DataFrame(values, costs.index.map(str), classes)


def measure_classes(table, own, rng, *, ordered=False, cost=None):
    """`SeveralClasses` of a checked table, None for scores of one class.

    own : the same table with the names of its file, for which the repair is
    cost : as `check_classes_asked` gives it
    """
    if table.classes is None:
        return None
    of_loss, of_rows, of_groups, of_repair = rng.spawn(4)
    rows = rows_of_classes(table, ordered)
    loss = loss_of_vectors(rows, rng=of_loss)
    if table.n > MOST_SEARCHED:
        rows = rows.take(of_rows.choice(table.n, MOST_SEARCHED, replace=False))
    groups = class_groups_of_rows(rows, rng=of_groups)
    repair = repair_classes(own, of_repair)
    money = None if cost is None else count_class_costs(table, repair, cost)
    return SeveralClasses(loss, _beside_stated(groups), repair, ordered, money)


def _beside_stated(groups):
    """Groups with the gap before recalibration: stated_gap, stated_low, stated_high."""
    stated_gap = groups["observed"] - groups["stated"]
    recalibration = stated_gap - groups["gap"]
    ends = {f"stated_{end}": groups[end] + recalibration for end in ("low", "high")}
    return groups.assign(stated_gap=stated_gap, **ends)


def rows_of_classes(table, ordered=False):
    """`ClassRows` of a checked table."""
    classes = table.classes.P.columns
    code = classes.get_indexer(table.classes.y)
    P = table.classes.P.to_numpy()
    return ClassRows(code, P, table.X, table.weight, table.groups, np.asarray(classes, object), ordered)


def repair_classes(table, rng):
    """`ClassRepair` of a checked table."""
    rows = rows_of_whole_groups(table, MOST_ROWS, rng)
    table = table if rows.size == table.n else table.take(rows)
    # the answer is not in the tables of new cases, and their scores tell it
    of_classes = rows_of_classes(replace(table, X=table.X.drop(columns=ANSWER, errors="ignore")))
    P = of_classes.P
    y = of_classes.y
    model = ClassRecalibrator(rng=rng)
    repaired = model.fit_rows(of_classes, table.classes.columns)
    most_common = (y == np.bincount(y).argmax()).astype(float)
    recalibrated = by_other_folds(calibrate_classes, P, y, most_common, table, rng)
    repaired = repaired if model.changed_ else recalibrated
    came = np.eye(P.shape[1])[y]
    stated_error, recalibrated_error, repaired_error = (
        ((scores - came) ** 2).sum(axis=1) for scores in (P, recalibrated, repaired)
    )
    gains = {
        "recalibrated": mean_of(table, "saved", stated_error - recalibrated_error),
        "repaired": mean_of(table, "saved", stated_error - repaired_error),
        "beyond": mean_of(table, "saved", recalibrated_error - repaired_error),
    }
    return ClassRepair(model, rows, recalibrated, repaired, pd.DataFrame(gains).T)


def repaired_answers(table, calibrator, repair, rng):
    """`Repaired` scores of the answers: what the repair of all classes says of the class with the largest score."""
    recalibrated = out_of_fold(table, calibrator, rng)
    answer = table.classes.P.to_numpy()[repair.rows].argmax(axis=1)
    is_repaired = repair.model.changed_
    repaired = repair.repaired[np.arange(answer.size), answer] if is_repaired else recalibrated[repair.rows]
    return Repaired(recalibrated, repair.rows, repaired, np.zeros(answer.size), repair.model)


def count_class_costs(table, repair, cost):
    """Count what deciding by the scores of all classes costs; `repair`: a `ClassRepair`."""
    table = table.take(repair.rows)
    scores = {"stated": table.classes.P.to_numpy(), "recalibrated": repair.recalibrated, "repaired": repair.repaired}
    y = table.classes.P.columns.get_indexer(table.classes.y)
    values = cost.to_numpy()
    decided = {policy: cheapest(score, values).decision for policy, score in scores.items()}
    single = int(np.average(values[:, y], axis=1, weights=table.weights).argmin())
    decided[f"always {cost.index[single]}"] = np.full(table.n, single)
    costs, shares = {}, {}
    for policy, decision in decided.items():
        paid = values[decision, y]
        costs[policy] = mean_of(table, "cost", paid) | mean_of(table, "saved", values[decided["stated"], y] - paid)
        shares[policy] = np.bincount(decision, table.weights, len(values)) / table.weights.sum()
    shares = pd.DataFrame(shares.values(), shares, cost.index)
    return ClassCosts(pd.DataFrame(costs).T, shares, table.n, repair.model.changed_)
