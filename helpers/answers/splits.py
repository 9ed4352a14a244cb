"""Answers to a question split into a part that selects and a part held out: one split, random splits, all splits."""

import numpy as np
from scipy.stats import binom

from helpers.checks import check_count, check_one_of, check_rng

FEW_ROWS = 8  # up to here a loop over rows takes less time than a loop over degrees

CHUNK = 1024  # rows at a time: small enough to stay in the processor's cache


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
    rng = check_rng(rng)
    picked = np.zeros((n_splits, *counts.shape), dtype=np.int64)
    to_come = counts.sum(axis=1)  # answers of classes not yet drawn from
    to_pick = np.broadcast_to(n_select, (n_splits, len(counts))).copy()
    for j in range(counts.shape[1]):
        to_come = to_come - counts[:, j]
        picked[..., j] = rng.hypergeometric(counts[:, j], to_come, to_pick)
        to_pick -= picked[..., j]
    return picked


def chances_to_win(counts, ties="lot"):
    """Chance of each class to be chosen as the most frequent, (..., C).

    Of tied classes "lot" chooses each equally often, "order" the earlier column.

    >>> chances_to_win(np.array([[2, 2, 1], [0, 3, 1]]))
    array([[0.5, 0.5, 0. ],
           [0. , 1. , 0. ]])
    """
    check_one_of(ties, "ties", ("lot", "order"))
    first = counts == counts.max(axis=-1, keepdims=True)
    if ties == "order":
        first &= np.cumsum(first, axis=-1) == 1
    return first / first.sum(axis=-1, keepdims=True)


def held_out_shares(counts, blocks, chosen):
    """Share, among the answers that are not in a block, of the class that it chose (`chances_to_win`), (..., Q)."""
    rest = counts - blocks
    return (rest * chosen).sum(axis=-1) / rest.sum(axis=-1)


def mean_over_splits(counts, n_select, value, *, ties="lot"):
    """Mean over all splits of value(count, copies selected, answers held out) of the selected class, (Q,)."""
    # of tied classes, "lot" selects each equally often, "order" the earlier column
    check_one_of(ties, "ties", ("lot", "order"))
    keys = np.column_stack([counts.sum(axis=1), n_select, counts])
    # every distinct row is computed once, questions with as many answers together
    rows, back = np.unique(keys, axis=0, return_inverse=True)
    means = np.empty(len(rows))
    for n_answers, n in np.unique(rows[:, :2], axis=0):
        same = np.flatnonzero((rows[:, 0] == n_answers) & (rows[:, 1] == n))
        for chunk in np.array_split(same, -(-same.size // CHUNK)):
            means[chunk] = _equal_sizes(rows[chunk, 2:], n_answers, n, value, ties)
    return means[back.ravel()]


def _equal_sizes(counts, n_answers, n, value, ties):
    """`mean_over_splits` for questions with the same number of answers."""
    # Each answer selects with probability n / N, independently; given that n do, all splits are equally likely. So the
    # polynomials in t hold binomial probabilities, none above 1, and only the coefficient of t^n is read.
    held_out = n_answers - n
    law = binom.pmf(np.arange(n + 1)[:, None], np.arange(n_answers + 1), n / n_answers)  # of copies, by the count
    # A class with more than half of the selecting answers is selected, whoever has the others.
    row, column = np.nonzero(counts > n // 2)
    own = counts[row, column]
    v = np.arange(n // 2 + 1, n + 1)[:, None]
    won = (law[v, own] * law[n - v, n_answers - own] * value(own, v, held_out)).sum(axis=0)
    total = np.bincount(row, won, len(counts)).astype(float)
    for v in range(1, n // 2 + 1):
        # Of a class with fewer answers than v any number may select; `rest` is how many all of these have together.
        here = counts >= v
        rest = n_answers - np.where(here, counts, 0).sum(axis=1)
        number = here.sum(axis=1)
        number[number * v + rest < n] = 0  # nobody can win with v copies
        filled = [int((number > j).sum()) for j in range(number.max())]
        if not filled:
            continue
        order = np.argsort(-number, kind="stable")[: filled[0]]  # so that column j is filled in the first rows only
        packed = np.argsort(~here[order], axis=1, kind="stable")
        part = np.take_along_axis(counts[order], packed, axis=1)
        rest = rest[order]
        chance = [law[: v + 1].take(part[:rows, j], axis=1) for j, rows in enumerate(filled)]
        for early, late, weight in tie_rule(ties, min(n // v, len(filled))):
            # For each v, `open_` holds the splits in which no class so far has v copies; `won` those in which one had
            # v copies first and none more, times its value. Degrees of `won` are counted from v.
            open_ = law[: min(n - v, rest.max()) + 1].take(rest, axis=1)
            won = np.zeros_like(open_)
            for j, (rows, stay) in enumerate(zip(filled, [*filled[1:], 0], strict=True)):
                least = n - v * (len(filled) - 1 - j)  # answers that classes to come cannot have
                if j:
                    won = cut_product(won, _damped(chance[j], v, late), n - v + 1, max(least - v, 0))
                won[: len(open_)] += open_ * (chance[j][v] * value(part[:rows, j], v, held_out))
                if len(won) > n - v:
                    total[order[stay:rows]] += weight * won[n - v, stay:]
                won = won[:, :stay]
                open_ = cut_product(open_[:, :stay], _damped(chance[j][:, :stay], v, early), n - v + 1, max(least, 0))
    return total / law[n, n_answers]


def tie_rule(ties, most):
    """Factors of earlier and of later classes that tie, and a weight, where at most `most` classes can tie."""
    # By lot, a class tied with s others counts 1 / (s + 1) = the integral of y^s from 0 to 1: every class that ties
    # with it brings the factor y, and Gauss-Legendre nodes integrate the polynomial in y exactly.
    if ties != "lot":
        return [(0.0, 1.0, 1.0)]
    nodes, weights = np.polynomial.legendre.leggauss((most + 1) // 2)
    return [(y, y, w) for y, w in zip((nodes + 1) / 2, weights / 2, strict=True)]


def _damped(chance, v, factor):
    """Probabilities of 0 .. v copies, that of v times `factor`."""
    return np.concatenate([chance[:v], chance[v : v + 1] * factor]) if factor else chance[:v]


def cut_product(a, b, size, low=0):
    """Products of polynomials in t (axis 0), a pair a column: coefficients `low` .. `size` - 1; those before are 0."""
    if a.shape[1] <= FEW_ROWS:
        return np.array([np.convolve(x, y)[:size] for x, y in zip(a.T, b.T, strict=True)]).T
    if len(a) < len(b):
        a, b = b, a
    product = np.zeros((min(len(a) + len(b) - 1, size), a.shape[1]))
    for x in range(min(len(b), size)):
        part = a[max(low - x, 0) : size - x]
        product[max(low, x) : len(a) + x] += part * b[x]
    return product
