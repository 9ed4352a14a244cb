"""When two answers are the same, and what a stated confidence says: texts turned into one spelling, or into nothing."""

import math
import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers.spelling import _plain


@dataclass(frozen=True)
class StatedConfidences:
    """Stated confidences as numbers in [0, 1], NaN where there is none.

    n_missing : entries that are empty; n_unread : entries that hold something, but no confidence
    n_as_percent : numbers without a sign that were read as per cent
    """

    values: np.ndarray = field(repr=False)
    n_missing: int
    n_unread: int
    n_as_percent: int

    def __str__(self):
        return (
            f"{np.isfinite(self.values).sum():,} of {self.values.size:,} confidences read ({self.n_as_percent:,} as "
            f"per cent without a sign), {self.n_missing:,} missing, {self.n_unread:,} unreadable"
        )


_AMOUNT = (
    r"(-?(?:\d+(?:\.\d+|,\d{1,2})?|\.\d+)(?:e-?\d+)?)(?:\s*(%|percent|per cent|/\s*\d+|out of\s*\d+))?+"
    r"(?!\w|[.,]\d)"
)

_AFTER_WORD = re.compile(rf"confidence(?: level| score)?[^\w.-]{{0,8}}{_AMOUNT}(?!\s*-\s*\d)")

_ALONE = re.compile(rf"(?<![\w.,/]){_AMOUNT}")


def _amount(value):
    """(number, whether its scale is written beside it); (NaN, False) where there is no single number."""
    if isinstance(value, bool | np.bool_):
        return math.nan, False
    if not isinstance(value, str):
        return float(value), False
    text = _plain(value)
    found = _AFTER_WORD.findall(text)[-1:] or _ALONE.findall(text)
    if len(found) != 1:
        return math.nan, False
    number, unit = float(found[0][0].replace(",", ".")), found[0][1]
    if not unit:
        return number, False
    whole = 100.0 if unit[0] in "%p" else float(unit.lstrip("/outf "))
    share = number / whole if whole else math.nan
    return (share if 0 <= share <= 1 else math.nan), True


def parse_confidences(values, *, missing=math.nan):
    """Stated confidences of any spelling as numbers in [0, 1].

    Parameters
    ----------
    values : (n,) texts such as "95%", "0.95", "95", "Confidence: 9/10", or numbers
    missing : what a confidence that is absent or cannot be read becomes; NaN, or 1.0 for the rule of Wang et al.

    Returns
    -------
    StatedConfidences. A number without a sign is a probability up to 1 and per cent from there to 100. Where more of
    the column's bare numbers lie above 1 than between 0 and 1, a bare 1 is 1 %; elsewhere a bare number between
    1 and 2 is unreadable, because it is neither. Several numbers in one text, such as "80 to 90 %", are unreadable.

    Source: Wang et al. (2026), section 6.1, where a failure counts as 1.0.

    >>> parse_confidences(["95%", "0.95", 95, "quite sure", None]).values
    array([0.95, 0.95, 0.95,  nan,  nan])
    """
    codes, distinct = pd.factorize(pd.Series(values, dtype=None if len(values) else object))
    amounts = [_amount(value) for value in distinct] + [(math.nan, False)]
    number, marked = (np.array(column)[codes] for column in zip(*amounts, strict=True))
    bare = ~marked & (number >= 0) & (number <= 100)
    above, below = (bare & (number > 1)).sum(), (bare & (number > 0) & (number < 1)).sum()
    percent = bare & (number > 1)
    if above > below:
        percent |= bare & (number == 1)
    elif below:
        percent &= number >= 2
        bare &= (number <= 1) | percent
    read = np.where(percent, number / 100, number)
    read[~(marked | bare) | np.isnan(number)] = math.nan
    absent, lost = codes < 0, np.isnan(read)
    read[lost] = missing
    return StatedConfidences(read, int(absent.sum()), int((lost & ~absent).sum()), int(percent.sum()))


def parse_confidence(text):
    """One stated confidence as a number in [0, 1], or NaN; see `parse_confidences` for a column.

    >>> parse_confidence("Confidence: 95%"), parse_confidence("0.95"), parse_confidence("high")
    (0.95, 0.95, nan)
    """
    return float(parse_confidences([text]).values[0])
