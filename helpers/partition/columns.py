"""What was learnt of one column of a table: its codes, and what they are called in rules."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.partition.kinds import MISSING_WORDS, is_date, numbers_as_fitted

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


@dataclass(frozen=True)
class Column:
    """One column as codes 0 .. L-1: code k holds the values up to `levels[k]`, or the category `levels[k]`."""

    name: str
    kind: str  # "number", "whole", "boolean", "date", "ordered" or "category"
    levels: np.ndarray
    exact: bool = True  # every code is one value
    missing: bool = False  # missing numbers occurred in fitting
    n_pooled: int = 0  # rare categories that are one level, which is called None

    def encode(self, values):
        """(n,) float codes, NaN where the value is missing or the category is new (if there is no level of rare
        ones).
        """
        if self.kind == "category":
            words, level = as_levels(values)
            places = _places(self.levels, words)
            new = np.isnan(places)
            places[new] = _places(self.levels, [_spelled_otherwise(word) for word in words[new]])
            if self.n_pooled:
                places[np.isnan(places)] = self._pool
            return places[level]
        if self.kind == "ordered":  # by name: other rows may come with other categories
            names, level = _names(values)
            return np.append(_places(self.levels, names), np.nan)[level]
        numbers = numbers_as_fitted(values, self.name, self.kind == "date")
        codes = np.searchsorted(self.levels[:-1], numbers).astype(float)
        codes[np.isnan(numbers)] = np.nan
        return codes

    def identity(self):
        """What tells it apart from a column with the same codes: what the codes stand for and, at last, its name."""
        return self.kind, [str(level) for level in self.levels], self.name

    @property
    def _pool(self):
        """The code of rare categories, -1 if there is none."""
        return next((code for code, level in enumerate(self.levels) if level is None), -1) if self.n_pooled else -1

    def _spell(self, code, digits=4):
        level = self.levels[code]
        if self.kind == "date":
            moment = np.datetime64(round(level * 86_400), "s")
            only_days = (self.levels == np.round(self.levels)).all()
            return str(moment.astype("datetime64[D]")) if only_days else str(moment).replace("T", " ")
        if self.kind == "ordered":
            return str(level)
        return f"{level:.0f}" if self.kind == "whole" else f"{level:.{digits}g}"

    def _is_one_value(self, code):
        """Whether no other value, in other rows, can have this code."""
        if self.kind != "whole" or not self.exact:
            return False
        between = 0 < code < self.levels.size - 1 and self.levels[code] - self.levels[code - 1] == 1
        return between or np.array_equal(self.levels, [0, 1])

    def _names(self, levels):
        """Categories in words, the rare ones last."""
        names = [level for level in levels if level is not None]
        rare = [f"one of {self.n_pooled:,} rare levels"] if len(names) < len(levels) else []
        return _join([*_shortened(sorted(names)), *rare], "or")

    def words(self, first, last, missing):
        """The rows with codes first .. last (and the missing ones, if `missing`) in words; "" if that is all of
        them.
        """
        name = self.name
        top = self.levels.size - 1
        if first > last:
            return f"{name} is missing"
        if first == 0 and last == top:
            return f"{name} is not missing" if self.missing and not missing else ""
        if self.kind == "category":
            inside = self.levels[first : last + 1]
            outside = np.r_[self.levels[:first], self.levels[last + 1 :]]
            new_ones = first <= self._pool <= last if self.n_pooled else missing  # go here, too
            if new_ones and len(outside) < len(inside):
                return f"{name} is not {self._names(outside)}"
            return f"{name} is {self._names(inside)}"
        if self.kind == "boolean":
            text = f"{name} is {bool(self.levels[first])}"
        elif self.kind == "ordered" and last - first < NAMED:  # "health > good" would be read as "better than good"
            text = f"{name} is {_join(self.levels[first : last + 1], 'or')}"
        elif first == last and self._is_one_value(first):
            text = f"{name} is {self._spell(first)}"
        elif first > 0 and last < top:
            ends = [self._spell(first - 1), self._spell(last)]
            if ends[0] == ends[1]:
                ends = [self._spell(first - 1, 17), self._spell(last, 17)]
            text = f"{ends[0]} < {name} <= {ends[1]}"
        else:
            text = f"{name} > {self._spell(first - 1)}" if first > 0 else f"{name} <= {self._spell(last)}"
        return f"({text} or missing)" if self.missing and missing else text


def _join(words, last):
    words = [str(word) for word in words]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _shortened(words):
    """The first of more than 20 words, and how many there are more."""
    return words if len(words) <= 20 else [*words[:10], f"{len(words) - 10:,} more"]
