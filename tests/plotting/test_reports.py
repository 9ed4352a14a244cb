"""Figures of the reports: what is drawn is what was computed."""

import numpy as np
import pytest
from scipy.special import expit

from helpers.calibration import monotone_curve, reliability_curve
from helpers.plotting import reports


@pytest.mark.parametrize(("mean", "log"), [(0.0, False), (-5.0, True)])
def test_the_curve_and_its_band(mean, log):
    rng = np.random.default_rng(0)
    p = expit(rng.normal(mean, 1, 5000))
    curve = monotone_curve(rng.random(5000) < p, p)
    ax = reports.plot_monotone(curve, p, log=log)
    assert ax.lines[0].get_ydata() == pytest.approx(curve.observed)
    low, high = ax.get_xlim()
    assert low < np.quantile(p, 0.05) and high > np.quantile(p, 0.99) and (low > 0 or not log)
    ax.figure.canvas.draw()
    words = [label.get_text() for label in ax.get_xticklabels() if label.get_text()]
    assert words and all(word.endswith("%") for word in words)


@pytest.mark.parametrize(("mean", "log"), [(0.0, False), (-5.0, True)])
def test_bins_with_the_way_from_what_was_stated(mean, log):
    rng = np.random.default_rng(0)
    p = expit(rng.normal(mean, 1, 5000))
    curve = reliability_curve(rng.random(5000) < p**0.7, p, n_bins=6, strategy="quantile")
    ax = reports.plot_reliability_close(curve, log=log)
    dots = next(line for line in ax.lines if line.get_marker() == "o")
    assert dots.get_ydata() == pytest.approx(curve.observed) and dots.get_xdata() == pytest.approx(curve.stated)
    gaps = np.array(ax.collections[0].get_segments())
    assert gaps[:, 0, 1] == pytest.approx(curve.stated) and gaps[:, 1, 1] == pytest.approx(curve.observed)
    assert (ax.get_xscale() == "log") == log and ax.get_xlim() == ax.get_ylim()
    assert ax.get_ylim()[1] >= curve.high.max() and (log or ax.get_ylim()[0] <= curve.low.min())
    assert {"stated"} == {text.get_text() for text in ax.texts}


@pytest.mark.parametrize(("mean", "log"), [(0.0, False), (-5.0, True)])
def test_a_typical_difference_is_a_band_in_place_of_bars(mean, log):
    rng = np.random.default_rng(0)
    p = expit(rng.normal(mean, 1, 5000))
    curve = reliability_curve(rng.random(5000) < p, p, n_bins=6, strategy="quantile")
    ax = reports.plot_reliability_close(curve, log=log, typical=0.03, apart="3 points")
    (band,) = (shape for shape in ax.collections if not hasattr(shape, "get_segments"))
    x, y = band.get_paths()[0].vertices.T
    assert np.abs(y - x).max() == pytest.approx(0.03) and np.abs(y - x).min() == pytest.approx(0.03)
    assert {"3 points", "stated"} == {text.get_text() for text in ax.texts}
