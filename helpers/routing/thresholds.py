"""A threshold that keeps a promise: chosen on held-out rows, with a bound on how often the promise is broken."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import xlogy
from scipy.stats import binom, norm

from helpers.checks import check_groups, check_level, check_numbers, check_same_length
from helpers.routing.routed import Routed, check_thresholds, check_truth, decision_losses


@dataclass(frozen=True)
class CertifiedThreshold:
    """The cheapest threshold whose promise could be certified, or word that none could be.

    Parameters
    ----------
    threshold : float
        NaN if not `certified`.
    certified : bool
        Whether a threshold keeps the promise.
    target : float
        The promise: "expected cost at most `target`".
    level : float
        How often the promise holds, at least.
    n : int
        Held-out rows.
    n_units : int
        Independent ones: groups, or rows without groups.
    rows_needed : float
        About how many rows would certify the safest threshold if what was observed is the truth; infinite if that
        misses the target; NaN when certified.
    table : DataFrame
        Threshold, expected_cost, money, p_value, certified, in the order tried; p_value is NaN behind the first
        failure, which ends the search.

    Examples
    --------
    >>> table = pd.DataFrame({"expected_cost": [0.3], "certified": [False]})
    >>> print(CertifiedThreshold(np.nan, False, 0.2, 0.95, 100, 100, np.inf, table))
    cannot be certified at n = 100: expected cost at most 0.2 with 95% confidence; observed 0.3, which misses the target
    """

    threshold: float
    certified: bool
    target: float
    level: float
    n: int
    n_units: int
    rows_needed: float
    table: pd.DataFrame = field(repr=False)

    def __str__(self):
        promise = f"expected cost at most {self.target:.4g} with {self.level:.0%} confidence"
        if self.certified:
            money = self.table.loc[self.table["certified"], "money"].iloc[-1]
            return f"threshold {self.threshold:.4g}: {promise}; {money:.4g} paid a row, n = {self.n:,}"
        observed = self.table["expected_cost"].iloc[0]
        refusal = f"cannot be certified at n = {self.n:,}: {promise}; observed {observed:.4g}"
        if np.isinf(self.rows_needed):
            return f"{refusal}, which misses the target"
        return f"{refusal}; about {self.rows_needed:,.0f} rows would do"


def certified_threshold(policy, thresholds, y, *, target, cost=None, groups=None, level=0.95):
    """Find the cheapest threshold that meets a target on held-out rows, or say that none can be certified.

    The thresholds are tried in the given order, safest first. Each is tested at alpha = 1 - level; the first that
    fails ends the search, and the last that passed is returned. With probability `level` or more (over held-out
    rows) its true expected cost is at most `target`: with a fixed order only one test, the first true "misses the
    target", can go wrong. The test is the exact binomial one for two-valued costs without groups, else the better of
    Hoeffding's and Bentkus' bounds, which need only that costs are bounded.

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
    CertifiedThreshold
        The threshold, or how many rows would be needed.

    Raises
    ------
    ValueError
        For a target outside the range of the costs, a policy that returns something else, or bad columns.

    References
    ----------
    Fixed-sequence testing; bounds of Hoeffding (1963) and Bentkus (2004), as combined by Bates et al. (2021).

    Examples
    --------
    >>> prediction = np.array([[0] * 400, [1] * 400])
    >>> def coin(share):  # the second model is always right
    ...     model = (np.arange(400) >= 400 * share).astype(int)
    ...     return Routed(prediction[model, np.arange(400)], model, 1.0 + 9 * model)
    >>> print(certified_threshold(coin, [0, 0.05, 0.1, 0.2], np.ones(400, int), target=0.1))
    threshold 0.05: expected cost at most 0.1 with 95% confidence; 9.55 paid a row, n = 400
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
    exact = values.size == 2 and groups is None
    share = (target - low) / (high - low)
    lines = []
    passing = True
    for threshold in thresholds:
        routed = _routed(policy, threshold, y.size)
        loss = decision_losses(routed.prediction, y, cost)
        p_value = _p_value((loss - low) / (high - low), share, groups, exact) if passing else np.nan
        passing = passing and p_value <= 1 - level
        lines.append([threshold, loss.mean(), routed.paid.mean(), p_value, passing])
    table = pd.DataFrame(lines, columns=["threshold", "expected_cost", "money", "p_value", "certified"])
    passed = int(table["certified"].sum())
    n_units = y.size if groups is None else int(groups.max()) + 1
    return CertifiedThreshold(
        threshold=float(thresholds[passed - 1]) if passed else float("nan"),
        certified=passed > 0,
        target=target,
        level=level,
        n=y.size,
        n_units=n_units,
        rows_needed=float("nan") if passed else _rows_needed(table["expected_cost"][0], target, low, high, level),
        table=table,
    )


def _routed(policy, threshold, n):
    """What the policy does at a threshold; ValueError if that is no `Routed` of n rows."""
    routed = policy(threshold)
    if not isinstance(routed, Routed):
        raise ValueError(f"policy must return a Routed result, but policy({threshold:g}) is a {type(routed).__name__}.")
    check_same_length(y=np.empty(n), **{"the policy's prediction": routed.prediction})
    return routed


def _p_value(loss, share, groups, exact):
    """p-value of "the mean loss is above `share`", for losses in [0, 1]."""
    if exact:
        return float(binom.cdf(round(loss.sum()), loss.size, share))
    if groups is not None:  # the excess of a whole group, scaled back into [0, 1], has mean `share` at the border
        size = np.bincount(groups)
        loss = np.bincount(groups, loss - share) / size.max() + share
    n = loss.size
    mean = min(loss.mean(), share)
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = xlogy(mean, mean / share) + xlogy(1 - mean, (1 - mean) / (1 - share))
    hoeffding = np.exp(-n * divergence)
    bentkus = np.e * binom.cdf(np.ceil(round(n * loss.mean(), 9)), n, share)
    return float(min(hoeffding, bentkus, 1.0))


def _rows_needed(observed, target, low, high, level):
    """Rows at which a normal test passes in half of the samples, were the observed cost the true one."""
    if observed >= target:
        return float("inf")
    share = (target - low) / (high - low)
    z = norm.ppf(level) * np.sqrt(share * (1 - share)) * (high - low)
    return float(np.ceil((z / (target - observed)) ** 2))
