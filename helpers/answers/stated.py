"""What a stated confidence says: texts turned into probabilities, or into nothing."""

import math
import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers.spelling import plain


@dataclass(frozen=True)
class StatedConfidences:
    """Stated confidences as numbers in [0, 1], NaN where there is none."""

    values: np.ndarray = field(repr=False)  # (n,)
    n_missing: int  # entries that are empty
    n_unread: int  # entries that hold something, but no confidence
    n_as_percent: int  # numbers without a sign that were read as per cent

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


def parse_confidences(values, *, missing=math.nan):
    """Stated confidences of any spelling as numbers in [0, 1].

    A number without a sign is a probability up to 1 and per cent from there to 100. Where more of the column's bare
    numbers lie above 1 than between 0 and 1, a bare 1 is 1 %; elsewhere a bare number between 1 and 2 is unreadable,
    because it is neither. Several numbers in one text, such as "80 to 90 %", are unreadable. Wang et al. (2026),
    section 6.1, where a failure counts as 1.0.

    Parameters
    ----------
    values : array of str or numbers, shape (n,)
        Such as "95%", "0.95", "95", "Confidence: 9/10", 0.95.
    missing : float, default NaN
        What a confidence that is absent or cannot be read becomes; 1.0 is the rule of Wang et al.

    Returns
    -------
    StatedConfidences
        Numbers, and how many were missing, unreadable or read as per cent.

    Examples
    --------
    >>> parse_confidences(["95%", "0.95", 95, "quite sure", None]).values
    array([0.95, 0.95, 0.95,  nan,  nan])
    """
    codes, distinct = pd.factorize(pd.Series(values, dtype=None if len(values) else object))
    amounts = [_amount(value) for value in distinct] + [(math.nan, False)]
    number, marked = (np.array(column)[codes] for column in zip(*amounts, strict=True))
    bare = ~marked & (number >= 0) & (number <= 100)
    above = (bare & (number > 1)).sum()
    below = (bare & (number > 0) & (number < 1)).sum()
    percent = bare & (number > 1)
    if above > below:
        percent |= bare & (number == 1)
    elif below:
        percent &= number >= 2
        bare &= (number <= 1) | percent
    read = np.where(percent, number / 100, number)
    read[~(marked | bare) | np.isnan(number)] = math.nan
    absent = codes < 0
    lost = np.isnan(read)
    read[lost] = missing
    return StatedConfidences(
        values=read,
        n_missing=int(absent.sum()),
        n_unread=int((lost & ~absent).sum()),
        n_as_percent=int(percent.sum()),
    )
