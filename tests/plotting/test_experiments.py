"""Figures of experiments draw every estimator and every truth."""

import pandas as pd

from helpers import plotting


def estimates():
    rows = [(name, n, 1 / n, 0.1 / n, 0.5) for name in ("a", "b") for n in (100, 1000)]
    return pd.DataFrame(rows, columns=["estimator", "n", "value", "se", "rmse"])


def test_convergence_draws_one_line_each_and_the_truths():
    table = estimates()
    before = table.copy()
    ax = plotting.plot_convergence(table, {"truth": 0.2, "target": 0.3}, ymin=0)
    drawn = [list(line.get_ydata()) for line in ax.get_lines()]
    assert drawn.count([0.01, 0.001]) == 2 and {0.2, 0.3} <= {line[0] for line in drawn if len(set(line)) == 1}
    assert ax.get_ylim()[0] == 0
    pd.testing.assert_frame_equal(table, before)
