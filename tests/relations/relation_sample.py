"""Rows that every estimator and measure can be asked about, and ways to take, copy and change them."""

from dataclasses import dataclass, fields, replace
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import expit, logit, softmax

N = 160

CLASSES = ["a", "b", "c"]


@dataclass(frozen=True)
class Sample:
    """One row a case, in the same order in every column; weights and groups may be None."""

    y: np.ndarray  # label
    p: np.ndarray  # stated probability, with ties
    other: np.ndarray  # that of another system
    q: np.ndarray  # the truth
    X: pd.DataFrame
    region: np.ndarray
    name: np.ndarray  # of one of three classes
    P: pd.DataFrame  # their stated probabilities
    counts: np.ndarray  # of sampled answers, one column a class
    weight: np.ndarray | None = None  # whole numbers, which may also say how often a row occurs
    groups: np.ndarray | None = None

    def take(self, rows):
        """These rows, some of them perhaps several times."""
        return replace(self, **{
            field.name: column.iloc[rows].reset_index(drop=True) if isinstance(column, pd.DataFrame) else column[rows]
            for field in fields(self)
            if (column := getattr(self, field.name)) is not None
        })  # fmt: skip


@cache
def sample(seed):
    """Scores that miss what a number and a category say."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "age": rng.integers(20, 60, N),
        "sex": rng.choice(["female", "male"], N),
        "town": rng.choice(["Bonn", "Kiel", "Trier", "Ulm"], N),
        "income": np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N).round(1)),
    })  # fmt: skip
    p = rng.choice([0.13, 0.28, 0.42, 0.57, 0.71, 0.88], N)
    q = expit(logit(p) + np.where(X["age"] > 40, 0.9, -0.9) + np.where(X["sex"] == "male", 0.7, 0.0))
    scores = rng.normal(size=(N, 3))
    shift = 2.5 * np.column_stack([X["age"] > 40, X["town"] == "Ulm", np.zeros(N)])
    names = [rng.choice(CLASSES, p=row) for row in softmax(scores + shift, axis=1)]
    return Sample(
        y=(rng.random(N) < q).astype(float),
        p=p,
        other=rng.choice([0.22, 0.47, 0.53, 0.77, 0.94], N),
        q=q,
        X=X,
        region=rng.integers(0, 4, N),
        name=np.array(names),
        P=pd.DataFrame(softmax(scores, axis=1), columns=CLASSES),
        counts=rng.multinomial(6, [0.5, 0.3, 0.2], N),
    )


def garbage(n, rng):
    """Rows that would move any estimate."""
    return Sample(
        y=np.ones(n),
        p=rng.choice([0.0, 1.0, 0.05], n),
        other=np.zeros(n),
        q=np.zeros(n),
        X=pd.DataFrame({"age": 1000 + rng.integers(0, n, n), "sex": "neither", "town": "Rome", "income": 1e6}),
        region=np.full(n, 9),
        name=np.full(n, "a"),
        P=pd.DataFrame(np.tile([0.0, 0.5, 0.5], (n, 1)), columns=CLASSES),
        counts=np.tile([0, 0, 6], (n, 1)),
        weight=np.zeros(n),
        groups=10**6 + np.arange(n),
    )


def joined(one, more):
    """The rows of two samples, one after the other."""
    columns = {}
    for field in fields(Sample):
        both = [getattr(part, field.name) for part in (one, more)]
        if both[0] is not None:
            tables = isinstance(both[0], pd.DataFrame)
            columns[field.name] = pd.concat(both, ignore_index=True) if tables else np.concatenate(both)
    return Sample(**columns)
