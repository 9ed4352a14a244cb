"""Figures of bins and regions when the truth is known: what they reveal, what they invent, how far bounds reach."""

import numpy as np

from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE
from helpers.plotting.style import axes_for, percent


def plot_spread(x, truth, level, ax=None, *, stated=None, group=None, label="level", xlabel="stated probability"):
    """True probability of each row (mark) and the level it belongs to (line): the stick between, squared, is a loss."""
    ax = axes_for(ax)
    x, truth, level = (np.asarray(column, dtype=float) for column in (x, truth, level))
    group = np.full(x.size, "one case") if group is None else np.asarray(group)
    ax.vlines(x, np.minimum(truth, level), np.maximum(truth, level), color=GREY, linewidth=1.2, alpha=0.7)
    if stated is not None:
        ax.axhline(stated, color="black", linewidth=1.2, linestyle="--", label="stated")
    half_width = 0.5 * np.ptp(x) / max(np.unique(x).size - 1, 1)
    order = np.argsort(x, kind="stable")
    last = np.append(np.abs(np.diff(level[order])) > 1e-9, True)
    first = np.append(True, last[:-1])
    left, right = x[order][first] - half_width, x[order][last] + half_width
    ax.hlines(level[order][first], left, right, color="black", linewidth=2.2, label=label)
    for name, color, marker in zip(dict.fromkeys(group.tolist()), (BLUE, ORANGE, GREEN), MARKERS, strict=False):
        rows = group == name
        ax.plot(x[rows], truth[rows], marker, color=color, markersize=6, label=name)
    ax.set(ylim=(-0.02, 1.02), xlabel=xlabel, ylabel="true probability")
    percent(ax.yaxis)
    ax.legend(loc="best")
    return ax


def plot_bounds(value, low, high, ax=None, *, xlabel="bins", ylabel="added by binning"):
    """A value over a sweep (marked line) between nested bounds: a column of `low` and `high` for each kind."""
    ax = axes_for(ax)
    for name, color, line in zip(low.columns, (GREEN, ORANGE, GREY, BLUE), LINES, strict=False):
        ax.plot(low.index, low[name], color=color, linestyle=line, linewidth=1.8, label=name)
        ax.plot(high.index, high[name], color=color, linestyle=line, linewidth=1.8)
    ax.plot(value.index, value, "o-", color="black", markersize=5, linewidth=1.2, label=value.name)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.set(xscale="log", xlabel=xlabel, ylabel=ylabel)
    ax.set_xticks(list(value.index), [f"{entry:,}" for entry in value.index])
    ax.minorticks_off()
    ax.legend(loc="best")
    return ax
