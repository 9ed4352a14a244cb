"""Learners of different kinds that predict how far the truth lies from a calibrated score.

Each predicts s, the residual y - c over its variance v = c (1 - c), with weights v: to first order the difference
of the log-odds. The predicted residual is v s. What suits sharp corners (boosted trees), smooth sums (splines), smooth
bumps (kernels) and clusters (k-means) stands side by side; `helpers.stacked_grouping` decides between them by how well
they predict rows that they have not seen.
"""

import warnings

import numpy as np
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
PAIRS_UP_TO, SPLINES_UP_TO = 16, 51  # columns, the score among them
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
        self.maps_, self.gaps_ = {}, []
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
        self.means_, self.value_ = means, np.bincount(region, sample_weight * y, count) / (total + self.prior)
        return self

    def predict(self, X):
        """Mean of each row's region, (n,)."""
        return self.value_[self.means_.predict(X)]


def predicted_columns(train, target, weight, test, seed):
    """What each learner of `NAMES`, fitted on some rows, says about others: (m, learners).

    train, test : (n, d) and (m, d) codes of `helpers.encoding.TableEncoder`; target, weight : (n,) s and v
    seed : int
    """
    seen = ~np.isnan(train).all(axis=0)
    train, test = train[:, seen], test[:, seen]
    boosting = HistGradientBoostingRegressor(
        max_iter=ROUNDS[-1], learning_rate=0.1, max_leaf_nodes=10, min_samples_leaf=20, max_bins=63,
        early_stopping=False, random_state=seed,
    ).fit(train, target, weight)  # fmt: skip
    stages = boosting.staged_predict(test)
    columns = [stage for k, stage in enumerate(stages, 1) if k in ROUNDS]
    scores = NormalScores().fit(train)
    train, test = scores.transform(train), scores.transform(test)
    n, d = train.shape
    if not d:
        return np.column_stack([*columns, np.zeros((len(test), len(NAMES) - len(columns)))])
    for penalties, features in [(PENALTIES["splines"], splines(d))] + [
        (PENALTIES["kernel"], kernel(n, d, width, seed)) for width in WIDTHS
    ]:
        ridge = Ridge(np.array(penalties) * weight.mean(), solver="cholesky")
        model = make_pipeline(features, ridge)
        model.fit(train, np.column_stack([target] * len(penalties)), ridge__sample_weight=weight)
        columns += list(model.predict(test).T)
    for k in CLUSTERS:
        columns.append(ClusterMeans(k, random_state=seed).fit(train, target, weight).predict(test))
    return np.column_stack(columns)


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
