"""Whether a cell shows what is stored: the same words, and numbers that agree to one unit of their last digit.

Another processor adds up in another order, and then the last digit that is shown may be the next one. It may be so of
what is rounded: a number with a decimal point or an exponent, or a whole number of per cent. Any other whole number is
taken for a count and must be equal; one that was rounded to units or tens cannot be told from a count. Where two
numbers show different digits after the point (0.12 and 0.121 by `:.3g`), the unit is that of the finer one. The same
number written in another way, such as 0.10 for 0.1, is another format and no rounding; only the sign of a zero may go.

Pictures inside HTML are let be, for single pixels differ in colour; their alternative texts are words.
"""

import re
from decimal import Decimal

PICTURE = r'src="data:image/png;base64,[A-Za-z0-9+/=]+"'
NUMBER = r"(?<![\w.])[-+−]?(?>\d{1,3}(?:,\d{3})+|\d+)(?>(?:\.\d+)?)(?>(?:[eE][-+]?\d+)?)(?!\.?\d)"
PART = re.compile(f"({PICTURE}| *{NUMBER})")
PER_CENT = re.compile(r"(?:\s|&nbsp;)?%")


def numbers_agree(shown, stored, whole_may_round=False):
    """Whether two written numbers differ by at most one unit of the last digit of the finer one."""
    if len(shown) != len(stored) and shown.replace(shown.strip(), "") != stored.replace(stored.strip(), ""):
        return False  # spaces in front make up for a digit or a sign, and for nothing else
    texts = [text.strip().replace(",", "").replace("−", "-") for text in (shown, stored)]
    a, b = map(Decimal, texts)
    if a == b:
        return a == 0 and texts[0].lstrip("+-") == texts[1].lstrip("+-")
    if all(text.lstrip("+-").isdigit() for text in texts) and not whole_may_round:
        return False
    unit = Decimal(10) ** min(a.as_tuple().exponent, b.as_tuple().exponent)
    return abs(a - b) <= unit


def texts_agree(shown, stored):
    """Whether two texts differ in roundings and pixels only."""
    ours, theirs = PART.split(shown), PART.split(stored)
    if ours[::2] != theirs[::2]:  # the words between
        return False
    for part, other, after in zip(ours[1::2], theirs[1::2], ours[2::2], strict=True):
        pictures = ["base64" in text for text in (part, other)]
        if part == other or all(pictures):
            continue
        if any(pictures) or not numbers_agree(part, other, bool(PER_CENT.match(after))):
            return False
    return True


def in_stored_words(shown, stored):
    """The outputs `shown`, each text in them that agrees with its counterpart in `stored` replaced by that."""
    if isinstance(shown, str) and isinstance(stored, str):
        return stored if texts_agree(shown, stored) else shown
    if isinstance(shown, dict) and isinstance(stored, dict):
        return type(shown)({key: in_stored_words(value, stored.get(key)) for key, value in shown.items()})
    if isinstance(shown, list) and isinstance(stored, list) and len(shown) == len(stored):
        return [in_stored_words(one, other) for one, other in zip(shown, stored, strict=True)]
    return shown
