"""Figures of answers: what is drawn is what was computed."""

import numpy as np
import pytest

from helpers.plotting import plot_kept
from helpers.selective import risk_coverage_curve


@pytest.mark.parametrize("shares", [(0.9,), (0.9, 0.5), (0.9, 0.7, 0.5)])
def test_all_but_the_ten_surest_answers_are_drawn_also_where_many_are_equally_sure(shares):
    confidence = np.repeat(shares, 120 // len(shares))
    curve = risk_coverage_curve(np.arange(120) % 4 > 0, confidence)
    (line,) = plot_kept({"agreement": curve}, {}).lines
    assert line.get_xdata() == pytest.approx([10 / 120, *curve.coverage]) and line.get_ydata() == pytest.approx(0.25)
