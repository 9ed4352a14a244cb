"""Every policy and pool is drawn where it belongs."""

import numpy as np
import pandas as pd
from legends import words

from helpers import plotting

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
    for name, table in CURVES.items():
        pd.testing.assert_frame_equal(table, copies[name])
