"""Policies to compare with (one model, a lottery, hindsight), and what any policy achieves, with paired intervals."""

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_groups, check_numbers, check_same_length, check_vector, nearest_name
from helpers.resampling import resampled_rows
from helpers.routing.routed import (
    Routed,
    check_correct,
    check_predictions,
    check_prices,
    check_truth,
    decision_losses,
    paid_for,
)


def always(prediction, cost, model):
    """Every row is answered by one `model`: 0 is the cheapest, -1 the dearest.

    >>> always([[0, 0], [1, 1]], [1, 10], -1).paid
    array([10., 10.])
    """
    prediction = check_predictions(prediction)
    m, n = prediction.shape
    cost = check_prices(cost, (m, n))
    if isinstance(model, bool) or not isinstance(model, int | np.integer) or not -m <= model < m:
        raise ValueError(f"model must be a number from {-m} to {m - 1}, but it is {model!r}.")
    return _answered(prediction, cost, np.full(n, model % m))


def _answered(prediction, cost, model):
    """Routed where each row asks just `model` (n,)."""
    n = model.size
    return Routed(prediction[model, np.arange(n)], model, np.array(paid_for(cost, model, n), dtype=float))


def best_single(prediction, cost, *, correct):
    """Every row is answered by the model with the best record; of equal ones by the cheapest.

    Parameters
    ----------
    prediction, cost : as in `cascade`
    correct : (m, k) 1 where a model was right in the past, 0 where not; with the rows themselves it is hindsight

    >>> best_single([[0, 0], [1, 1]], [1, 10], correct=[[0, 0, 1], [1, 1, 0]]).model
    array([1, 1])
    """
    correct = check_correct(correct)
    check_same_length(prediction=check_predictions(prediction), correct=correct)
    return always(prediction, cost, int(correct.mean(axis=1).argmax()))


def random_mix(prediction, cost, *, budget, correct=None, rng=None):
    """A lottery between two models that costs `budget` a row on average: what money alone buys.

    Parameters
    ----------
    prediction, cost : as in `cascade`
    budget : mean price of a row; at least that of the cheapest model. Beyond the dearest that is worth it, no more is
        spent
    correct : (m, k) record of the past: the two models are then those whose line of (cost, accuracy) is highest at
        the budget. None: the cheapest and the dearest
    rng : int, Generator or None

    Returns
    -------
    Routed

    Raises
    ------
    ValueError as in `cascade`, or for a budget below the cheapest model.

    >>> print(random_mix([[0] * 10_000, [1] * 10_000], [1, 11], budget=6, rng=0))
    10,000 rows, 5.99 paid a row; answered 50% by model 0, 50% by model 1
    """
    prediction = check_predictions(prediction)
    m, n = prediction.shape
    cost = check_prices(cost, (m, n))
    level = cost if cost.ndim == 1 else cost.mean(axis=1)
    budget = float(check_numbers(budget, "budget"))
    if not (np.isfinite(budget) and budget >= level[0]):
        raise ValueError(
            f"budget must be at least the price of the cheapest model, {level[0]:g}, but it is {budget:g}."
        )
    ladder = np.unique([0, m - 1])
    if correct is not None:
        correct = check_correct(correct)
        check_same_length(prediction=prediction, correct=correct)
        ladder = _upper_hull(level, correct.mean(axis=1))
    at = int(np.searchsorted(level[ladder], budget, side="right")) - 1
    low, high = ladder[at], ladder[min(at + 1, ladder.size - 1)]
    share = (budget - level[low]) / (level[high] - level[low]) if level[high] > level[low] else 0.0
    drawn = np.random.default_rng(rng).random(n) < share
    return _answered(prediction, cost, np.where(drawn, high, low))


def _upper_hull(cost, accuracy):
    """Models on the concave ladder from the cheapest one up to the most accurate one."""
    ladder = []
    for k in np.lexsort((-accuracy, cost)):
        if ladder and accuracy[k] <= accuracy[ladder[-1]]:
            continue
        while len(ladder) > 1:
            a, b = ladder[-2:]
            if (accuracy[b] - accuracy[a]) * (cost[k] - cost[b]) > (accuracy[k] - accuracy[b]) * (cost[b] - cost[a]):
                break
            ladder.pop()
        ladder.append(k)
    return np.array(ladder)


def oracle_route(prediction, y, cost):
    """Hindsight: the cheapest model that is right, or the cheapest of all where none is. Nobody can do better.

    >>> oracle_route([[0, 0, 0], [1, 1, 0]], [0, 1, 1], [1, 10]).paid
    array([ 1., 10.,  1.])
    """
    prediction = check_predictions(prediction)
    cost, y = check_prices(cost, prediction.shape), check_truth(y, prediction.shape[1])
    price = np.broadcast_to(cost[:, None] if cost.ndim == 1 else cost, prediction.shape)
    right = prediction == y
    model = np.where(right.any(axis=0), np.where(right, price, np.inf).argmin(axis=0), price.argmin(axis=0))
    return _answered(prediction, cost, model)


def evaluate_policies(policies, y, *, cost=None, groups=None, n_resamples=1000, confidence=0.95, rng=None):
    """Accuracy, expected cost of the decisions and money of each policy, with intervals from the same resampled rows.

    Parameters
    ----------
    policies : {name: Routed}, all for the same n rows
    y : (n,) right answers
    cost : (K, K) cost[i, j] of answering i when the truth is j; None: 1 for each mistake
    groups : (n,) people, documents, …; whole groups are resampled
    n_resamples, confidence, rng : of the bootstrap

    Returns
    -------
    DataFrame indexed by name: `accuracy` (large is good), `expected_cost` and `money` (means over rows; small is
    good), each with `_low` and `_high`

    Raises
    ------
    ValueError for policies of another number of rows, or a cost that does not fit.

    >>> policies = {"small": always([[0, 0, 1, 1]], [1], 0), "oracle": oracle_route([[0, 0, 1, 1]], [0, 1, 1, 1], [1])}
    >>> evaluate_policies(policies, [0, 1, 1, 1], rng=0)[["accuracy", "money"]].to_dict("list")
    {'accuracy': [0.75, 0.75], 'money': [1.0, 1.0]}
    """
    values, draws, tail = _resampled(policies, y, cost, groups, n_resamples, confidence, rng)
    table = {}
    for name, value, drawn in zip(("accuracy", "expected_cost", "money"), values, draws, strict=True):
        table |= _with_interval(name, value.mean(axis=1), drawn, tail)
    return pd.DataFrame(table, index=pd.Index(policies, name="policy"))


def compare_policies(policies, y, *, against, cost=None, groups=None, n_resamples=1000, confidence=0.95, rng=None):
    """Each policy beside one of them, row by row: what it gains in accuracy, and what it costs in comparison.

    Parameters
    ----------
    against : name of the policy that the others are compared with; the rest as in `evaluate_policies`

    Returns
    -------
    DataFrame indexed by the other names: `accuracy_gain` (above 0 is good), `cost_change` (expected cost; below 0 is
    good), `money_ratio` (below 1 is good; NaN where both pay nothing), each with `_low` and `_high` from paired
    resampling

    Raises
    ------
    ValueError as in `evaluate_policies`, or if `against` is not one of the policies.
    """
    if against not in policies:
        near = nearest_name(against, list(policies), "policy")
        raise ValueError(f"against must be the name of a policy, but it is {against!r}; {near}")
    values, draws, tail = _resampled(policies, y, cost, groups, n_resamples, confidence, rng)
    place = list(policies).index(against)
    others = [k for k in range(len(policies)) if k != place]
    table = {}
    for name, value, drawn in zip(("accuracy_gain", "cost_change", "money_ratio"), values, draws, strict=True):
        mean = value.mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == "money_ratio":
                found, spread = mean[others] / mean[place], drawn[:, others] / drawn[:, [place]]
            else:
                found, spread = mean[others] - mean[place], drawn[:, others] - drawn[:, [place]]
        table |= _with_interval(name, found, spread, tail)
    return pd.DataFrame(table, index=pd.Index([list(policies)[k] for k in others], name="policy"))


def _with_interval(name, value, draws, tail):
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _resampled(policies, y, cost, groups, n_resamples, confidence, rng):
    """Per-row values (3, policies, n), their resampled means as three (n_resamples, policies) tables, and the tail."""
    if not policies:
        raise ValueError("policies must hold at least one policy, but it is empty.")
    for name, routed in policies.items():
        if not isinstance(routed, Routed):
            raise ValueError(f"policies must hold Routed results, but {name!r} is a {type(routed).__name__}.")
        check_same_length(**{"y": y, f"policies[{name!r}]": routed.prediction})
    y = check_truth(y, np.size(y))
    groups = check_groups(groups)
    check_same_length(y=y, groups=groups)
    check_count(n_resamples, "n_resamples", least=20)
    if not 0 < float(check_numbers(confidence, "confidence")) < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1, but it is {confidence}.")
    prediction = check_predictions([routed.prediction for routed in policies.values()])
    values = np.array([
        prediction == y,
        decision_losses(prediction, y, cost),
        [check_vector(routed.paid, "paid", finite=True) for routed in policies.values()],
    ])  # fmt: skip
    flat = values.reshape(-1, y.size)
    draws = np.empty((n_resamples, len(flat)))
    for k, rows in enumerate(resampled_rows(y.size, n_resamples, groups=groups, rng=rng)):
        draws[k] = flat @ np.bincount(rows, minlength=y.size) / rows.size
    return values, np.split(draws, 3, axis=1), (1 - confidence) / 2


def pareto_front(cost, accuracy):
    """Which points are not beaten: no other is at most as dear and at least as accurate, and better in one of the two.

    Parameters
    ----------
    cost, accuracy : (n,) numbers; equal points stand or fall together

    Returns
    -------
    (n,) bool

    >>> pareto_front([1, 2, 3, 2], [0.7, 0.8, 0.75, 0.6])
    array([ True,  True, False, False])
    """
    cost, accuracy = check_vector(cost, "cost", finite=True), check_vector(accuracy, "accuracy", finite=True)
    check_same_length(cost=cost, accuracy=accuracy)
    order = np.lexsort((-accuracy, cost))
    highest = np.maximum.accumulate(accuracy[order])
    before = np.concatenate([[-np.inf], highest[:-1]])
    front = np.zeros(cost.size, bool)
    front[order] = accuracy[order] > before
    points = pd.DataFrame({"cost": cost, "accuracy": accuracy, "front": front})
    return points.groupby(["cost", "accuracy"])["front"].transform("any").to_numpy()
