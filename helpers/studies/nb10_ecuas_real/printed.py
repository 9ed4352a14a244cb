"""What printed tables of measures say by themselves: who is best, which numbers cannot be, what stays unknown."""

import numpy as np
import pandas as pd
from scipy.special import xlogy
from scipy.stats import binom

LARGER = ("auc",)  # measures of which more is better

ROUNDING = 0.0005  # of printed numbers

SLACK = 0.005  # for terms of size 1/n


def best_methods(table, metrics, *, suffix=""):
    """For each model (row) and metric (column) the set of methods printed as best; several if printed equal."""

    def best(rows, metric):
        values = rows[metric + suffix]
        top = values.max() if metric in LARGER else values.min()
        return frozenset(rows.loc[values == top, "method"])

    models = table.groupby("model", sort=False)
    return pd.DataFrame({metric: {model: best(rows, metric) for model, rows in models} for metric in metrics})


def disagreement(best, other=None):
    """Share of models for which two metrics name different best methods, whatever was lost in rounding."""
    if other is not None:
        return pd.Series({metric: _differ(best[metric], other[metric]) for metric in best})
    return pd.DataFrame({a: {b: _differ(best[a], best[b]) for b in best} for a in best})


def _differ(first, second):
    return np.mean([a.isdisjoint(b) for a, b in zip(first, second, strict=True)])


def aurc_limits(error_rate, auc=None, *, rounding=ROUNDING):
    """Smallest and largest AURC of answers with this error rate (and this AUC), which may be off by `rounding`."""
    few, many = np.clip([error_rate - rounding, error_rate + rounding], 0, 1)
    high, low = (1.0, 0.0) if auc is None else np.clip([auc + rounding, auc - rounding], 0, 1)
    before = (1 - few) * high
    first = many * (1 - low)  # right answers before all wrong ones; wrong ones at the top
    smallest = few + xlogy(before, before) - xlogy(before + few, before + few)
    last = many - first
    largest = first - xlogy(first, first) + last + xlogy(1 - last, 1 - last)
    return float(smallest), float(largest)


def check_aurc(table):
    """A table with the limits of each AURC (least, most: any order; low, high: with that AUC) and what they say of it.

    "beyond its band" (by more than `SLACK`): ties were not averaged, or it is another quantity.
    """
    least, most = np.array([aurc_limits(e) for e in table["error_rate"]]).T
    low, high = np.array([aurc_limits(*pair) for pair in table[["error_rate", "auc"]].to_numpy()]).T
    inside = table["aurc"].between(low - SLACK, high + SLACK)
    never = ~table["aurc"].between(least - ROUNDING, most + ROUNDING)
    kind = np.select([never, ~inside], ["impossible", "beyond its band"], "possible")
    return table.assign(least=least, most=most, low=low, high=high, kind=kind)


def paired_limits(first, second, n, *, reviewed=None):
    """What two error counts on the same n questions say about their difference, when nobody printed the overlap."""
    reviewed = n if reviewed is None else reviewed
    gap = abs(first - second)
    most = min(first + second, 2 * reviewed - first - second)
    m = np.arange(gap, most + 1, 2)
    p = np.minimum(2 * binom.sf((m + gap) // 2 - 1, m, 0.5), 1)  # two-sided, and symmetric
    low, high = float(p.min()), float(p.max())
    verdict = "differ" if high < 0.05 else "no evidence" if low >= 0.05 else "unknown"
    return {"difference": (first - second) / n, "p_smallest": low, "p_largest": high, "verdict": verdict}


def compare_counts(first, second, n, *, reviewed=None):
    """`paired_limits` of many pairs of error counts (two Series with one index), one line a pair."""
    lines = [paired_limits(int(a), int(b), n, reviewed=reviewed) for a, b in zip(first, second, strict=True)]
    counts = pd.DataFrame({first.name: first, second.name: second})
    return counts.join(pd.DataFrame(lines, index=first.index).drop(columns="difference"))
