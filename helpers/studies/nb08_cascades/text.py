"""Rows of a table as sentences: what a router reads when questions are free text."""

import pandas as pd

from helpers.partition.checked import check_table


def rows_as_text(X):
    """Each row as sentences "The <column> is <value>.", as folktexts asks about people (Melo et al. 2026, section 4.2).

    Whole numbers are written without a point, missing entries as "missing", underscores of names as spaces.

    >>> rows_as_text(pd.DataFrame({"age": [25.0, None], "job_title": ["cook", "smith"]})).tolist()
    ['The age is 25. The job title is cook.', 'The age is missing. The job title is smith.']
    """
    X = check_table(X)
    sentences = [f"The {name.replace('_', ' ')} is " + _spelled(X[name]) + "." for name in X]
    text = sentences[0]
    for sentence in sentences[1:]:
        text = text + " " + sentence
    return text.to_numpy(object)


def _spelled(values):
    """A column as words, object Series."""
    if pd.api.types.is_float_dtype(values.dtype):
        words = values.map(lambda value: "missing" if pd.isna(value) else f"{value:.6g}")
    else:
        words = values.astype(object).where(values.notna(), "missing").map(str)
    return words.astype(object)
