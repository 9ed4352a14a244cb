"""Regions inside bins of the score: the partition behind the binned estimator."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from helpers.binning import assign_bins, edges_for
from helpers.checks import check_count, check_labels, check_one_of, check_probabilities, check_rng, check_same_length
from helpers.partition.checked import CheckedTable, check_table, codes_of_groups
from helpers.partition.content_order import order_of_content
from helpers.partition.encoder import TableEncoder
from helpers.partition.kinds import as_numbers, text_as_values

STRATEGIES = ("uniform", "quantile")

ESTIMATORS = ("tree", "stump", "kmeans")


@dataclass(eq=False)
class BinnedTree:
    """Bins of the score, and inside each bin regions of the input space, chosen on one part of the data.

    Not an estimator of scikit-learn, because these learn from X and y alone and bins need the score.

    Parameters
    ----------
    estimator : {"tree", "stump", "kmeans"}, default "tree"
        How a bin is divided. "tree": a decision tree on the labels with at most one region for every `region_ratio`
        rows of the bin, or two if it has that many rows. "stump": one split into two regions, each with half of the
        bin's rows (where ties at the median allow one). "kmeans": two clusters of the features, which must be numbers
        without gaps.
    n_bins : int, default 15
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or of about equally many rows.
    region_ratio : int, default 12
        Rows of the fitting part for each region, a dozen as recommended; no leaf of "tree" has fewer than half of it. A
        bin with fewer rows than this stays whole ("stump" and "kmeans" divide every bin they can).
    rng : int, Generator or None, default None
        Decides between splits that are equally good and starts the clusters.

    Attributes
    ----------
    edges_ : ndarray, shape (B + 1,)
        Edges of the bins.
    n_regions_ : int
        J, regions are numbered bin by bin; every bin has at least one, also a bin without rows.
    bin_of_region_ : ndarray of int, shape (J,)
        Bin of each region.

    References
    ----------
    Perez-Lebel et al. (2023), section 4.4 and appendix D.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, p = rng.normal(size=(400, 1)), rng.random(400)
    >>> tree = BinnedTree("stump", n_bins=2, rng=0).fit(X, X[:, 0] > 0, p)
    >>> tree.apply([[-1.0], [1.0], [1.0]], [0.2, 0.2, 0.9]), tree.bin_of_region_
    (array([0, 1, 3]), array([0, 0, 1, 1]))
    """

    estimator: str = "tree"
    _: KW_ONLY
    n_bins: int = 15
    strategy: str = "uniform"
    region_ratio: int = 12
    rng: object = None

    def fit(self, X, y, p, groups=None):
        """Choose the regions.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.
        y, p : array_like, shape (n,)
            Labels 0/1; stated probabilities.
        groups : array_like, shape (n,), optional
            Labels of people, hospitals, …: none may tell by itself where its own category belongs.

        Returns
        -------
        BinnedTree
            Itself.
        """
        X = check_table(X)
        y = check_labels(y)
        p = check_probabilities(p)
        check_same_length(y=y, p=p, X=X, groups=groups)
        groups = codes_of_groups(groups)
        self.check_parameters()
        self.columns_ = list(X.columns)
        self.seed_ = int(check_rng(self.rng).integers(2**31))
        self.edges_ = edges_for(p, self.n_bins, self.strategy)
        self.encoder_ = None
        if self.estimator == "kmeans":
            order = order_of_content(_all_numbers(X), y - p, self.columns_.__getitem__)
            self.columns_ = [self.columns_[j] for j in order]
            table = _all_numbers(X[self.columns_])
        else:
            self.encoder_ = TableEncoder(len(X)) if self.estimator == "stump" else TableEncoder()  # to find the median
            table = self.encoder_.fit_transform(CheckedTable(X), y - p, groups=groups)
        self.members_ = [self._divide(table[rows], y[rows]) for rows in _rows_of_bins(p, self.edges_)]
        sizes = [1 if member is None else member.n_regions for member in self.members_]
        self.bin_of_region_ = np.repeat(np.arange(len(sizes)), sizes)
        self.n_regions_ = self.bin_of_region_.size
        return self

    def apply(self, X, p):
        """Region of each row.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
            Features.
        p : array_like, shape (n,)
            Stated probabilities.

        Returns
        -------
        ndarray of int, shape (n,)
            0 .. n_regions_ - 1.
        """
        if not hasattr(self, "bin_of_region_"):
            raise NotFittedError("This BinnedTree has no regions yet: call fit first.")
        X = check_table(X)
        p = check_probabilities(p)
        check_same_length(p=p, X=X)
        absent = [name for name in self.columns_ if name not in X.columns]
        if absent:
            raise ValueError(f"X must have the columns of the fit, but {absent[0]!r} is absent.")
        X = X[self.columns_]
        table = _all_numbers(X) if self.encoder_ is None else self.encoder_.transform(CheckedTable(X))
        region = np.empty(p.size, dtype=np.int64)
        first = np.searchsorted(self.bin_of_region_, np.arange(len(self.members_)))  # region of each bin
        for b, rows in enumerate(_rows_of_bins(p, self.edges_)):
            member = self.members_[b]
            region[rows] = first[b] if member is None or not rows.size else first[b] + member.place(table[rows])
        return region

    def check_parameters(self):
        """ValueError unless every parameter keeps its rule."""
        check_count(self.n_bins, "n_bins")
        check_one_of(self.strategy, "strategy", STRATEGIES)
        check_count(self.region_ratio, "region_ratio")
        check_one_of(self.estimator, "estimator", ESTIMATORS)

    def _divide(self, table, y):
        """What tells the regions of one bin apart, or None where it stays whole."""
        if self.estimator == "tree":
            if y.size < self.region_ratio:
                return None
            least = max(self.region_ratio // 2, 1)
            return self._tree(table, y, min_samples_leaf=least, max_leaf_nodes=max(2, y.size // self.region_ratio))
        if y.size < 2 or not (table != table[:1]).any():
            return None
        if self.estimator == "stump":
            return self._tree(table, y, min_samples_leaf=y.size // 2, max_depth=1)
        return _Clusters(KMeans(2, n_init=4, random_state=self.seed_).fit(table))

    def _tree(self, codes, y, **limits):
        """The `_Leaves` of a tree; scikit-learn's checks would take longer than a small tree itself."""
        tree = DecisionTreeClassifier(random_state=self.seed_, **limits)
        with config_context(skip_parameter_validation=True):
            return _Leaves(tree.fit(codes, y, check_input=bool(np.isnan(codes).any())).tree_)


class _Leaves:
    """Regions of one bin: the leaves of a tree, numbered from 0."""

    def __init__(self, tree):
        self.tree = tree
        self.names = np.flatnonzero(tree.children_left < 0)
        self.n_regions = self.names.size

    def place(self, codes):
        return np.searchsorted(self.names, self.tree.apply(codes))


class _Clusters:
    """Regions of one bin: the two clusters of k-means."""

    n_regions = 2

    def __init__(self, model):
        self.place = model.predict


def _rows_of_bins(p, edges):
    """Row numbers of each bin, a list of arrays."""
    bins = assign_bins(p, edges)
    return np.split(np.argsort(bins, kind="stable"), np.cumsum(np.bincount(bins, minlength=edges.size - 1))[:-1])


def _all_numbers(X):
    """(n, d) floats of a table; ValueError where a column is text or has a gap."""
    columns = []
    for name in X.columns:
        numbers = as_numbers(text_as_values(X[name]))
        if numbers is None or np.isnan(numbers).any():
            fault = "holds text" if numbers is None else f"is missing in row {int(np.argmax(np.isnan(numbers)))}"
            raise ValueError(f"X must hold numbers without gaps for 'kmeans', but column {name!r} {fault}.")
        columns.append(numbers)
    return np.column_stack(columns)
