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
from helpers.practice.reports.drift import Later, split_over_time
from helpers.practice.reports.rescored import (
    MOST_ROWS,
    Judged,
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

    model: ClassRecalibrator  # for new cases, taught by `rows`
    rows: np.ndarray  # of the table: all, or about 12,000 of a larger one
    repaired: np.ndarray  # (m, K) of these rows, out of fold; recalibrated ones where nothing is repaired
    judged: Judged  # scores (m, K) of the rows that judge: later ones where rows have a date, else all out of fold
    later: Later | None  # where rows have a date
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
    of_time, of_rows, of_model, of_folds = rng.spawn(4)
    later = split_over_time(table, of_time)
    # new cases lie beyond the dates, and have no column of answers, which their scores tell
    unknown = {ANSWER, *(() if later is None else later.beyond)} & set(table.X)
    table = replace(table, X=table.X.drop(columns=list(unknown)))
    rows = rows_of_whole_groups(table, MOST_ROWS, of_rows)
    some = table.take(rows)
    model = ClassRecalibrator(rng=of_model)
    repaired = model.fit_rows(rows_of_classes(some), table.classes.columns)
    of_classes = rows_of_classes(some)
    most_common = (of_classes.y == np.bincount(of_classes.y).argmax()).astype(float)
    recalibrated = by_other_folds(calibrate_classes, of_classes.P, of_classes.y, most_common, some, of_folds)
    repaired = repaired if model.changed_ else recalibrated
    judged = Judged(rows, recalibrated, repaired)
    if later is not None and not later.too_few:
        judged = _judge_later(table, later, of_model)
    table = table.take(judged.rows)
    of_classes = rows_of_classes(table)
    came = np.eye(of_classes.P.shape[1])[of_classes.y]
    stated, mended, best = (
        ((scores - came) ** 2).sum(axis=1) for scores in (of_classes.P, judged.recalibrated, judged.repaired)
    )
    gains = {
        "recalibrated": mean_of(table, "saved", stated - mended),
        "repaired": mean_of(table, "saved", stated - best),
        "beyond": mean_of(table, "saved", mended - best),
    }
    return ClassRepair(model, rows, repaired, judged, later, pd.DataFrame(gains).T)


def _judge_later(table, later, rng):
    """Scores of later rows, `Judged`, by a repair of all classes that early ones have taught."""
    teach = later.teach[rows_of_whole_groups(table.take(later.teach), MOST_ROWS, rng)]
    judge = later.judge[rows_of_whole_groups(table.take(later.judge), MOST_ROWS, rng)]
    taught = rows_of_classes(table.take(teach))
    model = ClassRecalibrator(rng=rng)
    model.fit_rows(taught)
    P = table.classes.P.iloc[judge]
    recalibrated = calibrate_classes(taught.P, taught.y, taught.weights, P.to_numpy())
    repaired = model.predict(table.X.iloc[judge], P) if model.changed_ else recalibrated
    return Judged(judge, recalibrated, repaired)


def repaired_answers(table, calibrator, repair, rng):
    """`Repaired` scores of the answers: what the repair of all classes says of the class with the largest score."""
    answer = table.classes.P.to_numpy().argmax(axis=1)
    recalibrated = out_of_fold(table, calibrator, rng)
    repaired = recalibrated[repair.rows]
    if repair.model.changed_:
        repaired = repair.repaired[np.arange(repair.rows.size), answer[repair.rows]]
    by_later = None
    if repair.later is not None and not repair.later.too_few:
        judged = repair.judged
        of_answer = (np.arange(judged.rows.size), answer[judged.rows])
        by_later = Judged(judged.rows, judged.recalibrated[of_answer], judged.repaired[of_answer])
    se = np.zeros(repair.rows.size)
    return Repaired(recalibrated, repair.rows, repaired, se, repair.model, repair.later, by_later)


def count_class_costs(table, repair, cost):
    """Count what deciding by the scores of all classes costs; `repair`: a `ClassRepair`."""
    judged = repair.judged
    table = table.take(judged.rows)
    scores = {"stated": table.classes.P.to_numpy(), "recalibrated": judged.recalibrated, "repaired": judged.repaired}
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
