"""The mean over all splits of N answers into n that select and m = N - n held out, exactly.

    sum_k sum_v value(c_k, v, m) P(class k is selected, with v copies)

Each answer selects with probability n / N, independently; given that n do, all splits are equally likely. With the
binomial chances b_j(x) that x of the c_j answers of class j select,

    P(k, v) = b_k(v) [t^(n - v)] prod_(j != k) sum_(x <= v) y^(x = v) b_j(x) t^x / b(n; N)

where y marks a tie: its integral from 0 to 1 shares the selection equally (`tie_rule`). The polynomials hold
probabilities, none above 1.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from helpers.answers.polynomials import CHUNK, cut_product, tie_rule
from helpers.checks import check_one_of


def mean_over_splits(counts, n_select, value, *, ties="average"):
    """Mean over all splits of value(count, copies selected, answers held out) of the selected class, (Q,).

    Of tied classes "average" selects each equally often, "first" the earlier column.
    """
    check_one_of(ties, "ties", ("average", "first"))
    keys = np.column_stack([counts.sum(axis=1), n_select, counts])
    # every distinct row is computed once, questions with as many answers together
    rows, back = np.unique(keys, axis=0, return_inverse=True)
    means = np.empty(len(rows))
    for n_answers, n in np.unique(rows[:, :2], axis=0):
        same = np.flatnonzero((rows[:, 0] == n_answers) & (rows[:, 1] == n))
        for chunk in np.array_split(same, -(-same.size // CHUNK)):
            means[chunk] = _mean_of_equal_sizes(rows[chunk, 2:], n_answers, n, value, ties)
    return means[back.ravel()]


def _mean_of_equal_sizes(counts, n_answers, n, value, ties):
    """`mean_over_splits` for questions with the same number of answers."""
    m = n_answers - n
    b = binom.pmf(np.arange(n + 1)[:, None], np.arange(n_answers + 1), n / n_answers)  # b[x, c]: x of c answers select
    total = _with_a_majority(counts, n, m, b, value)
    for v in range(1, n // 2 + 1):
        contest = _contest(counts, n, v)
        if contest is None:
            continue
        chances = [b[: v + 1].take(contest.counts[:rows, j], axis=1) for j, rows in enumerate(contest.filled)]
        values = [value(contest.counts[:rows, j], v, m) for j, rows in enumerate(contest.filled)]
        rest = b[: min(n - v, contest.rest.max()) + 1].take(contest.rest, axis=1)
        for early, late, weight in tie_rule(ties, min(n // v, len(chances))):
            total[contest.rows] += weight * _with_copies(v, n, contest, chances, values, rest, early, late)
    return total / b[n, n_answers]


def _with_a_majority(counts, n, m, b, value):
    """Sum over v > n / 2 of value times b_k(v) b(n - v; N - c_k): class k is selected, whoever has the others."""
    row, column = np.nonzero(counts > n // 2)
    c_k = counts[row, column]
    v = np.arange(n // 2 + 1, n + 1)[:, None]
    terms = (b[v, c_k] * b[n - v, n + m - c_k] * value(c_k, v, m)).sum(axis=0)
    return np.bincount(row, terms, len(counts)).astype(float)


@dataclass(frozen=True)
class _Contest:
    """Questions in which some class has at least v answers, those with the most such classes first."""

    rows: np.ndarray  # (R,) numbers of the questions
    counts: np.ndarray  # (R, C) answers of these classes, packed to the left
    filled: list  # in how many rows, from the first, column j holds such a class
    rest: np.ndarray  # (R,) answers of all other classes, of which any number may select


def _contest(counts, n, v):
    """`_Contest` of the questions in which a class can be selected with v copies; None where there is none."""
    able = counts >= v
    rest = counts.sum(axis=1) - np.where(able, counts, 0).sum(axis=1)
    number = able.sum(axis=1)
    number[number * v + rest < n] = 0  # with v copies at most, the classes do not make up n answers
    filled = [int((number > j).sum()) for j in range(number.max())]
    if not filled:
        return None
    rows = np.argsort(-number, kind="stable")[: filled[0]]
    packed = np.argsort(~able[rows], axis=1, kind="stable")
    return _Contest(rows, np.take_along_axis(counts[rows], packed, axis=1), filled, rest[rows])


def _with_copies(v, n, contest, chances, values, rest, early, late):
    """[t^n] of the sum over classes k of value * b_k(v) t^v * the factors of the others, (R,), class by class.

    `chances[j]` holds b_j(0 .. v) in the rows that have a class j, `rest` the factor of all other classes. Classes that
    tie with k bring the factor `early` before it, `late` after it.
    """
    result = np.zeros(contest.rows.size)
    # `none`: no class so far has v copies. `won`: one has them, times its value; degrees are counted from v.
    none, won = rest, np.zeros_like(rest)
    for j, (rows, stay) in enumerate(zip(contest.filled, [*contest.filled[1:], 0], strict=True)):
        least = n - v * (len(contest.filled) - 1 - j)  # answers that classes to come cannot have
        if j:
            won = cut_product(won, _damped(chances[j], v, late), n - v + 1, max(least - v, 0))
        won[: len(none)] += none * (chances[j][v] * values[j])
        if len(won) > n - v:
            result[stay:rows] = won[n - v, stay:]  # these rows have no further class
        won = won[:, :stay]
        none = cut_product(none[:, :stay], _damped(chances[j][:, :stay], v, early), n - v + 1, max(least, 0))
    return result


def _damped(chances, v, factor):
    """Chances of 0 .. v copies, that of v times `factor`."""
    return np.concatenate([chances[:v], chances[v : v + 1] * factor]) if factor else chances[:v]
