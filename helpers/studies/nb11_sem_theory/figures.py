"""Figures of the theory of Sem1 and Sem2: reports, constants, regimes, errors by margin, biases by question."""

import numpy as np

from helpers.plotting import BLUE, GREEN, LINES, ORANGE
from helpers.plotting.style import axes_for, percent


def plot_reported(share, laws, *, truth=None, rule=None):
    """Distributions of reported confidences side by side, {source: (v,) chances}: a bar for each value of `share`."""
    ax = axes_for()
    share = np.asarray(share, dtype=float)
    width = 0.9 * np.diff(share).min() / len(laws)
    looks = zip((BLUE, ORANGE, GREEN), ("", "///", "..."), strict=False)
    for k, ((name, law), (color, hatch)) in enumerate(zip(laws.items(), looks, strict=False)):
        place = share + width * (k - (len(laws) - 1) / 2)
        ax.bar(place, law, width, color=color, hatch=hatch, edgecolor="black", linewidth=0.5, label=name)
    for value, line, words in ((truth, "-", "true probability of the best answer"), (rule, "--", "the rule")):
        if value is not None:
            ax.axvline(value, color="black", linestyle=line, linewidth=1.4, label=words)
    shown = share[np.sum([np.asarray(law) > 1e-4 for law in laws.values()], axis=0) > 0]
    ax.set(xlim=(shown.min() - 0.03, shown.max() + 0.03), xlabel="reported confidence", ylabel="share of questions")
    percent(ax.xaxis, ax.yaxis)
    ax.legend(loc="upper left", bbox_to_anchor=(0, -0.18), ncols=2)
    return ax


def plot_shares(share, laws, *, truth, ax=None):
    """Distributions of a reported share as steps, each with its mean as a thin line, beside the true probability."""
    ax = axes_for(ax)
    share = np.asarray(share, dtype=float)
    for (name, law), color, line in zip(laws.items(), (BLUE, ORANGE, GREEN), LINES, strict=False):
        ax.step(share, law, line, where="mid", color=color, linewidth=1.8, label=name)
        ax.axvline(share @ np.asarray(law), linestyle=line, color=color, linewidth=1)
    ax.axvline(truth, color="black", linestyle=":", linewidth=1.6, label="true probability of the best answer")
    ax.set(xlim=(0, 1), xlabel="reported share", ylabel="chance")
    percent(ax.xaxis, ax.yaxis)
    ax.legend()
    return ax
