"""Figures of decisions: what they cost, where their risk lies, how near estimates come."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import PercentFormatter

from helpers.plotting import BLUE, GREY, ORANGE, RED
from helpers.plotting.style import axes_for


def plot_risk_corners(p, calibrated, corrected, risk, ax=None, *, threshold, used=None):
    """Where the risk of a decision lies: corners in which corrected and stated probability decide differently."""
    ax = axes_for(ax, (6.2, 5.2))
    used = threshold if used is None else used
    shade = LinearSegmentedColormap.from_list("risk", ["white", RED])
    low = np.linspace(0, threshold, 100)
    high = np.linspace(threshold, 1, 100)
    for height, left, right in ((high, 0, used), (low, used, 1)):
        size = np.abs(height - threshold)[:, None]
        ax.imshow(
            size, cmap=shade, vmin=0, vmax=1.1, extent=(left, right, height[0], height[-1]), origin="lower",
            aspect="auto", zorder=0,
        )  # fmt: skip
    for k, (curve, size) in enumerate(zip(corrected, risk, strict=True)):
        ax.plot(p, curve, color=GREY, linewidth=1.3, label="c + r, one region" if not k else None)
        label = "decision with a risk" if not k else None
        ax.plot(p, np.where(size > 0, curve, np.nan), color="black", linewidth=3.4, label=label)
    ax.plot(p, calibrated, color=BLUE, linewidth=2.2, linestyle="--", label="calibration curve c")
    ax.axhline(threshold, color="black", linewidth=1, linestyle=":")
    ax.axvline(used, color="black", linewidth=1, linestyle=":")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated probability", ylabel="true or corrected probability")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.legend(loc="upper left", frameon=True, framealpha=0.9)
    return ax


def plot_intervals(table, ax=None, *, marks=None, xlabel=""):
    """One line with its interval (value, low, high) for each row of a table, from the top; `marks` are crosses."""
    ax = axes_for(ax, (7.2, 0.42 * len(table) + 1.3))
    place = np.arange(len(table))[::-1]
    ends = [np.maximum(table["value"] - table["low"], 0), np.maximum(table["high"] - table["value"], 0)]
    ax.errorbar(table["value"], place, xerr=ends, fmt="o", color=BLUE, capsize=3, label="ours, 95 % interval")
    for (words, values), marker in zip((marks or {}).items(), ("x", "+"), strict=False):
        ax.plot(values, place, marker, color=ORANGE, markersize=8, markeredgewidth=2, linestyle="none", label=words)
    ax.set_yticks(place, [str(name) for name in table.index])
    ax.set(xlabel=xlabel, ylim=(-0.6, len(table) - 0.4))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax
