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
    ax = _axes(ax)
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


def plot_draws(draws, truth, ax=None, *, xlabel="estimated grouping loss", n_bins=40):
    """Histograms of repeated estimates, {name: (n_draws,) values}; their means and the `truth` as vertical lines."""
    ax = _axes(ax)
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


def plot_stated_observed(curves, ax=None):
    """Stated probability (open diamond) and observed rate with its interval (bar) of a few groups, one a line.

    `curves` maps the group's name to its `ReliabilityCurve` with a single bin.
    """
    ax = _axes(ax)
    place = np.arange(len(curves))[::-1]
    names = ("stated", "observed", "low", "high", "count")
    stated, observed, low, high, count = ([getattr(one, name)[0] for one in curves.values()] for name in names)
    reach = np.maximum([np.subtract(observed, low), np.subtract(high, observed)], 0)
    ax.errorbar(observed, place, xerr=reach, fmt="o", color=BLUE, capsize=3, label="observed, 95 % interval")
    ax.plot(stated, place, "D", color="black", fillstyle="none", markersize=7, label="stated")
    ax.set_yticks(place, [f"{name}\n({n:,})" for name, n in zip(curves, count, strict=True)])
    ax.set(ylim=(-0.6, len(curves) - 0.1), xlabel="probability")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.legend(loc="upper left")
    return ax


def plot_residuals(X, residual, ax=None, *, reach=0.4, most=4000):
    """What is left of each row, by two features: triangles up and blue where the score says too little, down and
    orange where it says too much; the stronger the colour, the more (full at `reach`).
    """
    ax = _axes(ax)
    x1, x2 = np.asarray(X, dtype=float)[:most].T
    residual = np.asarray(residual)[:most]
    for up, color, marker in ((True, BLUE, "^"), (False, ORANGE, "v")):
        mask = (residual >= 0) == up
        strength = np.clip(np.abs(residual[mask]) / reach, 0.04, 1)
        ax.scatter(x1[mask], x2[mask], s=12, color=color, marker=marker, alpha=strength, linewidth=0)
    names = list(getattr(X, "columns", ("x1", "x2")))
    ax.set(xlabel=names[0], ylabel=names[1])
    return ax


def plot_scores_and_truth(sample, ax=None, *, most=2000, people=None):
    """True against stated probability of single rows: a calibrated score averages to the diagonal, but rows
    need not lie on it. `people` = {name: (p, q)} are marked.
    """
    ax = _axes(ax)
    rows = slice(0, most)
    above = sample.q[rows] >= sample.p[rows]
    kinds = ((above, BLUE, "^", "risk understated"), (~above, ORANGE, "v", "risk overstated"))
    for mask, color, marker, label in kinds:
        style = {"s": 9, "color": color, "marker": marker, "alpha": 0.5, "linewidth": 0, "label": label}
        ax.scatter(sample.p[rows][mask], sample.q[rows][mask], **style)
    ax.plot([0, 1], [0, 1], color="black", linewidth=1, linestyle="--", label="stated = true")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated probability", ylabel="true probability of this person")
    for name, (p, q) in (people or {}).items():
        ax.scatter(p, q, s=46, facecolor="white", edgecolor="black", linewidth=1.4, zorder=3)
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
        place = {"xytext": (0, -17), "textcoords": "offset points", "ha": "center", "va": "center"}
        ax.annotate(f"{name}: {q:.0%}", (p, q), weight="bold", bbox=box, **place)
    ax.legend(loc="upper left", markerscale=1.6)
    return ax


def panels(count=2, *, figsize=(10, 4.2), **options):
    """A figure with `count` panels side by side and their axes, for the `ax` of the functions above."""
    return plt.subplots(1, count, figsize=figsize, **options)


def plot_reliability_close(curve, scores, ax=None):
    """As `plot_reliability`, with axes that end where the results do and a histogram of the scores along the foot."""
    ax = plot_reliability(curve, _axes(ax, (6.4, 4.8)))
    ax.child_axes[0].remove()
    seen = np.concatenate([curve.stated, curve.low, curve.high, curve.band_low, curve.band_high])
    pad = 0.04 * (seen.max() - seen.min())
    ends = max(seen.min() - pad, -0.02), min(seen.max() + pad, 1.02)
    foot = ax.inset_axes([0, 0, 1, 0.1])
    foot.hist(scores, bins=60, range=ends, color=BLUE, alpha=0.35, linewidth=0)
    foot.set(xlim=ends)
    foot.set_axis_off()
    ax.set(xlim=ends, ylim=ends, xlabel="stated probability (bars: how many cases)")
    whole = 0 if ends[1] - ends[0] > 0.1 else None
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=whole))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=whole))
    ax.legend(loc="best")
    return ax
