"""Who is misjudged: groups of people whose stated probabilities are too high or too low, in words and with
intervals.
"""

import numpy as np
import pandas as pd
from scipy.stats import t as student
from statsmodels.stats.multitest import multipletests

from helpers.binning import group_sums
from helpers.checks import (
    check_count,
    check_groups,
    check_labels,
    check_probabilities,
    check_same_length,
    check_weights,
)
from helpers.encoding import check_table
from helpers.grouping import split_rows
from helpers.partition import HonestTree


def audit_groups(y, p, X, *, max_depth=3, min_rows=None, sample_weight=None, groups=None, rng=None):
    """Groups that a shallow honest tree finds: chosen on one half of the rows, measured on the other.

    Parameters
    ----------
    y : (n,) labels 0/1; p : (n,) stated probabilities of class 1; X : (n, d) features in the user's words
    max_depth : questions that define a group, at most
    min_rows : rows that a group needs in each half; default the larger of 50 and 2 % of the rows
    sample_weight : (n,) sampling weights; groups : (n,) labels of people, hospitals, … that are never split
    rng : int, Generator or None

    Returns
    -------
    DataFrame, most overconfident group first, one row a group:
    rule (words), n (rows that measured it), share (of the weight), stated (mean p), observed (rate of y), gap =
    observed - stated (negative: the model overstates), low, high (95 % interval of the gap, t distribution, by group
    of rows where `groups` is given), p_value, adjusted (Holm, over all groups looked at)

    Raises
    ------
    ValueError for input that breaks a rule or too few rows for two groups.

    Source: the honest groups of Melo et al. (2026), section 4.2; intervals and adjustment are ours.

    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 60), 50)})
    >>> y = np.random.default_rng(0).random(2000) < np.where(X["age"] < 40, 0.3, 0.7)
    >>> audit_groups(y, np.full(2000, 0.5), X, max_depth=1, rng=0)["rule"].tolist()
    ['age <= 39', 'age > 39']
    """
    y, p, X = check_labels(y, both=True), check_probabilities(p), check_table(X)
    weight, groups = check_weights(sample_weight), check_groups(groups)
    check_same_length(y=y, p=p, X=X, sample_weight=weight, groups=groups)
    min_rows = max(50, y.size // 50) if min_rows is None else check_count(min_rows, "min_rows", least=10)
    if y.size < 4 * min_rows:
        raise ValueError(f"y must have at least 4 * min_rows = {4 * min_rows:,} rows, but it has {y.size:,}.")
    rng = np.random.default_rng(rng)
    fit, rest = split_rows(y, groups, (0.5,), rng)
    weight = np.ones_like(y) if weight is None else weight
    tree = HonestTree(min_samples_leaf=min_rows, max_depth=max_depth, rng=rng)
    region = tree.fit(X.iloc[fit], (y - p)[fit], weight[fit]).apply(X.iloc[rest])
    table = _measure(region, y[rest], p[rest], weight[rest], rest if groups is None else groups[rest], tree.n_regions_)
    table.insert(0, "rule", tree.rules())
    table = table[table["n"] > 0].sort_values("gap", kind="stable").reset_index(drop=True)
    table["adjusted"] = multipletests(table["p_value"], method="holm")[1]
    return table


def _measure(region, y, p, weight, unit, size):
    """Rates, gap and its t interval per region; independent units are rows or groups of rows."""
    count, total, stated, observed = group_sums(region, weight, weight * p, weight * y, size=size)
    filled = np.where(total > 0, total, np.nan)
    stated, observed = stated / filled, observed / filled
    gap = observed - stated
    keys, cell = np.unique(region.astype(np.int64) * (unit.max() + 1) + unit, return_inverse=True)
    deviation = np.bincount(cell, weight * (y - p - gap[region]))
    units, squares = group_sums(keys // (unit.max() + 1), deviation**2, size=size)
    freedom = np.maximum(units - 1, 1)
    se = np.sqrt(squares * (units / freedom)) / filled
    one_sided = (observed == 0) | (observed == 1)  # no spread was seen, but that does not make the rate certain
    rate = (observed[one_sided] * units[one_sided] + 1) / (units[one_sided] + 2)
    se[one_sided] = np.maximum(se[one_sided], np.sqrt(rate * (1 - rate) / units[one_sided]))
    se[units < 2] = np.nan
    reach = student.ppf(0.975, freedom) * se
    p_value = 2 * student.sf(np.abs(np.divide(gap, se, out=np.zeros(size), where=se > 0)), freedom)
    columns = {"n": count, "share": total / total.sum(), "stated": stated, "observed": observed, "gap": gap}
    return pd.DataFrame(columns | {"low": gap - reach, "high": gap + reach, "p_value": p_value})
