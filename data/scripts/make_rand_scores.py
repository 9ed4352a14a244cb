"""Make `rand_scores.csv.gz`: real people's health-insurance data, scored by a model trained on other families.

    python data/scripts/make_rand_scores.py rand_hie.csv.gz

The RAND Health Insurance Experiment gave families an insurance plan by lot and counted their visits to a doctor. Half
of the families (never half of a family) train a logistic regression that sees the plan and nothing else, as an insurer
who sells the plan would; the other half are the table. Who they are is in it, and the model never saw it.

The source is the public-use table of Deb & Trivedi (2002), `RandHIE` of the R package sampleSelection (the collection
Rdatasets has it as csv/sampleSelection/RandHIE.csv). Families are not numbered there; `number_families` finds them.
"""

import gzip
import sys
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

TARGET = Path(__file__).resolve().parents[1] / "rand_scores.csv.gz"
SEEN = ["coinsurance", "deductible_plan", "incentive", "free_above"]
SHARED = ["site", "plan", "income", "mdeoff"]  # what the members of a family have in common
SEED = 20260101


def number_families(data):
    """Number of the family of each row: neighbouring persons who agree in place, plan, income and its maximum.

    The experiment numbered the persons of a family one after the other. Two neighbouring families who agree in all
    four would be taken for one, which is the safe mistake.
    """
    people = data.drop_duplicates("zper").sort_values("zper")
    shared = people[SHARED].fillna(-1).to_numpy()
    starts = np.r_[True, (shared[1:] != shared[:-1]).any(axis=1)]
    return data["zper"].map(pd.Series(np.cumsum(starts), index=people["zper"].to_numpy())).to_numpy()


def describe_people(data):
    """What the table says about a person's year; averages that the source fills in are missing values."""
    health = [data["hlthg"] == 1, data["hlthf"] == 1, data["hlthp"] == 1]
    tenths = 10 * data["disea"]
    return pd.DataFrame({
        "age": data["xage"].round(1),
        "sex": np.where(data["female"] == 1, "female", "male"),
        "race": np.where(data["black"] == 1, "black", "other"),
        "income": data["income"].round().astype(int),
        "schooling": data["educdec"],
        "site": "site " + data["site"].astype(int).astype(str),
        "chronic": data["disea"].where(np.isclose(tenths, tenths.round(), atol=1e-6)),
        "limited": data["physlm"].map({0.0: "no", 1.0: "yes"}),
        "health": np.select(health, ["good", "fair", "poor"], "excellent"),
        "coinsurance": data["coins"].astype(int),
        "deductible_plan": data["idp"] == 1,
        "incentive": data["pioff"].round().fillna(0).astype(int),
        "free_above": data["mdeoff"].round().fillna(0).astype(int),
    })  # fmt: skip


def make_table(path, seed=SEED):
    """The table as a DataFrame: who the person is, the plan, person, family, label, score."""
    data = pd.read_csv(path).sort_values(["zper", "year"], ignore_index=True)
    table = describe_people(data)
    table["person"] = data["zper"].to_numpy()
    table["family"] = number_families(data)
    table["label"] = (data["mdvis"] > 0).astype(int)
    families = table["family"].max()
    trains = np.random.default_rng(seed).permutation(families) < families // 2
    train = trains[table["family"] - 1]

    plan = table[SEEN].astype(float)
    plan = (plan - plan[train].mean()) / plan[train].std()
    # Newton's method to the last digit, so that every machine finds the same numbers.
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=100)
    model.fit(plan[train].to_numpy(), table.loc[train, "label"])

    table = table[~train].reset_index(drop=True)
    table["score"] = model.predict_proba(plan[~train].to_numpy())[:, 1].round(10)
    family = np.unique(table["family"], return_inverse=True)[1] + 1
    table["family"] = family
    member = table.groupby("family")["person"].rank(method="dense").astype(int)
    table["person"] = [f"{one}{ascii_lowercase[number - 1]}" for one, number in zip(family, member, strict=True)]
    return table


def write(table, target=TARGET):
    """Write the table as compressed CSV without a time stamp, so that the same table gives the same bytes."""
    text = table.to_csv(index=False, lineterminator="\n").encode()
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", compresslevel=9, fileobj=raw, mtime=0) as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: make_rand_scores.py rand_hie.csv.gz [TARGET]")
    table = make_table(sys.argv[1])
    write(table, Path(sys.argv[2]) if len(sys.argv) > 2 else TARGET)
    people = table["person"].nunique()
    print(f"{len(table):,} rows of {people:,} people in {table['family'].max():,} families")
