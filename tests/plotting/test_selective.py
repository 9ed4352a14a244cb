"""Figures of systems that may abstain hide nothing and leave their input alone."""

import numpy as np
import pandas as pd
import pytest
from legends import words

from helpers import plotting
from helpers.selective import expected_cost_at

RIGHT = np.array([1, 0, 1, 0])
SURE = np.array([0.6, 0.6, 0.7, 0.9])


def test_costs_by_reject_cost_and_the_line_of_refusing_everything():
    curves = {
        "a": expected_cost_at(RIGHT, SURE, [0.05, 0.3, 0.5]),
        "b": expected_cost_at(RIGHT, SURE**2, [0.05, 0.3, 0.5]),
    }
    before = {name: table.copy() for name, table in curves.items()}
    ax = plotting.plot_abstention_costs(curves, fee=0.3)
    a, _, refuse, fee = ax.get_lines()
    assert list(a.get_ydata()) == list(curves["a"]["expected_cost"])
    assert list(refuse.get_xdata()) == list(refuse.get_ydata()) == [0.05, 0.3, 0.5]
    assert words(ax) == ["a", "b", "refuse everything"] and list(fee.get_xdata()) == [0.3, 0.3]
    assert ax.get_ylim()[1] >= max(table["expected_cost"].max() for table in curves.values())
    plain = plotting.plot_abstention_costs(curves, always=False, log=False)
    assert words(plain) == ["a", "b"]
    for name, table in before.items():
        pd.testing.assert_frame_equal(curves[name], table)


def test_infinite_and_missing_numbers_are_shown_as_what_they_are():
    table = pd.DataFrame({"value": [0.3, np.inf, 0.1], "low": [0.2, np.inf, np.nan], "high": [0.5, np.inf, np.inf]})
    table.index = ["a", "b", "c"]
    before = table.copy()
    ax = plotting.plot_measured(table, zero=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
    assert list(ax.get_yticks()) == [2, 1, 0]
    assert {text.get_text(): text.xy[1] for text in ax.texts} == {"infinite": 1, "up to infinity": 0}
    ends = [path.vertices[:, 0].tolist() for path in ax.collections[0].get_paths()]
    assert ends[0] == pytest.approx([0.2, 0.5]) and ends[1] == pytest.approx([0.1, 0.1])
    pd.testing.assert_frame_equal(table, before)
