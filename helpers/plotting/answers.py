"""Figures of the report on sampled answers, narrow enough for a telephone."""

import numpy as np
from matplotlib import pyplot as plt

from helpers.plotting.style import (
    NAIVE,
    NARROW,
    OBSERVED,
    as_written,
    axes_for,
    diagonal,
    legend_of_panels,
    name_lines,
    percent,
    series,
    settings_along,
)

FEW = 10  # questions of a dot, below which it is hollow; and those that a curve of kept answers begins with


def plot_confidences(curves):
    """Reliability diagrams of several confidences, one below the other, with bands and intervals.

    Numbers along the foot say how many questions a dot stands for; dots of fewer than ten are hollow and, beside
    three or more others, without a band.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        One curve for each name of a confidence.

    Returns
    -------
    matplotlib.figure.Figure
        The new figure.
    """
    fig, axes = plt.subplots(len(curves), figsize=(NARROW, 0.5 + 1.85 * len(curves)), squeeze=False)
    for ax, (name, curve) in zip(axes[:, 0], curves.items(), strict=True):
        diagonal(ax, label="right as often as said")
        many = curve.count >= FEW
        band = {"color": NAIVE.color, "alpha": 0.25, "linewidth": 0, "label": "a perfect one, 95 %"}
        ends = many if many.sum() > 2 else curve.count > 0
        ax.fill_between(curve.stated[ends], curve.band_low[ends], curve.band_high[ends], **band)
        for rows, fill, label in (
            (many, OBSERVED.color, "share right, 95 % interval"),
            (~many, "white", f"of fewer than {FEW}"),
        ):
            if not rows.any():
                continue
            bars = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)[:, rows]
            style = OBSERVED.dots(markersize=5, capsize=2, markerfacecolor=fill, alpha=0.5 if fill == "white" else 1)
            ax.errorbar(curve.stated[rows], curve.observed[rows], yerr=bars, label=label, **style)
        for x, count in zip(curve.stated, curve.count, strict=True):
            ax.annotate(f"{count:,}", (x, -0.16), ha="center", va="center", color="0.35")
        ax.set(xlabel=as_written(name), ylabel="share right", xlim=(-0.02, 1.02), ylim=(-0.28, 1.04))
        ax.set_yticks(np.linspace(0, 1, 3))
        percent(ax.xaxis, ax.yaxis)
    legend_of_panels(fig, ncols=2)
    return fig


def plot_kept(curves, kept, reject_cost=None, ax=None):
    """Share of wrong answers among those kept, against the share that is kept, surest first; a line a confidence.

    Parameters
    ----------
    curves : dict of str to RiskCoverageCurve
        One curve for each name of a confidence, from all questions on the left; its end, at the surest ten questions
        or 5 %, bears the name.
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
        if name not in kept:
            continue
        mark = series(k).dots(markersize=8)
        ax.plot(*kept[name], markeredgecolor="black", zorder=3, **mark)
        ax.annotate("promise", kept[name], xytext=(-8, -4), textcoords="offset points", ha="right", va="top")
    if reject_cost is not None:
        style = {"color": "black", "linestyle": ":", "linewidth": 1.3}
        ax.plot([1.02, 0], [reject_cost] * 2, label="handing over", **style)
    ax.set(xlim=(1.02, 0), xlabel="share of the questions that is answered", ylabel="wrong among the answers")
    ax.set_ylim(0, None)
    percent(ax.xaxis, ax.yaxis)
    name_lines(ax)
    return ax


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
    ax.plot(x, sizes["right" if known else "same"], **OBSERVED.both(markersize=5))
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
