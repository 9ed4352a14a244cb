"""Columns of a table with a role, as arrays; a ValueError names the file, the column, the first row and the cure."""

import numpy as np
import pandas as pd

from helpers.checks import LARGEST, SLACK, check_columns, check_groups, check_one_of, looks_like, outside_of_range
from helpers.partition.column_notes import notes_on_column
from helpers.partition.kinds import text_as_values
from helpers.partition.notation import LIKE_A_NUMBER
from helpers.practice.tables.files import check_header

MOST_LOST = 0.05  # by which digits that were cut off may move the sum of a row from 1

MANY = 20  # different numbers, from which a label is taken for that of a regression


def check_roles(table, roles):
    """ValueError unless each column of {role: column or None} is there, and none has two roles; those that are."""
    given = {role: column for role, column in roles.items() if column is not None}
    for role in ("label", "score"):
        if role in roles and role not in given:
            raise ValueError(f"{role} must name a column of {table.name}, but it is None.")
    if not set(given.values()) <= set(table.names) and not table.is_log:
        check_header(table.name, table.names, [name for name in table.names if "." in name])
    check_columns(table.name, table.names, given)
    return given


def check_cells(table, column, values):
    """ValueError for a column that holds lists, dictionaries or the like."""
    if values.dtype == object:
        bad = ~values.map(pd.api.types.is_scalar).to_numpy(bool)
        if bad.any():
            table.reject(column, "hold one number or word in each row", bad, values)


def _numbers(values):
    return values if values.dtype.kind in "biuf" else pd.to_numeric(values.astype(object), errors="coerce")


def numbers(table, column, values, rule="hold numbers"):
    """Float array of a column; ValueError for text or a missing value."""
    check_cells(table, column, values)
    read = text_as_values(values, table.decimal)
    is_read = read is not values and read.dtype.kind == "f"
    array = read if is_read else _numbers(values)
    if array.isna().any():
        text = values[array.isna()].dropna().astype(str)
        hint = "Write all numbers alike, decimals with a point." if text.str.fullmatch(LIKE_A_NUMBER).any() else ""
        table.reject(column, rule, array.isna(), values, hint)
    if is_read:
        table.notes += [] if read.attrs["unit"] == "%" else notes_on_column(column, values, table.decimal)
    elif values.dtype.kind not in "biuf" and values.map(lambda value: isinstance(value, str)).any():
        hint = "Is the sign in it one of thousands or of decimals? Write 2000 or 2.0."
        table.reject(column, rule, values.astype(str).str.contains(r"[.,]"), values, hint)
    return array.to_numpy(dtype=float)


def labels(table, column, values, event=None, score=None):
    """Labels 0 and 1 of a column, both of which occur; `event` is the value that counts as 1, `score` the scores."""
    check_cells(table, column, values)
    if values.isna().any():
        table.reject(column, "hold a label", values.isna(), values)
    if event is not None:
        values = _is_event(table, column, values, event)
    rule = "hold labels 0 and 1 (or False and True)"
    number = _numbers(values)
    bad = ~number.isin([0, 1])
    if bad.any():
        table.reject(column, rule, bad, values, _cure_of_labels(values, number, score))
    y = number.to_numpy(dtype=np.int8)
    if (y == y[0]).all():
        raise ValueError(
            f"{table.name}: column {column!r} must hold both classes, but all {y.size:,} labels are {y[0]}."
        )
    return y


def _is_event(table, column, values, event):
    """1 where a label is the event, with a note on what is 0."""
    words = label_words(values)
    event = label_words(pd.Series([event]))[0]
    try:
        check_one_of(event, "event", list(pd.unique(words)))
    except ValueError as error:
        raise ValueError(f"{table.name}: column {column!r}: {error}") from None
    others = pd.Series(words[words != event]).value_counts()
    n = values.size - others.sum()
    table.notes.append(
        f"{column!r} counts as 1 where it is {event} (rows: {n:,}) and as 0 where it is {counted(others)}"
    )
    return pd.Series((words == event).astype(int), values.index)


def counted(counts):
    """The first values of `value_counts` in words, each with its rows."""
    shown = ", ".join(f"{value} ({count:,})" for value, count in counts[:5].items())
    return f"{shown}{f' and {len(counts) - 5:,} more' if len(counts) > 5 else ''}"


def label_words(values):
    """Labels as words, (n,): 1 and 1.0, of which a missing one beside it makes the second, are the same."""
    words = [f"{v:.0f}" if isinstance(v, float) and v.is_integer() else str(v).strip() for v in values.astype(object)]
    return np.array(words, dtype=object)


def _cure_of_labels(values, number, score):
    """What can be audited where labels are others than 0 and 1."""
    kinds = list(dict.fromkeys(label_words(values)))
    shown = f"{', '.join(kinds[:5])}{', …' if len(kinds) > 5 else ''}"
    if len(kinds) == 1:
        return f"It holds {shown} only."
    if len(kinds) == 2:
        first, second = kinds
        return (
            f"Which of the two the score is the chance of, only you know: event={first!r} or event={second!r} "
            f"(-p event {_quoted(first)} or -p event {_quoted(second)})."
        )
    if number.between(0, 1).all():
        if score is not None and score.isin([0, 1]).all():
            return "Are label and score exchanged?"
        return (
            f"It holds {shown}: leave out rows that are neither 0 nor 1, or let them count as 0 (event=1, -p event 1)."
        )
    if len(kinds) > MANY and (number % 1 != 0).any() and number.notna().all():
        return "It looks like a regression: audit the probability of an event, such as a value above a limit."
    return (
        f"It holds {len(kinds):,} different values: {shown}. Give a score for each (score 'p_*'), or audit one against "
        f"the rest by its score, such as event={kinds[0]!r} (-p event {_quoted(kinds[0])}). Or whether the prediction "
        "is right, with its score."
    )


def _quoted(word):
    """A word as a command line takes it."""
    return word if word.isalnum() else f'"{word}"'


def scores(table, column, values):
    """Stated probabilities of a column, which differ."""
    p = _probabilities(table, [column], {column: values})[:, 0]
    bad = outside_of_range(p)
    if bad.any():
        table.reject(column, "hold probabilities in [0, 1]", bad, values, looks_like(p))
    p = _put_back(table, column, p)
    if (p == p[0]).all():
        raise ValueError(
            f"{table.name}: column {column!r} must hold scores that differ, but all {p.size:,} are {p[0]:g}."
        )
    return p


def _probabilities(table, columns, frame):
    """(n, K) numbers of columns, those with a percent sign as shares, which is noted."""
    shares = []
    percent = []
    for column in columns:
        p = numbers(table, column, frame[column], "hold probabilities in [0, 1]")
        if text_as_values(frame[column], table.decimal).attrs.get("unit") == "%":
            percent.append(column)
            p = p / 100
        shares.append(p)
    if percent:
        more = f" and {len(percent) - 1:,} more columns" if percent[1:] else ""
        table.notes.append(f"the percentages in {percent[0]!r}{more} are read as probabilities")
    return np.column_stack(shares)


def _put_back(table, column, p):
    """Scores with those that leave [0, 1] by a rounding error at its ends, and a note on how many."""
    beyond = int(((p < 0) | (p > 1)).sum())
    if beyond:
        table.notes.append(f"put back to 0 and 1 from a rounding error beyond: {beyond:,} of {p.size:,} in {column!r}")
    return np.clip(p, 0, 1)


def class_scores(table, of_class, frame):
    """Scores of all classes, a frame named by class; each row sums to 1, after a division if digits were cut."""
    P = _probabilities(table, of_class.values(), frame)
    outside = outside_of_range(P)
    for k, column in enumerate(of_class.values()):
        if outside[:, k].any():
            table.reject(column, "hold probabilities in [0, 1]", outside[:, k], frame[column], _cure_of_classes(P))
    P = np.column_stack([_put_back(table, column, p) for column, p in zip(of_class.values(), P.T, strict=True)])
    total = P.sum(axis=1)
    off = np.abs(total - 1)
    digits = next((digits for digits in range(1, 9) if np.abs(P - P.round(digits)).max() < 1e-9), 9)
    bad = off > max(SLACK, min(P.shape[1] / 2 * 10.0**-digits, MOST_LOST)) + 1e-9
    if bad.any():
        first = int(np.argmax(bad))
        more = f" (and in {bad.sum() - 1:,} more rows)" if bad.sum() > 1 else ""
        raise ValueError(
            f"{table.name}: the scores of {P.shape[1]} classes must sum to 1, but in {table.where(first)} they sum to "
            f"{total[first]:.6g}{more}. If {', '.join(of_class.values())} are the scores of all classes, divide each "
            "by the sum of its row; else name all of them."
        )
    cut = int((off > SLACK).sum())
    if cut:
        table.notes.append(
            f"divided by their sum, {total.min():.6g} to {total.max():.6g} as scores are cut to {digits} digits: "
            f"{cut:,} of {len(P):,} rows"
        )
        P = P / total[:, None]
    return pd.DataFrame(P, columns=list(of_class))


def _cure_of_classes(P):
    """What a table of scores surely is that are no probabilities, with the cure."""
    if (P >= 0).all() and np.abs(P.sum(axis=1) - 100).max() < 5:
        return "If these are percentages, divide them by 100."
    if outside_of_range(P).mean() > 0.5:
        return "If these are logits, take exp of them and divide by the sum of the row."
    return ""


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
        cure = "Give rows that belong to no other row a name of their own each, or leave them out."
        table.reject(column, "name the group of every row", values.isna(), values, cure)
    return check_groups(values, f"{table.name}: column {column!r}")
