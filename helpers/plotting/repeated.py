"""Figures of what is measured more than once: the same groups twice, and audits that are repeated."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from helpers.plotting.style import (
    GREY,
    OBSERVED,
    TRUE,
    as_written,
    axes_for,
    diagonal,
    name_lines,
    points,
    series,
    settings_along,
)


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
    for axis in (ax.xaxis, ax.yaxis):  # the same numbers along both
        axis.set_major_locator(MaxNLocator(6))
        points(axis, sign=True)
    return ax


def plot_repeated(
    runs,
    looks=None,
    truth=None,
    ax=None,
    *,
    x="n",
    y="value",
    by="estimator",
    se=None,
    xlabel="rows",
    ylabel="grouping loss",
    ylim=None,
    room=12,
):
    """Estimates against a setting (log scale): each repetition a pale mark, their means a line with its name.

    Parameters
    ----------
    runs : DataFrame
        The table of `repeat`, or one row for each estimator and setting, as `summarise` makes it.
    looks : dict of str to Look, optional
        How each estimator is drawn; by default all, in the order of the table.
    truth : float or dict of str to float, optional
        Level lines, by the names that stand at their ends.
    ax : Axes, optional
        Where to draw; a new figure by default.
    x, y, by : str, optional
        Columns of the setting, of the estimates, and of the names of the lines.
    se : str, optional
        Column of standard errors; bars are two of them to either side.
    xlabel, ylabel : str, optional
        Words on the axes.
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
    looks = {name: series(k) for k, name in enumerate(runs[by].unique())} if looks is None else looks
    for k, (name, look) in enumerate(looks.items()):
        part = runs[runs[by] == name]
        aside = 0.96 + 0.08 * k / max(len(looks) - 1, 1)  # so that marks do not hide one another
        means = part.groupby(x).mean(numeric_only=True)
        if len(part) > len(means):
            ax.plot(part[x] * aside, part[y], **look.dots(markersize=4, alpha=0.35, markeredgewidth=0))
        if se is not None:
            ax.errorbar(means.index * aside, means[y], 2 * means[se], fmt="none", ecolor=look.color, capsize=2)
        ax.plot(means.index * aside, means[y], label=as_written(name), **look.both(markersize=6))
    levels = truth if isinstance(truth, dict) else {} if truth is None else {"truth": truth}
    for name, level in levels.items():
        ax.plot([settings[0], settings[-1]], [level, level], label=name, **TRUE.line(linewidth=1.5))
    ax.set(xscale="log", xlabel=xlabel, ylabel=ylabel, xlim=(settings[0] / 1.4, settings[-1] * room))
    if len(settings) <= 6:
        settings_along(ax, settings)
    ax.set(ylim=ylim)
    name_lines(ax, gap=10)
    return ax
