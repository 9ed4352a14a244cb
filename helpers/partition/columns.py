"""What was learnt of one column of a table, its codes, and the codes in the words of a rule."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.partition.kinds import is_date, is_of_another_unit, numbers_as_fitted
from helpers.partition.notation import MISSING_WORDS

NAMED = 3  # levels of an ordered category that a rule names one by one


def _as_text(values):
    """Object array of the categories as words; missing ones are called "missing"."""
    return values.astype(object).where(values.notna(), "missing").astype(str).to_numpy(object)


def _names(values):
    """Names of the categories, and which of them each row has, -1 where it is missing."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.array.categories, values.array.codes
    codes, names = pd.factorize(values)
    return names, codes


def as_levels(values):
    """The categories as words, "missing" last, and which of them each row has; each category is spelled once."""
    if not isinstance(values.dtype, pd.CategoricalDtype | pd.StringDtype):
        values = pd.Series(_as_text(values))  # as objects 1, 1.0 and True would be one category
    names, codes = _names(values)
    words = np.array([*map(str, names), "missing"], dtype=object)
    return words, np.where(codes < 0, len(names), codes)


def _places(levels, names):
    """Where each name stands among the levels, (k,) floats; NaN for one that does not."""
    place = {level: k for k, level in enumerate(levels)}
    return np.array([place.get(name, np.nan) for name in names], dtype=float)


def _spelled_otherwise(word):
    """How a file of other rows may have spelled a category: a column of 1, 2 and a gap is one of 1.0 and 2.0."""
    return "missing" if word in MISSING_WORDS else word.removesuffix(".0")


def kind_of(values, levels):
    """How the levels of a column are spelled out in rules."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return "boolean"
    if is_date(values):
        return "date"
    return "whole" if (levels == np.round(levels)).all() and np.abs(levels).max() < 1e15 else "number"


def unit_of(values):
    """What stands behind a value of a column in a rule: dates with a time zone are shown in UTC."""
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return " UTC"
    return " days" if pd.api.types.is_timedelta64_dtype(values.dtype) else ""


@dataclass(frozen=True)
class Column:
    """One column as codes 0 .. L-1: code k holds the values up to `levels[k]`, or the category `levels[k]`."""

    name: str
    kind: str  # "number", "whole", "boolean", "date", "ordered" or "category"
    levels: np.ndarray
    exact: bool = True  # every code is one value
    missing: bool = False  # missing numbers occurred in fitting
    n_pooled: int = 0  # rare categories that are one level, which is called None
    unit: str = ""  # behind a level in a rule
    decimal: str = ""  # the sign before decimals in the text that it was learnt from, if it was text
    measure: str | None = None  # the unit in this text

    def encode(self, X):
        """(n,) float codes of this column of a `CheckedTable`.

        NaN where the value is missing or the category is new (unless rare levels are pooled).
        """
        if self.kind == "category":
            words, level = X.levels(self.name)
            places = _places(self.levels, words)
            new = np.isnan(places)
            places[new] = _places(self.levels, [_spelled_otherwise(word) for word in words[new]])
            if self.n_pooled:
                places[np.isnan(places)] = self.pool
            return places[level]
        if self.kind == "ordered":  # by name: other rows may come with other categories
            names, level = _names(X[self.name])
            return np.append(_places(self.levels, names), np.nan)[level]
        found = X.numbers(self.name)
        if found is not None:
            column, numbers, place = found
            if is_date(column) == (self.kind == "date") and not is_of_another_unit(column, self.measure):
                return self.encode_numbers(numbers)[place]
        return self.encode_numbers(
            numbers_as_fitted(X[self.name], self.name, self.kind == "date", self.decimal, self.measure)
        )

    def encode_numbers(self, numbers):
        """Codes of numbers that `as_numbers` has read: those of the fit's own rows if it is an ordered category."""
        if self.kind == "ordered":
            return numbers
        codes = np.searchsorted(self.levels[:-1], numbers).astype(float)
        codes[np.isnan(numbers)] = np.nan
        return codes

    def identity(self):
        """What tells it apart from a column with the same codes: what the codes stand for and, at last, its name."""
        yield self.kind
        yield from map(str, self.levels)
        yield self.name

    @property
    def pool(self):
        """The code of rare categories, -1 if there is none."""
        return next((code for code, level in enumerate(self.levels) if level is None), -1) if self.n_pooled else -1


def words_of(column, first, last, missing):
    """The rows with codes first .. last (and the missing ones, if `missing`) in words; "" if that is all of them."""
    name = column.name
    top = column.levels.size - 1
    if first > last:
        return f"{name} is missing"
    if first == 0 and last == top:
        return f"{name} is not missing" if column.missing and not missing else ""
    if column.kind == "category":
        inside = column.levels[first : last + 1]
        outside = np.r_[column.levels[:first], column.levels[last + 1 :]]
        new_ones = first <= column.pool <= last if column.n_pooled else missing  # go here, too
        if new_ones and len(outside) < len(inside):
            return f"{name} is not {_list_of(column, outside)}"
        return f"{name} is {_list_of(column, inside)}"
    if column.kind == "boolean":
        text = f"{name} is {bool(column.levels[first])}"
    elif column.kind == "ordered" and last - first < NAMED:  # "health > good" would be read as "better than good"
        text = f"{name} is {_join(column.levels[first : last + 1], 'or')}"
    elif first == last and _is_one_value(column, first):
        text = f"{name} is {_spell(column, first)}"
    elif first > 0 and last < top:
        ends = [_spell(column, first - 1), _spell(column, last)]
        if ends[0] == ends[1]:
            ends = [_spell(column, first - 1, 17), _spell(column, last, 17)]
        text = f"{ends[0]} < {name} <= {ends[1]}"
    else:
        text = f"{name} > {_spell(column, first - 1)}" if first > 0 else f"{name} <= {_spell(column, last)}"
    return f"({text} or missing)" if column.missing and missing else text


def _spell(column, code, digits=4):
    level = column.levels[code]
    if column.kind == "date":
        moment = np.datetime64(round(level * 86_400), "s")
        only_days = (column.levels == np.round(column.levels)).all()
        return str(moment.astype("datetime64[D]")) if only_days else str(moment).replace("T", " ") + column.unit
    if column.kind == "ordered":
        return str(level)
    return (f"{level:.0f}" if column.kind == "whole" else f"{level:.{digits}g}") + column.unit


def _is_one_value(column, code):
    """Whether no other value, in other rows, can have this code."""
    if column.kind != "whole" or not column.exact:
        return False
    between = 0 < code < column.levels.size - 1 and column.levels[code] - column.levels[code - 1] == 1
    return between or np.array_equal(column.levels, [0, 1])


def _list_of(column, levels):
    """Categories in words, the rare ones last."""
    names = [level for level in levels if level is not None]
    rare = [f"one of {column.n_pooled:,} rare levels"] if len(names) < len(levels) else []
    return _join([*_shortened(sorted(names)), *rare], "or")


def _join(words, last):
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _shortened(words):
    """The first of more than 20 words, and how many there are more."""
    return words if len(words) <= 20 else [*words[:10], f"{len(words) - 10:,} more"]
