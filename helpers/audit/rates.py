"""Subgroups that are given: stated and observed rates, gaps with standard errors, adjusted p-values."""

import numpy as np
import pandas as pd
from scipy.stats import t as student

from helpers.binning import cross_cells, group_sums
from helpers.calibration.reliability import design_effect
from helpers.checks import (
    check_groups,
    check_labels,
    check_probabilities,
    check_regions,
    check_same_length,
    check_weights,
)


def holm(p_value):
    """P-values adjusted for their number: of those below 5 %, any is a false alarm with at most 5 % probability.

    The numbers are those of statsmodels' `multipletests`, which collects garbage at every call; its tenth of a second
    is twice what a whole search for subgroups takes.

    Parameters
    ----------
    p_value : array of float, shape (m,)
        P-values; a missing one stays missing, and counts.

    Returns
    -------
    array of float, shape (m,)
        Adjusted p-values, at most 1.

    References
    ----------
    Holm (1979).

    Examples
    --------
    >>> holm([0.04, 0.01, 0.5])
    array([0.08, 0.03, 0.5 ])
    """
    p_value = np.asarray(p_value, dtype=float)
    order = np.argsort(p_value, kind="stable")
    adjusted = np.empty(p_value.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_value[order] * np.arange(p_value.size, 0, -1)), 1)
    return adjusted


def measure_groups(y, p, subgroup, *, calibrated=None, sample_weight=None, groups=None, size=None):
    """Stated and observed rates of subgroups that are given, with intervals of their gaps; no search, no adjustment.

    gap = observed - stated; its standard error is the larger of two: from the spread of y - p inside the subgroup, and
    from the binomial variance at the stated probabilities. (The first alone makes a subgroup with one event where five
    were promised look far too sure.) The interval is Student's at the effective number of independent rows or groups.

    Parameters
    ----------
    y : array of {0, 1}, shape (n,)
        Labels.
    p : array of float, shape (n,)
        Stated probabilities of class 1.
    subgroup : array of int, shape (n,)
        Number of the subgroup that each row is in, from 0.
    calibrated : array of float, shape (n,), optional
        Scores after recalibration; adds `calibrated` (their mean) and, of left = observed - calibrated, the interval
        and the p-value.
    sample_weight : array of float, shape (n,), optional
        Sampling weights.
    groups : array, shape (n,), optional
        Labels of people, hospitals, … whose rows depend on each other.
    size : int, optional
        Number of subgroups, when the last ones may be empty.

    Returns
    -------
    DataFrame
        One row a subgroup: the columns of `GroupAudit.table` without rule and adjustment.

    Raises
    ------
    ValueError
        For columns that break a rule or differ in length.

    Examples
    --------
    >>> measure_groups([0, 0, 1, 1], [0.5] * 4, [0, 0, 0, 0])[["stated", "observed", "gap", "p_value"]]
       stated  observed  gap  p_value
    0     0.5       0.5  0.0      1.0
    """
    y = check_labels(y)
    p = check_probabilities(p)
    calibrated = None if calibrated is None else check_probabilities(calibrated, "calibrated")
    weight = check_weights(sample_weight)
    groups = check_groups(groups)
    subgroup = check_regions(subgroup, "subgroup")
    check_same_length(y=y, p=p, subgroup=subgroup, calibrated=calibrated, sample_weight=weight, groups=groups)
    weight = np.ones_like(y) if weight is None else weight
    return table_of_gaps(y, p, subgroup, weight, calibrated=calibrated, groups=groups, size=size)


def table_of_gaps(y, p, subgroup, weight, *, calibrated=None, groups=None, size=None):
    """The table of `measure_groups` from columns that were checked; `groups` are codes from 0."""
    table = table_of_rates(gap_errors(y, p, subgroup, weight, groups=groups, size=size))
    if calibrated is None:
        return table
    after = gap_errors(y, calibrated, subgroup, weight, groups=groups, size=size)
    table = table.assign(calibrated=after["stated"], left=after["gap"])
    return table.assign(**{f"left_{name}": values for name, values in _tested(**after).items()})


def table_of_rates(rates):
    """The table of `measure_groups` from what `rates_from_sums` returns."""
    columns = {name: rates[name] for name in ("n", "share", "stated", "observed", "gap")}
    return pd.DataFrame(columns | _tested(**rates))


def _tested(gap, se, freedom, **others):
    """Student's interval and p-value of each gap, as columns; an empty subgroup has neither."""
    reach = student.ppf(0.975, freedom) * se
    z = np.divide(gap, se, out=np.zeros(gap.size), where=se > 0)
    return {"low": gap - reach, "high": gap + reach, "p_value": 2 * student.sf(np.abs(z), freedom)}


def gap_errors(y, p, subgroup, weight, *, groups=None, size=None):
    """Gaps of subgroups with their standard errors, {name: (subgroups,)}, from columns that were checked.

    The names are n, share, stated, observed, gap, total (sum of weights), se, freedom (effective rows less one, at
    least 1).

    >>> rates = gap_errors(np.array([0, 0, 1, 1]), np.full(4, 0.5), np.zeros(4, int), np.ones(4))
    >>> rates["gap"], rates["se"].round(3), rates["freedom"]
    (array([0.]), array([0.289]), array([3.]))
    """
    chance = weight**2 * p * (1 - p)
    sums = group_sums(subgroup, weight, weight * p, weight * y, weight**2, chance, size=size)
    n_subgroups = sums[0].size

    def spread(gap):
        deviation = weight * (y - p - gap[subgroup])
        if groups is None:
            return np.bincount(subgroup, deviation**2, n_subgroups), sums[4], 1.0
        return _spread_of_groups(subgroup, weight, deviation, groups, n_subgroups)

    return rates_from_sums(*sums, spread)


def rates_from_sums(count, total, stated, observed, own, chance, spread):
    """What `gap_errors` returns from the sums in each subgroup: rows, weight w, w p, w y, w^2 and w^2 p (1 - p).

    `spread` maps the gaps (NaN in an empty subgroup) to three things: the sum of squared deviations from them and of
    squared weights, over rows or groups that are independent, and the factor by which groups inflate variances.
    """
    filled = np.where(total > 0, total, np.nan)
    stated = stated / filled
    observed = observed / filled
    gap = observed - stated
    squares, weights, inflation = spread(gap)
    independent = filled**2 / np.where(weights > 0, weights, np.nan)
    freedom = np.maximum(independent - 1, 1)
    se = np.sqrt(squares * (1 + 1 / freedom)) / filled
    chance = np.sqrt(chance * inflation) / filled
    rate = (observed * independent + 1) / (independent + 2)  # a rate of 0 or 1 was seen, but is not certain
    one_sided = np.where((observed == 0) | (observed == 1), np.sqrt(rate * (1 - rate) / independent), 0.0)
    se = np.maximum(np.maximum(se, chance), one_sided)
    columns = {"n": count, "share": total / total.sum(), "stated": stated, "observed": observed, "gap": gap}
    return columns | {"total": total, "se": se, "freedom": freedom}


def _spread_of_groups(subgroup, weight, deviation, groups, size):
    """Sums over the cells of subgroups and groups: squared deviations, squared weights, and how much clustering
    inflates the variance (at least 1, pooled over subgroups).
    """
    cell, home, _ = cross_cells(subgroup, groups)
    squares = np.bincount(cell, deviation) ** 2
    weights = np.bincount(cell, weight) ** 2
    return np.bincount(home, squares, size), np.bincount(home, weights, size), design_effect(cell, deviation)
