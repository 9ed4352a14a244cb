"""Figures of sampled answers: confidences and their errors against answers, margins, bins, splits and judges."""

import numpy as np

from helpers.plotting import GREY
from helpers.plotting.answers import _look
from helpers.plotting.style import axes_for, diagonal


def plot_sources(curves, ax=None, *, title=None):
    """Reliability of confidences, {source: ReliabilityCurve}, and the band of a calibrated source around the first."""
    ax = axes_for(ax, (4.8, 4.4))
    diagonal(ax, linestyle=":", label="confidence = accuracy")
    for k, (name, curve) in enumerate(curves.items()):
        if k == 0:
            options = {"color": GREY, "alpha": 0.25, "linewidth": 0, "label": "a calibrated source (95 %)"}
            ax.fill_between(curve.stated, curve.band_low, curve.band_high, **options)
        color, marker, line = _look(name, k)
        bars = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)
        options = {"color": color, "marker": marker, "linestyle": line, "markersize": 5, "capsize": 2}
        ax.errorbar(curve.stated, curve.observed, yerr=bars, label=name, **options)
    ax.set(xlim=(0, 1.02), ylim=(-0.02, 1.02), xlabel="confidence", ylabel="accuracy")
    if title:
        ax.set_title(title)
    ax.legend(loc="best")
    return ax
