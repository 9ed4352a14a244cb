"""Figures of the reports: what is drawn is what was computed."""

import numpy as np
import pytest
from scipy.special import expit

from helpers.calibration import monotone_curve
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
