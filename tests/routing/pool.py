"""A pool of four models on 400 rows, and how a routed result is compared with a loop over rows."""

import itertools

import numpy as np

from helpers.routing import cascade, single_model

RNG = np.random.default_rng(0)
M = 4
N = 400
RISK = np.maximum(RNG.normal(-0.1, 0.3, (M, N)), 0).round(2)
P = RNG.random((M, N)).round(2)
ACCURACY = RNG.random((M, N)).round(2)
PREDICTION = RNG.integers(0, 2, (M, N))
Y = RNG.integers(0, 2, N)
PRICE = np.array([1.0, 2.5, 2.5, 9.0])
PRICES = np.array([1.0, 2.4, 2.8, 9.0])[:, None] * RNG.uniform(0.5, 1.5, (M, N))  # in order on average, not in each row
COSTS = np.array([[0.0, 4.0], [1.0, 0.5]])
POOLS = [pool for size in range(1, M + 1) for pool in itertools.combinations(range(M), size)]


def same(routed, rows):
    """Whether a `Routed` is the list of (prediction, model, paid)."""
    prediction, model, paid = zip(*rows, strict=True)
    assert list(routed.prediction) == list(prediction) and list(routed.model) == list(model)
    assert np.allclose(routed.paid, paid, rtol=1e-12)


def by_rows(rule, table, price, value, pool=tuple(range(M))):
    pool = list(pool)
    price = price if np.ndim(price) == 2 else np.broadcast_to(np.array(price)[:, None], (M, N))
    return [rule(table[pool, i], PREDICTION[pool, i], price[pool, i], value) for i in range(N)]


def policies():
    return {"small": single_model(PREDICTION, PRICE, 0), "cascade": cascade(RISK, PREDICTION, PRICE)}
