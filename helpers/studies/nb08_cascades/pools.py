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

from helpers._parallel import one_thread
from helpers.decisions import optimal_threshold

REAL_MODELS = {"tiny tree": 60, "naive Bayes": 200, "logistic": 500, "forest": 1200, "boosting": 2500}

REAL_PRICES = (1.0, 3.0, 8.0, 20.0, 40.0)


@dataclass(frozen=True)
class Asked:
    """A pool's answers about the same n rows; models ascend in price."""

    X: pd.DataFrame
    y: np.ndarray
    p: np.ndarray  # (m, n)
    price: np.ndarray  # (m,), of one question
    groups: np.ndarray | None = field(default=None, repr=False)  # who has several rows
    q: np.ndarray | None = field(default=None, repr=False)  # true probabilities of invented people

    def decisions(self, cost):
        """What each model decides by the best threshold for these costs, (m, n)."""
        return (self.p >= optimal_threshold(cost)).astype(int)

    def record(self, cost):
        """How good each decision turned out, (m, n), from 0 (the dearest mistake) to 1 (free): what routers learn."""
        loss = np.asarray(cost, dtype=float)[self.decisions(cost), self.y]
        return 1 - loss / np.asarray(cost).max()


def ask(pool, n, rng=None):
    """Ask a `model_pool` about n people drawn from its population."""
    sample = pool.sample(n, rng)
    return Asked(sample.X, sample.y, sample.p, pool.price, q=sample.q)


def language_like(seed, *, n_models=7):
    """Options for `model_pool` that make it as uneven as the language models of Melo et al. (2026), table 4."""
    rng = np.random.default_rng(seed)
    sizes = np.array([1.0, 3.0, 8.0, 14.0, 27.0, 47.0, 70.0])[:n_models]
    return {
        "sizes": sizes,
        "grouping_error": 3.0 * sizes**-0.1,
        "slope": rng.uniform(0.5, 2, sizes.size),
        "shift": rng.normal(0, 0.8, sizes.size),
        "signal": 1.8,
        "rng": rng,
    }


def real_pool(data, rng=None):
    """Five real models of growing price, each trained on more rows than the one before; past and new rows of others."""
    rng = np.random.default_rng(rng)
    unit = np.arange(len(data.y)) if data.groups is None else data.groups
    n_units = unit.max() + 1
    place = rng.permutation(n_units)[unit] / n_units
    train = rng.permutation(np.flatnonzero(place < 0.3))
    X = data.X.astype({name: float for name in data.X if data.X[name].dtype == bool})
    stated = []
    for name, rows in REAL_MODELS.items():
        model = make_pipeline(_numbers(), _classifier(name, int(rng.integers(2**31))))
        with one_thread():  # small fits: threads would only get in each other's way
            stated.append(model.fit(X.iloc[train[:rows]], data.y[train[:rows]]).predict_proba(X)[:, 1])
    stated = np.array(stated)

    def part(inside):
        groups = None if data.groups is None else data.groups[inside]
        table = data.X[inside].reset_index(drop=True)
        return Asked(table, data.y[inside], stated[:, inside], np.array(REAL_PRICES), groups)

    return {"past": part((place >= 0.3) & (place < 0.65)), "new": part(place >= 0.65)}


def _numbers():
    """Missing numbers filled in and marked, words as indicators, everything on one scale."""
    numeric = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numeric, make_column_selector(dtype_include="number")), (words, make_column_selector(dtype_exclude="number"))
    )


def _classifier(name, seed):
    """The classifier of `REAL_MODELS` of this name, not fitted."""
    return {
        "tiny tree": DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=seed),
        "naive Bayes": GaussianNB(var_smoothing=0.05),
        "logistic": LogisticRegression(max_iter=1000),
        "forest": RandomForestClassifier(60, min_samples_leaf=5, random_state=seed),
        "boosting": HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=8, random_state=seed),
    }[name]
