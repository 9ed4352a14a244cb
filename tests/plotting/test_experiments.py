"""Rows before and after, and places by two measures."""

import pandas as pd

from helpers import plotting


def test_a_row_is_up_down_or_unsure_by_its_interval():
    rows = {"up": (0.4, 0.2, 0.1, 0.3), "unsure": (0.4, 0.1, -0.1, 0.3), "down": (-0.1, -0.3, -0.5, -0.1)}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["before", "value", "low", "high"])
    ax = plotting.plot_before_after(table, words=("as sold", "calibrated"))
    filled = {line.get_xdata()[0]: line for line in ax.lines if line.get_marker() not in ("None", "")}
    for row, look in zip(table.itertuples(), (plotting.UP, plotting.UNSURE, plotting.DOWN), strict=True):
        assert filled[row.value].get_marker() == look.marker
        assert filled[row.value].get_markerfacecolor() == look.color
    assert filled[-0.1].get_markerfacecolor() == "white"
    assert [label.get_text() for label in ax.get_yticklabels()] == list(rows) and list(ax.get_yticks()) == [2, 1, 0]
    assert [text.get_text() for text in ax.figure.legends[0].texts] == ["as sold", "calibrated"]


def test_the_best_by_a_measure_stands_at_the_top():
    table = pd.DataFrame({"first": [0.1, 0.2], "second": [5.0, 4.0]}, index=["a", "b"])
    ax = plotting.plot_ranks(table, form="{:.1f}")
    assert {text.get_text(): text.xy for text in ax.texts} == {
        "a  0.1": (0, 1), "b  0.2": (0, 2), "5.0": (1, 2), "4.0": (1, 1),
    }  # fmt: skip
    assert ax.yaxis_inverted()
