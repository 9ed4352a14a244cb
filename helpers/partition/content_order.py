"""An order of columns that depends on what they hold, not on where they stand or what they are called."""

from functools import cmp_to_key

import numpy as np

STEPS = 1023  # of a column from its lowest to its highest value, as whole numbers

BLOCK = 2**20  # numbers that are held at once as whole numbers


def order_of_content(columns, target, identity):
    """An order of columns that depends on what they hold, not on where they stand or what they are called."""
    # Columns are turned into whole numbers from 0 to 1,023 and put in the order of their products with the sum of all
    # columns; where these are equal, with the target. Such sums are exact, so that no order of columns or rows moves
    # them. Columns with equal sums are told apart by the first row in which they differ, and columns that hold the same
    # by their identities.
    n, d = columns.shape
    if d < 2:
        return np.arange(d)
    low = np.fmin.reduce(columns, axis=0).astype(float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scale = STEPS / (np.fmax.reduce(columns, axis=0) - low)
    scale[~np.isfinite(scale)] = 0.0  # of a constant column
    largest = np.abs(target).max()
    marks = np.rint(target * (STEPS / largest)) if largest > 0 else np.zeros(n)
    sums = np.zeros((2, d))
    for rows in _blocks(n, d):
        with np.errstate(invalid="ignore", over="ignore"):
            whole = np.rint((columns[rows] - low) * scale)
        whole[np.isnan(whole)] = -1
        sums += np.array([whole.sum(axis=1), marks[rows]]) @ whole  # whole numbers below 2**53: floats are exact

    def compare(j, k):
        here = tuple(sums[:, j].tolist())
        there = tuple(sums[:, k].tolist())
        if here == there:
            here, there = _first_difference(columns[:, j], columns[:, k]) or (identity(j), identity(k))
        return (here > there) - (here < there)

    return np.array(sorted(range(d), key=cmp_to_key(compare)))


def _blocks(n, d):
    """Slices of the rows of (n, d) numbers, of which few are held at once."""
    size = max(BLOCK // max(d, 1), 1)
    return [slice(start, start + size) for start in range(0, n, size)]


def _first_difference(one, other):
    """The values of two columns in the first row where they differ, None if there is no such row."""
    differs = (one != other) & ~(np.isnan(one) & np.isnan(other))
    if not differs.any():
        return None
    row = int(np.argmax(differs))
    return tuple(-np.inf if np.isnan(column[row]) else float(column[row]) for column in (one, other))


def put_in_order(columns, order):
    """Put the columns of (n, d) numbers in another order, in place: a copy of all of them would be large."""
    if not np.array_equal(order, np.arange(order.size)):
        for rows in _blocks(*columns.shape):
            columns[rows] = columns[rows][:, order]
