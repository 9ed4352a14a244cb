"""Smooth calibration curves: the observed rate as a function of the stated score."""

import numpy as np

from helpers.checks import check_count, check_labels, check_one_of, check_probabilities, check_same_length

LEAST_SPREAD = 1e-10  # variance of the scores in a window below which rounding would decide the slope


def running_curve(y, p, at=None, *, neighbors=None, degree=1):
    """Observed rate near each score, from the `neighbors` rows with the nearest scores; O(n log n).

    `degree=0` is the mean of these rows, `degree=1` the value at the score of the straight line through them, which
    does not flatten the ends of the curve. It may leave [0, 1] there. Rows that tie with the farthest neighbour join,
    so the order of rows never matters.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities.
    at : array_like, shape (m,), optional
        Scores to evaluate at, default `p`.
    neighbors : int, optional
        Rows in a window, at most n; default n ** (2/3), at least 30, so that windows shrink as rows come in.
    degree : {0, 1}, default 1
        Mean, or local line.

    Returns
    -------
    ndarray, shape (m,)
        Observed rates.

    References
    ----------
    Perez-Lebel et al. (2023), section 4.4 and proposition C.1, which leave the smoother open; local lines are
    Cleveland's (1979).

    Examples
    --------
    >>> running_curve([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.7], neighbors=2, degree=0)
    array([0., 0., 1., 1.])
    """
    y = check_labels(y)
    p = check_probabilities(p)
    at = p if at is None else check_probabilities(at, "at")
    check_same_length(y=y, p=p)
    check_one_of(degree, "degree", (0, 1))
    k = min(p.size, max(30, round(p.size ** (2 / 3)))) if neighbors is None else check_count(neighbors, "neighbors")
    if k > p.size:
        raise ValueError(f"neighbors must be at most the number of rows, {p.size:,}, but it is {k:,}.")
    order = np.argsort(p, kind="stable")
    scores = p[order]
    labels = y[order]
    points, place = np.unique(at, return_inverse=True)
    low, high = _windows(scores, points, k)
    count = high - low
    x = scores - 0.5
    sums = [np.concatenate([[0.0], np.cumsum(column)]) for column in (labels, x, x * x, x * labels)]
    rate, mean, square, product = ((total[high] - total[low]) / count for total in sums)
    if degree == 1:
        variance = square - mean**2
        slope = np.divide(product - mean * rate, variance, out=np.zeros(points.size), where=variance > LEAST_SPREAD)
        rate = rate + slope * (points - 0.5 - mean)
    return rate[place]


def _windows(scores, points, k):
    """First and one past the last of the k sorted scores nearest to each point, with the ties of the farthest."""
    n = scores.size
    low, high = np.zeros(points.size, dtype=np.int64), np.full(points.size, n - k, dtype=np.int64)
    while (
        low < high
    ).any():  # bisection: the window may stop moving right when the next score is farther than its first
        middle = (low + high) // 2
        stop = scores[np.minimum(middle + k, n - 1)] - points >= points - scores[middle]
        high = np.where(stop, middle, high)
        low = np.where(stop, low, middle + 1)
        low = np.minimum(low, high)
    return np.searchsorted(scores, scores[low], "left"), np.searchsorted(scores, scores[low + k - 1], "right")
