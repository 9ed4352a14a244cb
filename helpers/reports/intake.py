"""A user's table before the audit: read, looked at for repeated people, and checked for what it can certify."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.tables import find_table, read_scores

LEAST_ROWS, LEAST_EVENTS, LEAST_GROUPS = 300, 20, 40

SHIPPED = "data/rand_scores.csv.gz"

NAMES_OF_GROUPS = r"(.*[_ ])?(id|person|patient|subject|customer|user|household|family|hospital|site|school)([_ ].*)?"


def read_table(path, label="label", score="score", *, features=None, weight=None, group=None):
    """`helpers.tables.read_scores`, where "" and [] stand for "not given"; the shipped table is grouped by person.

    >>> print(read_table("data/rand_scores.csv.gz"))
    rand_scores.csv.gz: 10,052 rows in 2,647 groups, 7 features; 69.3% positive
    """
    note = ""
    used = {label, score, weight, *(features or [])}
    if not group and "person" not in used and find_table(path).resolve() == find_table(SHIPPED).resolve():
        group, note = "person", "the years of one person are kept together (column 'person')"
    table = read_scores(
        path, label=label, score=score, features=features or None, weight=weight or None, group=group or None
    )
    return replace(table, note="; ".join(filter(None, [table.note, note])))


def two_costs(costs):
    """Rule of the parameter `cost`: the extra costs of a false alarm and of a miss; None, or what is wrong with them.

    >>> two_costs([1, 5]), two_costs([0, 0])
    (None, 'must be two costs, none below 0 and not both 0')
    """
    fine = len(costs) == 2 and min(costs) >= 0 and 0 < max(costs) < float("inf")
    return None if fine else "must be two costs, none below 0 and not both 0"


def repeated_rows(table):
    """Share of the rows that equal the row before in score and features, less the share that chance would give.

    A high share says that neighbours are the same person, whose rows are not independent.

    >>> round(repeated_rows(read_table("data/rand_scores.csv.gz")), 2)
    0.74
    """
    columns = table.X.assign(**{"stated probability": table.p})
    code = pd.util.hash_pandas_object(columns, index=False).to_numpy()
    share = np.unique(code, return_counts=True)[1] / code.size
    return max(0.0, float((code[1:] == code[:-1]).mean() - (share**2).sum()))


def likely_groups(table):
    """Features whose names suggest people or places with several rows each: candidates for `group`."""
    named = [name for name in table.features if re.fullmatch(NAMES_OF_GROUPS, name.lower())]
    return [name for name in named if table.X[name].nunique() >= 10]


def find_obstacle(table):
    """Why grouping loss and groups cannot be sought in this table, in one sentence; "" if they can.

    Limits: 300 rows (effective ones, with weights), 20 cases of the rarer label, 40 groups; below 40 groups the null
    test raises too many alarms (8 % with 20 groups of 100 rows).
    """
    weight = np.ones(table.n) if table.weight is None else table.weight
    used = weight > 0
    rows = weight.sum() ** 2 / (weight**2).sum()
    ones = int(table.y[used].sum())
    events = min(ones, int(used.sum()) - ones)
    if not table.features:
        return "The table has no features, so cases with the same score cannot be told apart."
    if rows < LEAST_ROWS:
        worth = "" if table.weight is None else f", with their weights worth {rows:,.0f}"
        return f"The table has {table.n:,} cases{worth}; below {LEAST_ROWS} they say too little about single people."
    if events < LEAST_EVENTS:
        return f"Only {events} cases have the rarer label; at least {LEAST_EVENTS} are needed."
    if table.groups is not None and (many := np.unique(table.groups[used]).size) < LEAST_GROUPS:
        return f"The cases come from only {many} people or places; at least {LEAST_GROUPS} are needed."
    return ""
