"""Cells of a file of yours: the first that breaks a rule is named by file, column and row."""

import numpy as np
import pandas as pd

from helpers.checks import outside_of_range, raise_first_row


def check_cells(name, column, rule, values, bad):
    """ValueError for the first bad cell of a column of the file `name`."""
    if bad.any():
        raise_first_row(name, column, rule, values, bad, lambda k: f"row {k + 1:,}")


def numbers_of(values):
    """A column as floats, NaN where there is no number."""
    return pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)


def read_parts(paths, **options):
    """The table of all files of a record, one below the other, in the order of the first."""
    return pd.concat([pd.read_csv(path, **options) for path in paths], ignore_index=True)


def together(table, columns):
    """The rows with the rows of the same values in columns beside each other, both in the order of first appearance."""
    codes = [pd.factorize(table[column])[0] for column in columns]
    return table.iloc[np.lexsort(codes[::-1])].reset_index(drop=True)


def labels_and_scores(name, frame, label, score):
    """Labels, 0 or 1, and probabilities in [0, 1] of two columns of the file `name`."""
    y, p = numbers_of(frame[label]), numbers_of(frame[score])
    check_cells(name, label, "be 0 or 1", frame[label], ~np.isin(y, [0, 1]))
    check_cells(name, score, "hold probabilities in [0, 1]", frame[score], outside_of_range(p))
    return y.astype(int), np.clip(p, 0, 1)
