"""A file with the answers of one system or several, and two of them read for comparison."""

import numpy as np
import pandas as pd

from helpers.checks import check_columns, check_one_of
from helpers.datasets.recorded_model import recorded_answers
from helpers.tables.answer_layouts import FrameTable, Source, open_answers_or_log

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
    source = open_answers_or_log(path, grade=grade, graded=graded)
    if RECORDED_LINE <= set(source.names):
        records = source.read(source.names).to_dict("records")
        try:
            frame = recorded_answers(records)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{source.file} must be the recorded log of answers, but a line lacks {error}.") from None
        source.names = list(frame)
        source.reader = FrameTable(frame)
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
    check_columns(source.file, source.names, {"system": column})
    values = source.read([column])[column]
    if values.isna().any():
        source.reject(column, "name the system of every answer", values.isna().to_numpy(), values)
    names = list(dict.fromkeys(map(str, values)))
    if len(names) > MOST_SYSTEMS:
        raise ValueError(
            f"{source.file}: column {column!r} must tell at most {MOST_SYSTEMS} systems apart, but it has "
            f"{len(names):,} values. Is this the column of systems?"
        )
    return names


def read_systems(path, *, system="", systems=(), against="", **columns):
    """Read the answers of one system, or of two to compare: from one file with a column of systems, or from two files.

    Parameters
    ----------
    path : str, Path or DataFrame
        As in `read_answers`.
    system : str, default ""
        Column that tells systems apart; "" for one system. The recorded log tells its two prompts apart.
    systems : list of str, default ()
        The two to compare, the one to audit first; () for all, which may be two at the most.
    against : str or Path, default ""
        A second file with the same columns, instead of a column of systems; "" for none.
    **columns
        As in `read_answers`.

    Returns
    -------
    dict of str to AnswerTable
        One or two, the one to audit first.

    Raises
    ------
    ValueError
        As `read_answers`, for systems that are not there or more than two, and for both a column and a second file.

    Examples
    --------
    >>> list(read_systems("data/smollm2_answers.jsonl.gz"))
    ['examples', 'plain']
    """
    from helpers.tables.answers import read_answers

    systems = [systems] if isinstance(systems, str) else list(systems)
    if str(against):
        if system or systems:
            raise ValueError("against names a second file, so system and systems must be empty.")
        first = read_answers(path, **columns)
        second = read_answers(against, **columns)
        names = [first.name, second.name if second.name != first.name else f"{second.name} (2)"]
        return dict(zip(names, [first, second], strict=True))
    graded = bool(columns.get("correct")) or columns.get("reference", "reference") == "reference"
    source = open_all(path, columns.get("correct", ""), graded)
    names = systems_of(source, system)
    for name in systems:
        if not names:
            raise ValueError(f"systems names {name!r}, but system names no column that tells systems apart.")
        check_one_of(str(name), "systems", names)
    chosen = list(dict.fromkeys(map(str, systems))) or names
    if not chosen:
        return {"": read_answers(source, **columns)}
    if len(chosen) > 2:
        raise ValueError(f"systems must name two at the most, but there are {len(chosen)}: {', '.join(chosen)}.")
    return {name: read_answers(source, system=system, only=name, **columns) for name in chosen}
