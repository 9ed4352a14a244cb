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
    assert line.get_xdata()[::-1] == pytest.approx([10 / 120, *curve.coverage])
    assert line.get_ydata() == pytest.approx(0.25)


def test_lines_bear_names_and_what_is_promised_a_word():
    curve = risk_coverage_curve(np.arange(120) % 4 > 0, np.linspace(0, 1, 120))
    ax = plot_kept({"agreement": curve, "stated": curve}, {"stated": (0.4, 0.25)}, 0.3)
    assert ax.get_legend() is None
    assert [text.get_text() for text in ax.texts] == ["promise", "agreement", "stated", "handing over"]
