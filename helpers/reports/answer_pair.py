"""Two systems that answered the same questions, question by question."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.reports.phrases import points_apart
from helpers.resampling import percentile_ends, resampled_means

MEASURES = {
    "right": "right answers, in %",
    "confidence": "agreement on average, in %",
    "over": "agreement minus right answers, in points",
}


@dataclass(frozen=True)
class AnswerPair:
    """Paired differences of two systems."""

    names: tuple  # the one that was audited, and the other
    n: int  # questions that are graded for both
    measures: pd.DataFrame = field(repr=False)  # a row a measure: first, second, difference (first less second), ends
    only: tuple  # how many questions are answered right by the first alone, and by the second alone

    @property
    def table(self):
        """The measures as texts."""
        sides = (100 * self.measures[["first", "second"]]).map("{:z.1f}".format).set_axis(self.names, axis=1)
        rows = self.measures[["difference", "low", "high"]].to_numpy()
        return sides.assign(difference=[points_apart(*row) for row in rows]).rename(MEASURES).rename_axis("measure")


def compare_pair(names, tables, confidences, corrects, n_resamples, rng):
    """`AnswerPair` of two tables, with the agreement and correctness (-1 unknown) of their questions."""
    sides = []
    for table, confidence, correct in zip(tables, confidences, corrects, strict=True):
        side = pd.DataFrame({"right": correct, "confidence": confidence}, dtype=float)
        side.index = np.asarray(table.grouped.questions).astype(str)
        sides.append(side.assign(over=confidence - correct)[correct >= 0])
    first, second = sides
    first = first[first.index.isin(second.index)]
    n = len(first)
    if n < 2:
        raise ValueError(
            f"{tables[0].name} and {tables[1].name} must share at least two graded questions to be compared, but they "
            f"share {n}; questions are matched by their names."
        )
    second = second.loc[first.index]
    difference = first - second
    low, high = percentile_ends(resampled_means(difference.to_numpy(), n_resamples, rng=rng))
    columns = {"first": first.mean(), "second": second.mean(), "difference": difference.mean(), "low": low}
    only = tuple(int((difference["right"] == sign).sum()) for sign in (1, -1))
    return AnswerPair(tuple(names), n, pd.DataFrame(columns | {"high": high}), only)
