"""Scores over time: stated beside observed, period after period, as the scores are (before recalibration); and which
rows teach a repair and which judge it, where rows have a date.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.stats import chi2, norm

from helpers.audit.rates import gap_errors
from helpers.partition.kinds import as_numbers
from helpers.profile.columns import days

PERIODS = 8
FEWEST_ROWS = 50  # of a period
YEARS = ("year", "jahr", "année")  # names of columns of numbers that are times
TAUGHT = 0.6  # share of the rows that are early: they teach a repair, later ones judge it
FEWEST_OF_PART = {"rows": 100, "cases of the rarer label": 20, "groups": 20}  # of those that teach, and that judge
BEYOND = 0.5  # share of the later rows that lie beyond the earlier ones in a column, from which a repair may not use it


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


@dataclass(frozen=True)
class Later:
    """Early rows of a table, which teach a repair, and later ones, which judge it as new cases will."""

    column: str  # of times
    teach: np.ndarray = field(repr=False)  # rows
    judge: np.ndarray = field(repr=False)
    period: str  # of the rows that judge, in words
    beyond: tuple  # columns in which new rows lie beyond those that taught, such as the date itself
    n_persons: int  # groups with early and later rows
    too_few: str  # of what either part has too few to judge a repair: "rows", …; "" if nothing
    n_needed: int  # rows of a table like this one that would do


def split_over_time(table, rng):
    """Who teaches and who judges, as `Later`, of a checked `ScoreTable`; None where rows have no date, or all the same.

    The later rows begin on a whole day. A group (a person, say) with rows in both parts would be judged by what it has
    taught, so that a lot decides in which of the two it stays. Of several columns of times that counts whose dates are
    the latest: a date of birth comes before that of a visit.
    """
    moments = {name: as_numbers(days(table.X[name])) for name in table.features if _is_time(table.X[name])}
    dates = [name for name in moments if pd.api.types.is_datetime64_any_dtype(table.X[name])] or list(moments)
    if not dates:
        return None
    column = max(dates, key=lambda name: np.nanmedian(moments[name]))
    day = moments[column]
    known = np.sort(day[~np.isnan(day)])
    if known[0] == known[-1]:
        return None
    first = max(known[int(TAUGHT * known.size)], known[np.searchsorted(known, known[0], "right")])
    early, late = day < first, day >= first
    n_persons = 0
    if table.groups is not None:
        both = np.intersect1d(table.groups[early], table.groups[late])
        n_persons = both.size
        judging = rng.permutation(both)[: both.size // 2]
        early &= ~np.isin(table.groups, judging)
        late &= ~np.isin(table.groups, np.setdiff1d(both, judging))
    teach, judge = np.flatnonzero(early), np.flatnonzero(late)
    shortage = {
        what: max(least / max(_count(what, table, rows), 0.5) for rows in (teach, judge))
        for what, least in FEWEST_OF_PART.items()
    }
    worst = max(shortage, key=shortage.get)
    ends = table.X[column][day >= first]
    return Later(
        column,
        teach,
        judge,
        _span(ends.min(), ends.max()),
        tuple(
            name
            for name in table.features
            if _lies_beyond(table.X[name], early, late) or _marks_a_time(table.X[name], day)
        ),
        n_persons,
        worst if shortage[worst] > 1 else "",
        int(np.ceil(table.n * shortage[worst] / 100)) * 100,
    )


def _count(what, table, rows):
    """How many rows, cases of the rarer label or groups some rows have."""
    if what == "rows" or not rows.size:
        return rows.size
    if what == "groups":
        return rows.size if table.groups is None else np.unique(table.groups[rows]).size
    return min(np.sum(table.y[rows] == 0), np.sum(table.y[rows] == 1))


def _lies_beyond(column, early, late):
    """Whether most later values lie outside of the earlier ones: of a date, a number that is counted on, a new word."""
    numbers = as_numbers(column)
    if numbers is None:
        values = column.astype(object)
        inside = values[late].isin(values[early].unique())
    else:
        low, high = np.nanquantile(numbers[early], [0.01, 0.99]) if np.isfinite(numbers[early]).any() else (0, 0)
        later = numbers[late & ~np.isnan(numbers)]
        inside = (later >= low) & (later <= high)
    return len(inside) > 0 and np.mean(inside) < 1 - BEYOND


def _marks_a_time(column, day):
    """Whether a column has two values, each day one, and one of them on days in a row: such as a year, or a change."""
    if column.nunique(dropna=False) != 2:
        return False
    code = pd.Series(pd.factorize(column, use_na_sentinel=False)[0]).groupby(day)
    return bool((code.nunique() == 1).all() and np.count_nonzero(np.diff(code.first())) <= 2)


def parts_that_matter(table, column):
    """Parts of the dates of a column that come again, and with which the gaps of a table change (p < 5 %).

    Months, which less than a year does not repeat, are none of them then.
    """
    times = table.X[column]
    if not pd.api.types.is_datetime64_any_dtype(times):
        return []
    parts = ["day_of_week", "hour"] + ["month"] * bool(times.max() - times.min() >= pd.Timedelta(days=365))
    known = np.flatnonzero(times.notna())
    return [part for part in parts if _matters(table.take(known), getattr(times.iloc[known].dt, part))]


def _matters(table, part):
    code = pd.factorize(part)[0]
    return code.max() > 0 and compare_gaps(table, code)[2] < 0.05


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
    rates, se, p_value = compare_gaps(table.take(rows), period)
    gap = rates["gap"]
    ends = times.groupby(period)
    words = list(map(_span, ends.min(), ends.max()))
    half_width = norm.ppf(0.975) * se
    columns = {place: rates[place] for place in ("n", "stated", "observed", "gap")}
    frame = pd.DataFrame({"period": words, **columns, "low": gap - half_width, "high": gap + half_width})
    least = int(gap.argmin())
    most = int(gap.argmax())
    value = float(gap[most] - gap[least])
    n_pairs = gap.size * (gap.size - 1) / 2
    half_width = float(norm.ppf(1 - 0.025 / n_pairs) * np.hypot(se[least], se[most]))
    return Drift(name, frame, p_value, value, value - half_width, value + half_width)


def compare_gaps(table, period):
    """Rates of each period 0, 1, … of a table, standard errors of their gaps, p-value of "they are the same"."""
    rates = gap_errors(table.y, table.p, period, table.weights, groups=table.groups)
    gap = rates["gap"]
    se = np.maximum(rates["se"], 1e-9)
    mean = np.average(gap, weights=se**-2)
    return rates, se, float(chi2.sf((((gap - mean) / se) ** 2).sum(), gap.size - 1))


def _span(first, last):
    """A period in words."""
    ends = dict.fromkeys([_written(first), _written(last)])
    return " to ".join(ends)


def _written(time):
    """A time as a reader would write it: a day, or a year."""
    return f"{time:%Y-%m-%d}" if isinstance(time, pd.Timestamp) else f"{time:g}"
