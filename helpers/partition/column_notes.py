"""What is said about columns before anything is computed: how text was read, and which numbers stand for "missing"."""

import re

import numpy as np
import pandas as pd

from helpers.partition.kinds import as_numbers, is_date, is_text, text_as_values
from helpers.partition.notation import LIKE_A_DATE, LIKE_A_NUMBER, MISSING_WORDS, read_numbers

NAMED = 3  # words that a note names

LEAST_CODED = 2  # rows that a number needs to be a code

LOOKS = (
    ("dates", LIKE_A_DATE, "write dates as 2024-01-31"),
    ("numbers", LIKE_A_NUMBER, "write decimals with a point, and neither thousands nor units"),
)

AS_CATEGORIES = "is read as categories"

CODE = re.compile(r"-?([789])\1+(\.\1+)?")  # -999, 88, 99.9: what surveys and weather stations write for "missing"


def notes_on_column(name, values, decimal=""):
    """Notes on a column of a user's table, in a list: text that is read as numbers, or nearly is; codes in numbers."""
    if not is_text(values):
        return _on_codes(name, values)
    read = text_as_values(values, decimal)
    if read is values:
        return _on_words(name, values, decimal)
    if is_date(read):
        return []
    return _on_numbers(name, values, decimal) + _on_codes(name, read)


def _on_numbers(name, values, decimal):
    """That amounts were read as numbers, with an example."""
    words = pd.unique(values.dropna().astype(str))
    read = read_numbers(words, decimal)
    if read.plain:
        return []
    odd = np.isnan(pd.to_numeric(words, errors="coerce").astype(float)) & ~np.isnan(read.values)
    longest = int(np.argmax([len(word) if is_odd else 0 for word, is_odd in zip(words, odd, strict=True)]))
    shown = longest if odd.any() else int(np.nanargmax(read.values))
    return [f"{name!r} is read as numbers, {words[shown]!r} as {read.values[shown]:.15g}"]


def _on_words(name, values, decimal):
    """That a column of which most would be numbers, or dates, is one of categories, and because of which words."""
    counts = values.dropna().astype(str).value_counts()
    counts = counts[~counts.index.isin(MISSING_WORDS)]
    words = counts.index.to_series().astype(str)
    for kind, look, cure in LOOKS:
        like = words.str.fullmatch(look).to_numpy(bool)
        n_like = int(counts[like].sum())
        n = int(counts.sum())
        if not n or n_like < n / 2:
            continue
        if n_like < n:
            why = f"{n_like:,} of its {n:,} values look like {kind} but not {_named(counts[~like])}"
        elif undecided := read_numbers(words, decimal).undecided:
            why = f"whether the sign in {undecided!r} is one of thousands or of decimals is not known"
        else:
            why = f"its {kind} are not written alike, or can be read in two ways, such as {_named(counts)}"
        return [f"{name!r} {AS_CATEGORIES}: {why} ({cure})"]
    return []


def _named(counts):
    """The first words, with how many rows hold each, and how many words there are more."""
    shown = [f"{word!r} (rows: {count:,})" for word, count in counts[:NAMED].items()]
    more = [f"{len(counts) - NAMED:,} more"] if len(counts) > NAMED else []
    return " and ".join(filter(None, [", ".join(shown), *more]))


def _on_codes(name, values):
    """That numbers such as -999, far from all others and in several rows, stand for a missing value."""
    numbers = None if is_date(values) or values.dtype.kind not in "iuf" else as_numbers(values)
    numbers = np.empty(0) if numbers is None else numbers[np.isfinite(numbers)]
    if not numbers.size or not any(_is_code(end) for end in (numbers.min(), numbers.max())):
        return []
    numbers, count = np.unique(numbers, return_counts=True)
    coded = np.array([_is_code(number) for number in numbers])
    others = numbers[~coded]
    if others.size < 2:
        return []
    span = others[-1] - others[0]
    coded &= ((numbers < others[0] - span) | (numbers > others[-1] + span)) & (count >= LEAST_CODED)
    return [
        f"{name!r} holds {number:.10g} in {rows:,} rows, far from the others ({others[0]:.4g} to {others[-1]:.4g}): "
        "leave these cells empty if it stands for missing"
        for number, rows in zip(numbers[coded], count[coded], strict=True)
    ]


def _is_code(number):
    return bool(CODE.fullmatch(f"{number:.10g}"))
