"""Figures of scores: what was stated beside what was observed, or is true."""

import numpy as np

from helpers.plotting.style import (
    DOWN,
    GREY,
    OBSERVED,
    STATED,
    UP,
    as_written,
    axes_for,
    diagonal,
    ink,
    legend_on_top,
    percent,
)


def plot_reliability(curve, ax=None, *, label="observed rate, 95 % interval", legend=True):
    """Observed rate against stated score with intervals, the band of a calibrated model, and row counts along the foot.

    Parameters
    ----------
    curve : ReliabilityCurve
        Bins with their rates, intervals and band.
    ax : Axes, optional
        Where to draw; a new figure by default.
    label : str, default "observed rate, 95 % interval"
        Words of the legend for the rates.
    legend : bool, default True
        Whether to draw it.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    diagonal(ax, label="stated = observed")
    style = {"color": GREY, "alpha": 0.25, "linewidth": 0, "label": "a calibrated model (95 %)"}
    ax.fill_between(curve.stated, curve.band_low, curve.band_high, **style)
    bars = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)
    ax.errorbar(curve.stated, curve.observed, yerr=bars, label=label, **OBSERVED.dots(markersize=5, capsize=2))
    foot = ax.inset_axes([0, 0, 1, 0.12], sharex=ax)
    width = np.diff(curve.edges).min() * 0.7
    foot.bar(curve.stated, curve.count, width=width, color=OBSERVED.color, alpha=0.35, linewidth=0)
    foot.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(-0.02, 1), xlabel="stated probability", ylabel="observed rate")
    percent(ax.xaxis, ax.yaxis)
    if legend:
        ax.legend(loc="upper left")
    return ax


def plot_stated_observed(curves, ax=None, *, words=("stated", "observed, 95 % interval"), numbers=False):
    """Stated probability (open diamond) and observed rate with its interval of a few groups, one a line, joined.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        A curve with a single bin for each group.
    ax : Axes, optional
        Where to draw; a new figure by default.
    words : (str, str), default ("stated", "observed, 95 % interval")
        Words of the legend.
    numbers : bool, default False
        Whether each mark has its percentage beside it, above the line of its group.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    place = np.arange(len(curves))[::-1]
    names = ("stated", "observed", "low", "high", "count")
    stated, observed, low, high, count = ([getattr(one, name)[0] for one in curves.values()] for name in names)
    bars = np.maximum([np.subtract(observed, low), np.subtract(high, observed)], 0)
    ax.hlines(place, stated, observed, color=GREY, linewidth=4, alpha=0.35, zorder=0)
    ax.plot(stated, place, label=words[0], **STATED.dots())
    ax.errorbar(observed, place, xerr=bars, label=words[1], **OBSERVED.dots(capsize=3))
    for mine, other, color in ((stated, observed, STATED.color), (observed, stated, OBSERVED.color)):
        for x, beyond, y in zip(mine, other, place, strict=True) if numbers else ():
            side = "right" if x < beyond else "left"
            away = {"xytext": (-2 if x < beyond else 2, 5), "textcoords": "offset points"}
            ax.annotate(f"{100 * x:.0f} %", (x, y), ha=side, va="bottom", color=ink(color), **away)
    ax.set_yticks(place, [f"{as_written(name)}\n({n:,})" for name, n in zip(curves, count, strict=True)])
    ax.set(ylim=(-0.6, len(curves) - 0.4), xlabel="probability")
    percent(ax.xaxis)
    legend_on_top(ax)
    return ax


def plot_scores_and_truth(sample, ax=None, *, most=2000, people=None):
    """True against stated probability of single rows: calibrated scores lie on the diagonal on average only.

    Parameters
    ----------
    sample : Sample
        Scores `p` and true probabilities `q`.
    ax : Axes, optional
        Where to draw; a new figure by default.
    most : int, default 2000
        Number of rows that are drawn.
    people : dict of str to (float, float), optional
        Stated and true probability of rows that are marked with their names.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    rows = slice(0, most)
    above = sample.q[rows] >= sample.p[rows]
    kinds = ((above, UP, "told too little", (0.03, 0.94)), (~above, DOWN, "told too much", (0.58, 0.06)))
    for mask, look, words, place in kinds:
        style = {"s": 9, "color": look.color, "marker": look.marker, "alpha": 0.5, "linewidth": 0}
        ax.scatter(sample.p[rows][mask], sample.q[rows][mask], **style)
        ax.text(*place, words, color=ink(look.color), transform=ax.transAxes, va="center")
    diagonal(ax)
    ax.set(xlim=(0, 1), ylim=(-0.02, 1), xlabel="stated probability", ylabel="true probability")
    percent(ax.xaxis, ax.yaxis)
    for name, (p, q) in (people or {}).items():
        ax.scatter(p, q, s=46, facecolor="white", edgecolor="black", linewidth=1.4, zorder=3)
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
        place = {"xytext": (0, -17), "textcoords": "offset points", "ha": "center", "va": "center"}
        ax.annotate(f"{as_written(name)}: {100 * q:.0f} %", (p, q), weight="bold", bbox=box, **place)
    return ax


def plot_residuals(X, residual, ax=None, *, strongest=0.4, most=4000):
    """What is left of each row, by two features: up where the score says too little, down where too much.

    Parameters
    ----------
    X, residual : DataFrame or array, shape (n, 2) and (n,)
        The features, and truth less score; the stronger the colour, the further from zero.
    ax : Axes, optional
        Where to draw; a new figure by default.
    strongest, most : float and int, default 0.4 and 4000
        Residual with the full colour, and the number of rows that are drawn.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    x1, x2 = np.asarray(X, dtype=float)[:most].T
    residual = np.asarray(residual)[:most]
    for up, look in ((True, UP), (False, DOWN)):
        mask = (residual >= 0) == up
        strength = np.clip(np.abs(residual[mask]) / strongest, 0.04, 1)
        ax.scatter(x1[mask], x2[mask], s=12, color=look.color, marker=look.marker, alpha=strength, linewidth=0)
    names = list(getattr(X, "columns", ("x1", "x2")))
    ax.set(xlabel=as_written(names[0]), ylabel=as_written(names[1]))
    return ax
