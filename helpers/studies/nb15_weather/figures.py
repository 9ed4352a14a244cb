"""Figures of large archives: months, memory over time, growth with rows."""

import numpy as np

from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE
from helpers.plotting.style import axes_for


def plot_months(table, ax=None, *, total=None, words="all months in one sum", ylabel="grouping loss"):
    """Estimates by month with bars and, if there, the truth as short lines.

    Parameters
    ----------
    table : DataFrame
        Columns month, value, low, high and maybe truth.
    ax : Axes, optional
        Where to draw; a new figure by default.
    total : (float, float, float), optional
        Value, low and high of a band across all months.
    words : str, default "all months in one sum"
        Name of the band.
    ylabel : str, default "grouping loss"
        Words on the y axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    if total is not None:
        ax.axhspan(total[1], total[2], color=GREY, alpha=0.25, linewidth=0)
        ax.axhline(total[0], color=GREY, linestyle="--", linewidth=1.6, label=words)
    bars = np.array([table["value"] - table["low"], table["high"] - table["value"]])
    ax.errorbar(table["month"], table["value"], bars, fmt="o", color=BLUE, capsize=2, markersize=5, label="each month")
    if "truth" in table:
        ax.scatter(
            table["month"], table["truth"], s=180, marker="_", color=ORANGE, linewidth=2.2, label="truth", zorder=3
        )
    ax.set(xlabel="month", ylabel=ylabel, xticks=table["month"], ylim=(0, None))
    ax.legend(loc="upper left")
    return ax


def plot_memory(seen, ax=None, *, limit=None):
    """Memory of all processes over time, one line a run.

    Parameters
    ----------
    seen : DataFrame
        Columns run, seconds, memory_mb.
    ax : Axes, optional
        Where to draw; a new figure by default.
    limit : float, optional
        MB, a dotted line.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (8.0, 4.2))
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


def plot_growth(ends, lines, ax=None, *, y="cpu_seconds", ylabel="processor seconds"):
    """Seconds against rows on two logarithmic axes, one mark a run, with the fitted lines.

    Parameters
    ----------
    ends : DataFrame
        Columns run, rows and `y`.
    lines : dict of str to (array, array)
        Rows and seconds of each run's fitted line.
    ax : Axes, optional
        Where to draw; a new figure by default.
    y : str, default "cpu_seconds"
        Column of the seconds.
    ylabel : str, default "processor seconds"
        Words on the y axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    for k, (name, color) in enumerate(zip(dict.fromkeys(ends["run"]), (BLUE, ORANGE, GREEN), strict=False)):
        part = ends[ends["run"] == name]
        ax.plot(part["rows"], part[y], linestyle="none", marker=MARKERS[k], color=color, markersize=7, label=name)
        ax.plot(*lines[name], linestyle=LINES[k], color=color, linewidth=1.4)
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel=ylabel)
    ax.legend()
    return ax
