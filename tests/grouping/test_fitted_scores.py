"""What fitting a calibrator to the judged rows does to the law of the grouping loss: all covariances, and alarms."""

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr

from helpers.calibration import PlattCalibrator
from helpers.grouping import grouping_loss
from helpers.grouping.fitted_scores import LEAST_RATIO, FitEffect, effect_of_fit
from helpers.grouping.inversion import LossLaw
from helpers.grouping.region_statistics import region_statistics
from helpers.grouping.result import combine
from helpers.partition.checked import Rows

N = 1000


def labels(c, person, rng, alike=0.3):
    """Labels of probability c, correlated by a normal factor of each person."""
    if person is None:
        return (rng.random(c.size) < c).astype(float)
    shared = rng.normal(size=person.max() + 1)[person]
    return (ndtr(np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=c.size)) < c).astype(float)


@pytest.mark.nightly
def test_rare_events_alarm_nearly_as_often_as_the_level_says():
    """The whole estimator with events in 2 % of the rows: without the effect of the fit the mean p-value is 0.58."""
    repeats = 80
    p_values = []
    for seed in range(repeats):
        rng = np.random.default_rng([31, seed])
        X = rng.normal(size=(N, 4))
        p = expit(-4.2 + 0.8 * X[:, 0])
        loss = grouping_loss(rng.random(N) < p, p, X, max_depth=1, rng=seed)
        assert (loss.low > 0) == (loss.p_value < 0.025)
        p_values.append(loss.p_value)
    assert abs(np.mean(p_values) - 0.5) < 2 * np.std(p_values) / np.sqrt(repeats)
    assert np.mean(np.array(p_values) < 0.05) < 0.06 + 2 * np.sqrt(0.06 * 0.94 / repeats)


@pytest.mark.nightly
@pytest.mark.parametrize(("level", "uneven"), [(0.0, True), (-3.0, True), (-3.0, False)])
def test_groups_whose_rows_are_alike(level, uneven):
    """Moments and alarms of right scores. One correlation for all groups would be too small where half of the regions
    hold groups that are far more alike: right scores would alarm in 9 to 12 % of the draws.
    """
    rng = np.random.default_rng(7)
    person = np.arange(2400) // (12 if uneven else 3)
    region = rng.permutation(40)[person % 40]
    c = expit(level + 0.5 * rng.normal(size=2400))
    alike = np.where(region < 15, 0.8, 0.0) if uneven else 0.3
    parts = [region_statistics(labels(c, person, rng, alike) - c, region, None, person) for _ in range(250)]
    alarms = np.mean([combine([part], 0.0).p_value < 0.05 for part in parts])
    assert (0.01 if uneven else 0.02) < alarms < 0.06 + 2 * np.sqrt(0.06 * 0.94 / 250)
    value = np.array([part.value for part in parts])
    assert abs(value.mean()) < 4 * value.std() / np.sqrt(250)
    for power, name in ((2, "null_variance"), (3, "null_third")) if not uneven else ():
        difference = value**power - [getattr(part, name) for part in parts]
        assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(250)


def test_one_region_of_two_rows_by_hand():
    """Two rows of one score: their residuals are 1/2 and -1/2 whenever a fit exists, so that the product is -1/4."""
    rows = Rows.of_all(np.array([1.0, 0.0]), np.array([0.5, 0.5]), None, None, None)
    c = np.array([0.5, 0.5])
    fit = effect_of_fit(rows, c, [(slice(None), np.zeros(2, int))])
    assert fit.shift == pytest.approx(-0.125)  # of sums: half of it, since rows count as pairs with themselves
    assert fit.variance_ratio == LEAST_RATIO


@pytest.mark.parametrize("grouped", [False, True])
def test_the_effect_by_the_whole_covariance_matrix(grouped):
    """Residuals are (1 - H)(y - c) to first order, so region sums have the covariance A'W(1 - H)D(1 - H)'WA."""
    rng = np.random.default_rng(2)
    n = 60
    p = expit(rng.normal(size=n))
    weight = rng.uniform(0.5, 2, n)
    person = np.arange(n) // 3 if grouped else None
    y = labels(p, person, rng)
    c = PlattCalibrator().fit(p, y, weight).predict(p)
    half, region = np.arange(n) % 2, np.where(weight.argsort().argsort() < 3, 3, rng.integers(0, 3, n))
    fit = effect_of_fit(
        Rows.of_all(y, p, None, 3 * weight, person), c, [(np.flatnonzero(half == k), region[half == k]) for k in (0, 1)]
    )
    W, D = np.diag(weight), np.diag(c * (1 - c))
    Z = np.column_stack([np.ones(n), logit(p)])
    inverse = np.linalg.inv(Z.T @ W @ D @ Z)
    rest = np.eye(n) - D @ Z @ inverse @ Z.T @ W
    A = np.eye(8)[4 * half + region]
    known, left = (A.T @ W @ middle @ W @ A for middle in (D, rest @ D @ rest.T))
    factor = 1 / (weight @ A) / np.repeat([weight[half == k].sum() for k in (0, 1)], 4)
    assert fit.variance_ratio == pytest.approx(
        (np.outer(factor, factor) * left**2).sum() / (factor**2 @ np.diag(known) ** 2)
    )
    inflation = 1.0
    if grouped:
        sums = np.array([(weight * (y - c))[person == g] @ Z[person == g] for g in range(20)])
        inflation = np.trace(sums @ inverse @ sums.T) / np.trace(inverse @ Z.T @ W @ D @ W @ Z)
    assert fit.shift == pytest.approx(inflation * factor @ np.diag(left - known) / 2) and 0.5 < fit.variance_ratio < 1


def test_an_interval_holds_its_estimate_also_where_the_fit_takes_nearly_all():
    """Two events and uneven weights: the shift was larger than the noise, and most estimates below 0 significant."""
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(60):
        p = rng.random(84)
        y = np.zeros(84)
        y[rng.choice(84, 2, replace=False)] = 1
        loss = grouping_loss(y, p, rng.normal(size=(84, 1)), sample_weight=np.exp(0.8 * rng.normal(size=84)), rng=0)
        assert loss.low <= loss.value <= loss.high
        assert loss.value > 0 or loss.p_value > 0.1
        below += loss.value < 0
    assert below > 20


@pytest.mark.parametrize("shift", [-1.0, -1e-3, 0.0, 1.0])
def test_a_shift_is_at_most_half_of_the_noise(shift):
    residual = np.random.default_rng(1).normal(size=60) / 8
    part = region_statistics(residual, np.arange(60) // 20)
    law = LossLaw.of([part], FitEffect(shift=shift))
    noise = np.sqrt(law.null_variance)
    assert law.shift == np.clip(shift, -0.5 * noise, 0.5 * noise)
    low, high = law.interval(-1e-9)
    assert low <= -1e-9 and high >= 0
