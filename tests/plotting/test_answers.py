"""Figures of answers: what is drawn is what was computed."""

import numpy as np
import pytest

from helpers.calibration import reliability_curve
from helpers.plotting import plot_confidences, plot_kept
from helpers.selective import risk_coverage_curve


@pytest.mark.parametrize("shares", [(0.9,), (0.9, 0.5), (0.9, 0.7, 0.5)])
def test_all_but_the_ten_surest_answers_are_drawn_also_where_many_are_equally_sure(shares):
    confidence = np.repeat(shares, 120 // len(shares))
    curve = risk_coverage_curve(np.arange(120) % 4 > 0, confidence)
    ax = plot_kept({"agreement": curve}, {})
    (line,) = (line for line in ax.lines if line.get_label() == "agreement")
    assert line.get_xdata()[::-1] == pytest.approx([10 / 120, *curve.coverage])
    assert line.get_ydata() == pytest.approx(0.25)


def test_lines_bear_names_and_what_is_promised_a_word():
    curve = risk_coverage_curve(np.arange(120) > 47, np.linspace(0, 1, 120))
    ax = plot_kept({"agreement": curve, "stated": curve}, {"stated": (0.4, 0.25)}, 0.3)
    assert ax.get_legend() is None
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["0 %", "0 %", "promise", "surest half", "all: 40 %", "agreement", "stated", "handing over"]


def test_what_was_said_and_what_was_right_stand_above_each_diagram():
    y, p = np.arange(100) % 4 > 0, np.repeat([0.5, 0.9], [95, 5])
    figure = plot_confidences({"agreement": reliability_curve(y, p, n_bins=5)})
    (ax,) = figure.axes
    assert ax.get_title(loc="left") == "agreement: 52.0 % said, 75.0 % right"
    (gap,) = (shape.get_segments()[0] for shape in ax.collections if max(shape.get_linewidth()) > 5)
    assert gap[:, 0] == pytest.approx(0.52) and gap[:, 1] == pytest.approx([0.52, 0.75])
    assert "23.0 too low" in [text.get_text() for text in ax.texts]
