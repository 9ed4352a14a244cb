"""Stated confidences: texts turned into probabilities, or into none."""

import math
import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers._result import Result
from helpers.answers.spelling import plain


@dataclass(frozen=True)
class StatedConfidences(Result):
    """Stated confidences as numbers in [0, 1], NaN where there is none."""

    values: np.ndarray = field(repr=False)  # (n,)
    n_missing: int  # entries that are empty
    n_unread: int  # entries that hold something, but no confidence
    n_as_percent: int  # numbers without a sign that were read as per cent
    n_ones: int = 0  # those among the numbers without a sign that are 1, where that may be 1 % or 100 %

    def __str__(self):
        return (
            f"{np.isfinite(self.values).sum():,} of {self.values.size:,} confidences read ({self.n_as_percent:,} as "
            f"per cent without a sign), {self.n_missing:,} missing, {self.n_unread:,} unreadable"
        )


STEPS = 10  # up to here a number may be a step of a scale, such as 7 of 10

NAMED = {"auto": None, "share": 1.0, "percent": 100.0}

_AMOUNT = (
    r"(-?(?:\d+(?:\.\d+|,\d{1,2})?|\.\d+)(?:e-?\d+)?)(?:\s*(%|percent|per cent|/\s*\d+|out of\s*\d+))?+"
    r"(?!\w|[.,]\d)"
)

_COLON = rf"(?: level| score)?(?:\s*\([^()]*\)\s*[:=])?[^\w.-]{{0,8}}{_AMOUNT}(?!\s*-\s*\d)"

_AFTER_WORD = re.compile(rf"confidence{_COLON}")

_IN_REPLY = re.compile(rf"(?:confidence|^\W*probability){_COLON}", re.MULTILINE)

_ALONE = re.compile(rf"(?<![\w.,/]){_AMOUNT}")


def _amount(value):
    """(number, whether its scale is written beside it); (NaN, False) where there is no single number."""
    if isinstance(value, bool | np.bool_):
        return math.nan, False
    if not isinstance(value, str):
        return float(value), False
    text = plain(value)
    amounts = _AFTER_WORD.findall(text)[-1:] or _ALONE.findall(text)
    if len(amounts) != 1:
        return math.nan, False
    digits, unit = amounts[0]
    number = float(digits.replace(",", "."))
    if not unit:
        return number, False
    whole = 100.0 if unit[0] in "%p" else float(unit.lstrip("/outf "))
    share = number / whole if whole else math.nan
    return (share if 0 <= share <= 1 else math.nan), True


def parse_confidences(values, *, missing=math.nan, scale="auto"):
    """Stated confidences of any spelling as numbers in [0, 1].

    A number without a sign is a probability up to 1 and per cent from there to 100. Where more of the column's bare
    numbers lie above 1 than between 0 and 1, a bare 1 is 1 %; elsewhere a bare number between 1 and 2 is unreadable,
    because it is neither. If none lies above 10, those above 1 may stand on a scale of 1 to 10: they are unreadable
    where most bare numbers are probabilities, and refused elsewhere until `scale` is given. Several numbers in one
    text, such as "80 to 90 %", are unreadable. Wang et al. (2026), section 6.1, where a failure counts as 1.0.

    Parameters
    ----------
    values : array of str or numbers, shape (n,)
        Such as "95%", "0.95", "95", "Confidence: 9/10", 0.95.
    missing : float, default NaN
        What a confidence that is absent or cannot be read becomes; 1.0 is the rule of Wang et al.
    scale : str, number or dict, default "auto"
        What a number without a sign means: "share" of 1, "percent", or the highest step of a scale, such as 10, by
        which it is divided. A dictionary, or a text such as "low=0.2, high=0.9", says what words mean; all else is
        then unreadable.

    Returns
    -------
    StatedConfidences
        Numbers, and how many were missing, unreadable or read as per cent.

    Raises
    ------
    ValueError
        For an unknown scale, and for numbers whose scale must be given.

    Examples
    --------
    >>> parse_confidences(["95%", "0.95", 95, "quite sure", None]).values
    array([0.95, 0.95, 0.95,  nan,  nan])
    >>> parse_confidences([7, 10], scale=10).values
    array([0.7, 1. ])
    >>> parse_confidences(["High", "low"], scale="low=0.2, high=0.9").values
    array([0.9, 0.2])
    """
    top, words = _top_or_words(scale)
    codes, distinct = pd.factorize(pd.Series(values, dtype=None if len(values) else object))
    if words:
        amounts = [(words.get(_word(value), math.nan), True) for value in distinct]
    else:
        amounts = [_amount(value) for value in distinct]
    number, marked = (np.array(column)[codes] for column in zip(*amounts, (math.nan, False), strict=True))
    bare = ~marked & (number >= 0) & (number <= (top or 100))
    above = bare & (number > 1)
    shares = bare & (number > 0) & (number < 1)
    percent = np.zeros(len(codes), dtype=bool)
    unsure = percent  # whether a bare 1 may be 1 % or 100 %
    if top:
        number = np.where(bare, number / top, number)
    elif above.any() and number[bare].max() <= STEPS:
        if above.sum() > shares.sum():
            raise ValueError(_ask_for_scale(number[bare]))
        bare &= ~above
    elif above.sum() > shares.sum():
        percent = above | (bare & (number == 1))
        unsure = bare & (number == 1)
    else:
        percent = above & (number >= 2) if shares.any() else above
        bare &= (number <= 1) | percent
        unsure = bare & (number == 1) & (percent.any() or not shares.any())
    read = np.where(percent, number / 100, number)
    read[~(marked | bare) | np.isnan(number)] = math.nan
    absent = codes < 0
    lost = np.isnan(read)
    read[lost] = missing
    return StatedConfidences(
        values=read,
        n_missing=int(absent.sum()),
        n_unread=int((lost & ~absent).sum()),
        n_as_percent=int(bare.sum() if top == 100 else percent.sum()),
        n_ones=int(unsure.sum()),
    )


def _ask_for_scale(numbers):
    """Why bare numbers are refused of which none lies above 10."""
    shown = ", ".join(f"{number:g}" for number in np.unique(numbers)[:10])
    return (
        f"scale must say what the confidences {shown} mean, because none of the {numbers.size:,} lies above {STEPS}: "
        f"{STEPS} for a scale up to {STEPS}, or percent."
    )


def _top_or_words(scale):
    """(what a bare number is divided by, or None; {word: confidence}); ValueError for a scale that says neither."""
    if isinstance(scale, str) and "=" in scale:
        scale = dict(pair.rsplit("=", 1) for pair in scale.split(",") if "=" in pair)
    try:
        if isinstance(scale, dict):
            words = {_word(word): float(value) for word, value in scale.items()}
            if words and all(0 <= value <= 1 for value in words.values()):
                return None, words
        elif scale in NAMED:
            return NAMED[scale], {}
        elif 1 <= float(scale) < math.inf:
            return float(scale), {}
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"scale must be auto, share, percent, the highest step of a scale (such as 10), or words with shares "
        f"(low=0.2, high=0.9), but it is {scale!r}."
    )


def _word(value):
    """How a word, or a step of a scale, is looked up."""
    return " ".join(plain(value).split()).strip(" .") if isinstance(value, str) else f"{value:g}"


def find_confidences(replies):
    """What each reply states after the word confidence, or probability at the start of a line; None for nothing."""
    amounts = [_IN_REPLY.findall(plain(reply)) if isinstance(reply, str) else [] for reply in replies]
    return [f"{given[-1][0]}{given[-1][1]}" if given else None for given in amounts]
