"""Figures of experiments: bars in groups, and rows before and after."""

import numpy as np

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
    ink,
    legend_on_top,
)


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
        What the hollow and the filled mark are, written at those of the first row.
    xlabel : str, optional
        Words on the x axis.
    looks : sequence of Look, optional
        One for each row; by default up, down, or unsure where the interval holds zero.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (NARROW, 0.42 * len(table) + 1.3))
    place = np.arange(len(table))[::-1]
    if looks is None:
        looks = [UP if row.low > 0 else DOWN if row.high < 0 else UNSURE for row in table.itertuples()]
    ax.axvline(0, color="black", linewidth=1)
    for y, row, look in zip(place, table.itertuples(), looks, strict=True):
        ax.plot([row.low, row.high], [y, y], color=look.color, alpha=0.25, linewidth=9, solid_capstyle="butt")
        ax.plot([row.before, row.value], [y, y], color=look.color, linewidth=1.5)
        ax.plot(row.before, y, **look.dots(markerfacecolor="white"))
        ax.plot(row.value, y, **look.dots(markerfacecolor=look.color))
    first = table.iloc[0]
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # no line through words
    sides = ("left", "right") if first["before"] > first["value"] else ("right", "left")
    for text, column, side in zip(words, ("before", "value"), sides, strict=True):
        style = {"textcoords": "offset points", "ha": side, "color": ink(looks[0].color), "bbox": paper}
        ax.annotate(text, (first[column], place[0]), xytext=(-5 if side == "left" else 5, 11), **style)
    ax.set_yticks(place, [as_written(name) for name in table.index])
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=xlabel, ylim=(-0.6, len(table) - 0.05))
    return ax
