"""A pool of models asked about the same rows: invented models with known truth, or real ones on real people."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from helpers.checks import check_count
from helpers.decisions import optimal_threshold

REAL_MODELS = {"tiny tree": 60, "naive Bayes": 200, "logistic": 500, "forest": 1200, "boosting": 2500}

REAL_PRICES = (1.0, 3.0, 8.0, 20.0, 40.0)


@dataclass(frozen=True)
class Asked:
    """A pool's answers about the same rows: features `X`, label `y`, stated `p` (m, n), `price` (m,); of people with
    several rows `groups`, of invented people the true `q`.
    """

    X: pd.DataFrame
    y: np.ndarray
    p: np.ndarray
    price: np.ndarray
    groups: np.ndarray | None = field(default=None, repr=False)
    q: np.ndarray | None = field(default=None, repr=False)

    def decisions(self, cost):
        """What each model decides by the best threshold for these costs, (m, n) int."""
        return (self.p >= optimal_threshold(cost)).astype(int)

    def record(self, cost):
        """How good each decision turned out, (m, n) from 0 (the dearest mistake) to 1 (free): what routers learn."""
        loss = np.asarray(cost, dtype=float)[self.decisions(cost), self.y]
        return 1 - loss / np.asarray(cost).max()

    def without(self, *columns):
        """The same, with features that nobody outside of the models gets to see left out."""
        return Asked(self.X.drop(columns=list(columns)), self.y, self.p, self.price, self.groups, self.q)


def ask(pool, n, rng=None, *, price=None):
    """`Asked` about n people drawn from a `model_pool`.

    >>> from helpers.simulation import model_pool
    >>> ask(model_pool(sizes=[1, 10], rng=0), 5, rng=0).p.shape
    (2, 5)
    """
    sample = pool.sample(n, rng)
    return Asked(sample.X, sample.y, sample.p, pool.price if price is None else np.asarray(price, float), q=sample.q)


def language_like(seed, *, n_models=7, grouping_error=3.0, growth=0.1, signal=1.8):
    """Options for `model_pool` that make it as uneven as the language models of Melo et al. (table 4): errors that
    shrink slowly with size, and shifts and slopes of the stated confidence that do not shrink at all.

    >>> sorted(language_like(0))
    ['grouping_error', 'rng', 'shift', 'signal', 'sizes', 'slope']
    """
    rng = np.random.default_rng(seed)
    sizes = np.array([1.0, 3.0, 8.0, 14.0, 27.0, 47.0, 70.0])[: check_count(n_models, "n_models")]
    return {
        "sizes": sizes,
        "grouping_error": grouping_error * sizes**-growth,
        "slope": rng.uniform(0.5, 2, sizes.size),
        "shift": rng.normal(0, 0.8, sizes.size),
        "signal": signal,
        "rng": rng,
    }


def real_pool(data, rng=None, *, cost=None):
    """Five real models of growing price, each trained on more rows than the one before; past and new rows of others.

    People are split into three parts: 30 % train the models (60 to 2,500 rows), 35 % are the past, 35 % are new.
    The models are those of `REAL_MODELS`, the prices of `REAL_PRICES`.

    Returns
    -------
    {"past": Asked, "new": Asked}, with `groups` of the data (people with several rows stay in one part)

    >>> from helpers.datasets import load_fair
    >>> asked = real_pool(load_fair(), rng=0)
    >>> asked["past"].p.shape[0], len(asked["new"].y) > 2000
    (5, True)
    """
    rng = np.random.default_rng(rng)
    unit = np.arange(len(data.y)) if data.groups is None else data.groups
    place = rng.permutation(unit.max() + 1)[unit] / (unit.max() + 1)
    train = rng.permutation(np.flatnonzero(place < 0.3))
    X = data.X.astype({name: float for name in data.X if data.X[name].dtype == bool})
    stated = []
    for name, rows in REAL_MODELS.items():
        model = make_pipeline(_numbers(), _classifier(name, int(rng.integers(2**31))))
        with threadpool_limits(1):  # small fits: threads would only get in each other's way
            stated.append(model.fit(X.iloc[train[:rows]], data.y[train[:rows]]).predict_proba(X)[:, 1])
    asked = {}
    for name, inside in (("past", (place >= 0.3) & (place < 0.65)), ("new", place >= 0.65)):
        groups = None if data.groups is None else data.groups[inside]
        table = data.X[inside].reset_index(drop=True)
        asked[name] = Asked(table, data.y[inside], np.array(stated)[:, inside], np.array(REAL_PRICES), groups)
    return asked


def _numbers():
    """Missing numbers filled in and marked, words as indicators, everything on one scale."""
    numeric = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numeric, make_column_selector(dtype_include="number")), (words, make_column_selector(dtype_exclude="number"))
    )


def _classifier(name, seed):
    return {
        "tiny tree": DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=seed),
        "naive Bayes": GaussianNB(var_smoothing=0.05),
        "logistic": LogisticRegression(max_iter=1000),
        "forest": RandomForestClassifier(60, min_samples_leaf=5, random_state=seed),
        "boosting": HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=8, random_state=seed),
    }[name]
