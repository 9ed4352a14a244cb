"""Figures of an audit: rates of subgroups, subgroups looked at twice, and pools of models."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import PercentFormatter

from helpers.plotting import BLUE, GREY, ORANGE
from helpers.plotting.audit import _wrapped
from helpers.plotting.style import axes_for

KINDS = {"base": (BLUE, "o", "-"), "tuned": (ORANGE, "s", "--")}


def plot_rates(table, ax=None, *, most=8, significant=None):
    """Stated (diamond), calibrated (cross) and observed (dot, 95 % interval) rate of each subgroup of an audit."""
    significant = table.index[table["adjusted"] < 0.05] if significant is None else significant.index
    column = "residual_gap" if "residual_gap" in table else "gap"
    shown = table.loc[table[column].abs().sort_values(ascending=False, kind="stable").index[:most]].sort_values(column)
    ax = axes_for(ax, (8, 0.62 * len(shown) + 1.5))
    place = np.arange(len(shown))
    ax.plot(shown["stated"], place, "D", color=GREY, fillstyle="none", markersize=7, label="stated")
    if "calibrated" in shown:
        ax.plot(shown["calibrated"], place, "x", color="black", markersize=7, label="recalibrated")
    for k, row in zip(place, shown.itertuples(), strict=True):
        is_significant = row.Index in significant
        over = getattr(row, column) < 0
        color = (ORANGE if over else BLUE) if is_significant else GREY
        ends = [[row.gap - row.low], [row.high - row.gap]]
        style = {"fmt": "s" if over else "o", "fillstyle": "full" if is_significant else "none", "capsize": 3}
        ax.errorbar(row.observed, k, xerr=ends, color=color, **style)
    ax.plot([], [], "o", color=BLUE, label="observed: more")
    ax.plot([], [], "s", color=ORANGE, label="observed: less")
    ax.set_yticks(place, [_wrapped(f"{row.rule} ({row.n:,})") for row in shown.itertuples()])
    left, right = ax.get_xlim()
    ax.set(xlim=(max(left, -0.02), min(right, 1.02)), ylim=(-0.6, len(shown) - 0.4), xlabel="probability")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=4)
    return ax


def plot_pool(table, trend=None, ax=None, *, sd="sd", truth=None, xlabel="size", ylabel="grouping loss"):
    """Value of each model against its size (log scale), base and tuned models apart, with LOWESS lines."""
    ax = axes_for(ax)
    for kind, (color, marker, line) in KINDS.items():
        rows = table[table["kind"] == kind]
        if rows.empty:
            continue
        x = rows["size"] * (0.97 if kind == "base" else 1.03)
        bars = None if sd is None else rows[sd]
        ax.errorbar(x, rows["value"], yerr=bars, fmt=marker, color=color, markersize=5, capsize=2, label=kind)
        if truth is not None:
            ax.plot(x, rows[truth], "_", color="black", markersize=9, label="truth" if kind == "base" else None)
        if trend is not None:
            part = trend[trend["kind"] == kind]
            ax.plot(part["size"], part["value"], linestyle=line, color=color, linewidth=1.8)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.set(xscale="log", xlabel=xlabel, ylabel=ylabel)
    ticks = sorted(set(table["size"]))
    if len(ticks) <= 6:
        ax.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    else:
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.minorticks_off()
    ax.legend()
    return ax


def plot_pools(tables, trends, *, xlabel="size"):
    """One panel of `plot_pool` for each table."""
    rows = -(-len(tables) // 3)
    fig, axes = plt.subplots(rows, 3, figsize=(3.7 * 3, 3.2 * rows), squeeze=False)
    for ax, (title, table) in zip(axes.flat, tables.items(), strict=False):
        plot_pool(table, trends[title], ax, xlabel=xlabel, ylabel="grouping loss").set_title(title)
        ax.get_legend().remove()
    for ax in axes.flat[len(tables) :]:
        ax.set_axis_off()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    spare = axes.flat[len(tables)] if len(tables) < axes.size else None
    (spare or fig).legend(handles, labels, loc="center" if spare else "outside lower center")
    return fig
