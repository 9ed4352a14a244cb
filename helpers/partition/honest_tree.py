"""Regions of the input space: trees that choose regions on some rows and are judged on others."""

import numpy as np
from sklearn import config_context
from sklearn.base import RegressorMixin
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from helpers.binning import group_sums
from helpers.checks import check_count, check_rng
from helpers.partition.checked import TakesTables, as_column, check_rows_of_fit
from helpers.partition.columns import words_of
from helpers.partition.encoder import TableEncoder

FINE = 1024  # quantiles at which numbers with more distinct values are cut
COARSE = 256  # from so many rows on
MANY_ROWS = 200_000


class HonestTree(RegressorMixin, TakesTables):
    """A regression tree whose regions are chosen on some rows and whose values are estimated on others.

    How tables are encoded (categories, booleans, missing values, dates) is described in `helpers.partition.encoder`.
    The rows of `fit` lie in the regions of a tree of scikit-learn. Between two of their values new rows may lie in
    other ones: here a cut stands at the lower value, there half way to the upper one.

    Parameters
    ----------
    min_samples_leaf : int, default 15
        Rows a region needs when it is chosen.
    max_depth : int, optional
        Depth limit.
    rng : int, Generator or None, default None
        Decides between splits that are equally good.

    Attributes
    ----------
    n_regions_ : int
        J; regions are numbered 0 .. J-1 from left to right.
    region_of_node_ : ndarray of int
        Region of each node of `tree_`, -1 above the regions.
    value_ : ndarray, shape (J,)
        Mean residuals of the rows given to `estimate`; before that of the rows of `fit`, which lie too far apart.
    honest_, count_ : bool, ndarray of int
        Whether `estimate` was called, and with how many rows in each region.

    References
    ----------
    Melo et al. (2026), algorithm 1; honest trees are Wager and Athey's (2017).
    Plain: `helpers.papers.melo2026.algorithm_1`.

    Examples
    --------
    >>> X = np.arange(80.0)[:, None]
    >>> residual = np.where(X[:, 0] < 39, -0.5, 0.5)
    >>> tree = HonestTree(min_samples_leaf=15, max_depth=1, rng=0).fit(X[::2], residual[::2])
    >>> tree = tree.estimate(X[1::2], residual[1::2])
    >>> tree.predict([[3.0], [70.0]]), tree.rules()
    (array([-0.5,  0.5]), ['x0 <= 38', 'x0 > 38'])
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
            Features; a `CheckedTable` comes with columns that need no check.
        y : array_like, shape (n,)
            Residuals, or other numbers that the regions shall tell apart.
        sample_weight, groups : array_like, shape (n,), optional
            Sampling weights; labels of people, hospitals, …: none may tell by itself where its own category belongs.

        Returns
        -------
        HonestTree
            Itself.
        """
        X, residual, weight, groups = self._check_rows(X, as_column(y), sample_weight, groups)
        check_count(self.min_samples_leaf, "min_samples_leaf")
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth")
        self.encoder_ = TableEncoder(FINE if len(X) < MANY_ROWS else COARSE)
        codes = self.encoder_.fit_transform(X, residual, weight, groups)
        seed = int(check_rng(self.rng).integers(2**31))
        options = {"min_samples_leaf": self.min_samples_leaf, "max_depth": self.max_depth}
        model = DecisionTreeRegressor(random_state=seed, **options)
        with config_context(skip_parameter_validation=True):  # scikit-learn's checks take long beside small trees
            model.fit(codes, _summable(residual), weight, check_input=bool(np.isnan(codes).any()))
        self.tree_ = model.tree_
        leaves = np.flatnonzero(self.tree_.children_left < 0)
        self.n_regions_ = leaves.size
        self.value_ = self.tree_.value[leaves].ravel()
        self.honest_ = False
        self.region_of_node_ = np.full(self.tree_.node_count, -1)
        self.region_of_node_[leaves] = np.arange(leaves.size)
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
        return self.region_of_node_[self.tree_.apply(self.encoder_.transform(self._check_columns(X)))]

    def estimate(self, X, y, sample_weight=None):
        """Give each region the mean residual of these rows; empty regions get 0.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features of other rows than those of `fit`.
        y : array_like, shape (n,)
            Their residuals.
        sample_weight : array_like, shape (n,), optional
            Sampling weights.

        Returns
        -------
        HonestTree
            Itself.
        """
        X, y, weight, _ = check_rows_of_fit(X, as_column(y), sample_weight)
        return self.estimate_regions(self.apply(X), y, weight)

    def estimate_regions(self, region, residual, sample_weight=None):
        """`estimate` where `apply` has already found the region of each row.

        Plain: `helpers.papers.melo2026.equation_5`.

        Parameters
        ----------
        region : array of int, shape (n,)
            Regions of other rows than those of `fit`.
        residual : array of float, shape (n,)
            Their residuals.
        sample_weight : array of float, shape (n,), optional
            Sampling weights.

        Returns
        -------
        HonestTree
            Itself.
        """
        weight = np.ones_like(residual) if sample_weight is None else sample_weight
        self.count_, total, sums = group_sums(region, weight, weight * residual, size=self.n_regions_)
        self.value_ = np.divide(sums, total, out=np.zeros(self.n_regions_), where=total > 0)
        self.honest_ = True
        return self

    def predict(self, X):
        """Mean residual of each row's region.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.

        Returns
        -------
        ndarray, shape (n,)
            Of `value_`.
        """
        check_is_fitted(self, "value_")
        return self.value_[self.apply(X)]

    def rules(self):
        """What each region is, in words; numbers are rounded to four digits, `apply` is exact.

        Conditions stand in the order of the table's columns. A number that a region keeps although it is missing is
        said: "(income > 20 or missing)". Lists of more than 20 categories are cut short. A missing number where
        fitting saw none may be in no rule.

        Returns
        -------
        list of str
            One rule for each region.
        """
        check_is_fitted(self, "n_regions_")
        columns = self.encoder_.columns_
        in_table = np.argsort(self.encoder_.order_)
        all_spans = [(0, column.levels.size - 1, True) for column in columns]
        rules = [""] * self.n_regions_
        stack = [(0, all_spans)]
        while stack:
            node, spans = stack.pop()
            if self.region_of_node_[node] >= 0:
                words = [words_of(columns[j], *spans[j]) for j in in_table]
                rules[self.region_of_node_[node]] = " and ".join(filter(None, words)) or "all rows"
                continue
            j = self.tree_.feature[node]
            cut = self.tree_.threshold[node]
            first, last, missing = spans[j]
            cut = int(np.floor(min(cut, columns[j].levels.size)))
            missing_left = bool(self.tree_.missing_go_to_left[node])
            left_spans = list(spans)
            right_spans = list(spans)
            left_spans[j] = (first, min(last, cut), missing and missing_left)
            right_spans[j] = (max(first, cut + 1), last, missing and not missing_left)
            stack += [(self.tree_.children_left[node], left_spans), (self.tree_.children_right[node], right_spans)]
        return rules


def _summable(values):
    """Values rounded to nine digits of the largest, fewer for many rows: sums of them are exact in any order."""
    # The score, or a column that the score rises with, often divides rows just as another column does. Such splits are
    # equally good, and what decides between them must be the seed: not the last digit of two sums in different orders,
    # which differs between processors.
    largest = np.frexp(np.abs(values).max())[1]
    digits = largest - min(30, 52 - len(values).bit_length())
    return np.ldexp(np.rint(np.ldexp(values, -digits)), digits)


def split_rows(y, groups, shares, rng):
    """Random parts of the rows; groups stay whole, and each part has both classes.

    Plain: `helpers.papers.melo2026.section_3_3`.

    Parameters
    ----------
    y : ndarray of 0/1, shape (n,)
        Labels.
    groups : ndarray of int or None, shape (n,)
        Codes 0 .. G-1 of clusters.
    shares : sequence of float
        Shares of the rows at which the parts end, increasing; there is one part more.
    rng : Generator
        Source of the order.

    Returns
    -------
    list of ndarray of int
        Row numbers of each part.

    Examples
    --------
    >>> parts = split_rows(np.tile([0.0, 1.0], 50), None, (0.5,), np.random.default_rng(0))
    >>> [part.size for part in parts]
    [50, 50]
    """
    unit = np.arange(y.size) if groups is None else groups
    size = np.bincount(unit)
    ones = np.bincount(unit, y)
    for _ in range(100):
        order = rng.permutation(size.size)
        reached = (np.cumsum(size[order]) - size[order] / 2) / y.size
        part_of = np.empty(size.size, int)
        part_of[order] = np.searchsorted(shares, reached)
        rows = np.bincount(part_of, size, len(shares) + 1)
        hits = np.bincount(part_of, ones, len(shares) + 1)
        if ((hits > 0) & (hits < rows)).all():
            return [np.flatnonzero(part_of[unit] == k) for k in range(len(shares) + 1)]
    raise ValueError(
        f"y must hold both classes in each of {len(shares) + 1} random parts, "
        f"but it has {int(y.sum()):,} ones in {y.size:,} rows"
        f"{'' if groups is None else f' and {size.size:,} groups'}."
    )
