"""How sure a model is, read from how often it gives the same answer.

Everything here works on counts: one row a question, one column a class of answers, classes in order of first
appearance, zeros where a question has fewer classes. Where classes are equally frequent each of them wins equally
often, so that nothing depends on the order of the columns; ``ties="first"`` lets the earlier column win.
"""

import numpy as np
from scipy.special import xlogy

from helpers.answers.all_splits import mean_over_splits
from helpers.answers.splits import block_sizes, chances_to_win, held_out_shares, random_blocks
from helpers.checks import check_count, check_numbers, check_probabilities, check_rng, check_simplex, raise_first

#: Weight of Sem1 that makes the largest leading bias of its mixture with Sem2 smallest, for two classes.
BALANCING_WEIGHT = 0.34379533


def check_counts(counts, name="counts", *, least=1):
    """Whole numbers as a (Q, C) int table; none may be negative, and every question needs `least` answers."""
    array = check_numbers(counts, name)
    if array.ndim not in (1, 2) or not array.size:
        raise ValueError(f"{name} must be (C,) or (Q, C) and not empty, but its shape is {array.shape}.")
    bad = ~((array >= 0) & (array <= 2**53) & (array == np.floor(array)))
    if bad.any():
        raise_first(name, "be whole numbers, not negative", array, bad)
    table = np.atleast_2d(array).astype(np.int64)
    check_enough(table, least, name)
    return table


def check_enough(table, least, name="counts"):
    """ValueError unless every row of a (Q, C) table of counts holds `least` answers."""
    n_answers = table.sum(axis=1)
    few = n_answers < least
    if few.any():
        first = int(np.argmax(few))
        more = int(few.sum()) - 1
        raise ValueError(
            f"{name} must hold at least {least} answer{'s' if least > 1 else ''} to every question, but question "
            f"{first} has {n_answers[first]}{f' (and {more:,} more have too few)' if more else ''}."
        )


def _parts(table):
    """Counts, or probabilities whose rows sum to 1, (Q, C)."""
    array = check_numbers(table, "counts_or_probabilities")
    if array.size and (array == np.floor(array)).all():
        return check_counts(array, "counts_or_probabilities")
    return check_simplex(np.atleast_2d(array), "counts_or_probabilities")


def _like(values, given):
    """A float where one question was given as a vector, else the array."""
    return float(values[0]) if np.ndim(given) == 1 else values


def sem1(counts):
    """Share of the most frequent answer, max count / N: the same answers choose the class and measure it.

    Wang et al. (2026), eq. 1.
    Plain: `helpers.papers.semece2026.equation_1`.

    Parameters
    ----------
    counts : array of int, shape (Q, C) or (C,)
        Counts of classes, a row a question.

    Returns
    -------
    float or array of float, shape (Q,)
        In [1 / C, 1]. Biased upwards for the largest probability.

    Examples
    --------
    >>> sem1([20, 18, 12]), sem1([[1, 1], [4, 0]])
    (0.4, array([0.5, 1. ]))
    """
    return _like(largest_share(check_counts(counts)), counts)


def largest_share(table):
    """`sem1` of counts that were checked."""
    return table.max(axis=1) / table.sum(axis=1)


def sem2(counts, n_select=None, *, ties="average"):
    """Share of the class chosen by one part of the answers among the other part, averaged over all splits, exactly.

    The mean of (c_k - v) / m over all C(N, n) ways to draw n of the N answers, where class k is the most frequent of
    these, with v copies, and m = N - n. Wang et al. (2026), equation 3 and appendix B, which draws ten of the splits;
    the mean over all is ours.
    Plain: `helpers.papers.semece2026.section_6_1_splits`.

    Parameters
    ----------
    counts : array of int, shape (Q, C) or (C,)
        Counts of classes, a row a question; at least two answers each.
    n_select : int or None, default None
        Answers that select, 1 .. N - 1; None for N // 2, so that with odd N one more answer is held out.
    ties : {"average", "first"}, default "average"
        "average", of tied classes each is selected equally often, or "first", the earlier column. Columns in order of
        first appearance know a little about the held-out part: with few answers "first" is then too high for the
        class selected (by 0.06 at N = 4, 0.001 at N = 50, three equal classes); "average" never is.

    Returns
    -------
    float or array of float, shape (Q,)
        In [0, 1], never above `sem1`. Biased downwards for the largest probability, unbiased for that of the class
        selected (with "first": where the columns are in an order fixed beforehand).

    Examples
    --------
    >>> round(sem2([20, 18, 12]), 10), sem2([50]), sem2([1] * 50)
    (0.3299121119, 1.0, 0.0)
    >>> [round(sem2([2, 1, 1], ties=ties), 3) for ties in ("average", "first")]
    [0.167, 0.333]
    """
    return _like(mean_held_out_share(check_counts(counts, least=2), n_select, ties), counts)


def mean_held_out_share(table, n_select, ties):
    """`sem2` of counts that were checked."""
    sizes = block_sizes(table.sum(axis=1), n_select)
    return mean_over_splits(table, sizes, _held_out_share, ties=ties)


def sem2_spread(counts, n_select=None):
    """Standard deviation of the held-out share over the splits of the same answers.

    The mean of R random splits misses `sem2` by this divided by sqrt(R); the paper's R is 10.
    Plain: `helpers.papers.semece2026.section_6_1_splits`.

    Parameters
    ----------
    counts, n_select : array of int, shape (Q, C) or (C,), and int, optional
        As in `sem2`.

    Returns
    -------
    float or array of float, shape (Q,)
        In units of probability.

    Examples
    --------
    >>> round(sem2_spread([25, 25]) / 10**0.5, 4)
    0.0133
    """
    table = check_counts(counts, least=2)
    sizes = block_sizes(table.sum(axis=1), n_select)
    mean = mean_over_splits(table, sizes, _held_out_share)
    square = mean_over_splits(table, sizes, lambda count, v, m: _held_out_share(count, v, m) ** 2)
    variance = square - mean**2
    return _like(np.sqrt(np.where(variance > 1e-14, variance, 0.0)), counts)  # below it is rounding


def sem2_splits(counts, *, n_splits=10, n_select=None, rng=None):
    """Mean held-out share over random splits, as in the paper's experiments; `sem2` is its limit without noise.

    Wang et al. (2026), section 6.1 (ten splits).
    Plain: `helpers.papers.semece2026.section_6_1_sem2`.

    Parameters
    ----------
    counts, n_splits, n_select : array of int, shape (Q, C) or (C,), and int
        Counts of classes, the number of random splits, and the answers that select, as in `sem2`.
    rng : int, Generator or None, default None
        Source of randomness.

    Returns
    -------
    float or array of float, shape (Q,)
        In [0, 1].

    Examples
    --------
    >>> sem2_splits([50, 0], rng=0), bool(abs(sem2_splits([20, 18, 12], n_splits=4000, rng=0) - 0.3299) < 0.01)
    (1.0, True)
    """
    table = check_counts(counts, least=2)
    sizes = block_sizes(table.sum(axis=1), n_select)
    rng = check_rng(rng)
    blocks = random_blocks(table, sizes, check_count(n_splits, "n_splits"), rng)
    chosen = chances_to_win(blocks + rng.random(blocks.shape))  # of tied classes one at random
    return _like(held_out_shares(table, blocks, chosen).mean(axis=0), counts)


def split_bias_corrected(counts, *, weight=BALANCING_WEIGHT, n_select=None):
    """Weighted mean of `sem1` (too high on close questions) and `sem2` (too low).

    The default weight of Sem1 makes the largest leading bias smallest over all margins, with two classes and half of
    the answers selecting: 0.137 sqrt(p / N), where Sem1 has up to 0.399 and Sem2 up to 0.240. It does not remove the
    bias, and with several near-tied classes the balance shifts. Ours, from the expansions of Wang et al. (2026), eq. 9.

    Parameters
    ----------
    counts, weight, n_select : array of int, shape (Q, C) or (C,), float and int
        As in `sem2`; the weight of Sem1 is in [0, 1].

    Returns
    -------
    float or array of float, shape (Q,)
        In [0, 1].

    Examples
    --------
    >>> round(split_bias_corrected([25, 25]), 3)
    0.462
    """
    weight = float(check_probabilities([weight], "weight")[0])
    return weight * sem1(counts) + (1 - weight) * sem2(counts, n_select)


def entropy_of(parts):
    """(Q,) entropies in nats of the shares of the classes, of counts or probabilities that were checked."""
    shares = parts / _total(parts)[:, None]
    return -xlogy(shares, shares).sum(axis=1) + 0.0


def _total(parts):
    """(Q,) sums of counts; of probabilities 1, whatever rounding left of it."""
    return parts.sum(axis=1) if parts.dtype.kind == "i" else np.ones(len(parts))


def top_two(parts):
    """(Q,) difference and sum of the two largest shares, of counts or probabilities that were checked."""
    total = _total(parts)
    parts = np.sort(parts, axis=1)
    second = parts[:, -2] if parts.shape[1] > 1 else 0
    return (parts[:, -1] - second) / total, (parts[:, -1] + second) / total


def top_two_margin(counts_or_probabilities):
    """Largest share less the second largest, Delta.

    Wang et al. (2026), section 3.
    Plain: `helpers.papers.semece2026.section_3_margin`.

    Parameters
    ----------
    counts_or_probabilities : array, shape (Q, C) or (C,)
        Counts of classes, or probabilities that sum to 1, a row a question.

    Returns
    -------
    float or array of float, shape (Q,)
        In [0, 1].

    Examples
    --------
    >>> round(top_two_margin([30, 20]), 2), round(top_two_margin([0.5, 0.3, 0.2]), 2)
    (0.2, 0.2)
    """
    return _like(top_two(_parts(counts_or_probabilities))[0], counts_or_probabilities)


def top_two_mass(counts_or_probabilities):
    """Sum of the two largest shares, p_q.

    Wang et al. (2026), section 3.
    Plain: `helpers.papers.semece2026.section_3_mass`.

    Parameters
    ----------
    counts_or_probabilities : array, shape (Q, C) or (C,)
        Counts of classes, or probabilities that sum to 1, a row a question.

    Returns
    -------
    float or array of float, shape (Q,)
        In [0, 1].

    Examples
    --------
    >>> top_two_mass([30, 15, 5])
    0.9
    """
    return _like(top_two(_parts(counts_or_probabilities))[1], counts_or_probabilities)


def oracle_confidence(probabilities):
    """Largest probability, c* = max pi: what both estimators aim at, known only in simulations.

    Plain: `helpers.papers.semece2026.section_3_confidence`.

    Parameters
    ----------
    probabilities : array of float, shape (Q, K) or (K,)
        Answer probabilities, a row a question.

    Returns
    -------
    float or array of float, shape (Q,)
        In [1 / K, 1].

    Examples
    --------
    >>> oracle_confidence([0.5, 0.3, 0.2])
    0.5
    """
    parts = _parts(probabilities)
    return _like(parts.max(axis=1) / _total(parts), probabilities)


def _held_out_share(count, selected, held_out):
    """Share of a class among the answers held out."""
    return (count - selected) / held_out
