"""A threshold that keeps a promise: chosen on held-out rows, with a bound on how often the promise is broken."""

import numpy as np

from helpers.certificates import certify, mean_p_value
from helpers.checks import check_groups, check_level, check_numbers, check_same_length
from helpers.routing.routed import Routed, check_thresholds, check_truth, decision_losses

MAX_FACTOR = 10_000  # by which the rows are multiplied, at most: a target may lie just above what is observed


def certified_threshold(policy, thresholds, y, *, target, cost=None, groups=None, level=0.95):
    """Find the cheapest threshold that meets a target on held-out rows, or report that none can be certified.

    The thresholds are tried in the given order, safest first. Each is tested at alpha = 1 - level; the first that
    fails ends the search, and the last that passed is returned. With probability `level` or more (over held-out
    rows) its true expected cost is at most `target`: with a fixed order only one test, the first true "misses the
    target", can go wrong. The test is the exact binomial one for two-valued costs without groups, else the better of
    the bounds of Hoeffding (1963) and Bentkus (2004), which need only that costs are bounded (Bates et al., 2021).

    Parameters
    ----------
    policy : function
        Maps a threshold to the `Routed` of the held-out rows, for example
        `lambda tau: cascade(risk, prediction, price, tau=tau)`; risks must come from other rows.
    thresholds : array of float, shape (T,)
        Fixed before these rows were looked at, safest first: ascending tau, descending confidence or willingness.
    y : array, shape (n,)
        Right answers of the held-out rows.
    target : float
        Largest expected cost that is acceptable; without `cost` the largest share of mistakes.
    cost : array of float, shape (K, K), optional
        Cost[i, j] of answering i when the truth is j; by default 1 for each mistake.
    groups : array, shape (n,), optional
        Labels of rows that belong together; the largest group's size is taken as known beforehand.
    level : float, default 0.95
        How often the promise must hold, in (0, 1).

    Returns
    -------
    Certificate
        The threshold, or how many rows would be needed. Its loss is the expected cost, and its table has what was paid,
        `money`; behind the first failure no error is left to spend.

    Examples
    --------
    >>> prediction = np.array([[0] * 400, [1] * 400])
    >>> def coin(share):  # the second model is always right
    ...     model = (np.arange(400) >= 400 * share).astype(int)
    ...     return Routed(prediction[model, np.arange(400)], model, 1.0 + 9 * model)
    >>> print(certified_threshold(coin, [0, 0.05, 0.1, 0.2], np.ones(400, int), target=0.1))
    threshold 0.05: expected cost at most 0.1 with 95 % confidence; observed 0.05 in 400 of 400 rows
    """
    thresholds = check_thresholds(thresholds, "thresholds", least=-np.inf)
    y = check_truth(y, np.size(y))
    groups = check_groups(groups)
    check_same_length(y=y, groups=groups)
    level = check_level(level)
    values = np.array([0.0, 1.0]) if cost is None else np.unique(check_numbers(cost, "cost"))
    low, high = values[0], values[-1]
    target = float(check_numbers(target, "target"))
    if not low < target < high:
        raise ValueError(
            f"target must lie strictly between the smallest and the largest cost, {low:g} and {high:g}, "
            f"but it is {target:g}."
        )
    routed = [_routed(policy, threshold, y.size) for threshold in thresholds]
    losses = np.array([decision_losses(one.prediction, y, cost) for one in routed])
    test = _test_of_means(losses, target, low, high, groups, level, two_valued=values.size == 2)
    loss = losses.mean(axis=1)
    return certify(
        {"threshold": thresholds, "accepted": y.size, "loss": loss, "money": [one.paid.mean() for one in routed]},
        test,
        what="expected cost",
        target=target,
        level=level,
        n=y.size,
        attainable=bool(loss[0] < target),
        max_factor=MAX_FACTOR,
    )


def _test_of_means(losses, target, low, high, groups, level, *, two_valued):
    """The test of `certify`: p-values of "the mean loss is above the target" for losses (T, n) in [low, high]."""
    span = high - low
    share = (target - low) / span
    unit = np.arange(losses.shape[1]) if groups is None else groups
    size = np.bincount(unit).max()
    n_units = int(unit.max()) + 1
    # the excess of a whole group, scaled back into [0, 1], has mean `share` where the mean loss equals the target
    total = ((losses - low) / span - share).sum(axis=1) / size + share * n_units

    def test(times):
        n = np.rint(times * n_units)
        tried = total if times == 1 else total[:1]  # of more rows only the first, without which none passes
        p_value = mean_p_value(tried / n_units * n, n, share, exact=two_valued and groups is None)
        return p_value, (1 - level) * (np.arange(tried.size) == 0)

    return test


def _routed(policy, threshold, n):
    """What the policy does at a threshold; ValueError if that is no `Routed` of n rows."""
    routed = policy(threshold)
    if not isinstance(routed, Routed):
        raise ValueError(f"policy must return a Routed result, but policy({threshold:g}) is a {type(routed).__name__}.")
    check_same_length(y=np.empty(n), **{"the policy's prediction": routed.prediction})
    return routed
