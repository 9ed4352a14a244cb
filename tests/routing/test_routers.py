"""Routers against a loop written row by row; a learned one finds who is good at what."""

import numpy as np
import pandas as pd
import pytest

from helpers.routing import TreeRouter, route
from helpers.routing.routers import _halves
from tests.routing.pool import ACCURACY, PREDICTION, PRICE, PRICES, RNG, by_rows, same


def router_row(accuracy, prediction, price, willingness):
    worth = [willingness * accuracy[m] - price[m] for m in range(len(accuracy))]
    best = max(range(len(worth)), key=lambda m: (worth[m], -m))
    return prediction[best], best, price[best]


@pytest.mark.parametrize("price", [PRICE, PRICES], ids=["per model", "per row"])
@pytest.mark.parametrize("value", [0.0, 7.5, 100.0])
def test_the_router_is_the_printed_one(price, value):
    same(route(ACCURACY, PREDICTION, price, willingness=value), by_rows(router_row, ACCURACY, price, value))


def test_a_tree_router_learns_who_is_good_at_what():
    rng = np.random.default_rng(10)
    X = pd.DataFrame({"topic": rng.choice(["law", "medicine"], 3000), "length": rng.normal(size=3000)})
    medicine = (X["topic"] == "medicine").to_numpy()
    truth = np.array([np.where(medicine, 0.9, 0.6), np.where(medicine, 0.5, 0.8)])
    correct = rng.random((2, 3000)) < truth
    half = slice(0, 1500)
    router = TreeRouter(rng=0).fit(X[half], correct[:, half])
    error = router.predict(X[1500:]) - truth[:, 1500:]
    assert np.abs(error).mean() < 0.06
    assert np.array_equal(TreeRouter(rng=0).fit(X[half], correct[:, half]).predict(X), router.predict(X))
    optimistic = TreeRouter(n_halvings=0, rng=0).fit(X[half], correct[:, half])
    assert np.abs(optimistic.predict(X[1500:]) - truth[:, 1500:]).mean() > np.abs(error).mean()


def test_a_router_without_signal_returns_the_average():
    rng = np.random.default_rng(11)
    X, new = rng.normal(size=(2, 2000, 4))
    found = TreeRouter(rng=0).fit(X, rng.random((2, 2000)) < np.array([[0.6], [0.8]])).predict(new)
    assert found.mean(axis=1) == pytest.approx([0.6, 0.8], abs=4 * 0.5 / np.sqrt(2000) + 0.01)
    assert found.std(axis=1).max() < 0.1


def test_a_tree_router_keeps_the_accuracy_of_each_model_and_refuses_groups_of_other_rows():
    X = RNG.normal(size=(60, 2))
    correct = RNG.integers(0, 2, (3, 60))
    router = TreeRouter(min_samples_leaf=15, rng=0).fit(X, correct)
    assert router.average_ == pytest.approx(correct.mean(axis=1))
    assert [len(trees) for trees in router.trees_] == [10] * 3  # two trees a halving
    for n, size in ((10, 5), (11, 6)):
        assert [half.size for half in _halves(n, None, RNG)] == [size, 5]
        halves = [set(half // 3) for half in _halves(3 * n, np.arange(3 * n) // 3, RNG)]
        assert [len(half) for half in halves] == [size, 5] and not set.intersection(*halves)
    with pytest.raises(ValueError, match="groups"):
        TreeRouter(rng=0).fit(X, correct, groups=np.arange(59))
