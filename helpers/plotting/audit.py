"""Figures of audits: gaps of groups, and rows that it takes to see them."""

import textwrap

import numpy as np
from matplotlib.ticker import FuncFormatter

from helpers.plotting.style import (
    DOWN,
    GREY,
    NARROW,
    UNSURE,
    UP,
    as_written,
    axes_for,
    ink,
    name_lines,
    points,
    series,
)

POINTS = "observed rate minus stated probability, in points (left: stated too high)"
LETTERS = 52  # longest line of a rule
PALE = 0.45  # opacity of groups beside the one that is farthest off
CAPS = 5  # half the length of the ends of a bar, in points: longer than a mark, so that it hides no short bar


def plot_groups(table, ax=None, *, most=8, xlabel=POINTS, in_order=False):
    """Gap of each subgroup with its interval, in points, below its rule; filled marks are significant after adjustment.

    Parameters
    ----------
    table : DataFrame
        The table of `audit_groups`: rule, n, gap, low, high, adjusted.
    ax : Axes, optional
        Where to draw; a new figure by default.
    most, xlabel : int and str, optional
        Number of subgroups, those furthest from zero, and what the gaps are.
    in_order : bool, default False
        Whether the first `most` rows are drawn in their order, from top to bottom, and not by their gaps. Then the one
        that is farthest off, of those whose interval leaves out zero, has full colour, and the others are pale.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    if in_order:
        shown = table.iloc[:most].iloc[::-1].reset_index(drop=True)
    else:
        furthest = table["gap"].abs().sort_values(ascending=False, kind="stable").index[:most]
        shown = table.reindex(furthest).sort_values("gap").iloc[::-1].reset_index(drop=True)
    names = [textwrap.fill(f"{row.rule} ({row.n:,})", LETTERS, break_long_words=False) for row in shown.itertuples()]
    lines = 1 + max((name.count("\n") for name in names), default=0)
    ax = axes_for(ax, (NARROW, (0.36 + 0.17 * lines) * len(shown) + 0.8))
    off = shown["gap"].abs().where((shown["low"] > 0) | (shown["high"] < 0), -1)
    pale = shown.index != off.idxmax() if in_order and (off > 0).any() else np.zeros(len(shown), dtype=bool)
    ax.axvline(0, color=GREY, linewidth=1, linestyle="--", zorder=0)
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # no line through words
    for row, name in zip(shown.itertuples(), names, strict=True):
        look = UNSURE if row.adjusted >= 0.05 else DOWN if row.gap < 0 else UP
        ends = np.maximum([[row.gap - row.low], [row.high - row.gap]], 0)
        ax.errorbar(row.gap, row.Index, xerr=ends, capsize=CAPS, alpha=PALE if pale[row.Index] else 1, **look.dots())
        style = {"xycoords": ("axes fraction", "data"), "xytext": (0, 9), "textcoords": "offset points"}
        ax.annotate(as_written(name), (0, row.Index), bbox=paper, va="bottom", **style)
        gap = FuncFormatter.fix_minus(f"{100 * row.gap:+.0f}")
        to_left = row.gap < 0
        style = {"ha": "right" if to_left else "left", "va": "center", "color": ink(look.color)}
        beside = {"xytext": (-9 if to_left else 9, 0), "textcoords": "offset points"}
        ax.annotate(gap, (row.low if to_left else row.high, row.Index), bbox=paper, **beside, **style)
    ax.margins(x=0.12)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set(ylim=(-0.4, len(shown) - 0.25), xlabel=xlabel)
    points(ax.xaxis, sign=True)
    return ax


def plot_rows_needed(table, ax=None):
    """Rows that an audit needs against the gap, a line for each share of the group.

    Parameters
    ----------
    table : DataFrame
        The table of `plan_audit`: share, gap, rows.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    for k, (share, cases) in enumerate(table.groupby("share")):
        label = f"group of {100 * share:.3g} %"
        ax.plot(100 * cases["gap"], cases["rows"], label=label, **series(k).both(markersize=4))
    ax.set(yscale="log", xlabel="gap of the group, in points", ylabel="rows of the table")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda rows, _: f"{rows:,.0f}"))
    ax.grid(alpha=0.3)
    name_lines(ax)
    return ax
