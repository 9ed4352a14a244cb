"""Scores over time: stated beside observed, period after period, as the scores are (before recalibration)."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.stats import chi2, norm

from helpers.audit.rates import gap_errors

PERIODS = 8
FEWEST_ROWS = 50  # of a period
YEARS = ("year", "jahr", "année")  # names of columns of numbers that are times


@dataclass(frozen=True)
class Drift:
    """Stated beside observed along one column of times."""

    column: str  # its name
    # A row a period, in order: period (words), n, stated, observed, gap = observed - stated, low, high (95 % each)
    table: pd.DataFrame = field(repr=False)
    p_value: float  # Of "the gap is the same in all periods", adjusted for the number of such columns
    value: float  # largest gap less smallest one, with an interval that allows for their choice among all pairs
    low: float
    high: float


def measure_drifts(table):
    """The `Drift` along each column of times of a checked `ScoreTable`, that of the smallest p-value first.

    Gaps of periods are compared by a chi-squared test, each with the larger of two standard errors (`measure_groups`).
    Rows of one person in several periods make the test cautious.
    """
    drifts = [_along(table, name) for name in table.features if _is_time(table.X[name])]
    drifts = [drift for drift in drifts if drift is not None]
    adjusted = [replace(drift, p_value=min(drift.p_value * len(drifts), 1.0)) for drift in drifts]
    return sorted(adjusted, key=lambda drift: drift.p_value)


def _is_time(column):
    is_year = str(column.name).lower() in YEARS and pd.api.types.is_numeric_dtype(column)
    return is_year or pd.api.types.is_datetime64_any_dtype(column)


def _along(table, name):
    """The drift along a column; None where there are not two periods of enough rows."""
    rows = np.flatnonzero(table.X[name].notna())
    n_periods = min(PERIODS, rows.size // FEWEST_ROWS)
    if n_periods < 2:
        return None
    times = table.X[name].iloc[rows]
    period = pd.qcut(times, n_periods, labels=False, duplicates="drop").to_numpy()
    _, period = np.unique(period, return_inverse=True)
    if period.max() < 1:
        return None
    groups = None if table.groups is None else np.unique(table.groups[rows], return_inverse=True)[1]
    rates = gap_errors(table.y[rows], table.p[rows], period, table.weights[rows], groups=groups)
    gap = rates["gap"]
    se = np.maximum(rates["se"], 1e-9)
    mean = np.average(gap, weights=se**-2)
    p_value = float(chi2.sf((((gap - mean) / se) ** 2).sum(), gap.size - 1))
    ends = times.groupby(period)
    words = [f"{_written(first)} to {_written(last)}" for first, last in zip(ends.min(), ends.max(), strict=True)]
    half_width = norm.ppf(0.975) * se
    columns = {place: rates[place] for place in ("n", "stated", "observed", "gap")}
    frame = pd.DataFrame({"period": words, **columns, "low": gap - half_width, "high": gap + half_width})
    least = int(gap.argmin())
    most = int(gap.argmax())
    value = float(gap[most] - gap[least])
    n_pairs = gap.size * (gap.size - 1) / 2
    half_width = float(norm.ppf(1 - 0.025 / n_pairs) * np.hypot(se[least], se[most]))
    return Drift(name, frame, p_value, value, value - half_width, value + half_width)


def _written(time):
    """A time as a reader would write it: a day, or a year."""
    return f"{time:%Y-%m-%d}" if isinstance(time, pd.Timestamp) else f"{time:g}"
