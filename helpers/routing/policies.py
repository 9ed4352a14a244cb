"""Policies to compare with (one model, a lottery, hindsight), and what any policy achieves, with paired intervals."""

import numpy as np
import pandas as pd

from helpers.checks import (
    MOST_DRAWS,
    check_count,
    check_groups,
    check_level,
    check_numbers,
    check_rng,
    check_same_length,
    check_vector,
    nearest_name,
)
from helpers.resampling import resampled_means, with_ends
from helpers.routing.routed import (
    Routed,
    ask_one,
    check_correct,
    check_predictions,
    check_prices,
    check_truth,
    decision_losses,
    is_right,
    mean_price,
    price_table,
)


def single_model(prediction, cost, model):
    """Every row is answered by one model.

    Parameters
    ----------
    prediction, cost : array, shape (m, n), and (m,) or (m, n)
        Answers, classes or texts, and the price of asking each model, ascending.
    model : int
        Which one: 0 is the cheapest, -1 the dearest.

    Returns
    -------
    Routed
        Each row pays this model.

    Examples
    --------
    >>> single_model([[0, 0], [1, 1]], [1, 10], -1).paid
    array([10., 10.])
    """
    prediction = check_predictions(prediction)
    m, n = prediction.shape
    cost = check_prices(cost, prediction.shape)
    if isinstance(model, bool) or not isinstance(model, int | np.integer) or not -m <= model < m:
        raise ValueError(f"model must be a number from {-m} to {m - 1}, but it is {model!r}.")
    return ask_one(prediction, cost, np.full(n, model % m))


def best_single(prediction, cost, *, correct):
    """Every row is answered by the model with the best record; of equal ones by the cheapest.

    Parameters
    ----------
    prediction, cost : array, shape (m, n), and (m,) or (m, n)
        Answers, classes or texts, and the price of asking each model, ascending.
    correct : array of float, shape (m, k)
        1 where a model was right in the past, 0 where not; with the rows themselves it is hindsight.

    Returns
    -------
    Routed
        Each row pays the model with the best record.

    Examples
    --------
    >>> best_single([[0, 0], [1, 1]], [1, 10], correct=[[0, 0, 1], [1, 1, 0]]).model
    array([1, 1])
    """
    correct = check_correct(correct)
    prediction = check_predictions(prediction)
    check_same_length(prediction=prediction, correct=correct)
    cost = check_prices(cost, prediction.shape)
    best = correct.mean(axis=1).argmax()
    return ask_one(prediction, cost, np.full(prediction.shape[1], best))


def random_mix(prediction, cost, *, budget, correct=None, rng=None):
    """A lottery between two models that costs `budget` a row on average: what money alone buys.

    Parameters
    ----------
    prediction, cost : array, shape (m, n), and (m,) or (m, n)
        Answers, classes or texts, and the price of asking each model, ascending.
    budget : float
        Mean price of a row; at least that of the cheapest model. Beyond the dearest that is worth it, no more is
        spent.
    correct : array of float, shape (m, k), optional
        Record of the past: the two models are then those whose line of (cost, accuracy) is highest at the budget.
        Without it, they are the cheapest and the dearest.
    rng : int, Generator or None, default None
        Source of the lots.

    Returns
    -------
    Routed
        Each row pays the model that it drew.

    Examples
    --------
    >>> print(random_mix([[0] * 10_000, [1] * 10_000], [1, 11], budget=6, rng=0))
    10,000 rows, 5.99 paid a row; answered 50 % by model 0, 50 % by model 1
    """
    prediction = check_predictions(prediction)
    m, n = prediction.shape
    cost = check_prices(cost, prediction.shape)
    price = mean_price(cost)
    budget = float(check_numbers(budget, "budget"))
    if not (np.isfinite(budget) and budget >= price[0]):
        raise ValueError(
            f"budget must be at least the price of the cheapest model, {price[0]:g}, but it is {budget:g}."
        )
    ladder = np.unique([0, m - 1])
    if correct is not None:
        correct = check_correct(correct)
        check_same_length(prediction=prediction, correct=correct)
        ladder = _upper_hull(price, correct.mean(axis=1))
    step = int(np.searchsorted(price[ladder], budget, side="right")) - 1
    low, high = ladder[step], ladder[min(step + 1, ladder.size - 1)]
    share = (budget - price[low]) / (price[high] - price[low]) if price[high] > price[low] else 0.0
    drawn = check_rng(rng).random(n) < share
    return ask_one(prediction, cost, np.where(drawn, high, low))


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
    """Hindsight: the cheapest model that is right, or the cheapest of all where none is. No policy can do better.

    Parameters
    ----------
    prediction : array, shape (m, n)
        Answers, classes or texts.
    y : array, shape (n,)
        Right answers.
    cost : array of float, shape (m,) or (m, n)
        Price of asking each model, ascending.

    Returns
    -------
    Routed
        Each row pays the model that answers.

    Examples
    --------
    >>> oracle_route([[0, 0, 0], [1, 1, 0]], [0, 1, 1], [1, 10]).paid
    array([ 1., 10.,  1.])
    """
    prediction = check_predictions(prediction)
    cost = check_prices(cost, prediction.shape)
    y = check_truth(y, prediction.shape[1])
    price = price_table(cost, prediction.shape)
    right = is_right(prediction, y)
    cheapest_right = np.where(right, price, np.inf).argmin(axis=0)
    model = np.where(right.any(axis=0), cheapest_right, price.argmin(axis=0))
    return ask_one(prediction, cost, model)


def evaluate_policies(policies, y, *, cost=None, groups=None, n_resamples=1000, level=0.95, rng=None):
    """Accuracy, expected cost of the decisions and money of each policy, with intervals from the same resampled rows.

    Parameters
    ----------
    policies : dict of str to Routed
        What each policy did with the same n rows.
    y : array, shape (n,)
        Right answers.
    cost : array of float, shape (K, K), optional
        Cost[i, j] of answering i when the truth is j; by default 1 for each mistake.
    groups, n_resamples, level, rng : optional
        As in `helpers.resampling.bootstrap_interval`; whole groups of dependent rows are drawn together.

    Returns
    -------
    DataFrame
        One row for each policy: `accuracy` (large is good), `expected_cost` and `money` (means over rows; small is
        good), each with `_low` and `_high`.

    Examples
    --------
    >>> policies = {"small": single_model([[0, 0, 1, 1]], [1], 0)}
    >>> policies["oracle"] = oracle_route([[0, 0, 1, 1]], [0, 1, 1, 1], [1])
    >>> evaluate_policies(policies, [0, 1, 1, 1], rng=0)[["accuracy", "money"]].to_dict("list")
    {'accuracy': [0.75, 0.75], 'money': [1.0, 1.0]}
    """
    values, draws = _resampled(policies, y, cost, groups, n_resamples, level, rng)
    columns = {}
    for name in values:
        columns |= with_ends(name, values[name], draws[name], level)
    return pd.DataFrame(columns, index=pd.Index(policies, name="policy"))


def compare_policies(policies, y, *, against, cost=None, groups=None, n_resamples=1000, level=0.95, rng=None):
    """Each policy beside one of them, row by row: what it gains in accuracy, and what it costs in comparison.

    Parameters
    ----------
    policies, y : dict of str to Routed, and array, shape (n,)
        As in `evaluate_policies`.
    against : str
        Name of the policy that the others are compared with.
    cost, groups, n_resamples, level, rng : optional
        As in `evaluate_policies`.

    Returns
    -------
    DataFrame
        One row for each of the others: `accuracy_gain` (above 0 is good), `cost_change` (expected cost; below 0 is
        good), `money_ratio` (below 1 is good; NaN where both pay nothing), each with `_low` and `_high` from paired
        resampling.

    Examples
    --------
    >>> prediction = [[0, 0, 1, 1], [0, 1, 1, 1]]
    >>> policies = {"small": single_model(prediction, [1, 10], 0), "large": single_model(prediction, [1, 10], 1)}
    >>> compare_policies(policies, [0, 1, 1, 1], against="large", rng=0)[["accuracy_gain", "money_ratio"]]
            accuracy_gain  money_ratio
    policy
    small           -0.25          0.1
    """
    if against not in policies:
        near = nearest_name(against, list(policies), "policy")
        raise ValueError(f"against must be the name of a policy, but it is {against!r}; {near}")
    values, draws = _resampled(policies, y, cost, groups, n_resamples, level, rng)
    base = list(policies).index(against)
    others = [k for k in range(len(policies)) if k != base]

    def compared(name, by):
        estimate = by(values[name][others], values[name][base])
        return estimate, by(draws[name][:, others], draws[name][:, [base]])

    columns = with_ends("accuracy_gain", *compared("accuracy", np.subtract), level)
    columns |= with_ends("cost_change", *compared("expected_cost", np.subtract), level)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = compared("money", np.divide)
    columns |= with_ends("money_ratio", *ratio, level)
    return pd.DataFrame(columns, index=pd.Index([list(policies)[k] for k in others], name="policy"))


def _resampled(policies, y, cost, groups, n_resamples, level, rng):
    """{name: means (policies,)} and {name: means of resamples}, of accuracy, expected cost and money."""
    if not policies:
        raise ValueError("policies must hold at least one policy, but it is empty.")
    for name, routed in policies.items():
        if not isinstance(routed, Routed):
            raise ValueError(f"policies must hold Routed results, but {name!r} is a {type(routed).__name__}.")
        check_same_length(**{"y": y, f"policies[{name!r}]": routed.prediction})
    y = check_truth(y, np.size(y))
    groups = check_groups(groups)
    check_same_length(y=y, groups=groups)
    check_count(n_resamples, "n_resamples", least=20, most=MOST_DRAWS)
    check_level(level)
    prediction = check_predictions([routed.prediction for routed in policies.values()])
    rows = {
        "accuracy": is_right(prediction, y).astype(float),
        "expected_cost": decision_losses(prediction, y, cost),
        "money": np.array([check_vector(routed.paid, "paid", finite=True) for routed in policies.values()]),
    }
    draws = resampled_means(np.concatenate(list(rows.values())).T, n_resamples, groups=groups, rng=rng)
    means = {name: table.mean(axis=1) for name, table in rows.items()}
    return means, dict(zip(rows, np.split(draws, 3, axis=1), strict=True))


def pareto_front(cost, accuracy):
    """Which points are not beaten: no other is at most as dear and at least as accurate, and better in one of the two.

    Parameters
    ----------
    cost : array of float, shape (n,)
        What each point costs.
    accuracy : array of float, shape (n,)
        How good it is; equal points stand or fall together.

    Returns
    -------
    array of bool, shape (n,)
        True where a point is not beaten.

    Examples
    --------
    >>> pareto_front([1, 2, 3, 2], [0.7, 0.8, 0.75, 0.6])
    array([ True,  True, False, False])
    """
    cost = check_vector(cost, "cost", finite=True)
    accuracy = check_vector(accuracy, "accuracy", finite=True)
    check_same_length(cost=cost, accuracy=accuracy)
    order = np.lexsort((-accuracy, cost))
    highest = np.maximum.accumulate(accuracy[order])
    before = np.concatenate([[-np.inf], highest[:-1]])
    front = np.zeros(cost.size, bool)
    front[order] = accuracy[order] > before
    points = pd.DataFrame({"cost": cost, "accuracy": accuracy, "front": front})
    return points.groupby(["cost", "accuracy"])["front"].transform("any").to_numpy()
