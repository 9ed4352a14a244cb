"""Figures of what is measured more than once: the same groups twice, and audits that are repeated."""

import numpy as np

from helpers.plotting.style import GREY, OBSERVED, TRUE, axes_for, diagonal, name_lines, points, settings_along


def plot_twice(first, second, ax=None, *, xlabel="", ylabel="", most=None):
    """Gaps of the same groups, measured twice: luck is a cloud or a flat band, a real difference lies on the diagonal.

    Parameters
    ----------
    first, second : array of float, shape (groups,)
        Gap of each group, measured once and once more.
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel, ylabel, most : str, str and float, optional
        Words on the axes, and where both end, on either side of zero.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    most = 1.08 * np.nanmax(np.abs([first, second])) if most is None else most
    diagonal(ax, transform=ax.transAxes, color=GREY)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.plot(first, second, **OBSERVED.dots(markersize=6, alpha=0.6, markeredgewidth=0))
    ax.set(xlim=(-most, most), ylim=(-most, most), aspect="equal", xlabel=xlabel, ylabel=ylabel)
    points(ax.xaxis, sign=True)
    points(ax.yaxis, sign=True)
    return ax


def plot_repeated(
    runs, looks, truth=None, ax=None, *, x="n", y="value", xlabel="rows", ylabel="grouping loss", ylim=None, room=12
):
    """Repeated estimates against a setting (log scale): each repetition a pale mark, their means a line with its name.

    Parameters
    ----------
    runs : DataFrame
        The table of `repeat` with a column `estimator`.
    looks : dict of str to Look
        How each estimator is drawn.
    truth : float, optional
        A level line.
    ax : Axes, optional
        Where to draw; a new figure by default.
    x, y, xlabel, ylabel : str, optional
        Columns of the setting and of the estimates, and words on the axes.
    ylim : (float, float), optional
        Ends of the y axis.
    room : float, default 12
        How many times the largest setting the axis goes, for the names of the lines.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    settings = sorted(runs[x].unique())
    for k, (name, look) in enumerate(looks.items()):
        part = runs[runs["estimator"] == name]
        aside = 1 + 0.08 * (k - (len(looks) - 1) / 2)
        ax.plot(part[x] * aside, part[y], **look.dots(markersize=4, alpha=0.35, markeredgewidth=0))
        mean = part.groupby(x)[y].mean()
        ax.plot(mean.index * aside, mean, label=name, **look.both(markersize=6))
    if truth is not None:
        ax.plot([settings[0], settings[-1]], [truth, truth], label="truth", **TRUE.line(linewidth=1.5))
    ax.set(xscale="log", xlabel=xlabel, ylabel=ylabel, xlim=(settings[0] / 1.4, settings[-1] * room))
    settings_along(ax, settings)
    ax.set(ylim=ylim)
    name_lines(ax)
    return ax
