"""One function a figure: each draws a result on `ax` and returns it; nothing is computed here."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.ticker import PercentFormatter

BLUE, ORANGE, GREEN, RED, GREY = (sns.color_palette("colorblind")[i] for i in (0, 1, 2, 3, 7))
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)))


def use_style():
    """Figure defaults of every notebook: one size, one resolution, colours that survive colour blindness."""
    sns.set_theme(context="notebook", style="ticks", palette="colorblind")
    plt.rcParams.update(
        {
            "figure.figsize": (6.4, 4.0),
            "figure.dpi": 110,
            "savefig.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": "medium",
            "legend.frameon": False,
            "font.size": 10,
            "axes.labelsize": 10,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "legend.fontsize": 9,
        }
    )


def _axes(ax, figsize=None):
    return plt.subplots(figsize=figsize)[1] if ax is None else ax


def plot_reliability(curve, ax=None, *, label="observed rate, 95 % interval"):
    """Observed rate against stated score with intervals, the band of a calibrated model, and row counts along
    the foot.
    """
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--", label="stated = observed")
    ax.fill_between(
        curve.stated,
        curve.band_low,
        curve.band_high,
        color=GREY,
        alpha=0.25,
        linewidth=0,
        label="a calibrated model (95 %)",
    )
    reach = np.maximum([curve.observed - curve.low, curve.high - curve.observed], 0)
    ax.errorbar(curve.stated, curve.observed, yerr=reach, color=BLUE, fmt="o", markersize=4.5, capsize=2, label=label)
    foot = ax.inset_axes([0, 0, 1, 0.12], sharex=ax)
    width = np.diff(curve.edges).min() * 0.7
    foot.bar(curve.stated, curve.count, width=width, color=BLUE, alpha=0.35, linewidth=0)
    foot.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(-0.02, 1), xlabel="stated probability", ylabel="observed rate")
    ax.legend(loc="upper left")
    return ax


def plot_groups(table, ax=None, *, most=8):
    """Gap of each group of `audit_groups` with its interval; the `most` furthest from zero, rules in words."""
    shown = table.reindex(table["gap"].abs().sort_values(ascending=False, kind="stable").index[:most]).sort_values(
        "gap"
    )
    shown = shown.iloc[::-1].reset_index(drop=True)
    ax = _axes(ax, (8, 0.62 * len(shown) + 1.1))
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
    ax.set(ylim=(-0.6, len(shown) - 0.4), xlabel="observed rate - stated probability (left: overconfident in class 1)")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    return ax


def _wrapped(text, width=46):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            lines, line = [*lines, line], ""
        line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def plot_convergence(table, truth=None, ax=None, *, x="n", y="value", error="error", by="estimator"):
    """Estimates against sample size, one marked line for each estimator, bars of `error`; `truth` as a
    horizontal line.
    """
    ax = _axes(ax)
    names = list(dict.fromkeys(table[by]))
    for k, name in enumerate(names):
        part = table[table[by] == name].sort_values(x)
        spread = part[x] * (1 + 0.03 * (k - (len(names) - 1) / 2))
        style = {"marker": MARKERS[k % len(MARKERS)], "linestyle": LINES[k % len(LINES)]}
        ax.errorbar(spread, part[y], yerr=part[error], label=name, capsize=2, markersize=5, linewidth=1.4, **style)
    if truth is not None:
        ax.axhline(truth, color="black", linewidth=1, linestyle=":", label="truth")
    ax.set(xscale="log", xlabel="rows", ylabel="grouping loss")
    ax.legend()
    return ax


def plot_scores_and_truth(sample, ax=None, *, most=2000, people=None):
    """True against stated probability of single rows: a calibrated score averages to the diagonal, but rows
    need not lie on it. `people` = {name: (p, q)} are marked.
    """
    ax = _axes(ax)
    rows = slice(0, most)
    above = sample.q[rows] >= sample.p[rows]
    for mask, color, marker, label in (
        (above, BLUE, "^", "risk understated"),
        (~above, ORANGE, "v", "risk overstated"),
    ):
        ax.scatter(
            sample.p[rows][mask],
            sample.q[rows][mask],
            s=9,
            color=color,
            marker=marker,
            alpha=0.5,
            linewidth=0,
            label=label,
        )
    ax.plot([0, 1], [0, 1], color="black", linewidth=1, linestyle="--", label="stated = true")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated probability", ylabel="true probability of this person")
    for name, (p, q) in (people or {}).items():
        ax.scatter(p, q, s=46, facecolor="white", edgecolor="black", linewidth=1.4, zorder=3)
        side = 16 if q > p else -16
        ax.annotate(
            f"{name} {q:.0%}", (p, q), (0, side), textcoords="offset points", ha="center", va="center", weight="bold"
        )
    ax.legend(loc="upper left", markerscale=1.6)
    return ax


def panels(count=2, *, figsize=(10, 4.2), **options):
    """A figure with `count` panels side by side and their axes, for the `ax` of the functions above."""
    return plt.subplots(1, count, figsize=figsize, **options)
