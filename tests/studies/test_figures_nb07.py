"""Figures of audits: they return what they drew on, change no input, and can be read without colour."""

import numpy as np
import pandas as pd

from helpers.studies import nb07_audit


def groups(**extra):
    columns = {"rule": ["age <= 30", "age > 30 and job is cook", "all others"], "n": [100, 1200, 50]}
    columns |= {"stated": [0.6, 0.5, 0.5], "observed": [0.4, 0.55, 0.8], "gap": [-0.2, 0.05, 0.3]}
    columns |= {"low": [-0.3, 0.0, 0.2], "high": [-0.1, 0.1, 0.4], "adjusted": [0.01, 0.2, 0.001]}
    return pd.DataFrame(columns | extra)


def pool():
    rows = [(size, kind, 1 / size + (kind == "base"), 0.1) for size in (1, 10, 100) for kind in ("base", "tuned")]
    return pd.DataFrame(rows, columns=["size", "kind", "value", "sd"])


def marks(ax):
    """(marker, fillstyle) and x of everything drawn with a marker at one place."""
    lines = [line for line in ax.get_lines() if line.get_marker() not in ("None", "|", None) and len(line.get_xdata())]
    return [(line.get_marker(), line.get_fillstyle(), line.get_xdata()[0]) for line in lines]


def test_rates_show_stated_and_observed_in_order_of_the_gap():
    table = groups()
    ax = nb07_audit.plot_rates(table)
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "age <= 30 (100)", "age > 30 and job is cook (1,200)", "all others (50)",
    ]  # fmt: skip
    drawn = [mark for mark in marks(ax) if mark[0] in "os"]
    assert drawn == [("s", "full", 0.4), ("o", "none", 0.55), ("o", "full", 0.8)]  # shape and filling, not only colour


def test_rates_follow_what_recalibration_leaves_and_the_groups_called_sure():
    table = groups(calibrated=[0.3, 0.5, 0.5], residual_gap=[0.1, 0.05, 0.3])
    ax = nb07_audit.plot_rates(table, significant=table.iloc[[1]], most=2)
    assert [mark[:2] for mark in marks(ax) if mark[0] in "os"] == [("o", "none"), ("o", "none")]


def test_second_look_joins_each_pair():
    ax = nb07_audit.plot_second_look([0.3, -0.4], [0.1, 0.1], names=("here", "there"))
    pairs = [(line.get_marker(), line.get_ydata().tolist()) for line in ax.get_lines()[:2]]
    assert pairs == [("o", [0.3, 0.1]), ("s", [-0.4, 0.1])]


def test_pool_draws_kinds_apart_with_trend_and_truth():
    table = pool().assign(true=0.5)
    trend = pd.DataFrame({"kind": ["base"] * 2 + ["tuned"] * 2, "size": [1.0, 100.0] * 2, "value": [2.0, 1, 1, 0]})
    lines = nb07_audit.plot_pool(table, trend, truth="true").get_lines()
    assert {*table["value"], *trend["value"], 0.5} <= {height for line in lines for height in line.get_ydata()}
    one = nb07_audit.plot_pool(table[table["kind"] == "base"], sd=None)
    assert not {*table.loc[table["kind"] == "tuned", "value"]} & {line.get_ydata()[0] for line in one.get_lines()}


def test_shares_have_intervals_and_the_promised_level():
    shares = pd.Series([0.04, 0.6], ["null", "planted"])
    ax = nb07_audit.plot_shares(shares, shares - 0.02, shares + 0.02, {"promised": 0.05})
    assert ax.get_xlim()[0] == 0
    ends = np.concatenate([bar.get_segments()[0][:, 0] for bar in ax.collections])
    np.testing.assert_allclose(np.sort(ends), [0.02, 0.06, 0.58, 0.62])
