"""Figures of cascades: every policy and pool is drawn where it belongs, with marks that need no colour."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
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


def test_each_model_is_asked_once_in_the_diagram():
    ax = nb08_cascades.plot_cascade(["small", "large"])
    said = [text.get_text() for text in ax.texts]
    assert said.count("risk at most τ?") == 2 and said.count("yes") == 2 and said.count("no") == 2
    assert {"ask small", "ask large", "answer of lowest risk"} <= set(said)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_pools_lie_in_their_panel(count):
    table = pd.DataFrame({"gain": [0.05, -0.02], "relative_cost": [0.3, 4.0], "kind": ["a", "b"]})
    fig = nb08_cascades.plot_pool_gains({f"rival {k}": table for k in range(count)}, by="kind")
    shown = [ax for ax in fig.axes if ax.axison]
    assert [ax.get_title() for ax in shown] == [f"rival {k}" for k in range(count)]
    for ax in shown:
        drawn = [line for line in ax.get_lines() if line.get_linestyle() == "None"]
        assert [list(line.get_xydata()[0]) for line in drawn] == [[0.3, 5.0], [4.0, -2.0]]
        assert len({line.get_marker() for line in drawn}) == 2
        low, high = ax.get_xlim()
        assert low < 0.3 and high > 4 and ax.get_ylim()[0] < -2 and ax.get_ylim()[1] > 5
    assert words(fig.legends[0]) == ["a", "b"]


def test_gain_lines_carry_their_intervals():
    table = pd.DataFrame({
        "rival": ["largest"] * 2 + ["router"] * 2, "n": [300, 6000] * 2,
        "gain": [0.05, 0.09, 0.02, 0.01], "gain_error": [0.01] * 4,
    })  # fmt: skip
    ax = nb08_cascades.plot_gain_lines(table, "n", xlabel="past people")
    assert words(ax.get_legend()) == ["largest", "router"] and ax.get_xlabel() == "past people"
    assert np.allclose(ax.containers[0].lines[0].get_ydata(), [5, 9])
    assert np.allclose(ax.containers[0].lines[2][0].get_segments()[0], [[300, 4], [300, 6]])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["300", "6,000"]


def test_given_axes_are_used_and_returned():
    gains = pd.DataFrame({"rival": ["a"], "n": [1], "gain": [0.0], "gain_error": [0.0]})
    for call in (
        lambda ax: plotting.plot_cost_accuracy(CURVES, ax=ax),
        lambda ax: nb08_cascades.plot_cascade(["one"], ax),
        lambda ax: nb08_cascades.plot_gain_lines(gains, "n", ax),
    ):
        ax = plt.figure().add_subplot()
        assert call(ax) is ax
