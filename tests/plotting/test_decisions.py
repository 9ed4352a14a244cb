"""Costs are lines, one for each decision."""

import pandas as pd
from legends import words

from helpers import plotting
from helpers.decisions import decision_thresholds


def test_costs_are_lines_that_say_which_row_they_are():
    cost = pd.DataFrame([[0, 10], [1, 4], [5, 0]], ["wait", "test", "treat"], ["truth 0", "truth 1"])
    ax = plotting.plot_costs(cost, thresholds=decision_thresholds(cost)[1], unit="dollars")
    lines = ax.get_lines()[:6:2]
    assert [list(line.get_ydata()) for line in lines] == cost.to_numpy().tolist()
    assert words(ax) == ["wait", "test", "treat"]
    assert [text.get_text() for text in ax.texts] == ["14%", "50%"]
    assert "truth 0" in ax.get_xlabel() and ax.get_ylabel() == "expected cost, dollars"
