"""Figures of the theory of Sem1 and Sem2: reports, constants, regimes, errors by margin, biases by question."""

import numpy as np

from helpers.plotting import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE, RED
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


def plot_gap_constants(half, curves, root):
    """Leading constants against the half margin, and the root of g_B."""
    ax = axes_for()
    looks = zip((BLUE, ORANGE, GREEN, RED), LINES, strict=False)
    for (name, values), (color, line) in zip(curves.items(), looks, strict=False):
        ax.plot(half, values, color=color, linestyle=line, label=name)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.axvspan(0, root, color=GREEN, alpha=0.12, linewidth=0)
    ax.axvline(root, color="black", linewidth=1, linestyle=":")
    ax.annotate(f"{root:.4f}", (root, ax.get_ylim()[1]), (4, -10), textcoords="offset points", va="top")
    ax.set(xlim=(half[0], half[-1]), xlabel="half margin", ylabel="units of sqrt(top-two mass / n)")
    ax.legend(loc="upper right")
    return ax


def plot_regimes(classes, borders, ax=None, *, shade=None, ylabel="number of classes", right=3.2):
    """Borders {name: margins} in the plane of standardised margin (across) and a number of classes (up, log scale)."""
    ax = axes_for(ax)
    looks = zip(("black", BLUE, ORANGE, GREY), ("-", "--", "-.", ":"), MARKERS, strict=False)
    for (name, margin), (color, line, mark) in zip(borders.items(), looks, strict=False):
        ax.plot(margin, classes, color=color, linestyle=line, marker=mark, markevery=4, markersize=4, label=name)
        if name == shade:
            ax.fill_betweenx(classes, 0, margin, color=GREEN, alpha=0.15, linewidth=0)
    ax.set(yscale="log", xlim=(0, right), ylim=(classes[0], classes[-1]))
    ax.set(xlabel="standardised margin", ylabel=ylabel)
    ax.legend(loc="upper left", bbox_to_anchor=(0, -0.16))
    return ax


def plot_estimator_errors(table, ax=None, *, ylabel="bias", zero=True):
    """A marked line for each column of a table against its index."""
    ax = axes_for(ax)
    looks = zip((BLUE, ORANGE, GREEN, RED, GREY), LINES, MARKERS, strict=False)
    for name, (color, line, mark) in zip(table.columns, looks, strict=False):
        ax.plot(table.index, table[name], color=color, linestyle=line, marker=mark, markersize=4, label=name)
    if zero:
        ax.axhline(0, color="black", linewidth=0.8)
    ax.set(xlabel="margin", ylabel=ylabel)
    ax.legend()
    return ax


def plot_question_biases(margin, scaled, curves):
    """Exact biases of single questions (marks) over curves {name: (margins, values)}, both scaled."""
    ax = axes_for()
    for (name, value), color, mark in zip(scaled.items(), (BLUE, ORANGE), MARKERS, strict=False):
        ax.plot(margin, value, mark, color=color, markersize=3.5, alpha=0.6, label=name)
    for (name, (x, y)), line in zip(curves.items(), LINES, strict=False):
        ax.plot(x, y, color="black", linestyle=line, linewidth=1.4, label=name)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.set(xlabel="standardised margin", ylabel="bias, units of sqrt(top-two mass / n)")
    ax.legend(loc="upper right")
    return ax
