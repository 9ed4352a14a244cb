"""Who is misjudged: groups of people whose stated probabilities are too high or too low, in words and with
intervals.
"""

import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.stats import t as student

from helpers.binning import cross_cells, group_sums
from helpers.checks import (
    check_count,
    check_groups,
    check_labels,
    check_probabilities,
    check_same_length,
    check_weights,
)
from helpers.encoding import check_table
from helpers.partition import HonestTree, split_rows
from helpers.reliability import design_effect

EVENTS = 10  # cases of the rarer label that a group should hold, so that its interval means something


@dataclass(frozen=True)
class GroupAudit:
    """Groups chosen on one half of the rows and measured on the other.

    table : one row a group, most overstated first: rule (words), n (rows that measured it), share (of the weight),
        stated (mean p), observed (rate of y), gap = observed - stated (negative: the model overstates), low, high (95 %
        interval of the gap), p_value, adjusted (Holm, over all groups looked at); with `calibrated` also calibrated
        (mean of it), left = observed - calibrated (the gap that recalibration leaves), left_p_value, left_adjusted
    leaf : (rows of the table,) the tree's number of each group
    tree : the `HonestTree` that tells the groups apart
    """

    table: pd.DataFrame
    leaf: np.ndarray = field(repr=False)
    tree: HonestTree = field(repr=False)

    @property
    def sure(self):
        """Rows of the table whose gap stands after the adjustment for all groups looked at (5 % family-wise)."""
        return self.table[self.table["adjusted"] < 0.05]

    @property
    def remaining(self):
        """Those of `sure` whose gap would stand after recalibration; without calibrated scores, `sure`."""
        return self.sure[self.sure["left_adjusted"] < 0.05] if "left" in self.table else self.sure

    @property
    def features(self):
        """Features that set the remaining groups (or, if there are none, all groups) apart, the most telling first."""
        weight = self.tree.tree_.compute_feature_importances()
        names = [self.tree.encoder_.columns_[j].name for j in np.argsort(-weight, kind="stable") if weight[j] > 0]
        rules = self.remaining["rule"] if len(self.remaining) else self.table["rule"]
        named = [rules.str.contains(rf"(?<!\w){re.escape(name)}(?!\w)").any() for name in names]
        return [name for name, found in zip(names, named, strict=True) if found]

    def apply(self, X):
        """Row of `table` that each row of `X` belongs to, (n,) int; -1 for a group that no row measured."""
        row_of = np.full(self.tree.n_regions_, -1)
        row_of[self.leaf] = np.arange(self.leaf.size)
        return row_of[self.tree.apply(X)]

    def __str__(self):
        return f"{len(self.table)} groups, {len(self.sure)} of them surely misjudged"


def audit_groups(y, p, X, *, calibrated=None, max_depth=3, min_rows=None, sample_weight=None, groups=None, rng=None):
    """Groups that a shallow honest tree finds, as a table: `find_groups(...).table`.

    See `find_groups` for the arguments, and `GroupAudit` for the columns.

    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 60), 50)})
    >>> y = np.random.default_rng(0).random(2000) < np.where(X["age"] < 40, 0.3, 0.7)
    >>> audit_groups(y, np.full(2000, 0.5), X, max_depth=1, rng=0)["rule"].tolist()
    ['age <= 39', 'age > 39']
    """
    return find_groups(
        y,
        p,
        X,
        calibrated=calibrated,
        max_depth=max_depth,
        min_rows=min_rows,
        sample_weight=sample_weight,
        groups=groups,
        rng=rng,
    ).table


def find_groups(y, p, X, *, calibrated=None, max_depth=3, min_rows=None, sample_weight=None, groups=None, rng=None):
    """Groups that a shallow honest tree finds: chosen on one half of the rows, measured on the other.

    Parameters
    ----------
    y : (n,) labels 0/1; p : (n,) stated probabilities of class 1; X : (n, d) features in the user's words
    calibrated : (n,) scores after recalibration or None; adds what recalibration leaves of each gap
    max_depth : questions that define a group, at most
    min_rows : rows that a group needs in each half; default the largest of 50, 2 % of the rows, and the rows that hold
        10 cases of the rarer label, but at most a quarter of the rows
    sample_weight : (n,) sampling weights; groups : (n,) labels of people, hospitals, … that are never split
    rng : int, Generator or None

    Returns
    -------
    GroupAudit

    Raises
    ------
    ValueError for input that breaks a rule or too few rows for two groups.

    Source: the honest groups of Melo et al. (2026), section 4.2; intervals and adjustment are ours.
    """
    y, p, X = check_labels(y, both=True), check_probabilities(p), check_table(X)
    weight, groups = check_weights(sample_weight), check_groups(groups)
    calibrated = None if calibrated is None else check_probabilities(calibrated, "calibrated")
    check_same_length(y=y, p=p, X=X, calibrated=calibrated, sample_weight=weight, groups=groups)
    min_rows = _enough(y) if min_rows is None else check_count(min_rows, "min_rows", least=10)
    if y.size < 4 * min_rows:
        raise ValueError(f"y must have at least 4 * min_rows = {4 * min_rows:,} rows, but it has {y.size:,}.")
    rng = np.random.default_rng(rng)
    fit, rest = split_rows(y, groups, (0.5,), rng)
    weight = np.ones_like(y) if weight is None else weight
    tree = HonestTree(min_samples_leaf=min_rows, max_depth=max_depth, rng=rng)
    region = tree.fit(X.iloc[fit], (y - p)[fit], weight[fit]).apply(X.iloc[rest])
    unit = None if groups is None else groups[rest]
    after = None if calibrated is None else calibrated[rest]
    table = measure_groups(
        y[rest], p[rest], region, calibrated=after, sample_weight=weight[rest], groups=unit, size=tree.n_regions_
    )
    table.insert(0, "rule", tree.rules())
    table = table[table["share"] > 0].sort_values("gap", kind="stable")
    leaf = table.index.to_numpy()
    table = table.reset_index(drop=True)
    table["adjusted"] = holm(table["p_value"])
    if calibrated is not None:
        table["left_adjusted"] = holm(table["left_p_value"])
    return GroupAudit(table, leaf, tree)


def _enough(y):
    """Rows that a group needs in each half."""
    rare = min(y.mean(), 1 - y.mean())
    return max(50, min(max(y.size // 50, int(np.ceil(EVENTS / rare))), y.size // 4))


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
    calibrated, sample_weight, groups : see `find_groups`
    size : number of groups, when the last ones may be empty

    Returns
    -------
    DataFrame, one row a group: the columns of `GroupAudit.table` without rule and adjustment

    >>> measure_groups([0, 0, 1, 1], [0.5] * 4, [0, 0, 0, 0])[["stated", "observed", "gap", "p_value"]]
       stated  observed  gap  p_value
    0     0.5       0.5  0.0      1.0
    """
    y, p = check_labels(y), check_probabilities(p)
    weight, groups = check_weights(sample_weight), check_groups(groups)
    region = np.asarray(region)
    check_same_length(y=y, p=p, region=region, sample_weight=weight, groups=groups)
    weight = np.ones_like(y) if weight is None else weight
    count, total, stated, observed, own = group_sums(region, weight, weight * p, weight * y, weight**2, size=size)
    filled = np.where(total > 0, total, np.nan)
    stated, observed = stated / filled, observed / filled
    gap = observed - stated
    deviation = weight * (y - p - gap[region])
    if groups is None:
        spread = np.bincount(region, deviation**2, count.size)
        independent, inflation = filled**2 / np.where(own > 0, own, np.nan), 1.0
    else:
        spread, independent, inflation = _by_unit(region, weight, deviation, groups, count.size)
        independent = filled**2 / np.where(independent > 0, independent, np.nan)
    freedom = np.maximum(independent - 1, 1)
    se = np.sqrt(spread * (1 + 1 / freedom)) / filled
    chance = np.sqrt(np.bincount(region, weight**2 * p * (1 - p), count.size) * inflation) / filled
    rate = (observed * independent + 1) / (independent + 2)  # a rate of 0 or 1 was seen, but is not certain
    one_sided = np.where((observed == 0) | (observed == 1), np.sqrt(rate * (1 - rate) / independent), 0.0)
    se = np.maximum(np.maximum(se, chance), one_sided)
    reach = student.ppf(0.975, freedom) * se

    def p_value(x):
        return 2 * student.sf(np.abs(np.divide(x, se, out=np.zeros(count.size), where=se > 0)), freedom)

    columns = {"n": count, "share": total / total.sum(), "stated": stated, "observed": observed, "gap": gap}
    columns |= {"low": gap - reach, "high": gap + reach, "p_value": p_value(gap)}
    if calibrated is not None:
        after = np.bincount(region, weight * check_probabilities(calibrated, "calibrated"), count.size) / filled
        columns |= {"calibrated": after, "left": observed - after, "left_p_value": p_value(observed - after)}
    return pd.DataFrame(columns)


def _by_unit(region, weight, deviation, groups, size):
    """Sums over (region, group) cells: squared deviations, squared weights, and how much clustering inflates the
    variance (at least 1, pooled over regions).
    """
    cell, home, _ = cross_cells(region, groups)
    squares, weights = np.bincount(cell, deviation) ** 2, np.bincount(cell, weight) ** 2
    return np.bincount(home, squares, size), np.bincount(home, weights, size), design_effect(cell, deviation)
