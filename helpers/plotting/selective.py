"""Figures of systems that may abstain: what an answer costs, which reject costs count, what handing over is worth."""

import numpy as np

from helpers.plotting.style import DOWN, OBSERVED, as_written, axes_for, legend_on_top, percent, series


def plot_abstention_costs(curves, ax=None, *, fee=None, refuse_all=True, log=True, xlabel="reject cost (in mistakes)"):
    """Mean cost against the cost of a refusal, a line for each system; the thin line is "refuse everything".

    Parameters
    ----------
    curves : dict of str to DataFrame
        Columns reject_cost and expected_cost (`expected_cost_at`).
    ax : Axes, optional
        Where to draw; a new figure by default.
    fee : float, optional
        Reject cost of the story, a dotted line.
    refuse_all, log : bool, default True
        Whether to draw the line of whoever refuses everything, cost = reject cost, and whether the x axis is
        logarithmic.
    xlabel : str, default "reject cost (in mistakes)"
        Words on the x axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    for k, (name, table) in enumerate(curves.items()):
        ax.plot(table["reject_cost"], table["expected_cost"], label=as_written(name), **series(k).line())
    gamma = next(iter(curves.values()))["reject_cost"]
    if refuse_all:
        ax.plot(gamma, gamma, color="black", linewidth=1, linestyle=(0, (1, 1)), label="refuse everything")
    if fee is not None:
        ax.axvline(fee, color="black", linestyle=":", linewidth=1.4)
        ax.annotate(
            f"{fee:g}", (fee, 1), xycoords=("data", "axes fraction"), xytext=(3, -10), textcoords="offset points"
        )  # fmt: skip
    if log:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set(xlabel=xlabel, ylabel="mean cost (in mistakes)", xlim=(np.min(gamma), np.max(gamma)))
    top = max(table["expected_cost"].max() for table in curves.values())
    ax.set_ylim(0, 1.15 * top)
    legend_on_top(ax)
    return ax


def plot_risk_coverage(curves, ax=None):
    """Share of wrong answers among the accepted ones against the share accepted.

    Parameters
    ----------
    curves : dict of str to RiskCoverageCurve
        One curve for each system.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    for k, (name, curve) in enumerate(curves.items()):
        every = max(1, len(curve.coverage) // 8)
        style = series(k).both(markevery=every, markersize=5)
        ax.plot(curve.coverage, curve.risk, label=as_written(name), **style)
    percent(ax.xaxis, ax.yaxis)
    ax.set(xlabel="answers accepted", ylabel="wrong among the accepted", xlim=(0, 1))
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def plot_measured(table, ax=None, *, xlabel="", zero=False):
    """One line for each row of a table from the top: its index as words, a mark at `value`, a bar from low to high.

    An infinite value or upper end is an arrow at the right edge with its words; a missing end is not drawn.

    Parameters
    ----------
    table : DataFrame
        Columns value, low, high.
    ax : Axes, optional
        Where to draw; a new figure by default.
    xlabel, zero : str and bool, optional
        Words on the x axis, and whether to draw a line at 0, for differences.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (6.4, 0.42 * len(table) + 1.2))
    place = np.arange(len(table))[::-1]
    value, low, high = (table[name].to_numpy(dtype=float) for name in ("value", "low", "high"))
    finite = np.isfinite(value)
    inner = [np.nan_to_num(end[finite] - value[finite], posinf=0, neginf=0) for end in (low, high)]
    ends = [np.maximum(-inner[0], 0), np.maximum(inner[1], 0)]
    ax.errorbar(value[finite], place[finite], xerr=ends, capsize=3, **OBSERVED.dots())
    for y, here in zip(place, value, strict=True):
        if np.isposinf(here) or np.isposinf(high[place == y])[0]:
            ax.plot(0.985, y, ">", color=DOWN.color, markersize=8, transform=ax.get_yaxis_transform(), clip_on=False)
            ax.annotate(
                "infinite" if np.isposinf(here) else "up to infinity", (0.985, y), xycoords=("axes fraction", "data"),
                xytext=(-8, 0), textcoords="offset points", ha="right", va="center",
            )  # fmt: skip
    if zero:
        ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(place, [as_written(name) for name in table.index])
    ax.set(xlabel=xlabel, ylim=(-0.6, len(table) - 0.4))
    return ax
