"""Leaves that say the same: splits of a tree whose two sides do not differ are taken back, from the bottom up."""

import numpy as np
from scipy.stats import chi2, norm
from scipy.stats import t as student

from helpers.audit.rates import gap_errors
from helpers.partition.checked import CheckedTable, check_table
from helpers.partition.encoder import TableEncoder
from helpers.partition.levels import FEW


def merge_siblings(tree, X, y, p, *, alpha, sample_weight=None, groups=None):
    """`tree` without the splits whose two sides have gaps that do not differ in these rows, from the bottom up."""
    # The rows must be those that chose the tree: those that measure its subgroups stay strangers to every decision.
    # Only neighbours in the tree are merged, so a merged rule is shorter than those it replaces.
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    encoder = TableEncoder(tree.encoder_.max_bins)
    X = CheckedTable(check_table(X))
    codes = encoder.fit_transform(X, y - p, sample_weight, groups)  # with which the tree was chosen
    region = tree.region_of_node_[tree.tree_.apply(codes)]
    kinds = ["number" if column.levels.size > FEW else column.kind for column in encoder.columns_]
    left = tree.tree_.children_left
    right = tree.tree_.children_right
    first = np.full(left.size, -1)  # the regions below a node are first .. last
    first[tree.region_nodes_] = np.arange(tree.n_regions_)
    last = first.copy()
    merged = left < 0
    for node in np.flatnonzero(~merged)[::-1]:  # a node comes before those below it
        first[node] = first[left[node]]
        last[node] = last[right[node]]
        if merged[left[node]] and merged[right[node]]:
            rows = np.flatnonzero((region >= first[node]) & (region <= last[node]))
            side = (region[rows] > last[left[node]]).astype(int)
            z = _difference(y[rows], p[rows], side, weight[rows], None if groups is None else groups[rows])
            # the tree picked the best of many splits: so the p-value of the best
            merged[node] = not split_p_value(z, codes[rows], kinds, tree.min_samples_leaf) < alpha
    return tree.pruned(np.flatnonzero(merged))


def _difference(y, p, side, weight, groups):
    """Difference between the gaps of the two sides in standard errors, as a normal value; 0 if it cannot be judged."""
    if groups is not None:
        groups = np.unique(groups, return_inverse=True)[1]
        if not groups.any():
            return 0.0
    if not np.bincount(side, weight, 2).all():
        return 0.0
    rates = gap_errors(y, p, side, weight, groups=groups, size=2)
    se = np.hypot(*rates["se"])
    t = abs(rates["gap"][1] - rates["gap"][0]) / se if se > 0 else 0.0
    return float(norm.isf(student.sf(t, rates["freedom"].min())))


def split_p_value(z, codes, kinds, min_rows):
    """Probability, at most, that the best of all splits of a node differs by `z` standard errors or more by chance."""
    # The sum over features of the smallest of valid bounds (Miller and Siegmund 1982, Maximally selected chi square
    # statistics, Biometrics 38). For a feature with m allowed cuts: m P(|Z| >= z), or what the largest of many
    # neighbouring cuts has, 4 phi(z) / z + phi(z) (z - 1 / z) log(b (1 - a) / (a (1 - b))), with a and b the shares of
    # rows below the first and the last cut. For L unordered categories, which may be grouped at will, P(chi2 with L - 1
    # degrees of freedom >= z**2).
    total = 0.0
    for column, kind in zip(np.asarray(codes, dtype=float).T, kinds, strict=True):
        known = column[~np.isnan(column)]
        levels, count = np.unique(known, return_counts=True)
        twice = 1 if known.size == column.size else 2
        if kind == "category":
            freedom = levels.size + twice - 2
            total += chi2.sf(z**2, freedom) if freedom else 0.0
            continue
        below = np.cumsum(count)[: None if twice == 2 else -1]
        below = below[(below >= min_rows) & (column.size - below >= min_rows)]
        if below.size:
            total += min(twice * below.size * 2 * norm.sf(z), twice * _best_cut(z, below[[0, -1]] / column.size))
    return float(min(total, 1.0))


def _best_cut(z, shares):
    """Miller and Siegmund's approximation for cuts between two shares of the rows; 1 where z is small."""
    if z <= 1:
        return 1.0
    low, high = shares
    odds = np.log(high * (1 - low) / (low * (1 - high)))
    return float(norm.pdf(z) * (4 / z + (z - 1 / z) * odds))
