"""`RiskEstimator`: against a known truth, by other means, and scikit-learn's own checks."""

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy.stats import norm, sem
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers.calibration import IsotonicCalibrator
from helpers.decisions import (
    RiskEstimator,
    best_decision,
    calibration_risk,
    cost_matrix,
    expected_cost,
    grouping_risk,
)
from helpers.decisions.estimator import plausible_values
from helpers.partition import HonestTree
from helpers.simulation import Sigmoid, controls

EVEN = cost_matrix(false_alarm=1, miss=1)


def wards(n, rng):
    """Two kinds of people who get the same score 0.5 and truly have 0.2 and 0.8."""
    kind = rng.integers(0, 2, n)
    q = np.where(kind == 1, 0.8, 0.2)
    return pd.DataFrame({"kind": kind}), np.full(n, 0.5), (rng.random(n) < q).astype(int), q


def test_the_transparent_version_is_the_package():
    rng = np.random.default_rng(3)
    a = Sigmoid().sample(800, rng)
    model = RiskEstimator(EVEN, n_halvings=1, rng=5).fit(a.X, a.y, a.p)
    new = Sigmoid().sample(500, rng)
    assert model._unseen.sum(axis=1).tolist() == [400, 400]
    first = model._unseen[0]  # the rows that chose the first tree: the others gave its means
    c = model.calibrator_.predict(a.p)
    table = a.X.assign(stated=a.p)
    fresh = new.X.assign(stated=new.p)
    guess = 0
    for half in (first, ~first):
        tree = HonestTree(min_samples_leaf=28, rng=0).fit(table[half], (a.y - c)[half])
        guess = guess + tree.estimate(table[~half], (a.y - c)[~half]).predict(fresh) / 2
    want = model.calibrator_.predict(new.p) + guess
    assert model.corrected(new.X, new.p) == pytest.approx(want, abs=1e-12)
    assert model.predict(new.X, new.p) == pytest.approx(2 * np.abs(want - 0.5) * ((want >= 0.5) != (new.p >= 0.5)))


def test_the_method_of_the_paper_is_one_tree_of_three_parts():
    a = Sigmoid().sample(2000, 11)
    model = RiskEstimator(EVEN, method="paper", rng=0).fit(a.X, a.y, a.p)
    (tree,) = model.models_
    leaves = tree.tree_.n_node_samples[tree.tree_.children_left < 0]
    assert leaves.sum() == 800 and leaves.min() >= 15 and tree.count_.sum() == 1000
    assert sorted(column.name for column in tree.encoder_.columns_) == ["x1", "x2"]
    frame = model.to_frame(a.X, a.p)
    assert (frame["region"] == tree.apply(a.X)).all() and frame["rule"].nunique() == frame["region"].nunique()
    with pytest.raises(ValueError, match="method must"):
        model.fit_predict(a.X, a.y, a.p)


def test_what_the_score_hides_is_found_and_a_perfect_score_is_left_alone():
    rng = np.random.default_rng(1)
    X, p, y, q = wards(3000, rng)
    found = RiskEstimator(EVEN, calibrator="none", rng=0).fit(X, y, p).predict(X, p)
    assert found == pytest.approx(np.where(q < 0.5, 0.6, 0), abs=0.15)
    perfect = controls.perfect(6000, 2)
    model = RiskEstimator(EVEN, rng=0).fit(perfect.X, perfect.y, perfect.p)
    risk = model.predict(perfect.X, perfect.p)
    assert risk.mean() < 0.02 and np.mean(risk > 0.3) < 0.01


def test_plausible_values_vary_by_two_squared_errors():
    values = plausible_values(np.array([0.5]), np.array([0.01]))
    assert np.mean(values) == pytest.approx(0.5)
    assert np.var(values) == pytest.approx(2 * 0.01**2, rel=0.1)


class Known:
    """The least that a repair can be: it knows the probability of each kind, and its own standard error."""

    def fit_predict(self, X, y, p, sample_weight=None, groups=None):
        self.calibrator_ = IsotonicCalibrator().fit(p, y, sample_weight)
        return self.predict(X, p)[0]

    def predict(self, X, p, return_std=True):
        return np.where(X["kind"] == 1, 0.8, 0.2), np.full(len(X), 0.04)


def test_with_a_repair_the_risk_is_the_mean_over_the_error_of_its_probability():
    rng = np.random.default_rng(12)
    X, p, y, q = wards(300, rng)
    p = np.clip(p + rng.normal(0, 0.1, 300), 0, 1)
    given = Known()
    model = RiskEstimator(EVEN, t=0.6, repair=given)
    own_risk = model.fit_predict(X, y, p)
    assert not vars(given) and clone(model).repair is not given
    assert model.corrected(X, p).tolist() == q.tolist() == clone(model).fit_corrected(X, y, p).tolist()
    assert model.calibrated(p).tolist() == IsotonicCalibrator().fit(p, y).predict(p).tolist()
    error = 2**0.5 * 0.04
    short = np.where(p >= 0.6, 0.5 - q, q - 0.5)  # the better decision if above 0
    want = 2 * (short * norm.cdf(short / error) + error * norm.pdf(short / error))
    assert model.predict(X, p) == pytest.approx(want, abs=0.05 * error)
    assert own_risk.tolist() == model.fit(X, y, p).predict(X, p).tolist()
    frame = model.to_frame(X, p)
    assert frame["risk"].tolist() == model.predict(X, p).tolist()
    assert (frame["region"] == -1).all() and model.pooled_ == ()
    paid = [expected_cost(decision, y, EVEN) for decision in (best_decision(p, EVEN, 0.6), best_decision(q, EVEN))]
    assert model.saved_ == pytest.approx(np.mean(paid[0] - paid[1]))
    assert model.saved_se_ == pytest.approx(sem(paid[0] - paid[1]), rel=0.01)


@pytest.mark.parametrize(
    ("n", "groups", "rows"), [(800, 800, 28), (800, 100, 80), (100, 100, 15), (1000, 9, 125), (100, 4, 15)]
)
def test_leaves_hold_the_rows_of_the_root_of_the_groups_and_at_most_an_eighth(n, groups, rows):
    assert RiskEstimator(EVEN)._leaf(n, groups) == rows and RiskEstimator(EVEN, method="paper")._leaf(n, groups) == 15


@pytest.mark.parametrize("residual", ["tree", LinearRegression()])
def test_own_labels_do_not_judge_their_own_row(residual):
    X = pd.DataFrame({"x": np.arange(200) % 2})  # one possible split: the label cannot choose another region
    p = np.full(200, 0.5)
    y = (np.arange(200) % 3 == 0).astype(int)
    model = RiskEstimator(EVEN, t=0, calibrator="none", residual=residual, max_depth=1, rng=0)
    for row in (0, 51, 199):
        flipped = y.copy()
        flipped[row] = 1 - flipped[row]
        fair = [model.fit_predict(X, labels, p)[row] for labels in (y, flipped)]
        assert fair[0] > 0.1 and fair[0] == pytest.approx(fair[1], abs=1e-12)
    voted = [model.fit(X, labels, p).corrected(X, p)[row] for labels in (y, flipped)]
    assert abs(voted[0] - voted[1]) > 1e-3


def test_weights_and_groups():
    rng = np.random.default_rng(5)
    X, p, y, q = wards(2000, rng)
    trees = RiskEstimator(EVEN, calibrator="none", rng=0)
    one = trees.fit(X, y, p).corrected(X, p)
    same = clone(trees).fit(X, y, p, sample_weight=np.full(2000, 7.0))
    assert same.corrected(X, p) == pytest.approx(one, abs=1e-9)
    weight = np.where(y == 1, 3.0, 1.0)
    heavy = clone(trees).fit(X, y, p, sample_weight=weight).corrected(X, p)
    assert heavy == pytest.approx(np.where(q > 0.5, 12 / 13, 3 / 7), abs=0.1)
    people = np.repeat(np.arange(400), 5)
    grouped = clone(trees).fit(X, y, p, groups=people)
    assert grouped._checked(X, y, p, None, people // 4)[-1] == 200  # 2,000 rows over the root of 100 groups
    for first in grouped._unseen:
        assert (pd.Series(first).groupby(people).nunique() == 1).all()


def test_the_table_says_what_the_methods_say():
    rng = np.random.default_rng(7)
    X, p, y, q = wards(1500, rng)
    X = X.assign(kind=np.where(X["kind"] == 1, "old", "young")).set_index(np.arange(1500) + 10)
    costs = cost_matrix(false_alarm=1, miss=2).set_axis(["send home", "keep"])
    p = np.clip(p + rng.normal(0, 0.1, 1500), 0, 1)
    model = RiskEstimator(costs, t=0.6, max_depth=1, rng=0).fit(X, y, p)
    frame = model.to_frame(X, p)
    c = model.calibrated(p)
    corrected = model.corrected(X, p)
    assert frame.index.equals(X.index) and frame["stated"].tolist() == p.tolist()
    assert frame["risk"].to_numpy() == pytest.approx(model.predict(X, p))
    assert frame["calibration_risk"].to_numpy() == pytest.approx(calibration_risk(c, p, costs, 0.6))
    assert frame["grouping_risk"].to_numpy() == pytest.approx(grouping_risk(c, corrected, costs))
    assert ((frame["decision"] == "keep") == (p >= 0.6)).all()
    assert ((frame["best_decision"] == "keep") == (corrected >= 1 / 3)).all()
    assert (frame["risk"] == 0).sum() == ((p >= 0.6) == (corrected >= 1 / 3)).sum()
    for kind in ("old", "young"):
        assert frame["rule"][X["kind"] == kind].str.fullmatch(f"kind (= |is |in )?.*{kind}.*").all()
    assert frame["rows"].between(15, 1500).all() and frame["region"].between(0, 15).all()
    each = model._each(X, p)
    first = np.cumsum([tree.n_regions_ for tree in model.models_])
    named = each[np.searchsorted(first, frame["region"], side="right"), np.arange(1500)]
    assert np.abs(named - each.mean(axis=0)) == pytest.approx(np.abs(each - each.mean(axis=0)).min(axis=0))


GOOD = dict(zip(("X", "p", "y", "q"), wards(200, np.random.default_rng(9)), strict=True))
GOOD["p"] = np.clip(GOOD["p"] + np.linspace(-0.2, 0.2, 200), 0, 1)


def fitted(**options):
    columns = {name: options.pop(name, GOOD[name]) for name in ("X", "y", "p")}
    rest = {name: options.pop(name) for name in ("sample_weight", "groups") if name in options}
    return RiskEstimator(options.pop("cost", EVEN), **options).fit(*columns.values(), **rest)


test_the_estimator_refuses_what_breaks_a_rule = refuses(
    (lambda: fitted(residual="trees"), "residual must"),
    (lambda: fitted(residual=3), "residual must .*'tree'"),
    (lambda: fitted(residual=StandardScaler()), "residual must .*regressor"),
    (lambda: fitted().predict(GOOD["X"], GOOD["p"][:9]), "p and X must"),
    (lambda: fitted(repair=LinearRegression()), "repair must .*fit_predict"),
    (lambda: fitted(repair=Known), "repair must"),
    (lambda: fitted(repair=Known(), method="paper"), "method must .*'crossfit'"),
    (lambda: fitted(repair=Known(), calibrator="none"), "calibrator must .*'platt'"),
    (lambda: fitted(repair=Known(), residual=LinearRegression()), "residual must .*'tree'"),
    (lambda: fitted(repair=Known(), max_depth=2), "max_depth must .*None"),
    (lambda: fitted(min_samples_leaf=60), "y must"),
    (lambda: fitted().predict(GOOD["X"].set_axis(["other"], axis=1), GOOD["p"]), "X must"),
)


def test_without_stated_probabilities_everybody_has_the_base_rate():
    X, y = GOOD["X"], GOOD["y"]
    alone = RiskEstimator(EVEN, rng=0).fit(X, y)
    given = RiskEstimator(EVEN, calibrator="none", rng=0).fit(X, y, np.full(200, y.mean()))
    assert alone.base_rate_ == y.mean() and given.base_rate_ is None
    assert alone.predict(X).tolist() == given.predict(X, np.full(200, y.mean())).tolist()
    assert alone.to_frame(X)["stated"].eq(y.mean()).all()
    own = [clone(alone).fit_predict(X, y), clone(given).fit_predict(X, y, np.full(200, y.mean()))]
    assert own[0].tolist() == own[1].tolist()
    with pytest.raises(ValueError, match="^p must not be given"):
        alone.predict(X, GOOD["p"])
    with pytest.raises(ValueError, match="^p must be given"):
        given.corrected(X)


def test_nothing_can_be_asked_before_the_fit():
    for ask in (lambda m: m.predict(GOOD["X"], GOOD["p"]), lambda m: m.calibrated(GOOD["p"])):
        with pytest.raises(NotFittedError, match="call fit first"):
            ask(RiskEstimator(EVEN))


class Risk(RiskEstimator):
    """Of any numbers y that the checks draw: those above their mean are class 1."""

    def fit(self, X, y, p=None, sample_weight=None, groups=None):
        numbers = np.asarray(y)
        if numbers.dtype.kind in "iuf" or y is not None and numbers.dtype.kind == "O":
            numbers = numbers.astype(float)
            y = numbers > numbers.mean() if numbers.size and np.isfinite(numbers).all() else y
        return super().fit(X, y, p, sample_weight, groups)


HALVES = "rows of the fit are halved at random: by their numbers, not their weights"
FAILS = {f"check_sample_weight_equivalence_on_{kind}_data": HALVES for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")  # of y with a second dimension
@parametrize_with_checks(
    [Risk([[0, 1], [1, 0]], min_samples_leaf=1, n_halvings=1, rng=0)],
    expected_failed_checks=lambda _: FAILS,
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("options", [{}, {"method": "paper"}])
def test_twenty_thousand_rows_of_weight_0_are_not_there(options):
    rng = np.random.default_rng(3)
    X, p, y, _ = wards(1000, rng)
    p = np.clip(p + rng.normal(0, 0.1, 1000), 0, 1)
    model = RiskEstimator(EVEN, rng=0, **options)
    alone = model.fit(X, y, p).predict(X, p)
    others = X.iloc[rng.integers(0, 1000, 20_000)] + 100
    columns = pd.concat([X, others]), np.append(y, np.ones(20_000)), np.append(p, rng.random(20_000))
    weight = np.repeat([2.0, 0.0], [1000, 20_000])
    beside = clone(model).fit(*columns, sample_weight=weight)
    assert alone.mean() > 0.01 and beside.predict(X, p) == pytest.approx(alone, abs=1e-12)
    if model.method == "crossfit":
        risk = clone(model).fit_predict(*columns, sample_weight=weight)
        assert risk[:1000] == pytest.approx(clone(model).fit_predict(X, y, p), abs=1e-12)
        assert risk[1000:] == pytest.approx(beside.predict(others, columns[2][1000:]), abs=1e-12)
