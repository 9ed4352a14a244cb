"""What the learners of a residual see of a row, made without any label: the same features serve every fold.

Codes of `helpers.partition.encoder.TableEncoder` have few distinct values, so every feature of one column is looked up
in a table with a row for each code, and a last one for missing values.
"""

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import SplineTransformer

from helpers._parallel import one_thread
from helpers.partition.checked import CheckedTable
from helpers.partition.encoder import TableEncoder
from helpers.partition.levels import FEW, order_by_target, places_by_other_folds

KNOTS = ndtri([0.02, 0.2, 0.4, 0.6, 0.8, 0.98])

PAIRS_UP_TO = 16  # columns, the score among them
SPLINES_UP_TO = 51
LEVELS = 20  # of a category, the most frequent ones, that are columns of their own

CENTRES = 300
WIDTHS = (0.1, 0.3)  # of the kernel exp(-gamma |x - x'|^2), gamma = width * 5 / columns; the second is thrice the first

CLUSTERS = (100, 300)
CLUSTERED = 30_000  # rows from which the clusters are learned, at most

MOST_BINS = 255  # of a column, for boosted trees


def as_index(codes):
    """Whole numbers of float codes; -1, the last row of every table, where they are missing."""
    return np.where(np.isnan(codes), -1, codes).astype(np.int32)


def count_codes(column):
    """How often each code 0, 1, … occurs in a column of `as_index`."""
    return np.bincount(column + 1, minlength=2)[1:]


def normal_scores(count):
    """Normal quantile of the middle rank of each code among the rows counted; codes between them are interpolated."""
    # `QuantileTransformer` sends the two values of a binary column to -5.2 and 5.2, which drowns the others in
    # distances.
    present = np.flatnonzero(count)
    rank = (np.cumsum(count) - count / 2) / count.sum()
    return np.interp(np.arange(count.size), present, ndtri(rank[present]))


def cut(count, bins=MOST_BINS):
    """A bin below `bins` for each code, in order: quantiles of the rows counted where there are more codes."""
    if count.size <= bins:
        return np.arange(count.size)
    rank = (np.cumsum(count) - count / 2) / count.sum()
    return np.minimum(rank * bins, bins - 1).astype(int)


class Features(BaseEstimator):
    """Normal scores, splines, kernels and clusters of coded rows."""

    def __init__(self, categories=(), seed=0):
        self.categories = categories
        self.seed = seed

    def fit(self, index):
        """Learn from the (n, d) whole numbers of `as_index`. Returns self."""
        self.counts_ = [count_codes(column) for column in index.T]
        self.scores_ = [self._table(j, len(index)) for j in range(index.shape[1])]
        self.used_ = [j for j, table in enumerate(self.scores_) if table.shape[1]]
        self.width_ = sum(table.shape[1] for table in self.scores_)
        self.pairs_ = len(self.used_) <= PAIRS_UP_TO and self.width_ <= 2 * PAIRS_UP_TO
        tables = [self.scores_[j] for j in self.used_]
        self.curves_ = _curves(tables) if 0 < self.width_ <= SPLINES_UP_TO else tables
        rng = np.random.default_rng(self.seed)
        if not self.width_:
            return self
        some = np.sort(rng.permutation(len(index))[:CLUSTERED])
        scores = self.scores(index[some])
        self.centres_ = scores[np.sort(rng.permutation(len(scores))[:CENTRES])]
        self.distances_ = cdist(self.centres_, self.centres_, "sqeuclidean")
        self.means_ = [_means(scores, k, self.seed) for k in CLUSTERS]
        return self

    @classmethod
    def of_table(cls, table, weight, seed):
        """Features of a checked table with their encoder, made without labels, and the codes of its rows."""
        encoder = TableEncoder()
        index = as_index(encoder.fit_transform(CheckedTable(table), sample_weight=weight))
        features = cls(encoder.categories_, seed).fit(index)
        features.encoder_ = encoder
        return features, index

    def index_of_table(self, table):
        """Codes of other rows, where those above all of the fit count as its highest."""
        return self.index(self.encoder_.transform(CheckedTable(table)))

    def _table(self, j, n):
        count = self.counts_[j]
        missing = n - count.sum()
        if j in self.categories:
            frequent = np.argsort(-count, kind="stable")[:LEVELS]
            frequent = frequent[count[frequent] > 0]
            inside = np.arange(count.size + 1)[:, None] == frequent
            return inside.astype(float) if frequent.size + (missing > 0) > 1 else np.zeros((count.size + 1, 0))
        columns = []
        if (count > 0).sum() > 1:
            columns.append(np.append(normal_scores(count), 0.0))
        if 0 < missing < n:
            columns.append(np.append(np.zeros(count.size), 1.0))
        return np.column_stack(columns) if columns else np.zeros((count.size + 1, 0))

    def index(self, codes):
        """`as_index` of other rows, where codes above all of the fit count as its highest."""
        top = [count.size - 1 for count in self.counts_]
        return np.minimum(as_index(codes), np.array(top, np.int32))

    def scores(self, index):
        """Scores of the rows, (m, k)."""
        return np.column_stack([np.zeros((len(index), 0)), *(self.scores_[j][index[:, j]] for j in self.used_)])

    def smooth(self, index):
        """For ridge regressions: splines (with products of pairs), then a kernel of each width; last, ones."""
        scores = self.scores(index)
        one = np.ones((len(index), 1))
        parts = [table[index[:, j]] for j, table in zip(self.used_, self.curves_, strict=True)]
        if self.pairs_:
            first, second = np.triu_indices(self.width_)
            parts += [scores, scores[:, first] * scores[:, second]]
        yield np.hstack([*parts, one])
        squares = (scores**2).sum(axis=1)[:, None] + (self.centres_**2).sum(axis=1) - 2 * scores @ self.centres_.T
        bumps = np.exp(-self._gamma(WIDTHS[0]) * squares)
        yield np.hstack([bumps, 0.1 * scores, one])
        yield np.hstack([bumps**2 * bumps, 0.1 * scores, one])

    def _gamma(self, width):
        return width * 5 / len(self.used_)

    def penalties(self):
        """Quadratic form of each penalty of `smooth`: None for the variances of its features, or a matrix."""
        size = len(self.centres_)
        yield None
        for width in WIDTHS:
            matrix = np.eye(size + self.width_)
            # the kernel's values between the centres: the norm of the function
            matrix[:size, :size] = np.exp(-self._gamma(width) * self.distances_)
            yield matrix

    def regions(self, index):
        """Cluster of each row for each number of clusters, (m, 2)."""
        scores = self.scores(index)
        return np.column_stack([means.predict(scores) for means in self.means_])

    def ordered(self, index, target, weight, bins=MOST_BINS):
        """Tables that turn codes into bins for trees; the levels of a category get the order of their mean target."""
        tables = []
        for j, count in enumerate(self.counts_):
            order = np.arange(count.size)
            if j in self.categories:
                order = order_by_target(index[:, j], target, weight, count.size)[1]
            table = np.zeros(count.size + 1, np.float32)  # a column without any value has no bins
            if (index[:, j] >= 0).any():
                table[order] = cut(count[order], bins)
                table[-1] = np.nan
            tables.append(table)
        return tables

    def choosing(self, index, tables, target, weight, fold):
        """`binned` of the rows that decided these tables, (m, d)."""
        columns = binned(index, tables)
        for j in self.categories:
            if fold is not None and self.counts_[j].size > FEW:
                mean, order = order_by_target(index[:, j], target, weight, self.counts_[j].size)
                # in categories of many levels, a row stands where the other folds put its level
                place = places_by_other_folds(index[:, j], target, weight, fold, mean, order)
                columns[:, j] = np.sort(tables[j][:-1])[place]
        return columns


def binned(index, tables):
    """What `Features.ordered` makes of rows: (m, d) float32, NaN where missing."""
    return np.column_stack([table[column] for table, column in zip(tables, index.T, strict=True)])


def _curves(tables):
    """Cubic splines of the columns of each table, which stay as they are where they have two values."""
    columns = [column for table in tables for column in table.T]
    knots = SplineTransformer(knots=KNOTS[:, None], include_bias=False, extrapolation="linear")
    curves = knots.fit_transform(np.concatenate(columns)[:, None])  # each value by itself
    ends = np.cumsum([column.size for column in columns])[:-1]
    parts = iter(
        column[:, None] if np.unique(column).size <= 2 else part
        for column, part in zip(columns, np.split(curves, ends), strict=True)
    )
    return [np.hstack([next(parts) for _ in table.T]) for table in tables]


def _means(scores, k, seed):
    """Clusters from random rows: spread starts cost three times as much and bring no tighter clusters of so many."""
    means = KMeans(min(k, len(scores)), init="random", n_init=1, max_iter=10, random_state=seed)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than regions: some stay empty
        return means.fit(scores)
