"""Figures of systems that may abstain: what an answer costs, which reject costs count, what handing over is worth."""

import numpy as np

from helpers.plotting import GREY, LINES, MARKERS, ORANGE, panels, plot_abstention_costs, plot_measured
from helpers.plotting.selective import _COLOURS, _styles
from helpers.plotting.style import axes_for

_CORNERS = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])


def plot_drawn_fees(fees, density, ratios, means, fee, ax=None):
    """What systems cost at each reject cost, in parts of it (`ratios`), above how often that reject cost is drawn.

    Thin lines: the mean of each ratio over drawn reject costs; the density has its own scale, at the foot.
    """
    ax = axes_for(ax)
    top = 2.4
    ax.fill_between(fees, top / 8 * np.asarray(density) * fees[-1], color=GREY, alpha=0.3, label="how often drawn")
    for (name, ratio), color, line, mark in zip(ratios.items(), _COLOURS, LINES, MARKERS, strict=False):
        ax.plot(fees, ratio, line, color=color, linewidth=1.8, label=name)
        ax.axhline(means[name], linestyle=line, color=color, linewidth=0.8)
        ax.plot(fee, np.interp(fee, fees, ratio), mark, color=color, markersize=5)
    ax.axhline(1, color=GREY, linewidth=1.2, label="refuse everything")
    ax.axvline(fee, color="black", linestyle=":", linewidth=1.2, label="your fee")
    words = ["mean over drawn fees", *(f"{name} {mean:.2f}" for name, mean in means.items())]
    ax.text(0.97, 0.97, "\n".join(words), transform=ax.transAxes, ha="right", va="top", fontsize=9)
    ax.set(xlim=(0, fees[-1]), ylim=(0, top), xlabel="fee (in mistakes)", ylabel="bill / fee")
    return ax


def plot_confidence_costs(table, ax=None, *, top=4.0):
    """Cost of an answer against its confidence (Estienne, Ernst et al., figure 1): right answers solid, wrong dashed.

    A line that leaves the axes at `top` ends in an arrow.
    """
    ax = axes_for(ax)
    for k, (name, part) in enumerate(table.groupby("line", sort=False)):
        color = _COLOURS[k % len(_COLOURS)]
        places = part["confidence"].to_numpy()
        for column, line in (("right", "-"), ("wrong", "--")):
            ax.plot(places, part[column], color=color, linestyle=line, linewidth=1.8)
        ax.plot(places[0], 1, MARKERS[k % len(MARKERS)], color=color, markersize=6, label=str(name), clip_on=False)
        beyond = part["wrong"].to_numpy() > top
        if beyond.any():
            leaves = places[np.argmax(beyond)]
            ax.annotate(
                "", (leaves, top), xytext=(0, -14), textcoords="offset points",
                arrowprops={"arrowstyle": "-|>", "color": color},
            )  # fmt: skip
    ax.axhline(1, color=GREY, linewidth=0.8)
    ax.set(xlim=(0, 1), ylim=(0, top), xlabel="confidence", ylabel="cost")
    ax.legend(title="right: solid; wrong: dashed", loc="upper left")
    return ax


def plot_confidence_panels(tables, *, top=4.0):
    """`plot_confidence_costs` side by side, {title: table}; the legend is in the first panel."""
    fig, axes = panels(len(tables), figsize=(11.5, 4.0), sharey=True, squeeze=False)
    for ax, (title, table) in zip(axes[0], tables.items(), strict=True):
        plot_confidence_costs(table, ax, top=top).set(title=title)
    for ax in axes[0, 1:]:
        ax.get_legend().remove()
        ax.set_ylabel("")
    return fig


def plot_reject_weights(table, *, fee=None):
    """How much each reject cost (index) counts, a column of densities for each n."""
    ax = axes_for()
    for k, name in enumerate(table):
        ax.plot(table.index, table[name], linewidth=2, label=str(name), **_styles(k))
    if fee is not None:
        ax.axvline(fee, color="black", linestyle=":", linewidth=1.4)
    ax.set(xlabel="reject cost (in mistakes)", ylabel="weight", xlim=(0, table.index.max()))
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def plot_simplex(points, values, ax=None, *, corners, names, worst=None):
    """Decisions over all distributions of three classes: one coloured mark for each point of the triangle."""
    ax = axes_for(ax, (4.6, 4.4))
    place = np.asarray(points) @ _CORNERS
    values = np.asarray(values)
    for k, (value, name) in enumerate(names.items()):
        there = values == value
        size = {"markersize": 3.4, "linestyle": "none", "color": _COLOURS[k % len(_COLOURS)]}
        ax.plot(*place[there].T, MARKERS[k % len(MARKERS)], label=name, **size)
    if worst is not None:
        at = np.asarray(worst) @ _CORNERS
        style = {"color": "black", "markersize": 11, "markeredgecolor": "white", "linestyle": "none"}
        ax.plot(*at, "*", label="most uncertain", **style)
    return _triangle(ax, corners)


def _triangle(ax, corners):
    """Words at the three corners instead of axes."""
    for (x, y), word, up in zip(_CORNERS, corners, (False, False, True), strict=True):
        ax.annotate(
            word, (x, y), xytext=(0, 6 if up else -6), textcoords="offset points", ha="center",
            va="bottom" if up else "top", fontsize=9,
        )  # fmt: skip
    ax.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.1, 0.97))
    ax.set_axis_off()
    return ax


def plot_simplex_costs(points, values, ax=None, *, corners, truth, best=None, words="expected cost", top=None):
    """A number for each distribution of three classes, as shades (light: cheap), with the truth as a star."""
    ax = axes_for(ax, (5.2, 4.4))
    x, y = (np.asarray(points) @ _CORNERS).T
    shades = ax.tripcolor(x, y, np.asarray(values), cmap="viridis_r", shading="gouraud", vmax=top, rasterized=True)
    ax.figure.colorbar(shades, ax=ax, label=words, shrink=0.75, extend="neither" if top is None else "max")
    if best is not None:
        ax.plot(*(np.asarray(best) @ _CORNERS).T, "o", color=ORANGE, markersize=3.5, label="cheapest statements")
    at = np.asarray(truth) @ _CORNERS
    ax.plot(*at, "*", color="white", markersize=15, markeredgecolor="black", label="truth", linestyle="none")
    ax.legend(loc="upper left", bbox_to_anchor=(-0.1, 1.0))
    return _triangle(ax, corners)


def plot_score_lines(table, ax=None, *, xlabel="", ylabel="", at=None, log=False):
    """A line with marks for each column of a table against its index."""
    ax = axes_for(ax)
    for k, name in enumerate(table):
        ax.plot(table.index, table[name], markersize=5, linewidth=1.8, label=str(name), **_styles(k, marker=True))
    if at is not None:
        ax.axvline(at, color="black", linestyle=":", linewidth=1.4)
    if log:
        ax.set_xscale("log")
        ax.set_xticks(list(table.index), [f"{x:g}" for x in table.index])
        ax.minorticks_off()
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()
    return ax


def plot_measured_panels(tables, curves=None, *, zero=False):
    """`plot_measured` side by side, {words: table}, and if given the costs in `curves` (`plot_abstention_costs`)."""
    count = len(tables) + (curves is not None)
    height = 0.36 * len(next(iter(tables.values()))) + 1.4
    fig, axes = panels(count, figsize=(4.4 * count + 1, max(height, 4.4 if curves else 0)), squeeze=False)
    for ax, (words, table) in zip(axes[0], tables.items(), strict=False):
        plot_measured(table, ax, xlabel=words, zero=zero)
        if ax is not axes[0, 0]:
            ax.set_yticklabels([])
    if curves is not None:
        plot_abstention_costs(curves, axes[0, -1])
    return fig
