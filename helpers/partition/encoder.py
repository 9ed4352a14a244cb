"""Tables turned into what a regression tree can split, so that its splits can be told in the table's own words.

The encoding (documented because results depend on it), column by column, learned from the fitting rows alone:

- numbers, dates and ordered categories keep their order. A column with more than `max_bins` distinct values is cut at
  that many quantiles, which are values of the data; the tree then splits at "x <= value" exactly as its rule says.
- booleans count as 0 and 1.
- numbers and dates that come as objects (`Decimal`, `date`, periods) or as text are numbers and dates.
- text and unordered categories are put in the order of their mean target, so that one split can separate any set of
  levels that lie together in that order; a missing level is a level called "missing", a level not seen in fitting
  counts as a missing number. Of more than 20 levels the rare ones are one, and luck does not order the rows that choose
  splits (`helpers.partition.levels`).
- what fitting did not see, a new category or a first missing number, goes with the larger side of a split.
- missing numbers stay missing: the tree learns the side to which they go.

Trees break ties between columns by place, and forests draw columns by place. So the columns of the codes stand in an
order of their own (`order_of_content`), which neither the order nor the names of the table's columns change.
"""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from helpers.checks import as_frame, check_count, check_groups, check_same_length, check_vector, check_weights
from helpers.partition.columns import Column, as_levels, kind_of
from helpers.partition.content_order import order_of_content, put_in_order
from helpers.partition.kinds import as_numbers, plain_values, text_as_values
from helpers.partition.levels import (
    FEW,
    RARE,
    Pooled,
    folds_of_rows,
    order_by_target,
    places_by_other_folds,
    rare_levels,
)

SCORE = "stated probability"


def with_score_column(X, p):
    """The table with the scores as its last column, named "stated probability" (and "(p)" where X has that name).

    Parameters
    ----------
    X : DataFrame, shape (n, d)
        Features.
    p : array_like, shape (n,)
        Stated probabilities.

    Returns
    -------
    DataFrame, shape (n, d + 1)
        A new table.

    Examples
    --------
    >>> list(with_score_column(pd.DataFrame({"age": [40]}), [0.7]).columns)
    ['age', 'stated probability']
    """
    name = SCORE
    while name in X.columns:
        name = f"{name} (p)"
    return X.assign(**{name: p})


class TableRows:
    """Some rows of a table, of which a column is copied when it is asked for: a copy of all would be large.

    Parameters
    ----------
    table : DataFrame, shape (m, d)
        A checked table.
    rows : ndarray of int, shape (n,)
        Row numbers.

    Examples
    --------
    >>> rows = TableRows(pd.DataFrame({"age": [20, 30, 40]}), np.array([2, 0]))
    >>> len(rows), rows["age"].tolist()
    (2, [40, 20])
    """

    def __init__(self, table, rows):
        self._table = table
        self._rows = rows
        self.columns = table.columns

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, names):
        """A column, or some columns of the same rows if there is a list of names."""
        if isinstance(names, list):
            return TableRows(self._table[names], self._rows)
        return self._table[names].take(self._rows)

    def take(self, places):
        """The rows that stand at these places."""
        return TableRows(self._table, self._rows[places])


def check_table(X, name="X"):
    """`X` (of pandas, polars, pyarrow, or an array) as a DataFrame with distinct string column names (arrays get "x0",
    "x1", …) and numbers and dates in place of objects that stand for them (`helpers.partition.kinds`); the caller's
    data stay untouched.

    Raises
    ------
    ValueError if it is not two-dimensional or empty, if a column name occurs twice, a column holds complex numbers,
    lists or the like, or infinity, or has no name.
    """
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
    plain = {column: X[column].dtype for column in names if isinstance(X[column].dtype, np.dtype)}
    X = X.astype({column: dtype.newbyteorder("=") for column, dtype in plain.items() if not dtype.isnative})
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

    def _remember_columns(self, X, named):
        """Note number and, where the caller gave names, names of the columns of a checked table."""
        self.n_features_in_ = X.shape[1]
        vars(self).pop("feature_names_in_", None)
        if named:
            self.feature_names_in_ = np.asarray(X.columns, object)

    def _check_columns(self, X):
        """A table to predict for; ValueError for an array with another number of columns than that of the fit."""
        named = hasattr(X, "columns")
        X = check_table(X)
        if not named and X.shape[1] != self.n_features_in_:
            name = type(self).__name__
            raise ValueError(
                f"X has {X.shape[1]} features, but {name} is expecting {self.n_features_in_} features as input."
            )
        return X


class TableEncoder(TransformerMixin, TakesTables):
    """Learns the encoding of a table and applies it to other rows.

    Parameters
    ----------
    max_bins : int, default 1024
        Numeric columns with more distinct values are cut at so many quantiles.
    rare : int, default 5
        Rows with a weight that a level needs to stand alone where there are more than 20 levels; with 1 all do.

    Attributes
    ----------
    columns_ : list
        What was learnt of each column, in the order of the codes (`order_of_content`).
    order_ : ndarray of int, shape (d,)
        Where in the table each of them stood.
    pooled_ : tuple of Pooled
        The columns of which rare levels are one.
    n_features_in_ : int
        Columns of the fit.
    feature_names_in_ : ndarray of str
        Their names, where `X` was a table.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30, 40], "job": ["cook", "smith", "cook"]})
    >>> encoder = TableEncoder().fit(table, [0.0, 1.0, 0.0])
    >>> encoder.get_feature_names_out().tolist()
    ['job', 'age']
    >>> encoder.transform(table)
    array([[0., 0.],
           [1., 1.],
           [0., 2.]], dtype=float32)
    """

    def __init__(self, max_bins=1024, rare=RARE):
        self.max_bins = max_bins
        self.rare = rare

    def fit(self, X, y=None, sample_weight=None, groups=None):
        """Learn levels and their order.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features: numbers, booleans, categories, text, dates, missing values.
        y : array_like, shape (n,), optional
            Labels or residuals: by their mean in each category these are put in order; None: by their names.
        sample_weight : array_like, shape (n,), optional
            Weights of these means.
        groups : array_like, shape (n,), optional
            Labels of people, hospitals, … whose rows depend on each other.

        Returns
        -------
        TableEncoder
            Itself.
        """
        self.fit_transform(X, y, sample_weight, groups)
        return self

    def fit_transform(self, X, y=None, sample_weight=None, groups=None):
        """Learn levels and their order, and return the codes with which the same rows may choose splits.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.
        y : array_like, shape (n,), optional
            As in `fit`.
        sample_weight : array_like, shape (n,), optional
            As in `fit`.
        groups : array_like, shape (n,), optional
            As in `fit`.

        Returns
        -------
        ndarray of float32, shape (n, d)
            What `transform` returns, but in categories of many levels, where a row stands at the place that the other
            folds give its level (`helpers.partition.levels`).
        """
        check_count(self.max_bins, "max_bins", least=2)
        check_count(self.rare, "rare")
        named = hasattr(X, "columns")
        X = check_table(X)
        y = None if y is None else check_vector(y, "y", finite=True)
        weight = check_weights(sample_weight)
        groups = check_groups(groups)
        check_same_length(X=X, y=y, sample_weight=weight, groups=groups)
        self._remember_columns(X, named)
        return self.learn(X, y, weight, groups)

    def transform(self, X):
        """Codes of the rows.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            The columns of the fit in any order, others are passed over.

        Returns
        -------
        ndarray of float32, shape (n, d)
            A column for each of `columns_`; NaN where a value is missing.

        Raises
        ------
        ValueError
            If a column is absent or changed its type.
        """
        check_is_fitted(self)
        return self.encode(self._check_columns(X))

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of the codes.

        Parameters
        ----------
        input_features : array_like of str, optional
            Ignored.

        Returns
        -------
        ndarray of str, shape (d,)
            In the order of the codes.
        """
        check_is_fitted(self)
        return np.array([column.name for column in self.columns_], object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # codes are float32 whatever comes in
        return tags

    def learn(self, X, target=None, sample_weight=None, groups=None, *, columns=None):
        """`fit_transform` of columns that were checked.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            Features.
        target : array of float, shape (n,), optional
            What orders the categories.
        sample_weight : array of float, shape (n,), optional
            Weights.
        groups : array of int, shape (n,), optional
            Codes of groups.
        columns : list of str, optional
            Columns that are encoded; all by default.

        Returns
        -------
        ndarray of float32, shape (n, d)
            The codes.
        """
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        names = list(X.columns) if columns is None else columns
        fold = None
        self.columns_ = []
        codes = np.empty((len(X), len(names)), dtype=np.float32)
        for j, name in enumerate(names):
            values = text_as_values(X[name])
            numbers = as_numbers(values)
            if numbers is not None:
                self.columns_.append(self._learn_numbers(name, values, numbers))
                codes[:, j] = self.columns_[j].encode(values)
                continue
            levels, code, n_pooled = self._learn_levels(values, weight)
            if target is not None:
                mean, order = order_by_target(code, target, weight, levels.size)
                levels = levels[order]
                if levels.size > FEW:
                    fold = folds_of_rows(X, groups) if fold is None else fold
                    code = places_by_other_folds(code, target, weight, fold, mean, order)
                else:
                    code = np.argsort(order)[code]
            self.columns_.append(Column(name, "category", levels, n_pooled=n_pooled))
            codes[:, j] = code
        pooled = [column for column in self.columns_ if column.n_pooled]
        self.pooled_ = tuple(Pooled(c.name, c.n_pooled, c.levels.size - 1 + c.n_pooled) for c in pooled)
        target = np.zeros(len(X)) if target is None else target
        self.order_ = order_of_content(codes, target, lambda j: self.columns_[j].identity())
        put_in_order(codes, self.order_)
        self.columns_ = [self.columns_[j] for j in self.order_]
        return codes

    @property
    def categories_(self):
        """Positions of the columns whose codes are names without an order, a tuple of int."""
        return tuple(j for j, column in enumerate(self.columns_) if column.kind == "category")

    def _learn_levels(self, values, weight):
        """The levels of a category by name, rare ones as None at the end; which each row has; how many are rare."""
        words, level = as_levels(values)
        occurs = np.bincount(level, minlength=words.size) > 0
        levels, place = np.unique(words[occurs], return_inverse=True)
        code = place[np.cumsum(occurs)[level] - 1]
        rare = rare_levels(np.bincount(code[weight > 0], minlength=levels.size), self.rare)
        if not rare.any():
            return levels, code, 0
        standing = np.cumsum(~rare) - 1
        code = np.where(rare, standing[-1] + 1, standing)[code]
        return np.append(levels[~rare], None), code, int(rare.sum())

    def _learn_numbers(self, name, values, numbers):
        missing = bool(np.isnan(numbers).any())
        if isinstance(values.dtype, pd.CategoricalDtype):
            return Column(name, "ordered", values.cat.categories.to_numpy(object), missing=missing)
        present = np.sort(numbers[~np.isnan(numbers)])
        levels = present[np.r_[True, present[1:] > present[:-1]]] if present.size else np.zeros(1)
        exact = levels.size <= self.max_bins
        if not exact:
            levels = np.unique(present[np.arange(1, self.max_bins + 1) * present.size // self.max_bins - 1])
        return Column(name, kind_of(values, levels), levels, exact, missing)

    def encode(self, X):
        """`transform` of a table that was checked.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            Features.

        Returns
        -------
        ndarray of float32, shape (n, d)
            The codes.
        """
        absent = [column.name for column in self.columns_ if column.name not in X.columns]
        if absent:
            raise ValueError(f"X must have the columns of the fit, but {absent[0]!r} is absent.")
        codes = np.empty((len(X), len(self.columns_)), dtype=np.float32)
        for j, column in enumerate(self.columns_):
            codes[:, j] = column.encode(X[column.name])
        return codes
