"""Pools of real models of growing size, small enough to be trained on every laptop: five questions, base and tuned."""

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

from helpers.checks import check_count, check_numbers
from helpers.datasets import load_digits, load_fair, load_rand_hie
from helpers.pools import ScoredPool, pool_losses

SIZES = (50, 150, 500, 1500, 5000)  # rows that a base model has learned from


def survey_tasks():
    """Five questions about real rows: {name: (features, labels, people or None)}.

    Two about years of the RAND experiment, two about the women of Fair's survey, one about handwritten digits.
    """
    rand, often, fair, digits = load_rand_hie(), load_rand_hie(5), load_fair(), load_digits()
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

    Parameters
    ----------
    sizes : ascending numbers of rows; n_tuning, n_rows : rows; rng : int, Generator or None

    Returns
    -------
    list of ScoredPool
    """
    sizes = check_numbers(sizes, "sizes")
    check_count(n_tuning, "n_tuning", least=40)
    check_count(n_rows, "n_rows", least=200)
    if sizes.ndim != 1 or not (np.diff(sizes) > 0).all() or not (sizes >= 20).all():
        raise ValueError(f"sizes must be ascending numbers of at least 20 rows, but they are {sizes.tolist()}.")
    tasks, pools = survey_tasks(), []
    for (name, (X, y, groups)), seed in zip(tasks.items(), np.random.default_rng(rng).spawn(len(tasks)), strict=True):
        unit = np.arange(len(y)) if groups is None else groups
        role = seed.random(unit.max() + 1)[unit]
        train = seed.permutation(np.flatnonzero(role < 0.4))
        tune = seed.permutation(np.flatnonzero((role >= 0.4) & (role < 0.5)))[:n_tuning]
        asked = np.flatnonzero(role >= 0.5)
        asked = asked[role[asked] <= np.sort(role[asked])[min(n_rows, asked.size) - 1]]  # whole people, by lot
        codes, used = _codes(X), sizes[sizes <= train.size].astype(int)
        base = [_learned(codes, y, train[:size], seed) for size in used]
        tuned = [_tuned(codes, odds, y, tune) for odds in base]
        models = pd.DataFrame({"size": np.tile(used, 2), "kind": np.repeat(["base", "tuned"], used.size)})
        people = None if groups is None else groups[asked]
        p = expit(np.array(base + tuned))[:, asked]
        pools.append(ScoredPool(name, models, X.iloc[asked].reset_index(drop=True), y[asked], p, people))
    return pools


def _codes(X):
    """Every column as numbers, -1 where missing."""
    columns = [x.cat.codes if isinstance(x.dtype, pd.CategoricalDtype) else x.astype(float) for _, x in X.items()]
    return pd.concat(columns, axis=1).fillna(-1).to_numpy(float)


def _learned(codes, y, rows, rng):
    """Log-odds of boosted trees fitted to some rows, for all rows."""
    trees = int(np.clip(rows.size // 20, 3, 60))
    options = {"n_estimators": trees, "max_depth": 3, "min_samples_leaf": 10, "subsample": 0.7}
    model = GradientBoostingClassifier(**options, random_state=int(rng.integers(2**31)))
    return model.fit(codes[rows], y[rows]).decision_function(codes)


def _tuned(codes, odds, y, rows, *, trees=30, rate=0.1):
    """Log-odds after boosting has gone on from `odds`, with trees of two questions fitted to other rows."""
    least = max(20, rows.size // 15)
    for _ in range(trees):
        p = expit(odds)
        tree = DecisionTreeRegressor(max_depth=2, min_samples_leaf=least, random_state=0)
        tree.fit(codes[rows], (y - p)[rows])
        leaf = tree.apply(codes)
        step, curve = (np.bincount(leaf[rows], column[rows], leaf.max() + 1) for column in (y - p, p * (1 - p)))
        odds = odds + rate * np.divide(step, curve, out=np.zeros(step.size), where=curve > 0)[leaf]
    return odds


def trained_losses(n_rounds, *, n_rows=8000, rng=None):
    """Grouping losses of the pools of `train_pools`, averaged over rounds that train, tune and ask other people.

    Returns
    -------
    DataFrame, one line for each data set, kind and size: value (mean), spread (standard deviation over the rounds), se
        (mean of what one round reports: rounds share rows, so it is not divided by their number)
    """
    rounds = []
    for seed in np.random.default_rng(rng).spawn(check_count(n_rounds, "n_rounds", least=2)):
        rounds += [pool_losses(pool, rng=seed) for pool in train_pools(n_rows=n_rows, rng=seed)]
    by = pd.concat(rounds).groupby(["dataset", "kind", "size"], sort=False)
    return by.agg(value=("value", "mean"), spread=("value", "std"), se=("se", "mean")).reset_index()
