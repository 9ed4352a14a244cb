"""An order of columns that depends on what they hold, not on where they stand or what they are called."""

from functools import cmp_to_key

import numpy as np

STEPS = 1023  # of a column from its lowest to its highest value, as whole numbers


def order_of_content(columns, target, identity):
    """Numbers of the (n, d) columns in an order that no order or name of columns, and no order of rows, changes."""
    # Columns are turned into whole numbers from 0 to 1,023 and put in the order of their products with the sum of all
    # columns; where these are equal, with the target. Such sums are exact, so that no order of columns or rows moves
    # them. Columns with equal sums are told apart by the first row in which they differ, and columns that hold the same
    # by their identities.
    n, d = columns.shape
    if d < 2:
        return np.arange(d)
    largest = np.abs(target).max()
    marks = np.rint(target * (STEPS / largest)) if largest > 0 else np.zeros(n)
    whole = [_whole_numbers(column) for column in columns.T]
    total = sum(whole)
    sums = [(float(total @ column), float(marks @ column)) for column in whole]

    def compare(j, k):
        here, there = sums[j], sums[k]
        if here == there:
            here, there = _first_difference(columns[:, j], columns[:, k]) or next(
                pair for pair in zip(identity(j), identity(k), strict=False) if pair[0] != pair[1]
            )
        return (here > there) - (here < there)

    return np.array(sorted(range(d), key=cmp_to_key(compare)))


def _whole_numbers(column):
    """A column as whole numbers, -1 where it is missing; floats, whose sums are exact below 2**53."""
    low = np.fmin.reduce(column).astype(float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scale = STEPS / (np.fmax.reduce(column) - low)
        whole = np.rint((column - low) * (scale if np.isfinite(scale) else 0.0))  # 0: of a constant column
    whole[np.isnan(whole)] = -1
    return whole


def _first_difference(one, other):
    """The values of two columns in the first row where they differ, None if there is no such row."""
    differs = (one != other) & ~(np.isnan(one) & np.isnan(other))
    if not differs.any():
        return None
    row = int(np.argmax(differs))
    return tuple(-np.inf if np.isnan(column[row]) else float(column[row]) for column in (one, other))
