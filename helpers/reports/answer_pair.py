"""Two systems that answered the same questions, question by question."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from helpers.reports.phrases import beyond_chance, hundred, measured, points_apart
from helpers.resampling import percentile_ends, resampled_means
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
    n : questions that both answered and that are graded for both
    measures : a row a measure: first, second, difference (first less second), low, high
    only : how many questions are answered right by the first alone, and by the second alone
    """

    names: tuple
    n: int
    measures: pd.DataFrame = field(repr=False)
    only: tuple

    @property
    def table(self):
        """The measures as texts."""
        lines = {}
        for row in self.measures.itertuples():
            write = partial(measured, sign=True, least=3) if row.Index == "ecuas" else points_apart
            lines[MEASURES[row.Index]] = {
                self.names[0]: _value(row.Index, row.first),
                self.names[1]: _value(row.Index, row.second),
                "difference": write(row.difference, row.low, row.high),
                "beyond chance": beyond_chance(row.low, row.high),
            }
        return pd.DataFrame.from_dict(lines, orient="index").rename_axis("measure")


def _value(measure, x):
    """A measure of one system, with so many decimals that the difference can be computed from them."""
    if measure == "ecuas":
        return f"{x:.3f}"
    return hundred(x, 2) if measure == "cost" else f"{100 * x:z.1f}"


def compare_pair(names, tables, confidences, corrects, accepted, reject_cost, n_resamples, rng):
    """`AnswerPair` of two tables, with the agreement, correctness (-1 unknown) and acceptance of their questions.

    `accepted` and `reject_cost` are None where no costs are given. ValueError for fewer than two questions in common.
    """
    questions = [pd.Index(np.asarray(table.grouped.questions).astype(str)) for table in tables]
    shared = questions[0][questions[0].isin(questions[1])]
    rows = [index.get_indexer(shared) for index in questions]
    known = (corrects[0][rows[0]] >= 0) & (corrects[1][rows[1]] >= 0)
    n = int(known.sum())
    if n < 2:
        raise ValueError(
            f"{tables[0].name} and {tables[1].name} must share at least two graded questions to be compared, but they "
            f"share {n}; questions are matched by their names."
        )
    values = []
    for k, taken in enumerate(part[known] for part in rows):
        right = corrects[k][taken].astype(float)
        confidence = confidences[k][taken]
        measures = {"right": right, "confidence": confidence, "over": confidence - right}
        if reject_cost is not None:
            measures["cost"] = np.where(accepted[k][taken], 1 - right, reject_cost)
        measures["ecuas"] = closed_form(1 - right, 1 - confidence, 1, 1)
        values.append(pd.DataFrame(measures))
    first, second = values
    difference = first - second
    low, high = percentile_ends(resampled_means(difference.to_numpy(), n_resamples, rng=rng))
    columns = {"first": first.mean(), "second": second.mean(), "difference": difference.mean(), "low": low}
    only = tuple(int((difference["right"] == sign).sum()) for sign in (1, -1))
    return AnswerPair(tuple(names), n, pd.DataFrame(columns | {"high": high}), only)
