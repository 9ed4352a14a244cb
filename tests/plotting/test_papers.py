"""The papers' figures in their layouts: each number stands where the table has it."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle

from helpers import plotting
from helpers.plotting.losses import PARTS


def test_each_network_has_a_bar_for_each_loss_and_the_first_is_at_the_top():
    table = pd.DataFrame({"calibration": [0.1, 0.2], "grouping": [0.03, -0.01]}, index=["first", "second"])
    ax = plotting.plot_network_losses(table)
    assert [(label.get_text(), y) for label, y in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)] == [
        ("first", 1),
        ("second", 0),
    ]
    drawn = {bars.get_label(): bars for bars in ax.containers}
    for part in ("grouping", "calibration"):
        assert [bar.get_width() for bar in drawn[part]] == list(table[part])
        assert {bar.get_facecolor()[:3] for bar in drawn[part]} == {PARTS[part].color}


def test_networks_may_go_without_names():
    ax = plotting.plot_network_losses(pd.DataFrame({"calibration": [1], "grouping": [2]}), names=False)
    assert not len(ax.get_yticks())


def test_what_was_saved_stands_over_what_was_estimated(ax):
    plotting.plot_foretold([0.0, 0.2], [-0.1, 0.3], ax)
    (marks,) = (line for line in ax.lines if line.get_marker() == plotting.OBSERVED.marker)
    np.testing.assert_array_equal(marks.get_xydata(), [[0, -0.1], [0.2, 0.3]])
    (low, high), (left, right) = ax.get_ylim(), ax.get_xlim()
    assert low < -0.1 and high > 0.3 and left == 0 and right > 0.3


def test_models_stand_at_their_size_with_their_names(ax):
    table = pd.DataFrame(
        {"size": [0.1, 1.5], "value": [0.04, 0.01], "low": [0.02, 0.0], "high": [0.07, 0.03]}, ["a", "b"]
    )
    plotting.plot_by_size(table, ax)
    assert [text.get_text() for text in ax.texts] == ["a", "b"]
    for container, row in zip(ax.containers, table.itertuples(), strict=True):
        (ends,) = container.lines[2][0].get_segments()
        np.testing.assert_allclose(ends, [[row.size, row.low], [row.size, row.high]])


def test_pools_keep_their_place_and_the_ground_is_tinted_where_better_and_cheaper(ax):
    pools = pd.DataFrame({"gain": [0.05, -0.01], "relative_cost": [0.4, 2.5]})
    plotting.plot_pool_gains({"one": pools, "other": pools * 1.1}, ax, rival="router")
    marks = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linestyle() == "None"]
    np.testing.assert_array_equal(marks[0].get_xydata(), [[0.4, 0.05], [2.5, -0.01]])
    assert len(marks) == 2 and marks[0].get_marker() != marks[1].get_marker() and ax.get_title() == "router"
    (tinted,) = (one for one in ax.get_children() if isinstance(one, Rectangle) and one is not ax.patch)
    assert tinted.get_bbox().x1 == 1 and tinted.get_y() == 0 and ax.get_ylim()[1] < 0.1


def test_errors_stand_in_the_middle_of_their_margins(ax):
    table = pd.DataFrame(
        {"margin_from": [0, 0.4], "margin_to": [0.4, 1], "ece_sem1": [0.2, 0.1], "ece_sem2": [0.1, 0.1]}
    )
    plotting.plot_margin_errors(table, ax)
    np.testing.assert_allclose([line.get_xdata() for line in ax.lines], [[0.2, 0.7]] * 2)
    assert [list(line.get_ydata()) for line in ax.lines] == [[0.2, 0.1], [0.1, 0.1]]


def test_both_shares_are_drawn_over_what_is_stated_and_few_answers_are_hollow_and_alone(ax):
    curve = {"stated": [0.1, 0.2, 0.9], "observed": [1.0, 0.3, 0.5], "low": [0.0, 0.1, 0.4], "high": [1.0, 0.6, 0.7]}
    curve |= {"band_low": [0.0, 0.1, 0.8], "band_high": [0.9, 0.3, 1.0], "count": [9, 10, 200]}
    curve = SimpleNamespace(**{name: np.array(values) for name, values in curve.items()})
    plotting.plot_both_shares({"Sem1": curve, "Sem2": curve}, ax)
    many, few = ax.containers[::2], ax.containers[1::2]
    assert [container.get_label() for container in many] == ["Sem1", "Sem2"]
    for container in many:
        np.testing.assert_array_equal(container.lines[0].get_xydata(), [[0.2, 0.3], [0.9, 0.5]])
        assert container.lines[0].get_linestyle() != "None"
    for container in few:
        np.testing.assert_array_equal(container.lines[0].get_xydata(), [[0.1, 1.0]])
        assert container.lines[0].get_markerfacecolor() == "white" and container.lines[0].get_linestyle() == "None"
    (band,) = (one for one in ax.collections if isinstance(one, PolyCollection))
    assert band.get_paths()[0].get_extents().extents == pytest.approx([0.2, 0.1, 0.9, 1.0])


def test_the_line_of_the_rate_halves_where_answers_are_four_times_as_many(ax):
    gaps = pd.DataFrame({"a": [0.2, 0.1], "b": [0.4, 0.1]}, index=[10, 40])
    plotting.plot_rate(gaps, ax)
    rate = next(line for line in ax.lines if line.get_label() == "slope -1/2")
    assert rate.get_ydata() == pytest.approx([0.3, 0.15])
    assert ax.get_xscale() == ax.get_yscale() == "log"
