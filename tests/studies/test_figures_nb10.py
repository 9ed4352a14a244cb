"""Figures of notebook 10: every number is drawn where it belongs, nothing of the caller's is changed."""

import numpy as np
import pandas as pd

from helpers.selective import expected_cost_at
from helpers.studies import nb10_ecuas_real


def test_costs_of_readers_are_lines_beside_asking_always():
    fees = np.array([0.01, 0.1, 0.4])
    costs = {name: expected_cost_at([1, 0, 1], [0.95, conf, 0.7], fees) for name, conf in (("a", 0.6), ("b", 0.99))}
    ax = nb10_ecuas_real.plot_reader_costs(costs)
    always, *lines = ax.get_lines()
    assert np.array_equal(always.get_xydata(), np.column_stack([fees, fees]))
    for line, table in zip(lines, costs.values(), strict=True):
        assert np.array_equal(line.get_xydata(), table[["reject_cost", "expected_cost"]])


def test_answer_quality_has_a_row_a_kind_and_a_column_an_n():
    grid = [(s, k, n, t) for s in "ab" for k in ("calibrated", "raw") for n in (0, 1) for t in (0.0, 1.0, 2.0)]
    table = pd.DataFrame(grid, columns=["system", "scores", "n", "temperature"])
    table["value"] = np.arange(len(table)) / 20
    fig = nb10_ecuas_real.plot_answer_quality(table)
    titles = [ax.get_title() for ax in fig.axes]
    assert titles == ["calibrated, n = 0", "calibrated, n = 1", "raw, n = 0", "raw, n = 1"]
    line = fig.axes[3].get_lines()[1]  # raw, n = 1, system b
    expected = table.query("scores == 'raw' and n == 1 and system == 'b'")[["temperature", "value"]]
    assert np.array_equal(line.get_xydata(), expected) and fig.axes[3].get_ylim()[1] >= expected["value"].max()
