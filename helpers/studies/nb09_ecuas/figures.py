"""Figures of systems that may abstain: what an answer costs, which reject costs count, what handing over is worth."""

import numpy as np

from helpers.plotting import GREY, LINES, MARKERS, ORANGE
from helpers.plotting.style import COLOURS, axes_for

_CORNERS = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])


def plot_drawn_fees(fees, density, ratios, means, fee, ax=None):
    """What systems cost at each reject cost, in parts of it (`ratios`), above how often that reject cost is drawn."""
    ax = axes_for(ax)
    top = 2.4
    ax.fill_between(fees, top / 8 * np.asarray(density) * fees[-1], color=GREY, alpha=0.3, label="how often drawn")
    for (name, ratio), color, line, mark in zip(ratios.items(), COLOURS, LINES, MARKERS, strict=False):
        ax.plot(fees, ratio, line, color=color, linewidth=1.8, label=name)
        ax.axhline(means[name], linestyle=line, color=color, linewidth=0.8)
        ax.plot(fee, np.interp(fee, fees, ratio), mark, color=color, markersize=5)
    ax.axhline(1, color=GREY, linewidth=1.2, label="refuse everything")
    ax.axvline(fee, color="black", linestyle=":", linewidth=1.2, label="your fee")
    words = ["mean over drawn fees", *(f"{name} {mean:.2f}" for name, mean in means.items())]
    ax.text(0.97, 0.97, "\n".join(words), transform=ax.transAxes, ha="right", va="top", fontsize=9)
    ax.set(xlim=(0, fees[-1]), ylim=(0, top), xlabel="fee (in mistakes)", ylabel="bill / fee")
    return ax


def plot_simplex(points, values, ax=None, *, corners, names, worst=None):
    """Decisions over all distributions of three classes: one coloured mark for each point of the triangle."""
    ax = axes_for(ax, (4.6, 4.4))
    place = np.asarray(points) @ _CORNERS
    values = np.asarray(values)
    for k, (value, name) in enumerate(names.items()):
        there = values == value
        size = {"markersize": 3.4, "linestyle": "none", "color": COLOURS[k % len(COLOURS)]}
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
