"""What a vote of fewer answers would have been worth, from the answers that are there."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.reports.phrases import a_sample, bracketed, hundred, shares, whole_percent
from helpers.resampling import with_ends
from helpers.selective.abstention import closed_form

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000)

ENOUGH = 0.9  # share of the questions that must have as many answers as the largest vote

WORK = 4_000_000  # answers that are shuffled in all

BLOCK = 2_000_000  # entries of a table of bootstrap counts at a time


@dataclass(frozen=True)
class VoteCurve:
    """Votes of `sizes` answers drawn from those of each question, averaged over random orders of the answers.

    right : (Q, S) chance that the vote is right, NaN columns where correctness is unknown; ties are shared evenly
    same : (Q, S) chance that it names an answer that leads among all answers
    refused : (Q, S) chance that its agreement is too low to answer
    cost : (Q, S) wrong answers cost 1, refused ones `reject_cost`; samples are not yet paid
    ecuas : (Q, S) cost averaged over rejection costs, n = 1, K -> infinity
    rows : (Q,) which questions took part
    """

    sizes: np.ndarray
    right: np.ndarray = field(repr=False)
    same: np.ndarray = field(repr=False)
    refused: np.ndarray = field(repr=False)
    cost: np.ndarray = field(repr=False)
    ecuas: np.ndarray = field(repr=False)
    rows: np.ndarray = field(repr=False)
    n_orders: int

    def __str__(self):
        return f"votes of {self.sizes[0]} to {self.sizes[-1]} answers to {self.rows.size:,} questions"


def common_size(n_answers):
    """Largest number of answers that at least 90 % of the questions have.

    >>> common_size([25] * 19 + [3])
    25
    """
    ordered = np.sort(n_answers)
    return int(ordered[int(np.floor((1 - ENOUGH) * ordered.size + 1e-9))])


def vote_curve(counts, correct, *, reject_cost, rng=None):
    """Votes of 1, 2, 3, 5, ... answers to each question, in random orders of the answers that were given.

    Parameters
    ----------
    counts : (Q, C) whole numbers; correct : (Q, C) 0/1, or None
    reject_cost : cost of a refusal, in units of a wrong answer; a vote is refused if 1 - its share exceeds it
    rng : int, Generator or None

    Returns
    -------
    VoteCurve; questions with fewer answers than the largest vote are left out

    >>> curve = vote_curve([[2, 1], [3, 0]], [[1, 0], [1, 0]], reject_cost=0.4, rng=0)
    >>> curve.sizes, curve.right[1], round(float(curve.right[0, -1]), 3)
    (array([1, 2, 3]), array([1., 1., 1.]), 1.0)
    """
    counts = np.asarray(counts)
    rng = np.random.default_rng(rng)
    total = counts.sum(axis=1)
    most = common_size(total)
    rows = np.flatnonzero(total >= most)
    counts = counts[rows]
    counts = counts[:, : int((counts > 0).any(axis=0).nonzero()[0].max()) + 1]
    known = correct is not None
    truth = np.asarray(correct, float)[rows, : counts.shape[1]] if known else np.zeros(counts.shape)
    sizes = np.array([size for size in SIZES if size < most] + [most])
    n_orders = int(np.clip(WORK // max(int(total[rows].sum()), 1), 20, 200))
    codes, given = _codes(counts)
    leads = counts == counts.max(axis=1, keepdims=True)
    sums = np.zeros((5, rows.size, sizes.size))
    for _ in range(n_orders):
        keys = np.where(given, rng.random(codes.shape), 2.0)
        order = np.argsort(keys, axis=1)[:, :most]
        sums += _votes(np.take_along_axis(codes, order, axis=1), sizes, truth, leads, reject_cost)
    right, same, refused, cost, ecuas = sums / n_orders
    if not known:
        right, cost, ecuas = (np.full(sums.shape[1:], np.nan) for _ in range(3))
    return VoteCurve(sizes, right, same, refused, cost, ecuas, rows, n_orders)


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


def _votes(shuffled, sizes, truth, leads, reject_cost):
    """(5, Q, S): right, same, refused, cost, ecuas of the vote of the first answers of each row."""
    n_rows, n_classes = truth.shape
    cell = np.arange(n_rows)[:, None] * n_classes + shuffled
    votes = np.zeros((n_rows, n_classes), np.int64)
    right = np.empty((n_rows, sizes.size))
    same = np.empty((n_rows, sizes.size))
    doubt = np.empty((n_rows, sizes.size))
    before = 0
    for k, size in enumerate(sizes):
        votes += np.bincount(cell[:, before:size].ravel(), minlength=votes.size).reshape(votes.shape)
        before = size
        top = votes.max(axis=1)
        tied = votes == top[:, None]
        share = 1 / tied.sum(axis=1)
        right[:, k] = (tied * truth).sum(axis=1) * share
        same[:, k] = (tied & leads).sum(axis=1) * share
        doubt[:, k] = 1 - top / size
    refused = doubt > reject_cost + 1e-12
    cost = np.where(refused, reject_cost, 1 - right)
    ecuas = closed_form(1 - right, doubt, n=1, largest=1)
    return np.stack([right, same, refused, cost, ecuas])


def bootstrap_means(values, n_resamples, rng):
    """(n_resamples, S) means of the columns of (Q, S) values over questions drawn with replacement."""
    n = len(values)
    rng = np.random.default_rng(rng)
    chunk = max(1, BLOCK // n)
    parts = []
    for start in range(0, n_resamples, chunk):
        drawn = rng.integers(n, size=(min(chunk, n_resamples - start), n))
        counts = np.stack([np.bincount(rows, minlength=n) for rows in drawn])
        parts.append(counts @ values / n)
    return np.concatenate(parts)


def price_votes(curve, price, *, n_resamples, rng=None):
    """Table of a `VoteCurve`, one row a size, with 95 % intervals from questions drawn with replacement.

    right, same, refused, cost, ecuas : means over the questions, each with _low and _high
    total : cost plus `price` for each sample; above : total less that of the cheapest size, paired, with its interval
    saved : what a further sample saved since the size before, in units of a wrong answer (NaN in the first row)
    """
    names = ["right", "same", "refused", "cost", "ecuas"]
    values = np.concatenate([getattr(curve, name) for name in names], axis=1)
    drawn = bootstrap_means(values, n_resamples, rng)
    columns = {"size": curve.sizes}
    for k, name in enumerate(names):
        part = slice(k * curve.sizes.size, (k + 1) * curve.sizes.size)
        columns |= with_ends(name, values[:, part].mean(axis=0), drawn[:, part])
        if name == "cost":
            samples = drawn[:, part] + price * curve.sizes
    total = columns["cost"] + price * curve.sizes
    columns |= with_ends("total", total, samples)
    best = 0 if np.isnan(total).all() else int(np.nanargmin(total))
    columns |= with_ends("above", total - total[best], samples - samples[:, [best]])
    steps = -np.diff(columns["cost"]) / np.diff(curve.sizes)
    return pd.DataFrame(columns | {"saved": np.concatenate([[np.nan], steps])})


def print_votes(sizes):
    """`price_votes` as texts; without right answers only how often a vote agrees with that of all."""
    lines = []
    for row in sizes.itertuples():
        line = {"answers": f"{row.size:,}", "same vote as all": whole_percent(row.same)}
        if np.isfinite(row.right):
            interval = bracketed(hundred(row.total_low), hundred(row.total_high))
            line |= {
                "right": shares(row.right, row.right_low, row.right_high),
                "left to others": whole_percent(row.refused),
                "cost of 100": hundred(row.cost),
                "and samples": f"{hundred(row.total)} {interval}",
                "saved by one more": "–" if np.isnan(row.saved) else a_sample(row.saved),
            }
        lines.append(line)
    return pd.DataFrame(lines).set_index("answers")
