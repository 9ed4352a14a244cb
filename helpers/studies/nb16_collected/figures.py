"""Figures of answers that are collected from a model: what is read out, what was drawn, what it cost."""

import numpy as np

from helpers.plotting import BLUE, GREY, ORANGE
from helpers.plotting.style import axes_for, diagonal, legend_on_top, percent

PARTS = (("right", BLUE, ""), ("wrong", ORANGE, "///"), ("looked up", "#d9d9d9", ""))


def plot_read_out(shares):
    """What becomes of 100 questions under a rule: read out and right, read out and wrong, looked up; a bar a row."""
    ax = axes_for(figsize=(6.8, 2.9))
    place = np.arange(len(shares))[::-1]
    start = np.zeros(len(shares))
    for name, color, hatch in PARTS:
        width = 100 * shares[name].to_numpy()
        ax.barh(place, width, 0.62, start, color=color, hatch=hatch, edgecolor="white", linewidth=0.8, label=name)
        for x, y, w in zip(start, place, width, strict=True):
            if w >= 4:
                box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.2}
                ax.text(x + w / 2, y, f"{w:.0f}", ha="center", va="center", fontsize=9, bbox=box)
        start = start + width
    ax.set_yticks(place, shares.index)
    ax.set(xlim=(0, 100), xlabel="of 100 questions")
    legend_on_top(ax, 3)
    return ax


def plot_known_shares(table, band):
    """Collected share against known probability, one dot a row, with the diagonal."""
    ax = axes_for(figsize=(5.6, 4.4))
    ax.fill_between(
        band["known"], band["low"], band["high"], color=GREY, alpha=0.3, linewidth=0, label="95 % by chance"
    )
    diagonal(ax)
    ax.scatter(
        table["known"], table["share"], s=13, color=BLUE, alpha=0.55, linewidth=0, label="a question and meaning"
    )
    ax.set(xlim=(0, 1), ylim=(-0.02, 1.02), xlabel="known probability", ylabel="share of the collected answers")
    percent(ax.xaxis, ax.yaxis)
    ax.legend(loc="upper left")
    return ax
