"""The fast tree: the regions of the exact one where both may choose, the truth, and one answer for any threads."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits

from helpers import _parallel
from helpers.grouping import grouping_loss
from helpers.partition import HistogramTree, HonestTree
from helpers.simulation import Sigmoid


def same_partition(a, b):
    """Whether two labellings put the same rows together."""
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


# ---- by hand, and against the exact tree -----------------------------------------------------------------------


def test_four_rows_by_hand_and_honest_values():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    tree = HistogramTree(min_samples_leaf=2, rng=0).fit(X, [1.0, 1.0, -1.0, -1.0])
    assert tree.n_regions_ == 2 and tree.apply([[0.2], [0.9]]).tolist() == [1, 0]  # from the lowest mean to the highest
    tree.estimate(X, [0.0, 0.5, 0.25, 0.75])
    assert tree.value_.tolist() == [0.5, 0.25] and tree.count_.tolist() == [2, 2]
    tree.estimate(X, [0.0, 0.5, 0.25, 0.75], sample_weight=[1, 3, 0, 0])
    assert tree.value_.tolist() == [0.0, 0.375] and tree.predict([[9.0]]).tolist() == [0.0]


def test_leaves_of_one_value_are_one_region():
    X = np.repeat(np.arange(4.0), 20)[:, None]
    tree = HistogramTree(rng=0).fit(X, np.repeat([1.0, -1.0, 1.0, -1.0], 20))
    assert tree.n_regions_ == 2 and tree.apply([[0.0], [1.0], [2.0], [3.0]]).tolist() == [1, 0, 1, 0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("depth", [1, 3, None])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_exact_tree_chooses_the_same_regions_where_no_number_is_cut(seed, depth, weighted):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        "a": rng.integers(0, 40, 900), "b": rng.integers(-100, 100, 900) / 100, "c": rng.choice(list("uvwx"), 900),
        "d": pd.Categorical(rng.choice(list("sml"), 900), list("sml"), ordered=True), "e": rng.random(900) < 0.5,
    })  # fmt: skip
    residual = rng.normal(size=900) + 0.3 * (table["a"] > 20) * (table["c"] < "w")
    weight = rng.uniform(0.5, 2, 900) if weighted else None
    trees = [kind(max_depth=depth, rng=0).fit(table, residual, weight) for kind in (HonestTree, HistogramTree)]
    assert same_partition(*(tree.apply(table) for tree in trees))


def test_missing_values_are_a_side_of_their_own():
    x = np.r_[np.arange(60.0), np.full(30, np.nan)]
    residual = np.r_[np.zeros(60), np.ones(30)]
    tree = HistogramTree(rng=0).fit(x[:, None], residual)
    assert tree.n_regions_ == 2 and tree.apply([[3.0], [np.nan], [100.0]]).tolist() == [0, 1, 0]
    names = pd.DataFrame({"job": ["cook"] * 40 + ["smith"] * 30 + [None] * 20})
    tree = HistogramTree(rng=0).fit(names, np.repeat([0.0, 1.0, 2.0], [40, 30, 20]))
    new = pd.DataFrame({"job": ["cook", "smith", None, "judge"]})
    assert tree.apply(new)[:3].tolist() == [0, 1, 2] and 0 <= tree.apply(new)[3] < 3


# ---- laws ------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(1, 40))
@settings(max_examples=25)
def test_regions_have_the_rows_they_need_and_a_value_each(seed, leaf):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(150, 3)), 1)
    residual = rng.normal(size=150)
    kept = X.copy(), residual.copy()
    tree = HistogramTree(min_samples_leaf=leaf, rng=seed).fit(X, residual)
    count = np.bincount(tree.apply(X), minlength=tree.n_regions_)
    assert count.size == tree.n_regions_ and count.min() >= leaf and count.sum() == 150
    assert (np.diff(tree.estimate(X, residual).value_) > -1e-6).all()
    assert np.array_equal(tree.apply(X[::-1]), tree.apply(X)[::-1])
    assert np.array_equal(X, kept[0]) and np.array_equal(residual, kept[1])


def test_order_of_columns_and_types_of_numbers_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)).astype(np.float32)
    residual = rng.normal(size=500)
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"], index=rng.permutation(500))
    tree = HistogramTree(rng=0).fit(X, residual)
    for table in (frame, frame.astype("Float64"), frame.astype(object), frame[["x2", "x0", "x1"]]):
        assert np.array_equal(tree.apply(table), tree.apply(X))
        assert same_partition(HistogramTree(rng=0).fit(table, residual).apply(table), tree.apply(X))


def test_more_than_255_categories_and_rows_of_weight_zero():
    rng = np.random.default_rng(1)
    code = rng.integers(0, 1000, 20_000)
    table = pd.DataFrame({"code": np.char.add("c", code.astype(str)), "x": rng.normal(size=20_000)})
    residual = rng.normal(size=20_000) / 2 + code % 2
    tree = HistogramTree(max_depth=1, rng=0).fit(table, residual)
    assert tree.n_regions_ == 2 and np.corrcoef(tree.apply(table), code % 2)[0, 1] > 0.9
    weight = (np.arange(20_000) < 1000) * 3.0
    noisy = np.where(weight > 0, residual, 100 * table["x"])
    trees = [HistogramTree(rng=0).fit(table, r, sample_weight=weight) for r in (residual, noisy)]
    assert np.array_equal(trees[0].apply(table), trees[1].apply(table))


@pytest.mark.slow
def test_any_number_of_threads_and_workers_gives_the_same_answer(monkeypatch):
    big = Sigmoid().sample(30_000, rng=0)
    arguments = (big.y, big.p, big.X)
    state = np.random.get_state()[1].copy()  # noqa: NPY002 the state that must not move
    answers = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            answers += [grouping_loss(*arguments, tree="hist", rng=0) for _ in range(2)]
    monkeypatch.setattr(_parallel, "PARALLEL_FROM", np.inf)
    answers += [grouping_loss(*arguments, tree="hist", rng=0)]
    answers += Parallel(2, backend="threading")(
        delayed(grouping_loss)(*arguments, tree="hist", rng=0) for _ in range(2)
    )
    assert all(answer.value == answers[0].value and answer.se == answers[0].se for answer in answers)
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


# ---- truth, in standard errors ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_perfect_model_has_no_grouping_loss_for_the_fast_tree():
    found = [grouping_loss(s.y, s.p, s.X, tree="hist", rng=k) for k, s in drawn(0.0, 60, 1000)]
    z = [gl.value / gl.null_se for gl in found]
    assert abs(np.mean(z)) < 4 / np.sqrt(60)
    assert np.mean([gl.p_value < 0.05 for gl in found]) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.slow
def test_a_known_loss_is_bounded_from_below_and_mostly_found_by_the_fast_tree():
    truth = Sigmoid().grouping_loss
    found = [grouping_loss(s.y, s.p, s.X, tree="hist", rng=k) for k, s in drawn(1.0, 12, 6000)]
    values = np.array([gl.value for gl in found])
    assert values.mean() < truth + 4 * values.std(ddof=1) / np.sqrt(12) and values.mean() > 0.75 * truth
    assert np.mean([gl.low > truth for gl in found]) <= 0.025 + 4 * np.sqrt(0.025 * 0.975 / 12)


def drawn(strength, draws, n):
    population = Sigmoid(strength=strength)
    return ((k, population.sample(n, rng=k)) for k in range(draws))


@pytest.mark.parametrize("method", ["crossfit", "paper"])
def test_the_result_is_consistent_with_its_trees(method):
    s = Sigmoid().sample(3000, rng=3)
    w = np.random.default_rng(0).uniform(0.5, 2, 3000)
    for options in ({}, {"sample_weight": w}, {"groups": np.arange(3000) // 2}):
        gl = grouping_loss(s.y, s.p, s.X, method=method, tree="hist", rng=0, **options)
        assert all(isinstance(tree, HistogramTree) for tree in gl.trees) and np.isfinite([gl.value, gl.se]).all()
        assert gl.count.sum() == gl.n == sum(tree.count_.sum() for tree in gl.trees)
        for part, tree in enumerate(gl.trees):
            assert np.allclose(tree.value_, gl.mean[gl.part == part]) and tree.n_regions_ == (gl.part == part).sum()


# ---- bad input and hard tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", ["histogram", "Exact", None, 1, HistogramTree])
def test_an_unknown_tree_is_named(tree):
    s = Sigmoid().sample(200, rng=0)
    with pytest.raises(ValueError, match="tree must be"):
        grouping_loss(s.y, s.p, s.X, tree=tree, rng=0)


def test_what_fit_and_apply_refuse():
    X = np.arange(100.0)[:, None]
    residual = np.arange(100.0)
    with pytest.raises(NotFittedError, match="HistogramTree"):
        HistogramTree().apply(X)
    tree = HistogramTree(rng=0).fit(X, residual)
    assert not tree.honest_ and np.abs(tree.predict(X) - residual).max() < 20
    with pytest.raises(ValueError, match="'x0' is absent"):
        tree.apply(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(ValueError, match="'x0'"):
        tree.apply(pd.DataFrame({"x0": ["one"]}))
    assert tree.apply(pd.DataFrame({"x0": ["1"]})) == tree.apply([[1.0]])
    for options in ({"min_samples_leaf": 0}, {"max_depth": 0}, {"max_depth": 1.5}):
        with pytest.raises(ValueError, match=next(iter(options))):
            HistogramTree(**options).fit(X, residual)
    with pytest.raises(ValueError, match="y must be finite"):
        HistogramTree().fit(X, np.where(residual > 98, np.nan, residual))
    with pytest.raises(ValueError, match="same length"):
        HistogramTree().fit(X, residual[1:])
    assert clone(tree).get_params() == {"min_samples_leaf": 15, "max_depth": None, "rng": 0}


HARD = {
    "missing": pd.DataFrame({"a": np.full(240, np.nan)}),
    "missing text": pd.DataFrame({"a": [None] * 240}),
    "constant": pd.DataFrame({"a": np.ones(240)}),
    "a category each": pd.DataFrame({"a": [f"c{i}" for i in range(240)]}),
    "mixed objects": pd.DataFrame({"a": [1, "a", None, 2.5] * 60}),
    "extreme floats": pd.DataFrame({"a": np.arange(240) * 1e300, "b": np.arange(240) * 5e-324}),
    "dates": pd.DataFrame({"a": pd.date_range("2020", periods=240, tz="Asia/Tokyo")}),
    "durations": pd.DataFrame({"a": pd.to_timedelta(np.arange(240), unit="h")}),
    "intervals": pd.DataFrame({"a": pd.cut(np.arange(240), 4)}),
    "arrow": pd.DataFrame({"a": pd.array([1.5, None, 3.0] * 80, dtype="Float64")}),
}


@pytest.mark.parametrize("table", HARD.values(), ids=HARD)
def test_hard_tables_give_finite_answers(table):
    rng = np.random.default_rng(0)
    p = rng.random(240)
    gl = grouping_loss(rng.random(240) < p, p, table, tree="hist", rng=0)
    assert np.isfinite([gl.value, gl.se, gl.low, gl.high, gl.p_value]).all()
    tree = HistogramTree(rng=0).fit(table, rng.normal(size=240))
    assert np.array_equal(np.unique(tree.apply(table)), np.arange(tree.n_regions_))
