"""Columns that give the outcome away, alone, in pairs, by one level or by a missing value, or are known only later."""

import re
from itertools import combinations

import numpy as np
import pandas as pd

from helpers.profile.alerts import Alert
from helpers.profile.columns import CodedColumn

LEAKED = 0.03  # of the cases of the rarer label: cells that mistake no more of them give the outcome away
BEYOND = 0.2  # of the mistakes that the scores leave in the same cells
LEAST_RARE = 20  # cases of the rarer label
PURE = 0.01  # of the rows of a level that have the other outcome
NEARLY_PURE = 0.5  # of the rows with the other outcome that the scores expect
SURPRISE = 12.0  # such rows by the scores: none of them comes by chance once in 160,000 levels
MOST_LEVELS = 50
ROWS_OF_A_CELL = 20  # on average
MOST_PAIRED = 60  # columns of which pairs are looked at
MOST_ROWS = 50_000

AFTERWARDS = re.compile(
    r"(y[_ ]?true|ground[_ ]?truth|gold([_ ]\w+)?|(final[_ ])?outcome"
    r"|(correct|right|true|actual)[_ ](answer|label|class|outcome|option|choice))",
    re.IGNORECASE,
)
WHEN_SCORED = re.compile(
    r"(.*[_ ])?(scored|score|prediction|predicted|forecast)[_ ](at|on|date|day|time)", re.IGNORECASE
)


def find_leaks(columns, y, c):
    """Alerts for columns that tell the outcome better than the scores do, alone or in pairs."""
    if y.size > MOST_ROWS:
        rows = np.arange(0, y.size, -(-y.size // MOST_ROWS))
        columns = [CodedColumn(column.name, column.values.iloc[rows]) for column in columns]
        y, c = y[rows], c[rows]
    if min(y.sum(), y.size - y.sum()) < LEAST_RARE:
        return []
    alerts = []
    rest = []
    for column in columns:
        alert = _alone(column, y, c)
        (rest if alert is None else alerts).append(alert or column)
    return alerts + (_pairs(rest, y, c) if len(columns) <= MOST_PAIRED else [])


def find_afterwards(columns, known=()):
    """Alerts for columns that by their name, or by their dates, can be known only after the score."""
    alerts = [
        Alert("afterwards", (column.name,), n=int((column.code >= 0).sum()), value=1.0, more={"by": "by its name"})
        for column in columns
        if AFTERWARDS.fullmatch(column.name) and column.name not in known
    ]
    dates = [column for column in columns if column.is_date]
    scored = [column for column in dates if WHEN_SCORED.fullmatch(column.name)]
    for column in dates:
        if len(scored) != 1 or column is scored[0] or column.name in known:
            continue
        later = float((column.values > scored[0].values).mean())
        if later > 0.5:
            by = f"by its dates, which lie after {scored[0].name}"
            alerts.append(Alert("afterwards", (column.name,), n=len(column.code), value=later, more={"by": by}))
    return alerts


def _alone(column, y, c):
    """Alert for a column that tells the outcome, or of which one level or a missing value nearly always does."""
    cell = _cells(column)
    leaked = _leaked(cell, y, c)
    if leaked:
        return Alert("leak", (column.name,), n=y.size, value=leaked, more={"by": "in nearly every row"})
    count = np.bincount(cell)
    ones = np.bincount(cell, y)
    stated = np.bincount(cell, c)
    for outcome, other, expected in ((1, count - ones, count - stated), (0, ones, stated)):
        is_pure = (other <= PURE * count) & (expected - other >= SURPRISE) & (other <= 0.1 * expected)
        is_pure &= _stands_apart(is_pure, count, other, expected)
        if column.is_ordered or column.n_levels > _most_levels(column):
            is_pure[1:] = False  # of numbers and of pooled levels, only a missing value is odd
        if is_pure.any() and not is_pure.all():
            level = int(np.flatnonzero(is_pure)[np.argmax(count[is_pure])])
            words = "where it is missing" if level == 0 else f"where it is {column.words[level - 1]!r}"
            but = f"but {other[level]:.0f} of " if other[level] else ""
            by = f"{words}: there it is {outcome} in all {but}{count[level]:,} rows"
            return Alert(
                "leak", (column.name,), n=int(count[level]), value=float(count[level] / y.size), more={"by": by}
            )
    return None


def _stands_apart(is_pure, count, other, expected):
    """Whether no other level of some rows is nearly as pure: levels that differ by nature differ by degrees."""
    rest = ~is_pure & (count >= ROWS_OF_A_CELL)
    return is_pure.sum() == 1 and rest.any() and bool((other[rest] >= NEARLY_PURE * expected[rest]).all())


def _cells(column):
    """Cells of a column: 0 for missing, then its levels, or parts of a number with many values."""
    most = _most_levels(column)
    if column.n_levels <= most:
        return column.code + 1
    if column.is_ordered:
        place = np.argsort(np.argsort(column.code, kind="stable"), kind="stable")
        part = place * most // place.size + 1
        first = pd.Series(part).groupby(column.code).transform("min").to_numpy()  # equal values stay together
        return np.where(column.code < 0, 0, first)
    count = np.bincount(column.code[column.code >= 0], minlength=column.n_levels)
    rank = np.empty(count.size, int)
    rank[np.argsort(-count, kind="stable")] = np.arange(count.size)
    return np.where(column.code < 0, 0, np.minimum(rank[column.code], most - 1) + 1)


def _most_levels(column):
    """Cells of a column, so that each has some rows."""
    return max(min(MOST_LEVELS, column.code.size // ROWS_OF_A_CELL), 2)


def _leaked(cell, y, c):
    """Share of the rarer label that cells tell, if they mistake hardly any and the scores far more; else 0."""
    count = np.bincount(cell)
    ones = np.bincount(cell, y)
    stated = np.bincount(cell, c)
    wrong = np.minimum(ones, count - ones).sum()
    rarer = min(y.sum(), y.size - y.sum())
    by_scores = np.minimum(stated, count - stated).sum()
    knows_more = wrong <= BEYOND * by_scores and by_scores - wrong >= SURPRISE
    return float(1 - wrong / rarer) if wrong <= LEAKED * rarer and knows_more else 0.0


def _pairs(columns, y, c):
    """Alerts for pairs of columns whose comparison (equal, smaller, larger) tells the outcome."""
    alerts = []
    for one, other in combinations(columns, 2):
        cell = _compared(one, other)
        leaked = 0.0 if cell is None else _leaked(cell, y, c)
        if leaked:
            by = "by which of the two is larger" if one.has_sizes else "by being equal or not"
            alerts.append(Alert("leak", (one.name, other.name), n=y.size, value=leaked, more={"by": by}))
    return alerts


def _compared(one, other):
    """Cells of a comparison of two columns of one kind; None of columns that cannot be compared."""
    missing = (one.code < 0) | (other.code < 0)
    kinds = [(column.has_sizes, column.is_date) for column in (one, other)]
    if kinds[0] != kinds[1]:
        return None
    if one.has_sizes:
        try:
            smaller = (one.values < other.values).to_numpy(bool, na_value=False)
            larger = (one.values > other.values).to_numpy(bool, na_value=False)
        except TypeError:  # dates with and without a time zone
            return None
        return np.where(missing, 3, smaller + 2 * larger)
    if len(set(one.words) & set(other.words)) < 2:
        return None
    place = {word: k for k, word in enumerate(dict.fromkeys([*one.words, *other.words]))}
    first, second = (np.array([*map(place.get, column.words), -1])[column.code] for column in (one, other))
    return np.where(missing, 2, (first == second).astype(int))
