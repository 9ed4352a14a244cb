"""Figures of the report on sampled answers, narrow enough for a telephone."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

from helpers.plotting.reliability import plot_reliability
from helpers.plotting.style import (
    BLUE,
    GREEN,
    GREY,
    LINES,
    MARKERS,
    ORANGE,
    RED,
    as_written,
    axes_for,
    legend_on_top,
    percent,
)

WIDTH = 5.6  # inches

COLOURS = (BLUE, ORANGE, GREEN)


def plot_confidences(curves):
    """Reliability diagrams of several confidences, one below the other, with bands and intervals.

    Bars along the foot say how many questions there are.

    Parameters
    ----------
    curves : dict of str to ReliabilityCurve
        One curve for each name of a confidence.

    Returns
    -------
    matplotlib.figure.Figure
        The new figure.
    """
    fig, axes = plt.subplots(len(curves), figsize=(WIDTH, 0.5 + 2.9 * len(curves)), sharex=True, squeeze=False)
    for ax, (name, curve) in zip(axes[:, 0], curves.items(), strict=True):
        plot_reliability(curve, ax)
        handles, labels = ax.get_legend_handles_labels()
        ax.get_legend().remove()
        ax.set(title=as_written(name), xlabel="", ylabel="right", xlim=(-0.02, 1.02), ylim=(-0.03, 1.03))
        percent(ax.xaxis, ax.yaxis)
    axes[-1, 0].set_xlabel("confidence (bars: how many questions)")
    words = {"stated = observed": "right as often as said", "a calibrated model (95 %)": "band of a perfect one (95 %)"}
    words["observed rate, 95 % interval"] = "share right, 95 % interval"
    labels = [words.get(label, label) for label in labels]
    fig.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=8.5)
    return fig


def plot_kept(curves, kept, ax=None):
    """Share of wrong answers among those kept, against the share that is kept, surest first; a line a confidence.

    Parameters
    ----------
    curves : dict of str to RiskCoverageCurve
        One curve for each name of a confidence.
    kept : dict of str to (float, float)
        Share answered and share wrong among these at the cost of a refusal, marked for some of the names; NaN is not
        drawn.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (WIDTH, 3.9))
    for k, (name, curve) in enumerate(curves.items()):
        style = {"color": COLOURS[k % 3], "linestyle": LINES[k % len(LINES)], "linewidth": 1.8}
        ax.step(
            np.r_[0, curve.coverage], np.r_[curve.risk[0], curve.risk], where="pre", label=as_written(name), **style
        )
        if name not in kept:
            continue
        mark = {"marker": MARKERS[k % len(MARKERS)], "markersize": 8 - k, "color": COLOURS[k % 3], "linestyle": "none"}
        ax.plot(*kept[name], markeredgecolor="black", zorder=3, **mark)
    ax.set(xlim=(0, 1.02), xlabel="share of the questions that is answered", ylabel="wrong among the answers")
    ax.set_ylim(0, None)
    percent(ax.xaxis, ax.yaxis)
    ax.plot([], [], "o", color="white", markeredgecolor="black", label="where refusing begins to pay")
    legend_on_top(ax)
    return ax


def plot_votes(sizes, best=None):
    """Votes of few and many answers: above the share right, below what 100 questions cost.

    Parameters
    ----------
    sizes : DataFrame
        Columns size, right, cost, total and their _low, _high. Where nothing is known to be right, these columns are
        NaN and the chance of the same vote as all answers is drawn alone.
    best : int, optional
        Size of the cheapest vote, marked.

    Returns
    -------
    matplotlib.figure.Figure
        The new figure.
    """
    known = sizes["right"].notna().any()
    fig, axes = plt.subplots(1 + known, figsize=(WIDTH, 5.6 if known else 3.2), sharex=True, squeeze=False)
    x = sizes["size"]
    name = "right" if known else "same"
    _band(axes[0, 0], x, sizes, name, 1, BLUE, MARKERS[0], "-", "")
    axes[0, 0].set_ylabel("vote is right" if known else "same vote as all")
    wide = np.ptp(axes[0, 0].get_ylim()) > 0.05
    axes[0, 0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0 if wide else 1))
    if known:
        low = axes[1, 0]
        low.plot(
            x, 100 * sizes["cost"], color=GREY, linestyle="--", marker=MARKERS[1], markersize=4, label="answers alone"
        )
        _band(low, x, sizes, "total", 100, ORANGE, MARKERS[2], "-", "with the samples")
        if best is not None:
            row = sizes[x == best].iloc[0]
            low.plot(best, 100 * row["total"], "*", color="black", markersize=13, zorder=4, label="cheapest")
        low.set_ylabel("wrong answers in 100,\nor their worth")
        low.set_ylim(0, None)
        low.legend(loc="lower right", ncols=3, fontsize=8.5)
    foot = axes[-1, 0]
    foot.set_xscale("log")
    ticks = [size for size in x if len(x) <= 10 or size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)]
    foot.set_xticks(ticks, [f"{size:,}" for size in ticks])
    foot.minorticks_off()
    foot.set_xlabel("answers that vote")
    return fig


def _band(ax, x, sizes, name, scale, color, marker, line, label):
    """A marked line with its 95 % band."""
    ends = (scale * sizes[f"{name}_{end}"] for end in ("low", "high"))
    ax.fill_between(x, *ends, color=color, alpha=0.2, linewidth=0)
    style = {"color": color, "marker": marker, "linestyle": line, "markersize": 5}
    ax.plot(x, scale * sizes[name], label=label or None, **style)


_STYLE = {"Sem1": (ORANGE, "o", "-"), "Sem2": (BLUE, "s", "--"), "stated": (GREY, "^", ":")}

_MORE = (GREEN, RED, GREY, BLUE, ORANGE)


def _look(name, k):
    """Colour, mark and line of a source; others get what is left."""
    return _STYLE.get(name, (_MORE[k % 5], MARKERS[(k + 2) % 6], LINES[(k + 2) % 6]))


def plot_answer_lines(x, lines, ax=None, *, xlabel, ylabel, spread=None, level=None, title=None, log=False):
    """One line a name against x, with bars.

    Parameters
    ----------
    x : sequence of float
        Places on the axis.
    lines : dict of str to sequence of float
        Heights, one line a name.
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel : str
        Words on the x axis.
    ylabel : str
        Words on the y axis.
    spread : dict of str to sequence of float, optional
        Half lengths of the bars of some lines.
    level : (str, float), optional
        Name and height of a dashed line across.
    title : str, optional
        Title of the panel.
    log : bool, default False
        Whether both axes are logarithmic.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    if level is not None:
        ax.axhline(level[1], color="black", linewidth=1, linestyle=(0, (6, 3)), label=level[0])
    for k, (name, values) in enumerate(lines.items()):
        color, marker, style = _look(name, k)
        reach = None if spread is None or name not in spread else spread[name]
        options = {"color": color, "marker": marker, "linestyle": style, "markersize": 5, "capsize": 2}
        ax.errorbar(x, values, yerr=reach, label=as_written(name), **options)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if log:
        ax.set(xscale="log", yscale="log")
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else ""))
    if title:
        ax.set_title(title)
    ax.legend(loc="best")
    return ax


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
