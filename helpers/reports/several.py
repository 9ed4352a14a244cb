"""Scores of several classes: the grouping loss of all of them together, and who is told the wrong class."""

from dataclasses import dataclass

import pandas as pd

from helpers.audit import audit_groups
from helpers.grouping import GroupingLoss, grouping_loss

MOST_ROWS = 50_000  # that are searched


@dataclass(frozen=True)
class SeveralClasses:
    """What is said of the vector of scores beyond that of the answer.

    loss : summed over classes; groups : as `audit_groups` gives them, a row a group
    """

    loss: GroupingLoss
    groups: pd.DataFrame


def measure_classes(table, rng):
    """`SeveralClasses` of a checked table, None for scores of one class."""
    if table.classes is None:
        return None
    of_loss, of_rows, of_groups = rng.spawn(3)
    y, P = table.classes.y, table.classes.P
    options = {"sample_weight": table.weight, "groups": table.groups}
    loss = grouping_loss(y, P, table.X, **options, rng=of_loss)
    if table.n > MOST_ROWS:
        rows = of_rows.choice(table.n, MOST_ROWS, replace=False)
        some = table.take(rows)
        y, P, X = some.classes.y, some.classes.P, some.X
        options = {"sample_weight": some.weight, "groups": some.groups}
    else:
        X = table.X
    return SeveralClasses(loss, audit_groups(y, P, X, **options, rng=of_groups))
