"""A table says the same however its numbers and dates are held."""

from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
from scipy.special import expit, logit

from helpers.audit import audit_groups
from helpers.decisions import RiskEstimator, cost_matrix
from helpers.grouping import grouping_loss
from helpers.partition import HonestTree
from helpers.partition.encoder import TableEncoder
from helpers.practice.tables import read_scores

N = 800
RNG = np.random.default_rng(0)
X = pd.DataFrame({
    "age": RNG.integers(200, 900, N) / 10,
    "income": RNG.integers(0, 10**6, N) / 100,
    "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 1000, N), unit="D"),
})  # fmt: skip
P = expit(RNG.normal(size=N) / 2)
Y = (RNG.random(N) < expit(logit(P) + (X["age"] - 55) / 10 + np.where(X["since"] > "2021-06-01", 1, -1))).astype(float)
NUMBERS = ["age", "income"]


def of_arrow(frame):
    decimals = frame[NUMBERS].map(lambda value: Decimal(f"{value:.2f}"))
    columns = {name: pd.array(decimals[name], dtype=pd.ArrowDtype(pyarrow.decimal128(10, 2))) for name in NUMBERS}
    return frame.assign(**columns, since=frame["since"].astype("date32[pyarrow]"))


def of_objects(frame):
    decimals = {name: frame[name].map(lambda value: Decimal(f"{value:.2f}")) for name in NUMBERS}
    return frame.assign(**decimals, since=frame["since"].dt.date)


HELD = {
    "text": lambda frame: frame.assign(since=frame["since"].dt.strftime("%Y-%m-%d")).astype(str),
    "objects": of_objects,
    "polars": lambda frame: polars.from_pandas(of_arrow(frame)),
    "a table of pyarrow": lambda frame: pyarrow.Table.from_pandas(of_objects(frame)),
    "periods": lambda frame: frame.assign(since=frame["since"].dt.to_period("D")),
    "nullable": lambda frame: frame.astype(dict.fromkeys(NUMBERS, "Float64")),
    "arrow": of_arrow,
}


def test_every_table_says_the_same():
    expected = str(grouping_loss(Y, P, X, rng=0))
    said = {form: str(grouping_loss(Y, P, hold(X), rng=0)) for form, hold in HELD.items()}
    assert said == dict.fromkeys(HELD, expected)


HEALTH = pd.CategoricalDtype(["bad", "fine", "good"], ordered=True)

MIXED = X.assign(
    age=X["age"].where(RNG.random(N) < 0.9),
    since=X["since"].where(RNG.random(N) < 0.9),
    job=pd.Series(RNG.choice(["cook", "smith", "nurse"], N)).where(RNG.random(N) < 0.9),
    health=pd.Categorical(RNG.choice(["good", "bad", "fine"], N), dtype=HEALTH),
    married=RNG.random(N) < 0.5,
    town=pd.Categorical(RNG.choice(["Ulm", "Bonn", "Kiel"], N)),
)  # numbers, dates and names with gaps, an order, truths, categories

FAMILY = RNG.integers(0, 200, N).astype(str)


def in_polars(frame):
    """Ordered categories are its enumerations."""
    if "health" not in frame:
        return polars.from_pandas(frame)
    health = polars.Series("health", frame["health"].astype(str), dtype=polars.Enum(list(HEALTH.categories)))
    return polars.from_pandas(frame.drop(columns="health")).insert_column(frame.columns.get_loc("health"), health)


OTHERS = {
    "polars": (in_polars, polars.Series),
    "pyarrow": (pyarrow.Table.from_pandas, lambda column: pyarrow.chunked_array([column])),
}

ENTRY_POINTS = {
    "grouping loss": lambda X, y, p, groups: str(grouping_loss(y=y, p=p, X=X, groups=groups, rng=0)),
    "segments": lambda X, y, p, groups: audit_groups(y=y, p=p, X=X, groups=groups, n_draws=39, rng=0).to_string(),
    "encoder": lambda X, y, p, groups: str(TableEncoder().fit(X, y).transform(X).tolist()),
    "tree": lambda X, y, p, groups: HonestTree(rng=0).fit(X, Y - P).apply(X).tolist(),
    "risk": lambda X, y, p, groups: risks(X, y, p),
}


def risks(X, y, p):
    model = RiskEstimator(cost_matrix(false_alarm=1, miss=2), rng=0).fit(y=y, p=p, X=X)
    return model.to_frame(p=p, X=X).to_string()


@cache
def of_pandas(name):
    return ENTRY_POINTS[name](MIXED, Y, P, FAMILY)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRY_POINTS)
@pytest.mark.parametrize("library", OTHERS)
def test_a_table_of_another_library_is_that_of_pandas(library, name):
    of_table, of_column = OTHERS[library]
    assert ENTRY_POINTS[name](of_table(MIXED), of_column(Y), of_column(P), of_column(FAMILY)) == of_pandas(name)


@pytest.mark.parametrize("library", OTHERS)
def test_a_table_of_scores_is_read_from_any_library(library):
    frame = MIXED.assign(label=Y, score=P, family=FAMILY)
    expected = read_scores(frame, group="family")
    given = read_scores(OTHERS[library][0](frame), group="family")
    assert str(given) == str(expected) and given.note == expected.note and given.dropped == expected.dropped
    assert ENTRY_POINTS["encoder"](given.X, Y, P, FAMILY) == ENTRY_POINTS["encoder"](expected.X, Y, P, FAMILY)


def test_what_breaks_a_rule_is_named_in_any_library():
    for of_table, _ in OTHERS.values():
        infinite = of_table(MIXED.assign(income=np.where(np.arange(N) == 3, np.inf, 1.0)))
        with pytest.raises(ValueError, match="'income' is infinite in row 3"):
            grouping_loss(Y, P, infinite)
    with pytest.raises(ValueError, match="X must be a DataFrame or an array in memory, but it is a LazyFrame"):
        grouping_loss(Y, P, in_polars(MIXED).lazy())
