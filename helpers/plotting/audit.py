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
    WIDE,
    as_written,
    axes_for,
    legend_on_top,
    points,
    series,
)

POINTS = "observed rate minus stated probability, in points (left: stated too high)"
CAPS = 5  # half the length of the ends of a bar, in points: longer than a mark, so that it hides no short bar


def plot_groups(table, ax=None, *, most=8, xlabel=POINTS, in_order=False, letters=46):
    """Gap of each subgroup with its interval, in points; filled marks are significant after adjustment.

    Parameters
    ----------
    table : DataFrame
        The table of `audit_groups`: rule, n, gap, low, high, adjusted.
    ax : Axes, optional
        Where to draw; a new figure by default.
    most, xlabel : int and str, optional
        Number of subgroups, those furthest from zero, and what the gaps are.
    in_order : bool, default False
        Whether the first `most` rows are drawn in their order, from top to bottom, and not by their gaps.
    letters : int, default 46
        Longest line of a rule; with less than 30 the figure is narrow.

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
    ax = axes_for(ax, (NARROW if letters < 30 else WIDE, 0.62 * len(shown) + 1.1))
    for row in shown.itertuples():
        look = UNSURE if row.adjusted >= 0.05 else DOWN if row.gap < 0 else UP
        ends = np.maximum([[row.gap - row.low], [row.high - row.gap]], 0)
        ax.errorbar(row.gap, row.Index, xerr=ends, capsize=CAPS, **look.dots())
    ax.axvline(0, color=GREY, linewidth=1, linestyle="--")
    ax.set_yticks(shown.index, [_wrapped(as_written(f"{row.rule} ({row.n:,})"), letters) for row in shown.itertuples()])
    ax.set(ylim=(-0.6, len(shown) - 0.4), xlabel=xlabel)
    points(ax.xaxis, sign=True)
    return ax


def _wrapped(text, letters):
    """A rule in lines of at most so many letters; a longer word stays whole."""
    return textwrap.fill(text, letters, break_long_words=False, break_on_hyphens=False)


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
        label = f"group of {100 * share:.3g} % of the rows"
        ax.plot(100 * cases["gap"], cases["rows"], label=label, **series(k).both(markersize=4))
    ax.set(yscale="log", xlabel="gap of the group, in points", ylabel="rows of the table")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda rows, _: f"{rows:,.0f}"))
    ax.grid(alpha=0.3)
    legend_on_top(ax)
    return ax
