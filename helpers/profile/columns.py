"""Each column of a table as codes of its values, read when they are asked for."""

from functools import cached_property

import numpy as np
import pandas as pd

LOOKED_AT = 5000  # rows whose values, if all differ, show that hardly any two rows of a column are alike


class CodedColumn:
    """A column and the codes of its values, -1 where one is missing; those of numbers and dates are in their order."""

    def __init__(self, name, values):
        dtype = values.dtype
        self.name = name
        self.values = values
        self.is_category = isinstance(dtype, pd.CategoricalDtype)
        self.is_date = pd.api.types.is_datetime64_any_dtype(dtype)
        self.is_text = False  # of numbers
        self._is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
        self.is_ordered = self._is_number or self.is_date or (self.is_category and bool(values.cat.ordered))

    @cached_property
    def _codes(self):
        if self.is_category:
            return self.values.cat.codes.to_numpy().astype(np.int64), self.values.cat.categories
        try:
            code, levels = pd.factorize(self.values, sort=self.is_ordered)
        except TypeError:  # values that cannot be hashed: whoever computes with them says so
            return np.full(len(self.values), -1), []
        if not self.is_ordered and pd.api.types.is_string_dtype(levels.dtype):
            code, levels = self._in_order(code, levels)
        return code.astype(np.int64), levels

    def _in_order(self, code, levels):
        """Codes and levels in the order of their numbers where all levels are such, written as text."""
        numbers = pd.to_numeric(pd.Series(levels), errors="coerce")
        if numbers.isna().any() or not len(levels):
            return code, levels
        self.is_ordered = self.is_text = True
        order = np.argsort(numbers.to_numpy(), kind="stable")
        place = np.empty(len(order) + 1, np.int64)
        place[order] = np.arange(len(order))
        place[-1] = -1
        return place[code], levels[order]

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
    def has_sizes(self):
        """Whether its values are larger and smaller: numbers and dates that are read as such."""
        return self.is_ordered and not self.is_category and not self.is_text

    @property
    def words(self):
        """Its levels as words."""
        return [str(level) for level in self.levels]

    @property
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


def coded(X):
    """A `CodedColumn` for each column of a DataFrame."""
    return [CodedColumn(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
