"""Columns of a table with a role, as arrays; a ValueError names the file, the column, the first row and the cure."""

import numpy as np
import pandas as pd

from helpers.checks import LARGEST, check_columns, check_groups
from helpers.partition.kinds import text_as_values

DECIMALS = r"\s*-?\d*,\d+\s*"

MANY = 20  # different numbers, from which a label is taken for that of a regression


def check_roles(table, roles):
    """ValueError unless each column of {role: column or None} is there, and none has two roles; those that are."""
    given = {role: column for role, column in roles.items() if column is not None}
    for role in ("label", "score"):
        if role in roles and role not in given:
            raise ValueError(f"{role} must name a column of {table.name}, but it is None.")
    check_columns(table.name, table.names, given)
    return given


def check_cells(table, column, values):
    """ValueError for a column that holds lists, dictionaries or the like."""
    if values.dtype == object:
        bad = ~values.map(pd.api.types.is_scalar).to_numpy(bool)
        if bad.any():
            table.reject(column, "hold one number or word in each row", bad, values)


def in_percent(values):
    """Whether a column of text holds numbers with a percent sign."""
    words = values.dropna().head(1)
    if not len(words) or not isinstance(words.iloc[0], str) or "%" not in words.iloc[0]:
        return False
    return text_as_values(values).dtype.kind == "f"


def _numbers(values):
    return values if values.dtype.kind in "biuf" else pd.to_numeric(values.astype(object), errors="coerce")


def numbers(table, column, values, rule="hold numbers"):
    """Float array of a column; ValueError for text or a missing value."""
    check_cells(table, column, values)
    array = _numbers(values)
    bad = array.isna()
    if bad.any():
        text = values[bad].dropna().astype(str)
        hint = "Write decimals with a point, not a comma." if text.str.fullmatch(DECIMALS).any() else ""
        table.reject(column, rule, bad, values, hint)
    return array.to_numpy(dtype=float)


def labels(table, column, values):
    """Labels 0 and 1 of a column, both of which occur."""
    rule = "hold labels 0 and 1 (or False and True)"
    check_cells(table, column, values)
    if values.isna().any():
        table.reject(column, rule, values.isna(), values)
    number = _numbers(values)
    bad = ~number.isin([0, 1])
    if bad.any():
        table.reject(column, rule, bad, values, _cure_of_labels(column, values, number))
    y = number.to_numpy(dtype=np.int8)
    if (y == y[0]).all():
        raise ValueError(
            f"{table.name}: column {column!r} must hold both classes, but all {y.size:,} labels are {y[0]}."
        )
    return y


def _cure_of_labels(column, values, number):
    """What can be audited where labels are others than 0 and 1."""
    kinds = list(values.drop_duplicates())
    if len(kinds) == 1:
        return f"It holds {kinds[0]} only."
    if len(kinds) > 2 and number.between(0, 1).all():
        return "It looks like a score: are label and score exchanged?"
    if len(kinds) > MANY and (number % 1 != 0).any() and number.notna().all():
        return "It looks like a regression: audit the probability of an event, such as a value above a limit."
    size = dict(zip(values, number.fillna(0), strict=True))  # of two numbers the larger, of two words the last
    event = max(kinds, key=lambda kind: (size[kind], str(kind)))
    event = event if isinstance(event, str) else float(event)
    example = f"for example table[{column!r}] = (table[{column!r}] == {event!r}).astype(int)."
    if len(kinds) == 2:
        return f"It holds {kinds[0]} and {kinds[1]}: write 1 for the event that is scored, {example}"
    shown = ", ".join(map(str, kinds[:5]))
    return (
        f"It holds {len(kinds):,} different values: {shown}{', …' if len(kinds) > 5 else ''}. Give a score for each "
        f"(score 'p_*'), or audit one class against the rest, {example} Or whether the prediction is right, with its "
        "score."
    )


def scores(table, column, values):
    """Stated probabilities of a column, which differ."""
    rule = "hold probabilities in [0, 1]"
    if in_percent(values):
        values = text_as_values(values) / 100
        table.notes.append(f"the percentages in {column!r} are read as probabilities")
    p = numbers(table, column, values, rule)
    bad = ~((p >= 0) & (p <= 1))
    if bad.any():
        hint = "If these are percentages, divide them by 100." if p.min() >= 0 and p.max() <= 100 else ""
        if p.min() < 0:
            hint = "If these are logits, turn them into probabilities with 1 / (1 + exp(-logit))."
        table.reject(column, rule, bad, values, hint)
    if (p == p[0]).all():
        raise ValueError(
            f"{table.name}: column {column!r} must hold scores that differ, but all {p.size:,} are {p[0]:g}."
        )
    return p


def weights(table, column, values):
    rule = f"hold weights from 0 to {LARGEST:g}"
    weight = numbers(table, column, values, rule)
    bad = ~((weight >= 0) & (weight <= LARGEST))
    if bad.any():
        table.reject(column, rule, bad, values)
    return weight


def groups(table, column, values):
    """Codes 0 .. G-1 of the groups that a column names."""
    check_cells(table, column, values)
    if values.isna().any():
        table.reject(column, "name the group of every row", values.isna(), values)
    return check_groups(values, f"{table.name}: column {column!r}")
