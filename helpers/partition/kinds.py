"""What the values of a column are: numbers, dates, or names.

Databases and data frames hand out numbers and dates as objects (`Decimal`, `datetime.date`) or as text. Taken for names
they would lose their order, so they are read as a file reader reads them.
"""

from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

from helpers.checks import raise_first_row
from helpers.partition.notation import MISSING_WORDS, may_be_values, read_dates, read_numbers

TRUTHS = {text: text.lower() == "true" for text in ("True", "False", "true", "false", "TRUE", "FALSE")}

FIRST = 20  # values of a column of text that are looked at before all are


def plain_values(values):
    """A column with numbers and dates in place of objects that stand for them; other columns as they are."""
    dtype = values.dtype
    if isinstance(dtype, pd.PeriodDtype):
        return values.dt.to_timestamp()
    if isinstance(dtype, pd.IntervalDtype):
        return values.astype(pd.CategoricalDtype(values.drop_duplicates().dropna().sort_values(), ordered=True))
    if isinstance(dtype, pd.ArrowDtype) and str(dtype).startswith("date"):
        return pd.to_datetime(values)
    if dtype != np.dtype(object):
        return values
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind in ("date", "datetime"):
        try:
            return pd.to_datetime(values)
        except ValueError:  # several time zones
            return pd.to_datetime(values, utc=True)
    if kind in ("boolean", "string", "empty"):
        return values
    present = values.dropna()
    if len(present) and present.map(lambda value: isinstance(value, Real | Decimal)).all():
        return values.astype(object).where(values.notna(), np.nan).astype(float)
    return values


def is_text(values):
    """Whether a column holds text, alone or among other objects."""
    if not (isinstance(values.dtype, pd.StringDtype) or values.dtype == np.dtype(object)):
        return False
    return pd.api.types.infer_dtype(values, skipna=True) in ("string", "mixed", "mixed-integer")


def text_as_values(values, decimal=""):
    """A column of text as numbers or dates if that is what all of it says; other columns as they are.

    `decimal` is the sign before decimals in the file that it comes from, if that is known.
    """
    if not (isinstance(values.dtype, pd.StringDtype) or values.dtype == np.dtype(object)) or not _may_be(values):
        return values
    if not is_text(values):
        return values
    codes, words = pd.factorize(values)
    dates = read_dates(words)
    if dates is not None:
        return dates.reindex(codes).set_axis(values.index).rename(values.name)
    numbers = read_numbers(words, decimal)
    if numbers.values is None:
        return values
    read = pd.Series(np.append(numbers.values, np.nan)[codes], values.index, name=values.name)
    read.attrs |= {"decimal": numbers.decimal, "unit": numbers.unit}  # how other rows of the column have to be read
    return read


def _may_be(values):
    """Whether the first values leave it open that all are numbers or dates: most columns of words end here."""
    first = [word for word in map(str, values.iloc[:FIRST].dropna()) if word not in MISSING_WORDS]
    if not first:
        return bool(values.notna().any())
    return may_be_values(first)


def is_date(values):
    """Whether a column holds moments, as dates or as text."""
    return pd.api.types.is_datetime64_any_dtype(values.dtype)


def as_numbers(values):
    """Float array of a numeric, boolean, date or ordered column; None where the column is unordered."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return values.to_numpy(float)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = values.array.codes
        return np.where(codes < 0, np.nan, codes).astype(float) if dtype.ordered else None
    if is_date(values):
        moments = pd.to_datetime(values, utc=True).dt.tz_localize(None).to_numpy()
        unit = np.datetime_data(moments.dtype)[0]  # nanoseconds, in which pandas takes differences, end in 2262
        return (moments - np.datetime64(0, unit)) / np.timedelta64(1, "D")
    if pd.api.types.is_timedelta64_dtype(dtype):
        return (values / pd.Timedelta(days=1)).to_numpy(dtype=float, na_value=np.nan)
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return values.to_numpy(dtype=float, na_value=np.nan)
    return None


def in_order(numbers):
    """(distinct numbers in order and NaN at the end, place of each number among them)."""
    levels, place = np.unique(numbers + 0.0, return_inverse=True)  # no -0.0: which of two zeros it keeps is chance
    return np.append(levels[~np.isnan(levels)], np.nan), place.astype(np.min_scalar_type(levels.size))


def is_of_another_unit(read, unit):
    """Whether text that was read as numbers has another unit than the text of the fit, None if that was no text."""
    return unit is not None and read.attrs.get("unit", "") not in ("", unit)


def numbers_as_fitted(values, name, date, decimal="", unit=None):
    """`as_numbers` of a column that was one of dates or of other numbers in the fit; ValueError if it is not now.

    `decimal` is the sign before decimals in the text of the fit, `unit` the unit in it, None if it was no text.
    """
    read = text_as_values(values, decimal)
    if is_of_another_unit(read, unit):
        raise ValueError(f"X must hold numbers as in the fit, but column {name!r} holds {read.attrs['unit']!r} now.")
    numbers = as_numbers(read)
    if numbers is None:
        read = _text_as_truths(read)
        numbers = as_numbers(read)
    if numbers is not None and is_date(read) == date:
        return numbers
    if not read.notna().any():
        return np.full(len(read), np.nan)
    rule = f"hold {'dates, such as 2024-01-31,' if date else 'numbers'} as in the fit"
    if numbers is not None:
        raise ValueError(f"X must {rule}, but column {name!r} holds {'numbers' if date else 'dates'} now.")
    undecided = not date and read_numbers(values.dropna(), decimal).undecided
    hint = "Its sign may be one of thousands or of decimals: give it as a number." if undecided else ""
    raise_first_row("X", name, rule, values, _unreadable(values, date), lambda row: f"row {row}", hint)


def _text_as_truths(values):
    """A column of text such as "True" and "False" as booleans; other columns as they are."""
    truths = values.astype(object).map(TRUTHS)
    return truths.astype("boolean") if truths.isna().equals(values.isna()) else values


def _unreadable(values, date):
    """Which values of a column are no dates, or no numbers, by themselves; all if each could be one."""
    words = values.astype(object).where(values.notna(), "").astype(str).str.strip()
    alone = {word: _is_readable(word, date) for word in words.unique()}
    bad = ~words.map(alone).to_numpy(bool)
    return bad if bad.any() else values.notna().to_numpy()


def _is_readable(word, date):
    """Whether a word is missing, or can be read as a date, or as a number."""
    if word in MISSING_WORDS:
        return True
    read = read_dates([word]) if date else read_numbers([word]).values
    return read is not None
