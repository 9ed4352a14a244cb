"""Figures of sampled answers: confidences and their errors against answers, margins, bins, splits and judges."""

import numpy as np

from helpers.plotting import BLUE, GREEN, GREY, MARKERS, ORANGE, RED
from helpers.plotting.answers import _STYLE, _look
from helpers.plotting.style import axes_for, diagonal


def plot_pair_gaps(pairs):
    """Sem1-ECE less Sem2-ECE against over-confidence; above zero Sem2 has the smaller error."""
    ax = axes_for(figsize=(6.6, 4.2))
    ax.axhline(0, color="black", linewidth=1)
    ax.axvline(0, color=GREY, linewidth=1, linestyle=":")
    colors = (BLUE, ORANGE, GREEN, RED, GREY)
    for k, (name, part) in enumerate(pairs.groupby("cards", sort=False)):
        bars = np.maximum([part["gap"] - part["low"], part["high"] - part["gap"]], 0)
        style = {"color": colors[k % 5], "fmt": MARKERS[k % 6], "markersize": 6, "capsize": 2, "linewidth": 1}
        ax.errorbar(part["overconfidence"], part["gap"], yerr=bars, label=name, **style)
    ax.set(xlabel="over-confidence: mean Sem1 less accuracy", ylabel="Sem1-ECE less Sem2-ECE")
    ax.legend(loc="best")
    return ax


def plot_by_margin(table, ax=None, *, boundaries=(), title=None):
    """ECE of Sem1 and Sem2 by the observed top-two margin, and what a calibrated source of this size would show.

    `table` is `by_margin` of `sem_ece`, or `error_by_margin`, which has no null value; `boundaries` are (name, margin).
    """
    ax = axes_for(ax)
    middle = (table["margin_from"] + table["margin_to"]) / 2
    for (name, margin), style, color in zip(boundaries, ("--", "-"), (RED, GREY), strict=False):
        ax.axvline(margin, color=color, linewidth=1.3, linestyle=style, label=name)
    for source, name in (("sem1", "Sem1"), ("sem2", "Sem2")):
        color, marker, line = _STYLE[name]
        options = {"color": color, "marker": marker, "linestyle": line, "markersize": 5}
        ax.plot(middle, table[f"ece_{source}"], label=f"{name}-ECE", **options)
    if "null_sem1" in table:
        ax.fill_between(middle, 0, table["null_sem1"], color=GREY, alpha=0.25, linewidth=0, label="a calibrated source")
    ax.set(xlim=(0, 1), ylim=(0, None), xlabel="observed top-two margin", ylabel="calibration error")
    if title:
        ax.set_title(title)
    ax.legend(loc="best")
    return ax


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
