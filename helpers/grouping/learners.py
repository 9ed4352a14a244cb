"""Learners of different kinds that predict how far the truth lies from a calibrated score.

Each predicts s, the residual y - c over its variance v = c (1 - c), with weights v: to first order the difference
of the log-odds. The predicted residual is v s. What suits sharp corners (boosted trees, forests), smooth sums
(splines), smooth bumps (kernels) and clusters (k-means) stands side by side; `combination` decides between them by how
well they predict rows that they have not seen.

The grouping loss asks about the rows at hand only, and about up to a million of them: `predict_out_of_fold`. There,
several fits at once, one a fold, cost little more than one: the sums over the rows outside a fold are those over all
rows without those of the fold. The repair asks about new rows, and pays twenty times as much for less error:
`Learners`, whose kinds have `fit(features, index, target, weight, fold)` and `predict(features, index)`.
"""

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import solve
from scipy.optimize import nnls
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers._parallel import one_thread
from helpers.grouping.features import CLUSTERS, MOST_BINS, WIDTHS, binned
from helpers.grouping.kernels import PENALTIES as KERNEL_PENALTIES
from helpers.grouping.kernels import AdaptedKernel

ROUNDS = (20, 40, 80)

BOOSTED_LEAF = 20  # rows

PENALTIES = ((30.0, 300.0), (0.3, 3.0), (0.3, 3.0))  # of the splines and of each kernel

PRIOR = 2.0  # weight that draws the mean of a cluster towards 0

CHUNK = 4096  # rows whose features are held at a time

NAMES = (
    *(f"boosting, {rounds} rounds" for rounds in ROUNDS),
    *(f"splines, penalty {penalty:g}" for penalty in PENALTIES[0]),
    *(f"kernel {width:g}, penalty {penalty:g}" for width in WIDTHS for penalty in PENALTIES[1]),
    *(f"k-means, {k} regions" for k in CLUSTERS),
)

REPAIR_ROUNDS = (10, 20, 40, 80)

FORESTS = {  # kind, rows of a leaf where c (1 - c) is 0.2 on average, share of the columns that are tried for a split
    "forest, 10 rows a leaf": (RandomForestRegressor, 10, 0.7),
    "forest, 60 rows a leaf": (RandomForestRegressor, 60, 1.0),
    "random splits, 20 rows a leaf": (ExtraTreesRegressor, 20, 1.0),
}

TREES = 30  # of a forest

COLUMNS = 12  # that are tried for a split, at most; a third where there are more than 36

DRAWN = 10_000  # rows for a tree of a forest, at most; a tree of random splits gets all up to twice as many

SPLINE_PENALTIES = (6.0, 60.0)  # rows of weight 1

REPAIR_NAMES = (
    *(f"boosting, {rounds} rounds" for rounds in REPAIR_ROUNDS),
    *FORESTS,
    *(f"splines, penalty {penalty:g}" for penalty in SPLINE_PENALTIES),
    *(f"k-means, {k} regions" for k in CLUSTERS),
    *(f"kernel, penalty {penalty:g}" for penalty in KERNEL_PENALTIES),
    *(f"adapted kernel, penalty {penalty:g}" for penalty in KERNEL_PENALTIES),
)


class Learners(BaseEstimator):
    """All learners of `REPAIR_NAMES`, fitted on the same rows; every one says 0 where no column tells rows apart."""

    def __init__(self, seed=0, trees=TREES, n_kinds=None):
        self.seed = seed
        self.trees = trees  # of a forest
        self.n_kinds = n_kinds  # the first ones alone, beginning with boosted trees; None for all

    def fit(self, features, index, target, weight, fold=None):
        """Learn (n,) targets s with weights v from (n, d) codes; `fold` as in `Features.choosing`."""
        rarity = 0.2 / weight.mean()
        kinds = [Boosting(REPAIR_ROUNDS, _rows(BOOSTED_LEAF, rarity)), Forests(self.seed, rarity, self.trees)]
        if features.width_:
            kinds += [Splines(), Clusters(), AdaptedKernel(self.seed)]
        # a second fit, with more kinds, goes on where the first one ended
        done = getattr(self, "kinds_", [])
        more = kinds[len(done) : self.n_kinds]
        self.kinds_ = done + [kind.fit(features, index, target, weight, fold) for kind in more]
        return self

    def predict(self, features, index):
        """What each learner says of s for rows of (m, d) codes, (m, learners)."""
        said = np.hstack([kind.predict(features, index) for kind in self.kinds_])
        return np.pad(said, ((0, 0), (0, len(REPAIR_NAMES) - said.shape[1])))


class Boosting(BaseEstimator):
    """Boosted trees of ten leaves after some numbers of rounds."""

    def __init__(self, rounds=ROUNDS, min_samples_leaf=BOOSTED_LEAF):
        self.rounds = rounds
        self.min_samples_leaf = min_samples_leaf

    def fit(self, features, index, target, weight, fold=None):
        self.tables_ = features.ordered(index, target, weight)
        columns = features.choosing(index, self.tables_, target, weight, fold)
        leaves = {"max_leaf_nodes": 10, "min_samples_leaf": self.min_samples_leaf}
        model = _histograms(max_iter=self.rounds[-1], learning_rate=0.1, **leaves)
        with one_thread():
            self.model_ = model.fit(columns, target, weight)
        return self

    def predict(self, features, index):
        with one_thread():
            stages = self.model_.staged_predict(binned(index, self.tables_))
            return np.column_stack([stage for k, stage in enumerate(stages, 1) if k in self.rounds])


class Forests(BaseEstimator):
    """The forests of `FORESTS`; leaves are larger where events are rare."""

    def __init__(self, seed, rarity, trees):
        self.seed = seed
        self.rarity = rarity
        self.trees = trees

    def fit(self, features, index, target, weight, fold=None):
        n, d = index.shape
        self.tables_ = features.ordered(index, target, weight, n)
        codes = features.choosing(index, self.tables_, target, weight, fold)
        most = max(COLUMNS, d // 3)
        self.forests_ = []
        for forest, leaf, share in FORESTS.values():
            columns = min(max(int(share * d), 1), most)
            options = {"min_samples_leaf": _rows(leaf, self.rarity), "max_features": columns}
            if forest is RandomForestRegressor or n > 2 * DRAWN:
                options |= {"bootstrap": True, "max_samples": min(n // 2, DRAWN)}
            self.forests_.append(forest(self.trees, random_state=self.seed, **options).fit(codes, target, weight))
        return self

    def predict(self, features, index):
        codes = binned(index, self.tables_)
        return np.column_stack([forest.predict(codes) for forest in self.forests_])


class Splines(BaseEstimator):
    """Ridge regressions on splines."""

    def fit(self, features, index, target, weight, fold=None):
        ridge = Ridge(np.array(SPLINE_PENALTIES), solver="cholesky")
        targets = np.column_stack([target] * len(SPLINE_PENALTIES))
        self.model_ = make_pipeline(StandardScaler(), ridge)
        self.model_.fit(next(features.smooth(index)), targets, ridge__sample_weight=weight)
        return self

    def predict(self, features, index):
        return self.model_.predict(next(features.smooth(index)))


class Clusters(BaseEstimator):
    """Means of the k-means regions, drawn towards 0."""

    def fit(self, features, index, target, weight, fold=None):
        pairs = zip(features.regions(index).T, features.means_, strict=True)
        self.means_ = [_drawn_means(region, weight, weight * target, means.n_clusters) for region, means in pairs]
        return self

    def predict(self, features, index):
        return np.column_stack([mean[k] for mean, k in zip(self.means_, features.regions(index).T, strict=True)])


def _rows(leaf, rarity):
    return max(round(leaf * max(rarity, 1.0)), 1)


def _drawn_means(region, weight, moment, size):
    """Sum of the moments over that of the weights in each region, drawn towards 0."""
    return np.bincount(region, moment, size) / (np.bincount(region, weight, size) + PRIOR)


def _histograms(**options):
    """Trees on bins; nothing about them is random."""
    return HistGradientBoostingRegressor(max_bins=MOST_BINS, early_stopping=False, random_state=0, **options)


class Linear(BaseEstimator):
    """Ridge regressions and means of clusters: K fits at once, of which fit j leaves out the rows of fold j."""

    def fit(self, features, index, fold, bin_of_row, weight, variance, moment):
        """Learn the regressions of `moment` over weight * variance on the features, with weights weight * variance."""
        fits = np.arange(variance.shape[1])
        self.coefficients_ = []
        self.means_ = []
        if not features.width_:
            return self
        size = np.bincount(bin_of_row)
        level = np.column_stack([np.bincount(bin_of_row, column) / np.maximum(size, 1) for column in variance.T])
        sums = None
        # squares are summed once for each fold and bin of the variance, which counts as its mean within the bin
        for rows in _cells(fold, bin_of_row):
            kept = fits[fits != fold[rows[0]]]
            parts = list(features.smooth(index[rows]))
            if sums is None:
                sums = [
                    (np.zeros((fits.size, part.shape[1], part.shape[1])), np.zeros((fits.size, part.shape[1])))
                    for part in parts
                ]
            for part, (squares, products) in zip(parts, sums, strict=True):
                square = part.T @ (weight[rows, None] * part)
                product = moment[rows].T @ part
                for j in kept:
                    squares[j] += level[bin_of_row[rows[0]], j] * square
                    products[j] += product[j]
        used = np.array([(fold != j).sum() for j in fits])
        for (squares, products), strengths, penalty in zip(sums, PENALTIES, features.penalties(), strict=True):
            fitted = [_ridge(*one, penalty, strengths) for one in zip(squares, products, used, strict=True)]
            self.coefficients_.append(np.array(fitted))
        for region, clusters in zip(features.regions(index).T, features.means_, strict=True):
            count = clusters.n_clusters
            value = np.empty((fits.size, count))
            for j in fits:
                rows = np.flatnonzero(fold != j)
                value[j] = _drawn_means(region[rows], weight[rows] * variance[rows, j], moment[rows, j], count)
            self.means_.append(value)
        return self

    def predict(self, features, index, fit):
        """What the regressions and the means of a fit say of rows, (m, learners but the trees)."""
        columns = np.zeros((len(index), len(NAMES) - len(ROUNDS)))
        if not features.width_:
            return columns
        smooth = sum(map(len, PENALTIES))
        for start in range(0, len(index), CHUNK):
            rows = slice(start, start + CHUNK)
            parts = zip(features.smooth(index[rows]), self.coefficients_, strict=True)
            columns[rows, :smooth] = np.hstack([part @ coefficients[fit] for part, coefficients in parts])
        for k, region in enumerate(features.regions(index).T, smooth):
            columns[:, k] = self.means_[k - smooth][fit][region]
        return columns


def _cells(fold, bin_of_row):
    """Row numbers of one fold and one bin, at most `CHUNK` of them at a time."""
    order = np.lexsort((bin_of_row, fold))
    ends = np.flatnonzero((np.diff(fold[order]) != 0) | (np.diff(bin_of_row[order]) != 0)) + 1
    for rows in np.split(order, ends):
        for start in range(0, rows.size, CHUNK):
            yield rows[start : start + CHUNK]


def _ridge(squares, products, n, penalty, strengths):
    """Coefficients, the constant last and without penalty, for each strength of the penalty, (F, strengths)."""
    total = squares[-1, -1]
    mean = squares[-1, :-1] / total
    centred = squares[:-1, :-1] - total * np.outer(mean, mean)
    right = products[:-1] - products[-1] * mean
    if penalty is None:
        penalty = np.diag(np.diag(centred) / total)
    least = 1e-10 * max(np.trace(centred), total) * np.eye(mean.size)  # a feature may be constant in these rows
    slopes = [solve(centred + strength * total / n * penalty + least, right, assume_a="pos") for strength in strengths]
    return np.column_stack([np.append(slope, products[-1] / total - mean @ slope) for slope in slopes])


def predict_out_of_fold(features, index, residual, variance, bin_of_row, weight, fold, inner):
    """What each learner of `NAMES`, fitted on the rows of other folds, says of s, (n, learners)."""
    linear = Linear().fit(features, index, fold, bin_of_row, weight, variance, weight[:, None] * residual)
    boosted = Parallel()(
        delayed(_boosted)(features, index, residual[:, j], variance[:, j], weight, fold == j, inner)
        for j in range(residual.shape[1])
    )
    columns = np.empty((len(index), len(NAMES)))
    for j, stages in enumerate(boosted):
        inside = fold == j
        columns[inside] = np.column_stack([stages, linear.predict(features, index[inside], j)])
    return columns


def _boosted(features, index, residual, variance, weight, inside, inner):
    target = residual[~inside] / variance[~inside]
    boosting = Boosting().fit(features, index[~inside], target, (weight * variance)[~inside], inner[~inside])
    return boosting.predict(features, index[inside])


def regions_out_of_fold(features, index, residual, weight, fold, inner, min_samples_leaf):
    """Region of each row, (n,) int from 0 in each fold, by a tree grown on the residuals (n, K) of other folds."""
    region = np.empty(len(index), int)
    regions = Parallel()(
        delayed(_grown)(features, index, residual[:, j], weight, fold == j, inner, min_samples_leaf)
        for j in range(residual.shape[1])
    )
    for j, of_fold in enumerate(regions):
        region[fold == j] = of_fold
    return region


def _grown(features, index, residual, weight, inside, inner, min_samples_leaf):
    target = residual[~inside]
    tables = features.ordered(index[~inside], target, weight[~inside])
    columns = features.choosing(index[~inside], tables, target, weight[~inside], inner[~inside])
    tree = _histograms(max_iter=1, learning_rate=1.0, max_leaf_nodes=None, min_samples_leaf=min_samples_leaf)
    with one_thread():
        tree.fit(columns, target, weight[~inside])
        level = tree.predict(binned(index[inside], tables))  # leaves of one value are one region
    return np.unique(level, return_inverse=True)[1]


def combination(columns, residual, sample_weight):
    """Weights b >= 0 of (n, m) predictions that minimise the weighted mean of (residual - columns b)**2, (m,)."""
    gram = columns.T @ (sample_weight[:, None] * columns)
    trace = np.trace(gram)
    if not trace > 0:
        return np.zeros(len(gram))
    root = np.linalg.cholesky(gram + 1e-6 * trace / len(gram) * np.eye(len(gram)))
    return nnls(root.T, np.linalg.solve(root, columns.T @ (sample_weight * residual)))[0]


def combine_out_of_fold(columns, residual, weight, fold):
    """Each row's combined prediction (n,) by the weights that the other folds decide, and these weights (folds, m)."""
    weights = np.array([
        combination(columns[fold != j], residual[fold != j], weight[fold != j]) for j in range(fold.max() + 1)
    ])  # fmt: skip
    return np.einsum("im,im->i", columns, weights[fold]), weights
