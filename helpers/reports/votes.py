"""What a vote of fewer answers would have been worth, from the answers that are there."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from helpers.reports.phrases import cost_with_span, hundred, percent, shares, whole_percent
from helpers.resampling import exact_interval, with_ends
from helpers.selective.abstention import closed_form

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000)

ENOUGH = 0.9  # share of the questions that must have as many answers as the largest vote

WORK = 4_000_000  # answers that are shuffled in all

FEW_ORDERS = 10  # from which the lowest share that is answered is found

BLOCK = 2_000_000  # entries of a table of bootstrap counts at a time


@dataclass(frozen=True)
class VoteCurve:
    """Votes of `sizes` answers drawn from those of each question, averaged over random orders of the answers.

    Of answers that tie at the top the one that was given first counts: in a random order each with the same chance, in
    a vote of all answers the one that comes first in the file.

    right : (Q, S) chance that the vote is right, NaN columns where correctness is unknown
    same : (Q, S) chance that it names the most frequent of all answers
    refused : (Q, S) chance that its agreement is too low to answer
    wrong : (Q, S) chance that it is answered, and wrong
    cost : (Q, S) wrong answers cost 1, refused ones `reject_cost`; samples are not yet paid
    ecuas : (Q, S) cost averaged over rejection costs, n = 1, K -> infinity
    rows : (Q,) which questions took part
    n_orders : how many orders
    least : (S,) answers of a vote that must agree for it to be answered; more than there are where none is, 0 where its
        own confidence does not decide
    """

    sizes: np.ndarray
    right: np.ndarray = field(repr=False)
    same: np.ndarray = field(repr=False)
    refused: np.ndarray = field(repr=False)
    wrong: np.ndarray = field(repr=False)
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


def vote_curve(counts, correct, *, reject_cost, find_limit=None, accepted=None, fold=None, rng=None):
    """Votes of 1, 2, 3, 5, ... answers to each question, in random orders of the answers that were given.

    Parameters
    ----------
    counts : (Q, C) whole numbers; correct : (Q, C) 0/1, or None
    reject_cost : cost of a refusal, in units of a wrong answer; a vote is refused if 1 - its share exceeds it
    find_limit : function (share, right, wrong) -> lowest share of a vote that is answered, instead of 1 - reject_cost;
        called for each size with the shares that occur and how often they were right and wrong
    fold : (Q,) int array, or None; a question is judged by the limit that the questions of other folds give
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
    first = np.eye(counts.shape[1], dtype=bool)[counts.argmax(axis=1)]
    whole = counts.sum(axis=1) == most
    limits = np.full((rows.size, sizes.size), 1 - reject_cost)
    needed = np.zeros(sizes.size, int)
    if known and accepted is None:
        orders = [np.argsort(np.where(given, rng.random(codes.shape), 2.0), axis=1) for _ in range(FEW_ORDERS)]
        shuffled = np.concatenate([np.take_along_axis(codes, order[:, :most], axis=1) for order in orders])
        repeat = partial(np.tile, reps=FEW_ORDERS)
        tallies = _tallies(shuffled, sizes, np.tile(first, (FEW_ORDERS, 1)), repeat(whole))
        folds = np.zeros(rows.size, int) if fold is None else np.asarray(fold)[rows]
        truths = np.tile(truth, (FEW_ORDERS, 1))
        needed, limits = _limits(tallies, sizes, truths, repeat(folds), find_limit or (lambda *_: 1 - reject_cost))
        limits = limits[: rows.size]
    fixed = None if accepted is None else np.asarray(accepted)[rows]
    sums = np.zeros((6, rows.size, sizes.size))
    for _ in range(n_orders):
        keys = np.where(given, rng.random(codes.shape), 2.0)
        order = np.argsort(keys, axis=1)[:, :most]
        votes = _tallies(np.take_along_axis(codes, order, axis=1), sizes, first, whole)
        sums += _votes(votes, sizes, truth, first, reject_cost, limits, fixed)
    right, same, refused, wrong, cost, ecuas = sums / n_orders
    if not known:
        right, wrong, cost, ecuas = (np.full(sums.shape[1:], np.nan) for _ in range(4))
    return VoteCurve(sizes, right, same, refused, wrong, cost, ecuas, rows, n_orders, needed)


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


def _tallies(shuffled, sizes, first, whole):
    """For each size, (Q, C) bool of the classes that lead the vote of the first answers of a row, and their votes.

    Where a vote of all answers is tied (rows that are `whole`), the class that was given `first` leads alone.
    """
    n_rows, n_classes = first.shape
    cell = np.arange(n_rows)[:, None] * n_classes + shuffled
    votes = np.zeros((n_rows, n_classes), np.int64)
    before = 0
    for size in sizes:
        votes += np.bincount(cell[:, before:size].ravel(), minlength=votes.size).reshape(votes.shape)
        before = size
        top = votes.max(axis=1)
        leads = votes == top[:, None]
        if size == sizes[-1]:
            leads[whole] &= first[whole]
        yield leads, top


def _limits(tallies, sizes, truth, fold, find_limit):
    """Answers that must agree at each size, (S,), and the lowest share by the questions of other folds, (Q, S)."""
    needed = []
    limits = np.empty((len(truth), sizes.size))
    n_folds = fold.max() + 1
    for k, (size, (leads, top)) in enumerate(zip(sizes, tallies, strict=True)):
        right = (leads * truth).sum(axis=1) / leads.sum(axis=1)
        cell = fold * (size + 1) + top
        shape = (n_folds, size + 1)
        n_right = np.bincount(cell, right, n_folds * (size + 1)).reshape(shape)
        n_wrong = np.bincount(cell, 1 - right, n_folds * (size + 1)).reshape(shape)
        share = np.arange(size + 1) / size
        limit = find_limit(share, n_right.sum(axis=0), n_wrong.sum(axis=0))
        occurs = np.flatnonzero((n_right + n_wrong).sum(axis=0))
        least = occurs[share[occurs] >= limit - 1e-9].min(initial=size + 1)
        needed.append(1 if least == occurs.min() else least)
        for j in range(n_folds):
            others = np.arange(n_folds) != j if n_folds > 1 else [True]
            limits[fold == j, k] = find_limit(share, n_right[others].sum(axis=0), n_wrong[others].sum(axis=0))
    return np.array(needed), limits


def _votes(tallies, sizes, truth, first, reject_cost, limits, accepted):
    """(6, Q, S): right, same, refused, wrong, cost, ecuas of the vote of the first answers of each row."""
    right = np.empty((len(truth), sizes.size))
    same = np.empty_like(right)
    share = np.empty_like(right)
    for k, (leads, top) in enumerate(tallies):
        part = 1 / leads.sum(axis=1)
        right[:, k] = (leads * truth).sum(axis=1) * part
        same[:, k] = (leads & first).sum(axis=1) * part
        share[:, k] = top / sizes[k]
    refused = share < limits - 1e-9 if accepted is None else np.repeat(~accepted[:, None], sizes.size, axis=1)
    wrong = np.where(refused, 0, 1 - right)
    cost = np.where(refused, reject_cost, wrong)
    ecuas = closed_form(1 - right, 1 - share, n=1, largest=1)
    return np.stack([right, same, refused, wrong, cost, ecuas])


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

    right, same, refused, wrong, cost, ecuas : means over the questions, each with _low and _high
    wrong_among : share of wrong ones among the questions that are answered, NaN where none is, with its interval
    total : cost plus `price` for each sample; above : total less that of the cheapest size, paired, with its interval
    saved : what a further sample saved since the size before, in units of a wrong answer (NaN in the first row)
    least : answers that must agree for the vote to be answered
    """
    names = ["right", "same", "refused", "wrong", "cost", "ecuas"]
    values = np.concatenate([getattr(curve, name) for name in names], axis=1)
    drawn = bootstrap_means(values, n_resamples, rng)
    columns = {"size": curve.sizes} | _wrong_among(curve)
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
    right = curve.right[:, -1]
    if np.isin(right, (0, 1)).all():  # a share of whole questions, as everywhere in the report
        columns["right_low"][-1], columns["right_high"][-1] = exact_interval(right.sum(), right.size)
    return pd.DataFrame(columns | {"saved": np.concatenate([[np.nan], steps]), "least": curve.least})


def _wrong_among(curve):
    """{wrong_among, its _low and _high}: exact, with an answered share of a question as a part of a trial."""
    n_answered = (1 - curve.refused).sum(axis=0)
    n_wrong = np.minimum(curve.wrong.sum(axis=0), n_answered)
    some = (n_answered > 1e-9) & np.isfinite(n_wrong)
    value, low, high = (np.full(some.size, np.nan) for _ in range(3))
    value[some] = n_wrong[some] / n_answered[some]
    low[some], high[some] = exact_interval(n_wrong[some], n_answered[some])
    return {"wrong_among": value, "wrong_among_low": low, "wrong_among_high": high}


def cut_of(size, least, otherwise=""):
    """From how many equal answers on a vote is given: '3 of 3', 'always', 'never'; `otherwise` if they do not decide.

    >>> [cut_of(3, least, "by rank") for least in (0, 1, 2, 4)]
    ['by rank', 'always', '2 of 3', 'never']
    """
    if not least:
        return otherwise
    if least > size:
        return "never"
    return "always" if least == 1 else f"{least:.0f} of {size:.0f}"


def print_votes(sizes):
    """`price_votes` as texts; without right answers only how often a vote agrees with that of all."""
    lines = []
    for row in sizes.itertuples():
        line = {"samples": f"{row.size:,}", "same vote as all": whole_percent(row.same)}
        if np.isfinite(row.right):
            line |= {
                "vote is right": shares(row.right, row.right_low, row.right_high),
                "answer from": cut_of(row.size, row.least, "stated confidence"),
                "handed over": percent(row.refused),
                "wrong among answers": shares(row.wrong_among, row.wrong_among_low, row.wrong_among_high),
                "cost": hundred(row.cost, 2),
                "with samples": cost_with_span(row.total, row.total_low, row.total_high),
                "saved by one more": "–" if np.isnan(row.saved) else hundred(row.saved, 2),
            }
        lines.append(line)
    return pd.DataFrame(lines).set_index("samples")
