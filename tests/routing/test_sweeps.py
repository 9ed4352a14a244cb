"""A sweep is each policy on its own."""

import itertools

import numpy as np
import pandas as pd
import pytest

from helpers.routing import cascade, confidence_cascade, route, sweep_cascades, sweep_routers
from tests.routing.pool import ACCURACY, COSTS, POOLS, PREDICTION, PRICE, PRICES, RISK, P, Y

SWEEPS = {
    "risk": (sweep_cascades, cascade, RISK, "thresholds", "tau", [0.3, 0.0, 0.13, 0.13, np.inf], {}),
    "confidence": (
        sweep_cascades, confidence_cascade, P, "thresholds", "threshold", [0.8, 0.5, 1.0, 0.75], {"rule": "confidence"}
    ),
    "router": (sweep_routers, route, ACCURACY, "willingness", "willingness", [50.0, 0.0, 3.0, 1000.0], {}),
}  # fmt: skip


@pytest.mark.parametrize("cost", [None, COSTS], ids=["mistakes", "matrix"])
@pytest.mark.parametrize("price", [PRICE, np.sort(PRICES, axis=0)], ids=["per model", "per row"])
@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_is_each_policy_on_its_own(name, price, cost):
    sweep, policy, table, many, one, values, options = SWEEPS[name]
    found = sweep(table, PREDICTION, price, Y, pools=POOLS, decision_cost=cost, **{many: values}, **options)
    assert list(found["pool"]) == list(np.repeat(range(len(POOLS)), len(values)))
    assert list(found["threshold"]) == values * len(POOLS)
    lines = iter(found.itertuples())
    for pool, value in itertools.product(POOLS, values):
        at = list(pool)
        line = next(lines)
        routed = policy(table[at], PREDICTION[at], price[at], **{one: value})
        loss = (routed.prediction != Y) if cost is None else cost[routed.prediction, Y]
        assert line.accuracy == pytest.approx(np.mean(routed.prediction == Y), abs=1e-12)
        assert line.expected_cost == pytest.approx(loss.mean(), abs=1e-12)
        assert line.money == pytest.approx(routed.paid.mean(), rel=1e-12)


def test_a_sweep_in_chunks_is_the_sweep(monkeypatch):
    whole = sweep_cascades(RISK, PREDICTION, PRICES, Y, pools=POOLS, thresholds=[0.0, 0.2])
    routed = sweep_routers(ACCURACY, PREDICTION, PRICE, Y, pools=POOLS, willingness=[1.0, 30.0])
    monkeypatch.setattr("helpers.routing.sweeps.CHUNK", 7)
    parts = sweep_cascades(RISK, PREDICTION, PRICES, Y, pools=POOLS, thresholds=[0.0, 0.2])
    pd.testing.assert_frame_equal(whole, parts, rtol=1e-12)
    chunks = sweep_routers(ACCURACY, PREDICTION, PRICE, Y, pools=POOLS, willingness=[1.0, 30.0])
    pd.testing.assert_frame_equal(routed, chunks, rtol=1e-12)
