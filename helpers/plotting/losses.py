"""Figures of losses: their three parts side by side, and how they change."""

import numpy as np

from helpers.plotting.style import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE, axes_for

_PARTS = (("calibration", ORANGE, "//"), ("grouping", BLUE, ".."), ("irreducible", GREY, ""))


def plot_parts(parts, ax=None, *, xlabel="expected loss"):
    """One bar for each `Decomposition` of `parts`, {name: Decomposition}, in three hatched segments with their values.

    Raises ValueError for an infinite part: no bar is long enough.
    """
    values = {part: [getattr(one, part) for one in parts.values()] for part, _, _ in _PARTS}
    infinite = [name for name, one in parts.items() if not np.isfinite(one.total)]
    if infinite:
        raise ValueError(f"parts must be finite to be drawn, but those of {infinite[0]!r} are not.")
    ax = axes_for(ax, (6.8, 0.6 * len(parts) + 1.4))
    place, left = np.arange(len(parts))[::-1], np.zeros(len(parts))
    longest = max(one.total for one in parts.values())
    for part, color, hatch in _PARTS:
        width = np.array(values[part])
        ax.barh(place, width, 0.6, left=left, color=color, hatch=hatch, edgecolor="white", linewidth=0.8, label=part)
        for y, x, w in zip(place, left, width, strict=True):
            if w > 0.09 * longest:
                box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5}
                ax.text(x + w / 2, y, f"{w:.3f}", ha="center", va="center", fontsize=9, bbox=box)
        left = left + width
    ax.set_yticks(place, list(parts))
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=xlabel, ylim=(-0.6, len(parts) - 0.4), xlim=(0, 1.02 * longest))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax


def plot_bars(table, ax=None, *, ylabel="", form="{:.0f}"):
    """Bars in groups: one group for each row of `table`, one hatched bar for each column, its value above it."""
    ax = axes_for(ax)
    width = 0.8 / table.shape[1]
    for k, (name, color, hatch) in enumerate(
        zip(table, (GREY, ORANGE, BLUE, GREEN), ("", "//", "..", "xx"), strict=False)
    ):
        x = np.arange(len(table)) + (k - (table.shape[1] - 1) / 2) * width
        bars = ax.bar(x, table[name], 0.9 * width, color=color, hatch=hatch, edgecolor="white", label=name)
        ax.bar_label(bars, labels=[form.format(value) for value in table[name]], padding=2, fontsize=9)
    ax.set_xticks(np.arange(len(table)), list(table.index))
    ax.tick_params(axis="x", length=0)
    ax.set(ylabel=ylabel)
    ax.margins(y=0.12)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=table.shape[1])
    return ax


def plot_stacked_parts(table, ax=None, *, xlabel="", total="expected loss"):
    """The parts as bands one above the other: `table` has some of the columns calibration, grouping, irreducible, and
    an index of numbers along the x axis; the line on top is called `total`.
    """
    ax = axes_for(ax)
    foot = np.zeros(len(table))
    for part, color, hatch in [one for one in _PARTS[::-1] if one[0] in table]:
        top = foot + table[part].to_numpy()
        ax.fill_between(table.index, foot, top, color=color, hatch=hatch, edgecolor="white", alpha=0.85, label=part)
        foot = top
    ax.plot(table.index, foot, color="black", marker="o", markersize=4, label=total)
    ax.set(xlabel=xlabel, ylabel="loss", xlim=(table.index.min(), table.index.max()), ylim=(0, 1.08 * foot.max()))
    handles, words = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], words[::-1], loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    return ax


def plot_changes(changes, intervals, ax=None, *, within=0.0, xlabel="change", mark=()):
    """One line of points for each group, with the mean and its interval below them, and a grey band around no change.

    Parameters
    ----------
    changes : {group: Series of changes, indexed by name}
    intervals : {group: `Interval` of the mean}
    within : half width of the band: what rounding alone may do
    mark : names that are written beside their points
    """
    ax = axes_for(ax, (7.6, 0.95 * len(changes) + 1.2))
    ax.axvspan(-within, within, color=GREY, alpha=0.22, linewidth=0, label="rounding alone")
    ax.axvline(0, color=GREY, linewidth=1, linestyle="--")
    for row, (name, values) in enumerate(changes.items()):
        y, one = len(changes) - 1 - row, intervals[name]
        order = values.groupby(values.round(9)).cumcount()
        order = order * min(0.06, 0.75 / max(order.max(), 1))  # as high as there is room
        ax.plot(
            values,
            y + 0.02 + order,
            "o",
            color=BLUE,
            markersize=4,
            alpha=0.75,
            linewidth=0,
            label="one network" if not row else None,
        )
        ends = [[one.value - one.low], [one.high - one.value]]
        ax.errorbar(
            one.value,
            y - 0.15,
            xerr=ends,
            fmt="D",
            color=ORANGE,
            capsize=3,
            markersize=5,
            label="mean, 95 % interval" if not row else None,
        )
        for who in mark:
            if who in values:
                spot = (values[who], y + 0.02 + order[who])
                ax.annotate(who, spot, xytext=(0, 7), textcoords="offset points", ha="center", fontsize=9)
    ax.set_yticks(range(len(changes)), list(changes)[::-1])
    ax.set(xlabel=xlabel, ylim=(-0.5, len(changes) + 0.1))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax


def plot_clouds(clouds, ax=None, *, xlabel="", ylabel=""):
    """Points of a few groups, {name: (x, y)}, each with a mark of its own."""
    ax = axes_for(ax)
    for (name, (x, y)), color, marker in zip(clouds.items(), (BLUE, ORANGE, GREEN, "black"), MARKERS, strict=False):
        ax.plot(x, y, marker, color=color, markersize=5, alpha=0.8, label=name, linestyle="none")
    ax.axhline(0, color=GREY, linewidth=1, linestyle=LINES[1])
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()
    return ax
