"""Columns of a table with a role, as arrays; a ValueError names the file, the column, the first row and the cure."""

import numpy as np
import pandas as pd

from helpers.checks import LARGEST, check_columns, check_groups

DECIMALS = r"\s*-?\d*,\d+\s*"


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


def numbers(table, column, values, rule="hold numbers"):
    """Float array of a column; ValueError for text or a missing value."""
    check_cells(table, column, values)
    array = pd.to_numeric(values.astype(object), errors="coerce") if values.dtype.kind not in "biuf" else values
    bad = array.isna()
    if bad.any():
        text = values[bad].dropna().astype(str)
        hint = ""
        if text.str.fullmatch(DECIMALS).any():
            hint = "Write decimals with a point, not a comma."
        elif text.str.strip().str.endswith("%").any():
            hint = "Write 0.25, not 25%."
        table.reject(column, rule, bad, values, hint)
    return array.to_numpy(dtype=float)


def labels(table, column, values):
    """Labels 0 and 1 of a column, both of which occur."""
    rule = "hold labels 0 and 1 (or False and True)"
    check_cells(table, column, values)
    if values.isna().any():
        table.reject(column, rule, values.isna(), values, "Drop the rows without a label.")
    number = pd.to_numeric(values.astype(object), errors="coerce") if values.dtype.kind not in "biuf" else values
    bad = ~number.isin([0, 1])
    if bad.any():
        kinds = list(values.drop_duplicates().head(1000))
        shown = ", ".join(map(str, kinds[:5]))
        hint = f"It holds {len(kinds):,} different values: {shown}{', …' if len(kinds) > 5 else ''}."
        if len(kinds) == 2:
            size = dict(zip(values, number.fillna(0), strict=True))  # of two numbers the larger, of two words the last
            event = max(kinds, key=lambda kind: (size[kind], str(kind)))
            event = event if isinstance(event, str) else float(event)
            hint = (
                f"It holds {kinds[0]} and {kinds[1]}: write 1 for the event that the score is the probability of, for "
                f"example table[{column!r}] = (table[{column!r}] == {event!r}).astype(int)."
            )
        elif number.between(0, 1).all():
            hint = "It looks like a score: are label and score exchanged?"
        table.reject(column, rule, bad, values, hint)
    y = number.to_numpy(dtype=np.int8)
    if (y == y[0]).all():
        raise ValueError(
            f"{table.name}: column {column!r} must hold both classes, but all {y.size:,} labels are {y[0]}."
        )
    return y


def scores(table, column, values):
    """Stated probabilities of a column, which differ."""
    rule = "hold probabilities in [0, 1]"
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
    """Sampling weights of a column, none of which is heavier than all others together."""
    rule = "hold weights that are finite and not negative"
    weight = numbers(table, column, values, rule)
    bad = ~((weight >= 0) & (weight <= LARGEST))
    if bad.any():
        table.reject(column, rule, bad, values, f"Weights may be as large as {LARGEST:g}.")
    if not weight.any():
        raise ValueError(
            f"{table.name}: column {column!r} must not be zero everywhere, but all {weight.size:,} weights are 0."
        )
    if weight.max() > weight.sum() / 2:
        first = int(weight.argmax())
        raise ValueError(
            f"{table.name}: column {column!r} must hold weights of many rows, but {table.where(first)} "
            f"({weight[first]:g}) weighs more than all others together."
        )
    return weight


def groups(table, column, values):
    """Codes 0 .. G-1 of the groups that a column names."""
    check_cells(table, column, values)
    if values.isna().any():
        table.reject(column, "name the group of every row", values.isna(), values)
    return check_groups(values, f"{table.name}: column {column!r}")
