"""Figures of audits: they return what they drew on, change no input, and can be read without colour."""

import numpy as np
import pandas as pd
import pytest
from legends import words

from helpers.studies import nb07_audit


def groups(**extra):
    columns = {"rule": ["age <= 30", "age > 30 and job is cook", "all others"], "n": [100, 1200, 50]}
    columns |= {"stated": [0.6, 0.5, 0.5], "observed": [0.4, 0.55, 0.8], "gap": [-0.2, 0.05, 0.3]}
    columns |= {"low": [-0.3, 0.0, 0.2], "high": [-0.1, 0.1, 0.4], "adjusted": [0.01, 0.2, 0.001]}
    return pd.DataFrame(columns | extra)


def pool():
    rows = [(size, kind, 1 / size + (kind == "base"), 0.1) for size in (1, 10, 100) for kind in ("base", "tuned")]
    return pd.DataFrame(rows, columns=["size", "kind", "value", "error"])


def marks(ax):
    """(marker, fillstyle) and x of everything drawn with a marker at one place."""
    lines = [line for line in ax.get_lines() if line.get_marker() not in ("None", "|", None) and len(line.get_xdata())]
    return [(line.get_marker(), line.get_fillstyle(), line.get_xdata()[0]) for line in lines]


def test_rates_show_stated_and_observed_in_order_of_the_gap():
    table = groups()
    before = table.copy()
    ax = nb07_audit.plot_rates(table)
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "age <= 30 (100)", "age > 30 and job is cook (1,200)", "all others (50)",
    ]  # fmt: skip
    drawn = [mark for mark in marks(ax) if mark[0] in "os"]
    assert drawn == [("s", "full", 0.4), ("o", "none", 0.55), ("o", "full", 0.8)]  # shape and filling, not only colour
    assert words(ax) == ["stated", "observed: more", "observed: less"]
    pd.testing.assert_frame_equal(table, before)


def test_rates_follow_what_recalibration_leaves_and_the_groups_called_sure():
    table = groups(calibrated=[0.3, 0.5, 0.5], left=[0.1, 0.05, 0.3])
    ax = nb07_audit.plot_rates(table, sure=table.iloc[[1]], most=2)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["age <= 30 (100)", "all others (50)"]
    assert [mark[:2] for mark in marks(ax) if mark[0] in "os"] == [("o", "none"), ("o", "none")]
    assert "recalibrated" in words(ax)


def test_second_look_joins_each_pair():
    ax = nb07_audit.plot_second_look([0.3, -0.4], [0.1, 0.1], names=("here", "there"))
    pairs = [(line.get_marker(), line.get_ydata().tolist()) for line in ax.get_lines()[:2]]
    assert pairs == [("o", [0.3, 0.1]), ("s", [-0.4, 0.1])]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["here", "there"]


def test_second_look_needs_as_many_second_gaps():
    with pytest.raises(ValueError):
        nb07_audit.plot_second_look([0.3, -0.4], [0.1])


def test_pool_draws_kinds_apart_with_trend_and_truth():
    table = pool().assign(true=0.5)
    trend = pd.DataFrame({"kind": ["base"] * 2 + ["tuned"] * 2, "size": [1.0, 100.0] * 2, "value": [2.0, 1, 1, 0]})
    ax = nb07_audit.plot_pool(table, trend, truth="true", xlabel="billions")
    assert sorted(words(ax)) == ["base", "truth", "tuned"]
    assert {line.get_marker() for line in ax.get_lines()} >= {"o", "s", "_"}
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 2 and line.get_xdata()[1] == 100]
    assert {line.get_linestyle() for line in lines} == {"-", "--"}
    assert ax.get_xscale() == "log" and [t.get_text() for t in ax.get_xticklabels()] == ["1", "10", "100"]
    one = nb07_audit.plot_pool(table[table["kind"] == "base"], error=None)
    assert words(one) == ["base"]


def test_pools_fill_a_grid_with_one_legend():
    tables = {name: pool() for name in "abcd"}
    trend = pd.DataFrame({"kind": ["base", "base", "tuned", "tuned"], "size": [1.0, 100.0] * 2, "value": 1.0})
    fig = nb07_audit.plot_pools(tables, dict.fromkeys("abcd", trend), error="error")
    assert len(fig.axes) == 6 and [ax.get_title() for ax in fig.axes[:4]] == list("abcd")
    assert sum(ax.get_legend() is not None for ax in fig.axes) == 1 and not fig.axes[5].axison
    full = nb07_audit.plot_pools({name: pool() for name in "abc"}, dict.fromkeys("abc", trend), error=None)
    assert len(full.legends) == 1


def test_shares_have_intervals_and_the_promised_level():
    shares = pd.Series([0.04, 0.6], ["null", "planted"])
    ax = nb07_audit.plot_shares(shares, shares - 0.02, shares + 0.02, {"promised": 0.05})
    assert [text.get_text() for text in ax.get_yticklabels()] == ["null", "planted"]
    assert words(ax) == ["promised"] and ax.get_xlim()[0] == 0
    ends = np.concatenate([bar.get_segments()[0][:, 0] for bar in ax.collections])
    np.testing.assert_allclose(np.sort(ends), [0.02, 0.06, 0.58, 0.62])
