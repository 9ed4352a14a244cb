"""Figures of cascades: every policy and pool is drawn where it belongs, with marks that need no colour."""

import numpy as np
import pandas as pd
from legends import words

from helpers import plotting
from helpers.studies import nb08_cascades

CURVES = {
    "risk cascade": pd.DataFrame({"money": [5.0, 1.0, 2.0], "accuracy": [0.8, 0.6, 0.7]}),
    "router": pd.DataFrame({"money": [1.0, 9.0], "accuracy": [0.6, 0.75]}),
}
POINTS = {"largest": (70.0, 0.7), "hindsight": (2.0, 0.9, 0.88, 0.93)}


def test_curves_run_along_the_money_and_points_have_intervals():
    copies = {name: table.copy() for name, table in CURVES.items()}
    ax = plotting.plot_cost_accuracy(CURVES, POINTS, ceiling=("truth", 0.95))
    lines = [line for line in ax.get_lines() if line.get_linestyle() != "None" and len(line.get_xdata()) > 1]
    assert list(lines[0].get_xdata()) == [1, 2, 5] and list(lines[0].get_ydata()) == [0.6, 0.7, 0.8]
    assert words(ax.get_legend()) == ["risk cascade", "router", "truth", "largest", "hindsight"]
    bars = [container.lines[2][0].get_segments()[0] for container in ax.containers if container.lines[2]]
    assert np.allclose(bars, [[[2, 0.88], [2, 0.93]]])
    marks = {line.get_marker() for line in lines[:2]} | {c.lines[0].get_marker() for c in ax.containers}
    assert len(marks) == 4 and ax.get_xscale() == "log"
    for name, table in CURVES.items():
        pd.testing.assert_frame_equal(table, copies[name])


def test_bills_are_stacked_and_summed():
    table = pd.DataFrame({"models": [1.0, 13.0], "mistakes": [74.0, 64.0]}, [0.5, 0.8])
    ax = nb08_cascades.plot_bills(table, xlabel="threshold c", levels={"small": 75.0, "large": 86.0})
    assert [bar.get_height() for bar in ax.containers[1]] == [74, 64]
    assert [bar.get_y() for bar in ax.containers[1]] == [1, 13]
    assert [text.get_text() for text in ax.texts] == ["75", "77"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.5", "0.8"]
    assert set(words(ax.get_legend())) == {"paid to models", "mistakes", "small", "large"}
    levels = [line for line in ax.get_lines() if len(set(line.get_ydata())) == 1]
    assert len({line.get_linestyle() for line in levels}) == 2
