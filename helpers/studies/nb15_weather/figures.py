"""Figures of large archives: months, memory over time, growth with rows."""

import numpy as np

from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE
from helpers.plotting.style import axes_for


def plot_months(table, *, total=None):
    """Estimates by month with bars and, if there, the truth as short lines; `total` (value, low, high) is a band."""
    ax = axes_for()
    if total is not None:
        ax.axhspan(total[1], total[2], color=GREY, alpha=0.25, linewidth=0)
        ax.axhline(total[0], color=GREY, linestyle="--", linewidth=1.6, label="all months in one sum")
    bars = np.array([table["value"] - table["low"], table["high"] - table["value"]])
    ax.errorbar(table["month"], table["value"], bars, fmt="o", color=BLUE, capsize=2, markersize=5, label="each month")
    if "truth" in table:
        ax.scatter(
            table["month"], table["truth"], s=180, marker="_", color=ORANGE, linewidth=2.2, label="truth", zorder=3
        )
    ax.set(xlabel="month", ylabel="grouping loss", xticks=table["month"], ylim=(0, None))
    ax.legend(loc="upper left")
    return ax


def plot_memory(seen, *, limit=None):
    """Memory of all processes over time, one line a run; `limit` in MB."""
    ax = axes_for(figsize=(8.0, 4.2))
    for k, (name, color) in enumerate(zip(dict.fromkeys(seen["run"]), (BLUE, ORANGE, GREEN), strict=False)):
        part = seen[seen["run"] == name]
        ax.plot(part["seconds"], part["memory_mb"], color=color, linestyle=LINES[k], linewidth=1.6, label=name)
        last = part.iloc[-1]
        ax.plot(last["seconds"], last["memory_mb"], marker=MARKERS[k], color=color, markersize=7)
    if limit is not None:
        ax.axhline(limit, color="black", linestyle=":", linewidth=1.2, label=f"limit, {limit:,} MB")
    ax.set(xlabel="seconds", ylabel="memory of all processes, MB", ylim=(0, None), xlim=(0, None))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    return ax


def plot_growth(ends, lines):
    """Seconds against rows on two logarithmic axes, one mark a run, with the fitted lines {run: (rows, seconds)}."""
    ax = axes_for()
    for k, (name, color) in enumerate(zip(dict.fromkeys(ends["run"]), (BLUE, ORANGE, GREEN), strict=False)):
        part = ends[ends["run"] == name]
        style = {"linestyle": "none", "marker": MARKERS[k], "color": color, "markersize": 7}
        ax.plot(part["rows"], part["cpu_seconds"], label=name, **style)
        ax.plot(*lines[name], linestyle=LINES[k], color=color, linewidth=1.4)
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="processor seconds")
    ax.legend()
    return ax
