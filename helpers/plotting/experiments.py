"""Figures of estimates: groups, and what repeated estimates do."""

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
    series,
    settings_along,
)


def plot_convergence(
    table,
    truth=None,
    ax=None,
    *,
    x="n",
    y="value",
    se="se",
    by="estimator",
    xlabel="rows",
    ylabel=None,
    ymin=None,
):
    """One marked line for each estimator against a setting (log scale), with bars of two standard errors.

    Parameters
    ----------
    table : DataFrame
        One row for each estimator and setting (`summarise`).
    truth : float or dict of str to float, optional
        Horizontal lines; names are the words of the legend.
    ax : Axes, optional
        Where to draw; a new figure by default.
    x, y, se, by : str, default "n", "value", "se" and "estimator"
        Columns of the setting, the heights, their standard errors (None draws no bars), and the names of the lines.
    xlabel, ylabel, ymin : str, str and float, optional
        Words on the axes, and the foot of the y axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    names = list(dict.fromkeys(table[by]))
    for k, name in enumerate(names):
        part = table[table[by] == name].sort_values(x)
        place = part[x] * (1 + 0.03 * (k - (len(names) - 1) / 2))
        bars = None if se is None else 2 * part[se]
        ax.errorbar(place, part[y], yerr=bars, label=as_written(name), capsize=2, **series(k).both(markersize=5))
    levels = truth if isinstance(truth, dict) else {"truth": truth} if truth is not None else {}
    for line, (words, level) in zip((":", "--", "-."), levels.items(), strict=False):
        ax.axhline(level, color="black", linewidth=1, linestyle=line, label=words)
    ax.set(xscale="log", xlabel=xlabel, ylabel="grouping loss" if ylabel is None else ylabel)
    ticks = sorted(set(table[x]))
    if len(ticks) <= 6:
        settings_along(ax, ticks)
    if ymin is not None:
        ax.set_ylim(bottom=ymin)
    ax.legend()
    return ax


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
