"""A file with the answers of one system or several."""

from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.checks import check_columns, check_one_of
from helpers.datasets.recorded_model import recorded_answers
from helpers.tables.answer_layouts import open_answers

RECORDED = ("prompt", "sample", "spelling", "references", "correct", "posterior", "is_true")  # and only there

RECORDED_LINE = {"prompt", "question", "references", "answers", "ratings"}

RECORDED_SYSTEM = "prompt"


def open_system(path, system, only, grade, graded):
    """The file as a `Table` with the rows of one system, see `read_answers`."""
    table = open_all(path, grade, graded)
    names = systems_of(table, system)
    if not names:
        if only:
            raise ValueError(f"only names a system, {only!r}, but system names no column that tells systems apart.")
        return table
    column = system or RECORDED_SYSTEM
    name = str(only) if only else names[0]
    check_one_of(name, "only", names)
    values = table.read([column])[column].map(str)
    return table.only(np.flatnonzero(values == name), f"this is about the answers where {column} is {name!r}")


def open_all(path, grade="", graded=True):
    """The file as a `Table`; the recorded log has a row an answer, and no greedy answers."""
    table = open_answers(path, grade, graded)
    if RECORDED_LINE <= set(table.names):
        try:
            frame = recorded_answers(table.frame.to_dict("records"))
        except (KeyError, TypeError) as error:
            raise ValueError(f"{table.name} must be the recorded log of answers, but a line lacks {error}.") from None
        table = replace(table, frame=frame, places=None, unit="row")
    if set(RECORDED) <= set(table.names):
        greedy = (pd.to_numeric(table.frame["sample"], errors="coerce") == 0).to_numpy()
        if greedy.any():
            note = f"{greedy.sum():,} greedy answers (sample 0) to all prompts left out"
            return table.only(np.flatnonzero(~greedy), note)
    return table


def systems_of(table, system=""):
    """Names of the systems in a file in order of appearance; none where no column tells them apart."""
    if not system and not set(RECORDED) <= set(table.names):
        return []
    column = system or RECORDED_SYSTEM
    check_columns(table.name, table.names, {"system": column})
    values = table.read([column])[column]
    if values.isna().any():
        table.reject(column, "name the system of every answer", values.isna().to_numpy(), values)
    return list(dict.fromkeys(map(str, values)))
