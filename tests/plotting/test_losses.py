"""Squares are as large as the losses that they show."""

import pandas as pd
import pytest

from helpers import plotting


def areas(ax):
    return [abs(patch.get_width() * patch.get_height()) for patch in ax.patches]


def test_parts_tile_the_whole():
    parts = {"calibration": 0.01, "grouping": 0.04, "irreducible": 0.2}
    ax = plotting.plot_loss_parts(parts)
    assert areas(ax) == pytest.approx([0.25, 0.01, 0.04, 0.25])
    corners = [patch.get_xy() for patch in ax.patches]
    assert corners[1][0] + 0.1 <= corners[2][0] and corners[2][0] + 0.2 == pytest.approx(0.5)
    written = [text.get_text() for text in ax.texts if text.get_text()]
    assert written == ["chance 0.200", "calibration\n0.010", "10 points", "grouping\n0.040", "20 points"]


def test_a_part_of_zero_is_not_drawn():
    assert areas(plotting.plot_loss_parts({"calibration": 0, "grouping": 0, "irreducible": 0.16})) == pytest.approx(
        [0.16, 0.16]
    )


def test_a_stack_ends_at_the_sum():
    table = pd.DataFrame({"grouping": [0.3, 0.1], "calibration": [0.1, 0.2]}, index=[4, 16])
    ax = plotting.plot_loss_stack(table)
    assert ax.get_lines()[-1].get_ydata().tolist() == pytest.approx([0.4, 0.3])
    assert [text.get_text() for text in ax.texts] == ["grouping", "calibration"]
