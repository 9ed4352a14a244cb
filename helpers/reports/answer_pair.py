"""Two systems that answered the same questions, question by question."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from helpers.reports.answer_numbers import bootstrap_means
from helpers.reports.phrases import beyond_chance, hundred, measured, points_apart
from helpers.selective.abstention import closed_form

MEASURES = {
    "right": "right answers, in %",
    "confidence": "agreement on average, in %",
    "over": "agreement minus right answers, in points",
    "cost": "cost of 100 questions in units, without samples",
    "ecuas": "ECUAS, n = 1 (handing over everything: 1)",
}


@dataclass(frozen=True)
class AnswerPair:
    """Paired differences of two systems.

    names : the one that was audited, and the other
    n, left_out : questions that both answered and that are graded for both; questions of each without such a partner
    measures : a row a measure: first, second, difference (first less second), low, high
    only_first, only_second, both, neither : questions that are answered right by one of them, by both, by none
    """

    names: tuple
    n: int
    left_out: tuple
    measures: pd.DataFrame = field(repr=False)
    only_first: int
    only_second: int
    both: int
    neither: int

    def row(self, measure):
        """The row of a measure: first, second, difference, low, high."""
        return self.measures.set_index("measure").loc[measure]

    @property
    def table(self):
        """The measures as texts."""
        lines = []
        for row in self.measures.itertuples():
            values = [_value(row.measure, x) for x in (row.first, row.second)]
            is_ecuas = row.measure == "ecuas"
            write = partial(measured, sign=True, least=3) if is_ecuas else points_apart
            lines.append({
                "measure": MEASURES[row.measure],
                self.names[0]: values[0],
                self.names[1]: values[1],
                "difference": write(row.difference, row.low, row.high),
                "beyond chance": beyond_chance(row.low, row.high),
            })  # fmt: skip
        return pd.DataFrame(lines).set_index("measure")


def _value(measure, x):
    """A measure of one system, with so many decimals that the difference can be computed from them."""
    if measure == "ecuas":
        return f"{x:.3f}"
    return hundred(x, 2) if measure == "cost" else f"{100 * x:z.1f}"


def compare_pair(names, tables, confidences, corrects, accepted, reject_cost, n_resamples, rng):
    """`AnswerPair` of two tables, with the agreement, correctness (-1 unknown) and acceptance of their questions; these
    and `reject_cost` are None where no costs are given.

    ValueError if they have fewer than two graded questions in common.
    """
    questions = [pd.Index(np.asarray(table.grouped.questions).astype(str)) for table in tables]
    shared = questions[0][questions[0].isin(questions[1])]
    rows = [index.get_indexer(shared) for index in questions]
    known = (corrects[0][rows[0]] >= 0) & (corrects[1][rows[1]] >= 0)
    if known.sum() < 2:
        raise ValueError(
            f"{tables[0].name} and {tables[1].name} must share at least two graded questions to be compared, but they "
            f"share {int(known.sum())}; questions are matched by their names."
        )
    rows = [part[known] for part in rows]
    columns = []
    for k in range(2):
        right = corrects[k][rows[k]].astype(float)
        sure = confidences[k][rows[k]]
        measures = {"right": right, "confidence": sure, "over": sure - right}
        if reject_cost is not None:
            measures["cost"] = np.where(accepted[k][rows[k]], 1 - right, reject_cost)
        measures["ecuas"] = closed_form(1 - right, 1 - sure, 1, 1)
        columns.append(np.column_stack(list(measures.values())))
    difference = columns[0] - columns[1]
    low, high = np.quantile(bootstrap_means(difference, n_resamples, rng), [0.025, 0.975], axis=0)
    table = pd.DataFrame({
        "measure": list(measures), "first": columns[0].mean(axis=0), "second": columns[1].mean(axis=0),
        "difference": difference.mean(axis=0), "low": low, "high": high,
    })  # fmt: skip
    first, second = (part[:, 0] == 1 for part in columns)
    counts = [(first & ~second).sum(), (~first & second).sum(), (first & second).sum(), (~first & ~second).sum()]
    left_out = tuple(len(index) - int(known.sum()) for index in questions)
    return AnswerPair(tuple(names), int(known.sum()), left_out, table, *map(int, counts))
