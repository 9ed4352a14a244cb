"""A fast tree that chooses regions from histograms."""

from functools import lru_cache

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import ThreadpoolController

from helpers.checks import check_count, check_rng
from helpers.partition.base import ValuedRegions
from helpers.partition.content_order import order_of_content, put_in_order
from helpers.partition.encoder import TableEncoder
from helpers.partition.kinds import as_numbers, is_date, numbers_as_fitted, text_as_values

MAX_BINS = 255  # of scikit-learn's histograms


class HistogramTree(ValuedRegions):
    """A single tree of scikit-learn's histogram gradient boosting as a partition: for millions of rows.

    Numbers are cut at no more than 255 quantiles, dates and ordered categories keep their order, other categories are
    put in the order of their mean residual and missing values go to the better side, as `helpers.partition`
    tells. It has no rules in words; `HonestTree` has. One thread fits: the answer is the same for any number of them.

    Parameters
    ----------
    min_samples_leaf : int, default 15
        Rows a region needs when it is chosen.
    max_depth : int, optional
        Depth limit.
    rng : int, Generator or None, default None
        Decides which rows the quantiles come from where there are more than 200,000.

    Attributes
    ----------
    n_regions_ : int
        J; regions are numbered 0 .. J-1 from the lowest mean residual of the fitting rows to the highest. The public
        face of that model tells leaves apart by their value alone, so leaves of exactly one value are one region (with
        a few distinct residuals there are many such leaves).
    value_, honest_, count_, n_features_in_, feature_names_in_
        As in `HonestTree`.

    Examples
    --------
    >>> X = np.arange(80.0)[:, None]
    >>> residual = np.where(X[:, 0] < 40, -0.5, 0.5)
    >>> tree = HistogramTree(max_depth=1, rng=0).fit(X[::2], residual[::2]).estimate(X[1::2], residual[1::2])
    >>> tree.predict([[3.0], [70.0]]), tree.count_
    (array([-0.5,  0.5]), array([20, 20]))
    """

    def __init__(self, *, min_samples_leaf=15, max_depth=None, rng=None):
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.rng = rng

    def fit(self, X, y, sample_weight=None, groups=None):
        """Choose the regions that tell high from low residuals.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.
        y : array_like, shape (n,)
            Residuals, or other numbers that the regions shall tell apart.
        sample_weight : array_like, shape (n,), optional
            Sampling weights.
        groups : array_like, shape (n,), optional
            Labels of people, hospitals, …: none may tell by itself where its own category belongs.

        Returns
        -------
        HistogramTree
            Itself.
        """
        X, y, weight, groups = self._checked(X, y, sample_weight, groups)
        check_count(self.min_samples_leaf, "min_samples_leaf")
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth")
        return self.fit_rows(X, y, weight, groups)

    def fit_rows(self, X, residual, weight=None, groups=None):
        """`fit` of columns and options that were checked.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            Features.
        residual : array of float, shape (n,)
            What they shall explain.
        weight : array of float, shape (n,), optional
            Sampling weights.
        groups : array of int, shape (n,), optional
            Codes of groups.

        Returns
        -------
        HistogramTree
            Itself.
        """
        if weight is not None:
            rows = np.flatnonzero(weight)
            X = X.take(rows)
            residual = residual[rows]
            weight = weight[rows] / weight[rows].mean()
            groups = None if groups is None else groups[rows]
        self.columns_ = list(X.columns)
        self.encoded_ = [name for name in X.columns if not _is_number(X[name])]
        self.dates_ = [name for name in X.columns if is_date(text_as_values(X[name]))]
        self.encoder_ = TableEncoder()
        codes = self.encoder_.learn(X, residual, weight, groups, columns=self.encoded_)
        self.model_ = HistGradientBoostingRegressor(
            learning_rate=1.0,
            max_iter=1,
            max_leaf_nodes=None,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            max_bins=MAX_BINS,
            early_stopping=False,
            random_state=int(check_rng(self.rng).integers(2**31)),
        )
        numbers = self._numbers(X, codes)
        order = order_of_content(numbers, residual, self._identity)
        put_in_order(numbers, order)
        self.columns_ = [self.columns_[j] for j in order]
        self.empty_ = np.isnan(numbers).all(axis=0)  # such a column has no quantiles
        numbers[:, self.empty_] = 0
        with one_thread():
            self.levels_ = np.unique(self.model_.fit(numbers, residual, weight).predict(numbers))
        self.n_regions_ = self.levels_.size
        self.value_ = self.levels_
        self.honest_ = False
        return self

    def apply(self, X):
        """Region of each row.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.

        Returns
        -------
        ndarray of int, shape (n,)
            0 .. n_regions_ - 1.
        """
        check_is_fitted(self, "n_regions_")
        return self.apply_rows(self._check_columns(X))

    def apply_rows(self, X):
        """`apply` to a table that was checked.

        Parameters
        ----------
        X : DataFrame, shape (n, d)
            Features.

        Returns
        -------
        ndarray of int, shape (n,)
            0 .. n_regions_ - 1.
        """
        numbers = self._numbers(X, self.encoder_.encode(X))
        numbers[:, self.empty_] = 0
        with one_thread():
            return np.searchsorted(self.levels_, self.model_.predict(numbers))

    def _identity(self, j):
        """What tells column `j` apart from one with the same numbers."""
        encoded = {column.name: column for column in self.encoder_.columns_}
        name = self.columns_[j]
        return encoded[name].identity() if name in encoded else ("", [], name)

    def _numbers(self, X, codes):
        """(n, d) floats, NaN where missing, of which the codes of categories are given; ValueError if a column is
        absent or changed its type.
        """
        absent = [name for name in self.columns_ if name not in X.columns]
        if absent:
            raise ValueError(f"X must have the columns of the fit, but {absent[0]!r} is absent.")
        table = np.empty((len(X), len(self.columns_)), order="F")
        codes = dict(zip([column.name for column in self.encoder_.columns_], codes.T, strict=True))
        for j, name in enumerate(self.columns_):
            column = codes.get(name)
            if column is None:
                column = numbers_as_fitted(X[name], name, name in self.dates_)
            table[:, j] = column
        return table


def _is_number(values):
    """Whether a column is compared by size (categories, ordered ones too, are known by name)."""
    return not hasattr(values, "cat") and as_numbers(text_as_values(values)) is not None


@lru_cache(1)
def _threads():
    return ThreadpoolController()


def one_thread():
    """Context in which this thread's OpenMP loops run alone; the sums at a root depend on how many share the rows."""
    return _threads().limit(limits=1, user_api="openmp")
