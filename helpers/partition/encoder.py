"""Tables turned into what a regression tree can split, so that its splits can be told in the table's own words.

The encoding (documented because results depend on it), column by column, learned from the fitting rows alone:

- numbers, dates and ordered categories keep their order. A column with more than `max_bins` distinct values is cut at
  that many quantiles, which are values of the data; the tree then splits at "x <= value" exactly as its rule says.
- booleans count as 0 and 1.
- text and unordered categories are put in the order of their mean target, so that one split can separate any set of
  levels that lie together in that order; a missing level is a level called "missing", a level not seen in fitting
  counts as a missing number.
- what fitting did not see, a new category or a first missing number, goes with the larger side of a split.
- missing numbers stay missing: the tree learns the side to which they go.

Trees break ties between columns by place, and forests draw columns by place. So the columns of the codes stand in an
order of their own (`order_of_content`), which neither the order nor the names of the table's columns change.
"""

from dataclasses import dataclass
from functools import cmp_to_key

import numpy as np
import pandas as pd

from helpers.binning import group_sums

NAMED = 3  # levels of an ordered category that a rule names one by one

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
    """`X` as a DataFrame with distinct string column names (arrays get "x0", "x1", …); the caller's data stay
    untouched.

    Raises
    ------
    ValueError if it is not two-dimensional or empty, if a column name occurs twice, a column holds complex numbers,
    lists or the like, or infinity.
    """
    if not isinstance(X, pd.DataFrame) and hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pd.DataFrame):
        X = X.toarray() if hasattr(X, "toarray") else X
        try:
            array = X.astype(float).filled(np.nan) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
        except ValueError as error:
            raise ValueError(f"{name} must have rows of equal length, but {error}") from None
        if array.ndim == 0:
            raise ValueError(f"{name} must be a DataFrame or an array in memory, but it is a {type(X).__name__}.")
        if array.ndim != 2:
            raise ValueError(f"{name} must have two dimensions (rows, features), but its shape is {array.shape}.")
        X = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])], copy=False)
    if not X.shape[0] or not X.shape[1]:
        raise ValueError(f"{name} must have at least one row and one column, but its shape is {X.shape}.")
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
            raise ValueError(f"{name} must hold real numbers, text or categories, but column {column!r} is complex.")
        if dtype == np.dtype(object):
            odd = ~X[column].map(pd.api.types.is_scalar).to_numpy(bool)
            if odd.any():
                row = int(np.argmax(odd))
                raise ValueError(
                    f"{name} must hold numbers, text or dates, "
                    f"but column {column!r} holds a {type(X[column].iloc[row]).__name__} in row {row}."
                )
        infinite = np.isinf(as_numbers(X[column])) if dtype.kind == "f" else np.zeros(1, bool)
        if infinite.any():
            row = int(np.argmax(infinite))
            raise ValueError(f"{name} must be finite or missing, but column {column!r} is infinite in row {row}.")
    return X


def as_numbers(values):
    """Float array of a numeric, boolean, date or ordered column; None where the column is unordered."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return values.to_numpy(float)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = values.array.codes
        return np.where(codes < 0, np.nan, codes).astype(float) if dtype.ordered else None
    if pd.api.types.is_datetime64_any_dtype(dtype):
        moments = pd.to_datetime(values, utc=True).dt.tz_localize(None).to_numpy()
        unit = np.datetime_data(moments.dtype)[0]  # nanoseconds, in which pandas takes differences, end in 2262
        return (moments - np.datetime64(0, unit)) / np.timedelta64(1, "D")
    if pd.api.types.is_timedelta64_dtype(dtype):
        return (values / pd.Timedelta(days=1)).to_numpy(dtype=float, na_value=np.nan)
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return values.to_numpy(dtype=float, na_value=np.nan)
    return None


def _as_text(values):
    """Object array of the categories as words; missing ones are called "missing"."""
    return values.astype(object).where(values.notna(), "missing").astype(str).to_numpy(object)


def _names(values):
    """Names of the categories, and which of them each row has, -1 where it is missing."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.array.categories, values.array.codes
    codes, names = pd.factorize(values)
    return names, codes


def _as_levels(values):
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


def _kind(values, levels):
    """How the levels of a column are spelled out in rules."""
    dtype = values.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return "boolean"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    return "whole" if (levels == np.round(levels)).all() and np.abs(levels).max() < 1e15 else "number"


@dataclass(frozen=True)
class _Column:
    """One column as codes 0 .. L-1: code k holds the values up to `levels[k]`, or the category `levels[k]`."""

    name: str
    kind: str  # "number", "whole", "boolean", "date", "ordered" or "category"
    levels: np.ndarray
    exact: bool = True  # every code is one value
    missing: bool = False  # missing numbers occurred in fitting

    def encode(self, values):
        """(n,) float codes, NaN where the value is missing or the category is new."""
        if self.kind == "category":
            words, level = _as_levels(values)
            return _places(self.levels, words)[level]
        if self.kind == "ordered":  # by name: other rows may come with other categories
            names, level = _names(values)
            return np.append(_places(self.levels, names), np.nan)[level]
        numbers = as_numbers(values)
        if numbers is None:
            raise ValueError(
                f"X must keep the types of the fit, but column {self.name!r} holds text or categories now."
            )
        codes = np.searchsorted(self.levels[:-1], numbers).astype(float)
        codes[np.isnan(numbers)] = np.nan
        return codes

    def identity(self):
        """What tells it apart from a column with the same codes: what the codes stand for and, at last, its name."""
        return self.kind, [str(level) for level in self.levels], self.name

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
            if missing and len(outside) < len(inside):  # `missing`: a category not seen in fitting goes here, too
                return f"{name} is not {_join(outside, 'or')}"
            return f"{name} is {_join(inside, 'or')}"
        if self.kind == "boolean":
            text = f"{name} is {bool(self.levels[first])}"
        elif self.kind == "ordered" and last - first < NAMED:  # "health > good" would be read as "better than good"
            text = f"{name} is {_join(self.levels[first : last + 1], 'or', in_order=True)}"
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


def _join(words, last, *, in_order=False):
    words = [str(word) for word in words]
    words = words if in_order else sorted(words)
    if len(words) > 20:
        words = [*words[:10], f"{len(words) - 10:,} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


STEPS = 1023  # of a column from its lowest to its highest value, as whole numbers

BLOCK = 2**20  # numbers that are held at once as whole numbers


def order_of_content(columns, target, identity):
    """An order of columns that depends on what they hold, not on where they stand or what they are called.

    Columns are turned into whole numbers from 0 to 1,023 and put in the order of their products with the sum of all
    columns; where these are equal, with the target. Such sums are exact, so that no order of columns or rows moves
    them. Columns with equal sums are told apart by the first row in which they differ, and columns that hold the same
    by their identities.

    Parameters
    ----------
    columns : ndarray, shape (n, d)
        Numbers or codes, NaN where missing.
    target : ndarray, shape (n,)
        What the columns shall tell.
    identity : callable
        Of the place of a column, what tells it apart from one that holds the same: its name, or more.

    Returns
    -------
    ndarray of int, shape (d,)
        Which column comes first, second, ….

    Examples
    --------
    >>> columns = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 5.0]])
    >>> order_of_content(columns, np.zeros(3), "ab".__getitem__)
    array([1, 0])
    >>> order_of_content(columns[:, ::-1], np.zeros(3), "ba".__getitem__)
    array([0, 1])
    """
    n, d = columns.shape
    if d < 2:
        return np.arange(d)
    low = np.fmin.reduce(columns, axis=0).astype(float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scale = STEPS / (np.fmax.reduce(columns, axis=0) - low)
    scale[~np.isfinite(scale)] = 0.0  # of a constant column
    largest = np.abs(target).max()
    marks = np.rint(target * (STEPS / largest)) if largest > 0 else np.zeros(n)
    sums = np.zeros((2, d))
    for rows in _blocks(n, d):
        with np.errstate(invalid="ignore", over="ignore"):
            whole = np.rint((columns[rows] - low) * scale)
        whole[np.isnan(whole)] = -1
        sums += np.array([whole.sum(axis=1), marks[rows]]) @ whole  # whole numbers below 2**53: floats are exact

    def compare(j, k):
        here = tuple(sums[:, j].tolist())
        there = tuple(sums[:, k].tolist())
        if here == there:
            here, there = _first_difference(columns[:, j], columns[:, k]) or (identity(j), identity(k))
        return (here > there) - (here < there)

    return np.array(sorted(range(d), key=cmp_to_key(compare)))


def _blocks(n, d):
    """Slices of the rows of (n, d) numbers, of which few are held at once."""
    size = max(BLOCK // max(d, 1), 1)
    return [slice(start, start + size) for start in range(0, n, size)]


def _first_difference(one, other):
    """The values of two columns in the first row where they differ, None if there is no such row."""
    differs = (one != other) & ~(np.isnan(one) & np.isnan(other))
    if not differs.any():
        return None
    row = int(np.argmax(differs))
    return tuple(-np.inf if np.isnan(column[row]) else float(column[row]) for column in (one, other))


def put_in_order(columns, order):
    """Put the columns of (n, d) numbers in another order, in place: a copy of all of them would be large."""
    if not np.array_equal(order, np.arange(order.size)):
        for rows in _blocks(*columns.shape):
            columns[rows] = columns[rows][:, order]


class TableEncoder:
    """Learns the encoding of a table and applies it to other rows.

    Parameters
    ----------
    max_bins : int, default 1024
        Numeric columns with more distinct values are cut at so many quantiles.

    Attributes
    ----------
    columns_ : list
        What was learnt of each column, in the order of the codes (`order_of_content`).
    order_ : ndarray of int, shape (d,)
        Where in the table each of them stood.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30, 40], "job": ["cook", "smith", "cook"]})
    >>> encoder = TableEncoder().fit(table, np.array([0.0, 1.0, 0.0]))
    >>> [column.name for column in encoder.columns_]
    ['job', 'age']
    >>> encoder.transform(table)
    array([[0., 0.],
           [1., 1.],
           [0., 2.]], dtype=float32)
    """

    def __init__(self, max_bins=1024):
        self.max_bins = max_bins

    def fit(self, X, target, sample_weight=None):
        """Learn levels and their order.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            A checked table.
        target : ndarray, shape (n,)
            By its mean in each category these are put in order.
        sample_weight : ndarray, shape (n,), optional
            Weights of these means.

        Returns
        -------
        TableEncoder
            Itself.
        """
        self.fit_transform(X, target, sample_weight)
        return self

    def fit_transform(self, X, target, sample_weight=None):
        """Learn levels and their order, and return the codes of the same rows: faster than one after the other.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            A checked table.
        target : ndarray, shape (n,)
            As in `fit`.
        sample_weight : ndarray, shape (n,), optional
            As in `fit`.

        Returns
        -------
        ndarray of float32, shape (n, d)
            What `transform` returns.
        """
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        self.columns_ = []
        codes = np.empty((len(X), len(X.columns)), dtype=np.float32)
        for j, name in enumerate(X.columns):
            values = X[name]
            self.columns_.append(self._learn(name, values, target, weight))
            codes[:, j] = self.columns_[j].encode(values)
        self.order_ = order_of_content(codes, target, lambda j: self.columns_[j].identity())
        put_in_order(codes, self.order_)
        self.columns_ = [self.columns_[j] for j in self.order_]
        return codes

    @property
    def categories_(self):
        """Positions of the columns whose codes are names without an order, a tuple of int."""
        return tuple(j for j, column in enumerate(self.columns_) if column.kind == "category")

    def _learn(self, name, values, target, weight):
        numbers = as_numbers(values)
        if numbers is None:
            words, level = _as_levels(values)
            occurs = np.bincount(level, minlength=words.size) > 0
            levels, place = np.unique(words[occurs], return_inverse=True)
            codes = place[np.cumsum(occurs)[level] - 1]
            _, total, sums = group_sums(codes, weight, weight * target, size=levels.size)
            mean = sums / np.where(total > 0, total, 1)
            return _Column(name, "category", levels[np.argsort(mean, kind="stable")])
        missing = bool(np.isnan(numbers).any())
        if isinstance(values.dtype, pd.CategoricalDtype):
            return _Column(name, "ordered", values.cat.categories.to_numpy(object), missing=missing)
        present = np.sort(numbers[~np.isnan(numbers)])
        levels = present[np.r_[True, present[1:] > present[:-1]]] if present.size else np.zeros(1)
        exact = levels.size <= self.max_bins
        if not exact:
            levels = np.unique(present[np.arange(1, self.max_bins + 1) * present.size // self.max_bins - 1])
        return _Column(name, _kind(values, levels), levels, exact, missing)

    def transform(self, X):
        """Codes of the rows.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            A table with the columns of the fit.

        Returns
        -------
        ndarray of float32, shape (n, d)
            A column for each of `columns_`; NaN where a value is missing.

        Raises
        ------
        ValueError
            If a column is absent or changed its type.
        """
        absent = [column.name for column in self.columns_ if column.name not in X.columns]
        if absent:
            raise ValueError(f"X must have the columns of the fit, but {absent[0]!r} is absent.")
        codes = np.empty((len(X), len(self.columns_)), dtype=np.float32)
        for j, column in enumerate(self.columns_):
            codes[:, j] = column.encode(X[column.name])
        return codes
