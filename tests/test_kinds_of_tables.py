"""A table says the same however its numbers and dates are held."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.audit import audit_groups, tree_groups
from helpers.grouping import binned_grouping_loss, grouping_loss, stacked_grouping_loss

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


class OtherFrame:
    """A frame of another library: it is read through `to_pandas`, which leaves decimals as objects."""

    def __init__(self, frame):
        self.frame = frame

    def to_pandas(self):
        return self.frame


def of_arrow(frame):
    arrow = pytest.importorskip("pyarrow", reason="Arrow columns need pyarrow, which is in the test extra")
    decimals = frame[NUMBERS].map(lambda value: Decimal(f"{value:.2f}"))
    columns = {name: pd.array(decimals[name], dtype=pd.ArrowDtype(arrow.decimal128(10, 2))) for name in NUMBERS}
    return frame.assign(**columns, since=frame["since"].astype("date32[pyarrow]"))


def of_objects(frame):
    decimals = {name: frame[name].map(lambda value: Decimal(f"{value:.2f}")) for name in NUMBERS}
    return frame.assign(**decimals, since=frame["since"].dt.date)


HELD = {
    "text": lambda frame: frame.assign(since=frame["since"].dt.strftime("%Y-%m-%d")).astype(str),
    "objects": of_objects,
    "another library's frame": lambda frame: OtherFrame(of_objects(frame)),
    "periods": lambda frame: frame.assign(since=frame["since"].dt.to_period("D")),
    "nullable": lambda frame: frame.astype(dict.fromkeys(NUMBERS, "Float64")),
    "arrow": of_arrow,
}

ESTIMATES = {
    "exact": lambda X: str(grouping_loss(Y, P, X, rng=0)),
    "binned": lambda X: str(binned_grouping_loss(Y, P, X, rng=0)),
    "stacked": lambda X: str(stacked_grouping_loss(Y, P, X, rng=0)),
    "tree groups": lambda X: tree_groups(Y, P, X, rng=0).table.to_string(),
    "segments": lambda X: audit_groups(Y, P, X, n_draws=39, rng=0).to_string(),
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_every_table_says_the_same(name):
    held = HELD if name == "exact" else ("objects", "arrow")
    expected = ESTIMATES[name](X)
    assert {form: ESTIMATES[name](HELD[form](X)) for form in held} == dict.fromkeys(held, expected)
