"""Columns that are named in advance: every level with its rates, however few rows it has."""

import numpy as np
import pandas as pd

from helpers.binning import cross_cells, group_sums
from helpers.calibration.reliability import design_effect
from helpers.checks import nearest_name
from helpers.partition.checked import CheckedTable, check_rows
from helpers.partition.columns import words_of
from helpers.partition.encoder import TableEncoder
from helpers.resampling import exact_interval

FIFTHS = 5  # parts of a number with more distinct values than this
WIDE = 0.1  # a gap that an interval must rule out before it may be called none


def measure_columns(y, p, X, check, *, sample_weight=None, groups=None):
    """Stated and observed rates of every level of columns that are named, with intervals that hold for few rows, too.

    A column that is named in advance needs no search and no adjustment for one. The interval is that of a share
    (Clopper and Pearson), less the mean score; weights and dependent rows count as fewer rows.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1, or recalibrated ones.
    X : DataFrame, shape (n, d)
        Features in the user's words.
    check : str or list of str
        Names of columns. Numbers with more than five values are cut into fifths; a missing value is a level.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, … whose rows depend on each other.

    Returns
    -------
    DataFrame
        One row a level: rule (words), n, share (of the weight), stated (mean p), observed (rate of y), gap = observed -
        stated, low, high (95 % interval of this gap alone), remark: "too low" or "too high" (the scores, where the
        interval leaves out zero), "too few to say" where it reaches beyond 10 points or twice the stated rate, else
        "no gap seen".

    Raises
    ------
    ValueError
        For input that breaks a rule, or a column that X does not have; the nearest name is given.

    References
    ----------
    Clopper and Pearson (1934); Korn and Graubard (1998) for weights and clusters.

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["female"] * 60 + ["male"] * 4})
    >>> table = measure_columns([1, 0] * 32, [0.3] * 60 + [0.5] * 4, X, "sex")
    >>> table[["rule", "n", "remark"]].values.tolist()
    [['sex is female', 60, 'too low'], ['sex is male', 4, 'too few to say']]
    """
    return levels_of_columns(check_rows(y, p, X, sample_weight, groups, both=False), check)


def levels_of_columns(rows, check):
    """`measure_columns` of `helpers.partition.checked.Rows`; whether they have the columns is checked here."""
    X = rows.X
    names = [check] if isinstance(check, str) else list(check)
    if not names:
        raise ValueError("check must name at least one column, but it is empty.")
    absent = [name for name in names if name not in X.columns]
    if absent:
        near = nearest_name(absent[0], X.columns, "column")
        raise ValueError(f"check must name columns of X, but {absent[0]!r} is none; {near}")
    tables = [_levels_of(name, rows.y, rows.p, X[[name]], rows.weights, rows.groups) for name in dict.fromkeys(names)]
    return pd.concat(tables, ignore_index=True)


def _levels_of(name, y, p, X, weight, groups):
    """The rows of one column."""
    column, code, words = _coded(name, X)
    count, total, stated, observed = group_sums(code, weight, weight * p, weight * y, size=len(words))
    table = pd.DataFrame({"rule": words, "n": count, "share": total / total.sum()})
    with np.errstate(invalid="ignore", divide="ignore"):
        table["stated"] = stated / total
        table["observed"] = observed / total
    table["gap"] = table["observed"] - table["stated"]
    rows = _effective_rows(code, weight, y - p - table["gap"].to_numpy()[code], groups, len(words))
    table = table[table["share"] > 0].copy()
    rows = rows[table.index]
    low, high = exact_interval(table["observed"].to_numpy().clip(0, 1) * rows, rows)
    table["low"] = low - table["stated"]
    table["high"] = high - table["stated"]
    table["remark"] = _remarks(table)
    return table.sort_values("rule", kind="stable") if column.kind == "category" else table


def _coded(name, X):
    """A column, the number of the level of each row, (n,), and the levels in words; missing values are the last one."""
    encoder = TableEncoder(FIFTHS, rare=1)
    (code,) = encoder.fit_transform(CheckedTable(X)).T
    (column,) = encoder.columns_
    size = column.levels.size
    words = [words_of(column, k, k, False) or f"{name} (all rows alike)" for k in range(size)]
    return column, np.where(np.isnan(code), size, code).astype(np.int64), [*words, f"{name} is missing"]


def _effective_rows(code, weight, residual, groups, size):
    """Number of independent rows of equal weight that each level is worth, (size,)."""
    _, total, squares = group_sums(code, weight, weight**2, size=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = total**2 / squares
    return rows if groups is None else rows / design_effect(cross_cells(code, groups)[0], weight * residual)


def _remarks(table):
    """What the interval of each gap allows to conclude."""
    is_open = table["high"] > np.minimum(WIDE, table["stated"])
    is_open |= table["low"] < -np.minimum(WIDE, 1 - table["stated"])
    return np.select(
        [table["low"] > 0, table["high"] < 0, is_open], ["too low", "too high", "too few to say"], "no gap seen"
    )
