"""Categories of many levels: which are too rare to stand alone, and an order by target that luck cannot earn.

A tree that may put levels in the order of their mean target finds structure in an identifier: with few rows a level,
the order is that of the luck of the rows that choose the splits, and on other rows it says nothing. So where a
category has more than `FEW` levels

- those with fewer than `RARE` rows are one level, by a rule that looks at no target; a level that is new joins them;
- a row that chooses splits counts where the *other* folds' mean of its level falls in the order of all levels (as in
  scikit-learn's `TargetEncoder`): a level whose mean is luck is scattered, a level whose mean is real stays in place.
  Levels with at least as many rows as the root of the number of all rows are not scattered: there are so few of them
  that their luck stays below a standard error, and what differs between them only together with another column can
  still be found.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from helpers.binning import group_sums
from helpers.partition.checked import CheckedTable

FEW = 20  # levels whose order is taken as it is: it has little room for luck, and splits inside of it are exact
RARE = 5  # rows with a weight that each of more levels needs
FOLDS = 5
DIGITS = 10  # of means that decide an order: the last ones differ between processors


class Pooled(NamedTuple):
    """How many levels of a column were too rare to stand alone."""

    column: str
    n_pooled: int
    n_levels: int

    def __str__(self):
        return f"levels of {self.column} pooled: {self.n_pooled:,} of {self.n_levels:,}"


def most_pooled(parts):
    """The `Pooled` of several encoders as one tuple: of each column that which pools most."""
    most = {}
    for pooled in sorted(pooled for part in parts for pooled in part):
        most[pooled.column] = pooled
    return tuple(most.values())


def pooled_note(pooled):
    """The end of a printed line."""
    return f" ({'; '.join(map(str, pooled))})" if pooled else ""


def rare_levels(count, least=RARE):
    """Which of levels with so many rows are too rare, (k,) bool: none among few levels, and never one alone."""
    rare = (count < least) & (count.size > FEW)
    return rare & (rare.sum() > 1)


def folds_of_rows(X, groups=None):
    """Fold of each row of a table, (n,) int, made without a target; groups stay whole."""
    rng = np.random.default_rng(0)  # labels and levels may alternate with a period of their own
    if groups is not None:
        return rng.permutation(groups.max() + 1)[groups] % FOLDS
    # dealt out by what the numbers are, so that no order of rows or columns counts (rows of the same numbers by place)
    X = CheckedTable(X)
    mark = np.zeros(len(X), np.uint64)
    for name in X.columns:
        found = X.numbers(name)
        if found is not None:
            _, numbers, place = found
            mark += pd.util.hash_array(numbers)[place]
    fold = np.empty(len(X), int)
    fold[np.lexsort((rng.permutation(len(X)), pd.util.hash_array(mark)))] = np.arange(len(X)) % FOLDS
    return fold


def order_by_target(code, target, weight, size):
    """Mean target of each of `size` levels, rounded, and the levels in the order of these means."""
    _, total, sums = group_sums(code, weight, weight * target, size=size)
    mean = _rounded(sums / np.where(total > 0, total, 1))
    return mean, np.argsort(mean, kind="stable")


def places_by_other_folds(code, target, weight, fold, mean, order):
    """Place among the sorted means of all levels where a row's level falls without the rows of its fold, (n,) int."""
    size = mean.size
    cell = code * FOLDS + fold
    parts = group_sums(cell, weight, weight * target, size=size * FOLDS)
    count, total, sums = (part.reshape(size, FOLDS) for part in parts)
    others = total.sum(axis=1, keepdims=True) - total
    has_others = others > 1e-9 * total
    sums_of_others = sums.sum(axis=1, keepdims=True) - sums
    # the mean of all rows where a level has no others
    everywhere = np.full(others.shape, sums.sum() / total.sum())
    of_others = np.divide(sums_of_others, others, out=everywhere, where=has_others)
    between = (mean[order][1:] + mean[order][:-1]) / 2
    own = np.argsort(order)[:, None]
    first, last = (np.searchsorted(_rounded(between), _rounded(of_others), side) for side in ("left", "right"))
    # rows of large levels, unless they are all of one fold, stand in the place of their level
    large = (count.sum(axis=1, keepdims=True) ** 2 >= code.size) & has_others.all(axis=1, keepdims=True)
    return np.where(large, own, np.clip(own, first, last)).ravel()[cell]  # among equal means it keeps its place


def _rounded(values):
    return np.round(values, DIGITS)
