"""Cascades of four real language models about people of a survey, from the shipped answers."""

import numpy as np
import pandas as pd

from helpers.decisions import cost_matrix, optimal_threshold
from helpers.resampling import paired_difference
from helpers.routing import TreeRouter, cascade, confidence_cascade, route, single_model, sweep_cascades, sweep_routers
from helpers.studies.nb07_audit import survey_pool
from helpers.studies.nb08_cascades.policies import Trial, all_pools, learn
from helpers.studies.nb08_cascades.pools import Asked

COSTS = cost_matrix(false_alarm=1, miss=1)

LARGEST = 70.0  # price of the largest model, as in the paper's pool, so that lambda = 100 means what it may mean there


def survey_trials(task, way, *, price="size", n_splits=5, max_depth=None, rng=0):
    """[(rows, Trial), ...]: one half of the people, at random, teaches everything about the other; then they change.

    Models ascend in price: in proportion to parameters (`size`) or to measured seconds (`seconds`).
    """
    pool = survey_pool(task, way)
    paid = pool.models[price].to_numpy()
    order = np.argsort(paid, kind="stable")
    paid = LARGEST * paid[order] / paid.max()
    trees = {"n_halvings": 1, "max_depth": max_depth}
    trials = []
    for seed in np.random.default_rng(rng).spawn(n_splits):
        half = seed.permutation(len(pool.y)) % 2
        rows = [np.flatnonzero(half == k) for k in (0, 1)]
        asked = [Asked(pool.X.iloc[at].reset_index(drop=True), pool.y[at], pool.p[order][:, at], paid) for at in rows]
        for past, new, at in ((*asked, rows[1]), (*asked[::-1], rows[0])):
            learned = learn(past, new, COSTS, rng=seed, **trees)
            router = TreeRouter(rng=seed, **trees).fit(past.X, past.record(COSTS))
            trials.append((at, Trial(new, learned, router.predict(new.X), COSTS)))
    return trials


def policies_of(trial, models, willingness=100):
    """{policy: Routed} of some of the models, in order of price, about the new people of a trial."""
    models = list(models)
    decisions = trial.new.decisions(COSTS)[models]
    corrected = (trial.learned.corrected[models] >= optimal_threshold(COSTS)).astype(int)
    price = trial.new.price[models]
    return {
        "risk cascade": cascade(trial.learned.risk[models], decisions, price, tau=0.0),
        "largest": single_model(decisions, price, -1),
        "calibration cascade": cascade(trial.learned.calibration_risk[models], decisions, price, tau=0.0),
        "confidence cascade": confidence_cascade(trial.new.p[models], decisions, price, threshold=0.8),
        "router": route(trial.accuracy[models], decisions, price, willingness=willingness),
        "corrected smallest": single_model(corrected, price, 0),
    }


def by_person(trials, models, willingness=100):
    """What each policy does about each person, averaged over the trials: DataFrames of `right` and `paid`."""
    sums = {}
    n = 1 + max(rows.max() for rows, _ in trials)
    times = np.zeros(n)
    for rows, trial in trials:
        times[rows] += 1
        for name, routed in policies_of(trial, models, willingness).items():
            right, paid = sums.setdefault(name, (np.zeros(n), np.zeros(n)))
            right[rows] += routed.prediction == trial.new.y
            paid[rows] += routed.paid
    right, paid = (pd.DataFrame({name: part[k] / times for name, part in sums.items()}) for k in (0, 1))
    return right, paid


def survey_gains(trials, pools=None, *, willingness=100, rng=0):
    """What the risk cascade gains on each rival in accuracy, with an interval over people, averaged over pools.

    cost: its bill beside the rival's, the mean over pools; better_and_cheaper: share of the pools.
    """
    n_models = len(trials[0][1].new.price)
    found = [by_person(trials, pool, willingness) for pool in (all_pools(n_models) if pools is None else pools)]
    right = sum(part for part, _ in found) / len(found)
    lines = {}
    for rival in right.columns[1:]:
        gain = paired_difference(right["risk cascade"], right[rival], rng=rng)
        more = np.array([part["risk cascade"].mean() - part[rival].mean() for part, _ in found])
        cost = np.array([paid["risk cascade"].mean() / paid[rival].mean() for _, paid in found])
        line = {"accuracy": right[rival].mean(), "gain": gain.value, "low": gain.low, "high": gain.high}
        line |= {"best_pool": more.max(), "cost": cost.mean(), "better_and_cheaper": np.mean((more > 0) & (cost < 1))}
        lines[rival] = line
    return pd.DataFrame(lines).T.rename_axis("rival")


def survey_curves(trials):
    """{rule: DataFrame}: accuracy and money of all models by each rule's knob, means over the trials."""
    knobs = {
        "risk cascade": [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5],
        "calibration cascade": [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5],
        "router": [1, 10, 30, 100, 300, 1000, 3000, 10_000],
        "confidence cascade": [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99],
    }
    curves = {name: [] for name in knobs}
    for _, trial in trials:
        rows = trial.new.decisions(COSTS), trial.new.price, trial.new.y
        risk, plain = trial.learned.risk, trial.learned.calibration_risk
        sure = {"thresholds": knobs["confidence cascade"], "rule": "confidence"}
        curves["risk cascade"].append(sweep_cascades(risk, *rows, thresholds=knobs["risk cascade"]))
        curves["calibration cascade"].append(sweep_cascades(plain, *rows, thresholds=knobs["calibration cascade"]))
        curves["router"].append(sweep_routers(trial.accuracy, *rows, willingness=knobs["router"]))
        curves["confidence cascade"].append(sweep_cascades(trial.new.p, *rows, **sure))
    return {name: sum(part[["accuracy", "money"]] for part in parts) / len(parts) for name, parts in curves.items()}
