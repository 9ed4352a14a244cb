"""What an answer costs when its reader may refuse it: Chow's cost, and its mean over unknown rejection costs (ECUAS).

A system states an answer and a confidence. The reader refuses the answer where the uncertainty u = 1 - confidence is
above the cost gamma of a refusal. All costs are one value a row; smaller is better.

`helpers.decisions.class_costs` holds the decisions behind `general_ecuas`.
"""

import warnings

import numpy as np
import pandas as pd

from helpers.checks import (
    check_classes,
    check_count,
    check_labels,
    check_not_negative,
    check_numbers,
    check_probabilities,
    check_same_length,
    check_simplex,
    check_vector,
    check_weights,
)
from helpers.decisions import largest_uncertainty
from helpers.decisions.class_costs import TIE, cheapest, check_class_costs

SLACK = 1e-6  # rounding that is not worth a warning, the same as in check_simplex

ROUNDING = 2 * np.finfo(float).eps  # an uncertainty this far above the rejection cost equals it


def check_exponent(n, name="n"):
    """`n` as a float; ValueError unless it is one number of at least 0 (infinity is allowed)."""
    value = check_numbers(n, name)
    if value.ndim or not value >= 0:
        raise ValueError(f"{name} must be one number of at least 0 (infinity is the limit), but it is {n!r}.")
    return float(value)


def largest_of(n_classes):
    """u_M of the 0-1 cost, 1 - 1/K, and 1 for an unknown, large number of classes; ValueError for K below 2."""
    return 1.0 if n_classes is None else 1 - 1 / check_count(n_classes, "n_classes", least=2)


def check_answers(correct, confidence):
    """`correct` as 0/1 and `confidence` in [0, 1], floats of one length; ValueError otherwise."""
    correct = check_labels(correct, "correct")
    confidence = check_probabilities(confidence, "confidence")
    check_same_length(correct=correct, confidence=confidence)
    return correct, confidence


def ecuas(correct, confidence, *, n=1, n_classes=None):
    """Cost of each answer and its confidence, averaged over rejection costs: the family ECUAS_n.

    With u = 1 - confidence, u_M = 1 - 1/K and r = u / u_M:
    r**(n+1) + wrong * (n+1)/n * (1 - r**n) / u_M, and for n = 0: r - wrong * log(r) / u_M.
    It is the integral of `reject_cost_weight` times `chow_cost` over rejection costs from 0 to u_M. Estienne, Ernst et
    al. (2026), equations 9, 10 and 17; their "n to infinity is the 0-1 cost" holds up to the factor 1 / u_M.

    Plain: `helpers.papers.ecuas2026.equation_17`, `helpers.papers.ecuas2026.equation_8`, for infinite K
    `helpers.papers.ecuas2026.appendix_a_5`.

    Parameters
    ----------
    correct, confidence : array_like, shape (n_rows,)
        Whether each answer is right, 0/1, and the probability stated for that, in [0, 1]. A confidence below 1/K, which
        no largest of K probabilities is, costs 1 and is warned of.
    n : float, default 1
        At least 0. Small n punishes confident errors harder (n = 0: logarithmically; a wrong answer stated with
        confidence 1 costs infinity). n = inf is the limit: a wrong answer costs 1 / u_M, a right one nothing.
    n_classes : int, optional
        K >= 2; None where the answers are many or uncounted (generated text): K -> infinity.

    Returns
    -------
    ndarray, shape (n_rows,)
        Costs; 1 is what a refusal at any rejection cost pays, smaller is better.

    Examples
    --------
    >>> ecuas([1, 0, 1, 0], [0.6, 0.6, 0.9, 0.9], n=1, n_classes=2).round(2)
    array([0.64, 1.44, 0.04, 3.24])
    """
    return ecuas_of_answers(*check_answers(correct, confidence), check_exponent(n), largest_of(n_classes))


def ecuas_of_answers(correct, confidence, n, largest):
    """`ecuas` of columns and an exponent that were checked; `largest` is u_M, from `largest_of`."""
    low = 1 - confidence > largest + SLACK
    if low.any():
        n_classes = round(1 / (1 - largest))
        warnings.warn(
            f"confidence is below 1/{n_classes} in {low.sum():,} of {low.size:,} rows, which the largest of "
            f"{n_classes} probabilities cannot be; they cost 1, as at 1/{n_classes}.",
            UserWarning,
            stacklevel=3,
        )
    return closed_form(1 - correct, 1 - confidence, n, largest)


def ecuas_from_uncertainty(incurred, uncertainty, *, n=1, largest):
    """ECUAS_n of any cost: from the cost of the chosen decision and its stated expected cost.

    With r = min(uncertainty / largest, 1): r**(n+1) + incurred * (n+1)/n * (1 - r**n) / largest. Estienne, Ernst et al.
    (2026), equations 9 and 16.

    Plain: `helpers.papers.ecuas2026.equation_9`.

    Parameters
    ----------
    incurred, uncertainty : array_like, shape (n_rows,)
        Cost that the stated decision turned out to have, and the expected cost that the system stated for it, at least
        0. An uncertainty above `largest` costs 1 and is warned of.
    n : float, default 1
        Exponent, see `ecuas`.
    largest : float
        The largest expected cost u_M > 0 of a best decision, see `helpers.decisions.largest_uncertainty`.

    Returns
    -------
    ndarray, shape (n_rows,)
        Costs; smaller is better.

    Examples
    --------
    >>> ecuas_from_uncertainty([0, 5], [1.0, 1.0], n=1, largest=2).round(2)
    array([0.25, 2.75])
    """
    columns = {"incurred": check_vector(incurred, "incurred"), "uncertainty": check_vector(uncertainty, "uncertainty")}
    check_same_length(**columns)
    for name, column in columns.items():
        check_not_negative(column, name)
    n = check_exponent(n)
    top = check_numbers(largest, "largest")
    if top.ndim or not (top > 0 and np.isfinite(top)):
        raise ValueError(f"largest must be one finite number above 0, but it is {largest!r}.")
    above = columns["uncertainty"] > top * (1 + SLACK)
    if above.any():
        warnings.warn(
            f"uncertainty is above the largest possible value, {top:g}, in {above.sum():,} of {above.size:,} rows; "
            "they cost 1, as at that value.",
            UserWarning,
            stacklevel=2,
        )
    return closed_form(*columns.values(), n, float(top))


def closed_form(incurred, uncertainty, n, largest):
    """Equation 16 for costs and numbers that were checked."""
    # the ratio u / u_M neither overflows nor needs the scale alpha_n
    r = np.minimum(uncertainty / largest, 1)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        if n == 0:
            slope = -np.log(r)
        elif np.isinf(n):
            slope = (r < 1).astype(float)
        else:
            slope = -np.expm1(n * np.log(r)) / n * (n + 1)
        paid = np.multiply(incurred, slope, where=incurred > 0, out=np.zeros_like(r))  # 0 * inf is 0 here
        return r ** (n + 1) + paid / largest


def general_ecuas(y, proba, cost, *, n=1):
    """ECUAS_n of a classifier whose decisions have any costs: the Bayes decision is taken and its expected cost stated.

    ValueError for a cost under which some decision is always free: there is nothing to be uncertain about. Estienne,
    Ernst et al. (2026), equation 9.

    Plain: `helpers.papers.ecuas2026.equation_9`, `helpers.papers.ecuas2026.section_2_2_u_M`.

    Parameters
    ----------
    y, proba : array_like, shape (n_rows,) and (n_rows, K)
        Classes 0 .. K-1 and their stated probabilities.
    cost : array_like or DataFrame, shape (D, K)
        Costs >= 0 of D decisions, `cost[d, k]` of decision d when the truth is k.
    n : float, default 1
        Exponent, see `ecuas`.

    Returns
    -------
    ndarray, shape (n_rows,)
        A proper scoring rule for `proba`, smaller is better. With the 0-1 cost it is `ecuas`.

    Examples
    --------
    >>> general_ecuas([1, 0], [[0.4, 0.6], [0.4, 0.6]], [[0, 1], [1, 0]]).round(2)
    array([0.64, 1.44])
    """
    proba = check_simplex(proba)
    y = check_classes(y, proba.shape[1])
    cost = check_class_costs(cost, proba.shape[1])
    n = check_exponent(n)
    check_same_length(y=y, proba=proba)
    largest = largest_uncertainty(cost).value
    if not largest > TIE * cost.max():
        raise ValueError("cost must leave something to lose, but one decision is free whatever the truth is.")
    best = cheapest(proba, cost)
    return closed_form(cost[best.decision, y], best.uncertainty, n, largest)


def chow_cost(correct, confidence, reject_cost):
    """What each answer costs a reader who pays `reject_cost` for a refusal and refuses where u = 1 - confidence > it.

    wrong where u <= reject_cost, else reject_cost. Rounding does not refuse an answer: a confidence of 0.7 is accepted
    at 0.3, although 1 - 0.7 is above 0.3 in floating point. Chow (1957); Estienne, Ernst et al. (2026), equation 7.

    Plain: `helpers.papers.ecuas2026.equation_7`.

    Parameters
    ----------
    correct, confidence : array_like, shape (n_rows,)
        Whether each answer is right, 0/1, and the probability stated for that, in [0, 1].
    reject_cost : float
        Cost gamma >= 0 of a refusal, in units of the cost of a wrong answer.

    Returns
    -------
    ndarray, shape (n_rows,)
        Costs; smaller is better.

    Examples
    --------
    >>> chow_cost([1, 0, 1, 0], [0.6, 0.6, 0.7, 0.9], 0.3)
    array([0.3, 0.3, 0. , 1. ])
    """
    correct, confidence = check_answers(correct, confidence)
    gamma = check_numbers(reject_cost, "reject_cost")
    if gamma.ndim:
        raise ValueError(f"reject_cost must be one number, but its shape is {gamma.shape}: see expected_cost_at.")
    check_not_negative(gamma, "reject_cost")
    return np.where(1 - confidence <= gamma + ROUNDING, 1 - correct, gamma)


def expected_cost_at(correct, confidence, reject_costs, *, sample_weight=None):
    """Mean Chow cost at many rejection costs, with its two parts, from one sort.

    expected cost = selective risk * coverage + reject_cost * (1 - coverage). Estienne, Ernst et al. (2026), equation 2.

    Plain: `helpers.papers.ecuas2026.equation_2`.

    Parameters
    ----------
    correct, confidence : array_like, shape (n_rows,)
        Whether each answer is right, 0/1, and the probability stated for that, in [0, 1].
    reject_costs : array_like, shape (m,)
        Rejection costs >= 0.
    sample_weight : array_like, shape (n_rows,), optional
        Sampling weights.

    Returns
    -------
    DataFrame
        Of m rows: reject_cost, expected_cost (smaller is better), coverage (share of answers accepted), selective_risk
        (share of wrong ones among them; NaN where none is accepted).

    Examples
    --------
    >>> expected_cost_at([1, 0, 1, 0], [0.6, 0.6, 0.7, 0.9], [0.05, 0.3]).round(3)
       reject_cost  expected_cost  coverage  selective_risk
    0         0.05           0.05       0.0             NaN
    1         0.30           0.40       0.5             0.5
    """
    correct, confidence = check_answers(correct, confidence)
    gamma = check_vector(reject_costs, "reject_costs")
    weight = check_weights(sample_weight)
    check_not_negative(gamma, "reject_costs")
    check_same_length(correct=correct, sample_weight=weight)
    order = np.argsort(-confidence)
    confidence = confidence[order]
    wrong = 1 - correct[order]
    weight = np.ones_like(wrong) if weight is None else weight[order]
    accepted = np.searchsorted(1 - confidence, gamma + ROUNDING, side="right")
    total, lost = (np.concatenate([[0.0], np.cumsum(column)]) for column in (weight, weight * wrong))
    coverage = total[accepted] / total[-1]
    loss = lost[accepted] / total[-1]
    risk = np.divide(loss, coverage, where=coverage > 0, out=np.full_like(loss, np.nan))
    columns = {"reject_cost": gamma, "expected_cost": loss + gamma * (1 - coverage)}
    return pd.DataFrame(columns | {"coverage": coverage, "selective_risk": risk})


def reject_cost_weight(reject_cost, *, n=1, n_classes=None):
    """w_n: how much a rejection cost counts in ECUAS_n, alpha_n * gamma**(n-1) on [0, u_M], else 0.

    alpha_n = (n+1) / u_M**(n+1). The weights do not integrate to 1 (for n = 0 to infinity): they are scaled so that a
    system that states u_M everywhere costs 1. Estienne, Ernst et al. (2026), before equation 9.

    Plain: `helpers.papers.ecuas2026.equation_9_weight`.

    Parameters
    ----------
    reject_cost : array_like
        Rejection costs >= 0, of any shape.
    n : float, default 1
        Exponent, finite, at least 0.
    n_classes : int, optional
        Number of classes K, see `ecuas`.

    Returns
    -------
    ndarray
        Of the shape of `reject_cost`; infinite at 0 for n < 1.

    Examples
    --------
    >>> reject_cost_weight([0.1, 0.25, 0.6], n=2, n_classes=2)
    array([2.4, 6. , 0. ])
    """
    gamma = check_numbers(reject_cost, "reject_cost")
    n = check_exponent(n)
    largest = largest_of(n_classes)
    check_not_negative(gamma, "reject_cost")
    if np.isinf(n):
        raise ValueError("n must be finite here, but it is inf: its weight is a point mass at the largest uncertainty.")
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return np.where(gamma <= largest, (n + 1) / largest**2 * (gamma / largest) ** (n - 1), 0.0)
