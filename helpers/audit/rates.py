"""Groups that are given: stated and observed rates, gaps with standard errors, p-values adjusted for their number."""

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
    """P-values adjusted for their number, (m,): of those below 5 %, any is a false alarm with at most 5 % probability.

    Source: Holm (1979). Like statsmodels' `multipletests`, without its pause for garbage collection.

    >>> holm([0.04, 0.01, 0.5])
    array([0.08, 0.03, 0.5 ])
    """
    p_value = np.asarray(p_value, dtype=float)
    order = np.argsort(p_value, kind="stable")
    adjusted = np.empty(p_value.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_value[order] * np.arange(p_value.size, 0, -1)), 1)
    return adjusted


def measure_groups(y, p, region, *, calibrated=None, sample_weight=None, groups=None, size=None):
    """Stated and observed rates of groups that are given, with intervals of their gaps; no search, no adjustment.

    gap = observed - stated; its standard error is the larger of two: from the spread of y - p inside the group, and
    from the binomial variance at the stated probabilities. (The first alone makes a group with one event where five
    were promised look far too sure.) The interval is Student's at the effective number of independent rows or groups.

    Parameters
    ----------
    y, p : (n,) labels and stated probabilities; region : (n,) int, the group of each row
    calibrated : (n,) scores after recalibration, or None; adds `calibrated` (their mean) and, of left = observed -
        calibrated, the interval and the p-value
    sample_weight, groups : see `find_groups`
    size : number of groups, when the last ones may be empty

    Returns
    -------
    DataFrame, one row a group: the columns of `GroupAudit.table` without rule and adjustment

    >>> measure_groups([0, 0, 1, 1], [0.5] * 4, [0, 0, 0, 0])[["stated", "observed", "gap", "p_value"]]
       stated  observed  gap  p_value
    0     0.5       0.5  0.0      1.0
    """
    clustered = {"sample_weight": sample_weight, "groups": groups, "size": size}
    rates = _rates(y, p, region, **clustered)
    if calibrated is None:
        return table_of_rates(rates)
    after = _rates(y, check_probabilities(calibrated, "calibrated"), region, **clustered)
    left = {"calibrated": after["stated"], "left": after["gap"]}
    left |= {f"left_{name}": values for name, values in _tested(**after).items()}
    return table_of_rates(rates).assign(**left)


def table_of_rates(rates):
    """The table of `measure_groups` from what `rates_from_sums` returns."""
    columns = {name: rates[name] for name in ("n", "share", "stated", "observed", "gap")}
    return pd.DataFrame(columns | _tested(**rates))


def _tested(gap, se, freedom, **others):
    """Student's interval and p-value of each gap, as columns; an empty group has no interval and a p-value of 1."""
    reach = student.ppf(0.975, freedom) * se
    z = np.divide(gap, se, out=np.zeros(gap.size), where=se > 0)
    return {"low": gap - reach, "high": gap + reach, "p_value": 2 * student.sf(np.abs(z), freedom)}


def gap_errors(y, p, region, *, sample_weight=None, groups=None, size=None):
    """Gaps of groups with their standard errors, the numbers behind `measure_groups`.

    Returns
    -------
    DataFrame, one row a group: n, share, stated, observed, gap, total (sum of weights), se, freedom (effective rows
        less one, at least 1)

    >>> gap_errors([0, 0, 1, 1], [0.5] * 4, [0, 0, 0, 0])[["gap", "se", "freedom"]].round(3)
       gap     se  freedom
    0  0.0  0.289      3.0
    """
    return pd.DataFrame(_rates(y, p, region, sample_weight, groups, size))


def _rates(y, p, region, sample_weight, groups, size):
    """The columns of `gap_errors`."""
    y, p = check_labels(y), check_probabilities(p)
    weight, groups = check_weights(sample_weight), check_groups(groups)
    region = check_regions(region)
    check_same_length(y=y, p=p, region=region, sample_weight=weight, groups=groups)
    weight = np.ones_like(y) if weight is None else weight
    chance = weight**2 * p * (1 - p)
    sums = group_sums(region, weight, weight * p, weight * y, weight**2, chance, size=size)

    def spread(gap):
        deviation = weight * (y - p - gap[region])
        if groups is None:
            return np.bincount(region, deviation**2, sums[0].size), sums[4], 1.0
        return _by_unit(region, weight, deviation, groups, sums[0].size)

    return rates_from_sums(*sums, spread)


def rates_from_sums(count, total, stated, observed, own, chance, spread):
    """The columns of `gap_errors` from the sums in each group: rows, weight w, w p, w y, w^2 and w^2 p (1 - p).

    `spread` maps the gaps (NaN in an empty group) to three things: the sum of squared deviations from them and of
    squared weights, over rows or units that are independent, and the factor by which units inflate variances.
    """
    filled = np.where(total > 0, total, np.nan)
    stated, observed = stated / filled, observed / filled
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


def _by_unit(region, weight, deviation, groups, size):
    """Sums over (region, group) cells: squared deviations, squared weights, and how much clustering inflates the
    variance (at least 1, pooled over regions).
    """
    cell, home, _ = cross_cells(region, groups)
    squares, weights = np.bincount(cell, deviation) ** 2, np.bincount(cell, weight) ** 2
    return np.bincount(home, squares, size), np.bincount(home, weights, size), design_effect(cell, deviation)
