"""What is said of a table does not depend on the order in which its columns come."""

import numpy as np
import pandas as pd
import pytest

from helpers.audit import search_segments, tree_groups
from helpers.chunks import evaluate_in_chunks, fit_partition, read_chunks
from helpers.decisions import RiskEstimator
from helpers.grouping import binned_grouping_loss, grouping_loss
from helpers.partition import BinnedTree, HonestTree
from helpers.repair import Recalibrator

N = 1200

COST = [[0.0, 5.0], [1.0, 0.0]]


def sample(seed):
    """Labels, scores and a table in which many splits are equally good: there are few different rows."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "age": rng.integers(4, 12, N) * 5,
        "sex": rng.choice(["female", "male"], N),
        "town": rng.choice(["Bonn", "Köln", "Trier", "Ulm"], N),
        "income": np.where(rng.random(N) < 0.2, np.nan, rng.integers(0, 5, N)),
        "smokes": rng.random(N) < 0.3,
        "drinks": rng.random(N) < 0.3,
        "visits": rng.integers(0, 4, N),
        "calls": rng.integers(0, 4, N),
    })  # fmt: skip
    p = rng.choice([0.25, 0.5, 0.75], N)
    shift = 0.15 * np.sign(1.0 * (X["age"] > 40) - 0.9 * (X["sex"] == "male") - 0.5 * X["smokes"])
    y = (rng.random(N) < np.clip(p + shift, 0, 1)).astype(int)
    return y, p, X


NUMBERS = ["age", "visits", "calls", "smokes"]


def loss(function, **options):
    def value(y, p, X):
        result = function(y, p, X, rng=0, **options)
        return result.value, result.low, result.high

    return value


def clusters(y, p, X):
    return loss(binned_grouping_loss, estimator="kmeans", n_bins=3)(y, p, X[[name for name in X if name in NUMBERS]])


def regions(tree):
    def numbers(y, p, X):
        fitted = tree(min_samples_leaf=10, rng=0).fit(X, y - p)
        return tuple(fitted.apply(X))

    return numbers


def bins(name):
    def numbers(y, p, X):
        return tuple(BinnedTree(name, n_bins=3, rng=0).fit(X, y, p).apply(X, p))

    return numbers


def audit(y, p, X):
    found = tree_groups(y, p, X, max_depth=4, min_rows=30, rng=0)
    return tuple(found.table["gap"]), tuple(found.table["n"])


def search(y, p, X):
    found = search_segments(y, p, X, n_draws=39, rng=0)
    return found.p_value, tuple(found.table["z"]), found.table["rule"].tolist(), found.selected["rule"].tolist()


def repair(y, p, X):
    model = Recalibrator(alpha=1, n_folds=3, rng=0)
    repaired = model.fit_predict(X, y, p)
    assert model.columns_ == list(X.columns)
    return tuple(repaired), tuple(model.predict(X, p)), tuple(model.weights_)


def risk(y, p, X):
    model = RiskEstimator(COST, residual="tree", n_halvings=2, rng=0).fit(X, y, p)
    return tuple(model.predict(X, p))


def chunks(y, p, X):
    table = X.assign(label=y, score=p)
    partition = fit_partition(table[: N // 2], rng=0)
    return evaluate_in_chunks(read_chunks(table[N // 2 :], rows=200), partition).grouping_loss().value


ESTIMATORS = {
    "loss": loss(grouping_loss),
    "binned": loss(binned_grouping_loss),
    "clusters": clusters,
    "tree": regions(HonestTree),
    "binned tree": bins("tree"),
    "audit": audit,
    "search": search,
    "repair": repair,
    "risk": risk,
    "chunks": chunks,
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_any_order_of_the_columns(name):
    y, p, X = sample(18)
    estimate = ESTIMATORS[name]
    result = estimate(y, p, X)
    rng = np.random.default_rng(0)
    assert estimate(y, p, X[rng.permutation(X.columns)]) == result


def test_rules_stand_in_the_order_of_the_table():
    y, p, X = sample(2)
    for columns in (list(X.columns), list(X.columns[::-1])):
        rules = HonestTree(min_samples_leaf=30, rng=0).fit(X[columns], y - p).rules()
        places = [[rule.find(name) for name in columns if name in rule] for rule in rules]
        assert all(place == sorted(place) for place in places) and max(map(len, places)) > 2
