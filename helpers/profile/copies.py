"""Rows that stand in a table more than once."""

import numpy as np
import pandas as pd

from helpers.profile.alerts import Alert

CHANCE = 1e-4  # that all rows of a table without copies stand there k times, by k ** -(distinct rows)
SHARE = 0.005  # of the rows: fewer copies change nothing
FEWEST = 5
LEAST_CASES = 20  # different rows: of fewer nothing can be said
LEFT_OUT = 8  # columns without which rows are compared again, those of most values
DISAGREE = 0.25  # of the pairs that would differ in their labels by chance, those that copies leave
SURPRISE = 20.0  # such pairs: of so many, chance leaves a quarter once in ten thousand tables


def row_hashes(columns):
    """(d, n) hashes of the values of each column, of which the sum is a hash of the row."""
    return np.array([_mixed(column.hashes, j) for j, column in enumerate(columns)])


def _mixed(hashes, place):
    """Hashes of one column, so that equal values of two columns differ."""
    return hashes * np.uint64(0x9E3779B97F4A7C15 + 2 * place) ^ hashes >> np.uint64(29)


def find_copies(columns, p, y, c=None, groups=None):
    """(alert, copy): rows with one number of `copy` (n,) are one row; (None, None) where there are no copies.

    A table of few and coarse columns has equal rows by chance. Copies are told from these in two ways: the whole table
    stands there k times, or rows are equal in all columns where hardly any differ in one column alone, and have the
    same label more often than chance allows. Without calibrated scores `c` only the first is looked at. Rows of
    different groups are different cases.
    """
    n = y.size
    with np.errstate(over="ignore"):
        hashes, features, scored = _with_score(columns, p)
        row = scored + _mixed(pd.util.hash_array(y), 998)
        if groups is not None:
            row = row + _mixed(pd.util.hash_array(np.asarray(groups)), 999)
    _, copy, count = np.unique(row, return_inverse=True, return_counts=True)
    if count.size == n or count.size < LEAST_CASES:
        return None, None
    times = int(np.gcd.reduce(count))
    is_whole = times > 1 and count.size * np.log(times) > -np.log(CHANCE)
    if not is_whole and (groups is not None or c is None or not _are_copies(hashes, features, scored, y, c)):
        return None, None
    repeated = int(count[count > 1].sum())
    if not is_whole and repeated - (count > 1).sum() < max(FEWEST, SHARE * n):
        return None, None
    more = {"n_distinct": int((count > 1).sum()), "n_cases": int(count.size), "whole": is_whole}
    return Alert("copies", (), n=repeated, value=float(count[count > 1].mean()), more=more), copy


def find_near_copies(columns, p, y, c, weight):
    """(alert, case): rows equal in label, score and all columns but one have one number; (None, None) without any.

    That one is among the columns of most values. Such rows are told from rows that are equal by chance as in
    `find_copies`, and their labels must agree beyond chance: of few rows, and of sure scores, nothing is said.
    """
    if len(columns) < 2:
        return None, None
    residual = y - c if weight is None else weight * (y - c)
    with np.errstate(over="ignore"):
        hashes, features, scored = _with_score(columns, p)
        hashes = np.vstack([hashes, scored - features])
        equal = pairs(np.unique(scored, return_counts=True)[1])
        for j in np.argsort([-column.n_levels for column in columns], kind="stable")[:LEFT_OUT]:
            rest = scored - hashes[j]
            levels, cell, count = np.unique(rest, return_inverse=True, return_counts=True)
            if levels.size < LEAST_CASES or pairs(count) - equal < max(FEWEST, SHARE * y.size):
                continue
            if _are_copies(np.delete(hashes, j, axis=0), rest, rest, y, c, least=SURPRISE):
                wider = float(np.sqrt((np.bincount(cell, residual) ** 2).sum() / (residual**2).sum()))
                n = int(count[count > 1].sum())
                more = {"n_levels": int(levels.size)}
                return Alert("near_copies", (columns[j].name,), n=n, value=wider, more=more), cell
    return None, None


def _with_score(columns, p):
    """Hashes of the columns, of all features of a row, and of these with the score."""
    hashes = row_hashes(columns)
    features = hashes.sum(axis=0) if len(hashes) else np.zeros(len(p), np.uint64)
    scored = features + sum(_mixed(pd.util.hash_array(q), 1000 + k) for k, q in enumerate(np.atleast_2d(p.T)))
    return hashes, features, scored


def _are_copies(hashes, features, scored, y, c, least=0.0):
    """Whether more rows are equal in features and score than coarse columns explain, and agree in the label.

    `least`: the pairs that must differ in their labels by chance.
    """
    _, cell, count = np.unique(scored, return_inverse=True, return_counts=True)
    equal = pairs(count)
    if not equal:
        return False
    ones = np.bincount(cell, y)
    chance = np.bincount(cell, c) / count
    disagree = (ones * (count - ones)).sum()
    by_chance = (count * (count - 1) * chance * (1 - chance)).sum()
    if disagree > DISAGREE * by_chance or by_chance < least:
        return False
    return not have_near_misses(hashes, features, equal)


def have_near_misses(hashes, features, equal):
    """Whether so many pairs of rows differ in one column alone that `equal` pairs may be so by chance.

    Of pairs of rows that are equal in all other columns, a share is equal in this one, too. Where columns depend on
    each other it is larger than among all pairs; its root is a generous guess of how much.
    """
    same = pairs(np.unique(features, return_counts=True)[1])
    counts = [np.unique(column, return_counts=True)[1] for column in hashes]
    for j in np.argsort([-count.size for count in counts], kind="stable")[:LEFT_OUT]:
        others = pairs(np.unique(features - hashes[j], return_counts=True)[1])
        alike = np.sqrt(pairs(counts[j]) / (features.size * (features.size - 1) / 2))
        if equal * (1 - alike) <= (others - same) * alike:
            return True
    return False


def pairs(count):
    count = count.astype(float)
    return float((count * (count - 1)).sum() / 2)


def merge_copies(copy, weight):
    """Numbers of the rows to keep (the first of each), which of these each row is, weights or None if all are alike."""
    place, _ = pd.factorize(copy)  # in the order in which they are met
    first = np.flatnonzero(~pd.Series(place).duplicated())
    total = np.bincount(place, weight)
    return first, place, None if np.ptp(total) == 0 else total / total.max()
