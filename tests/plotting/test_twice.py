"""Gaps that are measured twice, on two scales that are one."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from helpers.plotting import OBSERVED, plot_twice


def test_each_group_is_a_dot_and_both_axes_are_the_same():
    first, second = np.array([0.1, -0.05, 0.02]), np.array([0.04, -0.2, np.nan])
    ax = plot_twice(first, second, xlabel="this month", ylabel="next month")
    (dots,) = (line for line in ax.lines if line.get_marker() == OBSERVED.marker)
    assert np.array_equal(dots.get_xydata(), np.column_stack([first, second]), equal_nan=True)
    assert to_hex(dots.get_color()) == to_hex(OBSERVED.color)
    assert ax.get_xlim() == ax.get_ylim() == pytest.approx((-0.216, 0.216))
    assert ax.get_aspect() == 1 and (ax.get_xlabel(), ax.get_ylabel()) == ("this month", "next month")
    plt.close(ax.figure)


def test_the_diagonal_goes_from_corner_to_corner_and_most_sets_both_ends():
    ax = plot_twice([0.01], [0.02], most=0.3)
    ax.figure.draw_without_rendering()
    assert ax.get_xlim() == ax.get_ylim() == (-0.3, 0.3)
    line = ax.lines[0]
    ends = line.get_transform().transform(line.get_xydata())
    assert ends == pytest.approx(ax.transData.transform([(-0.3, -0.3), (0.3, 0.3)]))
    ax.set_xticks([0, 0.05])
    ax.figure.draw_without_rendering()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "+5"]
    plt.close(ax.figure)
