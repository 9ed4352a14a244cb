"""Figures of cascades: what they do, and what they cost."""

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from helpers.plotting import BLUE, GREEN, GREY, LINES, ORANGE
from helpers.plotting.style import axes_for


def plot_cascade(names, ax=None):
    """The cascade as a diagram: ask, look at the risk, answer or ask the next; `names` are cheapest first."""
    ax = axes_for(ax, (2.6 * len(names) + 1.4, 2.9))
    for k, name in enumerate(names):
        x = 2.6 * k
        _box(ax, (x, 2), f"ask {name}", BLUE)
        _box(ax, (x, 1), "risk at most \u03c4?", ORANGE)
        _box(ax, (x, 0), "use its answer", GREEN)
        _arrow(ax, (x, 1.72), (x, 1.28))
        _arrow(ax, (x, 0.72), (x, 0.28), "yes")
        if k + 1 < len(names):
            _arrow(ax, (x + 0.95, 1.1), (x + 1.65, 1.9), "no")
    x = 2.6 * len(names)
    _box(ax, (x, 1), "answer of lowest risk", GREY)
    _arrow(ax, (x - 1.65, 1), (x - 0.95, 1), "no")
    ax.set(xlim=(-1.1, x + 1.1), ylim=(-0.45, 2.45))
    ax.set_axis_off()
    return ax


def _box(ax, center, words, color):
    """Words in a frame."""
    x, y = center
    shape = {
        "boxstyle": "round,pad=0.02,rounding_size=0.08",
        "facecolor": "white",
        "edgecolor": color,
        "linewidth": 1.8,
    }
    ax.add_patch(FancyBboxPatch((x - 0.92, y - 0.27), 1.84, 0.54, **shape))
    ax.text(x, y, words, ha="center", va="center", fontsize=9)


def _arrow(ax, start, end, words=""):
    """An arrow, with words at its middle."""
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=11, color="black", linewidth=1))
    if words:
        middle = np.mean([start, end], axis=0)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        ax.text(*middle, words, fontsize=8, ha="center", va="center", bbox=box)


def plot_bills(table, ax=None, *, xlabel, levels=None):
    """What a rule costs for each setting of its knob, in cents a question: paid to models below, for mistakes above."""
    ax = axes_for(ax, (6.8, 3.9))
    x = np.arange(len(table))
    ax.bar(x, table["models"], 0.7, color=BLUE, hatch="..", edgecolor="white", label="paid to models")
    ax.bar(x, table["mistakes"], 0.7, table["models"], color=GREY, edgecolor="white", label="mistakes")
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    for place, total in zip(x, table["models"] + table["mistakes"], strict=True):
        ax.text(place, total / 2, f"bill {total:.0f}", ha="center", va="center", fontsize=9, bbox=paper)
    for (name, level), line in zip((levels or {}).items(), LINES[1:], strict=False):
        ax.axhline(level, color="black", linewidth=1, linestyle=line, label=name)
    ax.set_xticks(x, [f"{setting:g}" for setting in table.index])
    ax.set(xlabel=xlabel, ylabel="cents a question")
    ax.margins(y=0.12)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax
