"""Further columns of a file of answers that say something about the question, such as its topic."""

from numbers import Number

import numpy as np
import pandas as pd

MOST_LEVELS = 50  # of a column of texts; more are names, not kinds


def question_columns(source, question, used, questions):
    """Columns that are the same in all rows of a question, but not of all questions, one row a question."""
    names = [name for name in source.names if name not in used]
    frame = source.read([question, *names])
    frame = frame[frame[question].isin(set(questions))]
    columns = {}
    for name in names:
        cells = frame[name]
        if cells.map(lambda cell: cell is not None and not isinstance(cell, str | Number)).any():
            continue
        by_question = cells.groupby(frame[question], sort=False)
        if (by_question.nunique(dropna=False) > 1).any():
            continue
        values = by_question.first(skipna=False).reindex(questions)
        kind = _kind_of(values)
        if kind is not None:
            columns[name] = kind.to_numpy() if kind.dtype == float else pd.Categorical(kind)
    return pd.DataFrame(columns, index=np.arange(len(questions)))


def _kind_of(values):
    """A column as numbers or as texts; None if it tells no groups of questions apart."""
    n_kinds = values.nunique()
    if n_kinds < 2 and not (n_kinds and values.isna().any()):
        return None
    numbers = pd.to_numeric(values, errors="coerce").astype(float)
    is_truth = values.map(lambda value: isinstance(value, bool)).any()
    if np.isfinite(numbers[values.notna()]).all() and not is_truth:
        return numbers
    return values.astype(str).where(values.notna()) if n_kinds <= min(MOST_LEVELS, len(values) / 2) else None
