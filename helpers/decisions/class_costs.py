"""The best decision when decisions have costs, what it is expected to cost, and how much that can be at most.

A cost matrix has one row for each decision and one column for each class: `cost[d, k]` is paid for decision d when the
truth is k, as in `helpers.decisions.costs`. (The ECUAS paper writes the truth first.)
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from helpers._result import Result
from helpers.checks import check_not_negative, check_numbers, check_simplex
from helpers.decisions.costs import in_order

LAYOUT = "one row for each decision and one column for each class"

TIE = 1e-12  # expected costs closer than this share of the largest cost are tied


@dataclass(frozen=True)
class BayesDecision(Result):
    """Cheapest decision of each row, and its expected cost, the uncertainty."""

    decision: np.ndarray = field(repr=False)  # (n,) of 0 .. D-1
    uncertainty: np.ndarray = field(repr=False)  # (n,) in the unit of the costs

    def __str__(self):
        return (
            f"{self.decision.size:,} decisions, mean expected cost {self.uncertainty.mean():.4f}, "
            f"largest {self.uncertainty.max():.4f}"
        )


@dataclass(frozen=True)
class LargestUncertainty(Result):
    """The largest expected cost that a best decision can have, and where it is reached."""

    value: float  # in the unit of the costs
    distribution: np.ndarray = field(repr=False)  # (K,) probabilities of the classes

    def __str__(self):
        shares = ", ".join(f"{share:.3g}" for share in self.distribution[:8])
        return f"largest uncertainty {self.value:.4f}, at [{shares}{', …' if self.distribution.size > 8 else ''}]"


def check_class_costs(cost, n_classes=None, name="cost"):
    """Float copy (D, K) of costs, decisions down, classes across; ValueError unless finite and >= 0."""
    if isinstance(cost, pd.DataFrame):
        # labels that end in 0, 1, … are put in order; those that say that the truths are down are refused
        cost = in_order(cost, name, LAYOUT)
    array = check_numbers(cost, name)
    if array.ndim != 2 or not array.shape[0] or array.shape[1] < 2:
        raise ValueError(f"{name} must have {LAYOUT}, at least two classes, but its shape is {array.shape}.")
    if n_classes is not None and array.shape[1] != n_classes:
        advice = f": pass its transpose, {name}.T" if len(array) == n_classes else ""
        raise ValueError(
            f"{name} must have {LAYOUT}, {n_classes} columns as proba has, but its shape is {array.shape}{advice}."
        )
    check_not_negative(array, name)
    return array


def bayes_decision(proba, cost):
    """The decision with the smallest expected cost under each row's probabilities, and that cost.

    Estienne, Ernst et al. (2026), equation 6.

    Plain: `helpers.papers.ecuas2026.equation_3`, `helpers.papers.ecuas2026.equation_6`.

    Parameters
    ----------
    proba : array_like, shape (n, K)
        Probabilities of the classes.
    cost : array_like or DataFrame, shape (D, K)
        Costs >= 0, `cost[d, k]` of decision d when the truth is k.

    Returns
    -------
    BayesDecision
        Arrays `decision` and `uncertainty`, its expected cost; of decisions that are tied (within 1e-12 of the largest
        cost) the lowest is taken.

    Examples
    --------
    >>> best = bayes_decision([[0.9, 0.1], [0.4, 0.6]], cost=[[0, 1], [1, 0], [0.3, 0.3]])
    >>> best.decision, best.uncertainty.round(3)
    (array([0, 2]), array([0.1, 0.3]))
    """
    proba = check_simplex(proba)
    return cheapest(proba, check_class_costs(cost, proba.shape[1]))


def cheapest(proba, cost):
    """`bayes_decision` for arrays that have been checked."""
    expected = proba @ cost.T
    least = expected.min(axis=1)
    return BayesDecision(np.argmax(expected <= least[:, None] + TIE * cost.max(), axis=1), least)


def largest_uncertainty(cost):
    """u_M: the largest expected cost that remains when the decision is the best one, over all distributions.

    max over q of min over d of sum_k q_k cost[d, k], the value of a matrix game, by linear programming. For the 0-1
    cost of K classes it is 1 - 1/K, at equal shares. Estienne, Ernst et al. (2026), after equation 8.

    Plain: `helpers.papers.ecuas2026.section_2_2_u_M`.

    Parameters
    ----------
    cost : array_like or DataFrame, shape (D, K)
        Costs >= 0, `cost[d, k]` of decision d when the truth is k.

    Returns
    -------
    LargestUncertainty
        The `value` and the `distribution` where it is reached.

    Examples
    --------
    >>> print(largest_uncertainty([[0, 5], [1, 0]]))
    largest uncertainty 0.8333, at [0.833, 0.167]
    """
    cost = check_class_costs(cost)
    n_decisions, n_classes = cost.shape
    if np.array_equal(cost, 1 - np.eye(n_classes)):
        return LargestUncertainty(1 - 1 / n_classes, np.full(n_classes, 1 / n_classes))
    scale = cost.max() or 1.0
    solved = linprog(
        np.r_[np.zeros(n_classes), -1.0],
        A_ub=np.column_stack([-cost / scale, np.ones(n_decisions)]),
        b_ub=np.zeros(n_decisions),
        A_eq=np.r_[np.ones(n_classes), 0.0][None],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    if solved.status != 0:
        raise ValueError(f"cost must lead to a game that can be solved, but the solver says: {solved.message}")
    worst = np.maximum(solved.x[:-1], 0)
    worst /= worst.sum()
    return LargestUncertainty(float((cost @ worst).min()), worst)
