"""What the readers of logs share: how questions are named, grades are read, answers are looked at, and made scores."""

import re

import numpy as np
import pandas as pd

from helpers.answers import parse_confidences
from helpers.answers.stated import find_confidences
from helpers.checks import nearest_name
from helpers.practice.tables.files import Table

LONGEST_NAME = 80

LONGEST_WORD = 60  # characters of a text that is a feature

CONFIDENCE = re.compile(r"confiden|probab|(?<!un)certain", re.IGNORECASE)  # in names of what may be a confidence

OF_THE_QUESTION = ("subject", "prompt_length", "options")  # what readers add, which tells no right answer

RIGHT = re.compile(
    r"((correct|right|gold|true|final)[_ ]?)?(answers?([_ ]?key)?|targets?|label|gold|solution)", re.IGNORECASE
)

MOSTLY = 0.5  # share of the rows in which a column tells the right answer

FAILED = ("left out", "wrong")  # what becomes of answers without a grade, and of those that were withdrawn


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


def chosen(file, what, name, known, parameter="correct"):
    """`name`, or for "" the first of `known`; ValueError if it is none of them."""
    if name and name not in known:
        raise ValueError(f"{file} has no {what} {name!r} ({parameter}); {nearest_name(name, known, what)}")
    return name or next(iter(known), "")


def about_failures(counts, grades, failed, own=None):
    """A note on answers without a grade: {why: how many}, the share right either way, and that of the log itself."""
    n_failed = sum(counts.values())
    if not n_failed:
        return []
    what = ", ".join(f"{count:,} {why}" for why, count in counts.items() if count)
    does = "counted as wrong" if failed == "wrong" else "left out of what is right"
    note = f"answers {does}: {n_failed:,} ({what}; failed can be {FAILED[failed == FAILED[0]]!r})"
    if grades is None or not np.isfinite(grades).any():
        return [note]
    right = 100 * np.nansum(grades)
    n_graded = np.isfinite(grades).sum()
    shares = f"right are {right / n_graded:.1f} % without them, {right / (n_graded + n_failed):.1f} % if they are wrong"
    return [f"{note}: {shares}{'' if own is None else f', {100 * own:.1f} % in the summary of the log'}"]


def about_unread(unread, grades):
    """A note on answers in which nothing could be read, which the log has graded, and the share right without them."""
    graded = np.isfinite(grades)
    unread = np.asarray(unread, dtype=bool) & graded
    if not unread.any() or unread.all():
        return []
    share, without = (np.mean(np.asarray(grades)[rows]) for rows in (graded, graded & ~unread))
    return [
        f"{unread.sum():,} of {graded.sum():,} graded answers hold none, or none that could be read, and count as they "
        f"are graded: right are {100 * share:.1f} % with them, {100 * without:.1f} % without"
    ]


# ---- one answer or several ------------------------------------------------------------------------------------


def check_repeats(file, frame, source, cure):
    """ValueError for one answer a question, which says who reads it; `source` names what may be its score."""
    if frame["question"].duplicated().any():
        return
    there = (
        f"the report on scores (notebook 13, read_scores) reads it with {source} as the score."
        if source
        else "it holds no confidence either that could be audited as a score."
    )
    raise ValueError(
        f"{file} has one answer a question, and so nothing can be said about agreement; {there} For agreement {cure}"
    )


def check_single(file, questions, has_lists=False):
    """ValueError for several answers to a question, in rows or in lists."""
    if has_lists or questions.duplicated().any():
        raise ValueError(
            f"{file} holds several answers to a question: notebook 14 (read_answers) reads it, and their agreement is "
            "a confidence."
        )


def sources_of_scores(stated, likelihood):
    """{name: column} of what may be the score of an answer, the likeliest first.

    Columns of `stated` that are called a confidence come first, then the likelihood, then the others.
    """
    named = [name for name in stated if CONFIDENCE.search(name)]
    sources = {name: stated[name] for name in named if stated[name].notna().any()}
    if likelihood.notna().any():
        sources["likelihood"] = likelihood
    return sources, {name: stated[name] for name in stated if name not in sources and stated[name].notna().any()}


def as_scores(file, frame, stated, known, *, label, score, scale, ways, notes, unit="row"):
    """`Table` of scores from one graded answer a question.

    `frame` has the columns question, correct, target, likelihood and place; `stated` what may be a confidence, `known`
    what was known before. `ways` says how to get a confidence if there is none. Columns are called as `label` and
    `score` ask for.
    """
    sources, others = sources_of_scores(stated, frame["likelihood"])
    choice = {**{name: known[name] for name in known if known[name].dtype.kind in "if"}, **others, **sources}
    if not isinstance(score, str):
        raise ValueError(f"score must name one number in the log {file}, but it is {score!r}.")
    if score != "score" and score not in choice:
        raise ValueError(f"{file} has no number {score!r} (score); {nearest_name(score, choice, 'number')}")
    name = score if score != "score" else next(iter(sources), "")
    if not name:
        named = f" If one of {', '.join(map(repr, others))} is one, name it (score)." if others else ""
        raise ValueError(
            f"{file} has one answer a question and neither a stated confidence nor a likelihood, so there is no score "
            f"to audit: {ways}{named}"
        )
    values = choice[name]
    notes = [*notes, f"the score is {_described(name)}{_or_another([*sources, *others], name)}"]
    if name != "likelihood":
        values, note = read_stated(file, name, values, scale)
        notes += note
    elif scale != "auto":
        raise ValueError(f"scale is about stated confidences, but the score of {file} is a likelihood.")
    graded = frame["correct"].notna().to_numpy()
    scored = np.isfinite(np.asarray(values, dtype=float))
    if (graded & ~scored).any():
        notes.append(f"left out without a score: {(graded & ~scored).sum():,} of {graded.sum():,} graded answers")
    kept = np.flatnonzero(graded & scored)
    if not kept.size:
        raise ValueError(f"{file} holds no answer with both a grade and a score.")
    known, note = before_the_answer(known.drop(columns=name, errors="ignore"), frame["target"])
    known = known.rename(columns={column: f"question: {column}" for column in (label, score)})
    made = pd.DataFrame({label: frame["correct"].astype(float), score: np.asarray(values, dtype=float)})
    made = pd.concat([made, known.reset_index(drop=True)], axis=1).iloc[kept].reset_index(drop=True)
    made[label] = made[label].astype(int)
    places = [frame["place"].iloc[row] for row in kept]
    return Table(file, made, notes + note, places, unit, is_log=True)


def stated_in_replies(replies):
    """A column 'confidence' with what the replies state, where half of them or more state one."""
    written = pd.Series(find_confidences(replies), index=replies.index, dtype=object)
    return pd.DataFrame({"confidence": written} if written.notna().mean() >= MOSTLY else {}, index=replies.index)


def read_stated(file, name, values, scale):
    """(stated confidences as shares, notes on how they were read); ValueError if none can be read."""
    try:
        read = parse_confidences(values, scale=scale)
    except ValueError as error:
        raise ValueError(f"{file}: {name!r}: {error}") from None
    if not np.isfinite(read.values).any():
        first = pd.Series(values).dropna().iloc[0]
        raise ValueError(
            f"{file}: {name!r} must hold confidences such as 0.95 or 95%, but none can be read; the first is "
            f"{first!r:.60}. Words need a scale, such as scale={{'low': 0.2, 'high': 0.9}} (low=0.2,high=0.9)."
        )
    return read.values, about_confidences(len(values), read, scale)


def about_confidences(n, read, scale="auto", then=""):
    """Notes on how confidences were read; `then` says what follows where there is none."""
    counts = {
        f"are empty{then}": read.n_missing,
        f"cannot be read{then}": read.n_unread,
        "are read as percent, without a sign": read.n_as_percent,
        "are 1, which may be 1 % or 100 % (scale says which)": read.n_ones,
    }
    notes = [f"of {n:,} confidences, {count:,} {what}" for what, count in counts.items() if count]
    return notes if scale == "auto" else [f"confidences are read by scale {scale}", *notes]


def before_the_answer(known, target):
    """(features without those that tell the right answer, or are called so, a note on these)."""
    asked = [name for name in known if name not in OF_THE_QUESTION]
    telling = [name for name in asked if RIGHT.fullmatch(name) or _tells(known[name].astype(str), target.astype(str))]
    note = f"left out, since they tell the right answer: {', '.join(map(repr, telling))}"
    return known.drop(columns=telling), [note] if telling else []


def _tells(values, target):
    """Whether a column is the right answer, or has values that occur more than once, each with one right answer."""
    if (values == target).mean() > MOSTLY:
        return True
    again = values.duplicated(keep=False)
    if again.mean() < MOSTLY or target[again].nunique() < 2:
        return False
    return bool(target[again].groupby(values[again]).nunique().max() == 1)


def words_and_numbers(record):
    """Numbers, booleans and short texts of a dictionary, which may be features."""
    if not isinstance(record, dict):
        return {}
    return {
        str(name): value
        for name, value in record.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= LONGEST_WORD)
    }


def _described(name):
    return "the probability of the whole reply ('likelihood')" if name == "likelihood" else f"{name!r}, as stated"


def _or_another(names, name):
    others = [repr(other) for other in names if other != name]
    return f" (score can name {', '.join(others[:6])}{', …' if others[6:] else ''})" if others else ""
