"""A file with the answers of one system or several."""

from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.checks import check_columns, check_one_of
from helpers.datasets.recorded_model import recorded_answers
from helpers.tables.answer_layouts import Source, open_answers
from helpers.tables.files import FrameTable

RECORDED = ("prompt", "sample", "spelling", "references", "correct", "posterior", "is_true")  # and only there

RECORDED_LINE = {"prompt", "question", "references", "answers", "ratings"}

RECORDED_SYSTEM = "prompt"

MOST_SYSTEMS = 20


def open_system(path, system, only, grade, graded):
    """The file as a `Source` with the rows of one system, see `read_answers`."""
    source = open_all(path, grade, graded)
    names = systems_of(source, system)
    if not names:
        if only:
            raise ValueError(f"only names a system, {only!r}, but system names no column that tells systems apart.")
        return source
    column = system or RECORDED_SYSTEM
    chosen = str(only) if only else names[0]
    check_one_of(chosen, "only", names)
    values = source.read([column])[column].map(str)
    return source.only(np.flatnonzero(values == chosen), f"this is about the answers where {column} is {chosen!r}")


def open_all(path, grade="", graded=True):
    """The file as a `Source`, unless it is one; the recorded log has a row an answer, and no greedy answers."""
    if isinstance(path, Source):
        return path
    source = open_answers(path, grade=grade, graded=graded)
    if RECORDED_LINE <= set(source.names):
        records = source.read(source.names).to_dict("records")
        try:
            frame = recorded_answers(records)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{source.name} must be the recorded log of answers, but a line lacks {error}.") from None
        source = replace(source, table=FrameTable(frame, source.name, source.notes))
    if set(RECORDED) <= set(source.names):
        sample = pd.to_numeric(source.read(["sample"])["sample"], errors="coerce").to_numpy(float)
        if (sample == 0).any():
            n_greedy = int((sample == 0).sum())
            return source.only(
                np.flatnonzero(sample != 0), f"{n_greedy:,} greedy answers (sample 0) to all prompts left out"
            )
    return source


def systems_of(source, system=""):
    """Names of the systems in a file in order of appearance; none where no column tells them apart."""
    if not system and not set(RECORDED) <= set(source.names):
        return []
    column = system or RECORDED_SYSTEM
    check_columns(source.name, source.names, {"system": column})
    values = source.read([column])[column]
    if values.isna().any():
        source.reject(column, "name the system of every answer", values.isna().to_numpy(), values)
    names = list(dict.fromkeys(map(str, values)))
    if len(names) > MOST_SYSTEMS:
        raise ValueError(
            f"{source.name}: column {column!r} must tell at most {MOST_SYSTEMS} systems apart, but it has "
            f"{len(names):,} values. Is this the column of systems?"
        )
    return names
