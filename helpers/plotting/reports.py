"""Figures of the report on scores: rates in bins, and a calibration curve with its band."""

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from helpers.plotting.style import GREEN, GREY, NARROW, OBSERVED, STATED, axes_for, ink, name_lines, percent

MANY_DECADES = 300  # ratio of the ends of an axis from which only powers of ten are written
FOOT = 0.12  # share of the height for a histogram below a curve


def plot_reliability_close(curve, ax=None, *, log=False, threshold=None, typical=0.0, apart=""):
    """Observed rate of each bin with its interval beside what was stated; axes end where the results do.

    Parameters
    ----------
    curve : ReliabilityCurve
        Bins with their rates and intervals.
    ax : Axes, optional
        Where to draw; a new figure by default.
    log : bool, default False
        Whether both axes are logarithmic, for rare events.
    threshold : float, optional
        Probability from which somebody acts: a line with its number.
    typical : float, default 0
        Typical difference of the two rates, without what chance adds: a band on both sides of what was stated, in place
        of a grey bar from it to each rate.
    apart : str, optional
        Half the height of this band, in words.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (NARROW, 4.1))
    ends = _ends(curve, curve.stated, log)
    _along_the_diagonal(ax, ends, log, threshold)
    ax.set(xlabel="stated probability", ylim=ends)
    seen = np.clip(ends, 0, 1)
    ax.plot(seen, seen, label="stated", **STATED.line(linewidth=1))
    bars = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)
    if typical:
        along = np.geomspace(*seen, 101) if log else np.linspace(*seen, 101)
        ax.fill_between(along, along - typical, along + typical, color=GREY, alpha=0.3, linewidth=0, zorder=0)
        _name_band(ax, curve.stated, ends, typical, apart, log)
    else:
        ax.vlines(curve.stated, curve.stated, curve.observed, color=GREY, linewidth=6, alpha=0.5, zorder=0)
    ax.errorbar(curve.stated, curve.observed, yerr=bars, **OBSERVED.dots(markersize=5, capsize=2))
    name_lines(ax)
    return ax


def _name_band(ax, stated, ends, typical, words, log):
    """Words beside the band, below it, where the dots leave most room; above it where nothing is below."""
    ends = np.log(ends) if log else ends
    steps = np.sort(np.r_[ends[0], np.log(stated) if log else stated])
    widest = np.diff(steps).argmax()
    place = steps[widest : widest + 2].mean()
    place = np.exp(place) if log else place
    low, (bottom, _) = place - typical, ax.get_ylim()
    style = {"color": ink(GREY), "textcoords": "offset points"}
    if low > bottom:
        ax.annotate(words, (place, low), xytext=(7, -3), va="center", **style)
    else:
        ax.annotate(words, (place, place + typical), xytext=(-7, 3), va="center", ha="right", **style)


def plot_monotone(curve, scores, ax=None, *, log=False, threshold=None):
    """Isotonic calibration curve with a band for the whole curve, and a histogram of the scores below it.

    What is stated is what is observed on the dashed line.
    """
    ax = axes_for(ax, (NARROW, 4.1))
    stated = curve.stated
    ends = _ends(curve, scores, log)
    _along_the_diagonal(ax, ends, log, threshold)
    ax.set_xlabel("stated probability (bars: how many cases)")
    foot = ax.inset_axes([0, 0, 1, 0.9 * FOOT])
    places = np.geomspace(*ends, 61) if log else np.linspace(*ends, 61)
    foot.hist(np.clip(scores, *ends), bins=places, color=GREY, alpha=0.5, linewidth=0)
    foot.set(xlim=ends, xscale="log" if log else "linear")
    foot.set_axis_off()
    ratio = FOOT / (1 - FOOT)  # the bars have a strip of their own, so that they hide nothing of the band
    below = ends[0] * (ends[0] / ends[1]) ** ratio if log else ends[0] - ratio * (ends[1] - ends[0])
    ax.set_ylim(below, ends[1])
    ax.fill_between(stated, curve.low, curve.high, color=OBSERVED.color, alpha=0.2, linewidth=0)
    ax.plot(stated, curve.observed, label="observed", **OBSERVED.line())
    seen = [max(stated[0], ends[0]), stated[-1]]
    ax.plot(seen, seen, label="stated", **STATED.line(linewidth=1))
    name_lines(ax)
    return ax


def _along_the_diagonal(ax, ends, log, threshold):
    """Axes of observed rates against stated probabilities, with a line at a threshold."""
    if threshold is not None and ends[0] < threshold < ends[1]:
        ax.axvline(threshold, color=GREEN, linewidth=1.2, linestyle="-.")
        style = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center", "color": ink(GREEN)}
        top = ax.get_xaxis_transform()
        ax.annotate(f"your threshold, {100 * threshold:.2g} %", (threshold, 1), xycoords=top, **style)
    if log:
        ax.set(xscale="log", yscale="log")
    ax.set(xlim=ends, ylim=ends, ylabel="observed rate")
    _rates(ends, log, ax.xaxis, ax.yaxis)
    ax.set_yticks([tick for tick in ax.get_yticks() if ends[0] <= tick <= ends[1]])


def _ends(curve, scores, log):
    """Where the axes of a calibration curve end; a logarithmic one leaves out the lowest scores, one in a hundred."""
    seen = np.concatenate([curve.stated, curve.observed, curve.low, curve.high])
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
            axis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:g} %"))
            axis.set_minor_formatter(NullFormatter())
        else:
            percent(axis, decimals=0 if ends[1] - ends[0] > 0.1 else None)
