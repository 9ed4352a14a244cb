"""Make `rand_scores.csv.gz`: real people's health-insurance data, scored by a model trained on other people.

    python data/scripts/make_rand_scores.py

The RAND Health Insurance Experiment gave families an insurance plan by lot and counted their visits to a doctor. Half
of the people (never half of a person's years) train a logistic regression that sees the plan and nothing else, as an
insurer who sells the plan would; the other half are the table. Their health is in it, and the model never saw it.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from helpers.datasets import load_rand_hie

TARGET = Path(__file__).resolve().parents[1] / "rand_scores.csv.gz"
SEEN = ["coinsurance", "deductible_plan", "incentive", "free_above"]
SEED = 20260101


def make_table(seed=SEED):
    """The table as a DataFrame: features, person, label, score."""
    data = load_rand_hie()
    people = data.groups.max() + 1
    trains = np.random.default_rng(seed).permutation(people) < people // 2
    train = trains[data.groups]

    plan = data.X[SEEN].astype(float)
    plan = (plan - plan[train].mean()) / plan[train].std()
    # Newton's method to the last digit, so that every machine finds the same numbers.
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=100)
    model.fit(plan[train].to_numpy(), data.y[train])

    table = data.X[~train].copy()
    table["person"] = np.unique(data.groups[~train], return_inverse=True)[1] + 1
    table["label"] = data.y[~train]
    table["score"] = model.predict_proba(plan[~train].to_numpy())[:, 1].round(10)
    for column in ("coinsurance", "incentive", "free_above"):
        table[column] = table[column].astype(int)
    return table.reset_index(drop=True)


def write(table, target=TARGET):
    """Write the table as compressed CSV without a time stamp, so that the same table gives the same bytes."""
    text = table.to_csv(index=False, lineterminator="\n").encode()
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", compresslevel=9, fileobj=raw, mtime=0) as file:
        file.write(text)


if __name__ == "__main__":
    table = make_table()
    write(table, Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
    print(f"{len(table):,} rows of {table['person'].max():,} people")
