"""Figures of estimates: groups, and what repeated estimates do."""

import numpy as np

from helpers.plotting.style import BLUE, GREEN, GREY, ORANGE, as_written, axes_for, legend_on_top, series


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
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.minorticks_off()
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
