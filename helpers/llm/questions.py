"""A list of questions, read and checked before anything is asked."""

import functools
import hashlib
import re
from pathlib import Path

import pandas as pd

from helpers.checks import nearest_name
from helpers.tables.answer_layouts import open_answers, short

_BROKEN = re.compile("[\ud800-\udfff]")  # halves of characters, which no file and no request can hold


def read_questions(path_or_frame, *, question="question", reference="reference"):
    """Questions, one a row, with right answers where they are known; a ValueError says what to mend.

    Parameters
    ----------
    path_or_frame : str, Path, DataFrame or list of str
        CSV, Parquet, Feather or JSON lines (also .gz), a table, or texts.
    question : str, default "question"
        Name of the column of questions.
    reference : str, default "reference"
        Name of the column of right answers; it may be absent, under its default name or as "".

    Returns
    -------
    DataFrame
        Columns question and reference (None where unknown), texts without white space around them.

    Raises
    ------
    ValueError
        For a column that is not there, a question that is empty or occurs twice (both rows are named).

    Examples
    --------
    >>> read_questions(["What is the capital of France?", " What is 6 x 7? "])["question"].tolist()
    ['What is the capital of France?', 'What is 6 x 7?']
    >>> read_questions(["What is 6 x 7?", "Why?", "What is 6 x 7?"])
    Traceback (most recent call last):
    ValueError: question must occur once, but rows 1 and 3 are both 'What is 6 x 7?'.
    """
    read, names = _opened(path_or_frame)
    columns = [question]
    if reference and (reference in names or reference != "reference"):
        columns.insert(1, reference)
    for name in columns:
        if name not in names:
            raise ValueError(f"The questions have no column {name!r}; {nearest_name(name, names, 'column')}")
    if len(set(columns)) < len(columns):
        raise ValueError(f"question and reference must be different columns, but they are {columns}.")
    frame = read(columns)
    asked = [_text(value) for value in frame[question]]
    if not asked:
        raise ValueError("There must be at least one question, but there is none.")
    for row, text in enumerate(asked, 1):
        if _BROKEN.search(text):
            raise ValueError(f"question must be a text, but row {row:,} holds half a character: {short(text)}.")
    empty = [row for row, text in enumerate(asked, 1) if not text]
    if empty:
        more = f" (and {len(empty) - 1:,} more)" if empty[1:] else ""
        raise ValueError(f"question must not be empty, but row {empty[0]:,} is{more}.")
    right = [_text(value) or None for value in frame[reference]] if reference in columns else [None] * len(asked)
    _check_once(asked)
    return pd.DataFrame({"question": asked, "reference": right}, dtype=object)


def _opened(source):
    """(function from names to a DataFrame of these columns, all names)."""
    if isinstance(source, str | Path):
        table = open_answers(source)
        return table.read, table.names
    if not isinstance(source, pd.DataFrame):
        source = pd.DataFrame({"question": pd.Series(list(source), dtype=object)})
    names = list(source.columns)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"The questions have more than one column named {twice!r}; rename them.")
    return lambda columns: source[columns], names


def _text(value):
    """A cell as a text without white space around it, "" if it is missing."""
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _check_once(asked):
    """ValueError if a question occurs twice."""
    seen = {}
    for row, text in enumerate(asked, 1):
        first = seen.setdefault(text, row)
        if first != row:
            more = len(asked) - len(set(asked)) - 1
            raise ValueError(
                f"question must occur once, but rows {first:,} and {row:,} are both {short(text)}"
                f"{f' (and {more:,} more rows repeat one)' if more else ''}."
            )


@functools.lru_cache(4096)
def text_key(*texts):
    """First 16 digits of a hash of texts, by which the records of a file find their question.

    >>> text_key("a", "b") == text_key("ab"), len(text_key("a"))
    (False, 16)
    """
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
