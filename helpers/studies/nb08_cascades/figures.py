"""Figures of cascades and routers: what they do, what they cost, what they gain."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE
from helpers.plotting.routing import _COLORS
from helpers.plotting.style import axes_for


def plot_cascade(names, ax=None, *, question="risk at most \u03c4?", otherwise="answer of lowest risk"):
    """The cascade as a diagram: ask, look at the risk, answer or ask the next.

    Parameters
    ----------
    names : list of str
        Models, cheapest first.
    ax : Axes, optional
        Where to draw; a new figure by default.
    question : str, default "risk at most τ?"
        What is asked of each answer.
    otherwise : str, default "answer of lowest risk"
        What is done when no model is good enough.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (2.6 * len(names) + 1.4, 2.9))
    for k, name in enumerate(names):
        x = 2.6 * k
        _box(ax, (x, 2), f"ask {name}", BLUE)
        _box(ax, (x, 1), question, ORANGE)
        _box(ax, (x, 0), "use its answer", GREEN)
        _arrow(ax, (x, 1.72), (x, 1.28))
        _arrow(ax, (x, 0.72), (x, 0.28), "yes")
        if k + 1 < len(names):
            _arrow(ax, (x + 0.95, 1.1), (x + 1.65, 1.9), "no")
    x = 2.6 * len(names)
    _box(ax, (x, 1), otherwise, GREY)
    _arrow(ax, (x - 1.65, 1), (x - 0.95, 1), "no")
    ax.set(xlim=(-1.1, x + 1.1), ylim=(-0.45, 2.45))
    ax.set_axis_off()
    return ax


def _box(ax, center, words, color):
    """Words in a frame."""
    x, y = center
    shape = {
        "boxstyle": "round,pad=0.02,rounding_size=0.08",
        "facecolor": "white",
        "edgecolor": color,
        "linewidth": 1.8,
    }
    ax.add_patch(FancyBboxPatch((x - 0.92, y - 0.27), 1.84, 0.54, **shape))
    ax.text(x, y, words, ha="center", va="center", fontsize=9)


def _arrow(ax, start, end, words=""):
    """An arrow, with words at its middle."""
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=11, color="black", linewidth=1))
    if words:
        middle = np.mean([start, end], axis=0)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        ax.text(*middle, words, fontsize=8, ha="center", va="center", bbox=box)


def plot_pool_gains(tables, *, by=None, ylabel="gain in accuracy (points)"):
    """One panel for each rival: gain in accuracy against relative cost, a mark for each pool.

    The shaded quarter is "better and cheaper".

    Parameters
    ----------
    tables : dict of str to DataFrame
        The `gains` on each rival, for example of `gain_clouds`.
    by : str, optional
        Column that tells kinds of points apart, for example the population.
    ylabel : str, default "gain in accuracy (points)"
        Words on the y axis.

    Returns
    -------
    matplotlib.figure.Figure
        The figure with its panels.
    """
    n_rows = (len(tables) + 1) // 2
    fig, axes = plt.subplots(n_rows, 2, figsize=(9.6, 3.6 * n_rows), sharey=True, squeeze=False)
    lowest = min(100 * table["gain"].min() for table in tables.values())
    highest = max(100 * table["gain"].max() for table in tables.values())
    for ax, (rival, table) in zip(axes.flat, tables.items(), strict=False):
        ax.axhline(0, color="black", linewidth=0.8)
        ax.axvline(1, color="black", linewidth=0.8)
        kinds = {"": table} if by is None else dict(list(table.groupby(by, sort=False)))
        for k, (name, part) in enumerate(kinds.items()):
            style = {"color": _COLORS[k % 6], "marker": MARKERS[k % len(MARKERS)], "markersize": 4, "alpha": 0.6}
            ax.plot(part["relative_cost"], 100 * part["gain"], linestyle="none", label=name or None, **style)
        left = min(0.9 * table["relative_cost"].min(), 0.8)
        right = max(1.1 * table["relative_cost"].max(), 1.25)
        top = highest + 1
        ax.fill_between([left, 1], 0, top, color=GREEN, alpha=0.1, linewidth=0)
        ax.set(
            xscale="log",
            xlim=(left, right),
            ylim=(lowest - 1, top),
            xlabel="cost of the cascade / cost of the rival",
            title=rival,
        )
        ticks = [tick for tick in (0.1, 0.2, 0.5, 0.8, 1, 1.2, 1.5, 2, 5, 10, 20) if left <= tick <= right]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
    for ax in axes.flat[len(tables) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel)
    if by is not None:
        fig.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=6, markerscale=1.6)
    return fig


def plot_gain_lines(table, x, ax=None, *, xlabel=None, log=True):
    """Mean gain in accuracy against a column, a line for each rival; bars: 95 %.

    Parameters
    ----------
    table : DataFrame
        Columns rival, gain, gain_error and `x`.
    x : str
        Column on the x axis.
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel : str, optional
        Words on the x axis, by default `x`.
    log : bool, default True
        Whether the x axis is logarithmic.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    ax.axhline(0, color="black", linewidth=0.8)
    for k, (name, part) in enumerate(table.groupby("rival", sort=False)):
        style = {"color": _COLORS[k % 6], "linestyle": LINES[k % len(LINES)], "marker": MARKERS[k % len(MARKERS)]}
        ax.errorbar(part[x], 100 * part["gain"], yerr=100 * part["gain_error"], capsize=3, label=name, **style)
    if log:
        ax.set_xscale("log")
    ticks = sorted(set(table[x]))
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    ax.minorticks_off()
    ax.set(xlabel=x if xlabel is None else xlabel, ylabel="gain in accuracy (points)")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax
