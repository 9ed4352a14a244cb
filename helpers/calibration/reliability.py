"""How far stated scores are from observed rates, never as a bare number.

A binned calibration error is an absolute value of noise plus signal: a perfect model never shows zero. So each error
comes with the value a perfectly calibrated model would show at this n and these bins, a debiased estimate, and an
interval.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binom

from helpers._result import Result
from helpers.binning import bins_between, cross_cells, edges_for, group_sums
from helpers.checks import (
    MOST_DRAWS,
    check_count,
    check_effective,
    check_groups,
    check_labels,
    check_one_of,
    check_probabilities,
    check_rng,
    check_same_length,
    check_weights,
    sampled_rows,
)
from helpers.profile.alerts import warn_of
from helpers.profile.copies import find_copies, merge_copies
from helpers.resampling import exact_interval

HALVINGS = 36  # of a range of standard errors, until ends of intervals have more digits than are shown


@dataclass(frozen=True)
class ReliabilityCurve(Result):
    """Observed rate against stated score, one entry a non-empty bin, in order of the score.

    Parameters
    ----------
    edges : ndarray, shape (B + 1,)
        Edges of all bins.
    count : ndarray of int, shape (b,)
        Rows.
    weight : ndarray, shape (b,)
        Shares of the total weight.
    stated, observed : ndarray, shape (b,)
        Weighted means of the scores and of the labels.
    low, high : ndarray, shape (b,)
        Exact 95 % interval of the observed rate (Clopper-Pearson at the effective number of rows).
    band_low, band_high : ndarray, shape (b,)
        Where 95 % of the observed rates of a perfectly calibrated model would lie.
    effective : ndarray, shape (b,)
        Effective number of rows, smaller than `count` with unequal weights or clustered rows.
    together : float, default 0
        Mean correlation, in [0, 1], of the noise in two bins, due to groups with rows in both.
    """

    edges: np.ndarray
    count: np.ndarray
    weight: np.ndarray
    stated: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    band_low: np.ndarray
    band_high: np.ndarray
    effective: np.ndarray
    together: float = 0.0

    def to_frame(self):
        """A row a bin that is not empty."""
        columns = "count weight stated observed low high band_low band_high effective".split()
        return pd.DataFrame({name: getattr(self, name) for name in columns})

    def __str__(self):
        outside = int(((self.observed < self.band_low) | (self.observed > self.band_high)).sum())
        return (
            f"{self.count.size} bins, {self.count.sum():,} rows; {outside} outside the 95 % band of a calibrated model"
        )


def reliability_curve(y, p, *, n_bins=15, strategy="uniform", sample_weight=None, groups=None):
    """Observed rate in bins of the stated score, with intervals and the band of a calibrated model.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    n_bins : int, default 15
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or of about equal count.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, …; rows of one group are not counted as independent.

    Returns
    -------
    ReliabilityCurve
        One entry a bin that is not empty.

    Examples
    --------
    >>> curve = reliability_curve([0, 1, 0, 1], [0.1, 0.1, 0.9, 0.9], n_bins=2)
    >>> curve.stated, curve.observed, curve.count
    (array([0.1, 0.9]), array([0.5, 0.5]), array([2, 2]))
    """
    y, p, weight, groups = checked_scores(y, p, sample_weight, groups)
    check_one_of(strategy, "strategy", ("uniform", "quantile"))
    return curve_of_rows(y, p, check_count(n_bins, "n_bins"), strategy, weight, groups)


def curve_of_rows(y, p, n_bins, strategy="uniform", weight=None, groups=None):
    """`reliability_curve` of columns and options that were checked."""
    edges = edges_for(p, n_bins, strategy)
    region = bins_between(p, edges)
    if weight is None:
        count, *stated = group_sums(region, p, y, size=edges.size - 1)
        sums = [count, count.astype(float), count.astype(float), *stated]
    else:
        sums = group_sums(region, weight, weight * weight, weight * p, weight * y, size=edges.size - 1)

    def clusters(gap):
        residual = y - p - gap[region]
        if weight is not None:
            residual = weight * residual
        cell, *places = cross_cells(region, groups)
        return cluster_effects(*places, np.bincount(cell, residual), np.dot(residual, residual))

    return curve_from_sums(edges, *sums, None if groups is None else clusters)


def cluster_effects(region, group, sums, own):
    """What dependent rows do: the factor (at least 1) by which variances grow, and the correlation of two bins."""
    # `sums`: of residuals in each (bin, group) cell; `own`: of squared residuals
    squares = np.bincount(region, sums**2)
    alone = squares.sum()
    if not own > 0:
        return 1.0, 0.0
    of_group = np.bincount(np.unique(group, return_inverse=True)[1], sums)
    most = np.sqrt(squares).sum() ** 2 - alone
    together = (of_group @ of_group - alone) / most if most > 1e-9 * alone else 0.0
    return max(1.0, float(alone / own)), float(np.clip(together, 0, 1))


def curve_from_sums(edges, count, total, squares, stated, observed, clusters=None):
    """`ReliabilityCurve` from the sums of each bin: rows, weight w, w squared, w * p and w * y."""
    kept = total > 0
    count, total, squares, stated, observed = (a[kept] for a in (count, total, squares, stated, observed))
    stated = stated / total
    observed = observed / total
    effective = total**2 / squares
    together = 0.0
    # `clusters` maps the gap of each bin (0 where it is empty) to `cluster_effects`
    if clusters is not None:
        gap = np.zeros(kept.size)
        gap[kept] = observed - stated
        inflation, together = clusters(gap)
        effective = effective / inflation
    low, high = exact_interval(observed * effective, effective)
    draws = np.maximum(np.round(effective), 1)
    band = (binom.ppf(level, draws, stated) / draws for level in (0.025, 0.975))
    return ReliabilityCurve(edges, count, total / total.sum(), stated, observed, low, high, *band, effective, together)


def binned_error(residual, bins, weight=None):
    """Sum over bins of |weighted sum of residuals y - p|, divided by the total weight: the plain binned error."""
    if weight is None:
        return float(np.abs(np.bincount(bins, residual)).sum() / len(residual))
    return float(np.abs(np.bincount(bins, weight * residual)).sum() / weight.sum())


def checked_scores(y, p, weight, groups, *, both=False):
    """Columns of one length without the rows of weight 0; labels of `both` classes if that is needed."""
    y = check_labels(y, both=both)
    p = check_probabilities(p)
    weight = check_weights(weight)
    groups = check_groups(groups)
    check_same_length(y=y, p=p, sample_weight=weight, groups=groups)
    check_effective(weight, groups)
    weight, groups, y, p = sampled_rows(weight, groups, y, p)
    return y, p, weight, groups


def design_effect(cell, residual):
    """Pooled factor (at least 1) by which clustering in (region, group) cells inflates the variance of region sums."""
    own = np.dot(residual, residual)
    return max(1.0, float((np.bincount(cell, residual) ** 2).sum() / own)) if own else 1.0


@dataclass(frozen=True)
class CalibrationError(Result):
    """Binned calibration error (mean absolute gap, in probability; 0 is best) beside what chance alone would show.

    Parameters
    ----------
    value : float
        The plain estimate, biased upwards.
    debiased : float
        Median-unbiased estimate.
    low, high : float
        95 % interval of the binned error.
    null : float
        Mean value of a perfectly calibrated model with these scores, this n and these bins.
    p_value : float
        Share of such models that show at least `value`.
    n, n_bins : int
        Rows, and bins that are not empty.
    curve : ReliabilityCurve
        The bins.
    """

    value: float
    debiased: float
    low: float
    high: float
    null: float
    p_value: float
    n: int
    n_bins: int
    curve: ReliabilityCurve

    def __str__(self):
        return (
            f"calibration error {self.value:.4f} (a perfect model shows {self.null:.4f}), "
            f"debiased {self.debiased:.4f} [{self.low:.4f}, {self.high:.4f}], n = {self.n:,} in {self.n_bins} bins"
        )


def calibration_error(
    y, p, *, n_bins=15, strategy="uniform", sample_weight=None, groups=None, n_simulations=1000, rng=None
):
    """Expected calibration error with its null value, a debiased estimate and an interval.

    value = sum_s w_s |g_s| with the gaps g_s = observed_s - stated_s. Its sampling distribution is simulated (normal
    noise with the binomial variance of each bin) for true gaps of size sqrt(g_s^2 - t se_s^2), or 0 where the root has
    no value: a large t leaves none and gives the null value, and t below 0 makes them larger. The
    t at which the observed value is the median gives `debiased`; those at which it is the 97.5 % and 2.5 % quantile
    give the interval. As t grows, gaps that may be noise go first, so that the interval holds whether all bins are off
    or few. It starts at 0 exactly when the value is no larger than a calibrated model may well show; a value below the
    median of such models is luck, and the interval then ends where it would end at that median.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    n_bins, strategy, sample_weight, groups : optional
        As in `reliability_curve`.
    n_simulations : int, default 1000
        Draws behind null value and interval, at least 100.
    rng : int, Generator or None, default None
        Source of these draws.

    Returns
    -------
    CalibrationError
        In units of probability; smaller is better.

    References
    ----------
    The binned error is Naeini et al. (2015); the inversion is ours.

    Examples
    --------
    >>> q = np.tile([0.2, 0.8], 500)
    >>> error = calibration_error(np.random.default_rng(0).random(1000) < q, q, rng=0)
    >>> error.low, error.p_value > 0.05
    (0.0, True)
    """
    check_count(n_simulations, "n_simulations", least=100, most=MOST_DRAWS)
    options = {"n_bins": n_bins, "strategy": strategy}
    curve = reliability_curve(y, p, sample_weight=sample_weight, groups=groups, **options)
    codes = None if groups is None else np.unique(np.asarray(groups).astype(str), return_inverse=True)[1]
    y, p = np.asarray(y, dtype=float), np.asarray(p, dtype=float)
    alert, copy = find_copies([], p, y, groups=codes)
    if alert is not None:
        warn_of([alert], stacklevel=3)
        rows, _, weight = merge_copies(copy, np.ones(y.size) if sample_weight is None else np.asarray(sample_weight))
        curve = reliability_curve(
            y[rows], p[rows], sample_weight=weight, groups=None if codes is None else codes[rows], **options
        )
    return error_of_curve(curve, n_simulations, rng)


def _simulation(curve, n_simulations, rng):
    """Errors that would be seen, (n_simulations,), as a function of the true rates of the bins."""
    noise = check_rng(rng).standard_normal((n_simulations, curve.count.size))
    own = np.sqrt(1 - curve.together)  # what two bins share is a part of the mean of all
    shared = np.sqrt(1 - curve.together + curve.count.size * curve.together)
    noise = own * noise + (shared - own) * noise.mean(axis=1, keepdims=True)
    # beyond a stated 0 or 1 no rate is seen; elsewhere, cut rates would vary less than those of few rows do
    least = np.where(curve.stated == 0, 0, -np.inf)
    most = np.where(curve.stated == 1, 1, np.inf)

    def simulated(rate):
        sd = np.sqrt(rate * (1 - rate) / curve.effective)
        return np.abs(np.clip(rate + sd * noise, least, most) - curve.stated) @ curve.weight

    return simulated


def _distance(curve, rate):
    """Mean distance of rates of the bins from the stated ones."""
    return float(curve.weight @ np.abs(rate - curve.stated))


def error_and_null(curve, n_simulations=1000, rng=None):
    """Only `value` and `null` of `error_of_curve`, from the same draws."""
    simulated = _simulation(curve, n_simulations, rng)
    return _distance(curve, curve.observed), float(simulated(curve.stated).mean())


def _family_of_rates(curve):
    """True rates of the bins as a function of u, and the u from which on no gap is left.

    The squared gaps are the observed ones less u |u| squared standard errors: what is noise goes first, and gaps that
    are clear stay nearly as they are. Below 0 the gaps grow.
    """
    gap = curve.observed - curve.stated
    direction = np.where(gap == 0, np.where(curve.stated > 0.5, -1, 1), np.sign(gap))
    rate = (curve.observed * curve.effective + 2) / (curve.effective + 4)  # no rate is known to be 0 or 1
    variance = rate * (1 - rate) / curve.effective

    def rates(u):
        squared = np.maximum(gap**2 - u * abs(u) * variance, 0)
        return np.clip(curve.stated + direction * np.sqrt(squared), 0, 1)

    return rates, float(1 / np.sqrt(variance.min()))


def error_of_curve(curve, n_simulations=1000, rng=None):
    """`CalibrationError` of a curve; see `calibration_error`."""
    value = _distance(curve, curve.observed)
    simulated = _simulation(curve, n_simulations, rng)
    rates, most = _family_of_rates(curve)

    def size_where(reaches):
        """Size of the gaps from which on what would be seen `reaches` something, by bisection."""
        above, below = -most, most
        if reaches(simulated(rates(below))):
            return 0.0
        for _ in range(HALVINGS):
            middle = (above + below) / 2
            if reaches(simulated(rates(middle))):
                above = middle
            else:
                below = middle
        return _distance(curve, rates(above))

    null = simulated(curve.stated)
    highest = max(value, float(np.median(null)))
    return CalibrationError(
        value,
        debiased=size_where(lambda seen: np.median(seen) >= value),
        low=size_where(lambda seen: np.quantile(seen, 0.975) >= value),
        high=size_where(lambda seen: np.quantile(seen, 0.025) > highest),
        null=float(null.mean()),
        p_value=float((null >= value).mean()),
        n=int(curve.count.sum()),
        n_bins=curve.count.size,
        curve=curve,
    )
