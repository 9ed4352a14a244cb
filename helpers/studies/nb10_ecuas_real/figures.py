"""Figures of systems that may abstain, measured on real scores: costs, and answers drawn at a temperature."""

import matplotlib.pyplot as plt

from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE, RED
from helpers.plotting.style import axes_for

_COLORS = (BLUE, ORANGE, GREEN, RED, "black", GREY, "#8c6bb1", "#a6761d")


def plot_reader_costs(costs):
    """Mean cost against the cost of a refusal, {system: `expected_cost_at`}, and the line of refusing always."""
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


def plot_answer_quality(table):
    """ECUAS_n against the temperature at which answers are drawn: a row a kind of scores, a column an n."""
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
