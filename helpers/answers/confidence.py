"""Means over all ways to split the answers to a question into a part that selects and a part held out.

How sure a model is, read from how often it gives the same answer.

Everything here works on counts: one row a question, one column a class of answers, classes in order of first
appearance, zeros where a question has fewer classes. Where two classes are equally frequent the earlier column wins.
"""

import numpy as np
from scipy.special import xlogy
from scipy.stats import binom

from helpers.checks import check_count, check_numbers, check_one_of, check_probabilities, check_simplex, raise_first


def block_sizes(n_answers, n_select=None):
    """(Q,) answers that select, by default half of them; ValueError unless every question keeps one to be held out."""
    if n_select is None:
        return n_answers // 2
    n_select = check_count(n_select, "n_select")
    if (n_answers <= n_select).any():
        first = int(np.argmax(n_answers <= n_select))
        raise ValueError(
            f"n_select must leave an answer of every question to be held out, but it is {n_select} and question "
            f"{first} has {n_answers[first]}."
        )
    return np.full(n_answers.shape, n_select)


def first_blocks(order, size, n_classes):
    """Counts of the first (Q,) `size` answers, (Q, n_classes), from the class of each answer in order, (Q, N)."""
    row, place = np.nonzero((order >= 0) & (np.arange(order.shape[1]) < size[:, None]))
    cell = row * n_classes + order[row, place]
    return np.bincount(cell, minlength=len(order) * n_classes).reshape(len(order), n_classes)


def random_blocks(counts, n_select, n_splits=1, rng=None):
    """Counts of `n_splits` random draws of (Q,) `n_select` of each question's answers, (n_splits, Q, C)."""
    rng = np.random.default_rng(rng)
    picked = np.zeros((n_splits, *counts.shape), dtype=np.int64)
    rest, left = counts.sum(axis=1), np.broadcast_to(n_select, (n_splits, len(counts))).copy()
    for j in range(counts.shape[1]):
        rest = rest - counts[:, j]
        picked[..., j] = rng.hypergeometric(counts[:, j], rest, left)
        left -= picked[..., j]
    return picked


def held_out_shares(counts, blocks):
    """Share of the most frequent class of a block among the answers that are not in it, for blocks (..., Q, C)."""
    chosen = blocks.argmax(axis=-1)[..., None]
    rest = counts - blocks
    return np.take_along_axis(rest, chosen, axis=-1)[..., 0] / rest.sum(axis=-1)


def mean_over_splits(counts, n_select, value, factor=None, *, ties="order"):
    """Mean over all splits of value(count, copies selected, answers held out) of the class that is selected.

    Parameters
    ----------
    counts : (Q, C) whole numbers; the most frequent class of the selecting part is selected
    n_select : (Q,) answers that select
    value : function of arrays of counts and two numbers
    factor : (Q, C) multiplies the value of each class, or None
    ties : "order", of tied classes the earlier column is selected, or "lot", each of them equally often

    Returns
    -------
    (Q,) array. Every distinct row is computed once, questions with as many answers together.

    >>> mean_over_splits(np.array([[2, 1]]), np.array([1]), lambda count, v, m: (count - v) / m).round(3)
    array([0.333])
    """
    check_one_of(ties, "ties", ("order", "lot"))
    keys = np.column_stack([counts.sum(axis=1), n_select, counts])
    rows, back = (keys, np.arange(len(keys))) if factor is not None else np.unique(keys, axis=0, return_inverse=True)
    found = np.empty(len(rows))
    for n_answers, n in np.unique(rows[:, :2], axis=0):
        same = np.flatnonzero((rows[:, 0] == n_answers) & (rows[:, 1] == n))
        for chunk in np.array_split(same, -(-same.size // 2000)):
            part = None if factor is None else factor[chunk]
            found[chunk] = _equal_sizes(rows[chunk, 2:], n_answers, n, value, part, ties)
    return found[back.ravel()]


def _equal_sizes(counts, n_answers, n, value, factor, ties):
    """`mean_over_splits` for questions with the same number of answers.

    Each answer selects with probability n / N, independently; given that n do, all splits are equally likely. So the
    polynomials in t hold binomial probabilities, none above 1, and only the coefficient of t^n is read. For each v,
    `open_` holds the splits in which no class so far has v copies; `won` those in which one had v copies first and
    none more, times its value. Degrees of `won` are counted from v.

    By lot, a class tied with s others counts 1 / (s + 1) = the integral of y^s from 0 to 1: every class with v copies
    but the selected one brings the factor y, and Gauss-Legendre nodes integrate the polynomial in y exactly.
    """
    m, share = n_answers - n, n / n_answers
    order = np.argsort(-(counts > 0).sum(axis=1), kind="stable")  # so that column j is filled in the first rows only
    packed = np.argsort(counts == 0, axis=1, kind="stable")[order]
    counts = np.take_along_axis(counts[order], packed, axis=1)
    factor = np.ones(counts.shape) if factor is None else np.take_along_axis(factor[order], packed, axis=1)
    filled = [rows for rows in (counts > 0).sum(axis=0) if rows]
    top = np.minimum(counts.max(axis=0), n)
    chance = [binom.pmf(np.arange(top[j] + 1)[:, None], counts[:rows, j], share) for j, rows in enumerate(filled)]
    total = np.zeros(len(counts))
    for v, early, late, weight in _tie_rule(ties, n, int(top.max())):
        open_, won = np.zeros((2, n - v + 1, len(counts)))
        open_[0] = 1.0
        for j, rows in enumerate(filled):
            before = open_[:, :rows]
            won[:, :rows] = _times(won[:, :rows], _damped(chance[j], v, late))
            if top[j] >= v:
                won[:, :rows] += before * (chance[j][v] * value(counts[:rows, j], v, m) * factor[:rows, j])
            open_[:, :rows] = _times(before, _damped(chance[j], v, early))
        total += weight * won[-1]
    found = np.empty(len(counts))
    found[order] = total / binom.pmf(n, n_answers, share)
    return found


def _tie_rule(ties, n, largest):
    """Copies v of the selected class with the factors of earlier and later classes that tie with it, and a weight."""
    for v in range(1, largest + 1):
        if ties == "order":
            yield v, 0.0, 1.0, 1.0
        else:
            nodes, weights = np.polynomial.legendre.leggauss(n // v // 2 + 1)
            yield from ((v, y, y, w) for y, w in zip((nodes + 1) / 2, weights / 2, strict=True))


def _damped(chance, v, factor):
    """Probabilities of 0 .. v copies, that of v times `factor`."""
    return np.concatenate([chance[:v], chance[v : v + 1] * factor]) if factor else chance[:v]


def _times(polynomial, factor):
    """Product of polynomials in t (axis 0), one pair a column, cut at the degree of the first."""
    product = polynomial * factor[0]
    for x in range(1, min(len(factor), len(polynomial))):
        product[x:] += polynomial[:-x] * factor[x]
    return product


BALANCING_WEIGHT = 0.31937666

"""Weight of Sem1 that makes the largest leading bias of its mixture with Sem2 smallest, for two classes."""


def check_counts(counts, name="counts", *, least=1):
    """Whole numbers as a (Q, C) int table; ValueError unless none is negative and every question has `least` answers.

    >>> check_counts([3, 1])
    array([[3, 1]])
    >>> check_counts([[3, 1], [1, 0]], least=2)
    Traceback (most recent call last):
    ValueError: counts must hold at least 2 answers to every question, but question 1 has 1.
    """
    array = check_numbers(counts, name)
    if array.ndim not in (1, 2) or not array.size:
        raise ValueError(f"{name} must be (C,) or (Q, C) and not empty, but its shape is {array.shape}.")
    bad = ~((array >= 0) & (array <= 2**53) & (array == np.floor(array)))
    if bad.any():
        raise_first(name, "be whole numbers, not negative", array, bad)
    table = np.atleast_2d(array).astype(np.int64)
    _check_answers(table.sum(axis=1), least, name)
    return table


def _check_answers(n_answers, least, name):
    """ValueError unless every question has `least` answers."""
    few = n_answers < least
    if few.any():
        first, more = int(np.argmax(few)), int(few.sum()) - 1
        raise ValueError(
            f"{name} must hold at least {least} answer{'s' if least > 1 else ''} to every question, but question "
            f"{first} has {n_answers[first]}{f' (and {more:,} more have too few)' if more else ''}."
        )


def _parts(table):
    """Counts and their sums, or probabilities (rows must sum to 1) and 1: (Q, C) and (Q,)."""
    array = check_numbers(table, "counts_or_probabilities")
    if array.size and (array == np.floor(array)).all():
        counts = check_counts(array, "counts_or_probabilities")
        return counts, counts.sum(axis=1)
    shares = check_simplex(np.atleast_2d(array), "counts_or_probabilities")
    return shares, np.ones(len(shares))


def _like(values, given):
    """A float where one question was given as a vector, else the array."""
    return float(values[0]) if np.ndim(given) == 1 else values


def sem1(counts):
    """Share of the most frequent answer, max count / N: the same answers choose the class and measure it.

    Parameters
    ----------
    counts : (Q, C) whole numbers, or (C,) for one question

    Returns
    -------
    (Q,) array, or a float for one question; in [1 / C, 1]. Biased upwards for the largest probability.

    Source: Wang et al. (2026), eq. 1.

    >>> sem1([20, 18, 12]), sem1([[1, 1], [4, 0]])
    (0.4, array([0.5, 1. ]))
    """
    table = check_counts(counts)
    return _like(table.max(axis=1) / table.sum(axis=1), counts)


def sem2(counts, n_select=None, *, ties="order"):
    """Share of the class chosen by one part of the answers among the other part, averaged over all splits, exactly.

    For a class k with v copies in the selecting part, earlier classes hold at most v - 1 and later ones at most v:
    mean of (c_k - v) / m over all C(N, n) ways to draw n of the N answers; m = N - n.

    Parameters
    ----------
    counts : (Q, C) whole numbers, or (C,) for one question; at least two answers a question
    n_select : answers that select, 1 .. N - 1; by default N // 2, so that with odd N one more answer is held out
    ties : "order", of tied classes the earlier column is selected, or "lot", each of them equally often. Columns in
        order of first appearance know a little about the held-out part: with few answers "order" is then too high for
        the class selected (by 0.06 at N = 4, 0.001 at N = 50, three equal classes); "lot" never is

    Returns
    -------
    (Q,) array, or a float for one question; in [0, 1], never above `sem1`. Biased downwards for the largest
    probability, unbiased for that of the class selected (with "order": where the columns are in an order fixed
    beforehand).

    Source: Wang et al. (2026), eq. 3 and appendix B, which draws ten of the splits; the mean over all is ours.

    >>> round(sem2([20, 18, 12]), 10), sem2([50]), sem2([1] * 50)
    (0.3368185046, 1.0, 0.0)
    >>> [round(sem2([2, 1, 1], ties=ties), 3) for ties in ("order", "lot")]
    [0.333, 0.167]
    """
    table = check_counts(counts, least=2)
    sizes = block_sizes(table.sum(axis=1), n_select)
    return _like(mean_over_splits(table, sizes, _held_out_share, ties=ties), counts)


def sem2_spread(counts, n_select=None):
    """Standard deviation of the held-out share over the splits of the same answers, (Q,) or float.

    The mean of R random splits misses `sem2` by this divided by sqrt(R); the paper's R is 10.

    >>> round(sem2_spread([25, 25]) / 10**0.5, 4)
    0.0133
    """
    table = check_counts(counts, least=2)
    sizes = block_sizes(table.sum(axis=1), n_select)
    mean = mean_over_splits(table, sizes, _held_out_share)
    square = mean_over_splits(table, sizes, lambda count, v, m: _held_out_share(count, v, m) ** 2)
    variance = square - mean**2
    return _like(np.sqrt(np.where(variance > 1e-14, variance, 0.0)), counts)  # below it is rounding


def mean_of_selected(values, counts, n_select=None):
    """Mean over all splits of a value of the class that the selecting part chooses, (Q,) or float.

    With `values` 1 for right and 0 for wrong classes: how often n of the N answers choose a right one.

    >>> round(mean_of_selected([1, 0], [2, 1], n_select=1), 3)
    0.667
    """
    table, values = check_counts(counts, least=2), np.atleast_2d(check_numbers(values, "values"))
    if values.shape != table.shape:
        raise ValueError(f"values must have the shape of counts, {table.shape}, but its shape is {values.shape}.")
    return _like(mean_over_splits(table, block_sizes(table.sum(axis=1), n_select), lambda *_: 1.0, values), counts)


def sem2_each_split(counts, *, n_splits=10, n_select=None, rng=None):
    """Held-out share of `n_splits` random splits of each question's answers, (n_splits, Q)."""
    table, n_splits = check_counts(counts, least=2), check_count(n_splits, "n_splits")
    return held_out_shares(table, random_blocks(table, block_sizes(table.sum(axis=1), n_select), n_splits, rng))


def sem2_splits(counts, *, n_splits=10, n_select=None, rng=None):
    """Mean held-out share over random splits, as in the paper's experiments; `sem2` is its limit without noise.

    Parameters
    ----------
    counts, n_select : see `sem2`; n_splits : random splits; rng : int, Generator or None

    Returns
    -------
    (Q,) array, or a float for one question

    Source: Wang et al. (2026), section 6.1 (ten splits).

    >>> sem2_splits([50, 0], rng=0), bool(abs(sem2_splits([20, 18, 12], n_splits=4000, rng=0) - 0.3368) < 0.01)
    (1.0, True)
    """
    each = sem2_each_split(counts, n_splits=n_splits, n_select=n_select, rng=rng)
    return _like(each.mean(axis=0), counts)


def split_bias_corrected(counts, *, weight=BALANCING_WEIGHT, n_select=None):
    """Weighted mean of `sem1` (too high on close questions) and `sem2` (too low), (Q,) or float.

    The default weight of Sem1 makes the largest leading bias smallest over all margins, with two classes and half of
    the answers selecting: 0.127 sqrt(p / N), where Sem1 has up to 0.399 and Sem2 up to 0.240. It does not remove the
    bias, and with several near-tied classes the balance shifts.

    Source: ours, from the expansions of Wang et al. (2026), eq. 9.

    >>> round(split_bias_corrected([25, 25]), 3)
    0.461
    """
    weight = float(check_probabilities([weight], "weight")[0])
    return weight * sem1(counts) + (1 - weight) * sem2(counts, n_select)


def semantic_entropy(counts_or_probabilities):
    """Entropy of the shares of the classes, in nats, (Q,) or float; 0 where all answers agree.

    Source: the count form of Farquhar et al. (2024); not corrected for the few answers behind it.

    >>> round(semantic_entropy([2, 2]), 4)
    0.6931
    """
    parts, total = _parts(counts_or_probabilities)
    shares = parts / total[:, None]
    return _like(-xlogy(shares, shares).sum(axis=1) + 0.0, counts_or_probabilities)


def _top_two(table):
    """(Q,) largest and second largest count or probability, and the sum of all."""
    parts, total = _parts(table)
    parts = np.sort(parts, axis=1)
    return parts[:, -1], parts[:, -2] if parts.shape[1] > 1 else np.zeros(len(parts)), total


def top_two_margin(counts_or_probabilities):
    """Largest share less the second largest, (Q,) or float: Delta of Wang et al. (2026), section 3.

    >>> round(top_two_margin([30, 20]), 2), round(top_two_margin([0.5, 0.3, 0.2]), 2)
    (0.2, 0.2)
    """
    first, second, total = _top_two(counts_or_probabilities)
    return _like((first - second) / total, counts_or_probabilities)


def top_two_mass(counts_or_probabilities):
    """Sum of the two largest shares, (Q,) or float: p_q of Wang et al. (2026), section 3."""
    first, second, total = _top_two(counts_or_probabilities)
    return _like((first + second) / total, counts_or_probabilities)


def standardized_margin(counts_or_probabilities, n):
    """Margin in standard errors, Delta / sqrt(p_q / n), (Q,) or float, for n answers that select; n whole or (Q,).

    Below 0.612 the two leading classes can hardly be told apart; half of it is the paper's lambda.

    Source: Wang et al. (2026), section 3.

    >>> round(standardized_margin([30, 20], n=25), 3)
    1.0
    """
    first, second, total = _top_two(counts_or_probabilities)
    n = check_numbers(n, "n")
    if n.shape not in ((), first.shape) or not ((n >= 1) & (n == np.floor(n)) & np.isfinite(n)).all():
        raise ValueError(f"n must be a whole number of at least 1, or one for each question, but it is {n}.")
    return _like((first - second) / total / np.sqrt((first + second) / total / n), counts_or_probabilities)


def oracle_confidence(probabilities):
    """Largest probability, c* = max pi, (Q,) or float: what both estimators aim at, known only in simulations.

    >>> oracle_confidence([0.5, 0.3, 0.2])
    0.5
    """
    first, _, total = _top_two(probabilities)
    return _like(first / total, probabilities)


def _held_out_share(count, selected, m):
    return (count - selected) / m
