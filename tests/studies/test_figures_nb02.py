"""Figures of losses: bars as long as their values, marks that need no colour, inputs left alone."""

import numpy as np
import pandas as pd
import pytest

from helpers import plotting
from helpers.resampling import Interval
from helpers.scoring import LOG, Decomposition, decompose
from helpers.studies import nb02_decomposition

PARTS = {
    "Arden": Decomposition(0.11, 0.0, 0.09, "Brier score"),
    "Birch": Decomposition(0.0, 0.073, 0.127, "Brier score"),
}


def test_parts_are_stacked_to_the_total():
    ax = nb02_decomposition.plot_parts(PARTS)
    ends = {}
    for bar in ax.patches:
        ends[bar.get_y()] = max(ends.get(bar.get_y(), 0), bar.get_x() + bar.get_width())
    assert np.allclose(list(ends.values()), [one.total for one in PARTS.values()])
    assert [text.get_text() for text in ax.texts] == ["0.110", "0.073", "0.090", "0.127"]  # nothing on an empty segment


def test_sticks_run_from_the_score_to_its_rate_and_on_to_the_cases():
    p = np.array([0.3, 0.3, 0.8])
    q = np.array([0.1, 0.7, 0.9])
    ax = nb02_decomposition.plot_distances(p, q)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    assert np.allclose(lines["score to rate"], [0.3, 0.4]) and np.allclose(lines["case"], [0.1, 0.7])
    assert np.allclose(lines["rate of the score"], 0.4)
    sticks = [np.ptp(path.vertices[:, 1]) for path in ax.collections[0].get_paths()]
    assert np.allclose(sticks, 0.3)


def test_an_infinite_part_is_refused():
    endless = decompose([0.1, 0.5], [0.0, 0.5], rule=LOG)
    with pytest.raises(ValueError, match="parts must .*'log'"):
        nb02_decomposition.plot_parts({"log": endless})


def test_bars_carry_their_values():
    table = pd.DataFrame({"before": [50.0, 40.0], "after": [25.0, 40.0]}, index=["Arden", "Birch"])
    ax = plotting.plot_bars(table, ylabel="cost")
    assert [bar.get_height() for bar in ax.patches] == [50, 40, 25, 40]
    assert [text.get_text() for text in ax.texts] == ["50", "40", "25", "40"]


def test_bands_end_at_the_total():
    table = pd.DataFrame({"calibration": [0.1, 0.0], "grouping": [0.0, 0.05], "irreducible": [0.2, 0.2]}, index=[1, 8])
    ax = nb02_decomposition.plot_stacked_parts(table, xlabel="steps")
    assert np.allclose(ax.get_lines()[0].get_ydata(), [0.3, 0.25])


def test_changes_show_each_network_and_the_mean():
    changes = {
        "one set": pd.Series([0.0, 0.0, 0.004], ["a", "b", "Inception"]),
        "other set": pd.Series([0.001, -0.001], ["a", "b"]),
    }
    intervals = {
        name: Interval(v.mean(), 0.001, v.mean() - 0.002, v.mean() + 0.002, 0.95, len(v), np.zeros(2))
        for name, v in changes.items()
    }
    copies = {name: values.copy() for name, values in changes.items()}
    ax = nb02_decomposition.plot_changes(changes, intervals, within=0.001, mark=["Inception"])
    drawn = [line.get_xdata() for line in ax.get_lines() if line.get_marker() == "o"]
    assert [list(x) for x in drawn] == [list(values) for values in changes.values()]
    first = next(line for line in ax.get_lines() if line.get_marker() == "o")
    assert len(set(map(tuple, first.get_xydata()))) == 3  # equal changes stand above each other, not on each other
    assert [text.get_text() for text in ax.texts] == ["Inception"]
    for name, values in changes.items():
        pd.testing.assert_series_equal(values, copies[name])
