"""Columns that are named: every level, however small, with intervals that hold."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from helpers.audit import measure_columns


def test_named_columns_show_every_level_however_small():
    rng = np.random.default_rng(24)
    X = pd.DataFrame({"sex": ["female"] * 500 + ["male"] * 497 + [None] * 3, "age": rng.integers(20, 80, 1000)})
    p = np.full(1000, 0.3)
    y = (rng.random(1000) < np.where(X["sex"] == "female", 0.5, 0.3)).astype(int)
    y[-3:] = 0
    table = measure_columns(y, p, X, ["sex", "age"]).set_index("rule")
    assert table["n"][:3].tolist() == [500, 497, 3] and len(table) == 8 and table["n"].sum() == 2000
    assert table["remark"][:3].tolist() == ["too low", "no gap seen", "too few to say"]
    missing = table.loc["sex is missing"]
    assert missing["low"] == pytest.approx(-0.3) and missing["high"] == pytest.approx(1 - 0.025 ** (1 / 3) - 0.3)
    assert (table["low"] <= table["gap"]).all() and (table["gap"] <= table["high"]).all()


def test_three_rows_say_too_little_on_either_side():
    X = pd.DataFrame({"kind": ["many"] * 200 + ["few"] * 3})
    y = np.r_[np.ones(10), np.zeros(193)]
    for labels, p in ((y, 0.05), (1 - y, 0.95)):
        table = measure_columns(labels, np.full(203, p), X, "kind").set_index("rule")
        assert table["remark"].to_dict() == {"kind is few": "too few to say", "kind is many": "no gap seen"}


def test_intervals_of_tiny_levels_hold():
    rng = np.random.default_rng(25)
    missed = 0
    level = np.repeat([f"l{k}" for k in range(40)], 7)
    for _ in range(20):
        q = rng.beta(1, 3, level.size)
        table = measure_columns((rng.random(level.size) < q).astype(int), q, pd.DataFrame({"level": level}), "level")
        missed += ((table["low"] > 0) | (table["high"] < 0)).sum()
    assert missed / 800 < 0.05


def test_weights_and_groups_widen_the_intervals_of_named_columns():
    rng = np.random.default_rng(26)
    X = pd.DataFrame({"sex": np.repeat(["female", "male"], 200)})
    y = np.repeat(rng.integers(0, 2, 100), 4)
    p = np.full(400, 0.5)
    plain, grouped, weighted = (
        measure_columns(y, p, X, "sex", **rows)
        for rows in ({}, {"groups": np.arange(400) // 4}, {"sample_weight": np.tile([1, 9], 200)})
    )
    width = [(table["high"] - table["low"]).mean() for table in (plain, grouped, weighted)]
    assert width[1] / width[0] == pytest.approx(2, rel=0.1) and width[2] > 1.15 * width[0]
    rows = 200 * 5**2 / 41  # (sum w)^2 / sum w^2
    ones = weighted["observed"].to_numpy() * rows
    np.testing.assert_allclose(weighted["low"] + 0.5, beta.ppf(0.025, ones, rows - ones + 1))


@pytest.mark.parametrize("check", ["aeg", []])
def test_columns_that_do_not_exist(check):
    with pytest.raises(ValueError, match="check must"):
        measure_columns([0, 1] * 50, np.full(100, 0.3), pd.DataFrame({"age": np.arange(100)}), check)
