"""The figure of the binned grouping loss: the diagram of regions."""

import numpy as np
from matplotlib.lines import Line2D

from helpers.plotting.style import DOWN, GREY, NARROW, UNSURE, UP, axes_for, diagonal, percent

# points squared, of the largest region and of those too small to see
FULL_AREA = 130
LEAST_AREA = 16


def plot_grouping_diagram(result, ax=None, *, legend=True, bare=False):
    """Observed rate of every region beside the calibration curve of the bins (the grouping diagram).

    The regions of a bin stand side by side around its mean score, in order of their rates, with 95 % Clopper-Pearson
    intervals; the area of a mark is the number of rows (tiny ones are drawn a little larger). Grey circles: the
    interval holds the rate of the bin. Blue triangles up: the rates of these rows lie above it, orange ones down:
    below. Rows by bin stand along the foot. Empty regions and bins are not drawn.

    Parameters
    ----------
    result : BinnedGroupingLoss
        Estimate with its regions.
    ax : Axes, optional
        Where to draw; a new figure by default.
    legend : bool, default True
        Whether to explain marks and areas.
    bare : bool, default False
        Leave out what is not significant but the marks: edges and rows of bins, and intervals of grey marks.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    References
    ----------
    Perez-Lebel et al. (2023), section 5.2 and figure 5.
    """
    ax = axes_for(ax, (NARROW, 5.2))
    bins = np.flatnonzero(result.bin_count)
    shown = np.flatnonzero(result.count)
    diagonal(ax, label="stated = observed")
    for edge in () if bare else result.edges:
        ax.axvline(edge, color=GREY, linewidth=0.5, alpha=0.3, zorder=0)
    style = {"color": "black", "markersize": 5, "linewidth": 0.8, "label": "rate of the bin"}
    ax.plot(result.bin_stated[bins], result.bin_rate[bins], "s-", **style)
    x = _places(result, shown)
    area = _area(result.count[shown])
    rate = result.rate[shown]
    center = result.bin_rate[result.region_bin[shown]]
    low, high = result.rate_low[shown], result.rate_high[shown]
    kinds = ((low > center, UP, "above its bin"), (high < center, DOWN, "below its bin"))
    kinds += ((~(low > center) & ~(high < center), UNSURE, "not significant at 5 %"),)
    crowded = shown.size > 60
    for mask, look, words in kinds[::-1]:
        faint = 0.3 if look is UNSURE else 0.75
        if not (bare and look is UNSURE):
            ax.vlines(x[mask], low[mask], high[mask], color=look.color, linewidth=0.9 if crowded else 1.3, alpha=faint)
        style = {"color": look.color, "marker": look.marker, "edgecolor": "white", "linewidth": 0.4, "zorder": 3}
        ax.scatter(x[mask], rate[mask], s=area[mask], label=words, **style)
    ax.set(xlim=(0, 1), ylim=(-0.02, 1.02), xlabel="stated probability", ylabel="observed rate")
    if not bare:
        _rows_along_the_foot(ax, result, bins)
        ax.set(ylim=(-0.14, 1.02), xlabel="stated probability (bars: rows of the bin)")
    ax.set_yticks(np.arange(6) / 5)
    percent(ax.xaxis, ax.yaxis)
    if legend:
        _legend_below(ax, result.count[shown])
    return ax


def _places(result, shown):
    """x of each region: side by side around the mean score of its bin, in order of the rates, inside the bin."""
    x = np.empty(shown.size)
    for b in np.unique(result.region_bin[shown]):
        mine = np.flatnonzero(result.region_bin[shown] == b)
        left, right = result.edges[b], result.edges[b + 1]
        half = (right - left) * min(0.08 * (mine.size - 1), 0.42)
        middle = np.clip(result.bin_stated[b], left + half, right - half)
        order = mine[np.argsort(result.rate[shown][mine], kind="stable")]
        x[order] = middle + np.linspace(-half, half, mine.size) if mine.size > 1 else middle
    return x


def _area(count, most=None):
    """Points squared of marks for `count` rows, where the largest region has `most`."""
    return np.maximum(FULL_AREA * np.asarray(count) / (np.max(count, initial=1) if most is None else most), LEAST_AREA)


def _rows_along_the_foot(ax, result, bins):
    foot = ax.inset_axes([0, 0, 1, 0.1], sharex=ax)
    width = np.diff(result.edges)[bins]
    foot.bar(result.edges[bins] + width / 2, result.bin_count[bins], width * 0.9, color=GREY, alpha=0.5, linewidth=0)
    foot.set_axis_off()


def _legend_below(ax, count):
    """What marks mean and how many rows they stand for, below the axes, where it hides no mark and no bar."""
    handles, labels = ax.get_legend_handles_labels()
    handles.append(Line2D([], [], linestyle="none"))  # so that the rows have a column of their own
    labels.append("")
    most = count.max(initial=1)
    style = {"marker": "o", "linestyle": "none", "color": GREY, "markeredgecolor": "white"}
    for size in sorted({_round(part * most) for part in (0.1, 0.4, 1)}):
        handles.append(Line2D([], [], markersize=_area(size, most) ** 0.5, **style))
        labels.append("1 row" if size == 1 else f"{size:,} rows")
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13), "ncols": 3}
    drawn = ax.legend(handles, labels, **place)
    for handle in drawn.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([40])


def _round(size):
    """A whole number with one digit that counts, at least 1."""
    digit = 10 ** int(np.log10(max(size, 1)))
    return max(1, int(size / digit) * digit)
