"""What is checked: tables, and samples of labels, stated scores, features, weights and groups.

A public function checks what it is given and hands on a `CheckedTable` or `Rows`, which are not checked again.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d

from helpers.checks import (
    as_frame,
    check_effective,
    check_groups,
    check_labels,
    check_probabilities,
    check_same_length,
    check_vector,
    check_weights,
    unequal,
)
from helpers.partition.columns import as_levels
from helpers.partition.kinds import as_numbers, in_order, plain_values, text_as_values
from helpers.profile import profile_table
from helpers.profile.alerts import warn_of
from helpers.profile.copies import merge_copies

SCORE = "stated probability"


def with_score_column(X, p):
    """The table with the scores as its last column, named "stated probability" (and "(p)" where X has that name)."""
    name = SCORE
    while name in X.columns:
        name = f"{name} (p)"
    return X.assign(**{name: p})


class CheckedTable:
    """A table that was checked, or some rows of it; estimators take it without another check.

    What a column of text says, numbers or categories, all rows of the table decide and not those that are selected.
    Selections of one `CheckedTable` share what was read: many trees on its halves read and sort a column once.
    """

    # a column is copied when it is asked for: a copy of all would be large

    def __init__(self, table, rows=None):
        self.columns = table.columns
        self._numbers = {}
        self._levels = {}
        if isinstance(table, CheckedTable):
            if table._rows is not None:
                rows = table._rows if rows is None else table._rows[rows]
            self._numbers, self._levels = table._numbers, table._levels
            table = table._table
        self._table = table
        self._rows = rows

    def __len__(self):
        return len(self._table) if self._rows is None else len(self._rows)

    def __getitem__(self, name):
        column = self._table[name]
        return column if self._rows is None else pd.Series(column.array.take(self._rows), name=name)

    def numbers(self, name):
        """A column as read, of all rows, its numbers as `in_order` and the places of these rows; None of categories."""
        if name not in self._numbers:
            column = text_as_values(self._table[name])
            numbers = as_numbers(column)
            self._numbers[name] = None if numbers is None else (column, *in_order(numbers))
        if self._numbers[name] is None:
            return None
        column, levels, place = self._numbers[name]
        return column, levels, self._selected(place)

    def levels(self, name):
        """`as_levels` of a column of categories: those of all rows, and which of them each of these rows has."""
        if name not in self._levels:
            self._levels[name] = as_levels(self._table[name])
        words, level = self._levels[name]
        return words, self._selected(level)

    def _selected(self, values):
        return values if self._rows is None else values[self._rows]


def check_table(X, name="X"):
    """`X` (of pandas, polars, pyarrow, array) as a DataFrame with distinct string names; the caller's is kept."""
    X = as_frame(X)
    if not isinstance(X, pd.DataFrame):
        X = X.toarray() if hasattr(X, "toarray") else X
        try:
            array = X.astype(float).filled(np.nan) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
        except ValueError as error:
            raise ValueError(f"{name} must have rows of equal length, but {error}") from None
        if array.ndim == 0:
            raise ValueError(f"{name} must be a DataFrame or an array in memory, but it is a {type(X).__name__}.")
        if array.ndim != 2:
            hint = " Reshape your data: X.reshape(-1, 1) is one feature." if array.ndim == 1 else ""
            raise ValueError(f"{name} must have two dimensions (rows, features), but its shape is {array.shape}.{hint}")
        X = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])], copy=False)
    if not X.shape[0] or not X.shape[1]:
        found = f"{X.shape[0]} sample(s) and {X.shape[1]} feature(s) (shape={X.shape})"
        raise ValueError(f"{name} must have rows and columns, but it has {found} while a minimum of 1 is required.")
    unnamed = [j for j, column in enumerate(X.columns) if pd.api.types.is_scalar(column) and pd.isna(column)]
    if unnamed:
        raise ValueError(f"{name} must name its columns, but column {unnamed[0]} (from 0) has no name.")
    names = [str(column) for column in X.columns]
    if names != list(X.columns):
        X = X.set_axis(names, axis=1)
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()]
        raise ValueError(f"{name} must not have two columns of one name, but {twice[0]!r} occurs twice or more.")
    X = X.infer_objects()  # a new table, in which the caller's data are shared
    swapped = {k: dtype for k, dtype in X.dtypes.items() if isinstance(dtype, np.dtype) and not dtype.isnative}
    if swapped:
        X = X.astype({k: dtype.newbyteorder("=") for k, dtype in swapped.items()})
    for column, dtype in zip(names, X.dtypes, strict=True):
        if dtype.type in (list, dict):
            raise ValueError(f"{name} must hold numbers, text or dates, but column {column!r} holds a {dtype}.")
        if dtype.kind == "c":
            raise ValueError(
                f"{name} must hold real numbers, text or categories, but column {column!r} is complex. "
                "Complex data not supported."
            )
        values = X[column]
        if dtype == np.dtype(object):
            odd = ~values.map(pd.api.types.is_scalar).to_numpy(bool)
            if odd.any():
                row = int(np.argmax(odd))
                raise ValueError(
                    f"{name} must hold numbers, text or dates, "
                    f"but column {column!r} holds a {type(values.iloc[row]).__name__} in row {row}."
                )
        plain = plain_values(values)
        if plain is not values:
            X[column] = plain
        as_read = text_as_values(plain)
        infinite = np.isinf(as_numbers(as_read)) if as_read.dtype.kind == "f" else np.zeros(1, bool)
        if infinite.any():
            row = int(np.argmax(infinite))
            raise ValueError(f"{name} must be finite or missing, but column {column!r} is infinite in row {row}.")
    return X


class TakesTables(BaseEstimator):
    """An estimator of scikit-learn that takes tables of any kind, by the names of their columns."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _check_rows(self, X, y, weight, groups):
        """Table, targets or None, weights and group codes of a fit, of one length; notes the columns."""
        named = hasattr(X, "columns")
        X, y, weight, groups = check_rows_of_fit(X, y, weight, groups)
        self._remember_columns(X, named)
        return X, y, weight, groups

    def _remember_columns(self, X, named):
        """Note the columns of a fit as scikit-learn does."""
        self.n_features_in_ = len(X.columns)
        vars(self).pop("feature_names_in_", None)
        if named:
            self.feature_names_in_ = np.asarray(X.columns, object)

    def _check_columns(self, X):
        """A table to predict for; ValueError for an array with another number of columns than that of the fit."""
        if isinstance(X, CheckedTable):
            return X
        named = hasattr(X, "columns")
        X = check_table(X)
        if not named and X.shape[1] != self.n_features_in_:
            name = type(self).__name__
            raise ValueError(
                f"X has {X.shape[1]} features, but {name} is expecting {self.n_features_in_} features as input."
            )
        return X


def check_rows_of_fit(X, y, weight, groups=None):
    """Table, targets or None, weights and group codes of one length, without rows of weight 0."""
    checked = isinstance(X, CheckedTable)
    if not checked:
        X = check_table(X)
        y = None if y is None else check_vector(y, "y", finite=True)
        weight = check_weights(weight)
        check_same_length(X=X, y=y, sample_weight=weight, groups=groups)
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        X = CheckedTable(X, kept) if checked else X.iloc[kept]
        y, weight, groups = (None if column is None else np.asarray(column)[kept] for column in (y, weight, groups))
    return (X, y, weight, groups) if checked else (CheckedTable(X), y, weight, codes_of_groups(groups))


def codes_of_groups(groups):
    """`check_groups` where one group alone may choose regions as rows without groups do."""
    return None if groups is None or pd.Series(groups).nunique(dropna=False) < 2 else check_groups(groups)


def as_column(y):
    """`y` of an estimator's fit; scikit-learn's estimators take a column (n, 1) with a warning, and refuse None."""
    if y is None or getattr(y, "ndim", 1) == 2:
        return column_or_1d(y, warn=True)
    return y


def check_sample(y, p, X, sample_weight, groups, *, both=True):
    """Checked labels (of `both` kinds), stated probabilities, table, weights or None, group codes or None."""
    X = check_table(X)  # first: where somebody takes an estimator's order for a function's, it is the clearest
    y = check_labels(y, both=both)
    p = check_probabilities(p)
    weight = check_weights(sample_weight)
    groups = check_groups(groups)
    check_same_length(y=y, p=p, X=X, sample_weight=weight, groups=groups)
    check_effective(weight, groups)
    return y, p, X, weight, groups


@dataclass(frozen=True)
class Rows:
    """Rows that were checked; `kept` tells which of the rows given they are."""

    y: np.ndarray
    p: np.ndarray
    X: object
    weight: np.ndarray | None
    groups: np.ndarray | None
    kept: np.ndarray
    first: np.ndarray | None = None  # of each row given, the number of the first that is its copy; None: no copies
    alerts: tuple = ()  # what the profile of the table has found

    @property
    def weights(self):
        """Sampling weights, (n,): ones where none are given."""
        return np.ones(self.y.size) if self.weight is None else self.weight

    def with_copies(self, values):
        """Values of all rows given, in which each copy has that of its first."""
        return values if self.first is None else values[self.first]

    @classmethod
    def of_all(cls, y, p, X, weight, groups):
        """Rows of which none was left out."""
        return cls(y, p, X, weight, groups, np.ones(y.size, bool))


def check_rows(y, p, X, sample_weight, groups, *, both=True, others=None, known=(), warn=True):
    """`Rows` without those of weight 0, which were not sampled, and with copies merged.

    ValueError for columns that break a rule. `others`, `known`: as in `profile_table`, whose alerts are given as
    warnings if `warn`.
    """
    rows = _sampled(*check_sample(y, p, X, sample_weight, groups, both=both), both)
    others = None if others is None else others[rows.kept]
    found = profile_table(
        rows.y, rows.p, rows.X, sample_weight=rows.weight, groups=rows.groups, others=others, known=known
    )
    if warn:
        warn_of(found.of("copies", "near_copies", "same_rows", "cluster", "leak"))
    if found.copy is not None:
        rows = _without_copies(rows, found.copy)
    return replace(rows, alerts=found.alerts)


def _sampled(y, p, X, weight, codes, both):
    """`Rows` without those of weight 0."""
    if weight is None or weight.all():
        return Rows.of_all(y, p, X, unequal(weight), codes)
    kept = weight > 0
    try:
        codes = None if codes is None else check_groups(codes[kept])
        y = check_labels(y[kept], both=both)
        return Rows(y, p[kept], X.iloc[kept], unequal(weight[kept]), codes, kept)
    except ValueError as error:
        raise ValueError(f"sample_weight must leave enough rows with a weight: {error}") from None


def _without_copies(rows, copy):
    """The first of each copy, with the weight of all."""
    first, place, weight = merge_copies(copy, rows.weights)
    kept = np.zeros(rows.kept.size, bool)
    kept[np.flatnonzero(rows.kept)[first]] = True
    groups = None if rows.groups is None else pd.factorize(rows.groups[first])[0]
    first_of_all = np.arange(kept.size)
    first_of_all[rows.kept] = np.flatnonzero(kept)[place]
    return Rows(rows.y[first], rows.p[first], rows.X.iloc[first], weight, groups, kept, first_of_all)
