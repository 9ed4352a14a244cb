"""Figures of the report on scores: a calibration curve with its band, rates along each feature, what decisions save."""

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from helpers.plotting.style import BLUE, GREEN, GREY, ORANGE, as_written, axes_for, legend_on_top, percent, plt

WIDTH = 6.4  # inches
MANY_DECADES = 300  # ratio of the ends of an axis from which only powers of ten are written
LETTERS = 30  # of the words beside a row


def plot_monotone(curve, scores, ax=None, *, log=False):
    """Isotonic calibration curve with a band for the whole curve, and a histogram of the scores along the foot.

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

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (6.4, 4.8))
    stated = curve.stated
    ends = _ends(curve, scores, log)
    label = f"where the true curve lies ({curve.level:.0%})"
    ax.fill_between(stated, curve.low, curve.high, color=BLUE, alpha=0.2, linewidth=0, label=label)
    ax.plot(stated, curve.observed, color=BLUE, linewidth=2, label="observed (isotonic)")
    ax.plot([0, 1], [0, 1], color="black", linewidth=1, linestyle="--", label="stated = observed")
    if log:
        ax.set(xscale="log", yscale="log")
    ax.set(xlim=ends, ylim=ends, xlabel="stated probability (bars: how many cases)", ylabel="observed rate")
    foot = ax.inset_axes([0, 0, 1, 0.1])
    places = np.geomspace(*ends, 61) if log else np.linspace(*ends, 61)
    foot.hist(np.clip(scores, *ends), bins=places, color=GREY, alpha=0.5, linewidth=0)
    foot.set(xlim=ends, xscale="log" if log else "linear")
    foot.set_axis_off()
    _rates(ends, log, ax.xaxis, ax.yaxis)
    ax.legend(loc="upper left")
    return ax


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
    inches = [0.26 * len(panel) + 0.75 for panel in panels.values()]
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(WIDTH, sum(inches) + 0.4), squeeze=False, gridspec_kw={"height_ratios": inches}
    )
    for ax, (name, panel) in zip(axes[:, 0], panels.items(), strict=True):
        _plot_feature(ax, name, panel, log)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def _plot_feature(ax, name, panel, log):
    place = np.arange(len(panel))[::-1]
    reach = [panel["observed"] - panel["low"], panel["high"] - panel["observed"]]
    ax.errorbar(
        panel["observed"], place, xerr=np.maximum(reach, 0), fmt="o", color=BLUE, markersize=4, capsize=2,
        label="observed, with an interval",
    )  # fmt: skip
    ax.plot(panel["calibrated"], place, "D", color=ORANGE, fillstyle="none", markersize=6, label="recalibrated")
    ax.plot(panel["stated"], place, "|", color="black", markersize=11, label="stated")
    ax.set_yticks(place, [_cut(as_written(level)) for level in panel["level"]])
    ax.set(title=_cut(as_written(name)), ylim=(-0.6, len(panel) - 0.4))
    if log:
        ax.set_xscale("log")
    _rates(ax.get_xlim(), log, ax.xaxis)


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
    ax.axhline(0, color="black", linewidth=0.8, label="always no")
    ax.axvline(threshold, color="black", linewidth=1, linestyle=":")
    highest = 100 * curve[["stated_high", "recalibrated", "repaired"]].to_numpy().max()
    lowest = 100 * curve[["stated_low"]].to_numpy().min()
    pad = 0.08 * (highest - min(lowest, 0))
    ax.set(ylim=(min(lowest, 0) - pad, highest + pad), xlim=(t.min(), t.max()))
    ax.set(xlabel="threshold: say yes from this probability on", ylabel="saved of 100 cases, in your unit")
    percent(ax.xaxis)
    legend_on_top(ax, ncols=3)
    return ax
