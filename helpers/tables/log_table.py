"""What the readers of logs share: the table that they give, and how questions are named and grades read."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.tables.files import Table

ARCHIVE = b"PK\x03\x04"  # how zip files begin

LONGEST_NAME = 80


@dataclass
class LogTable(Table):
    """What is read of a log, with the place of each row in it."""

    frame: pd.DataFrame = field(repr=False)
    places: list = field(repr=False)
    notes: list

    @property
    def names(self):
        """Names of the columns."""
        return list(self.frame)

    def read(self, columns):
        """Some columns as a DataFrame."""
        return self.frame[list(columns)]

    def where(self, row):
        """How an error names a row."""
        return self.places[row]


def question_name(identity, text):
    """How a report names a question: its id in the log and the beginning of its text."""
    text = " ".join(str(text).split())
    shown = text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
    return f"{identity}: {shown}" if shown else str(identity)


def about_sampling(frame, greedy):
    """Notes on answers that say nothing about agreement: greedy ones, and the same one each time."""
    if greedy:
        return ["answers were taken at temperature 0, so they agree whether or not the model is sure"]
    replies = frame.groupby("question", sort=False)["reply"]
    if (replies.nunique(dropna=False) == 1).all():
        return [
            f"all answers are the same in each of the {replies.ngroups:,} questions: if one seed was sent with every "
            "request, they are one answer repeated"
        ]
    return []


def answer_frame(question, sample, answer, reply, target, **more):
    """The columns that every log of answers has, as texts."""
    columns = {"question": question, "sample": sample, "answer": answer, "reply": reply, "target": target} | more
    return pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in columns.items()})


def grade_value(value):
    """1.0, 0.0, NaN for none, or None for a value that is no grade: C, I, P, N, booleans, numbers and their texts."""
    words = {"c": 1.0, "i": 0.0, "p": 0.0, "n": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
    if value is None:
        return np.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        return words.get(value.strip().lower()) if isinstance(value, str) else None
    return number if number in (0, 1) or np.isnan(number) else None
