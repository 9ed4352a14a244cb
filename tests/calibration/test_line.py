"""Calibration with two parameters: sandwich and Wald test by hand, level, and intervals that agree with the test."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import beta, f, t
from sklearn.linear_model import LogisticRegression

from helpers.calibration import calibration_line
from helpers.calibration import line as module


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_logistic_regression_with_the_sandwich_and_its_wald_test(weighted, grouped):
    """Groups by their score sums, with G / (G - 1); else the variance that the line states; Kish's count of weights."""
    rng = np.random.default_rng(1)
    z = rng.normal(-1, 1.5, 60)
    y = rng.random(60) < expit(0.5 + 0.7 * z)
    w = np.repeat([1.0, 3.0], 30) if weighted else np.ones(60)
    person = rng.integers(0, 20, 60)
    line = calibration_line(
        y, expit(z), sample_weight=1e-200 * w if weighted else None, groups=person if grouped else None
    )
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(z[:, None], y, w)
    assert (line.intercept, line.slope) == pytest.approx((model.intercept_[0], model.coef_[0, 0]), abs=1e-4)
    x = np.column_stack([np.ones(60), z])
    c = expit(x @ [line.intercept, line.slope])
    bread = np.linalg.inv((x * (w * c * (1 - c))[:, None]).T @ x)
    meat = (x * (w**2 * c * (1 - c))[:, None]).T @ x
    units = np.bincount(person, w) if grouped else w
    n = units.sum() ** 2 / (units @ units)
    if grouped:
        sums = [((w * (y - c))[:, None] * x)[person == j].sum(axis=0) for j in range(20)]
        meat = n / (n - 1) * sum(np.outer(one, one) for one in sums)
    assert line.covariance == pytest.approx(bread @ meat @ bread, rel=1e-5)
    assert line.freedom == pytest.approx(n - 1)
    off = np.array([line.intercept, line.slope - 1])
    squared = off @ np.linalg.solve(line.covariance, off)
    assert line.p_value == pytest.approx(f.sf(squared / 2, 2, n - 1), rel=1e-5)
    for k, (value, ends) in enumerate([(off[0], line.intercept_interval), (line.slope, line.slope_interval)]):
        assert ends == pytest.approx(t.interval(0.95, n - 1, value, np.sqrt(line.covariance[k, k])))
    assert "array" not in repr(line) and "Calibrator" not in repr(line)


def test_the_distance_interval_is_that_of_the_lines_that_are_not_rejected():
    rng = np.random.default_rng(0)
    z = rng.normal(0, 1.5, 300)
    line = calibration_line(rng.random(300) < expit(0.8 + 0.6 * z), expit(z))
    angle = np.linspace(0, 2 * np.pi, 2001)
    root = np.linalg.cholesky(line.covariance) * np.sqrt(2 * f.ppf(0.9, 2, 299))
    edge = np.array([line.intercept, line.slope]) + np.column_stack([np.cos(angle), np.sin(angle)]) @ root.T
    distances = [np.abs(expit(a + b * z) - expit(z)).mean() for a, b in edge]
    assert line.p_value < 0.05 and line.distance_interval(0.9) == pytest.approx(
        (min(distances), max(distances)), rel=2e-3
    )
    assert (
        line.distance_interval(1 - line.p_value / 2)[0] == replace(line, p_value=0.25).distance_interval(0.75)[0] == 0
    )


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


def test_many_scores_are_averaged_by_quantiles(monkeypatch):
    monkeypatch.setattr(module, "MOST_SCORES", 4)
    p = np.array([0.1, 0.3, 0.5, 0.6, 0.9])
    line = calibration_line([0, 1, 0, 1, 1], p)
    assert line.z == pytest.approx(np.quantile(logit(p), [0.125, 0.375, 0.625, 0.875]))
    moved = expit(line.intercept + line.slope * line.z)
    assert line.distance == pytest.approx(np.abs(moved - expit(line.z)).mean())
    assert calibration_line([0, 1, 0, 1], p[:4]).z == pytest.approx(logit(p[:4]))


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_1_are_not_on_the_line_and_count_by_their_rate(weighted):
    """270 calibrated rows and 30 of 100 %, 28 of which are right: the intervals of both parts are added."""
    p = np.repeat([0.5, 0.6, 0.7, 0.8, 0.9, 1.0], [54] * 5 + [30])
    y = np.concatenate([np.arange(54) < hits for hits in (27, 32, 38, 43, 49)] + [np.arange(30) < 28])
    weight = np.full(300, 7.0) if weighted else None
    line = calibration_line(y, p, sample_weight=weight)
    inner = calibration_line(y[:270], p[:270])
    assert (line.intercept, line.slope, line.p_value) == pytest.approx((inner.intercept, inner.slope, inner.p_value))
    assert line.slope_interval == pytest.approx(inner.slope_interval) and line.ends == pytest.approx(
        np.array([[0.1, 2 / 30, 30]])
    )
    assert line.distance == pytest.approx(0.9 * inner.distance + 0.1 * 2 / 30)
    exact = beta.ppf(0.025, 2, 29), beta.isf(0.025, 3, 28)
    added = [0.9 * of_line + 0.1 * of_rate for of_line, of_rate in zip(inner.distance_interval(), exact, strict=True)]
    assert line.distance_interval() == pytest.approx(added) and line.distance_interval()[1] < 0.09
    grouped = calibration_line(y, p, groups=np.r_[np.arange(270), np.repeat(270 + np.arange(15), 2)])
    assert grouped.ends[0, 2] == pytest.approx(15.5, abs=1)  # both misses are one person's


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["confidences", "votes", "percent"])
def test_the_distance_holds_the_truth_where_a_tenth_of_the_scores_is_0_or_1(kind):
    rng = np.random.default_rng(2)
    inside = []
    for _ in range(60):
        if kind == "confidences":
            p = rng.choice([0.5, 0.7, 0.9, 1.0], 300, p=[0.3, 0.3, 0.3, 0.1])
            q = np.where(p == 1, 0.93, p)
        else:
            true = expit(rng.normal(0, 2, 300))
            p = (rng.binomial(10, true) / 10) if kind == "votes" else expit(2 * logit(true)).round(2)
            q = true
        low, high = calibration_line(rng.random(300) < q, p).distance_interval()
        places, place = np.unique(p, return_inverse=True)
        truth = np.abs(np.bincount(place, q - p)).sum() / 300
        inside.append(low <= truth <= high)
    assert np.mean(inside) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)


def test_two_uneven_rows_leave_one_degree_of_freedom():
    assert calibration_line([0, 1], [0.3, 0.6], sample_weight=[1, 3]).freedom == 1


def test_bad_input():
    with pytest.raises(ValueError, match="y must"):
        calibration_line([1, 1, 1], [0.2, 0.3, 0.4])
    with pytest.raises(ValueError, match="p must"):
        calibration_line([1, 0, 1], [0.2, 0.2, 0.2])


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(120), 2)])
def test_scores_that_tell_all_labels_apart_are_off_only_if_they_are_timid(groups):
    """The best line would be infinitely steep, and pairs of a 0 and a 1 vary along one direction only."""
    y = np.tile([0, 1], 120)
    for sure, is_off in ((0.99998, False), (0.999, False), (0.8, True), (0.6, True)):
        line = calibration_line(y, np.where(y == 1, sure, 1 - sure), groups=groups)
        low, high = line.distance_interval()
        assert (line.p_value < 0.01) == is_off and (low > 0) == is_off and low <= 1 - sure and low < high
