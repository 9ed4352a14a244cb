"""Results in the layouts of the papers' figures, so that a reader of a paper knows them again."""

import numpy as np
from matplotlib.patches import Rectangle

from helpers.plotting.answers import FEW
from helpers.plotting.losses import PARTS
from helpers.plotting.style import (
    NARROW,
    OBSERVED,
    SEM1,
    SEM2,
    TRUE,
    UNSURE,
    as_written,
    axes_for,
    diagonal,
    ink,
    percent,
    points,
    series,
    settings_along,
)


def plot_network_losses(table, ax=None, *, names=True, legend=True, xlabel="loss"):
    """Two bars for each network, its grouping and its calibration loss, the networks from the top.

    Parameters
    ----------
    table : DataFrame
        Columns grouping and calibration; the index names the networks.
    ax : Axes, optional
        Where to draw; a new figure by default.
    names, legend : bool, default True
        Whether the networks are named, and whether there is a legend.
    xlabel : str, default "loss"
        Words on the x axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (NARROW, 0.32 * len(table) + 1.2))
    place = np.arange(len(table))[::-1]
    for part, side, hatch in (("grouping", 0.2, ""), ("calibration", -0.2, "///")):
        style = {"color": PARTS[part].color, "hatch": hatch, "edgecolor": "white", "linewidth": 0, "label": part}
        ax.barh(place + side, table[part], 0.4, **style)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(place if names else [], [as_written(name) for name in table.index] if names else [])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set(xlabel=xlabel, ylim=(-0.6, len(table) - 0.4))
    if legend:
        ax.legend(loc="lower right")
    return ax


def plot_foretold(estimated, saved, ax=None, *, xlabel="estimated", ylabel="saved"):
    """What was saved against what was estimated beforehand: a mark for each case, a dashed line where both are equal.

    Parameters
    ----------
    estimated, saved : array of float, shape (cases,)
        Of each case.
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel, ylabel : str, optional
        Words on the axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    most = max(np.max(estimated), np.max(saved))
    diagonal(ax)
    ax.axhline(0, **UNSURE.line(linewidth=1))
    ax.plot(estimated, saved, **OBSERVED.dots(markersize=5, alpha=0.5, markeredgewidth=0))
    ax.set(xlim=(min(0, np.min(estimated)), 1.05 * most), ylim=(1.1 * min(0, np.min(saved)), 1.05 * most))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return ax


def plot_by_size(table, ax=None, *, xlabel="billions of parameters", ylabel="grouping loss"):
    """A value with its interval against the size of models, on a log scale, each mark with its name.

    Parameters
    ----------
    table : DataFrame
        Columns size, value, low, high; the index names the models.
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel, ylabel : str, optional
        Words on the axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    for k, (name, row) in enumerate(table.iterrows()):
        bars = [[row["value"] - row["low"]], [row["high"] - row["value"]]]
        ax.errorbar(row["size"], row["value"], bars, **series(k).dots(capsize=3))
        end, shift = (row["low"], -15) if k % 2 else (row["high"], 5)  # neighbours would touch
        style = {"xytext": (0, shift), "textcoords": "offset points", "ha": "center", "color": ink(series(k).color)}
        ax.annotate(as_written(name), (row["size"], end), **style)
    ax.axhline(0, color="black", linewidth=0.8)
    settings = table["size"].to_numpy()
    ax.set(xscale="log", xlabel=xlabel, ylabel=ylabel, xlim=(settings.min() / 2, settings.max() * 2.5))
    settings_along(ax, [round(float(size), 2) for size in settings])
    ax.margins(y=0.2)
    return ax


def plot_pool_gains(groups, ax=None, *, looks=None, rival="rival"):
    """What a cascade gains on a rival against its bill beside the rival's: a mark for each pool of models.

    Up and to the left, where the ground is tinted, the cascade is better and cheaper.

    Parameters
    ----------
    groups : dict of str to DataFrame
        Columns gain and relative_cost, a row for each pool.
    ax : Axes, optional
        Where to draw; a new figure by default.
    looks : sequence of Look, optional
        One for each group.
    rival : str, default "rival"
        Its name, for the title.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    looks = [series(k) for k in range(len(groups))] if looks is None else looks
    for look, (name, pools) in zip(looks, groups.items(), strict=True):
        ax.plot(pools["relative_cost"], pools["gain"], label=as_written(name), **look.dots(markersize=5, alpha=0.55))
    costs = np.concatenate([pools["relative_cost"] for pools in groups.values()])
    ax.set_xscale("log")
    settings_along(ax, [cost for cost in (0.1, 0.2, 0.5, 1, 2, 5, 10) if costs.min() / 1.5 < cost < costs.max() * 1.5])
    ax.set_xlim(min(costs.min() / 1.3, 0.7), max(costs.max() * 1.3, 1.4))
    ax.axhline(0, color="black", linewidth=0.8)
    ax.axvline(1, color="black", linewidth=0.8)
    ax.add_artist(Rectangle((1e-9, 0), 1 - 1e-9, 10, color=OBSERVED.color, alpha=0.08, linewidth=0, zorder=0))
    points(ax.yaxis, sign=True)
    ax.set(title=as_written(rival), xlabel="its bill / the rival's", ylabel="gain, in points")
    return ax


def plot_margin_errors(table, ax=None):
    """Calibration errors of Sem1 and Sem2 in ranges of the margin between the two commonest answers.

    Parameters
    ----------
    table : DataFrame
        Columns margin_from, margin_to, ece_sem1, ece_sem2.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    middle = (table["margin_from"] + table["margin_to"]) / 2
    for name, look in (("Sem1", SEM1), ("Sem2", SEM2)):
        ax.plot(middle, table[f"ece_{name.lower()}"], label=name, **look.both(markersize=5))
    ax.set(xlim=(0, 1), ylim=(0, None), xlabel="observed margin", ylabel="error, in points")
    percent(ax.xaxis)
    points(ax.yaxis)
    return ax


def plot_both_shares(curves, ax=None):
    """Share right against the stated share, for Sem1 and Sem2, with intervals.

    Grey is where a calibrated Sem1 would be. Marks of fewer than ten answers are hollow and stand alone, without it.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        That of "Sem1" and that of "Sem2".
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    diagonal(ax)
    first = curves["Sem1"]
    many = first.count >= FEW
    band = {"color": UNSURE.color, "alpha": 0.25, "linewidth": 0}
    ax.fill_between(first.stated[many], first.band_low[many], first.band_high[many], **band)
    for (name, curve), look in zip(curves.items(), (SEM1, SEM2), strict=True):
        many = curve.count >= FEW
        bars = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)
        style = {"markersize": 5, "capsize": 2}
        ax.errorbar(curve.stated[many], curve.observed[many], bars[:, many], label=name, **look.both(**style))
        hollow = look.dots(**style, markerfacecolor="white", alpha=0.4)
        ax.errorbar(curve.stated[~many], curve.observed[~many], bars[:, ~many], **hollow)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="stated", ylabel="right")
    percent(ax.xaxis, ax.yaxis)
    return ax


def plot_rate(gaps, ax=None, *, xlabel="answers"):
    """Gaps against the number of answers, both on log scales, and the line of the rate n^(-1/2) from the first.

    Parameters
    ----------
    gaps : DataFrame
        A column for each line; the index is the number of answers.
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel : str, default "answers"
        Words on the x axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    for k, name in enumerate(gaps):
        ax.plot(gaps.index, gaps[name], label=as_written(name), **series(k).both())
    first = gaps.iloc[0].mean()
    ax.plot(gaps.index, first * (gaps.index[0] / gaps.index) ** 0.5, label="slope -1/2", **TRUE.line(linewidth=1))
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel="gap, in points")
    settings_along(ax, [gaps.index[0], gaps.index[len(gaps) // 2], gaps.index[-1]])
    low, high = ax.get_ylim()
    ax.set_yticks([tick for tick in (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5) if low < tick < high])
    points(ax.yaxis)
    ax.legend(loc="lower left")
    return ax
