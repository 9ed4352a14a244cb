"""Figures of the report on sampled answers, narrow enough for a telephone."""

import numpy as np
from matplotlib import pyplot as plt

from helpers.plotting.style import (
    GREY,
    NAIVE,
    NARROW,
    OBSERVED,
    STATED,
    as_written,
    axes_for,
    diagonal,
    ink,
    name_lines,
    percent,
    series,
    settings_along,
)

FEW = 10  # questions of a dot, below which it is hollow; and those that a curve of kept answers begins with


def plot_confidences(curves):
    """Reliability diagrams of several confidences, one below the other, with intervals.

    A grey bar leads from what was said on average, a diamond, to what was right; dots of fewer than ten questions are
    hollow and pale.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        One curve for each name of a confidence.

    Returns
    -------
    matplotlib.figure.Figure
        The new figure.
    """
    fig, axes = plt.subplots(len(curves), figsize=(NARROW, 0.4 + 2.3 * len(curves)), squeeze=False)
    for ax, (name, curve) in zip(axes[:, 0], curves.items(), strict=True):
        diagonal(ax)
        many = curve.count >= FEW
        bars = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)
        for rows, style in ((many, {"alpha": 0.45}), (~many, {"markerfacecolor": "white", "alpha": 0.15})):
            style = OBSERVED.dots(markersize=5, capsize=2) | style
            ax.errorbar(curve.stated[rows], curve.observed[rows], yerr=bars[:, rows], **style)
        said, right = (np.average(rates, weights=curve.count) for rates in (curve.stated, curve.observed))
        ax.vlines(said, said, right, color=GREY, linewidth=6, alpha=0.5, zorder=0)
        ax.plot(said, said, **STATED.dots())
        ax.plot(said, right, **OBSERVED.dots(markersize=8, markeredgecolor="black"))
        words = f"{100 * abs(right - said):.1f} {'too low' if right > said else 'too high'}"
        place = (min(said + 0.04, 0.75), 0.08) if right > said else (max(said - 0.3, 0), 0.92)  # where dots are rare
        line = {"arrowstyle": "-", "color": GREY, "shrinkB": 5}
        ax.annotate(words, (said, said), place, va="center", arrowprops=line)
        ax.set_title(f"{as_written(name)}: {100 * said:.1f} % said, {100 * right:.1f} % right", loc="left")
        ax.set(ylabel="share right", xlim=(-0.02, 1.02), ylim=(-0.03, 1.04), yticks=np.linspace(0, 1, 3))
        percent(ax.xaxis, ax.yaxis)
    axes[-1, 0].set_xlabel("confidence (dashed: as often right as said)")
    return fig


def plot_kept(curves, kept, reject_cost=None, ax=None):
    """Share of wrong answers among those kept, against the share that is kept, surest first; a line a confidence.

    Parameters
    ----------
    curves : dict of str to RiskCoverageCurve
        One curve for each name of a confidence, from all questions on the left; its end, at the surest ten questions
        or 5 %, bears the name. Its heights at all questions and at half of them are written.
    kept : dict of str to (float, float)
        Share answered and share wrong among these where a promise begins, marked for some of the names.
    reject_cost : float, optional
        Cost of a hand-over where a wrong answer costs 1: a dotted line, below which answers cost less on average.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (NARROW, 3.9))
    for k, (name, curve) in enumerate(curves.items()):
        start = min(max(0.05, FEW / curve.n), 1)
        seen = curve.coverage >= start
        ends = np.r_[start, curve.coverage[seen]], np.r_[curve.risk[seen][0], curve.risk[seen]]
        ax.step(*(end[::-1] for end in ends), where="post", label=as_written(name), **series(k).line())
        half = (curve.coverage >= 0.5).argmax()
        less = curve.risk[half] < curve.risk[-1]
        _write(ax, curve.coverage[half], curve.risk[half], "", 7 if less else -7, series(k))
        if name not in kept:
            continue
        mark = series(k).dots(markersize=8)
        ax.plot(*kept[name], markeredgecolor="black", zorder=3, **mark)
        ax.annotate("promise", kept[name], xytext=(-8, -4), textcoords="offset points", ha="right", va="top")
    ax.axvline(0.5, color=GREY, linewidth=0.8, zorder=0)
    top = {"xycoords": ax.get_xaxis_transform(), "ha": "center", "va": "bottom", "color": ink(GREY)}
    ax.annotate("surest half", (0.5, 1), **top)
    if reject_cost is not None:
        style = {"color": "black", "linestyle": ":", "linewidth": 1.3}
        ax.plot([1.02, 0], [reject_cost] * 2, label="handing over", **style)
    _write(ax, 1, curve.risk[-1], "all: ", 22, NAIVE)
    ax.set(xlim=(1.02, 0), xlabel="share of the questions that is answered", ylabel="wrong among the answers")
    ax.set_ylim(0, None)
    percent(ax.xaxis, ax.yaxis)
    name_lines(ax)
    return ax


def _write(ax, x, y, word, up, look):
    """A mark, and its height in per cent so many typographic points above it (below, if negative)."""
    ax.plot(x, y, **look.dots())
    place = {"xytext": (4, up), "textcoords": "offset points", "va": "bottom" if up > 0 else "top"}
    ax.annotate(f"{word}{100 * y:.0f} %", (x, y), color=ink(look.color), **place)


def plot_votes(sizes):
    """Share of right answers of votes of few and many answers, with 95 % bands.

    Parameters
    ----------
    sizes : DataFrame
        Columns size, right, right_low, right_high and same. Where nothing is known to be right, the chance of the same
        answer as all is drawn.

    Returns
    -------
    matplotlib.figure.Figure
        The new figure.
    """
    fig, ax = plt.subplots(figsize=(NARROW, 3.2))
    x = sizes["size"]
    known = sizes["right"].notna().any()
    if known:
        ax.fill_between(x, sizes["right_low"], sizes["right_high"], color=OBSERVED.color, alpha=0.2, linewidth=0)
    shares = sizes["right" if known else "same"]
    ax.plot(x, shares, **OBSERVED.both(markersize=5))
    for end, side in ((0, "left"), (-1, "right")):
        style = {"xytext": (0, 8), "textcoords": "offset points", "ha": side, "color": ink(OBSERVED.color)}
        ax.annotate(f"{100 * shares.iloc[end]:.0f} %", (x.iloc[end], shares.iloc[end]), **style)
    ax.set(xscale="log", xlabel="samples that vote (logarithmic)")
    ax.set_ylabel("vote is right" if known else "same answer as all")
    wide = np.ptp(ax.get_ylim()) > 0.05
    percent(ax.yaxis, decimals=0 if wide else 1)
    ticks = [size for size in x if size in (1, 2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 1000)]
    ticks += [] if x.iloc[-1] in ticks else [x.iloc[-1]]
    settings_along(ax, ticks)
    return fig


def legend_above(fig):
    """One legend for all panels of a figure, above them, with the entries of the first panel.

    Parameters
    ----------
    fig : Figure
        The figure; legends of its panels are removed.

    Returns
    -------
    matplotlib.figure.Figure
        The same figure.
    """
    for ax in fig.axes:
        if ax.get_legend():
            ax.get_legend().remove()
    fig.legend(*fig.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=6)
    return fig
