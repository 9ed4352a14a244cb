"""Each column of a table as codes of its values, read when they are asked for."""

from functools import cached_property

import numpy as np
import pandas as pd

LOOKED_AT = 5000  # rows whose values, if all differ, show that hardly any two rows of a column are alike


class CodedColumn:
    """A column and the codes of its values, -1 where one is missing; those of numbers and dates are in their order."""

    def __init__(self, name, values, columns=()):
        dtype = values.dtype
        self.name = name
        self.columns = columns or (name,)  # of the table
        self.values = values
        self.is_category = isinstance(dtype, pd.CategoricalDtype)
        self.is_date = pd.api.types.is_datetime64_any_dtype(dtype)
        self._is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
        #: Whether its values are larger and smaller: numbers and dates that are read as such.
        self.has_sizes = self._is_number or self.is_date

    @cached_property
    def _codes(self):
        """Codes, levels, and whether the codes are in an order."""
        if self.is_category:
            categories = self.values.cat
            return categories.codes.to_numpy().astype(np.int64), categories.categories, bool(categories.ordered)
        try:
            code, levels = pd.factorize(self.values, sort=self.has_sizes)
        except TypeError:  # values that cannot be hashed: whoever computes with them says so
            return np.full(len(self.values), -1), [], False
        if self.has_sizes or not len(levels) or not pd.api.types.is_string_dtype(levels.dtype):
            return code.astype(np.int64), levels, self.has_sizes
        numbers = pd.to_numeric(pd.Series(levels), errors="coerce")
        if numbers.isna().any():
            return code.astype(np.int64), levels, False
        order = np.argsort(numbers.to_numpy(), kind="stable")  # of numbers that are written as text
        place = np.append(np.argsort(order), -1)
        return place[code], levels[order], True

    @property
    def code(self):
        return self._codes[0]

    @property
    def levels(self):
        return self._codes[1]

    @property
    def n_levels(self):
        return len(self.levels)

    @property
    def is_ordered(self):
        return self._codes[2]

    @property
    def words(self):
        """Its levels as words."""
        return [str(level) for level in self.levels]

    @cached_property
    def hashes(self):
        """(n,) numbers that are equal where the values are."""
        if self._is_number and not pd.api.types.is_extension_array_dtype(self.values.dtype):
            return pd.util.hash_array(self.values.to_numpy(float) + 0.0)  # + 0.0: -0 is 0
        return pd.util.hash_array(self.code)

    @cached_property
    def repeats(self):
        """Whether rows share values of it."""
        return not self.values.iloc[:LOOKED_AT].is_unique or not self.values.iloc[-LOOKED_AT:].is_unique


def days(values):
    """Dates and times as days; anything else as it is."""
    return values.dt.floor("D") if pd.api.types.is_datetime64_any_dtype(values.dtype) else values


def as_days(column):
    """A column of dates and times as one of days; any other as it is, with what was read of it."""
    return CodedColumn(column.name, days(column.values)) if column.is_date else column


def days_of_calendar(X):
    """The dates that columns of numbers called day, month and year (or the first alone, or two) make together, or None.

    Without a month or a year all rows are of one. None as well where some of the numbers are no date.
    """
    parts = {str(name).lower(): name for name in X if pd.api.types.is_numeric_dtype(X[name].dtype)}
    columns = tuple(parts[part] for part in ("year", "month", "day") if part in parts)
    if "day" not in parts:
        return None
    frame = pd.DataFrame({"year": 2000, "month": 1}, index=X.index)
    dates = pd.to_datetime(frame.assign(**{str(name).lower(): X[name] for name in columns}), errors="coerce")
    if (dates.isna() & X[list(columns)].notna().all(axis=1)).any():  # days of another kind
        return None
    return CodedColumn(", ".join(map(str, columns)), dates, tuple(map(str, columns)))


def coded(X):
    """A `CodedColumn` for each column of a DataFrame."""
    return [CodedColumn(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
