"""A calibration curve without a choice of bins: isotonic regression, with a band for the whole curve."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import betainc
from scipy.stats import norm
from sklearn.isotonic import IsotonicRegression

from helpers._result import Result
from helpers.binning import group_sums
from helpers.calibration.reliability import checked_scores, design_effect
from helpers.checks import check_level
from helpers.resampling import exact_interval

CELLS = 64  # of neighbouring scores, from which the runs behind the band are made
LEAST = 10  # rows of a cell
POINTS = 200  # at which a band is evaluated
DRAWS = 5_000  # of the largest deviation of all runs


@dataclass(frozen=True)
class MonotoneCurve(Result):
    """Rate of events as a non-decreasing function of the score (CORP), and a band that holds it everywhere at once.

    Parameters
    ----------
    stated : (m,) array
        Scores, increasing.
    observed : (m,) array
        Isotonic fit at these scores.
    low, high : (m,) array
        Ends of the band.
    level : float
        Probability with which a non-decreasing true curve lies inside everywhere.
    p_value : float
        Of "calibrated": below 1 - level exactly where the identity leaves the band somewhere.

    Examples
    --------
    See `monotone_curve`.
    """

    stated: np.ndarray = field(repr=False)
    observed: np.ndarray = field(repr=False)
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)
    level: float
    p_value: float

    def to_frame(self):
        """A row a score."""
        return pd.DataFrame({name: getattr(self, name) for name in ("stated", "observed", "low", "high")})

    def __str__(self):
        outside = f"{self.outside.sum():,} of {self.stated.size:,} scores outside the {100 * self.level:.0f} % band"
        return f"monotone curve: {outside}, p = {self.p_value:.3f}"

    @property
    def is_monotone(self):
        """Whether some non-decreasing curve fits: the ends of the band do not cross."""
        return bool((self.low <= self.high).all())

    @property
    def outside(self):
        """Where the identity leaves the band, (m,) bool."""
        return (self.stated < self.low) | (self.stated > self.high)


def monotone_curve(y, p, *, sample_weight=None, groups=None, level=0.95):
    """Isotonic regression of labels on scores, with a simultaneous confidence band.

    The mean label of neighbouring rows is an upper bound of the rate at the lowest of their scores and a lower bound
    at the highest, if the rate does not fall. So each run of neighbours gives one exact interval, and the band is the
    tightest of what all runs allow. Runs overlap: the error that each of them may make is found from the largest of
    their deviations, drawn from the normal law with the same overlaps. At 95 % that is 1.4 times as much as 1 - level
    divided by their number. The band needs neither bins nor smoothness.

    A true curve of one step at level 0.95 lay inside in 95 to 98 % of 400 draws, a flat one in 96 to 98 % (more with
    few rows, whose counts have few values), a calibrated one in 99.5 %: where the curve rises, the mean of a run lies
    strictly between the rates at its ends. That is the price of a band for every rising curve.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    sample_weight : array_like, shape (n,), optional
        Sampling weights; rows count as the number of equal weights that give the same variance.
    groups : array_like, shape (n,), optional
        Labels of people, hospitals, …; rows of one group count as fewer.
    level : float, default 0.95
        Of the whole band.

    Returns
    -------
    MonotoneCurve
        At 200 scores at most.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams, for the curve (CORP). Dimitriadis, Duembgen,
    Henzi, Puke and Ziegel (2023), Honest calibration assessment, for bands from intervals of runs; ours takes fewer
    runs, of one, two, four, … cells.

    Examples
    --------
    >>> monotone_curve([0, 1] * 50, np.repeat([0.2, 0.9], 50)).observed.round(2)
    array([0.5, 0.5])
    """
    check_level(level)
    return monotone_of_rows(*checked_scores(y, p, sample_weight, groups), level)


def monotone_of_rows(y, p, weight, groups, level):
    """`monotone_curve` of columns and a level that were checked."""
    weight = np.ones_like(p) if weight is None else weight
    fit = IsotonicRegression(out_of_bounds="clip").fit(p, y, weight)
    residual = weight * (y - fit.predict(p))
    inflation = 1.0 if groups is None else design_effect(groups, residual)
    first, last, low, high, p_value = _band(y, p, weight, inflation, 1 - level)
    places = np.unique(p)
    if places.size > POINTS:
        grid = np.linspace(p.min(), p.max(), POINTS - 2 * first.size)
        places = np.unique(np.concatenate([grid, first, last]))
    above = np.searchsorted(first, places)  # the first cell that begins there or later
    below = np.searchsorted(last, places, "right")  # how many cells end there or before
    return MonotoneCurve(
        stated=places,
        observed=fit.predict(places),
        low=np.append(0.0, low)[below],
        high=np.append(high, 1.0)[above],
        level=level,
        p_value=p_value,
    )


def _band(y, p, weight, inflation, alpha):
    """Cells of scores (first and last of each), the band at their ends, and the p-value of the identity."""
    order = np.argsort(p, kind="stable")
    score = p[order]
    n_cells = int(np.clip(score.size // LEAST, 1, CELLS))
    cuts = np.unique(np.searchsorted(score, score[np.arange(n_cells) * score.size // n_cells]))  # equals stay together
    cell = np.searchsorted(cuts, np.arange(score.size), "right") - 1
    _, *sums = group_sums(cell, weight[order], weight[order] ** 2, weight[order] * y[order])
    total, squares, hits = (np.append(0.0, np.cumsum(column)) for column in sums)
    first = score[cuts]
    last = score[np.append(cuts[1:], score.size) - 1]
    start, stop = _runs(cuts.size)
    rows = (total[stop] - total[start]) ** 2 / (squares[stop] - squares[start]) / inflation
    ones = np.clip((hits[stop] - hits[start]) / (total[stop] - total[start]), 0, 1) * rows
    largest = _largest_deviations(squares, start, stop)
    low, high = exact_interval(ones, rows, 1 - _error_of_each(alpha, start.size, largest))
    upper = np.ones(cuts.size)
    lower = np.zeros(cuts.size)
    np.minimum.at(upper, start, high)
    np.maximum.at(lower, stop - 1, low)
    with np.errstate(invalid="ignore"):
        too_high = np.where(ones < rows, betainc(rows - ones, ones + 1, 1 - first[start]), 1.0)
        too_low = np.where(ones > 0, betainc(ones, rows - ones + 1, last[stop - 1]), 1.0)
    return (
        first,
        last,
        np.maximum.accumulate(lower),
        np.minimum.accumulate(upper[::-1])[::-1],
        _error_of_all(2 * min(too_high.min(), too_low.min()), start.size, largest),
    )


def _largest_deviations(squares, start, stop):
    """Largest standardised sum of each run, of independent normal residuals: (DRAWS,), increasing."""
    # `squares` are the sums of squared weights before each cell, which determine how much runs have in common
    rng = np.random.default_rng(0)  # a fixed one: the band is a function of the rows
    path = np.zeros((DRAWS, squares.size))
    path[:, 1:] = np.cumsum(rng.standard_normal((DRAWS, squares.size - 1)) * np.sqrt(np.diff(squares)), axis=1)
    largest = np.zeros(DRAWS)
    for a, b, size in zip(start, stop, squares[stop] - squares[start], strict=True):
        np.maximum(largest, np.abs(path[:, b] - path[:, a]) / np.sqrt(size), out=largest)
    return np.sort(largest)


def _error_of_all(error, n_runs, largest):
    """P-value of the strongest run for all runs, from its own: by the draws, or Bonferroni's where that is less."""
    beyond = DRAWS - np.searchsorted(largest, norm.isf(error / 2), "left")
    return float(min(error * n_runs, (1 + beyond) / (1 + DRAWS), 1.0))


def _error_of_each(alpha, n_runs, largest):
    """The p-value of a run below which `_error_of_all` is below `alpha`."""
    most = int(np.ceil(alpha * (1 + DRAWS) - 1)) - 1  # draws that may lie beyond
    return max(alpha / n_runs, 2 * float(norm.sf(largest[DRAWS - 1 - most]))) if most >= 0 else alpha / n_runs


def _runs(n_cells):
    """First cell of each run and the cell after its last: 1, 2, 4, … cells, starting every quarter of that."""
    starts = []
    stops = []
    length = 1
    while length <= n_cells:
        start = np.arange(0, n_cells - length + 1, max(length // 4, 1))
        starts.append(start)
        stops.append(start + length)
        length *= 2
    return np.concatenate(starts), np.concatenate(stops)
