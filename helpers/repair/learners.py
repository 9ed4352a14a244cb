"""Learners of a repair: boosted trees, splines and k-means regions as in the stacked grouping loss, forests, and
kernels that learn which directions matter.

Each predicts s, the residual y - c over its variance v = c (1 - c), with weights v (`helpers.grouping.learners`).
"""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers.checks import check_rng
from helpers.grouping.features import CLUSTERS, MOST_BINS, binned
from helpers.grouping.learners import PRIOR

ROUNDS = (10, 20, 40, 80)  # of boosting

BOOSTED_LEAF = 20  # rows, as those of the forests, where c (1 - c) is 0.2 on average: more where it is less

FORESTS = {  # kind, rows of a leaf, share of the columns that are tried for a split
    "forest, 10 rows a leaf": (RandomForestRegressor, 10, 0.7),
    "forest, 60 rows a leaf": (RandomForestRegressor, 60, 1.0),
    "random splits, 20 rows a leaf": (ExtraTreesRegressor, 20, 1.0),
}

TREES = 30  # of a forest

COLUMNS = 12  # that are tried for a split, at most; a third where there are more than 36

DRAWN = 10_000  # rows for a tree of a forest, at most; a tree of random splits gets all up to twice as many

SPLINE_PENALTIES = (6.0, 60.0)  # rows of weight 1

KERNEL_PENALTIES = (0.6, 6.0)

CENTRES = 300  # of a kernel

STEPS = 3  # in which a kernel learns its directions

SAMPLE = 2000  # rows whose gradients tell them

CHUNK = 20_000  # rows for which the kernels are held in memory

NAMES = (
    *(f"boosting, {rounds} rounds" for rounds in ROUNDS),
    *FORESTS,
    *(f"splines, penalty {penalty:g}" for penalty in SPLINE_PENALTIES),
    *(f"k-means, {k} regions" for k in CLUSTERS),
    *(f"kernel, penalty {penalty:g}" for penalty in KERNEL_PENALTIES),
    *(f"adapted kernel, penalty {penalty:g}" for penalty in KERNEL_PENALTIES),
)


class AdaptedKernel(RegressorMixin, BaseEstimator):
    """Kernel ridge regression that learns the directions in which the target changes.

    The kernel is exp(-|x - x'| / width). After each step the rows are turned and stretched by the mean outer product
    of the fit's gradients, so that features that say nothing stop counting in the distance.

    Radhakrishnan et al. (2024), Mechanism for feature learning in neural networks; here with few centres and weights.

    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> model = AdaptedKernel(random_state=0).fit(X, np.sign(X[:, 0]), np.ones(400))
    >>> size = np.linalg.norm(model.directions_, axis=1)
    >>> bool(size[0] > 3 * size[1:].max()), model.predict(X).shape
    (True, (400, 4))
    """

    def __init__(self, *, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight):
        """Learn from (n, d) columns of like scale, (n,) targets and weights. Returns self."""
        rng = check_rng(self.random_state)
        n, d = X.shape
        centres = X[rng.permutation(n)[:CENTRES]]
        sample = rng.permutation(n)[:SAMPLE]
        self.mean_ = np.average(y, weights=sample_weight)
        self.directions_ = np.eye(d)
        self.steps_ = []
        for step in range(STEPS):
            bumps = _Bumps(self.directions_, centres)
            heights = _ridge(bumps, X, y - self.mean_, sample_weight)
            if step in (0, STEPS - 1):
                self.steps_.append((bumps, heights))
            if step < STEPS - 1:
                slope = bumps.gradients(X[sample], heights[:, 0])
                self.directions_ = _root(slope.T @ (sample_weight[sample, None] * slope))
        return self

    def predict(self, X):
        """Columns of the first and the last step, one for each penalty: (n, 4)."""
        return np.column_stack([self.mean_ + bumps.times(X, heights) for bumps, heights in self.steps_])


class _Bumps:
    """exp(-|x - x'| / width) between rows and centres, both turned by (d, d) directions."""

    def __init__(self, directions, centres):
        self.directions = directions
        self.centres = centres @ directions
        self.width = np.sqrt(len(directions) / 1.5)

    def distance(self, turned):
        squares = (turned**2).sum(axis=1)[:, None] + (self.centres**2).sum(axis=1) - 2 * turned @ self.centres.T
        return np.sqrt(np.maximum(squares, 0)) / self.width

    def values(self, X):
        """(n, centres)."""
        return np.exp(-self.distance(X @ self.directions))

    def times(self, X, heights):
        """values @ heights, some rows at a time."""
        return np.concatenate([self.values(part) @ heights for part in _chunks(X)])

    def gradients(self, X, height):
        """Of values @ height by the columns of X, (n, d)."""
        turned = X @ self.directions
        distance = np.maximum(self.distance(turned), 1e-4)  # a centre has no gradient at itself
        pull = np.exp(-distance) / distance * height
        return (pull @ self.centres - pull.sum(axis=1)[:, None] * turned) @ self.directions.T

    def norm(self):
        """(centres, centres)."""
        return np.exp(-self.distance(self.centres)) + 1e-6 * np.eye(len(self.centres))


def _chunks(*columns):
    """Rows some at a time."""
    for start in range(0, len(columns[0]), CHUNK):
        parts = [column[start : start + CHUNK] for column in columns]
        yield parts if len(parts) > 1 else parts[0]


def _ridge(bumps, X, y, weight):
    """Heights of the bumps for each penalty, (centres, penalties)."""
    gram = 0.0
    wanted = 0.0
    for rows, target, w in _chunks(X, y, weight):
        values = bumps.values(rows)
        weighted = w[:, None] * values
        gram = gram + values.T @ weighted
        wanted = wanted + target @ weighted
    norm = bumps.norm()
    return np.column_stack([np.linalg.solve(gram + penalty * norm, wanted) for penalty in KERNEL_PENALTIES])


def _root(spread):
    """Directions whose product with their transpose is the (d, d) matrix, scaled to trace d."""
    d = len(spread)
    trace = np.trace(spread)
    if not trace > 0:
        return np.eye(d)
    value, vector = np.linalg.eigh(spread / trace * d + 1e-3 * np.eye(d))
    return vector * np.sqrt(np.maximum(value, 0))


def _rows(leaf, rarity):
    return max(round(leaf * max(rarity, 1.0)), 1)


class RepairLearners(BaseEstimator):
    """All learners of `NAMES`, fitted on the same rows.

    >>> from helpers.grouping.features import Features
    >>> index = np.arange(80)[:, None]
    >>> model = RepairLearners(0, Features().fit(index)).fit(index, np.linspace(-1, 1, 80), np.ones(80))
    >>> model.predict(index[:3]).shape == (3, len(NAMES))
    True
    """

    def __init__(self, seed, features):
        self.seed = seed
        self.features = features

    def fit(self, index, target, weight, fold=None):
        """Learn (n,) targets s with weights v from (n, d) codes, see `Features.fit`; `fold` as in `Features.choosing`.
        Returns self.
        """
        self.codes_ = self.features.ordered(index, target, weight, len(index))
        self.bins_ = self.features.ordered(index, target, weight)
        boosted, *forests = self._trees(*index.shape, 0.2 / weight.mean())
        self.boosted_ = boosted.fit(self.features.choosing(index, self.bins_, target, weight, fold), target, weight)
        codes = self.features.choosing(index, self.codes_, target, weight, fold)
        self.forests_ = [forest.fit(codes, target, weight) for forest in forests]
        if self.features.width_:
            self._fit_smooth(index, target, weight)
        return self

    def _trees(self, n, d, rarity):
        most = max(COLUMNS, d // 3)
        yield HistGradientBoostingRegressor(
            max_iter=ROUNDS[-1], learning_rate=0.1, max_leaf_nodes=10, min_samples_leaf=_rows(BOOSTED_LEAF, rarity),
            max_bins=MOST_BINS, early_stopping=False, random_state=self.seed,
        )  # fmt: skip
        for forest, leaf, share in FORESTS.values():
            columns = min(max(int(share * d), 1), most)
            options = {"min_samples_leaf": _rows(leaf, rarity), "max_features": columns}
            if forest is RandomForestRegressor or n > 2 * DRAWN:
                options |= {"bootstrap": True, "max_samples": min(n // 2, DRAWN)}
            yield forest(TREES, random_state=self.seed, **options)

    def _fit_smooth(self, index, target, weight):
        curves = next(self.features.smooth(index))
        ridge = Ridge(np.array(SPLINE_PENALTIES), solver="cholesky")
        self.curves_ = make_pipeline(StandardScaler(), ridge)
        self.curves_.fit(curves, np.column_stack([target] * len(SPLINE_PENALTIES)), ridge__sample_weight=weight)
        self.means_ = []
        for region, clusters in zip(self.features.regions(index).T, self.features.means_, strict=True):
            total = np.bincount(region, weight, clusters.n_clusters)
            self.means_.append(np.bincount(region, weight * target, clusters.n_clusters) / (total + PRIOR))
        self.kernel_ = AdaptedKernel(random_state=self.seed).fit(self.features.scores(index), target, weight)

    def predict(self, index):
        """What each learner says of s for rows of (m, d) codes: (m, learners)."""
        stages = enumerate(self.boosted_.staged_predict(binned(index, self.bins_)), 1)
        columns = [stage for k, stage in stages if k in ROUNDS]
        codes = binned(index, self.codes_)
        columns += [forest.predict(codes) for forest in self.forests_]
        if not self.features.width_:
            return np.column_stack([*columns, np.zeros((len(index), len(NAMES) - len(columns)))])
        columns.append(self.curves_.predict(next(self.features.smooth(index))))
        regions = self.features.regions(index).T
        columns += [mean[region] for mean, region in zip(self.means_, regions, strict=True)]
        columns.append(self.kernel_.predict(self.features.scores(index)))
        return np.column_stack(columns)
