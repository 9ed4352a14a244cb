"""A promise that holds with a stated probability: which thresholds keep it, tested on rows that did not choose them.

`selective.certified_precision` (answer from this confidence on) and `routing.certified_threshold` (accept this risk)
call it: both promise that a mean loss stays below a target, for thresholds tried in an order fixed before.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import betaincc, xlogy

from helpers._result import Result

__all__ = ["Certificate"]

STEPS = 25  # sample sizes that are tried for each factor e


@dataclass(frozen=True)
class Certificate(Result):
    """The last threshold at which a promise could be certified, or the finding that there is none.

    Parameters
    ----------
    what : str
        The mean loss that is promised to be small, such as "share wrong".
    target : float
        The promise: at most this mean loss among the accepted rows.
    level : float
        How often the promise holds, at least.
    n : int
        Rows that were tested.
    rows_needed : float
        About how many rows would certify a threshold, if what was observed is the truth; infinite if that misses the
        target, NaN when certified.
    table : DataFrame
        In the order tried: threshold, accepted (rows), loss (its mean over these), p_value (of "it misses the target"),
        error (at which that was tested), certified, and further columns of the function that was called.

    See Also
    --------
    helpers.selective.certified_precision, helpers.routing.certified_threshold

    Examples
    --------
    >>> table = pd.DataFrame({"threshold": [0.8], "accepted": [10], "loss": [0.3], "certified": [False]})
    >>> print(Certificate("share wrong", 0.2, 0.95, 40, np.inf, table))
    cannot be certified at n = 40: share wrong at most 0.2 with 95 % confidence; what was observed misses it
    """

    what: str
    target: float
    level: float
    n: int
    rows_needed: float
    table: pd.DataFrame = field(repr=False)

    @property
    def certified(self):
        """Whether any threshold keeps the promise."""
        return bool(self.table["certified"].any())

    @property
    def certified_row(self):
        """Line of the table for the threshold that may be used; None where there is none."""
        return self.table[self.table["certified"]].iloc[-1] if self.certified else None

    @property
    def threshold(self):
        """The threshold that may be used, NaN where there is none."""
        return float(self.certified_row["threshold"]) if self.certified else float("nan")

    @property
    def n_accepted(self):
        """Rows that the promise is about, 0 if not certified."""
        return int(self.certified_row["accepted"]) if self.certified else 0

    @property
    def n_right(self):
        """Rows without a loss among these, where a loss is 0 or 1."""
        return round(self.n_accepted * (1 - self.certified_row["loss"])) if self.certified else 0

    @property
    def coverage(self):
        """Share of the rows that the promise is about."""
        return self.n_accepted / self.n

    @property
    def precision(self):
        """Share without a loss that is promised, where a loss is 0 or 1."""
        return 1 - self.target

    def __str__(self):
        promise = f"{self.what} at most {self.target:.4g} with {100 * self.level:.0f} % confidence"
        if self.certified:
            seen = f"{self.certified_row['loss']:.4g} in {self.n_accepted:,} of {self.n:,} rows"
            return f"threshold {self.threshold:.6g}: {promise}; observed {seen}"
        refusal = f"cannot be certified at n = {self.n:,}: {promise}"
        if np.isinf(self.rows_needed):
            return f"{refusal}; what was observed misses it"
        return f"{refusal}; about {self.rows_needed:,.0f} rows would do"


def certify(seen, test, *, what, target, level, n, attainable, max_factor):
    """`Certificate` from {"threshold", "accepted", "loss", ...: (k,)} in the order tried.

    `test(times)` gives what `fallback` needs, (k,) p-values and parts of the error, were the same rows seen so many
    times. Where the target is not `attainable`, no number of rows would do.
    """
    p_value, part = test(1)
    error, passed = fallback(p_value, part)
    table = pd.DataFrame(seen | {"p_value": p_value, "error": error, "certified": passed})
    needed = float("nan") if passed.any() else rows_needed(test, n, max_factor) if attainable else float("inf")
    return Certificate(what, target, level, n, needed, table)


def fallback(p_value, part):
    """Error that may be spent on each test, and whether it passes: the fallback procedure of Wiens (2003).

    A test that passes hands its error on to the next one, where it is added to the `part` that starts there; one that
    fails loses it. With a single part, at the first test, this is testing in a fixed sequence.

    >>> fallback([0.01, 0.04, 0.01], [0.025, 0.025, 0])
    (array([0.025, 0.05 , 0.05 ]), array([ True,  True,  True]))
    """
    # derived in site/derivations/fallback.md
    error = np.zeros(len(p_value))
    passed = np.zeros(len(p_value), bool)
    handed = 0.0
    for k in range(error.size):
        error[k] = handed + part[k]
        passed[k] = error[k] > 0 and p_value[k] <= error[k]  # a p-value may be too small for a float
        handed = error[k] if passed[k] else 0.0
    return error, passed


def mean_p_value(total, n, target, *, exact):
    """p-value of "the mean loss is above `target`" from the sum of n independent losses in [0, 1].

    Exact for losses 0 and 1 (also of unequal chances: Hoeffding 1956), else the better of the bounds of Hoeffding
    (1963) and Bentkus (2004), as combined by Bates et al. (2021), which need only that losses are bounded.
    """
    total = np.asarray(total, dtype=float)
    if exact:
        return _at_most(np.rint(total), n, target)
    mean = np.minimum(total / n, target)
    divergence = xlogy(mean, mean / target) + xlogy(1 - mean, (1 - mean) / (1 - target))
    bentkus = np.e * _at_most(np.ceil(np.round(total, 9)), n, target)
    return np.minimum(np.minimum(np.exp(-n * divergence), bentkus), 1.0)


def _at_most(k, n, p):
    """Binomial probability of at most k of n, as of `scipy.stats.binom.cdf`, whose checks take ten times as long."""
    return np.where(k < n, betaincc(k + 1, np.maximum(n - k, 1), p), 1.0)


def rows_needed(test, n, max_factor):
    """Rows with which a test passes if the same is seen again and again, up to `max_factor` as many."""
    for times in np.geomspace(1, max_factor, round(STEPS * np.log(max_factor)) + 2)[1:]:
        if fallback(*test(times))[1].any():
            return float(np.rint(times * n))
    return float(max_factor * n)
