"""Rows of a file of sampled answers: columns found, spread out where a row holds many answers, and checked."""

from functools import partial

import numpy as np
import pandas as pd

from helpers.answers.counts import first_repeat, sample_numbers
from helpers.checks import check_columns, nearest_name
from helpers.tables.files import EXTENSIONS, open_table
from helpers.tables.logs import LOGS, open_log

MANY = (list, tuple, np.ndarray)

DEFAULTS = {
    "question": "question", "sample": "sample", "answer": "answer", "confidence": "confidence",
    "reference": "reference",
}  # fmt: skip

WITHOUT = {
    "sample": "no column {!r}, so answers are taken in the order of the rows",
    "confidence": "no column {!r}, so no confidence is stated",
    "reference": "no column {!r}, so no right answer is known",
}


def open_answers(path, grade="", graded=True):
    """The file, log or DataFrame as a `Table` of texts, lists and dictionaries; for a log see `open_log`."""
    return open_table(path, EXTENSIONS + LOGS, as_text=True, reader=partial(open_log, grade=grade, graded=graded))


def short(value):
    """A value as errors show it, at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def find_columns(table, roles):
    """({role: column}, notes): the columns that are there; ValueError for one that is asked for and is not."""
    columns = {}
    notes = []
    for role, name in roles.items():
        if name not in table.names and role in WITHOUT and name == DEFAULTS[role]:
            free = [other for other in table.names if other not in {*roles.values(), *DEFAULTS}]
            near = nearest_name(name, free, "column")
            # an optional column under its default name may be absent
            notes += [f"{WITHOUT[role].format(name)}{'; ' + near if near.startswith('did') else ''}"]
        elif name:
            columns[role] = name
    check_columns(table.name, table.names, columns)
    return columns, notes


def long_rows(table, columns):
    """(frame, layout): one row an answer with columns question, sample, answer, confidence, reference and row."""
    # `row` is where the answer stands in the file. If a cell of `answer` holds a list, or counts {answer: count}, all
    # must.
    frame = table.read(list(columns.values())).rename(columns={name: role for role, name in columns.items()})
    frame["row"] = np.arange(len(frame))
    kinds = _kinds(frame["answer"])
    layout = next((kind for kind in ("lists", "counts") if (kinds == kind).any()), "answers")
    if layout == "answers":
        return frame, layout
    if (kinds != layout).any():
        rule = f"hold {'a list of answers' if layout == 'lists' else 'counts'} in every row if it does in one"
        table.reject(columns["answer"], rule, kinds != layout, frame["answer"])
    return _spread(table, columns, frame, layout), layout


def _kinds(cells):
    """What each cell holds: "lists", "counts" or "" for a text or nothing."""
    return cells.map(lambda cell: "lists" if isinstance(cell, MANY) else "counts" if isinstance(cell, dict) else "")


def _spread(table, columns, frame, layout):
    """One row an answer, from one row a question."""
    if layout == "counts":
        cells = [_repeated(table, columns["answer"], row, cell) for row, cell in enumerate(frame["answer"])]
        frame = frame.assign(answer=pd.Series(cells, dtype=object))
    size = frame["answer"].map(len)
    if not size.all():
        table.reject(columns["answer"], "hold at least two answers", size == 0, frame["answer"])
    several = ["answer"]
    for role in ("confidence", "correct"):
        if role in frame and (_kinds(frame[role]) == "lists").any():
            several.append(role)
            frame[role] = [
                cell if isinstance(cell, MANY) else [cell] * n for cell, n in zip(frame[role], size, strict=True)
            ]
            odd = frame[role].map(len) != size
            if odd.any():
                table.reject(columns[role], "hold as many entries as there are answers", odd, frame[role])
    frame = frame.explode(several, ignore_index=True)
    return frame.assign(sample=frame.groupby("row").cumcount() + 1)


def _repeated(table, column, row, counts):
    """The answers of a dictionary of counts, each as often as it says."""
    for answer, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int | float) or count < 0 or count != int(count):
            raise ValueError(
                f"{table.name}: column {column!r} must hold counts that are whole and not negative, but in "
                f"{table.where(row)} the count of {short(answer)} is {count!r}."
            )
    return [answer for answer, count in counts.items() for _ in range(int(count))]


def check_rows(table, columns, frame):
    """Numbers that order the answers to a question; ValueError for no question, a sample twice, few answers."""
    for role in [role for role in ("question", "sample") if role in columns]:
        missing = frame[role].isna().to_numpy()
        if missing.any():
            table.reject(columns[role], f"name the {role} of every answer", missing, frame[role], rows=frame["row"])
    for role in [role for role in ("question", "sample", "reference") if role in columns]:
        listed = (_kinds(frame[role]) != "").to_numpy()
        if listed.any():
            rule = "hold one text or number in each cell"
            table.reject(columns[role], rule, listed, frame[role], rows=frame["row"])
    place = sample_numbers(frame["sample"]) if "sample" in frame else np.arange(len(frame))
    repeat = first_repeat(frame["question"], place)
    if repeat is not None:
        *rows, more = repeat
        places = " and ".join(table.where(frame["row"].iloc[k]) for k in rows)
        raise ValueError(
            f"{table.name}: column {columns['sample']!r} must number the answers to a question, but {places} are both "
            f"sample {frame['sample'].iloc[rows[0]]} of question {short(frame['question'].iloc[rows[0]])}"
            f"{f' (and {more:,} more rows repeat one)' if more else ''}."
        )
    size = frame.groupby("question", sort=False)["row"].agg(["size", "first"])
    few = size[size["size"] < 2]
    if 2 * len(few) >= len(size):
        more = f" (and {len(few) - 1:,} more questions)" if len(few) > 1 else ""
        raise ValueError(
            f"{table.name}: most questions must have at least two answers, but question "
            f"{short(few.index[0])} ({table.where(few['first'].iloc[0])}) has one{more}."
        )
    if len(size) < 2:
        raise ValueError(f"{table.name} must hold at least two questions, but all {len(frame):,} answers are to one.")
    return place


def count_columns(table, names):
    """(Q, C) counts of a file with one row a question; ValueError for one that is negative, not whole or no number."""
    if len(names) < 2:
        raise ValueError(f"counts must name at least two columns, one for each class, but it is {list(names)}.")
    frame = table.read(list(names))
    counts = frame.apply(pd.to_numeric, errors="coerce")
    for name in names:
        bad = ~((counts[name] >= 0) & (counts[name] % 1 == 0))
        if bad.any():
            hint = "Write 0 where a class was not given." if frame[name].isna()[bad].any() else ""
            table.reject(name, "hold counts (whole numbers, not negative)", bad, frame[name], hint)
    return counts.astype(np.int64)
