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

FEW_ORDERS = 10  # from which the lowest share that is answered is found

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
    n_orders : how many orders
    least : (S,) answers of a vote that must agree for it to be answered; 0 where its own confidence does not decide
    """

    sizes: np.ndarray
    right: np.ndarray = field(repr=False)
    same: np.ndarray = field(repr=False)
    refused: np.ndarray = field(repr=False)
    cost: np.ndarray = field(repr=False)
    ecuas: np.ndarray = field(repr=False)
    rows: np.ndarray = field(repr=False)
    n_orders: int
    least: np.ndarray = field(repr=False)

    def __str__(self):
        return f"votes of {self.sizes[0]} to {self.sizes[-1]} answers to {self.rows.size:,} questions"


def common_size(n_answers):
    """Largest number of answers that at least 90 % of the questions have.

    >>> common_size([25] * 19 + [3])
    25
    """
    ordered = np.sort(n_answers)
    return int(ordered[int(np.floor((1 - ENOUGH) * ordered.size + 1e-9))])


def vote_curve(counts, correct, *, reject_cost, find_limit=None, accepted=None, rng=None):
    """Votes of 1, 2, 3, 5, ... answers to each question, in random orders of the answers that were given.

    Parameters
    ----------
    counts : (Q, C) whole numbers; correct : (Q, C) 0/1, or None
    reject_cost : cost of a refusal, in units of a wrong answer; a vote is refused if 1 - its share exceeds it
    find_limit : function (share, right, wrong) -> lowest share of a vote that is answered, instead of 1 - reject_cost;
        called for each size with the shares that occur and how often they were right and wrong
    accepted : (Q,) bool, or None; questions that are answered whatever the vote
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
    limits = np.full(sizes.size, 1 - reject_cost)
    if find_limit is not None and known:
        orders = [np.argsort(np.where(given, rng.random(codes.shape), 2.0), axis=1) for _ in range(FEW_ORDERS)]
        shuffled = np.concatenate([np.take_along_axis(codes, order[:, :most], axis=1) for order in orders])
        limits = _limits(shuffled, sizes, np.tile(truth, (FEW_ORDERS, 1)), find_limit)
    fixed = None if accepted is None else np.asarray(accepted)[rows]
    sums = np.zeros((5, rows.size, sizes.size))
    for _ in range(n_orders):
        keys = np.where(given, rng.random(codes.shape), 2.0)
        order = np.argsort(keys, axis=1)[:, :most]
        sums += _votes(np.take_along_axis(codes, order, axis=1), sizes, truth, leads, reject_cost, limits, fixed)
    right, same, refused, cost, ecuas = sums / n_orders
    if not known:
        right, cost, ecuas = (np.full(sums.shape[1:], np.nan) for _ in range(3))
    needed = np.zeros(sizes.size)
    if fixed is None:
        needed = np.where(np.isfinite(limits), np.maximum(np.ceil(limits * sizes - 1e-9), 1), sizes + 1)
    return VoteCurve(sizes, right, same, refused, cost, ecuas, rows, n_orders, needed.astype(int))


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


def _tallies(shuffled, sizes, n_classes):
    """For each size, (Q, C) bool of the classes that lead the vote of the first answers of a row, and their votes."""
    n_rows = len(shuffled)
    cell = np.arange(n_rows)[:, None] * n_classes + shuffled
    votes = np.zeros((n_rows, n_classes), np.int64)
    before = 0
    for size in sizes:
        votes += np.bincount(cell[:, before:size].ravel(), minlength=votes.size).reshape(votes.shape)
        before = size
        top = votes.max(axis=1)
        yield votes == top[:, None], top


def _limits(shuffled, sizes, truth, find_limit):
    """(S,) lowest share of the vote of each size that is answered."""
    limits = []
    for size, (tied, top) in zip(sizes, _tallies(shuffled, sizes, truth.shape[1]), strict=True):
        right = (tied * truth).sum(axis=1) / tied.sum(axis=1)
        n_right = np.bincount(top, right, size + 1)
        n_wrong = np.bincount(top, 1 - right, size + 1)
        limits.append(find_limit(np.arange(size + 1) / size, n_right, n_wrong))
    return np.array(limits)


def _votes(shuffled, sizes, truth, leads, reject_cost, limits, accepted):
    """(5, Q, S): right, same, refused, cost, ecuas of the vote of the first answers of each row."""
    right = np.empty((len(truth), sizes.size))
    same = np.empty_like(right)
    share = np.empty_like(right)
    for k, (tied, top) in enumerate(_tallies(shuffled, sizes, truth.shape[1])):
        part = 1 / tied.sum(axis=1)
        right[:, k] = (tied * truth).sum(axis=1) * part
        same[:, k] = (tied & leads).sum(axis=1) * part
        share[:, k] = top / sizes[k]
    refused = share < limits - 1e-12 if accepted is None else np.repeat(~accepted[:, None], sizes.size, axis=1)
    cost = np.where(refused, reject_cost, 1 - right)
    ecuas = closed_form(1 - right, 1 - share, n=1, largest=1)
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
    least : answers that must agree for the vote to be answered
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
    return pd.DataFrame(columns | {"saved": np.concatenate([[np.nan], steps]), "least": curve.least})


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
