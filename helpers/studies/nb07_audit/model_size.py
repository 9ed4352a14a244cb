"""Pools of models that answered about the same people: grouping loss of each, and how it moves with size.

Pools of real models of growing size, small enough to be trained on every laptop: five questions, base and tuned.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn import config_context
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

from helpers.datasets import load_digits, load_fair, load_model_list, load_rand_hie
from helpers.grouping import grouping_loss
from helpers.simulation import model_pool


@dataclass(frozen=True)
class ScoredPool:
    """Models of several sizes that gave a probability for the same rows."""

    name: str
    models: pd.DataFrame = field(repr=False)  # a line each: size, kind ("base", "tuned")
    X: pd.DataFrame = field(repr=False)
    y: np.ndarray = field(repr=False)
    p: np.ndarray = field(repr=False)  # (m, n)
    groups: np.ndarray | None = field(default=None, repr=False)
    truth: np.ndarray | None = field(default=None, repr=False)  # exact grouping losses


def simulate_pool(n_rows, *, name="simulated", tuned=0.75, rng=None):
    """`ScoredPool` of 27 simulated models with the sizes and types of the paper's table 1, and known grouping losses.

    The error of a model's log-odds falls like size ** -0.25 and is `tuned` times as large in an instruct model. As Cruz
    et al. (2024) found in language models, base models are under-confident (slope 0.6) and instruct models
    over-confident (slope 2): calibration says the opposite of the grouping loss.
    """
    rng = np.random.default_rng(rng)
    models = load_model_list().sort_values(["billions", "type"], kind="stable")
    instruct = (models["type"] == "instruct").to_numpy()
    size = models["billions"].to_numpy(float)
    error = 1.5 * size**-0.25 * np.where(instruct, tuned, 1.0)
    distinct = size + 1e-6 * np.arange(size.size)  # models of one size are still different models
    pool = model_pool(distinct, grouping_error=error, slope=np.where(instruct, 2.0, 0.6), rng=rng)
    sample = pool.sample(n_rows, rng)
    table = pd.DataFrame({"size": size, "kind": np.where(instruct, "tuned", "base")})
    truth = pool.models["grouping_loss"].to_numpy()
    return ScoredPool(name, table, sample.X, sample.y, sample.p, truth=truth)


def pool_losses(pool, *, rng=None):
    """Grouping loss of each model of a pool, all with the same random halves."""
    seed = int(np.random.default_rng(rng).integers(2**31))
    losses = [grouping_loss(pool.y, p, pool.X, groups=pool.groups, rng=seed) for p in pool.p]
    columns = {name: [getattr(loss, name) for loss in losses] for name in ("value", "se", "calibration_loss")}
    table = pool.models.reset_index(drop=True).assign(**columns)
    table.insert(0, "dataset", pool.name)
    return table if pool.truth is None else table.assign(truth=pool.truth)


SIZES = (50, 150, 500, 1500, 5000)  # rows that a base model has learned from


def survey_tasks():
    """{question: (features, labels, people or None)}: five questions about real rows."""
    rand = load_rand_hie()
    often = load_rand_hie(5)
    fair = load_fair()
    digits = load_digits()
    happy = (fair.X["marriage"] == "very good").to_numpy().astype(int)
    others = fair.X.drop(columns="marriage").assign(affair=fair.y == 1)
    return {
        "RAND: any visit": (rand.X, rand.y, rand.groups),
        "RAND: five visits": (often.X, often.y, often.groups),
        "Fair: affair": (fair.X, fair.y, None),
        "Fair: happy marriage": (others, happy, None),
        "digits: odd": (digits.X, digits.y % 2, None),
    }


def train_pools(*, sizes=SIZES, n_tuning=500, n_rows=8000, rng=None):
    """`ScoredPool` of real models for each of `survey_tasks`; the size of a model is how many rows it has learned from.

    40 % of the people may train base models (boosted trees, three questions deep, more of them the more people), 10 %
    tune, 50 % are asked about, at most `n_rows` rows. A size that a task has not enough rows for is left out. A tuned
    model goes on from the base model's log-odds with 30 small trees fitted to at most `n_tuning` rows.
    """
    sizes = np.asarray(sizes)
    tasks = survey_tasks()
    pools = []
    for (name, (X, y, groups)), seed in zip(tasks.items(), np.random.default_rng(rng).spawn(len(tasks)), strict=True):
        unit = np.arange(len(y)) if groups is None else groups
        role = seed.random(unit.max() + 1)[unit]
        train = seed.permutation(np.flatnonzero(role < 0.4))
        tune = seed.permutation(np.flatnonzero((role >= 0.4) & (role < 0.5)))[:n_tuning]
        asked = np.flatnonzero(role >= 0.5)
        asked = asked[role[asked] <= np.sort(role[asked])[min(n_rows, asked.size) - 1]]  # whole people, at random
        codes = _codes(X)
        used = sizes[sizes <= train.size].astype(int)
        known = np.concatenate([tune, asked])
        with config_context(skip_parameter_validation=True):  # scikit-learn's checks take long beside small trees
            base = [_learned(codes, y, train[:size], known, seed) for size in used]
            tuned = [_tuned(codes, odds, y, tune, known) for odds in base]
        models = pd.DataFrame({"size": np.tile(used, 2), "kind": np.repeat(["base", "tuned"], used.size)})
        people = None if groups is None else groups[asked]
        p = expit(np.array(base + tuned))[:, tune.size :]
        pools.append(ScoredPool(name, models, X.iloc[asked].reset_index(drop=True), y[asked], p, people))
    return pools


def _codes(X):
    """Every column as numbers, -1 where missing."""
    columns = [x.cat.codes if isinstance(x.dtype, pd.CategoricalDtype) else x.astype(float) for _, x in X.items()]
    return pd.concat(columns, axis=1).fillna(-1).to_numpy(float)


def _learned(codes, y, rows, known, rng):
    """Log-odds of boosted trees fitted to some rows, for the rows `known`."""
    trees = int(np.clip(rows.size // 20, 3, 60))
    options = {"n_estimators": trees, "max_depth": 3, "min_samples_leaf": 10, "subsample": 0.7}
    model = GradientBoostingClassifier(**options, random_state=int(rng.integers(2**31)))
    return model.fit(codes[rows], y[rows]).decision_function(codes[known])


def _tuned(codes, odds, y, rows, known):
    """Log-odds of the rows `known`, the first of which are `rows`, after boosting went on from `odds`, with 30 trees of
    two questions fitted to `rows` and a rate of 0.1.
    """
    codes = codes[known].astype(np.float32)  # as trees take it, and so unchecked each time
    y = y[rows]
    least = max(20, y.size // 15)
    for _ in range(30):
        p = expit(odds[: y.size])
        tree = DecisionTreeRegressor(max_depth=2, min_samples_leaf=least, random_state=0)
        tree.fit(codes[: y.size], y - p, check_input=False)
        leaf = tree.apply(codes, check_input=False)
        size = leaf.max() + 1
        slope = np.bincount(leaf[: y.size], y - p, size)
        curvature = np.bincount(leaf[: y.size], p * (1 - p), size)
        step = np.divide(slope, curvature, out=np.zeros(size), where=curvature > 0)
        odds = odds + 0.1 * step[leaf]
    return odds


def trained_losses(n_rounds, *, sizes=SIZES, n_rows=8000, rng=None):
    """Grouping losses of the pools of `train_pools`, averaged over rounds that train, tune and ask other people."""
    rounds = []
    for seed in np.random.default_rng(rng).spawn(n_rounds):
        rounds += [pool_losses(pool, rng=seed) for pool in train_pools(sizes=sizes, n_rows=n_rows, rng=seed)]
    by = pd.concat(rounds).groupby(["dataset", "kind", "size"], sort=False)
    return by.agg(value=("value", "mean"), sd=("value", "std"), se=("se", "mean")).reset_index()
