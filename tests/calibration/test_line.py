"""Calibration with two parameters: truth, level, and intervals that agree with the test."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from helpers.calibration import calibration_line
from helpers.calibration.calibrators import clipped_logit


def test_intercept_and_slope_with_their_covariance_are_those_of_a_logistic_regression():
    rng = np.random.default_rng(0)
    z = rng.normal(-1, 1.5, 800)
    y = rng.random(800) < expit(0.5 + 0.7 * z)
    line = calibration_line(y, expit(z))
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(z[:, None], y)
    assert (line.intercept, line.slope) == pytest.approx((model.intercept_[0], model.coef_[0, 0]), abs=1e-4)
    x = np.column_stack([np.ones(800), z])
    c = expit(x @ [line.intercept, line.slope])
    information = (x * (c * (1 - c))[:, None]).T @ x
    assert line.covariance == pytest.approx(np.linalg.inv(information), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "weighted", "groups", "rare"])
def test_calibrated_scores_are_rejected_as_often_as_stated_and_intervals_agree(kind):
    rng = np.random.default_rng(1)
    n_draws = 200
    p_values = []
    for _ in range(n_draws):
        q = expit(rng.normal(-3.0 if kind == "rare" else 0.0, 1, 400))
        person = np.arange(400) // 4
        y = rng.random(400) < q
        if kind == "groups":  # rows of a person share their luck, and each is right with probability q
            y = np.where(rng.random(400) < 0.7, rng.random(100)[person], rng.random(400)) < q
        weight = rng.lognormal(0, 0.8, 400) if kind == "weighted" else None
        line = calibration_line(y, q, sample_weight=weight, groups=person if kind == "groups" else None)
        p_values.append(line.p_value)
        low, high = line.distance_interval(0.9)
        assert (low > 0) == (line.p_value < 0.1) and low <= line.distance <= high
    alarms = np.mean(np.array(p_values) < 0.1)
    assert abs(alarms - 0.1) < 4 * np.sqrt(0.09 / n_draws)


def test_groups_that_are_forgotten_make_too_many_alarms():
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(60):
        q = expit(rng.normal(0, 0.5, 100))
        y = np.repeat(rng.random(100) < q, 4)
        alarms += calibration_line(y, np.repeat(q, 4)).p_value < 0.05
    assert alarms > 10


def test_distance_covers_the_truth():
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(100):
        z = rng.normal(0, 1.5, 600)
        truth = np.abs(expit(0.2 + 0.7 * z) - expit(z)).mean()
        low, high = calibration_line(rng.random(600) < expit(0.2 + 0.7 * z), expit(z)).distance_interval()
        inside += low <= truth <= high
    assert inside >= 91  # 95 % for all lines of the region, so at least as often for one number of them


def test_many_scores_are_averaged_by_quantiles():
    rng = np.random.default_rng(4)
    p = rng.uniform(0.05, 0.95, 20_000)
    line = calibration_line(rng.random(20_000) < p**1.3, p)
    moved = expit(line.intercept + line.slope * clipped_logit(p))
    assert line.distance == pytest.approx(np.abs(moved - p).mean(), rel=2e-3)


def test_bad_input():
    with pytest.raises(ValueError, match="y must"):
        calibration_line([1, 1, 1], [0.2, 0.3, 0.4])
    with pytest.raises(ValueError, match="p must"):
        calibration_line([1, 0, 1], [0.2, 0.2, 0.2])


def test_the_covariance_of_groups_is_the_sandwich_with_one_group_less():
    rng = np.random.default_rng(1)
    z = rng.normal(size=12)
    y = np.arange(12) % 2
    line = calibration_line(y, expit(z), groups=np.arange(12))
    x = np.column_stack([np.ones(12), z])
    c = expit(x @ [line.intercept, line.slope])
    bread = np.linalg.inv((x * (c * (1 - c))[:, None]).T @ x)
    score = x * (y - c)[:, None]
    assert line.covariance == pytest.approx(bread @ (score.T @ score * 12 / 11) @ bread, rel=1e-6)
    assert line.freedom == 11


def test_uneven_weights_leave_fewer_rows_by_kish():
    weight = np.repeat([1.0, 3.0], 20)
    line = calibration_line(np.arange(40) % 2, expit(np.linspace(-1, 1.5, 40)), sample_weight=weight)
    assert line.freedom == pytest.approx(80**2 / 200 - 1)
