"""Accuracy and cost of cascades and routers for many thresholds and many pools of models, in one pass over the rows.

What a row does is a step function of the threshold, so each row is counted once for each model of a pool, at the
threshold where its step is, whatever the number of thresholds.
"""

import numpy as np
import pandas as pd

from helpers.checks import check_numbers, check_one_of, check_probabilities
from helpers.routing.routed import (
    check_model_table,
    check_predictions,
    check_prices,
    check_thresholds,
    check_truth,
    decision_losses,
    is_right,
    price_table,
)

CHUNK = 1 << 15  # rows at a time: small enough to stay in the processor's cache

LARGEST = np.finfo(float).max


def sweep_cascades(signal, prediction, cost, y, *, thresholds, pools=None, rule="risk", decision_cost=None):
    """Accuracy and cost of a cascade for many thresholds and many pools of models.

    A row stops at the first model where the running minimum of its risks is at most the threshold.
    Plain, of one row: `helpers.papers.melo2026.appendix_b_6`.

    Parameters
    ----------
    signal : array of float, shape (m, n)
        Risks as in `cascade`, or with `rule="confidence"` probabilities as in `confidence_cascade`.
    prediction, cost : array, shape (m, n), and (m,) or (m, n)
        Answers, classes or texts, and the price of asking each model, ascending.
    y : array, shape (n,)
        Right answers.
    thresholds : array of float, shape (T,)
        Values of tau, at least 0; of the confidence in [1/2, 1].
    pools : list of tuple of int, optional
        Ascending model numbers of each pool; by default one pool of all models.
    rule : {"risk", "confidence"}, default "risk"
        Which cascade.
    decision_cost : array of float, shape (K, K), optional
        Cost of answering i when the truth is j; by default mistakes are counted.

    Returns
    -------
    DataFrame
        One line for each pool and threshold: `pool` (its number), `threshold`, `accuracy` (large is good),
        `expected_cost` and `money` (means over rows; small is good).

    Examples
    --------
    >>> sweep_cascades([[0.0, 0.2], [0.5, 0.0]], [[0, 0], [1, 1]], [1, 10], [0, 1], thresholds=[0, 0.3])
       pool  threshold  accuracy  expected_cost  money
    0     0        0.0       1.0            0.0    6.0
    1     0        0.3       0.5            0.5    1.0
    """
    check_one_of(rule, "rule", ("risk", "confidence"))
    prediction, cost, right, loss, pools = _checked(prediction, cost, y, pools, decision_cost)
    if rule == "risk":
        doubt = check_model_table(signal, prediction.shape, "signal")
        thresholds = check_thresholds(thresholds, "thresholds", least=0)
        edges = thresholds
        side = "left"
    else:
        p = check_model_table(check_probabilities(signal, "signal", ndim=2), prediction.shape, "signal", most=1)
        thresholds = check_thresholds(thresholds, "thresholds", least=0.5, most=1)
        doubt = -np.maximum(p, 1 - p)
        edges = -thresholds
        side = "right"
    order = np.argsort(edges, kind="stable")
    code = np.searchsorted(edges[order], doubt, side=side)  # number of the first threshold at which a model may stop
    total = np.zeros((len(pools), 3, edges.size + 1))
    for rows, price in _chunks(cost, right):
        add = _cascade_steps(code[:, rows], doubt[:, rows], right[:, rows], loss[:, rows], price, edges.size, rule)
        for k, state in _along(pools, add):
            total[k] += _closed(state, edges.size)
    return _table(total, order, thresholds, right.shape[1])


def _cascade_steps(code, doubt, right, loss, price, size, rule):
    """Function (state of a pool, model j) that returns the state of the pool with j appended."""
    # state: (where rows stop so far, lowest doubt, [right, loss, money] of rows that never stop, steps so far)

    def add(state, j):
        values = [right[j], loss[j], price[j]]
        if state is None:
            before = np.full(code.shape[1], size)
            best = doubt[j]
            end = values
            steps = np.zeros((3, size + 1))
        else:
            before, best, end, steps = state
            values[2] = end[2] + price[j]
            lower = doubt[j] < best if rule == "risk" else np.ones(best.size, bool)
            end = [np.where(lower, right[j], end[0]), np.where(lower, loss[j], end[1]), values[2]]
            best = np.where(lower, doubt[j], best)
        running = np.minimum(code[j], before)
        return running, best, end, steps + _steps(running, before, values, size)

    return add


def _closed(state, size):
    """Steps of a whole pool: rows that never stop get what is left at its end."""
    running, _, end, steps = state
    return steps + _steps(np.zeros_like(running), running, end, size)


def _steps(first, behind, values, size):
    """Steps of the sums of `values` over the rows that count from threshold `first` to before `behind`, (3, size + 1).

    Rows that count nowhere are left out: when a long pool grows by a model, most have stopped before it.
    """
    rows = np.flatnonzero(first < behind)
    ends = first[rows], behind[rows]
    sums = [[np.bincount(at, column[rows], size + 1) for column in values] for at in ends]
    return np.subtract(*sums)


def sweep_routers(accuracy, prediction, cost, y, *, willingness, pools=None, decision_cost=None):
    """Accuracy and cost of the predictive router for many values of `willingness` and many pools of models.

    A more expensive model beats a cheaper one from some willingness on. A model of a pool is chosen between the last
    start against a cheaper model and the first end against a more expensive one, so comparing pairs is enough.
    Plain, of one row: `helpers.papers.melo2026.section_4_3_router`.

    Parameters
    ----------
    accuracy : array of float, shape (m, n)
        Predicted probability that each model is right, as in `route`.
    prediction, cost, y : arrays
        As in `sweep_cascades`; prices that differ from row to row must be in order in each row.
    willingness : array of float, shape (T,)
        What a right answer is worth, at least 0, in the unit of `cost`.
    pools, decision_cost : optional
        As in `sweep_cascades`.

    Returns
    -------
    DataFrame
        As of `sweep_cascades`, with the willingness as `threshold`.

    Examples
    --------
    >>> sweep_routers([[0.9, 0.5], [0.95, 0.9]], [[0, 0], [1, 1]], [1, 10], [0, 1], willingness=[0, 100])
       pool  threshold  accuracy  expected_cost  money
    0     0        0.0       0.5            0.5    1.0
    1     0      100.0       1.0            0.0    5.5
    """
    prediction, cost, right, loss, pools = _checked(prediction, cost, y, pools, decision_cost)
    accuracy = check_model_table(accuracy, prediction.shape, "accuracy", most=1)
    falls = np.diff(cost, axis=0) < 0
    if cost.ndim == 2 and falls.any():
        row = int(np.argmax(falls.any(axis=0)))
        raise ValueError(f"cost must not fall from one model to the next in any row, but it does in row {row}.")
    willingness = check_thresholds(willingness, "willingness", least=0, most=LARGEST)
    order = np.argsort(willingness, kind="stable")
    m = len(cost)
    size = willingness.size
    total = np.zeros((len(pools), 3, size + 1))
    for rows, price in _chunks(cost, right):
        wins = _first_wins(willingness[order], accuracy[:, rows], price)
        for k, pool in enumerate(pools):
            for j in pool:
                start = np.max([wins[-1], *(wins[i, j] for i in pool if i < j)], axis=0)
                end = np.min([wins[m], *(wins[j, i] for i in pool if i > j)], axis=0)
                total[k] += _steps(start, end, [right[j, rows], loss[j, rows], price[j]], size)
    return _table(total, order, willingness, right.shape[1])


def _first_wins(willingness, accuracy, price):
    """{(i, j): at how many willingnesses model j > i is not worth more than model i}; -1: at none, m: at all."""
    m, n = accuracy.shape
    wins = {(i, j): np.zeros(n, np.int32) for j in range(m) for i in range(j)}
    for value in willingness:
        worth = value * accuracy - price
        for i, j in wins:
            wins[i, j] += worth[j] <= worth[i]
    return wins | {-1: np.zeros(n, np.int32), m: np.full(n, len(willingness), np.int32)}


def _checked(prediction, cost, y, pools, decision_cost):
    """Answers, prices, right answers and losses (models, rows), pools: what both sweeps need, checked."""
    prediction = check_predictions(prediction)
    m, n = prediction.shape
    cost = check_prices(cost, (m, n))
    y = check_truth(y, n)
    pools = _check_pools(pools, m)
    right = is_right(prediction, y).astype(float)
    loss = decision_losses(prediction, y, decision_cost)
    return prediction, cost, right, loss, pools


def _check_pools(pools, m):
    """List of tuples of ascending model numbers below `m`; None becomes the pool of all."""
    pools = [tuple(range(m))] if pools is None else [tuple(pool) for pool in pools]
    if not pools:
        raise ValueError("pools must hold at least one pool, but it is empty.")
    for k, pool in enumerate(pools):
        numbers = check_numbers(pool, f"pools[{k}]")
        known = numbers.size and (numbers == np.floor(numbers)).all() and numbers.min() >= 0 and numbers.max() < m
        if not known or (np.diff(numbers) <= 0).any():
            raise ValueError(
                f"pools[{k}] must hold ascending model numbers from 0 to {m - 1}, each once, but it is {pool}."
            )
    return [tuple(int(j) for j in pool) for pool in pools]


def _chunks(cost, right):
    """Slices of the rows, each with its prices (m, rows)."""
    price = price_table(cost, right.shape)
    for start in range(0, right.shape[1], CHUNK):
        rows = slice(start, start + CHUNK)
        yield rows, price[:, rows]


def _along(pools, add):
    """(number of the pool, its state) for each pool; what pools have in common at their start is computed once."""
    trail = []
    for k in sorted(range(len(pools)), key=lambda k: pools[k]):
        shared = 0
        while shared < min(len(trail), len(pools[k])) and trail[shared][0] == pools[k][shared]:
            shared += 1
        del trail[shared:]
        for j in pools[k][shared:]:
            trail.append((j, add(trail[-1][1] if trail else None, j)))
        yield k, trail[-1][1]


def _table(steps, order, thresholds, n):
    """Tidy table of steps (pools, 3, T + 1) of right answers, losses and money, in ascending order of threshold."""
    means = np.empty((len(steps), 3, thresholds.size))
    means[:, :, order] = np.cumsum(steps, axis=2)[:, :, :-1] / n
    columns = dict(zip(("accuracy", "expected_cost", "money"), means.transpose(1, 0, 2).reshape(3, -1), strict=True))
    pool = np.repeat(np.arange(len(steps)), thresholds.size)
    return pd.DataFrame({"pool": pool, "threshold": np.tile(thresholds, len(steps))} | columns)
