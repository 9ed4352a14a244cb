"""Learners of different kinds that predict how far the truth lies from a calibrated score.

Each predicts s, the residual y - c over its variance v = c (1 - c), with weights v: to first order the difference
of the log-odds. The predicted residual is v s. What suits sharp corners (boosted trees), smooth sums (splines), smooth
bumps (kernels) and clusters (k-means) stands side by side; `combination` decides between them by how well they predict
rows that they have not seen.
"""

import warnings

import numpy as np
from scipy.optimize import nnls
from scipy.special import ndtri
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.cluster import MiniBatchKMeans
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, SplineTransformer, StandardScaler

ROUNDS = (20, 40, 80)

PENALTIES = {"splines": (30.0, 300.0), "kernel": (0.3, 3.0)}

WIDTHS = (0.1, 0.3)  # of the kernel exp(-gamma |x - x'|^2), gamma = width * 5 / columns

CLUSTERS = (100, 300)

KNOTS = ndtri([0.02, 0.2, 0.4, 0.6, 0.8, 0.98])

PAIRS_UP_TO = 16  # columns, the score among them
SPLINES_UP_TO = 51

NAMES = (
    *(f"boosting, {rounds} rounds" for rounds in ROUNDS),
    *(f"splines, penalty {penalty:g}" for penalty in PENALTIES["splines"]),
    *(f"kernel {width:g}, penalty {penalty:g}" for width in WIDTHS for penalty in PENALTIES["kernel"]),
    *(f"k-means, {k} regions" for k in CLUSTERS),
)


class NormalScores(TransformerMixin, BaseEstimator):
    """Each column as the normal quantile of the middle rank of its value among the fitted rows; constant columns are
    dropped. A missing value becomes 0, and columns with missing ones bring a second column that says so.

    (`QuantileTransformer` sends the two values of a binary column to -5.2 and 5.2, which drowns the others in
    distances.)

    >>> NormalScores().fit_transform(np.array([[0.0, 7], [1, 7], [0, 7], [1, 7]])).round(3).ravel()
    array([-0.674,  0.674, -0.674,  0.674])
    """

    def fit(self, X, y=None):
        """Learn the ranks of an (n, d) table."""
        self.maps_ = {}
        self.gaps_ = []
        for j, column in enumerate(X.T):
            missing = np.isnan(column)
            levels, count = np.unique(column[~missing], return_counts=True)
            if levels.size > 1:
                self.maps_[j] = levels, ndtri((np.cumsum(count) - count / 2) / count.sum())
            if 0 < missing.sum() < missing.size:
                self.gaps_.append(j)
        return self

    def transform(self, X):
        """Scores of the rows, (n, columns that vary + columns with gaps)."""
        columns = [np.nan_to_num(np.interp(X[:, j], *scale)) for j, scale in self.maps_.items()]
        columns += [np.isnan(X[:, j]).astype(float) for j in self.gaps_]
        return np.column_stack(columns) if columns else np.zeros((len(X), 0))


class ClusterMeans(RegressorMixin, BaseEstimator):
    """k-means regions with the weighted mean of the target in each, drawn towards 0 by a prior weight."""

    def __init__(self, n_clusters=100, *, prior=2.0, random_state=None):
        self.n_clusters = n_clusters
        self.prior = prior
        self.random_state = random_state

    def fit(self, X, y, sample_weight):
        """Choose regions by the (n, d) table alone, then estimate their means."""
        count = min(self.n_clusters, len(X))
        means = MiniBatchKMeans(count, n_init=1, batch_size=2048, max_iter=30, random_state=self.random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than regions: some stay empty
            region = means.fit_predict(X)
        total = np.bincount(region, sample_weight, count)
        self.means_ = means
        self.value_ = np.bincount(region, sample_weight * y, count) / (total + self.prior)
        return self

    def predict(self, X):
        """Mean of each row's region, (n,)."""
        return self.value_[self.means_.predict(X)]


class Learners(BaseEstimator):
    """All learners of `NAMES`, fitted on the same rows; they can be pickled.

    Parameters
    ----------
    seed : int
        Of the trees, the kernels' rows and the clusters.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 80)[:, None]
    >>> Learners(0).fit(x, x[:, 0], np.ones(80)).predict(x[:3]).shape
    (3, 11)
    """

    def __init__(self, seed):
        self.seed = seed

    def fit(self, codes, target, weight):
        """Learn from (n, d) codes of `helpers.partition.encoder.TableEncoder`, (n,) targets s and weights v. Returns
        self.
        """
        self.seen_ = ~np.isnan(codes).all(axis=0)
        codes = codes[:, self.seen_]
        self.boosting_ = HistGradientBoostingRegressor(
            max_iter=ROUNDS[-1], learning_rate=0.1, max_leaf_nodes=10, min_samples_leaf=20, max_bins=63,
            early_stopping=False, random_state=self.seed,
        ).fit(codes, target, weight)  # fmt: skip
        self.scores_ = NormalScores().fit(codes)
        scores = self.scores_.transform(codes)
        n, d = scores.shape
        self.smooth_ = []
        self.clusters_ = []
        if not d:
            return self
        for penalties, features in [(PENALTIES["splines"], splines(d))] + [
            (PENALTIES["kernel"], kernel(n, d, width, self.seed)) for width in WIDTHS
        ]:
            ridge = Ridge(np.array(penalties) * weight.mean(), solver="cholesky")
            model = make_pipeline(features, ridge)
            targets = np.column_stack([target] * len(penalties))
            self.smooth_.append(model.fit(scores, targets, ridge__sample_weight=weight))
        for k in CLUSTERS:
            self.clusters_.append(ClusterMeans(k, random_state=self.seed).fit(scores, target, weight))
        return self

    def predict(self, codes):
        """What each learner says of s for the rows of (m, d) codes: (m, learners)."""
        codes = codes[:, self.seen_]
        stages = self.boosting_.staged_predict(codes)
        columns = [stage for k, stage in enumerate(stages, 1) if k in ROUNDS]
        scores = self.scores_.transform(codes)
        for model in self.smooth_:
            columns += list(model.predict(scores).T)
        columns += [model.predict(scores) for model in self.clusters_]
        empty = np.zeros((len(codes), len(NAMES) - len(columns)))
        return np.column_stack([*columns, empty])


def predicted_columns(train, target, weight, test, seed):
    """What each learner of `NAMES`, fitted on some rows, says about others: (m, learners).

    train, test : (n, d) and (m, d) codes of `helpers.partition.encoder.TableEncoder`; target, weight : (n,) s and v
    seed : int
    """
    return Learners(seed).fit(train, target, weight).predict(test)


def splines(d):
    """Cubic splines of each column, and products of pairs where there are few columns."""
    if d > SPLINES_UP_TO:
        return StandardScaler()
    curves = SplineTransformer(knots=np.tile(KNOTS[:, None], d), include_bias=False, extrapolation="linear")
    parts = [("curves", curves)]
    if d <= PAIRS_UP_TO:
        parts.append(("pairs", PolynomialFeatures(2, include_bias=False)))
    return make_pipeline(FeatureUnion(parts), StandardScaler())


def kernel(n, d, width, seed):
    """Gaussian bumps around 300 of the rows, and a little of the columns themselves."""
    bumps = Nystroem(gamma=width * 5 / d, n_components=min(300, n), random_state=seed)
    return FeatureUnion([("bumps", bumps), ("linear", FunctionTransformer(_tenth))])


def _tenth(X):
    return 0.1 * X


def combination(columns, residual, sample_weight):
    """Weights b >= 0 of (n, m) predictions that minimise the weighted mean of (residual - columns b)**2, (m,).

    >>> combination(np.array([[1.0, -1], [1, -1], [3, 0]]), np.array([0.5, 0.5, 1.5]), np.ones(3)).round(3)
    array([0.5, 0. ])
    """
    gram = columns.T @ (sample_weight[:, None] * columns)
    trace = np.trace(gram)
    if not trace > 0:
        return np.zeros(len(gram))
    root = np.linalg.cholesky(gram + 1e-6 * trace / len(gram) * np.eye(len(gram)))
    return nnls(root.T, np.linalg.solve(root, columns.T @ (sample_weight * residual)))[0]
