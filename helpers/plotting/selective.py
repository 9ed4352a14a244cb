"""Figures of systems that may abstain: what an answer costs, which reject costs count, what handing over is worth."""

import numpy as np

from helpers.plotting.style import DOWN, NAIVE, NARROW, OBSERVED, as_written, axes_for, name_lines, percent, series


def plot_abstention_costs(curves, ax=None, *, looks=None, fee=None, log=True, xlabel="reject cost (in mistakes)"):
    """Mean cost against the cost of a refusal, a named line for each system and one for refusing everything.

    Parameters
    ----------
    curves : dict of str to DataFrame
        Columns reject_cost and expected_cost (`expected_cost_at`).
    ax : Axes, optional
        Where to draw; a new figure by default.
    looks : sequence of Look, optional
        One for each system.
    fee : float, optional
        Reject cost of the story, a dotted line.
    log : bool, default True
        Whether both axes are logarithmic.
    xlabel : str, default "reject cost (in mistakes)"
        Words on the x axis.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax)
    looks = [series(k) for k in range(len(curves))] if looks is None else looks
    top = 1.15 * max(table["expected_cost"].max() for table in curves.values())
    for look, (name, table) in zip(looks, curves.items(), strict=True):
        ax.plot(table["reject_cost"], table["expected_cost"], label=as_written(name), **look.line())
    gamma = np.asarray(next(iter(curves.values()))["reject_cost"])
    below = np.array([gamma.min(), min(gamma.max(), top)])
    ax.plot(below, below, label="refuse\neverything", **NAIVE.line(linewidth=1.5))
    if fee is not None:
        ax.axvline(fee, color="black", linestyle=":", linewidth=1.4)
        place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        ax.annotate(f"fee {fee:g}", (fee, 1), xytext=(3, -10), **place)
    low = 0
    if log:
        low = 0.8 * min(table["expected_cost"].min() for table in curves.values())
        ax.set(xscale="log", yscale="log")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
    ax.set(xlabel=xlabel, ylabel="mean cost (in mistakes)", xlim=(gamma.min(), gamma.max()), ylim=(low, top))
    name_lines(ax)
    return ax


def plot_ranks(table, ax=None, *, form="{:.3f}"):
    """Places by two measures of which smaller is better: a line for each system, the best at the top.

    Parameters
    ----------
    table : DataFrame
        A row for each system, a column for each of two measures.
    ax : Axes, optional
        Where to draw; a new figure by default.
    form : str, default "{:.3f}"
        How values are written.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.
    """
    ax = axes_for(ax, (NARROW, 0.5 * len(table) + 0.7))
    places = table.rank()
    beside = {"textcoords": "offset points", "va": "center", "annotation_clip": False}
    for k, (name, (left, right)) in enumerate(places.iterrows()):
        ax.plot([0, 1], [left, right], **series(k).both())
        before, after = (form.format(value) for value in table.loc[name])
        ax.annotate(f"{as_written(name)}  {before}", (0, left), xytext=(-9, 0), ha="right", **beside)
        ax.annotate(after, (1, right), xytext=(9, 0), ha="left", **beside)
    ax.set_xticks([0, 1], [as_written(name) for name in table])
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.set_yticks([])
    ax.set(xlim=(-0.05, 1.05), ylim=(len(table) + 0.5, 0.5))
    ax.spines[["left", "bottom"]].set_visible(False)
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
    name_lines(ax)
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
    ax = axes_for(ax, (NARROW, 0.42 * len(table) + 1.2))
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
