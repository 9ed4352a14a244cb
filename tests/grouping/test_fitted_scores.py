"""What fitting a calibrator to the judged rows does to the law of the grouping loss, against labels drawn anew."""

import numpy as np
import pytest
from scipy.special import expit, ndtr

from helpers.calibration import PlattCalibrator
from helpers.grouping import grouping_loss, grouping_loss_from_regions
from helpers.grouping.crossfit import combine
from helpers.grouping.fitted_scores import LEAST_KEPT, FitEffect, effect_of_fit
from helpers.grouping.inversion import LossLaw
from helpers.grouping.region_statistics import squared_means
from helpers.partition.checked import Rows

N = 1000


def labels(c, person, rng, alike=0.3):
    """Labels of probability c, correlated by a normal factor of each person."""
    if person is None:
        return (rng.random(c.size) < c).astype(float)
    shared = rng.normal(size=person.max() + 1)[person]
    return (ndtr(np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=c.size)) < c).astype(float)


def judged(y, p, weight, person, halves, region):
    """Value, law and effect of the fit where Platt's calibrator has seen the rows of both halves."""
    c = PlattCalibrator().fit(p, y, weight).predict(p)
    rows = Rows.of_all(y, p, None, weight, person)
    parts = []
    for half in halves:
        w, g = (None if column is None else column[half] for column in (weight, person))
        parts.append(squared_means(y[half] - c[half], region[half], w, g))
    fit = effect_of_fit(rows, c, [(half, region[half]) for half in halves])
    return combine(parts, 0.0, fit=fit), LossLaw.of(parts), fit


KINDS = {
    "rare": (-4.0, False, False),
    "balanced": (0.0, False, False),
    "rare with weights": (-3.0, True, False),
    "rare people": (-3.2, False, True),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_right_scores_that_were_calibrated_on_the_same_rows(kind):
    """Mean and variance of the value as the effect says, and alarms in 3 to 6 %; without the effect, both are off."""
    level, weighted, clustered = KINDS[kind]
    rng = np.random.default_rng(len(kind))
    repeats = 300
    p = expit(level + 0.8 * rng.normal(size=N))
    weight = rng.uniform(0.4, 2, N) if weighted else None
    person = np.arange(N) // 4 if clustered else None
    first = np.arange(N) % 8 < 4
    region = rng.integers(0, 25, N)
    rows = []
    for _ in range(repeats):
        y = labels(p, person, rng)
        loss, law, fit = judged(y, p, weight, person, (first, ~first), region)
        rows.append((loss.value, fit.shift, law.null_variance, loss.null_se**2, loss.p_value, law.p_value(loss.value)))
    value, shift, known, left, p_value, without = np.array(rows).T
    error = value.std() / np.sqrt(repeats)
    assert abs(value.mean() - shift.mean()) < 4 * error
    assert shift.mean() < -0.05 * value.std()  # it is there to be found
    squares = (value - value.mean()) ** 2
    assert abs(squares.mean() - left.mean()) < 4 * (squares - left).std() / np.sqrt(repeats)
    assert LEAST_KEPT * known.mean() < left.mean() < known.mean()
    alarms = (p_value < 0.05).mean()
    assert 0.03 - 2 * np.sqrt(0.03 * 0.97 / repeats) < alarms < 0.06 + 2 * np.sqrt(0.06 * 0.94 / repeats)
    assert (without < 0.05).mean() <= alarms


@pytest.mark.slow
def test_rare_events_alarm_nearly_as_often_as_the_level_says():
    """The whole estimator, events in 2 % of the rows: it was 2.0 % of the draws before the fit was counted."""
    repeats = 120
    alarms = []
    for seed in range(repeats):
        rng = np.random.default_rng([31, seed])
        X = rng.normal(size=(N, 4))
        p = expit(-4.2 + 0.8 * X[:, 0])
        loss = grouping_loss(rng.random(N) < p, p, X, rng=seed)
        assert (loss.low > 0) == (loss.p_value < 0.025)
        alarms.append(loss.p_value < 0.05)
    low, high = (np.sqrt(level * (1 - level) / repeats) for level in (0.03, 0.06))
    assert 0.03 - 2 * low < np.mean(alarms) < 0.06 + 2 * high


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.0, -3.0])
def test_groups_of_which_some_are_more_alike(level):
    """One correlation for all groups would be too small where half of the regions hold groups that are far more alike:
    right scores would alarm in 9 to 12 % of the draws.
    """
    rng = np.random.default_rng(7)
    repeats = 250
    person = np.arange(2400) // 12
    region = rng.permutation(40)[person % 40]
    c = expit(level + 0.5 * rng.normal(size=2400))
    alike = np.where(region < 15, 0.8, 0.0)
    losses = [
        grouping_loss_from_regions(labels(c, person, rng, alike) - c, region, groups=person) for _ in range(repeats)
    ]
    alarms = np.mean([loss.p_value < 0.05 for loss in losses])
    assert 0.01 < alarms < 0.06 + 2 * np.sqrt(0.06 * 0.94 / repeats)
    value = np.array([loss.value for loss in losses])
    assert abs(value.mean()) < 4 * value.std() / np.sqrt(repeats)


def test_one_region_of_two_rows_by_hand():
    """Two rows of one score: their residuals are 1/2 and -1/2 whenever a fit exists, so that the product is -1/4."""
    rows = Rows.of_all(np.array([1.0, 0.0]), np.array([0.5, 0.5]), None, None, None)
    c = np.array([0.5, 0.5])
    fit = effect_of_fit(rows, c, [(slice(None), np.zeros(2, int))])
    assert fit.shift == pytest.approx(-0.125)  # of sums: half of it, since rows count as pairs with themselves
    assert fit.kept == LEAST_KEPT


def test_scale_of_weights_and_order_of_rows_do_not_matter():
    rng = np.random.default_rng(1)
    p = expit(rng.normal(size=200))
    y = labels(p, None, rng)
    weight = rng.uniform(0.5, 2, 200)
    person = np.arange(200) // 2
    region = rng.integers(0, 8, 200)
    c = PlattCalibrator().fit(p, y, weight).predict(p)
    everybody = [(slice(None), region)]
    plain = effect_of_fit(Rows.of_all(y, p, None, weight, person), c, everybody)
    scaled = effect_of_fit(Rows.of_all(y, p, None, 1e3 * weight, person), c, everybody)
    order = rng.permutation(200)
    moved = effect_of_fit(
        Rows.of_all(y[order], p[order], None, weight[order], person[order]), c[order], [(slice(None), region[order])]
    )
    for other in (scaled, moved):
        assert other.shift == pytest.approx(plain.shift) and other.kept == pytest.approx(plain.kept)


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
    part = squared_means(residual, np.arange(60) // 20)
    law = LossLaw.of([part], FitEffect(shift=shift))
    noise = np.sqrt(law.null_variance)
    assert law.shift == np.clip(shift, -0.5 * noise, 0.5 * noise)
    low, high = law.interval(-1e-9)
    assert low <= -1e-9 and high >= 0
