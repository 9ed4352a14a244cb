"""What votes of fewer answers would have said, from the answers that are there."""

import numpy as np
import pandas as pd

from helpers.resampling import exact_interval, resampled_means, with_ends

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
ENOUGH = 0.9  # share of the questions that must have as many answers as the largest vote
DRAWS = 100  # of the answers to a question, for each size


def common_size(n_answers):
    """Largest number of answers that at least 90 % of the questions have."""
    ordered = np.sort(n_answers)
    return int(ordered[int(np.floor((1 - ENOUGH) * ordered.size + 1e-9))])


def vote_chances(counts, correct, rng=None):
    """(sizes (S,), same (q, S), right (q, S)) of votes of 1, 2, 3, 5, ... answers drawn from those to a question."""
    rng = np.random.default_rng(rng)
    counts = np.asarray(counts)
    most = common_size(counts.sum(axis=1))
    rows = np.flatnonzero(counts.sum(axis=1) >= most)
    sizes = np.array([size for size in SIZES if size < most] + [most])
    same = np.empty((rows.size, sizes.size))
    right = np.empty_like(same)
    for i, row in enumerate(rows):
        given = np.flatnonzero(counts[row])
        first = counts[row, given].argmax()
        for k, size in enumerate(sizes):
            if size == counts[row].sum():
                leads = np.eye(given.size)[[first]]
            else:
                votes = rng.multivariate_hypergeometric(counts[row, given], size, DRAWS)
                leads = votes == votes.max(axis=1, keepdims=True)
            chance = (leads / leads.sum(axis=1, keepdims=True)).mean(axis=0)
            same[i, k] = chance[first]
            right[i, k] = chance @ np.asarray(correct)[row, given]
    return sizes, same, right


def compare_votes(counts, correct, *, n_resamples, votes_rng, rng):
    """Table of votes, one row a size, with 95 % intervals from questions drawn with replacement."""
    sizes, same, right = vote_chances(
        counts, np.full(np.shape(counts), np.nan) if correct is None else correct, votes_rng
    )
    drawn = resampled_means(right, n_resamples, rng=rng)
    columns = {"size": sizes, "same": same.mean(axis=0), **with_ends("right", right.mean(axis=0), drawn)}
    if np.isin(right[:, -1], (0, 1)).all():  # a share of whole questions, as everywhere in the report
        columns["right_low"][-1], columns["right_high"][-1] = exact_interval(right[:, -1].sum(), len(right))
    columns |= with_ends("gain", columns["right"][-1] - columns["right"], drawn[:, [-1]] - drawn)
    return pd.DataFrame(columns)
