"""What the readers of logs share: how questions are named, grades are read, and answers are looked at."""

import numpy as np

from helpers.checks import nearest_name

LONGEST_NAME = 80


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


def check_repeats(file, frame, cure):
    """ValueError for one answer a question."""
    if not frame["question"].duplicated().any():
        raise ValueError(f"{file} has one answer a question, and so nothing can be said about agreement; {cure}")


def chosen(file, what, name, known):
    """`name`, or for "" the first of `known`; ValueError if it is none of them."""
    if name and name not in known:
        raise ValueError(f"{file} has no {what} {name!r} (correct); {nearest_name(name, known, what)}")
    return name or next(iter(known), "")
