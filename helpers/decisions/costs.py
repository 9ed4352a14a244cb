"""What decisions about two classes cost, and from which probability on one decision is better than another.

A cost matrix has one row for each decision and one column for each truth: `cost[i, j]` is paid for decision i when the
truth is j. The two are easily swapped. `cost_matrix` builds one from named costs, and a labelled table is checked:
columns that name predictions, or rows that name the truth, are refused.
"""

import re
from fractions import Fraction

import numpy as np
import pandas as pd

from helpers.checks import check_classes, check_numbers, check_probabilities, check_same_length, check_vector

LAYOUT = "one row for each decision, and two columns: truth 0, truth 1"

_ROW_WORDS = ("predict", "decision", "decide", "action", "answer", "say")

_COLUMN_WORDS = ("truth", "true", "actual", "label", "outcome")


def cost_matrix(*, false_alarm, miss, hit=0.0, rejection=0.0):
    """The costs of a yes-or-no decision, by name, as a labelled table that nobody can read the wrong way.

    Parameters
    ----------
    false_alarm, miss : float
        Cost of predicting 1 when the truth is 0, and of predicting 0 when it is 1.
    hit, rejection : float, default 0
        Cost of predicting 1 when the truth is 1 (a treatment has its price), and of predicting 0 when it is 0.

    Returns
    -------
    DataFrame, shape (2, 2)
        Rows "predict 0", "predict 1", columns "truth 0", "truth 1", in the unit of the costs.

    Examples
    --------
    >>> cost_matrix(false_alarm=1, miss=5)
               truth 0  truth 1
    predict 0      0.0      5.0
    predict 1      1.0      0.0
    """
    named = {"rejection": rejection, "miss": miss, "false_alarm": false_alarm, "hit": hit}
    values = [check_vector([value], name, finite=True)[0] for name, value in named.items()]
    table = pd.DataFrame(np.reshape(values, (2, 2)), ["predict 0", "predict 1"], ["truth 0", "truth 1"])
    check_costs(table)
    return table


def check_costs(cost, name="cost"):
    """Float copy (D, 2) of the costs of D >= 2 decisions about two classes, taken once, where costs come in."""
    if isinstance(cost, pd.DataFrame):
        cost = _two_truths(cost, name)
    array = check_numbers(cost, name)
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] != 2:
        raise ValueError(f"{name} must have {LAYOUT}, but its shape is {array.shape}{_shape_advice(array.shape)}.")
    bad = ~np.isfinite(array)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise ValueError(f"{name} must be finite, but {name}[{i}, {j}] (decision {i}, truth {j}) is {array[i, j]}.")
    # of two decisions, one must not always be better
    slope = _slopes(array)
    if len(array) == 2 and slope[0] <= slope[1]:
        gap = float(slope[0] - slope[1])
        raise ValueError(
            f"{name} must make mistakes dearer than right answers, but {name}[1, 0] + {name}[0, 1] - {name}[0, 0] "
            f"- {name}[1, 1] is {gap:g}; its rows are the decisions 0 and 1, its columns the truths 0 and 1."
        )
    return array


def _shape_advice(shape):
    """What may have gone wrong, for the error about the shape."""
    if len(shape) == 2 and shape[0] == 2:
        return ": if its rows are the truths, pass its transpose"
    if len(shape) == 2 and shape[0] == shape[1] and shape[0] > 2:
        return f": this theory is for two classes, so set one of the {shape[0]} against the rest"
    return ""


def in_order(cost, name, layout):
    """A labelled table with numbered rows and columns in order; ValueError if the labels say it is transposed."""
    for axis, words, what in ((cost.index, _COLUMN_WORDS, "rows"), (cost.columns, _ROW_WORDS, "columns")):
        labels = [str(label).strip() for label in (*axis, axis.name)]
        swapped = [label for label in labels if label.lower().startswith(words)]
        if swapped:
            shown = ", ".join(map(repr, swapped))
            raise ValueError(
                f"{name} must have {layout}, but its {what} are called {shown}: pass its transpose, {name}.T."
            )
    for axis, labels in enumerate(cost.axes):
        numbers = _numbers(labels)
        if numbers != sorted(numbers):
            cost = cost.take(np.argsort(numbers), axis=axis)
    return cost


def _numbers(labels):
    """0, 1, …, in which labels end, each once; else those of the order in which they stand."""
    endings = [re.search(r"\d+$", str(label).strip()) for label in labels]
    numbers = [int(ending[0]) if ending else -1 for ending in endings]
    in_turn = list(range(len(labels)))
    return numbers if sorted(numbers) == in_turn else in_turn


def _two_truths(cost, name):
    """A labelled table of yes-or-no truths with truth 0 left of truth 1, and its decisions in order."""
    cost = in_order(cost, name, LAYOUT)
    columns = [str(label).strip() for label in cost.columns]
    if [label[-1:] for label in columns] != ["0", "1"]:
        raise ValueError(
            f"{name} must have {LAYOUT}; its columns must end in 0 and 1, but they are called "
            f"{', '.join(map(repr, columns)) or 'nothing'}{_shape_advice(cost.shape)}."
        )
    return cost


def decision_names(cost):
    """What the D decisions are called: the row labels of a table of costs, else "predict 0", "predict 1", …"""
    if isinstance(cost, pd.DataFrame):
        labels = _two_truths(cost, "cost").index
        return [str(label) if isinstance(label, str) else f"predict {label}" for label in labels]
    return [f"predict {d}" for d in range(len(check_costs(cost)))]


def _exact(value):
    """The number as people write it, as a fraction: thresholds of decimal costs come out as one would write them."""
    return Fraction(repr(float(value)))


def _slopes(cost):
    """What each decision's expected cost gains when q goes from 0 to 1, as fractions."""
    return [_exact(positive) - _exact(negative) for negative, positive in cost]


def steps(cost):
    """Decisions that are best for some q, by increasing q: their numbers, thresholds and gaps between neighbours."""
    # lower envelope of the lines q -> expected cost
    slope = _slopes(cost)
    foot = [_exact(zero) for zero, _ in cost]
    best = []
    thresholds = []
    for d in sorted(range(len(cost)), key=lambda d: (-slope[d], foot[d])):
        if best and slope[best[-1]] == slope[d]:
            continue  # parallel and not cheaper
        while best:
            start = (foot[d] - foot[best[-1]]) / (slope[best[-1]] - slope[d])
            if not thresholds or start > thresholds[-1]:
                break
            best.pop(), thresholds.pop()
        thresholds += [start] if best else []
        best.append(d)
    gaps = [slope[a] - slope[b] for a, b in zip(best, best[1:], strict=False)]
    return np.array(best), np.array([float(t) for t in thresholds]), np.array([float(gap) for gap in gaps])


def optimal_threshold(cost):
    """Probability from which predicting 1 is cheaper: t* = (cost[1, 0] - cost[0, 0]) / `cost_gap(cost)`.

    Elkan (2001); Melo et al. (2026), section 2.3. Plain: `helpers.papers.melo2026.section_2_3`.

    Parameters
    ----------
    cost : array_like or DataFrame, shape (2, 2)
        `cost[i, j]` of predicting i when the truth is j.

    Returns
    -------
    float
        At or below 0 predicting 1 is always best, above 1 predicting 0 is: the diagonal can do that.

    Examples
    --------
    >>> optimal_threshold(cost_matrix(false_alarm=1, miss=4)), optimal_threshold([[0, 3], [4, 2]])
    (0.2, 0.8)
    """
    cost = check_costs(cost)
    if len(cost) > 2:
        raise ValueError(
            f"cost must have two decisions here, but it has {len(cost)}: "
            "decision_thresholds gives the thresholds between them."
        )
    return float(steps(cost)[1][0])


def decision_thresholds(cost):
    """The decisions that are best for some probability, and the thresholds between them.

    Plain, of two decisions: `helpers.papers.melo2026.section_2_3`.

    Parameters
    ----------
    cost : array_like or DataFrame, shape (D, 2)
        `cost[d, j]` of decision d when the truth is j, D >= 2.

    Returns
    -------
    decision : ndarray of int, shape (k,)
        In the order in which they become best as q grows.
    threshold : ndarray, shape (k - 1,)
        Increasing; a decision is best from its threshold on. Those outside [0, 1] are never reached.

    Examples
    --------
    >>> decision, threshold = decision_thresholds([[0, 10], [1, 4], [5, 0], [6, 6]])  # wait, test, treat, worry
    >>> decision, threshold.round(3)
    (array([0, 1, 2]), array([0.143, 0.5  ]))
    """
    return steps(check_costs(cost))[:2]


def cost_gap(cost):
    """What lies between the best and the worst side: cost[1, 0] + cost[0, 1] - cost[0, 0] - cost[1, 1], above 0.

    The risk of a decision changes by at most this much when a probability changes by 1. For D decisions: the sum of the
    gaps at their thresholds. Melo et al. (2026), section 2.3. Plain: `helpers.papers.melo2026.section_2_3`.

    Parameters
    ----------
    cost : array_like or DataFrame, shape (D, 2)
        `cost[d, j]` of decision d when the truth is j.

    Returns
    -------
    float
        In the unit of the costs.

    Examples
    --------
    >>> cost_gap([[0, 1], [1, 0]]), cost_gap(cost_matrix(false_alarm=1, miss=5, hit=0.5))
    (2.0, 5.5)
    """
    return float(steps(check_costs(cost))[2].sum())


def best_decision(q, cost, t=None):
    """The cheapest decision for each probability; at a threshold, the one above it.

    Plain, where the first of equal ones is taken: `helpers.papers.ecuas2026.equation_3`.

    Parameters
    ----------
    q : array_like, shape (n,)
        Probabilities of class 1, or estimates c + r of them that may leave [0, 1].
    cost : array_like or DataFrame, shape (D, 2)
        `cost[d, j]` of decision d when the truth is j.
    t : float, optional
        Threshold to use instead of t* (two decisions only): in [0, 1], t* itself, or infinity for "never".

    Returns
    -------
    ndarray of int, shape (n,)
        Decisions 0 .. D-1.

    Examples
    --------
    >>> best_decision([0.1, 0.2, 0.9], cost_matrix(false_alarm=1, miss=4))
    array([0, 1, 1])
    """
    q = check_vector(q, "q", finite=True)
    cost = check_costs(cost)
    decision, thresholds, _ = steps(cost)
    return decision[np.searchsorted(thresholds if t is None else [check_threshold(t, cost)], q, side="right")]


def check_threshold(t, cost, name="t"):
    """`t` as a float; ValueError unless it lies in [0, 1], is t* or infinite, and the costs have two decisions."""
    cost = check_costs(cost)
    if len(cost) > 2:
        raise ValueError(f"{name} must be None for {len(cost)} decisions, which have more than one threshold.")
    if isinstance(t, bool) or not isinstance(t, int | float | np.integer | np.floating):
        raise ValueError(f"{name} must be a number, but it is {t!r}.")
    if not (0 <= t <= 1 or t == np.inf or t == optimal_threshold(cost)):
        raise ValueError(
            f"{name} must lie in [0, 1] (infinity: never predict 1), or be t* = {optimal_threshold(cost):g}, "
            f"but it is {t}."
        )
    return float(t)


def expected_cost(decision, q, cost):
    """Expected cost of each row's decision: (1 - q) cost[d, 0] + q cost[d, 1].

    Plain: `helpers.papers.melo2026.section_2_3_expected_cost`.

    Parameters
    ----------
    decision, q : array_like, shape (n,)
        Decisions 0 .. D-1, and probabilities of class 1 or the labels 0/1 themselves (what was paid).
    cost : array_like or DataFrame, shape (D, 2)
        `cost[d, j]` of decision d when the truth is j.

    Returns
    -------
    ndarray, shape (n,)
        In the unit of the costs; smaller is better.

    Examples
    --------
    >>> expected_cost([0, 1, 1], [0.5, 0.5, 0], cost_matrix(false_alarm=1, miss=4))
    array([2. , 0.5, 1. ])
    """
    cost = check_costs(cost)
    decision = check_classes(decision, len(cost), "decision")
    q = check_probabilities(q, "q")
    check_same_length(decision=decision, q=q)
    return (1 - q) * cost[decision, 0] + q * cost[decision, 1]
