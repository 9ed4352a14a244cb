"""Subgroups that are given: stated and observed rates, gaps with standard errors, adjusted p-values."""

import numpy as np
import pandas as pd
from scipy.stats import t as student

from helpers.binning import cross_cells, group_sums
from helpers.calibration.reliability import design_effect
from helpers.checks import (
    check_effective,
    check_groups,
    check_labels,
    check_numbers,
    check_probabilities,
    check_regions,
    check_same_length,
    check_weights,
    raise_first,
    sampled_rows,
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
    Holm (1979). Plain: `helpers.papers.melo2026.section_4_2_holm`.

    Examples
    --------
    >>> holm([0.04, 0.01, 0.5])
    array([0.08, 0.03, 0.5 ])
    """
    p_value = check_numbers(p_value, "p_value")
    outside = (p_value < 0) | (p_value > 1)
    if outside.any():
        raise_first("p_value", "lie in [0, 1]", p_value, outside)
    order = np.argsort(p_value, kind="stable")
    adjusted = np.empty(p_value.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_value[order] * np.arange(p_value.size, 0, -1)), 1)
    return adjusted


def measure_groups(y, p, subgroup, *, calibrated=None, sample_weight=None, groups=None, size=None):
    """Stated and observed rates of subgroups that are given, with intervals of their gaps; no search, no adjustment.

    gap = observed - stated; its standard error is the larger of two: from the spread of y - p inside the subgroup, and
    from the binomial variance at the stated probabilities. (The first alone calls a subgroup with one event where five
    were promised significant far too often.) The interval is Student's at the effective number of independent rows or
    groups. Plain: `helpers.papers.melo2026.section_4_2_audit`.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    subgroup : array of int, shape (n,)
        Number of the subgroup that each row is in, from 0.
    calibrated : array of float, shape (n,), optional
        Scores after recalibration; adds `calibrated` (their mean), residual_gap = observed - calibrated, and the
        interval and the p-value of this gap.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, … whose rows depend on each other.
    size : int, optional
        Number of subgroups, when the last ones may be empty.

    Returns
    -------
    DataFrame
        One row a subgroup: the columns of `GroupAudit.table` without rule and adjustment.

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
    check_effective(weight, groups)
    weight, groups, y, p, subgroup, calibrated = sampled_rows(weight, groups, y, p, subgroup, calibrated)
    weight = np.ones_like(y) if weight is None else weight
    size = subgroup.max() + 1 if size is None else size
    kept = weight > 0  # a row of weight 0 is none
    calibrated, groups = (None if column is None else column[kept] for column in (calibrated, groups))
    columns = {"calibrated": calibrated, "groups": groups, "size": size}
    return table_of_gaps(y[kept], p[kept], subgroup[kept], weight[kept], **columns)


def table_of_gaps(y, p, subgroup, weight, *, calibrated=None, groups=None, size=None):
    """The table of `measure_groups` from columns that were checked; `groups` are codes from 0."""
    rates = gap_errors(y, p, subgroup, weight, groups=groups, size=size)
    columns = {name: rates[name] for name in ("n", "share", "stated", "observed", "gap")} | _tested(**rates)
    if calibrated is not None:
        after = gap_errors(y, calibrated, subgroup, weight, groups=groups, size=size)
        columns |= {"calibrated": after["stated"], "residual_gap": after["gap"]}
        columns |= {f"residual_{name}": values for name, values in _tested(**after).items()}
    return pd.DataFrame(columns)


def _tested(gap, se, freedom, **others):
    """Student's interval and p-value of each gap, as columns; an empty subgroup has neither."""
    half_width = student.ppf(0.975, freedom) * se
    z = np.divide(gap, se, out=np.zeros(gap.size), where=se > 0)
    return {
        "low": np.maximum(gap - half_width, -1),
        "high": np.minimum(gap + half_width, 1),
        "p_value": 2 * student.sf(np.abs(z), freedom),
    }


def gap_errors(y, p, subgroup, weight, *, groups=None, size=None):
    """Gaps of subgroups with their standard errors, {name: (subgroups,)}, from columns that were checked."""
    count, total, stated, observed = group_sums(subgroup, weight, weight * p, weight * y, size=size)
    filled = np.where(total > 0, total, np.nan)
    stated = stated / filled
    observed = observed / filled
    gap = observed - stated
    columns = {"n": count, "share": total / total.sum(), "stated": stated, "observed": observed, "gap": gap}
    deviation = weight * (y - p - gap[subgroup])
    return columns | _errors(p, subgroup, weight, groups, filled, observed, deviation)


def _errors(p, subgroup, weight, groups, total, observed, deviation):
    """Standard errors of the gaps, the largest of three, and degrees of freedom."""
    variance = np.bincount(subgroup, weight**2 * p * (1 - p), total.size)
    inflation = 1.0
    if groups is None:
        squares = np.bincount(subgroup, deviation**2, total.size)
        weights = np.bincount(subgroup, weight**2, total.size)
    else:
        cell, home, _ = cross_cells(subgroup, groups)
        squares = np.bincount(home, np.bincount(cell, deviation) ** 2, total.size)
        weights = np.bincount(home, np.bincount(cell, weight) ** 2, total.size)
        inflation = design_effect(cell, deviation)
    rows = total**2 / np.where(weights > 0, weights, np.nan)  # effective number of independent ones
    freedom = np.maximum(rows - 1, 1)
    spread = np.sqrt(squares * (1 + 1 / freedom)) / total
    binomial = np.sqrt(variance * inflation) / total
    rate = (observed * rows + 1) / (rows + 2)  # a rate of 0 or 1 was seen, but is not certain
    one_sided = np.where((observed == 0) | (observed == 1), np.sqrt(rate * (1 - rate) / rows), 0.0)
    return {"se": np.maximum(np.maximum(spread, binomial), one_sided), "freedom": freedom}
