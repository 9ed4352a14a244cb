"""Figures of cascades and routers: what they do, what they cost, what they gain."""

import numpy as np

from helpers.plotting.style import NARROW, as_written, axes_for, name_lines, percent, series


def plot_cost_accuracy(curves=None, points=None, ax=None, *, looks=None, xlabel="paid a question", ylim=None):
    """Accuracy against money, on a log scale: named lines for policies with a knob, named stars for those without.

    Parameters
    ----------
    curves : dict of str to DataFrame, optional
        Columns money and accuracy, one row for each setting of the knob.
    points : dict of str to (float, float), optional
        Money and accuracy.
    ax : Axes, optional
        Where to draw; a new figure by default.
    looks : sequence of Look, optional
        One for each curve.
    xlabel : str, default "paid a question"
        Words on the x axis.
    ylim : (float, float), optional
        Ends of the y axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (NARROW, 4))
    looks = [series(k) for k in range(len(curves or {}))] if looks is None else looks
    for look, (name, table) in zip(looks, (curves or {}).items(), strict=True):
        order = np.argsort(table["money"].to_numpy(), kind="stable")
        style = look.both(markersize=5, label=as_written(name))
        ax.plot(table["money"].iloc[order], table["accuracy"].iloc[order], **style)
    for money, accuracy in (points or {}).values():
        ax.plot(money, accuracy, "*", color="black", markersize=12, zorder=3)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")
    percent(ax.yaxis)
    ax.set(xlabel=xlabel, ylabel="right answers", ylim=ylim)
    middle = np.prod(ax.get_xlim()) ** 0.5
    for name, (money, accuracy) in (points or {}).items():
        place = {"ha": "left", "xytext": (-5, 12)} if money < middle else {"ha": "right", "xytext": (5, -27)}
        ax.annotate(as_written(name), (money, accuracy), textcoords="offset points", **place)
    if curves:
        name_lines(ax)
    return ax
