"""Figures of populations with known truth: where the truth lies around the score, and how far away it can be."""

import matplotlib.pyplot as plt
import numpy as np

from helpers.plotting import BLUE, GREY, ORANGE
from helpers.plotting.style import axes_for, diagonal

SIDES = {"x > 0": (BLUE, "-"), "x < 0": (ORANGE, "--")}


def plot_profile(x, stated, true, ax=None, *, density=None, xlabel="x"):
    """Stated probability and truth along x: hatched to the right where the score says too little, else to the left."""
    ax = axes_for(ax)
    gaps = ((true >= stated, BLUE, "///", "risk understated"), (true <= stated, ORANGE, "\\\\\\", "risk overstated"))
    for where, color, hatch, label in gaps:
        style = {"color": color, "alpha": 0.3, "hatch": hatch, "linewidth": 0, "label": label}
        ax.fill_between(x, stated, true, where=where, **style)
    ax.plot(x, true, color=BLUE, linewidth=1.6, label="true")
    ax.plot(x, stated, color="black", linestyle="--", linewidth=1.4, label="stated")
    if density is not None:
        foot = ax.inset_axes([0, 0, 1, 0.15], sharex=ax)
        foot.fill_between(x, density, color=GREY, alpha=0.5, linewidth=0)
        foot.set_ylim(bottom=0)
        foot.set_axis_off()
    ax.axhline(0.5, color=GREY, linewidth=0.8, linestyle=":")
    ax.set(xlim=(x[0], x[-1]), xlabel=xlabel, ylabel="probability")
    return _legend_on_top(ax)


def plot_link(x, stated, true, ax=None, *, curve=None):
    """Truth against stated probability on either side of x = 0; in the grey quarters a decision by it is wrong."""
    ax = axes_for(ax)
    for low, high in ((0.0, 0.5), (0.5, 1.0)):
        ax.fill_between([low, high], 0.5 - low, 1 - low, color=GREY, alpha=0.18, linewidth=0)
    diagonal(ax, linestyle=":", label="true = stated")
    for (name, (color, line)), rows in zip(SIDES.items(), (x > 0, x < 0), strict=True):
        order = np.argsort(stated[rows], kind="stable")
        ax.plot(stated[rows][order], true[rows][order], line, color=color, linewidth=1.8, label=f"true, {name}")
    if curve is not None:
        bars = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)
        style = {"fmt": "o", "color": "black", "markersize": 4, "capsize": 2, "label": "observed rate, 95 %"}
        ax.errorbar(curve.stated, curve.observed, yerr=bars, **style)
    ax.set(xlim=(0, 1), xlabel="stated probability", ylabel="true probability")
    return _legend_on_top(ax)


def _legend_on_top(ax):
    """The legend above the curves, which take the axis from 0 to 1."""
    ax.set_ylim(-0.02, 1.3)
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.legend(loc="upper center", ncols=2)
    return ax


def plot_links(towns, *, xlabel="x"):
    """`plot_profile` beside `plot_link`, one row a town: {title: (x, stated, true, density, curve)}."""
    fig, axes = plt.subplots(len(towns), 2, figsize=(10, 3.9 * len(towns)), squeeze=False)
    for (left, right), (title, (x, stated, true, density, curve)) in zip(axes, towns.items(), strict=True):
        plot_profile(x, stated, true, left, density=density, xlabel=xlabel).set_title(title)
        plot_link(x, stated, true, right, curve=curve).set_title("truth against score")
    for ax in axes[:-1].flat:
        ax.set_xlabel("")
    for ax in axes[1:].flat:  # one legend a column
        ax.get_legend().remove()
        ax.set_ylim(-0.02, 1.02)
    return fig
