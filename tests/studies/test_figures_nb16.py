"""Figures of collected answers: every number is drawn where it belongs, with marks that need no colour."""

import numpy as np
import pandas as pd
import pytest

from helpers.studies import nb16_collected


def test_bars_of_calls_add_up_to_a_hundred_and_small_parts_have_no_number():
    shares = pd.DataFrame({"right": [0.5, 0.0], "wrong": [0.02, 0.0], "looked up": [0.48, 1.0]}, index=["a", "b"])
    ax = nb16_collected.plot_read_out(shares)
    ends = {}
    for bar in ax.patches:
        ends[bar.get_y()] = bar.get_x() + bar.get_width()
    assert list(ends.values()) == pytest.approx([100, 100])
    assert [text.get_text() for text in ax.texts] == ["50", "48", "100"]


def test_known_shares_draw_each_dot_and_the_band():
    table = pd.DataFrame({"known": [0.2, 0.7], "share": [0.3, 0.6]})
    band = pd.DataFrame({"known": [0.0, 0.5, 1.0], "low": [0.0, 0.4, 1.0], "high": [0.0, 0.6, 1.0]})
    ax = nb16_collected.plot_known_shares(table, band)
    assert ax.collections[1].get_offsets().tolist() == [[0.2, 0.3], [0.7, 0.6]]
    corners = {tuple(corner) for corner in np.round(ax.collections[0].get_paths()[0].vertices, 6)}
    assert {(0.5, 0.4), (0.5, 0.6)} <= corners
