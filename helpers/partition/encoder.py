"""Tables turned into what a regression tree can split, so that its splits can be described in the table's own words.

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
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from helpers.checks import check_count
from helpers.partition.checked import CheckedTable, TakesTables
from helpers.partition.columns import Column, kind_of, unit_of
from helpers.partition.content_order import order_of_content
from helpers.partition.levels import (
    FEW,
    RARE,
    Pooled,
    folds_of_rows,
    order_by_target,
    places_by_other_folds,
    rare_levels,
)


class TableEncoder(TransformerMixin, TakesTables):
    """Learns the encoding of a table and applies it to other rows.

    `max_bins`: numeric columns with more distinct values are cut at so many quantiles. `rare`: rows with a weight that
    a level needs to stand alone where there are more than 20 levels. After the fit, `columns_` is what was learnt of
    each column in the order of the codes, `order_` where in the table each of them stood, `pooled_` the columns of
    which rare levels are one.

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
        """Learn levels, and their order by the mean of `y` (None: by their names). Returns self."""
        self.fit_transform(X, y, sample_weight, groups)
        return self

    def fit_transform(self, X, y=None, sample_weight=None, groups=None):
        """Fit, and return the (n, d) codes with which rows with a weight may choose splits (`.levels`)."""
        check_count(self.max_bins, "max_bins", least=2)
        check_count(self.rare, "rare")
        return self._learn(*self._check_rows(X, y, sample_weight, groups))

    def transform(self, X):
        """(n, d) codes of rows that have the columns of the fit, in any order; NaN where a value is missing."""
        check_is_fitted(self)
        X = CheckedTable(self._check_columns(X))
        absent = [column.name for column in self.columns_ if column.name not in X.columns]
        if absent:
            raise ValueError(f"X must have the columns of the fit, but {absent[0]!r} is absent.")
        codes = np.empty((len(X), len(self.columns_)), dtype=np.float32)
        for j, column in enumerate(self.columns_):
            codes[:, j] = column.encode(X)
        return codes

    def get_feature_names_out(self, input_features=None):
        """Names of the columns in the order of the codes."""
        check_is_fitted(self)
        return np.array([column.name for column in self.columns_], object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # codes are float32 whatever comes in
        return tags

    def _learn(self, X, target, weight, groups):
        """Learn the columns and return the codes of the rows that taught them."""
        weight = np.ones(len(X)) if weight is None else weight
        fold = None
        self.columns_ = []
        codes = np.empty((len(X), len(X.columns)), dtype=np.float32)
        for j, name in enumerate(X.columns):
            found = X.numbers(name)
            if found is not None:
                column, numbers, place = found
                self.columns_.append(self._learn_numbers(name, column, numbers, place))
                codes[:, j] = self.columns_[j].encode_numbers(numbers)[place]
                continue
            levels, code, n_pooled = self._learn_levels(*X.levels(name))
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
        self.columns_ = [self.columns_[j] for j in self.order_]
        return np.take(codes, self.order_, axis=1)

    @property
    def categories_(self):
        """Positions of the columns whose codes are names without an order, a tuple of int."""
        return tuple(j for j, column in enumerate(self.columns_) if column.kind == "category")

    def _learn_levels(self, words, level):
        """The levels of a category by name, rare ones as None at the end; which each row has; how many are rare."""
        occurs = np.bincount(level, minlength=words.size) > 0
        levels, place = np.unique(words[occurs], return_inverse=True)
        code = place[np.cumsum(occurs)[level] - 1]
        rare = rare_levels(np.bincount(code), self.rare)
        if not rare.any():
            return levels, code, 0
        standing = np.cumsum(~rare) - 1
        code = np.where(rare, standing[-1] + 1, standing)[code]
        return np.append(levels[~rare], None), code, int(rare.sum())

    def _learn_numbers(self, name, values, numbers, place):
        """The column of rows that have the numbers at these places."""
        count = np.bincount(place, minlength=numbers.size)
        n_missing = int(count[-1])
        if isinstance(values.dtype, pd.CategoricalDtype):
            return Column(name, "ordered", values.cat.categories.to_numpy(object), missing=n_missing > 0)
        levels = numbers[:-1][count[:-1] > 0] if n_missing < place.size else np.zeros(1)
        exact = levels.size <= self.max_bins
        if not exact:
            ends = np.arange(1, self.max_bins + 1) * (place.size - n_missing) // self.max_bins
            levels = numbers[np.unique(np.searchsorted(np.cumsum(count[:-1]), ends))]
        kind = kind_of(values, levels)
        written = values.attrs
        return Column(
            name, kind, levels, exact, n_missing > 0, unit=unit_of(values), decimal=written.get("decimal", ""),
            measure=written.get("unit"),
        )  # fmt: skip
