"""Two scores of the same cases: paired differences with their intervals, and who gains and who loses."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.audit.segments import SegmentFamily
from helpers.decisions import best_decision, expected_cost
from helpers.practice.reports.rescored import QUANTILE, mean_of, out_of_fold
from helpers.resampling import mean_and_variance

N_DRAWS = 999  # of signs, for the largest difference of all groups
FEWEST_ROWS = 20  # of a group
AREA = "pairs in the right order (AUC)"  # name of a measure
LEAST_UNITS = 40  # cases, or groups of dependent cases, below which no group is compared


@dataclass(frozen=True)
class Comparison:
    """Two scores of the same cases, the old one and the new one."""

    # old, new: names of the scores
    old: str
    new: str
    # A row a measure: measure, better ("lower" or "higher"), old, new, difference (new - old), low, high
    table: pd.DataFrame
    # A row a group of one condition: rule, n, share, gain (mean squared error of the old score less that of the new
    # one), low, high (intervals that hold for all groups together). Those that lose most come first
    groups: pd.DataFrame = field(repr=False)

    @property
    def losers(self):
        """Groups for which the new score is surely worse, the worst first."""
        return self.groups[self.groups["high"] < 0]

    @property
    def gainers(self):
        """Groups for which the new score is surely better."""
        return self.groups[self.groups["low"] > 0]


def compare_scores(table, *, cost=None, calibrators=("platt", "platt"), rng=None):
    """Compare the two scores of a table, recalibrated as `calibrators` say (old, new); differences are new - old."""
    rng = np.random.default_rng(rng)
    seed = int(rng.integers(2**31))
    y = table.y
    scores = (table.before, table.p)
    mended = [out_of_fold(table, kind, seed, p) for kind, p in zip(calibrators, scores, strict=True)]
    errors = [(p - y) ** 2 for p in scores]
    measures = [
        _measure(table, "squared error", "lower", *errors),
        _measure(table, "squared error if both are recalibrated", "lower", *((p - y) ** 2 for p in mended)),
        _measure(table, AREA, "higher", *(pairs_in_order(p, y, table.weights) for p in scores)),
    ]
    if cost is not None:
        paid = (expected_cost(best_decision(p, cost), y, cost) for p in scores)
        measures.append(_measure(table, "cost a case", "lower", *paid))
    groups = _gains(table, errors[0] - errors[1], rng)
    return Comparison(table.before_name, table.score, pd.DataFrame(measures).set_index("measure"), groups)


def _measure(table, name, better, old, new):
    """A row of the table of measures, from the terms of each case."""
    row = {"measure": name, "better": better}
    row |= {place: float(np.average(terms, weights=table.weights)) for place, terms in (("old", old), ("new", new))}
    ends = mean_of(table, "difference", new - old)
    return row | {place.removeprefix("difference_"): value for place, value in ends.items()}


def pairs_in_order(p, y, weight):
    """Terms of each case whose mean is the area under the curve, and whose variance is that of DeLong et al. (1988)."""
    values, level = np.unique(p, return_inverse=True)
    of_class = [np.bincount(level, weight * (y == k), values.size) for k in (0, 1)]
    below = [np.cumsum(column) - column / 2 for column in of_class]
    total = [column.sum() for column in of_class]
    won = np.where(y == 1, below[0][level] / total[0], 1 - below[1][level] / total[1])  # against the other class
    area = float(np.average(won[y == 1], weights=weight[y == 1]))
    share = np.where(y == 1, total[1], total[0]) / weight.sum()
    return area + (won - area) / share


def _gains(table, gain, rng):
    """Mean gain of each group of one condition, with intervals that hold together (signs of whole groups are drawn)."""
    names = ["rule", "n", "share", "gain", "low", "high"]
    unit = np.arange(table.n) if table.groups is None else table.groups
    if not table.features or unit.max() + 1 < LEAST_UNITS:
        return pd.DataFrame(columns=names)
    family = SegmentFamily(table.X, table.y, max(FEWEST_ROWS, table.n // 50), 1)
    if not family.pairs.size:
        return pd.DataFrame(columns=names)
    weight = table.weights / table.weights.mean()
    count, total, sums = family.sums(np.column_stack([np.ones(table.n), weight, weight * gain])).T
    value = sums / total
    se = np.array([_error(gain, weight * family.members([k], table.X)[:, 0], table.groups) for k in range(value.size)])
    largest = np.zeros(N_DRAWS)
    overall = mean_and_variance(gain, weight, table.groups)[0]
    for first in range(0, N_DRAWS, 100):
        signs = rng.integers(0, 2, (unit.max() + 1, min(100, N_DRAWS - first))) * 2.0 - 1
        drawn = family.sums((weight * (gain - overall))[:, None] * signs[unit]) / (total * se)[:, None]
        largest[first : first + 100] = np.abs(drawn).max(axis=0)
    half_width = max(float(np.quantile(largest, 0.95)), QUANTILE)
    frame = pd.DataFrame({
        "rule": family.rules(), "n": count.astype(int), "share": total / weight.sum(), "gain": value,
        "low": value - half_width * se, "high": value + half_width * se,
    })  # fmt: skip
    return frame.sort_values("gain", kind="stable")


def _error(values, weight, groups):
    """Standard error of a weighted mean over the rows of weight above 0."""
    rows = weight > 0
    own = None if groups is None else np.unique(groups[rows], return_inverse=True)[1]
    return max(mean_and_variance(values[rows], weight[rows], own)[1] ** 0.5, 1e-12)
