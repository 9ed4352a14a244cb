"""What is learned from past rows about a pool of models, and all policies side by side for many pools."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from helpers._parallel import one_thread
from helpers.decisions import RiskEstimator, calibration_risk, excess_risk, optimal_threshold
from helpers.decisions.costs import check_costs
from helpers.routing import (
    TreeRouter,
    best_single,
    cascade,
    confidence_cascade,
    oracle_route,
    random_mix,
    route,
    single_model,
    sweep_cascades,
    sweep_routers,
)
from helpers.studies.nb08_cascades.pools import Asked, ask

WILLINGNESS = tuple(np.geomspace(1, 30_000, 30))


@dataclass(frozen=True)
class Learned:
    """What past rows say about new ones, each (m, n)."""

    risk: np.ndarray
    calibration_risk: np.ndarray  # what recalibration would remove
    corrected: np.ndarray


@dataclass(frozen=True)
class Trial:
    """New rows and everything that the policies need to know about them."""

    new: Asked
    learned: Learned
    accuracy: np.ndarray  # (m, n), as a router predicts it
    cost: np.ndarray  # of each decision for each truth


def learn(past, new, cost, *, rng=None, **options):
    """What past rows, whose answers are known, say about the models' decisions on new rows."""
    rng = np.random.default_rng(rng)
    cost = check_costs(cost)
    risk = []
    calibration = []
    corrected = []
    with one_thread():  # many small fits: threads would only get in each other's way
        for p_past, p_new in zip(past.p, new.p, strict=True):
            model = RiskEstimator(cost, rng=rng, **options)
            model.fit(past.X, past.y, p_past, groups=past.groups)
            corrected.append(model.corrected(new.X, p_new))
            risk.append(excess_risk(corrected[-1], p_new, cost))
            calibration.append(calibration_risk(model.calibrated(p_new), p_new, cost))
    return Learned(np.array(risk), np.array(calibration), np.array(corrected))


def people_trial(pool, cost, *, n_past, n_new=3000, max_depth=None, residual="tree", rng=None):
    """Draw past and new people of a `model_pool`, and learn from the past people's tables."""
    rng = np.random.default_rng(rng)
    past = ask(pool, n_past, rng)
    new = ask(pool, n_new, rng)
    trees = {"n_halvings": 1, "max_depth": max_depth}
    learned = learn(past, new, cost, rng=rng, residual=residual, **trees)
    router = TreeRouter(rng=rng, **trees).fit(past.X, past.record(cost))
    return Trial(new, learned, router.predict(new.X), cost)


def text_trial(past, new, cost, *, rng=None):
    """Learn from the text of past rows: risks on its embedding, and a nearest-neighbour router."""
    rng = np.random.default_rng(rng)
    words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w[\w.]*\b", sublinear_tf=True)
    embedding = make_pipeline(words, TruncatedSVD(24, random_state=int(rng.integers(2**31))))
    embedding.fit(rows_as_text(past.X))  # and not fit_transform, which rounds otherwise than the projection of new rows
    X_past = _embedded(embedding, past.X)
    X_new = _embedded(embedding, new.X)
    learned = learn(replace(past, X=X_past), replace(new, X=X_new), cost, n_halvings=1, rng=rng)
    # At equal length the nearest is the nearest by cosine.
    router = make_pipeline(Normalizer(), KNeighborsRegressor(40))
    router.fit(X_past, past.record(cost).T)
    return Trial(new, learned, router.predict(X_new).T, cost)


def rows_as_text(X):
    """Each row as sentences "The <column> is <value>.", as folktexts asks about people (Melo et al. 2026, section 4.2).

    >>> rows_as_text(pd.DataFrame({"age": [25.0, 40.0], "job_title": ["cook", "smith"]})).tolist()
    ['The age is 25. The job title is cook.', 'The age is 40. The job title is smith.']
    """
    text = pd.Series("", index=X.index, dtype=object)
    for name in X:
        words = X[name].map(lambda value: f"{value:.6g}" if isinstance(value, float) else str(value))
        text = text + f" The {name.replace('_', ' ')} is " + words.astype(object) + "."
    return text.str.strip().to_numpy(object)


def _embedded(embedding, X):
    """Vectors of the rows; what several rows say is embedded once."""
    text, row = np.unique(rows_as_text(X), return_inverse=True)
    return embedding.transform(text)[row]


def every_policy(past, new, cost, *, willingness, n_halvings, rng=None):
    """{policy: Routed}: what each policy does with the new rows; all learn from the same past rows."""
    rng = np.random.default_rng(rng)
    decisions = new.decisions(cost)
    record = past.record(cost)
    learned = learn(past, new, cost, n_halvings=n_halvings, rng=rng)
    router = TreeRouter(n_halvings=n_halvings, rng=rng).fit(past.X, record, groups=past.groups)
    accuracy = router.predict(new.X)
    corrected_decisions = (learned.corrected >= optimal_threshold(cost)).astype(int)
    risk = cascade(learned.risk, decisions, new.price, tau=0.0)
    return {
        "cheapest": single_model(decisions, new.price, 0),
        "dearest": single_model(decisions, new.price, -1),
        "best single": best_single(decisions, new.price, correct=record),
        "random mix": random_mix(decisions, new.price, budget=risk.paid.mean(), correct=record, rng=rng),
        "confidence cascade": confidence_cascade(new.p, decisions, new.price, threshold=0.8),
        "calibration cascade": cascade(learned.calibration_risk, decisions, new.price, tau=0.0),
        "router": route(accuracy, decisions, new.price, willingness=willingness),
        "risk cascade": risk,
        "corrected cheapest": single_model(corrected_decisions, new.price, 0),
        "hindsight": oracle_route(decisions, new.y, new.price),
    }


def all_pools(m):
    """Every set of two or more of m models, small pools first: 120 of seven models.

    >>> len(all_pools(7)), all_pools(3)
    (120, [(0, 1), (0, 2), (1, 2), (0, 1, 2)])
    """
    return [pool for size in range(2, m + 1) for pool in itertools.combinations(range(m), size)]


def compare_policies_on(trial, *, policies=None, price=None, willingness=100.0):
    """Every policy, or the risk cascade and those of `policies`, for every pool: one line for each of both."""
    pools = all_pools(len(trial.new.p))
    decisions = trial.new.decisions(trial.cost)
    corrected_decisions = (trial.learned.corrected >= optimal_threshold(trial.cost)).astype(int)
    rows = (decisions, trial.new.price if price is None else price, trial.new.y)
    common = {"pools": pools, "decision_cost": np.asarray(trial.cost)}
    cascades = {"thresholds": [0.0], **common}
    certain = {"thresholds": [0.8], "rule": "confidence", **common}
    risk = sweep_cascades(trial.learned.risk, *rows, **cascades)

    def alone(decisions, end):  # one model of each pool for everybody
        singles = {**common, "pools": [(j,) for j in range(len(decisions))]}
        each = sweep_cascades(np.zeros(decisions.shape), decisions, *rows[1:], thresholds=[0], **singles)
        return each.iloc[[pool[end] for pool in pools]].assign(pool=range(len(pools)))

    def equal_money():
        routers = sweep_routers(trial.accuracy, *rows, willingness=[0.0, *WILLINGNESS], **common)
        return within_budget(routers, risk["money"])

    rivals = {
        "calibration cascade": lambda: sweep_cascades(trial.learned.calibration_risk, *rows, **cascades),
        "confidence cascade": lambda: sweep_cascades(trial.new.p, *rows, **certain),
        "router": lambda: sweep_routers(trial.accuracy, *rows, willingness=[willingness], **common),
        "largest": lambda: alone(decisions, -1),
        "corrected smallest": lambda: alone(corrected_decisions, 0),
        "router, equal money": equal_money,
    }
    parts = {"risk cascade": risk} | {name: rivals[name]() for name in (rivals if policies is None else policies)}
    table = pd.concat(parts.values(), ignore_index=True)
    table["policy"] = np.repeat(list(parts), [len(part) for part in parts.values()])
    return table[["pool", "policy", "accuracy", "expected_cost", "money"]]


def within_budget(table, budget):
    """The last line of each pool, from the cheapest to the dearest router, that spends at most the pool's budget."""
    affordable = table["money"].to_numpy() <= np.asarray(budget)[table["pool"]] + 1e-9
    return table[affordable].groupby("pool").tail(1)
