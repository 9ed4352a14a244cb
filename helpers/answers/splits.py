"""Answers to a question split into a part that selects and a part held out: one split, or random ones."""

import numpy as np

from helpers.checks import check_count, check_one_of, check_rng


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


def chances_to_win(counts, ties="average"):
    """Chance of each class to be chosen as the most frequent, (..., C).

    Of tied classes "average" chooses each equally often, "first" the earlier column.

    >>> chances_to_win(np.array([[2, 2, 1], [0, 3, 1]]))
    array([[0.5, 0.5, 0. ],
           [0. , 1. , 0. ]])
    """
    check_one_of(ties, "ties", ("average", "first"))
    first = counts == counts.max(axis=-1, keepdims=True)
    if ties == "first":
        first &= np.cumsum(first, axis=-1) == 1
    return first / first.sum(axis=-1, keepdims=True)


def held_out_shares(counts, blocks, chosen):
    """Share, among the answers that are not in a block, of the class that it chose (`chances_to_win`), (..., Q)."""
    rest = counts - blocks
    return (rest * chosen).sum(axis=-1) / rest.sum(axis=-1)
