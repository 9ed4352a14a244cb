"""Figures of estimates: groups, and what repeated estimates do."""

import numpy as np
from matplotlib.ticker import PercentFormatter

from helpers.plotting.style import BLUE, GREEN, GREY, LINES, MARKERS, ORANGE, axes_for, panels


def plot_groups(table, ax=None, *, most=8):
    """Gap of each group of `audit_groups` with its interval; the `most` furthest from zero, rules in words."""
    shown = table.reindex(table["gap"].abs().sort_values(ascending=False, kind="stable").index[:most]).sort_values(
        "gap"
    )
    shown = shown.iloc[::-1].reset_index(drop=True)
    ax = axes_for(ax, (8, 0.62 * len(shown) + 1.1))
    for row in shown.itertuples():
        sure = row.adjusted < 0.05
        color = (ORANGE if row.gap < 0 else BLUE) if sure else GREY
        ends = [[row.gap - row.low], [row.high - row.gap]]
        ax.errorbar(
            row.gap,
            row.Index,
            xerr=ends,
            color=color,
            fmt="s" if row.gap < 0 else "o",
            capsize=3,
            fillstyle="full" if sure else "none",
        )
    ax.axvline(0, color=GREY, linewidth=1, linestyle="--")
    ax.set_yticks(shown.index, [_wrapped(f"{row.rule} ({row.n:,})") for row in shown.itertuples()])
    ax.set(ylim=(-0.6, len(shown) - 0.4), xlabel="observed rate - stated probability (left: stated too high)")
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    return ax


def _wrapped(text, width=46):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            lines, line = [*lines, line], ""
        line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def plot_convergence(
    table,
    truth=None,
    ax=None,
    *,
    x="n",
    y="value",
    error="error",
    by="estimator",
    xlabel="rows",
    ylabel=None,
    ymin=None,
):
    """One marked line for each `by`: `y` against `x` (log scale), with bars of `error` (a column, or None).

    `truth` draws horizontal lines: a number, or {words for the legend: number}; `ymin` fixes the foot of the y axis.
    """
    ax = axes_for(ax)
    names = list(dict.fromkeys(table[by]))
    for k, name in enumerate(names):
        part = table[table[by] == name].sort_values(x)
        spread = part[x] * (1 + 0.03 * (k - (len(names) - 1) / 2))
        style = {"marker": MARKERS[k % len(MARKERS)], "linestyle": LINES[k % len(LINES)]}
        bars = None if error is None else part[error]
        ax.errorbar(spread, part[y], yerr=bars, label=name, capsize=2, markersize=5, linewidth=1.4, **style)
    levels = truth if isinstance(truth, dict) else {"truth": truth} if truth is not None else {}
    for line, (words, level) in zip((":", "--", "-."), levels.items(), strict=False):
        ax.axhline(level, color="black", linewidth=1, linestyle=line, label=words)
    ax.set(xscale="log", xlabel=xlabel, ylabel="grouping loss" if ylabel is None else ylabel)
    ticks = sorted(set(table[x]))
    if len(ticks) <= 6:
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.minorticks_off()
    ax.set_ylim(bottom=ymin)
    ax.legend()
    return ax


def plot_race(table, truth):
    """Mean estimates with bars (columns value, error) beside root mean squared errors (rmse); returns the figure.

    `table` has one row for each `estimator` and size `n`; `truth` as in `plot_convergence`.
    """
    fig, (left, right) = panels(2, figsize=(11, 4.6))
    plot_convergence(table, truth, left).set_title("mean estimate, \u00b1 2 standard errors")
    plot_convergence(table, None, right, y="rmse", error=None, ylabel="root mean squared error", ymin=0)
    for ax in (left, right):
        ax.get_legend().remove()
    fig.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return fig


def plot_draws(draws, truth, ax=None, *, xlabel="estimated grouping loss", n_bins=40):
    """Histograms of repeated estimates, {name: (n_draws,) values}; their means and the `truth` as vertical lines."""
    ax = axes_for(ax)
    everything = np.concatenate([np.asarray(values) for values in draws.values()])
    edges = np.linspace(everything.min(), everything.max(), n_bins + 1)
    for (name, values), color, line in zip(draws.items(), (ORANGE, BLUE, GREEN), LINES, strict=False):
        ax.hist(values, edges, histtype="stepfilled", color=color, alpha=0.25)
        ax.hist(values, edges, histtype="step", color=color, linestyle=line, linewidth=1.6, label=name)
        ax.axvline(np.mean(values), ymax=0.94, color=color, linestyle=line, linewidth=1.6)
    ax.axvline(truth, color="black", linestyle=":", linewidth=1.6, label="truth")
    ax.set(xlabel=xlabel, ylabel="draws")
    ax.legend()
    return ax
