"""Figures of experiments: bars in groups, and rows before and after."""

import textwrap

import numpy as np
from matplotlib.lines import Line2D

from helpers.plotting.style import (
    BLUE,
    DOWN,
    GREEN,
    GREY,
    NARROW,
    ORANGE,
    UNSURE,
    UP,
    as_written,
    axes_for,
    legend_on_top,
)

LETTERS = 24  # longest line of a name beside the axes


def plot_bars(table, ax=None, *, ylabel="", form="{:.0f}"):
    """Bars in groups: a group for each row of a table, a hatched bar for each column, its value above it.

    Parameters
    ----------
    table : DataFrame
        At most four columns.
    ax : Axes, optional
        Where to draw; a new figure by default.
    ylabel, form : str, default "" and "{:.0f}"
        Words on the y axis, and how the values are written.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    width = 0.8 / table.shape[1]
    for k, (name, color, hatch) in enumerate(
        zip(table, (GREY, ORANGE, BLUE, GREEN), ("", "//", "..", "xx"), strict=False)
    ):
        x = np.arange(len(table)) + (k - (table.shape[1] - 1) / 2) * width
        bars = ax.bar(x, table[name], 0.9 * width, color=color, hatch=hatch, edgecolor="white", label=as_written(name))
        ax.bar_label(bars, labels=[form.format(value) for value in table[name]], padding=2)
    ax.set_xticks(np.arange(len(table)), [as_written(name) for name in table.index])
    ax.tick_params(axis="x", length=0)
    ax.set(ylabel=ylabel)
    ax.margins(y=0.12)
    legend_on_top(ax, table.shape[1])
    return ax


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
