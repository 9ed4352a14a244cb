"""Figures of systems that may abstain: they draw what they are given, hide nothing, and leave their input alone."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from legends import words

from helpers import plotting
from helpers.selective import ecuas, expected_cost_at, risk_coverage_curve
from helpers.studies import nb09_ecuas

RIGHT = np.array([1, 0, 1, 0])
SURE = np.array([0.6, 0.6, 0.7, 0.9])


def test_costs_by_reject_cost_and_the_line_of_refusing_everything():
    curves = {
        "a": expected_cost_at(RIGHT, SURE, [0.05, 0.3, 0.5]),
        "b": expected_cost_at(RIGHT, SURE**2, [0.05, 0.3, 0.5]),
    }
    before = {name: table.copy() for name, table in curves.items()}
    ax = plotting.plot_abstention_costs(curves, fee=0.3)
    a, b, refuse, fee = ax.get_lines()
    assert list(a.get_ydata()) == list(curves["a"]["expected_cost"]) and a.get_linestyle() != b.get_linestyle()
    assert list(refuse.get_xdata()) == list(refuse.get_ydata()) == [0.05, 0.3, 0.5]
    assert words(ax) == ["a", "b", "refuse everything"] and list(fee.get_xdata()) == [0.3, 0.3]
    assert ax.get_xscale() == "log" and [text.get_text() for text in ax.texts] == ["0.3"]
    assert ax.get_ylim()[1] >= max(table["expected_cost"].max() for table in curves.values())
    plain = plotting.plot_abstention_costs(curves, always=False, log=False)
    assert words(plain) == ["a", "b"] and plain.get_xscale() == "linear"
    for name, table in before.items():
        pd.testing.assert_frame_equal(curves[name], table)


def figure_1(n):
    c = np.linspace(0.5, 0.9999, 50)
    one = {
        "right": ecuas(np.ones(50, int), c, n=n, n_classes=2),
        "wrong": ecuas(np.zeros(50, int), c, n=n, n_classes=2),
    }
    return pd.DataFrame({"confidence": c, "line": "K = 2"} | one)


def test_right_is_solid_wrong_is_dashed_and_what_leaves_the_axes_has_an_arrow():
    ax = nb09_ecuas.plot_confidence_costs(figure_1(0), top=4)
    right, wrong = ax.get_lines()[:2]
    assert (right.get_linestyle(), wrong.get_linestyle()) == ("-", "--") and right.get_color() == wrong.get_color()
    assert wrong.get_ydata()[-1] > 4 and len(ax.texts) == 1 and ax.texts[0].xy[1] == 4
    assert not nb09_ecuas.plot_confidence_costs(figure_1(128), plt.figure().add_subplot(), top=4).texts
    fig = nb09_ecuas.plot_confidence_panels({"n = 0": figure_1(0), "n = 1": figure_1(1)}, top=4)
    assert [ax.get_title() for ax in fig.axes] == ["n = 0", "n = 1"]
    assert words(fig.axes[0]) == ["K = 2"] and fig.axes[1].get_legend() is None


def test_weights_and_score_lines_have_a_line_for_each_column():
    table = pd.DataFrame({"n = 0": [1.0, 1.0], "n = 1": [0.0, 2.0]}, index=[0.1, 1.0])
    ax = nb09_ecuas.plot_reject_weights(table, fee=0.05)
    assert words(ax) == ["n = 0", "n = 1"] and len({line.get_linestyle() for line in ax.get_lines()[:2]}) == 2
    ax = nb09_ecuas.plot_score_lines(table, at=1.0, log=True, xlabel="power")
    assert [list(line.get_ydata()) for line in ax.get_lines()[:2]] == table.T.to_numpy().tolist()
    assert len({line.get_marker() for line in ax.get_lines()[:2]}) == 2
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.1", "1"]


def test_drawn_fees_lie_below_the_lines_they_weigh():
    fees = np.array([0.1, 0.3, 0.5])
    ratios = {"a": np.array([2.0, 1.0, 0.5]), "b": np.array([1.0, 0.8, 0.5])}
    ax = nb09_ecuas.plot_drawn_fees(fees, 4 * fees, ratios, {"a": 0.91, "b": 0.7}, 0.2, plt.figure().add_subplot())
    a, mean_a, at_a, b, mean_b, at_b, *_ = ax.lines
    assert a.get_ydata().tolist() == [2.0, 1.0, 0.5] and b.get_ydata().tolist() == [1.0, 0.8, 0.5]
    assert [mean_a.get_ydata()[0], mean_b.get_ydata()[0]] == [0.91, 0.7]
    assert [at_a.get_ydata()[0], at_b.get_ydata()[0]] == pytest.approx([1.5, 0.9])  # at your fee, 0.2
    (drawn,) = ax.collections
    heights = drawn.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(2.4 / 8 * 4 * 0.5 * 0.5)
    assert ax.texts[0].get_text().splitlines()[1:] == ["a 0.91", "b 0.70"]
    named = {"a", "b", "how often drawn", "refuse everything", "your fee"}
    assert set(ax.get_legend_handles_labels()[1]) == named


def test_triangles_show_every_point_once():
    points = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0], [0.25, 0.25, 0.5]])
    values = np.array([0, 0, 1, 2, 2])
    ax = nb09_ecuas.plot_simplex(points, values, corners="abc", names={0: "x", 1: "y", 2: "refuse"}, worst=points[3])
    lines = ax.get_lines()
    assert [len(line.get_xdata()) for line in lines] == [2, 1, 2, 1]
    assert ax.get_legend_handles_labels()[1] == ["x", "y", "refuse", "most uncertain"]
    assert len({line.get_marker() for line in lines}) == 4
    assert [text.get_text() for text in ax.texts] == ["a", "b", "c"]
    assert lines[3].get_xdata()[0] == 0.5 and lines[3].get_ydata()[0] == 0
    ax = nb09_ecuas.plot_simplex_costs(points, values / 2, corners="abc", truth=points[4], best=points[:2], top=0.8)
    assert words(ax) == ["cheapest statements", "truth"]
    assert sorted(ax.collections[0].get_array()) == [0, 0, 0.5, 1, 1] and ax.collections[0].get_clim()[1] == 0.8


def test_risk_coverage_curves():
    curves = {"a": risk_coverage_curve(RIGHT, SURE), "constant": risk_coverage_curve(RIGHT, np.full(4, 0.5))}
    ax = plotting.plot_risk_coverage(curves)
    assert words(ax) == ["a", "constant"]
    assert list(ax.get_lines()[0].get_ydata()) == list(curves["a"].risk)
    assert list(ax.get_lines()[1].get_xdata()) == [1.0]


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
    curves = {"a": expected_cost_at(RIGHT, SURE, [0.05, 0.3])}
    fig = nb09_ecuas.plot_measured_panels({"AURC": table, "ECUAS": table}, curves)
    assert [ax.get_xlabel() for ax in fig.axes[:2]] == ["AURC", "ECUAS"] and len(fig.axes) == 3
    assert not any(label.get_text() for label in fig.axes[1].get_yticklabels())
