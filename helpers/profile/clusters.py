"""Rows of one event, person, day or place: columns in which rows with one value err alike."""

import numpy as np

from helpers.profile.alerts import Alert
from helpers.profile.copies import have_near_misses, pairs, row_hashes

LEAST_LEVELS = 40  # with two rows or more: fewer are no groups that an interval can rest on
LARGEST = 0.1  # of the rows, in one value: a column with a larger one is a feature
FEWEST = 10  # values of which an interval cannot rest, but the question whether rows are independent
LARGEST_OF_FEW = 0.25  # of the rows, in one of them
OWN = 0.25  # of the agreement of rows with one value, the least that rows with the next value must not share
STANDARD_ERRORS = 5.0  # of forty groups, chance gives as much once in thirty thousand
WIDER = 1.15  # factor of the interval below which nothing is said
ONE_OUTCOME = 0.99  # of the values with several rows


def find_clusters(columns, y, c, weight, *, few=False):
    """Alerts for columns in which rows with one value err alike; the widest first.

    Of dates, and of all columns if `few`, ten values are enough.
    """
    residual = y - c
    variance = c * (1 - c)
    alerts = []
    for column in columns:
        if column.repeats:
            own = _without_weekdays(column, residual) if column.is_date else residual
            limits = (FEWEST, LARGEST_OF_FEW) if few or column.is_date else (LEAST_LEVELS, LARGEST)
            found = _agree(column.code, column.n_levels, column.is_ordered, y, own, variance, weight, *limits)
            if found is not None:
                n, value, more = found
                alerts.append(Alert("cluster", column.columns, n=n, value=value, more=more))
    return sorted(alerts, key=lambda alert: -alert.value)


def _without_weekdays(column, residual):
    """Residuals less their means by day of the week, which is a feature and no dependence of days."""
    weekday = column.values.dt.day_of_week.fillna(7).to_numpy(int)
    count = np.bincount(weekday, minlength=8)
    return residual - (np.bincount(weekday, residual, 8) / np.maximum(count, 1))[weekday]


def find_same_rows(columns, y, c, weight):
    """Alert for rows that are equal in all features, more than coarse columns explain, and err alike; else None."""
    if not columns:
        return None
    with np.errstate(over="ignore"):
        hashes = row_hashes(columns)
        features = hashes.sum(axis=0)
        levels, code, count = np.unique(features, return_inverse=True, return_counts=True)
        if levels.size < LEAST_LEVELS or levels.size == y.size or have_near_misses(hashes, features, pairs(count)):
            return None
    found = _agree(code, levels.size, False, y, y - c, c * (1 - c), weight)
    if found is None:
        return None
    n, value, more = found
    return Alert("same_rows", (), n=n, value=value, more=more)


def _agree(code, n_levels, is_ordered, y, residual, variance, weight, least=LEAST_LEVELS, largest=LARGEST):
    """(rows, factor of the interval, more) where residuals of rows with one value agree beyond chance, else None."""
    inside = code >= 0
    if n_levels < least or n_levels > 0.9 * inside.sum():
        return None
    code = code[inside]
    count = np.bincount(code, minlength=n_levels)
    several = count > 1
    if several.sum() < least or count.max() > largest * count.sum():
        return None
    residual, variance, y = residual[inside], variance[inside], y[inside]
    if np.ptp(y) == 0:  # it is filled for one outcome only, so that being missing tells it
        return None
    if _standard_errors(code, n_levels, residual, variance, is_ordered) < STANDARD_ERRORS:
        return None
    moved = residual if weight is None else weight[inside] * residual
    total = np.bincount(code, moved, n_levels)
    wider = float(np.sqrt((total**2).sum() / (moved**2).sum()))
    if wider < WIDER:
        return None
    ones = np.bincount(code, y, n_levels)
    one_outcome = ((ones == 0) | (ones == count))[several].mean() >= ONE_OUTCOME
    return int(count[several].sum()), wider, {"n_levels": int((count > 0).sum()), "one_outcome": bool(one_outcome)}


def _standard_errors(code, n_levels, residual, variance, is_ordered):
    """How far residuals of rows with one value agree, in standard errors; of numbers, beyond those of the next value.

    The products of the residuals of all pairs of rows with one value have mean 0 and variance v v' if rows are
    independent. A smooth effect of a number makes neighbouring values agree as much, and is none of dependent rows.
    """

    def sums(values):
        return np.bincount(code, values, n_levels)

    total, squares, spread = sums(residual), sums(residual**2), sums(np.sqrt(variance))
    variances, fourth = sums(variance), sums(variance**2)
    scale = (spread**2 - variances) / 2
    part = _beside_next(spread, scale) if is_ordered else np.ones(n_levels)
    if not (part * scale).sum() > 0:
        return 0.0
    correlation = (part * (total**2 - squares)).sum() / 2 / (part * scale).sum()
    error = np.sqrt((part**2 * (variances**2 - fourth)).sum() / 2) / (part * scale).sum()
    if is_ordered:
        next_scale = (spread[:-1] * spread[1:]).sum()
        if next_scale > 0:
            shared = max((total[:-1] * total[1:]).sum() / next_scale, 0.0)
            if shared > (1 - OWN) * correlation:
                return 0.0
            correlation -= shared
            error = np.hypot(error, np.sqrt((variances[:-1] * variances[1:]).sum()) / next_scale)
    return float(correlation / error)


def _beside_next(spread, scale):
    """Part with which the pairs of each value count: of one with more rows than those next to it, such as 0, fewer.

    Else it would count more alone than beside the next, and a smooth effect would look like one of the value.
    """
    beside = np.concatenate([spread[1:2], (spread[:-2] + spread[2:]) / 2, spread[-2:-1]])
    return np.minimum(spread * beside / np.maximum(2 * scale, 1e-300), 1.0)
