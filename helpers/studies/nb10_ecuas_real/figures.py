"""Figures of systems that may abstain, measured on real scores: costs, calibration, sampled answers, printed tables."""

import matplotlib.pyplot as plt
import numpy as np

from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE, RED
from helpers.plotting.style import axes_for, legend_on_top, percent

_COLORS = (BLUE, ORANGE, GREEN, RED, "black", GREY, "#8c6bb1", "#a6761d")


def plot_reader_costs(costs):
    """Mean cost against the cost of a refusal, a line for each system, and the line of refusing always.

    Parameters
    ----------
    costs : dict
        Name: table of `expected_cost_at`.

    Returns
    -------
    Axes
        With the drawing.
    """
    ax = axes_for(figsize=(7.2, 4.4))
    gamma = next(iter(costs.values()))["reject_cost"]
    ax.plot(gamma, gamma, color=GREY, linewidth=5, alpha=0.4, label="ask always")
    for k, (name, table) in enumerate(costs.items()):
        style = {"color": _COLORS[k % 8], "linestyle": LINES[k % 6], "marker": MARKERS[k % 6], "markevery": 4}
        ax.plot(table["reject_cost"], table["expected_cost"], markersize=4.5, label=name, **style)
    ax.set(xscale="log", yscale="log", xlabel="cost of asking a clerk", ylabel="mean cost of a letter")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    ax.legend(loc="upper left")
    return ax


def plot_deviations(table, *, tolerance=1e-4):
    """Distance of each measured number from the printed one, a strip for each metric.

    Parameters
    ----------
    table : DataFrame
        Columns metric, distance, kind; `kind` tells marks apart.
    tolerance : float, default 1e-4
        Place of the line. Distances below a hundredth of it are drawn there.

    Returns
    -------
    Axes
        With the drawing.
    """
    ax = axes_for(figsize=(8.4, 4.0))
    metrics = list(dict.fromkeys(table["metric"]))
    for k, (kind, part) in enumerate(table.groupby("kind", sort=False)):
        place = part["metric"].map(metrics.index).to_numpy(float) + np.linspace(-0.25, 0.25, len(part))[::-1]
        style = {"color": _COLORS[k], "marker": MARKERS[k], "linestyle": "none", "markersize": 5, "alpha": 0.8}
        ax.plot(place, part["distance"].clip(tolerance / 100), label=f"{kind} ({len(part)})", **style)
    ax.axhline(tolerance, color="black", linewidth=0.9, linestyle="--", label=f"{tolerance:g}")
    ax.set_xticks(range(len(metrics)), metrics, rotation=35, ha="right")
    ax.set(yscale="log", ylabel="distance from the printed number")
    legend_on_top(ax, 4)
    return ax


def plot_calibration_gains(table, metrics):
    """One panel a metric, a line a system: raw (open) and calibrated (filled) with 95 % intervals.

    Parameters
    ----------
    table : DataFrame
        Columns system, scores ("raw", "calibrated"), metric, value, low, high.
    metrics : dict
        Name: words.

    Returns
    -------
    Figure
        One panel a metric.
    """
    systems = list(dict.fromkeys(table["system"]))[::-1]
    fig, axes = plt.subplots(
        1, len(metrics), figsize=(3.3 * len(metrics) + 1.2, 0.42 * len(systems) + 1.3), sharey=True
    )
    for ax, (metric, words) in zip(np.atleast_1d(axes), metrics.items(), strict=True):
        for k, (kind, color, filled) in enumerate((("raw", ORANGE, "none"), ("calibrated", BLUE, "full"))):
            part = table[(table["metric"] == metric) & (table["scores"] == kind)].set_index("system").loc[systems]
            reach = np.maximum([part["value"] - part["low"], part["high"] - part["value"]], 0)
            place = np.arange(len(systems)) + 0.14 - 0.28 * k
            style = {"fmt": "os"[k], "color": color, "fillstyle": filled, "markersize": 5.5, "capsize": 2}
            ax.errorbar(part["value"], place, xerr=reach, label=kind, **style)
        ax.set(xlabel=words)
        ax.grid(axis="y", alpha=0.3)
        ax.set_xlim(left=min(0, ax.get_xlim()[0]))
    np.atleast_1d(axes)[0].set_yticks(range(len(systems)), systems)
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return fig


def plot_answer_quality(table):
    """ECUAS_n against the temperature at which answers are drawn: a row a kind of scores, a column an n.

    Parameters
    ----------
    table : DataFrame
        Columns scores, system, n, temperature, value.

    Returns
    -------
    Figure
        Panels of lines, one a system.
    """
    kinds = list(dict.fromkeys(table["scores"]))
    exponents = list(dict.fromkeys(table["n"]))
    size = (3.2 * len(exponents) + 1, 2.7 * len(kinds) + 0.8)
    fig, axes = plt.subplots(len(kinds), len(exponents), figsize=size, sharex=True, squeeze=False)
    for row, kind in zip(axes, kinds, strict=True):
        for ax, n in zip(row, exponents, strict=True):
            rows = table[(table["scores"] == kind) & (table["n"] == n)]
            for k, (name, part) in enumerate(rows.groupby("system", sort=False)):
                style = {"color": _COLORS[k % 8], "linestyle": LINES[k % 6], "marker": MARKERS[k % 6]}
                ax.plot(part["temperature"], part["value"], markersize=3, linewidth=1.3, label=name, **style)
            ax.set_title(f"{kind}, n = {n:g}")
            ax.set_ylim(0, max(1.05, 1.02 * ax.get_ylim()[1]))
        row[0].set_ylabel("mean cost of an answer")
    for ax in axes[-1]:
        ax.set_xlabel("temperature of the answers")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    return fig


def plot_aurc_limits(table):
    """Printed AURC (mark) beside what the error rate allows (thin bar) and what error rate and AUC allow (thick bar).

    Parameters
    ----------
    table : DataFrame
        Columns system, aurc, least, most (any order), low, high (that AUC), kind.

    Returns
    -------
    Axes
        With the drawing.
    """
    ax = axes_for(figsize=(7.6, 0.27 * len(table) + 1.4))
    place = np.arange(len(table))[::-1]
    ax.hlines(place, table["least"], table["most"], color=GREY, linewidth=1, label="any order of the answers")
    ax.hlines(place, table["low"], table["high"], color=BLUE, linewidth=6, alpha=0.35, label="any order with that AUC")
    for k, (kind, rows) in enumerate(table.groupby("kind", sort=False)):
        style = {"color": ("black", ORANGE, RED)[k % 3], "marker": MARKERS[k % 6], "linestyle": "none"}
        ax.plot(rows["aurc"], place[table.index.get_indexer(rows.index)], markersize=6, label=kind, **style)
    ax.set_yticks(place, table["system"], fontsize=8)
    ax.set(xlabel="AURC", xlim=(0, None), ylim=(-0.7, len(table) - 0.3))
    legend_on_top(ax, bbox_to_anchor=(0.4, 1.0))
    return ax


def plot_graders(table):
    """Share of wrong answers as graded by a model (open) and by people (filled), a line for each system.

    Parameters
    ----------
    table : DataFrame
        Columns system, llm, human (shares).

    Returns
    -------
    Axes
        With the drawing.
    """
    ax = axes_for(figsize=(7.0, 0.3 * len(table) + 1.3))
    place = np.arange(len(table))[::-1]
    ax.hlines(place, table["human"], table["llm"], color=GREY, linewidth=2, alpha=0.6)
    ax.plot(table["llm"], place, "s", color=ORANGE, fillstyle="none", label="graded by a language model")
    ax.plot(table["human"], place, "o", color=BLUE, label="graded by people")
    ax.set_yticks(place, table["system"], fontsize=8)
    percent(ax.xaxis)
    ax.set(xlabel="wrong answers", xlim=(0, None))
    legend_on_top(ax, bbox_to_anchor=(0.4, 1.0))
    return ax
