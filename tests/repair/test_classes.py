"""The repair of several classes: nearer to a known truth, and the calibrator where nothing is found."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from helpers.repair import ClassRecalibrator
from helpers.repair.classes import _onto_simplex


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
    X, P, _, y = population(rng, 3000, 0.7)
    new, P_new, Q, _ = population(rng, 3000, 0.7)
    model = ClassRecalibrator(n_folds=3, rng=0).fit(X, y, P)
    repaired = model.predict(new, P_new)
    assert model.changed_ and model.p_value_ < 0.001
    assert ((repaired - Q) ** 2).sum(axis=1).mean() < 0.3 * ((P_new.to_numpy() - Q) ** 2).sum(axis=1).mean()
    assert repaired.sum(axis=1) == pytest.approx(1) and repaired.min() > 0
    order = model.predict(new[["town", "x"]], P_new[["c", "b", "a"]])
    assert np.array_equal(order, repaired)


def test_nothing_is_changed_where_nothing_is_found(rng):
    X, P, _, y = population(rng, 400, 0.0)
    model = clone(ClassRecalibrator(n_folds=2, rng=1)).fit(X, y, P)
    assert not model.changed_ and model.p_value_ > 0.05
    calibrated = model.predict(X, P)
    assert np.abs(calibrated - P.to_numpy()).max() < 0.1
    assert np.array_equal(calibrated, model.predict(X.sample(frac=1, random_state=0).loc[X.index], P))


def test_the_nearest_point_of_the_simplex(rng):
    values = rng.normal(size=(20, 4))
    found = _onto_simplex(values, 0.9)
    for row, nearest in zip(values, found, strict=True):
        best = minimize(
            lambda x, row=row: ((x - row) ** 2).sum(), np.full(4, 0.225), bounds=[(0, None)] * 4,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 0.9},
        )  # fmt: skip
        assert nearest.sum() == pytest.approx(0.9) and nearest.min() >= 0
        assert ((nearest - row) ** 2).sum() == pytest.approx(best.fun, abs=1e-6)


def test_bad_input_is_named(rng):
    X, P, _, y = population(rng, 200, 0.0)
    with pytest.raises(NotFittedError):
        ClassRecalibrator().predict(X, P)
    with pytest.raises(ValueError, match="calibrator"):
        ClassRecalibrator("isotonic").fit(X, y, P)
    model = ClassRecalibrator(n_folds=2, rng=0).fit(X, y, P)
    with pytest.raises(ValueError, match="no column 'c'"):
        model.predict(X, P.drop(columns="c"))
