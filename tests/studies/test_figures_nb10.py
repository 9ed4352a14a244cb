"""Figures of notebook 10: every number is drawn where it belongs, nothing of the caller's is changed."""

import numpy as np
import pandas as pd
from legends import words

from helpers.selective import expected_cost_at
from helpers.studies import nb10_ecuas_real


def test_costs_of_readers_are_lines_beside_asking_always():
    fees = np.array([0.01, 0.1, 0.4])
    costs = {name: expected_cost_at([1, 0, 1], [0.95, conf, 0.7], fees) for name, conf in (("a", 0.6), ("b", 0.99))}
    copies = {name: table.copy() for name, table in costs.items()}
    ax = nb10_ecuas_real.plot_reader_costs(costs)
    always, *lines = ax.get_lines()
    assert np.array_equal(always.get_xydata(), np.column_stack([fees, fees]))
    for line, table in zip(lines, costs.values(), strict=True):
        assert np.array_equal(line.get_xydata(), table[["reject_cost", "expected_cost"]])
    assert words(ax.get_legend()) == ["ask always", "a", "b"] and ax.get_xscale() == ax.get_yscale() == "log"
    assert len({line.get_marker() for line in lines}) == len({line.get_linestyle() for line in lines}) == 2
    for name, table in costs.items():
        pd.testing.assert_frame_equal(table, copies[name])


def test_deviations_stand_in_the_strip_of_their_metric():
    table = pd.DataFrame(
        {"metric": ["x", "x", "y"], "distance": [2e-5, 0.01, 0.0], "kind": ["equal", "not equal", "equal"]}
    )
    ax = nb10_ecuas_real.plot_deviations(table, tolerance=1e-4)
    drawn = {line.get_label(): line.get_xydata() for line in ax.get_lines()}
    assert np.allclose(drawn["equal (2)"][:, 1], [2e-5, 1e-6]) and np.allclose(drawn["not equal (1)"][:, 1], 0.01)
    assert [round(x) for x in drawn["equal (2)"][:, 0]] == [0, 1] and round(drawn["not equal (1)"][0, 0]) == 0
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["x", "y"] and "0.0001" in drawn


def gains():
    rows = [
        (system, scores, metric, 0.2 + 0.1 * k, 0.15 + 0.1 * k, 0.3 + 0.1 * k)
        for k, system in enumerate(("one", "two")) for scores in ("raw", "calibrated") for metric in ("ece", "aurc")
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["system", "scores", "metric", "value", "low", "high"])
    table.loc[table["metric"] == "ece", ["low", "high"]] = np.nan
    return table


def test_gains_have_a_panel_a_metric_and_a_line_a_system():
    fig = nb10_ecuas_real.plot_calibration_gains(gains(), {"ece": "ECE", "aurc": "AURC"})
    assert [ax.get_xlabel() for ax in fig.axes] == ["ECE", "AURC"]
    assert [tick.get_text() for tick in fig.axes[0].get_yticklabels()] == ["two", "one"]
    bars = fig.axes[1].containers
    drawn = np.array([bar.lines[0].get_xdata() for bar in bars], dtype=float)
    assert np.allclose(drawn, [[0.3, 0.2], [0.3, 0.2]])
    assert np.allclose(bars[0].lines[2][0].get_segments()[0][:, 0], [0.25, 0.4])
    assert bars[0].lines[0].get_marker() != bars[1].lines[0].get_marker()


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


def test_limits_and_marks_share_a_line():
    table = pd.DataFrame(
        {"system": ["a", "b"], "aurc": [0.1, 0.7], "least": [0.02, 0.03], "most": [0.5, 0.6], "low": [0.05, 0.1],
         "high": [0.2, 0.3], "kind": ["possible", "impossible"]}
    )  # fmt: skip
    ax = nb10_ecuas_real.plot_aurc_limits(table)
    thin, thick = (bars.get_segments() for bars in ax.collections)
    assert np.allclose(thin, [[[0.02, 1], [0.5, 1]], [[0.03, 0], [0.6, 0]]])
    assert np.allclose(thick, [[[0.05, 1], [0.2, 1]], [[0.1, 0], [0.3, 0]]])
    marks = {line.get_label(): line.get_xydata().tolist() for line in ax.get_lines()}
    assert marks == {"possible": [[0.1, 1]], "impossible": [[0.7, 0]]}
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"]


def test_graders_are_two_marks_a_line():
    table = pd.DataFrame({"system": ["a", "b"], "llm": [0.3, 0.2], "human": [0.25, 0.2]})
    ax = nb10_ecuas_real.plot_graders(table)
    machine, people = ax.get_lines()
    assert np.array_equal(machine.get_xydata(), [[0.3, 1], [0.2, 0]])
    assert np.array_equal(people.get_xydata(), [[0.25, 1], [0.2, 0]])
    assert machine.get_marker() != people.get_marker() and ax.get_xlim()[0] == 0
