"""Repair: truth comes nearer, a perfect score stays, all steps written out, what decides, bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.optimize import nnls
from scipy.special import expit
from scipy.stats import norm, sem
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from statsmodels.api import WLS

from helpers.calibration import PlattCalibrator
from helpers.practice.repair import Recalibrator
from helpers.practice.repair import recalibrator as module
from helpers.simulation import controls


class Lines:
    """Two cheap learners in the place of all: straight lines in all columns of the codes and in the first of them."""

    def __init__(self, seed, *options, n_kinds=None):
        self.seed = seed
        self.options = (*options, n_kinds)

    def set_params(self, n_kinds):
        self.options = (*self.options[:-1], n_kinds)
        return self

    def fit(self, _features, codes, target, weight, _fold):
        self.lines = [LinearRegression().fit(codes[:, :k], target, weight) for k in (None, 1)]
        return self

    def predict(self, _features, codes):
        return np.column_stack([line.predict(codes[:, : line.n_features_in_]) for line in self.lines])


@pytest.fixture
def lines(monkeypatch):
    monkeypatch.setattr(module, "Learners", Lines)
    monkeypatch.setattr(module, "REPAIR_NAMES", ("lines", "line"))


def hidden(n, rng, strength=1.5):
    """Scores that miss one of three features; the shift of the log-odds is `strength` times it."""
    x = rng.normal(size=(n, 3))
    p = expit(x[:, 0])
    q = expit(x[:, 0] + strength * x[:, 1])
    return (rng.random(n) < q).astype(int), p, pd.DataFrame(x, columns=["a", "b", "c"]), q


@pytest.fixture(scope="module")
def real():
    """A fit with all learners, and new rows."""
    rng = np.random.default_rng(0)
    y, p, X, _ = hidden(1000, rng)
    X["town"] = pd.Categorical(rng.choice(["Aix", "Bonn", "Cork"], 1000))
    X.loc[rng.random(1000) < 0.1, "c"] = np.nan
    model = Recalibrator(n_folds=2, fast=True, rng=1)
    out_of_fold = model.fit_predict(X, y, p)
    return model, y, p, X, out_of_fold


def rms(a, b):
    return np.mean((a - b) ** 2) ** 0.5


# ---- truth and silence ------------------------------------------------------------------------------------------


def test_the_repair_comes_near_the_truth(real):
    model, *_ = real
    _, p, X, q = hidden(4000, np.random.default_rng(5))
    X["town"] = "Aix"
    assert model.changed_ and model.p_value_ < 1e-6
    before = rms(model.calibrated(p), q)
    after = rms(model.predict(X, p), q)
    assert after < 0.45 * before
    assert model.gain_ == pytest.approx(before**2 - after**2, abs=4 * model.gain_se_)
    assert (model.weights_ >= 0).all() and 0.8 < model.shrinkage_ <= 1
    assert tuple(model.weights_.index) == module.REPAIR_NAMES


def test_a_perfect_score_stays_as_it_is(lines):
    """Fits at level 1 tell what the test and the gain would decide at 5 %."""
    changed = []
    harm = []
    for k in range(30):
        y, p, X, _ = hidden(200, np.random.default_rng([7, k]), strength=0)
        bold = Recalibrator(alpha=1.0, n_folds=3, rng=k).fit(X, y, p)
        changed.append(bold.p_value_ <= 0.05 and bold.gain_ > bold.gain_se_)
        harm.append(rms(bold.predict(X, p), p) - rms(bold.calibrated(p), p))
    assert np.mean(changed) < 0.05 + 2 * (0.05 * 0.95 / 30) ** 0.5
    assert np.mean(harm) > 2 * sem(harm)  # without the test a perfect score would be spoilt


def test_a_perfect_score_stays_with_all_learners():
    a = controls.perfect(400, 3)
    model = Recalibrator(n_folds=2, rng=0)
    out_of_fold = model.fit_predict(a.X, a.y, a.p)
    assert not model.changed_ and model.p_value_ > 0.05
    assert out_of_fold.tolist() == model.predict(a.X, a.p).tolist() == model.calibrated(a.p).tolist()
    assert (model.predict(a.X, a.p, return_std=True)[1] == 0).all()


@pytest.mark.slow
def test_the_standard_error_is_what_repairs_of_other_samples_differ_by(lines):
    new = hidden(5, np.random.default_rng(1))
    said = []
    for k in range(25):
        y, p, X, _ = hidden(400, np.random.default_rng([10, k]))
        said.append(Recalibrator("none", alpha=1.0, rng=k).fit(X, y, p).predict(new[2], new[1], return_std=True))
    repaired, std = np.swapaxes(said, 0, 1)
    assert 0.7 < np.mean(std**2) ** 0.5 / np.mean(repaired.var(axis=0)) ** 0.5 < 1.4


# ---- written out, and what decides ------------------------------------------------------------------------------


def test_the_repair_written_out(lines, monkeypatch):
    """Three folds of groups, weights, platt's map, two learners: weights by nnls, shrinkage, gain and test by hand."""
    rng = np.random.default_rng(3)
    y, p, X, _ = hidden(150, rng, strength=1.2)
    w = rng.uniform(0.5, 2, 150)
    person = np.arange(150) // 2
    fold = np.arange(150) // 2 % 3
    monkeypatch.setattr(module, "random_folds", lambda *_: fold)
    model = Recalibrator(alpha=1.0, n_folds=3, rng=0)
    repaired = model.fit_predict(X, y, p, 5 * w, person)
    codes = module.Features.of_table(module.with_score_column(X, p), w, 0)[1]
    columns, new = np.empty((150, 2)), []
    c = PlattCalibrator().fit(p, y, w).predict(p)
    for j in range(3):
        rest = fold != j
        own = PlattCalibrator().fit(p[rest], y[rest], w[rest]).predict(p)
        v = own * (1 - own)
        for k, used in enumerate((codes, codes[:, :1])):
            line = LinearRegression().fit(used[rest], ((y - own) / v)[rest], (w * v)[rest])
            columns[~rest, k] = (v * line.predict(used))[~rest]
            new.append(c * (1 - c) * line.predict(used))
    r = y - c

    def weights_of(rows):
        root = np.sqrt(w[rows])
        return nnls(root[:, None] * columns[rows], root * r[rows])[0]

    found = np.array([columns[i] @ weights_of(fold != fold[i]) for i in range(150)])
    slope = WLS(r, found, w).fit(cov_type="cluster", cov_kwds={"groups": person, "use_correction": False})
    shrinkage = min(float(slope.params[0] + slope.bse[0]), 1.0)
    assert model.weights_.to_numpy() == pytest.approx(weights_of(w > 0), abs=1e-3) and 0 < shrinkage < 1
    assert model.shrinkage_ == pytest.approx(shrinkage, abs=1e-3)
    found = shrinkage * found
    gain = 2 * found * r - found**2
    assert model.gain_ == pytest.approx(np.average(gain, weights=w), rel=1e-2)
    sums = np.bincount(person, w * (gain - np.average(gain, weights=w)))
    assert model.gain_se_ == pytest.approx(np.sqrt(sums @ sums * 75 / 74) / w.sum(), rel=1e-2)
    products = np.bincount(person, w * columns.mean(axis=1) * r)
    assert model.p_value_ == pytest.approx(norm.sf(products.sum() / np.sqrt(2 * products @ products)))

    def clipped(moved):
        return np.clip(c + moved, 0.05 * c, 1 - 0.05 * (1 - c))

    assert repaired == pytest.approx(clipped(found), abs=1e-3)
    parts = np.tensordot(shrinkage * weights_of(w > 0), np.reshape(new, (3, 2, 150)), (0, 1))
    mean, std = model.predict(X, p, return_std=True)
    assert mean == pytest.approx(clipped(parts.mean(axis=0)), abs=2e-3)
    assert std == pytest.approx(np.sqrt(2) * parts.std(axis=0), abs=2e-3)


def test_a_slope_that_rows_agree_on_has_no_standard_error():
    found = np.array([0.1, 0.2])
    slopes = [module._slope(found, times * found, np.ones(2), None) for times in (0.5, 2.0, -1.0)]
    assert slopes == pytest.approx([0.5, 1, 0]) and module._slope(0 * found, found, np.ones(2), None) == 0


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(("alpha", "p_value"), [(0.5, 0.51), (0.5, 0.5), (0.05, 0.06), (0.05, 0.05), (1.0, 0.9)])
def test_what_decides(lines, monkeypatch, fast, alpha, p_value):
    """The joint test at alpha and the gain; a fast repair fits boosted trees and goes on unless that is hopeless."""
    monkeypatch.setattr(module, "joint_test", lambda *_: (0, 0, p_value))
    fits = []
    monkeypatch.setattr(module, "_learn", lambda *given, f=module._learn: fits.append(given[-1].options) or f(*given))
    rejects, gains = p_value <= alpha, []
    for strength in (0.0, 1.0):
        y, p, X, _ = hidden(400, np.random.default_rng(8), strength=strength)
        bold = Recalibrator(alpha=1.0, n_folds=2, rng=0).fit(X, y, p)
        gains.append(bold.gain_ > bold.gain_se_)
        fits.clear()
        model = Recalibrator(alpha=alpha, n_folds=2, fast=fast, rng=0).fit(X, y, p)
        assert model.changed_ == (rejects and gains[-1] or alpha == 1)
        assert len(fits) == (4 if fast and (p_value <= 0.5 or alpha == 1) else 2)
        assert fits == ([(10, 1)] * 2 + [(10, None)] * (len(fits) - 2) if fast else [(None,)] * 2)
        if not model.changed_:
            assert model.weights_.sum() == model.shrinkage_ == model.gain_ == model.gain_se_ == 0
            assert model.predict(X, p, return_std=True)[0].tolist() == PlattCalibrator().fit(p, y).predict(p).tolist()
    assert gains == [False, True]


# ---- what may not matter ----------------------------------------------------------------------------------------


def test_rows_of_weight_0_teach_nothing(lines):
    rng = np.random.default_rng(6)
    y, p, X, _ = hidden(500, rng)
    weight = np.repeat([1.0, 0.0], [400, 100])
    model = Recalibrator(rng=0)
    repaired = model.fit_predict(X, y, p, weight)
    fewer = Recalibrator(rng=0).fit(X[:400], y[:400], p[:400], weight[:400])
    assert fewer.predict(X, p).tolist() == model.predict(X, p).tolist()
    assert repaired[400:].tolist() == model.predict(X[400:], p[400:]).tolist()


def test_groups_are_never_split(lines, monkeypatch):
    rng = np.random.default_rng(7)
    y, p, X, _ = hidden(500, rng)
    people = np.repeat(np.arange(100), 5)
    seen = []
    monkeypatch.setattr(module, "_learn", lambda *given, f=module._learn: seen.append(given[5]) or f(*given))
    Recalibrator(rng=0).fit(X, y, p, groups=people)
    assert len(seen) == 5
    assert all((pd.Series(train).groupby(people).nunique() == 1).all() for train in seen)


def test_rows_columns_and_workers_in_any_order(real):
    model, y, p, X, out_of_fold = real
    back = np.arange(len(p))[::-1]
    assert model.predict(X.iloc[back], p[back])[back] == pytest.approx(model.predict(X, p), abs=1e-12)
    turned = X[X.columns[::-1]].assign(**{"stated probability": 0.5})
    assert model.predict(turned, p).tolist() == model.predict(X, p).tolist()
    assert np.corrcoef(out_of_fold, model.predict(X, p))[0, 1] > 0.9 and ((out_of_fold >= 0) & (out_of_fold <= 1)).all()


def test_same_seed_same_answer_and_nothing_else_is_touched(lines):
    rng = np.random.default_rng(8)
    y, p, X, _ = hidden(200, rng)
    copies = y.copy(), p.copy(), X.copy()
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    with warnings.catch_warnings(action="error"):
        one = Recalibrator(rng=3).fit(X, y, p).predict(X, p)
        with parallel_config(n_jobs=2, backend="threading"):
            two = Recalibrator(rng=3).fit(X, y, p).predict(X, p)
    assert one.tolist() == two.tolist() and np.random.get_state()[1].tolist() == state  # noqa: NPY002
    assert (y == copies[0]).all() and (p == copies[1]).all()
    pd.testing.assert_frame_equal(X, copies[2])


# ---- bad input --------------------------------------------------------------------------------------------------

GOOD = dict(zip(("y", "p", "X"), hidden(100, np.random.default_rng(9)), strict=False))


def fitted(**changes):
    data = GOOD | {name: changes.pop(name) for name in ("y", "p") if name in changes}
    return Recalibrator(**changes).fit(**data)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fitted(calibrator="plat"), "calibrator must .*did you mean 'platt'"),
        (lambda: fitted(alpha=2), "alpha must"),
        (lambda: fitted(n_folds=1), "n_folds must"),
        (lambda: fitted(y=np.ones(100)), "y must"),
        (lambda: fitted(p=np.full(100, 0.5)), "p must"),
        (lambda: fitted(y=(np.arange(100) == 7)), "y must"),
        (lambda: Recalibrator().fit(GOOD["X"][:59], GOOD["y"][:59], GOOD["p"][:59]), "y must"),
    ],
)
def test_fits_that_are_refused(lines, call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_nothing_can_be_asked_before_the_fit():
    with pytest.raises(NotFittedError, match="call fit first"):
        Recalibrator().predict(GOOD["X"], GOOD["p"])
