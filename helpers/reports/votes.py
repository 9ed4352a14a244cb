"""What votes of fewer answers would have said, from the answers that are there."""

import numpy as np
import pandas as pd

from helpers.resampling import exact_interval, resampled_means, with_ends

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
ENOUGH = 0.9  # share of the questions that must have as many answers as the largest vote
WORK = 4_000_000  # answers that are shuffled in all
ORDERS = (20, 200)  # random orders of the answers, at least and at most


def common_size(n_answers):
    """Largest number of answers that at least 90 % of the questions have.

    >>> common_size([25] * 19 + [3])
    25
    """
    ordered = np.sort(n_answers)
    return int(ordered[int(np.floor((1 - ENOUGH) * ordered.size + 1e-9))])


def vote_chances(counts, correct, rng=None):
    """(sizes (S,), same (q, S), right (q, S) or None) of votes of 1, 2, 3, 5, ... answers of those to a question.

    same, right : chance that a vote names the most frequent of all answers, and that it is right, over random orders of
        the answers; questions with fewer answers than the largest vote are left out
    counts : (Q, C) whole numbers; correct : (Q, C) 0/1, or None

    Of answers that tie at the top the one that was given first counts: in a random order each with the same chance, in
    a vote of all answers the one that comes first in the file.

    >>> sizes, same, right = vote_chances([[2, 1], [3, 0]], [[1, 0], [1, 0]], rng=0)
    >>> sizes, right[1], round(float(right[0, -1]), 3)
    (array([1, 2, 3]), array([1., 1., 1.]), 1.0)
    """
    counts = np.asarray(counts)
    rng = np.random.default_rng(rng)
    total = counts.sum(axis=1)
    most = common_size(total)
    rows = np.flatnonzero(total >= most)
    counts = counts[rows]
    counts = counts[:, : int((counts > 0).any(axis=0).nonzero()[0].max()) + 1]
    truth = None if correct is None else np.asarray(correct, float)[rows, : counts.shape[1]]
    sizes = np.array([size for size in SIZES if size < most] + [most])
    n_orders = int(np.clip(WORK // max(int(total[rows].sum()), 1), *ORDERS))
    codes, given = _codes(counts)
    first = np.eye(counts.shape[1], dtype=bool)[counts.argmax(axis=1)]
    whole = counts.sum(axis=1) == most
    same = np.zeros((rows.size, sizes.size))
    right = np.zeros_like(same)
    for _ in range(n_orders):
        keys = np.where(given, rng.random(codes.shape), 2.0)
        order = np.argsort(keys, axis=1)[:, :most]
        for k, leads in enumerate(_leading(np.take_along_axis(codes, order, axis=1), sizes, first, whole)):
            part = 1 / leads.sum(axis=1)
            same[:, k] += (leads & first).sum(axis=1) * part
            if truth is not None:
                right[:, k] += (leads * truth).sum(axis=1) * part
    return sizes, same / n_orders, None if truth is None else right / n_orders


def _codes(counts):
    """(Q, N) class of each answer, and whether there is such an answer; in order of the classes."""
    total = counts.sum(axis=1)
    row = np.repeat(np.arange(len(counts)), total)
    place = np.arange(row.size) - np.repeat(np.cumsum(total) - total, total)
    codes = np.zeros((len(counts), total.max()), np.int32)
    given = np.zeros((len(counts), total.max()), bool)
    column = np.broadcast_to(np.arange(counts.shape[1]), counts.shape)
    codes[row, place] = np.repeat(column.ravel(), counts.ravel())
    given[row, place] = True
    return codes, given


def _leading(shuffled, sizes, first, whole):
    """For each size, (Q, C) bool of the classes that lead the vote of the first answers of a row.

    Where a vote of all answers is tied (rows that are `whole`), the class that was given `first` leads alone.
    """
    n_rows, n_classes = first.shape
    cell = np.arange(n_rows)[:, None] * n_classes + shuffled
    votes = np.zeros((n_rows, n_classes), np.int64)
    before = 0
    for size in sizes:
        votes += np.bincount(cell[:, before:size].ravel(), minlength=votes.size).reshape(votes.shape)
        before = size
        leads = votes == votes.max(axis=1)[:, None]
        if size == sizes[-1]:
            leads[whole] &= first[whole]
        yield leads


def compare_votes(counts, correct, *, n_resamples, votes_rng, rng):
    """Table of votes, one row a size, with 95 % intervals from questions drawn with replacement.

    same : share of the questions in which the vote names the most frequent of all answers
    right : share in which it is right, with _low and _high
    gain : how much more often a vote of all answers is right, paired, with _low and _high; NaN without right answers
    """
    sizes, same, right = vote_chances(counts, correct, votes_rng)
    columns = {"size": sizes, "same": same.mean(axis=0)}
    if right is None:
        names = [f"{name}{end}" for name in ("right", "gain") for end in ("", "_low", "_high")]
        return pd.DataFrame(columns | dict.fromkeys(names, np.nan))
    drawn = resampled_means(right, n_resamples, rng=rng)
    columns |= with_ends("right", right.mean(axis=0), drawn)
    if np.isin(right[:, -1], (0, 1)).all():  # a share of whole questions, as everywhere in the report
        columns["right_low"][-1], columns["right_high"][-1] = exact_interval(right[:, -1].sum(), len(right))
    columns |= with_ends("gain", columns["right"][-1] - columns["right"], drawn[:, [-1]] - drawn)
    return pd.DataFrame(columns)
