"""Figures of the report on scores: a calibration curve with its band, rates along each feature, what decisions save."""

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from helpers.plotting.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    as_written,
    axes_for,
    legend_of_panels,
    legend_on_top,
    percent,
    plt,
)

WIDTH = 6.4  # inches
MANY_DECADES = 300  # ratio of the ends of an axis from which only powers of ten are written
LETTERS = 30  # of the words beside a row
FOOT = 0.12  # share of the height for a histogram below a curve


def plot_monotone(curve, scores, ax=None, *, log=False, threshold=None):
    """Isotonic calibration curve with a band for the whole curve, and a histogram of the scores below it.

    Parameters
    ----------
    curve : MonotoneCurve
        Curve and band.
    scores : (n,) array of float
        Stated probabilities.
    ax : Axes, optional
        Where to draw; a new figure by default.
    log : bool, default False
        Whether both axes are logarithmic, for rare events.
    threshold : float, optional
        Score from which yes is said.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (6.4, 5.2))
    stated = curve.stated
    ends = _ends(curve, scores, log)
    label = f"where the true curve lies ({100 * curve.level:.0f} %)"
    ax.fill_between(stated, curve.low, curve.high, color=BLUE, alpha=0.2, linewidth=0, label=label)
    ax.plot(stated, curve.observed, color=BLUE, linewidth=2, label="observed: the best rising curve")
    seen = [max(stated[0], ends[0]), stated[-1]]
    ax.plot(seen, seen, color="black", linewidth=1, linestyle="--", label="stated = observed")
    if threshold is not None and ends[0] < threshold < ends[1]:
        ax.axvline(threshold, color=GREEN, linewidth=1.2, linestyle="-.", label=_of_threshold(threshold))
    if log:
        ax.set(xscale="log", yscale="log")
    ax.set(xlim=ends, ylim=ends, xlabel="stated probability (bars: how many cases)", ylabel="observed rate")
    foot = ax.inset_axes([0, 0, 1, 0.9 * FOOT])
    places = np.geomspace(*ends, 61) if log else np.linspace(*ends, 61)
    foot.hist(np.clip(scores, *ends), bins=places, color=GREY, alpha=0.5, linewidth=0)
    foot.set(xlim=ends, xscale="log" if log else "linear")
    foot.set_axis_off()
    _rates(ends, log, ax.xaxis, ax.yaxis)
    ax.set_yticks([tick for tick in ax.get_yticks() if ends[0] <= tick <= ends[1]])
    ratio = FOOT / (1 - FOOT)  # the bars have a strip of their own, so that they hide nothing of the band
    below = ends[0] * (ends[0] / ends[1]) ** ratio if log else ends[0] - ratio * (ends[1] - ends[0])
    ax.set_ylim(below, ends[1])
    legend_on_top(ax, ncols=2)
    return ax


def _of_threshold(threshold):
    """The threshold in use in a legend: two digits for one below 10 %."""
    return f"your threshold ({100 * threshold:.2g} %)"


def _ends(curve, scores, log):
    """Where the axes of a calibration curve end; a logarithmic one leaves out the lowest scores, one in a hundred."""
    seen = np.concatenate([curve.stated, curve.observed, curve.low[[0, -1]], curve.high[[0, -1]]])
    if log:
        least = [np.quantile(scores, 0.01), curve.observed[curve.observed > 0].min()]
        return max(min(least) / 1.5, 1e-5), min(seen.max() * 1.25, 1.0)
    pad = 0.03 * (seen.max() - seen.min())
    return max(seen.min() - pad, -0.02), min(seen.max() + pad, 1.02)


def _rates(ends, log, *axes):
    """Numbers along axes of probabilities in per cent, with as many digits as it takes."""
    for axis in axes:
        if log:
            few = ends[1] / max(ends[0], 1e-9) < MANY_DECADES
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
            axis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:g}%"))
            axis.set_minor_formatter(NullFormatter())
        else:
            axis.set_major_formatter(PercentFormatter(1, decimals=0 if ends[1] - ends[0] > 0.1 else None))


def plot_features(panels, *, log=False):
    """Stated and observed rates along each feature, one panel a feature.

    Parameters
    ----------
    panels : dict of str to DataFrame
        Rows of each: level, n, stated, calibrated, observed, low, high.
    log : bool, default False
        Whether the axes of rates are logarithmic.

    Returns
    -------
    matplotlib.figure.Figure
        A panel a feature, one below the other.
    """
    inches = [0.26 * len(panel) + 0.9 for panel in panels.values()]
    figure, axes = plt.subplots(
        len(panels),
        1,
        figsize=(WIDTH, sum(inches) + 0.7),
        squeeze=False,
        sharex=True,
        gridspec_kw={"height_ratios": inches},
    )
    for ax, (name, panel) in zip(axes[:, 0], panels.items(), strict=True):
        _plot_feature(ax, name, panel)
    if log:
        axes[0, 0].set_xscale("log")
    last = axes[-1, 0]
    _rates(last.get_xlim(), log, last.xaxis)
    for ax in axes[:, 0]:
        ax.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.6)
        ax.set_axisbelow(True)
        ax.tick_params(labelbottom=True)  # numbers below each panel: the last one may be a page away
    last.set_xlabel("rate: stated, recalibrated, and observed (cases in brackets)")
    legend_of_panels(figure)
    return figure


def _plot_feature(ax, name, panel):
    place = np.arange(len(panel))[::-1]
    beyond = ((panel["low"] > panel["calibrated"]) | (panel["high"] < panel["calibrated"])).to_numpy()
    for rows, face, label in ((~beyond, "white", "observed, 95 %"), (beyond, BLUE, "observed, a gap beyond chance")):
        if not rows.any():
            continue
        some = panel[rows]
        bars = [some["observed"] - some["low"], some["high"] - some["observed"]]
        ax.errorbar(
            some["observed"], place[rows], xerr=np.maximum(bars, 0), fmt="o", color=BLUE, markerfacecolor=face,
            markersize=4.5, capsize=4, label=label,
        )  # fmt: skip
    ax.plot(panel["calibrated"], place, "D", color=ORANGE, fillstyle="none", markersize=7, label="recalibrated")
    ax.plot(panel["stated"], place, "|", color="black", markersize=12, label="stated")
    words = [f"{_cut(as_written(row.level))} ({row.n:,})" for row in panel.itertuples()]
    ax.set_yticks(place, words)
    ax.set_ylim(-0.6, len(panel) - 0.4)
    ax.set_title(_cut(as_written(name)), loc="left", weight="bold")


def _cut(text):
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"


def plot_benefit(curve, threshold, ax=None):
    """Decision curve: what scores save beside never saying yes, at the threshold in use and at others.

    Parameters
    ----------
    curve : DataFrame
        The curve of `Money`.
    threshold : float
        The one in use.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (6.4, 4.4))
    t = curve["threshold"]
    band = {"color": BLUE, "alpha": 0.2, "linewidth": 0, "label": "stated, 95 % interval"}
    ax.fill_between(t, 100 * curve["stated_low"], 100 * curve["stated_high"], **band)
    ways = {"stated": (BLUE, "-"), "recalibrated": (ORANGE, "--"), "repaired": (GREEN, "-.")}
    for way, (color, line) in ways.items():
        ax.plot(t, 100 * curve[way], color=color, linestyle=line, linewidth=1.8, label=way)
    ax.plot(t, 100 * curve["always yes"], color=GREY, linestyle=":", linewidth=1.8, label="always yes")
    ax.axhline(0, color=GREY, linewidth=1.8, linestyle=(0, (6, 2)), label="always no")
    ax.axvline(threshold, color="black", linewidth=1, linestyle="-.", label=_of_threshold(threshold))
    highest = 100 * curve[["stated_high", "recalibrated", "repaired"]].to_numpy().max()
    lowest = 100 * curve[["stated_low"]].to_numpy().min()
    pad = 0.08 * (highest - min(lowest, 0))
    ax.set(ylim=(min(lowest, 0) - pad, highest + pad), xlim=(t.min(), t.max()))
    ax.set_xlabel("threshold: say yes from this probability on")
    ax.set_ylabel("saved beside always no,\n100 cases, in your unit")
    percent(ax.xaxis)
    legend_on_top(ax, ncols=3)
    return ax
