"""The figure of notebook 08: what each rule costs, by its knob."""

import numpy as np

from helpers.plotting import NAIVE, OURS, RIVAL, ink, panels


def plot_rules(turned, levels):
    """Bills of three rules by their settings, on one scale: the worst, ours, and its rival.

    Parameters
    ----------
    turned : dict of (str, str) to DataFrame
        For each rule, by its name and that of its knob, what each person costs: a column for each setting.
    levels : dict of str to float
        Bills without any rule, as level lines.

    Returns
    -------
    matplotlib.figure.Figure
        A panel for each rule; bands are 95 % intervals, the best setting is ringed.
    """
    fig, axes = panels(len(turned), sharey=True)
    for ax, ((name, knob), cents), look in zip(axes, turned.items(), (NAIVE, OURS, RIVAL), strict=True):
        place = np.arange(cents.shape[1])
        mean, half = cents.mean(), 1.96 * cents.sem()
        ax.plot(place, mean, **look.both())
        ax.fill_between(place, mean - half, mean + half, color=look.color, alpha=0.2, linewidth=0)
        best = mean.argmin()
        least = mean.iloc[best]
        ax.plot(best, least, **look.dots(marker="o", markersize=15, fillstyle="none", markeredgewidth=1.5))
        words = {"ha": "center", "color": ink(look.color), "weight": "bold"}
        ax.annotate(f"{least:.0f}", (best, least), xytext=(0, -25), textcoords="offset points", **words)
        for without, level in levels.items():
            ax.axhline(level, color="black", linewidth=1, linestyle="--")
            beside = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right"}
            if ax is not axes[0]:
                ax.annotate(without, (1, level), xytext=(0, 3), **beside)
        ax.set_xticks(place, [f"{setting:g}" for setting in cents])
        ax.set(title=name, xlabel=knob)
    low, high = axes[0].get_ylim()
    axes[0].set(ylabel="bill, cents a question", ylim=(low - 0.1 * (high - low), high))
    return fig
