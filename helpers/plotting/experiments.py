"""Figures of experiments: rows before and after."""

import textwrap

import numpy as np
from matplotlib.lines import Line2D

from helpers.plotting.style import DOWN, NARROW, UNSURE, UP, as_written, axes_for

LETTERS = 24  # longest line of a name beside the axes


def plot_before_after(table, ax=None, *, words, xlabel="", looks=None):
    """A row for each thing: a hollow mark before, and joined to it a filled one after, with its interval as a band.

    Parameters
    ----------
    table : DataFrame
        Columns before, value, low, high; the index names the rows.
    ax : Axes, optional
        Where to draw; a new figure by default.
    words : (str, str)
        What the hollow and the filled mark are, in the legend.
    xlabel : str, optional
        Words on the x axis.
    looks : sequence of Look, optional
        One for each row; by default up, down, or unsure where the interval holds zero.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    names = [textwrap.fill(as_written(name), LETTERS, break_long_words=False) for name in table.index]
    lines = max(name.count("\n") + 1 for name in names)
    ax = axes_for(ax, (NARROW, (0.28 + 0.14 * lines) * len(table) + 1.2))
    place = np.arange(len(table))[::-1]
    if looks is None:
        looks = [UP if row.low > 0 else DOWN if row.high < 0 else UNSURE for row in table.itertuples()]
    ax.axvline(0, color="black", linewidth=1)
    for y, row, look in zip(place, table.itertuples(), looks, strict=True):
        ax.plot([row.low, row.high], [y, y], color=look.color, alpha=0.25, linewidth=9, solid_capstyle="butt")
        ax.plot([row.before, row.value], [y, y], color=look.color, linewidth=1.5)
        ax.plot(row.before, y, **look.dots(markerfacecolor="white"))
        ax.plot(row.value, y, **look.dots(markerfacecolor=look.color))
    marks = (UNSURE.dots(color="black", markerfacecolor=fill) for fill in ("white", "black"))
    handles = [Line2D([], [], label=text, **mark) for text, mark in zip(words, marks, strict=True)]
    ax.figure.legend(handles=handles, loc="outside upper center", ncols=2)  # above a second scale, too
    ax.set_yticks(place, names)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=xlabel, ylim=(-0.6, len(table) - 0.4))
    return ax
