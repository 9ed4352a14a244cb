"""The risk of one decision with a `Recalibrator`: its probabilities and errors, what it saves, one score for all."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, sem
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from helpers.decisions import RiskEstimator, best_decision, cost_matrix, excess_risk, expected_cost
from helpers.practice.repair import Recalibrator, recalibrator

EVEN = cost_matrix(false_alarm=1, miss=1)


class Line(LinearRegression):
    """One cheap learner in the place of all."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def fit(self, _features, codes, target, weight, _fold):
        return super().fit(codes, target, weight)

    def predict(self, _features, codes):
        return super().predict(codes)[:, None]


@pytest.fixture(autouse=True)
def line(monkeypatch):
    monkeypatch.setattr(recalibrator, "Learners", Line)
    monkeypatch.setattr(recalibrator, "REPAIR_NAMES", ("line",))


def wards(n, rng):
    """Two kinds of people who truly have 0.2 and 0.8, with scores around 0.5."""
    kind = rng.integers(0, 2, n)
    q = np.where(kind == 1, 0.8, 0.2)
    y = (rng.random(n) < q).astype(int)
    return pd.DataFrame({"kind": kind}), np.clip(0.5 + rng.normal(0, 0.1, n), 0, 1), y, q


def test_probabilities_and_errors_are_those_of_the_repair():
    X, p, y, _ = wards(300, np.random.default_rng(12))
    model = RiskEstimator(EVEN, t=0.6, repair=Recalibrator(rng=3))
    own = model.fit_corrected(X, y, p)
    repair = Recalibrator(rng=3)
    assert own.tolist() == repair.fit_predict(X, y, p).tolist()
    assert model.corrected(X, p) == pytest.approx(repair.predict(X, p), abs=1e-12)
    assert model.calibrated(p).tolist() == repair.calibrated(p).tolist()
    q_hat, std = repair.predict(X, p, return_std=True)
    error = 2**0.5 * std
    assert repair.changed_ and (std > 0).all()
    short = np.where(p >= 0.6, 0.5 - q_hat, q_hat - 0.5)  # the better decision if above 0
    want = 2 * (short * norm.cdf(short / error) + error * norm.pdf(short / error))
    inside = np.abs(q_hat - 0.5) < 0.5 - 3 * error
    assert model.predict(X, p)[inside] == pytest.approx(want[inside], abs=0.05 * error.max()) and inside.mean() > 0.7
    assert (model.predict(X, p) >= excess_risk(q_hat, p, EVEN, 0.6) - 0.02 * error).all()
    assert (clone(model).fit_predict(X, y, p) >= excess_risk(own, p, EVEN, 0.6) - 0.02 * error).all()


@pytest.mark.slow
def test_what_was_saved_is_what_the_truth_says_in_the_mean():
    z = []
    for k in range(20):
        X, _, y, q = wards(200, np.random.default_rng([13, k]))
        model = RiskEstimator(EVEN, t=0.6, repair=Recalibrator("none", rng=k))
        decision = best_decision(model.fit_corrected(X, y, np.full(200, 0.5)), EVEN)
        truth = np.mean(expected_cost(np.zeros(200, int), q, EVEN) - expected_cost(decision, q, EVEN))
        z.append((model.saved_ - truth) / model.saved_se_)
    assert abs(np.mean(z)) < 3 * sem(z) and 0.6 < np.std(z) < 1.4


def test_one_score_for_all_has_no_curve():
    X, _, y, _ = wards(200, np.random.default_rng(9))
    alone = RiskEstimator(EVEN, repair=Recalibrator("none", rng=0))
    own = alone.fit_predict(X, y)
    given = clone(alone)
    assert own.tolist() == given.fit_predict(X, y, np.full(200, y.mean())).tolist()
    assert alone.predict(X).tolist() == given.predict(X, np.full(200, y.mean())).tolist()
    with pytest.raises(ValueError, match='calibrator="none"'):
        RiskEstimator(EVEN, repair=Recalibrator(rng=0)).fit(X, y)


def test_rows_of_weight_0_are_repaired_as_new_ones():
    rng = np.random.default_rng(4)
    X, p, y, _ = wards(300, rng)
    weight = np.repeat([2.0, 0.0], [200, 100])
    model = RiskEstimator(EVEN, repair=Recalibrator(alpha=1, rng=0))
    repaired = model.fit_corrected(X, y, p, weight)
    alone = clone(model)
    assert repaired[:200] == pytest.approx(alone.fit_corrected(X[:200], y[:200], p[:200]), abs=1e-12)
    assert repaired[200:] == pytest.approx(alone.corrected(X[200:], p[200:]), abs=1e-12)
