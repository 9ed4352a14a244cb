"""Figures of bins and regions: every row and number given is drawn, and grey print loses nothing but colour."""

import numpy as np
import pandas as pd

from helpers.studies import nb03_bins


def sticks(ax, which):
    return [np.asarray(one) for one in ax.collections[which].get_segments()]


def test_spread_draws_a_stick_from_each_row_to_its_level():
    x = np.array([0.9, 0.1, 0.2])
    truth = np.array([0.8, 0.3, 0.1])
    level = np.array([0.7, 0.2, 0.2])
    ax = nb03_bins.plot_spread(x, truth, level, stated=0.5, group=["b", "a", "a"], label="rate")
    ends = [(one[0].tolist(), one[1].tolist()) for one in sticks(ax, 0)]
    assert ends == [([0.9, 0.7], [0.9, 0.8]), ([0.1, 0.2], [0.1, 0.3]), ([0.2, 0.1], [0.2, 0.2])]


def test_spread_joins_neighbours_with_one_level_in_one_line():
    ax = nb03_bins.plot_spread([3, 1, 2, 4], [0.5] * 4, [0.6, 0.2, 0.2, 0.6])
    lines = sticks(ax, 1)
    assert [one[0, 1] for one in lines] == [0.2, 0.6]
    assert [one[:, 0].tolist() for one in lines] == [[0.5, 2.5], [2.5, 4.5]]


def test_stack_adds_up_and_names_the_totals():
    table = pd.DataFrame({"explained": [1.0, 2.0], "residual": [3.0, 2.0]}, index=pd.Index([1, 1000], name="regions"))
    ax = nb03_bins.plot_stack(table, total={"all of it": 4.0})
    tops = [bar.get_y() + bar.get_height() for bar in ax.patches]
    assert tops == [1, 2, 4, 4]


def test_bounds_stand_on_both_sides_of_the_value():
    value = pd.Series([0.2, 0.1], index=[1, 4], name="truth")
    low, high = (pd.DataFrame({"tight": sign * value, "loose": 3 * sign * value}) for sign in (-1, 2))
    ax = nb03_bins.plot_bounds(value, low, high)
    drawn = [line.get_ydata().tolist() for line in ax.get_lines()[:5]]
    assert drawn == [*(column.tolist() for name in low for column in (low[name], high[name])), [0.2, 0.1]]
