"""What is said of a table does not depend on the order in which its columns come."""

import numpy as np
import pandas as pd
import pytest

from helpers.audit import search_segments, tree_groups
from helpers.grouping import grouping_loss
from helpers.partition import HonestTree
from helpers.practice.repair import Recalibrator

N = 1200


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


def loss(function, **options):
    def value(y, p, X):
        result = function(y, p, X, rng=0, **options)
        return result.value, result.low, result.high

    return value


def regions(tree):
    def numbers(y, p, X):
        fitted = tree(min_samples_leaf=10, rng=0).fit(X, y - p)
        return tuple(fitted.apply(X))

    return numbers


def audit(y, p, X):
    found = tree_groups(y, p, X, max_depth=4, min_rows=30, rng=0)
    return tuple(found.table["gap"]), tuple(found.table["n"])


def search(y, p, X):
    found = search_segments(y, p, X, n_draws=39, rng=0)
    return found.p_value, tuple(found.table["z"]), found.table["rule"].tolist(), found.selected["rule"].tolist()


def repair(y, p, X):
    model = Recalibrator(alpha=1, n_folds=2, rng=0)
    y, p, X = y[:600], p[:600], X[:600]
    repaired = model.fit_predict(X, y, p)
    assert model.columns_ == list(X.columns)
    return tuple(repaired), tuple(model.predict(X, p)), tuple(model.weights_)


ESTIMATORS = {
    "loss": loss(grouping_loss),
    "tree": regions(HonestTree),
    "audit": audit,
    "search": search,
    "repair": repair,
}


@pytest.mark.parametrize("name", [*list(ESTIMATORS)[:-1], pytest.param("repair", marks=pytest.mark.slow)])
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
