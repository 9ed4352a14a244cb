"""The repair of several classes: nearer to a known truth, what each class is asked, the nearest probabilities."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from scipy.stats import chi2
from sklearn.exceptions import NotFittedError

from helpers.calibration import AffineCalibrator
from helpers.practice.repair import ClassRecalibrator, Recalibrator, RepairedClassifier
from helpers.practice.repair import classes as module
from helpers.practice.repair.classes import _nearest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def population(rng, n, shift):
    X = pd.DataFrame({"x": rng.normal(size=n), "town": rng.choice(list("pqr"), n)})
    P = softmax(rng.normal(size=(n, 3)), axis=1)
    moved = shift * np.where(X["town"] == "p", 1, -0.5) * P[:, :2].min(axis=1)
    Q = P + np.column_stack([-moved, moved, np.zeros(n)])
    y = np.array(["a", "b", "c"])[(rng.random(n)[:, None] > np.cumsum(Q, axis=1)[:, :-1]).sum(axis=1)]
    return X, pd.DataFrame(P, columns=list("abc")), Q, y


@pytest.mark.slow
def test_the_error_falls(rng):
    X, P, _, y = population(rng, 1500, 0.7)
    new, P_new, Q, _ = population(rng, 2000, 0.7)
    model = ClassRecalibrator(n_folds=2, rng=0).fit(X, y, P)
    repaired = model.predict(new, P_new)
    assert model.changed_ and model.p_value_ < 0.001
    assert ((repaired - Q) ** 2).sum(axis=1).mean() < 0.3 * ((P_new.to_numpy() - Q) ** 2).sum(axis=1).mean()
    assert repaired.sum(axis=1) == pytest.approx(1) and repaired.min() > 0
    order = model.predict(new[["town", "x"]], P_new[["c", "b", "a"]])
    assert np.array_equal(order, repaired)


def test_nothing_is_changed_where_nothing_is_found(rng):
    X, P, _, y = population(rng, 400, 0.0)
    model = ClassRecalibrator(n_folds=2, rng=1).fit(X, y, P)
    assert not model.changed_ and model.p_value_ > 0.05
    calibrated = model.predict(X, P)
    assert np.abs(calibrated - P.to_numpy()).max() < 0.1
    assert np.array_equal(calibrated, model.predict(X.sample(frac=1, random_state=0).loc[X.index], P))


def test_the_nearest_probabilities_keep_a_twentieth_of_the_calibrated_ones(rng):
    c = rng.dirichlet(np.ones(4), 20)
    wanted = c + 0.5 * rng.normal(size=(20, 4))
    for row, floor, nearest in zip(wanted, 0.05 * c, _nearest(c, list(wanted.T)), strict=True):
        best = minimize(
            lambda x, row=row: ((x - row) ** 2).sum(), np.full(4, 0.25), bounds=[(low, None) for low in floor],
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        )  # fmt: skip
        assert nearest.sum() == pytest.approx(1) and (nearest >= floor - 1e-12).all()
        assert ((nearest - row) ** 2).sum() == pytest.approx(best.fun, abs=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_offsets_are_fitted_where_a_likelihood_ratio_asks_for_them(rng, monkeypatch, weighted):
    scores = rng.normal(size=(200, 3))
    y = (scores + [0.4, 0, 0] + rng.gumbel(size=(200, 3))).argmax(axis=1)
    weight = rng.uniform(0.2, 2, 200) if weighted else np.ones(200)
    logs = [
        np.log(AffineCalibrator(bias=bias).fit(scores, y, weight).predict_proba(scores)[np.arange(200), y])
        for bias in (True, False)
    ]
    ratio = 2 * weight @ (logs[0] - logs[1]) / weight.mean()
    assert module._line(scores, y, weight).bias == (chi2.sf(ratio, 2) < 0.001)
    for level, asked in ((1.01, True), (0.99, False)):
        monkeypatch.setattr(module, "OFFSETS", level * chi2.sf(ratio, 2))
        assert module._line(scores, y, 7 * weight if weighted else None).bias is asked


class Moved:
    """In the place of the repair of a class: scores moved by a tenth, up for rows of the fit and down for others."""

    p_values = 0.5, 0.02, 0.3

    def __init__(self, calibrator, **options):
        self.options = {"calibrator": calibrator} | options

    def fit_predict(self, table, y, c, weight, groups):
        self.rows = table, y, c, weight, groups
        k = np.flatnonzero((table.iloc[:, -3:].to_numpy() == c[:, None]).all(axis=0))[0]
        self.p_value_ = self.p_values[k]
        self.changed_ = self.p_value_ <= self.options["alpha"]
        return c + (0.1 if k == 0 else 0.0)

    def predict(self, table, c):
        return c - 0.01


@pytest.mark.parametrize(("alpha", "changed"), [(0.05, False), (0.06, True), (1, True)])
def test_each_class_is_asked_at_its_share_of_alpha(rng, monkeypatch, alpha, changed):
    monkeypatch.setattr(module, "Recalibrator", Moved)
    X, P, _, y = population(rng, 90, 0.0)
    weight = np.where(np.arange(90) < 80, 2.0, 0.0)
    model = ClassRecalibrator("none", alpha=alpha, n_folds=3, fast=False, rng=0)
    repaired = model.fit_predict(X, y, P, sample_weight=weight)
    assert model.changed_ is changed and model.p_value_ == pytest.approx(0.06)
    assert model.classes_.tolist() == ["a", "b", "c"] and len({repair.options["rng"] for repair in model.repairs_}) == 1
    for k, repair in enumerate(model.repairs_):
        table, label, c, _, _ = repair.rows
        expected = {"calibrator": "none", "alpha": alpha if alpha == 1 else alpha / 3, "n_folds": 3}
        assert repair.options.items() >= (expected | {"use_score": False, "fast": False}).items()
        assert label.tolist() == (y[:80] == "abc"[k]).tolist() and c.tolist() == P.iloc[:80, k].tolist()
        assert table.shape == (80, 5)
    P = P.to_numpy()
    moved = np.vstack([_nearest(P[:80], list((P[:80] + [0.1, 0, 0]).T)), _nearest(P[80:], list((P[80:] - 0.01).T))])
    assert repaired == pytest.approx(moved if changed else P)
    monkeypatch.setattr(Moved, "p_values", (0.5, 0.6, 0.7))
    assert model.fit(X, y, pd.DataFrame(P, columns=list("abc")), np.ones(90)).p_value_ == 1


def test_bad_input_is_named(rng):
    X, P, _, y = population(rng, 90, 0.0)
    with pytest.raises(NotFittedError):
        ClassRecalibrator().predict(X, P)
    with pytest.raises(ValueError, match="calibrator"):
        ClassRecalibrator("isotonic").fit(X, y, P)
    model = ClassRecalibrator(n_folds=2, rng=0).fit(X, y, P)
    with pytest.raises(ValueError, match="no column 'c'"):
        model.predict(X, P.drop(columns="c"))


def test_defaults():
    assert vars(ClassRecalibrator()) == {
        "calibrator": "platt", "alpha": 0.05, "n_folds": 5, "fast": True, "rng": None,
    }  # fmt: skip
    assert vars(Recalibrator()) == vars(ClassRecalibrator(fast=False)) | {"use_score": True, "calendar": None}
    assert RepairedClassifier(None).get_params() == {
        "estimator": None, "cv": 5, "calibrator": "platt", "alpha": 0.05, "n_jobs": None, "random_state": None,
    }  # fmt: skip
