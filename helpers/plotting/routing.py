"""Figures of cascades and routers: what they do, what they cost, what they gain."""

import numpy as np

from helpers.plotting.style import NAIVE, as_written, axes_for, series


def plot_cost_accuracy(curves=None, points=None, ax=None, *, xlabel="paid a question", ceiling=None, log=True):
    """Accuracy against money: lines for policies with a knob, marks for those without.

    Parameters
    ----------
    curves : dict of str to DataFrame, optional
        Columns money and accuracy, one row for each setting of the knob.
    points : dict of str to tuple of float, optional
        (money, accuracy) or (money, accuracy, low, high).
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel : str, default "paid a question"
        Words on the x axis.
    ceiling, log : (str, float) and bool, optional
        Words and accuracy of what nobody can exceed, and whether money has a logarithmic axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (7.2, 4.6))
    for k, (name, table) in enumerate((curves or {}).items()):
        order = np.argsort(table["money"].to_numpy(), kind="stable")
        style = series(k).both(markersize=4, label=as_written(name))
        ax.plot(table["money"].iloc[order], table["accuracy"].iloc[order], **style)
    for k, (name, (money, accuracy, *ends)) in enumerate((points or {}).items()):
        style = {
            "color": "black" if curves else series(k).color,
            "marker": ("*", "X", "P", "D", "v", "^", "h", "d")[k % 8],
        }
        bars = [[accuracy - ends[0]], [ends[1] - accuracy]] if ends else None
        options = {
            "yerr": bars,
            "markersize": 9,
            "linestyle": "none",
            "capsize": 3,
            "label": as_written(name),
            "zorder": 3,
        }
        ax.errorbar([money], [accuracy], fillstyle="none" if curves and k % 2 else "full", **style, **options)
    if ceiling is not None:
        ax.axhline(ceiling[1], color=NAIVE.color, linewidth=1, linestyle=":", label=ceiling[0])
    if log:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    ax.set(xlabel=xlabel, ylabel="accuracy")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax
