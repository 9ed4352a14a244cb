"""Figures of decisions: what they cost, where their risk lies, how near estimates come."""

import numpy as np

from helpers.plotting.style import as_written, axes_for, name_lines, percent, series


def plot_costs(cost, ax=None, *, thresholds=(), unit=""):
    """Expected cost of each decision against the probability of class 1.

    A row of `cost` is a line from its cost when the truth is 0 (left end) to its cost when the truth is 1 (right end).

    Parameters
    ----------
    cost : DataFrame, (decisions, 2)
        Labelled table of costs (`cost_matrix`).
    ax : Axes, optional
        Where to draw; a new figure by default.
    thresholds, unit : sequence of float, and str, optional
        Probabilities where the best decision changes, drawn as dotted lines, and the unit of the costs.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    for k, (name, (left, right)) in enumerate(cost.iterrows()):
        ax.plot([0, 1], [left, right], label=as_written(name), **series(k).line())
        ax.plot([0, 1], [left, right], "o", color=series(k).color, markersize=5, clip_on=False)
    for threshold in np.atleast_1d(thresholds):
        ax.axvline(threshold, color="black", linestyle=":", linewidth=1.4)
        ax.annotate(
            f"{100 * threshold:.0f} %", (threshold, 1), xycoords=("data", "axes fraction"), xytext=(3, -10),
            textcoords="offset points",
        )  # fmt: skip
    ax.set(xlim=(0, 1), xlabel="probability of truth 1 (left end: truth 0, right end: truth 1)")
    ax.set_ylabel("expected cost" + (f", {unit}" if unit else ""))
    percent(ax.xaxis)
    name_lines(ax)
    return ax
