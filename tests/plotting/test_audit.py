"""Figures of audits: what is drawn is what was computed."""

import numpy as np

from helpers.audit import plan_audit
from helpers.plotting import plot_rows_needed


def test_rows_needed_have_a_line_for_each_share():
    table = plan_audit(0.3, [[0.05], [0.2]], [0.1, 0.2, 0.3]).table
    ax = plot_rows_needed(table)
    assert sorted(text.get_text() for text in ax.texts) == ["group of 20 %", "group of 5 %"]
    for line, share in zip(ax.lines, (0.05, 0.2), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), table.loc[table["share"] == share, "rows"])
        np.testing.assert_allclose(line.get_xdata(), [10, 20, 30])
    assert len({line.get_marker() for line in ax.lines}) == 2 and ax.get_yscale() == "log"
