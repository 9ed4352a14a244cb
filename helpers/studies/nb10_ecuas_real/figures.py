"""A figure of the checks of notebook 10: confidences with two prompts."""

import numpy as np

from helpers.plotting import OURS, WIDE, panels


def plot_prompts(gaps, against="sequence"):
    """Each confidence against one of them, by order and by values, with two prompts; right is better in both panels.

    Parameters
    ----------
    gaps : dict of str to DataFrame
        For each prompt the differences of `compare_confidences`; the first is drawn filled, the second hollow.
    against : str, default "sequence"
        The confidence at zero.

    Returns
    -------
    matplotlib.figure.Figure
        Two panels, with 95 % intervals.
    """
    rows = {prompt: one[one["first"] == against].set_index(["metric", "second"]) for prompt, one in gaps.items()}
    _, last = rows.values()
    order = last.loc["auc", "difference"].sort_values().index
    fig, axes = panels(2, figsize=(WIDE, 4.2))
    shown = ("auc", 1, "order (AUC)"), ("brier", -1, "values (Brier score)")
    for ax, (metric, sign, title) in zip(axes, shown, strict=True):
        for (prompt, one), fill, shift in zip(rows.items(), (OURS.color, "white"), (-0.17, 0.17), strict=True):
            value, *ends = -sign * one.loc[metric].loc[order, ["difference", "low", "high"]].to_numpy().T
            place = np.arange(len(order)) + shift
            reach = np.abs(np.sort(ends, axis=0) - value)
            ax.errorbar(value, place, xerr=reach, **OURS.dots(markerfacecolor=fill, capsize=2))
            if ax is axes[0]:
                ax.text(np.max(ends, axis=0)[-1] + 0.02, place[-1], prompt, va="center")
        ax.axvline(0, color="black", linewidth=1)
        ax.set_yticks(range(len(order)), order)
        ax.set(title=title, xlabel=rf"better than {against} $\rightarrow$", ylim=(len(order) - 0.5, -0.5))
    return fig
