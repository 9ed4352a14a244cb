"""Intervals: exact for a share, from resampled rows or whole groups of rows for any other statistic."""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.stats import beta, norm

from helpers._result import Result
from helpers.checks import (
    MOST_DRAWS,
    check_count,
    check_groups,
    check_level,
    check_numbers,
    check_one_of,
    check_rng,
    check_same_length,
    check_vector,
    raise_first,
)

__all__ = ["Interval", "bootstrap_interval", "exact_interval", "paired_difference"]


@dataclass(frozen=True)
class Interval(Result):
    """An estimate with its standard error and interval.

    Parameters
    ----------
    value, se, low, high : float
        Estimate, bootstrap standard error, and ends of the interval.
    level, n : float and int
        Coverage aimed at, and rows.
    draws : ndarray
        The resampled values.

    Examples
    --------
    >>> print(bootstrap_interval(np.mean, np.arange(100.0), n_resamples=20, method="normal", rng=0))
    49.5000 [44.6410, 54.3590], n = 100
    """

    value: float
    se: float
    low: float
    high: float
    level: float
    n: int
    draws: np.ndarray = field(repr=False)

    @property
    def p_value(self):
        """Two-sided p-value of "the true value is 0", at least 1 / (draws + 1)."""
        below = (self.draws <= 0).mean()
        above = (self.draws >= 0).mean()
        return float(min(1.0, max(2 * min(below, above), 1 / (self.draws.size + 1))))

    def __str__(self):
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}], n = {self.n:,}"


def exact_interval(successes, n, level=0.95):
    """Exact interval of a share (Clopper and Pearson, 1934), also for the fractional counts of weights and clusters.

    Parameters
    ----------
    successes, n : float or array_like
        Counts from 0 to `n`, and numbers of trials, whole or fractional.
    level : float, default 0.95
        Coverage, at least, of each interval, in (0, 1).

    Returns
    -------
    low, high : float or ndarray
        Ends of the intervals; NaN where there was no trial.

    Examples
    --------
    >>> [round(float(end), 3) for end in exact_interval(0, 30)]
    [0.0, 0.116]
    """
    check_level(level)
    n = check_numbers(n, "n")
    successes = check_numbers(successes, "successes")
    bad = ~((successes >= 0) & (successes <= n * (1 + 1e-9)))  # a sum of shares may end one digit above n
    if bad.any():
        raise_first("successes", "lie between 0 and n", successes, bad)
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(successes > 0, beta.ppf(tail, successes, n - successes + 1), 0.0)
        high = np.where(successes < n, beta.ppf(1 - tail, successes + 1, n - successes), 1.0)
    return np.where(n > 0, low, np.nan)[()], np.where(n > 0, high, np.nan)[()]


def mean_and_variance(values, weight, groups=None):
    """Weighted mean of rows, and the variance of that mean; `groups` are codes of rows whose deviations add up.

    >>> mean_and_variance(np.array([0.0, 1, 0, 1]), np.ones(4), np.array([0, 0, 1, 1]))
    (0.5, 0.0)
    """
    mean = float(np.average(values, weights=weight))
    sums = np.bincount(np.arange(len(values)) if groups is None else groups, weight * (values - mean))
    return mean, float(sums @ sums * sums.size / (sums.size - 1) / weight.sum() ** 2)


def percentile_ends(draws, level=0.95, **options):
    """Lower and upper ends of the percentile interval of draws along the first axis; options of `numpy.quantile`.

    >>> percentile_ends(np.arange(101) / 100, 0.9).round(2)
    array([0.05, 0.95])
    """
    tail = (1 - level) / 2
    return np.quantile(draws, [tail, 1 - tail], axis=0, **options)


def with_ends(name, values, draws, level=0.95):
    """{name: values, name_low: ..., name_high: ...}: (k,) estimates and the ends of the intervals of (draws, k).

    >>> with_ends("cost", [0.5], np.arange(101)[:, None] / 100, level=0.9)["cost_low"].round(2)
    array([0.05])
    """
    low, high = percentile_ends(draws, level)
    return {name: values, f"{name}_low": low, f"{name}_high": high}


def resampled_rows(n, n_resamples, *, groups=None, rng=None):
    """Row numbers of each bootstrap sample, one array at a time: (n,), or those of as many whole groups as there are.

    >>> [rows.size for rows in resampled_rows(5, 2, rng=0)]
    [5, 5]
    """
    rng = check_rng(rng)
    if groups is None:
        for _ in range(n_resamples):
            yield rng.integers(n, size=n)
        return
    codes = check_groups(groups)
    order = np.argsort(codes, kind="stable")
    size = np.bincount(codes)
    start = np.cumsum(size) - size
    for _ in range(n_resamples):
        drawn = rng.integers(size.size, size=size.size)
        times = size[drawn]
        end = np.cumsum(times)
        yield order[np.arange(end[-1]) + np.repeat(start[drawn] - end + times, times)]


def resampled_counts(n, n_resamples, *, groups=None, rng=None):
    """How often each of n rows occurs in each bootstrap sample: weights, so that tied rows stay one block."""
    for rows in resampled_rows(n, n_resamples, groups=groups, rng=rng):
        yield np.bincount(rows, minlength=n).astype(float)


def resampled_means(values, n_resamples, *, groups=None, rng=None):
    """(n_resamples, k) means of the columns of (n, k) values over each bootstrap sample of the rows."""
    samples = resampled_counts(len(values), n_resamples, groups=groups, rng=rng)
    return np.array([counts @ values / counts.sum() for counts in samples])


def bootstrap_interval(statistic, *columns, n_resamples=1000, level=0.95, method="percentile", groups=None, rng=None):
    """Bootstrap interval of a statistic of one or more columns (Efron and Tibshirani, 1993).

    ValueError for a statistic that is not finite on the data or on a bootstrap sample.

    Parameters
    ----------
    statistic : callable
        Function of the columns that returns a number.
    *columns : array_like
        Arrays of n rows each, resampled together.
    n_resamples : int, default 1000
        Bootstrap samples, at least 20.
    level : float, default 0.95
        Coverage aimed at, in (0, 1).
    method : {"percentile", "basic", "normal"}, default "percentile"
        Quantiles of the draws, these mirrored at the estimate, or estimate and standard error.
    groups : array_like, shape (n,), optional
        Clusters of dependent rows, which are drawn together.
    rng : int, Generator, optional
        Decides what is drawn.

    Returns
    -------
    Interval
        The estimate and its interval.

    Examples
    --------
    >>> interval = bootstrap_interval(np.mean, np.arange(100.0), rng=0)
    >>> interval.value, bool(interval.low < 49.5 < interval.high)
    (49.5, True)
    """
    if not columns:
        raise ValueError("columns must hold at least one array, but none was given.")
    columns = [np.asarray(column) for column in columns]
    for i, column in enumerate(columns):
        if column.ndim < 1 or len(column) < 2:
            raise ValueError(f"columns[{i}] must hold at least two rows, but its shape is {column.shape}.")
    groups = check_groups(groups)
    check_same_length(**{f"columns[{i}]": column for i, column in enumerate(columns)}, groups=groups)
    check_count(n_resamples, "n_resamples", least=20, most=MOST_DRAWS)
    check_one_of(method, "method", ("percentile", "basic", "normal"))
    level = check_level(level)
    n = len(columns[0])
    value = check_numbers(statistic(*columns), "statistic")
    if value.shape or not np.isfinite(value):
        raise ValueError(f"statistic must be one finite number on the data, but it is {value}.")
    value = float(value)
    samples = resampled_rows(n, n_resamples, groups=groups, rng=rng)
    draws = np.array([statistic(*(column[rows] for column in columns)) for rows in samples], dtype=float)
    bad = ~np.isfinite(draws)
    if bad.any():
        raise ValueError(
            f"statistic must be finite on every bootstrap sample, but it is {draws[np.argmax(bad)]} "
            f"in {bad.sum():,} of {draws.size:,}."
        )
    found = interval_of_draws(value, draws, n, level)
    if method == "basic":
        return replace(found, low=2 * value - found.high, high=2 * value - found.low)
    if method == "normal":
        reach = float(found.se * norm.ppf((1 + level) / 2))
        return replace(found, low=value - reach, high=value + reach)
    return found


def interval_of_draws(value, draws, n, level=0.95):
    """Percentile `Interval` of a value of n rows and its bootstrap draws, (n_resamples,).

    >>> round(interval_of_draws(0.5, np.arange(101) / 100, n=7, level=0.9).low, 2)
    0.05
    """
    low, high = percentile_ends(draws, level)
    return Interval(value, float(draws.std(ddof=1)), float(low), float(high), level, n, draws)


def paired_difference(a, b, *, n_resamples=1000, level=0.95, groups=None, rng=None):
    """Interval of mean(a - b) for two systems scored on the same rows.

    Parameters
    ----------
    a, b : array_like, shape (n,)
        Scores of the two systems.
    n_resamples, level, groups, rng : optional
        As in `bootstrap_interval`.

    Returns
    -------
    Interval
        Negative means that `a` is smaller.

    Examples
    --------
    >>> difference = paired_difference([0.1, 0.2, 0.3, 0.2], [0.3, 0.4, 0.5, 0.4], rng=0)
    >>> round(difference.value, 3), round(difference.high, 3)
    (-0.2, -0.2)
    """
    a = check_vector(a, "a")
    b = check_vector(b, "b")
    check_same_length(a=a, b=b)
    return bootstrap_interval(np.mean, a - b, n_resamples=n_resamples, level=level, groups=groups, rng=rng)
