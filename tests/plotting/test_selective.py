"""Figures of systems that may abstain hide nothing and leave their input alone."""

import numpy as np
import pandas as pd
import pytest

from helpers import plotting


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
