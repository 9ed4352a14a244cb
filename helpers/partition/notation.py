"""Numbers and dates that are written as text, in the ways of the usual countries.

A column says by itself how it is written: "1.299,99" can only be one number. Where all of it could be read in two ways
("2.000" beside "800") only the decimal sign of its file decides, and where that is not known nothing is read: the
column stays text.
"""

import re
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

MISSING_WORDS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL")  # as in files

_SAME = str.maketrans(
    dict.fromkeys("\u00a0\u2007\u2009\u202f", " ") | dict.fromkeys("\u2018\u2019\u00b4`", "'") | {"\u2212": "-"}
)

CURRENCIES = (
    r"R\$", r"US\$", r"A\$", r"C\$", "[€$£¥₹₽₺₩₪]", "Fr\\.", "kr", "zł", "Kč", "Ft", "EUR", "USD", "GBP", "CHF", "JPY",
    "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "CAD", "AUD", "NZD", "BRL", "MXN", "ZAR", "TRY", "KRW",
)  # fmt: skip

_UNIT = f"(?:{'|'.join(CURRENCIES)}|%)"

_WORD = r"(?: [^\W\d_]{1,12}|[^\W\d_]{2,12})"  # kg, months; not the letter of a code such as 12A

_AMOUNT = re.compile(
    rf"([-+]?) ?({_UNIT})? ?([-+]?[\d.,' ]*\d(?:[eE][-+]?\d+)?)(?:[.,][-–—]{{1,2}})?( ?{_UNIT}|{_WORD})?"
)

LIKE_A_NUMBER = (  # alone, whatever its column says
    rf"[-+−]?\s*{_UNIT}?\s*[-+−]?(\d{{1,3}}([.,'’\s]\d{{2,3}})+|\d*)([.,]?\d+)([eE][-+]?\d+)?(\s*{_UNIT}|\s[^\W\d_]{{1,12}})?"
)

SIGNS = list(product(("", ",", ".", " ", "'"), (".", ",")))  # between thousands, and before decimals

_GROUPS = {sign: rf"[1-9]\d{{0,2}}(?:{re.escape(sign)}\d{{3}})+" for sign in ",. '"}  # 1,234,567
_GROUPS[","] = r"[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}"  # in India also 12,34,567

_UNDECIDED = r"[-+]?[1-9]\d{0,2}[.,]\d{3}"  # one sign with three digits behind it: of thousands, or of decimals

_DECIMAL = r"[-+]?\d*%s\d+(?:[eE][-+]?\d+)?\s*%%?"


@dataclass(frozen=True)
class Numbers:
    """Words of a column as numbers, NaN where they are missing; None where they are none, or nobody knows which."""

    values: np.ndarray | None
    decimal: str = ""  # the sign before decimals, "" where there are none
    unit: str = ""  # or currency, or percent sign
    plain: bool = True  # whether every word is written as a program writes it
    undecided: str = ""  # the first word that can be read in two ways


NONE = Numbers(None)


def read_numbers(words, decimal=""):
    """`Numbers` of an array of words; `decimal` is the sign before decimals in their file, if that is known."""
    words = pd.Series(words, dtype=object).astype(str)
    missing = words.isin(MISSING_WORDS).to_numpy()
    present = words[~missing].str.strip()
    if not len(present):
        return NONE
    plain = pd.to_numeric(present, errors="coerce").to_numpy(float)
    is_plain = not np.isnan(plain).any()
    if is_plain and not (present.str.fullmatch(_UNDECIDED).any() and np.isfinite(plain).all()):
        return Numbers(_filled(plain, missing), "." if present.str.contains(".", regex=False).any() else "")
    present, unit = _without_unit(present)
    if present is None:
        return NONE
    readings = _readings(present)
    if not readings:
        return NONE
    if len({values.tobytes() for values in readings.values()}) > 1:
        readings = {sign: values for sign, values in readings.items() if sign[1] == decimal}
        split = present.str.contains("[.,]")
        # "2.000" beside "800": who writes three decimals writes them everywhere
        if not readings or (present[split].str.contains(decimal, regex=False).any() and not split.all()):
            return Numbers(None, undecided=present[split].iloc[0])
    (_, sign), values = next(iter(readings.items()))
    sign = sign if present.str.contains(sign, regex=False).any() else ""
    return Numbers(_filled(values, missing), sign, unit, is_plain and np.array_equal(values, plain))


def _filled(values, missing):
    numbers = np.full(missing.size, np.nan)
    numbers[~missing] = values
    return numbers


def _without_unit(words):
    """(words without their currency, unit or percent sign, this sign); None and "" unless all of them have the same."""
    parts = words.str.translate(_SAME).str.replace(r"\s+", " ", regex=True).str.extract(f"^{_AMOUNT.pattern}$")
    minus, before, number, after = (parts[k].fillna("").str.strip() for k in range(4))
    if (number == "").any() or (before + after).nunique() > 1 or ((before != "") & (after != "")).any():
        return None, ""
    return minus + number, (before + after).iloc[0]


def _readings(words):
    """{(sign between thousands, sign before decimals): floats} of the ways in which all words can be read."""
    readings = {}
    for thousands, decimal in SIGNS:
        if thousands == decimal or (thousands and not words.str.contains(thousands, regex=False).any()):
            continue
        whole = _GROUPS[thousands] + r"|\d*" if thousands else r"\d*"
        exponent = "" if thousands else r"(?:[eE][-+]?\d+)?"
        look = rf"[-+]?(?:{whole})(?:{re.escape(decimal)}\d+)?{exponent}"
        if words.str.fullmatch(look).all():
            text = words.str.replace(thousands, "", regex=False) if thousands else words
            values = pd.to_numeric(text.str.replace(decimal, ".", regex=False), errors="coerce").to_numpy(float)
            if not np.isnan(values).any():
                readings[thousands, decimal] = values
    return readings


def decimal_sign(cells):
    """The sign before decimals in some cells of a file, "" where they do not say, or say both."""
    signs = {
        sign
        for cell in cells
        for sign in ".,"
        if re.fullmatch(_DECIMAL % re.escape(sign), cell.strip()) and not re.fullmatch(_UNDECIDED, cell.strip(" %"))
    }
    return signs.pop() if len(signs) == 1 else ""


def may_be_undecided(cells):
    """Whether cells look like numbers of which a program would not see that they are thousands, or months of a year."""
    cells = [cell.strip() for cell in cells if cell.strip() not in MISSING_WORDS]
    return all(re.fullmatch(rf"{_UNDECIDED}|[-+]?\d{{1,4}}", cell) for cell in cells) or all(
        re.fullmatch(_MONTH, cell) for cell in cells
    )


# ---- dates ----------------------------------------------------------------------------------------------------

_MONTH = r"(?:0[1-9]|1[0-2])\.(?:19|20)\d\d"

_DAYS = {  # what a day looks like, and the ways to read it
    r"\d{4}/\d\d?/\d\d?": ["%Y/%m/%d"],
    r"\d{4}\.\d\d?\.\d\d?": ["%Y.%m.%d"],
    r"\d{4}\. \d\d?\. \d\d?\.": ["%Y. %m. %d."],
    r"\d{4}年\d\d?月\d\d?日": ["%Y年%m月%d日"],
    r"\d\d?\.\d\d?\.\d{4}": ["%d.%m.%Y"],
    r"\d\d?/\d\d?/\d{4}": ["%m/%d/%Y", "%d/%m/%Y"],
    r"\d\d?-\d\d?-\d{4}": ["%m-%d-%Y", "%d-%m-%Y"],
    r"\d\d?-[A-Za-z]{3}-\d{4}": ["%d-%b-%Y"],
    r"\d\d?[A-Za-z]{3}\d{4}": ["%d%b%Y"],
    r"\d\d? [A-Za-z]{3,9} \d{4}": ["%d %b %Y", "%d %B %Y"],
    r"[A-Za-z]{3,9} \d\d?, \d{4}": ["%b %d, %Y", "%B %d, %Y"],
}

_TIMES = {
    "": "",
    r" \d\d?:\d\d": "%H:%M",
    r" \d\d?:\d\d:\d\d": "%H:%M:%S",
    r" \d\d?:\d\d:\d\d\.\d+": "%H:%M:%S.%f",
    r" \d\d?:\d\d [AaPp][Mm]": "%I:%M %p",
    r" \d\d?:\d\d:\d\d [AaPp][Mm]": "%I:%M:%S %p",
}

DATES = {
    r"\d{4}-\d\d-\d\d.*": ["ISO8601"],
    r"\d{4}-\d\d": ["%Y-%m"],
    _MONTH: ["%m.%Y"],
    r"\d\d?/\d{4}": ["%m/%Y"],
} | {
    day + time: [f"{form} {hour}".strip() for form in forms]
    for (day, forms), (time, hour) in product(_DAYS.items(), _TIMES.items())
}

LIKE_A_DATE = (
    r"\s*(\d{4}[-/.年]\s?\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}"
    r"|\d\d?\.?[- ]([^\W\d]{3,12}\.?|de [^\W\d]{3,12} de)[- ]\d{2,4}|[^\W\d]{3,12}\.? \d\d?,? \d{4})(\D.*)?"
)


def may_be_values(words):
    """Whether a few words leave it open that their column holds numbers or dates."""
    read = read_numbers(words)
    return (
        read.values is not None
        or bool(read.undecided)
        or any(all(re.fullmatch(look, " ".join(word.split())) for word in words) for look in DATES)
    )


def read_dates(words):
    """An array of words as a Series of dates if there is one way to read all of it, else None."""
    words = pd.Series(words, dtype=object).astype(str).str.strip().str.replace(r"\s+", " ", regex=True)
    words = words.where(~words.isin(MISSING_WORDS))
    present = words.dropna()
    if not len(present):
        return None
    looks = [look for look in DATES if re.fullmatch(look, present.iloc[0])]
    forms = next((DATES[look] for look in looks if present.str.fullmatch(look).all()), [])
    readings = []
    for form in forms:
        try:
            dates = pd.to_datetime(words, format=form, errors="coerce")
        except ValueError:  # several time zones
            continue
        if dates.notna().sum() == len(present):
            readings.append(dates)
    return readings[0] if readings and all(reading.equals(readings[0]) for reading in readings) else None
