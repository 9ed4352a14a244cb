"""Studies of cascades: what is learned from past rows, and all policies side by side for many pools of models."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from helpers.decisions import RiskEstimator, calibration_risk, optimal_threshold
from helpers.routing import (
    NeighborRouter,
    TreeRouter,
    always,
    best_single,
    cascade,
    confidence_cascade,
    oracle_route,
    random_mix,
    route,
    sweep_cascades,
    sweep_routers,
)
from helpers.studies.nb08_cascades.pools import Asked, ask
from helpers.studies.nb08_cascades.text import TextEmbedding, rows_as_text

WILLINGNESS = tuple(np.geomspace(1, 30_000, 30))


@dataclass(frozen=True)
class Learned:
    """What past rows say about new ones, each (m, n): estimated `risk`, `calibration_risk`, `corrected` probability."""

    risk: np.ndarray
    calibration_risk: np.ndarray
    corrected: np.ndarray


def learn(past, new, cost, *, X=None, rng=None, **options):
    """What past rows, whose answers are known, say about the models' decisions on new rows.

    Parameters
    ----------
    past, new : `Asked`; cost : (2, 2) cost of each decision for each truth
    X : (past, new) features to use instead of those of the rows, for example embeddings of their text
    options : of `RiskEstimator` (n_halvings, max_depth, residual, …)

    Returns
    -------
    Learned
    """
    rng = np.random.default_rng(rng)
    known, unknown = (past.X, new.X) if X is None else X
    risk, calibration, corrected = [], [], []
    for p_past, p_new in zip(past.p, new.p, strict=True):
        model = RiskEstimator(cost, rng=rng, **options)
        with threadpool_limits(1):  # many small fits: threads would only get in each other's way
            model.fit(past.y, p_past, known, groups=past.groups)
        risk.append(model.predict(p_new, unknown))
        calibration.append(calibration_risk(model.calibrated(p_new), p_new, cost))
        corrected.append(model.corrected(p_new, unknown))
    return Learned(np.array(risk), np.array(calibration), np.array(corrected))


def every_policy(past, new, cost, *, tau=0.0, willingness=100.0, threshold=0.8, rng=None):
    """What each policy does with the new rows, {name: Routed}: all learn from the same past rows.

    "random mix" spends what the risk cascade spends; "corrected cheapest" asks the cheapest model alone and decides by
    its corrected probability; "hindsight" knows which model is right.
    """
    rng = np.random.default_rng(rng)
    decisions, record = new.decisions(cost), past.record(cost)
    learned = learn(past, new, cost, rng=rng)
    accuracy = TreeRouter(rng=rng).fit(past.X, record, groups=past.groups).predict(new.X)
    flipped = (learned.corrected >= optimal_threshold(cost)).astype(int)
    risk = cascade(learned.risk, decisions, new.price, tau=tau)
    return {
        "cheapest": always(decisions, new.price, 0),
        "dearest": always(decisions, new.price, -1),
        "best single": best_single(decisions, new.price, correct=record),
        "random mix": random_mix(decisions, new.price, budget=risk.paid.mean(), correct=record, rng=rng),
        "confidence cascade": confidence_cascade(new.p, decisions, new.price, threshold=threshold),
        "calibration cascade": cascade(learned.calibration_risk, decisions, new.price, tau=tau),
        "router": route(accuracy, decisions, new.price, willingness=willingness),
        "risk cascade": risk,
        "corrected cheapest": always(flipped, new.price, 0),
        "hindsight": oracle_route(decisions, new.y, new.price),
    }


def all_pools(m, least=2):
    """Every set of at least `least` of m models, in ascending order: 120 of seven models.

    >>> len(all_pools(7)), all_pools(3)
    (120, [(0, 1), (0, 2), (1, 2), (0, 1, 2)])
    """
    return [pool for size in range(least, m + 1) for pool in itertools.combinations(range(m), size)]


def compare_pools(new, learned, accuracy, cost, *, pools=None, tau=0.0, willingness=100.0, threshold=0.8):
    """Every policy for every pool: one line for each pool and policy.

    Parameters
    ----------
    new : `Asked`; learned : `Learned`; accuracy : (m, n) of a router, see `TreeRouter`
    pools : list of ascending tuples; None for all sets of two and more models
    tau, willingness, threshold : of the cascades by risk, the router, the cascade by confidence

    Returns
    -------
    DataFrame with pool, policy, accuracy, expected_cost, money. "largest": the dearest model of the pool alone;
    "corrected smallest": the cheapest model alone, decided by its corrected probability.
    """
    pools = all_pools(len(new.p)) if pools is None else pools
    decisions = new.decisions(cost)
    common = {"pools": pools, "decision_cost": np.asarray(cost)}
    three = decisions, new.price, new.y
    parts = {
        "risk cascade": sweep_cascades(learned.risk, *three, thresholds=[tau], **common),
        "calibration cascade": sweep_cascades(learned.calibration_risk, *three, thresholds=[tau], **common),
        "confidence cascade": sweep_cascades(new.p, *three, thresholds=[threshold], rule="confidence", **common),
        "router": sweep_routers(accuracy, *three, willingness=[willingness], **common),
    }
    flipped = (learned.corrected >= optimal_threshold(cost)).astype(int)
    for name, table, place in (("largest", decisions, -1), ("corrected smallest", flipped, 0)):
        alone = [(pool[place],) for pool in pools]
        accept = np.zeros(table.shape)
        options = {"pools": alone, "decision_cost": np.asarray(cost)}
        parts[name] = sweep_cascades(accept, table, new.price, new.y, thresholds=[0], **options)
    lines = [part.drop(columns="threshold").assign(policy=name) for name, part in parts.items()]
    return pd.concat(lines, ignore_index=True)[["pool", "policy", "accuracy", "expected_cost", "money"]]


def router_at_equal_money(new, accuracy, cost, budget, *, pools=None, willingness=WILLINGNESS):
    """The router with the largest willingness that spends at most `budget` (pools,) a row in each pool.

    Returns lines as `compare_pools`, with the policy "router, equal money".
    """
    pools = all_pools(len(new.p)) if pools is None else pools
    options = {"pools": pools, "decision_cost": np.asarray(cost), "willingness": [0.0, *willingness]}
    table = sweep_routers(accuracy, new.decisions(cost), new.price, new.y, **options)
    within = table[table["money"].to_numpy() <= np.asarray(budget)[table["pool"]] + 1e-9]
    return within.groupby("pool").tail(1).drop(columns="threshold").assign(policy="router, equal money")


@dataclass(frozen=True)
class Trial:
    """New rows, what was learned about them, and the router's `accuracy` (m, n): all policies can be compared."""

    new: Asked
    learned: Learned
    accuracy: np.ndarray
    cost: np.ndarray

    @property
    def parts(self):
        """The first arguments of `compare_pools`."""
        return self.new, self.learned, self.accuracy, self.cost

    def compare(self, *, price=None, **knobs):
        """All policies for all pools, as `compare_pools`, with "router, equal money".

        `price` (m,) replaces the pool's; knobs: tau, willingness, threshold.
        """
        new = self.new if price is None else replace(self.new, price=np.asarray(price, dtype=float))
        table = compare_pools(new, self.learned, self.accuracy, self.cost, **knobs)
        budget = table.loc[table["policy"] == "risk cascade", "money"].to_numpy()
        equal = router_at_equal_money(new, self.accuracy, self.cost, budget)
        return pd.concat([table, equal], ignore_index=True)


def try_pool(pool, n_past, cost, *, n_new=3000, hide=(), n_halvings=1, max_depth=None, residual="tree", rng=None):
    """Draw past and new people of a `model_pool` and learn from the past.

    Parameters
    ----------
    n_past, n_new : people; hide : features that only the models see
    n_halvings, max_depth : of risk estimator and router alike; residual : of the risk estimator

    Returns
    -------
    Trial
    """
    rng = np.random.default_rng(rng)
    past, new = (ask(pool, n, rng).without(*hide) for n in (n_past, n_new))
    trees = {"n_halvings": n_halvings, "max_depth": max_depth}
    learned = learn(past, new, cost, rng=rng, residual=residual, **trees)
    router = TreeRouter(rng=rng, **trees).fit(past.X, past.record(cost))
    return Trial(new, learned, router.predict(new.X), cost)


def try_text(past, new, cost, *, n_dimensions=24, k=40, n_halvings=1, rng=None):
    """Learn from the text of past rows: risks on its embedding, and a nearest-neighbour router. Returns `Trial`."""
    rng = np.random.default_rng(rng)
    texts = [rows_as_text(asked.X) for asked in (past, new)]
    embedding = TextEmbedding(n_dimensions=n_dimensions, rng=rng).fit(texts[0])
    X = [embedding.transform(text) for text in texts]
    learned = learn(past, new, cost, X=X, n_halvings=n_halvings, rng=rng)
    return Trial(new, learned, NeighborRouter(k=k).fit(X[0], past.record(cost)).predict(X[1]), cost)
