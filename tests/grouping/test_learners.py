"""The learners: scikit-learn as an oracle, fits that share their sums, second fits that go on."""

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from helpers.grouping import learners
from helpers.grouping.features import Features, binned
from helpers.grouping.learners import (
    Boosting,
    Clusters,
    Forests,
    Linear,
    Splines,
    combination,
    combine_out_of_fold,
    predict_out_of_fold,
    regions_out_of_fold,
)  # fmt: skip


def test_weights_of_the_combination_are_least_squares_where_that_is_not_negative():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(200, 3))
    r = columns @ [0.5, 0.2, 0.9] + 0.1 * rng.normal(size=200)
    w = rng.uniform(0.5, 2, 200)
    root = np.sqrt(w)[:, None]
    free = np.linalg.lstsq(root * columns, root[:, 0] * r, rcond=None)[0]
    assert combination(columns, r, w) == pytest.approx(free, abs=1e-4)
    against = combination(np.column_stack([columns, -columns]), r, w)
    assert (against >= 0).all() and against[3:] == pytest.approx(0, abs=1e-4)
    assert combination(np.zeros((5, 2)), np.ones(5), np.ones(5)).tolist() == [0, 0]


def test_regressions_are_those_of_scikit_learn_and_cluster_means_are_drawn_to_zero():
    rng = np.random.default_rng(0)
    index = np.column_stack([rng.permutation(90), rng.permutation(90)])
    target = np.sin(index[:, 0] / 20) + rng.normal(size=90)
    weight = rng.uniform(0.5, 2, 90)
    features = Features().fit(index)
    whole = np.zeros(90, int)
    fitted = Linear().fit(features, index, whole - 1, whole, weight, np.ones((90, 1)), (weight * target)[:, None])
    columns = fitted.predict(features, index, 0)
    splines, kernel, _ = features.smooth(index)
    mean = np.average(splines[:, :-1], axis=0, weights=weight)
    scale = np.sqrt(np.average((splines[:, :-1] - mean) ** 2, axis=0, weights=weight))
    ridge = Ridge(30 * weight.mean()).fit(splines[:, :-1] / scale, target, weight)
    assert columns[:, 0] == pytest.approx(ridge.predict(splines[:, :-1] / scale), abs=1e-6)
    values, vectors = np.linalg.eigh(next(itertools.islice(features.penalties(), 1, None))[:90, :90])
    sure = values > 1e-9  # ours adds as little to all of them
    bumps = kernel[:, :90] @ vectors[:, sure] / np.sqrt(values[sure])
    table = np.column_stack([bumps, kernel[:, 90:-1]])
    ridge = Ridge(0.3 * weight.mean(), solver="svd").fit(table, target, weight)
    assert columns[:, 2] == pytest.approx(ridge.predict(table), abs=5e-3)
    cluster = features.regions(index)[:, 0]
    rows = cluster == cluster[7]
    drawn = (weight[rows] @ target[rows]) / (weight[rows].sum() + 2)
    assert columns[7, 6] == pytest.approx(drawn)


def test_fits_that_share_their_sums_are_those_of_the_rows_outside_each_fold():
    rng = np.random.default_rng(1)
    index = rng.permuted(np.tile(np.arange(100), (3, 1)), axis=1).T
    fold = rng.integers(0, 3, 100)
    weight = rng.uniform(0.5, 2, 100)
    bin_of_row = rng.integers(0, 4, 100)
    variance = np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.25], [0.15, 0.15, 0.1], [0.2, 0.2, 0.2]])[bin_of_row]
    moment = rng.normal(size=(100, 3))
    features = Features().fit(index)
    together = Linear().fit(features, index, fold, bin_of_row, weight, variance, moment)
    whole = np.zeros(100, int)
    for j in range(3):
        rows = fold != j
        w = (weight * variance[:, j])[rows]
        options = whole[rows] - 1, whole[rows], w, np.ones((w.size, 1)), moment[rows, j, None]
        alone = Linear().fit(features, index[rows], *options)
        assert together.predict(features, index, j) == pytest.approx(alone.predict(features, index, 0), abs=1e-6)


@pytest.fixture(scope="module")
def rows():
    """Features, codes, targets and weights."""
    rng = np.random.default_rng(3)
    index = rng.integers(0, 12, (80, 2))
    return Features().fit(index), index, index[:, 0] / 6 + rng.normal(size=80), rng.uniform(0.05, 0.25, 80)


def test_splines_and_clusters_of_a_repair_are_those_of_scikit_learn(rows):
    features, index, target, weight = rows
    table = StandardScaler().fit_transform(next(features.smooth(index)))
    expected = [Ridge(penalty).fit(table, target, weight).predict(table) for penalty in (6, 60)]
    assert Splines().fit(*rows).predict(features, index) == pytest.approx(np.column_stack(expected), abs=1e-6)
    found = Clusters().fit(*rows).predict(features, index)
    for k, region in enumerate(features.regions(index).T):
        same = region[:, None] == region
        assert found[:, k] == pytest.approx(same @ (weight * target) / (same @ weight + 2))


@pytest.mark.parametrize(("rarity", "leaves"), [(0.5, [10, 60, 20]), (2.0, [20, 120, 40])])
def test_forests_have_larger_leaves_where_events_are_rare_and_draw_some_rows_and_columns(
    rows, rarity, leaves, monkeypatch
):
    features, index, target, weight = rows
    forests = Forests(seed=0, rarity=rarity, trees=2).fit(*rows).forests_
    assert [forest.min_samples_leaf for forest in forests] == leaves
    assert [(len(forest.estimators_), forest.max_features) for forest in forests] == [(2, 1), (2, 2), (2, 2)]
    assert [(forest.bootstrap, forest.max_samples) for forest in forests] == [(True, 40), (True, 40), (False, None)]
    monkeypatch.setattr(learners, "DRAWN", 30)
    forests = Forests(0, 1.0, 1).fit(*rows).forests_
    assert [(forest.bootstrap, forest.max_samples) for forest in forests] == [(True, 30)] * 3
    wide = np.random.default_rng(0).integers(0, 5, (60, 39))
    forests = Forests(0, 1.0, 1).fit(Features().fit(wide), wide, target[:60], weight[:60]).forests_
    assert [forest.max_features for forest in forests] == [13, 13, 13]
    few = Forests(0, 1.0, 1).fit(Features().fit(wide[:, :18]), wide[:, :18], target[:60], weight[:60]).forests_
    assert [forest.max_features for forest in few] == [12, 12, 12]


def test_a_second_fit_of_all_learners_goes_on_where_the_first_ended(rows):
    features, index, *_ = rows
    first = learners.Learners(seed=1, trees=2, n_kinds=1).fit(*rows)
    boosting = first.kinds_[0]
    said = first.predict(features, index)
    assert said.shape == (80, len(learners.REPAIR_NAMES)) and not said[:, 4:].any()
    assert boosting.min_samples_leaf == round(20 * 0.2 / rows[3].mean())
    both = first.set_params(n_kinds=None).fit(*rows)
    assert both.kinds_[0] is boosting and len(both.kinds_) == 5
    assert np.array_equal(both.predict(features, index)[:, :4], said[:, :4])
    whole = learners.Learners(seed=1, trees=2).fit(*rows)
    assert np.array_equal(whole.predict(features, index), both.predict(features, index))
    constant = np.zeros((80, 1), int)
    nothing = learners.Learners(trees=2).fit(Features().fit(constant), constant, rows[2], rows[3])
    assert len(nothing.kinds_) == 2


def test_boosting_tells_its_stages(rows):
    features, index, target, weight = rows
    stages = Boosting((2, 5), 3).fit(*rows)
    table = binned(index, stages.tables_)
    for k, rounds in enumerate((2, 5)):
        peer = HistGradientBoostingRegressor(
            max_iter=rounds, learning_rate=0.1, max_leaf_nodes=10, min_samples_leaf=3, early_stopping=False
        ).fit(table, target, weight)
        assert stages.predict(features, index)[:, k] == pytest.approx(peer.predict(table))


def test_rows_are_predicted_by_fits_to_the_other_folds(rows):
    _, index, target, weight = rows
    features = Features(categories=(0,)).fit(index)
    fold, inner, bins = np.arange(80) % 2, np.arange(80) % 3, np.arange(80) % 4
    variance = weight[:4, None] * [1, 2]
    residual, variance = np.column_stack([target, target**2]), variance[bins]
    said = predict_out_of_fold(features, index, residual, variance, bins, weight, fold, inner)
    linear = Linear().fit(features, index, fold, bins, weight, variance, weight[:, None] * residual)
    for j, out in enumerate((fold == 1, fold == 0)):
        given = (residual / variance)[out, j], (weight * variance[:, j])[out], inner[out]
        boosted = Boosting().fit(features, index[out], *given).predict(features, index[~out])
        assert np.array_equal(said[~out], np.hstack([boosted, linear.predict(features, index[~out], j)]))


def test_rows_are_combined_by_weights_of_the_other_folds():
    rng = np.random.default_rng(4)
    columns, r, w, fold = rng.normal(size=(60, 2)), rng.normal(size=60), rng.uniform(0.5, 2, 60), rng.integers(0, 3, 60)
    r += columns @ [0.5, 1.0]
    combined, weights = combine_out_of_fold(columns, r, w, fold)
    for j in range(3):
        rest = fold != j
        root = np.sqrt(w[rest])
        expected = nnls(root[:, None] * columns[rest], root * r[rest])[0]
        assert weights[j] == pytest.approx(expected, abs=1e-4)
        assert combined[fold == j] == pytest.approx(columns[fold == j] @ weights[j])


def test_regions_of_a_fold_are_leaves_of_a_tree_of_the_others():
    """Four codes, of which the first two have one target: with half of the rows in a leaf, two regions."""
    index = np.repeat([[0], [1], [2], [3]], 30, axis=0)
    fold = np.arange(120) % 3
    target = np.where(index[:, 0] < 2, 1.0, -1.0) + 0.1 * (index[:, 0] == 3)
    own = np.where(fold == 1, -target, target)  # turned round where fold 1 is judged
    residual = np.column_stack([target, own, target])
    features = Features().fit(index)
    for least, n_regions in ((40, 2), (20, 3)):
        region = regions_out_of_fold(features, index, residual, np.ones(120), fold, fold, least)
        for j in range(3):
            codes = [np.unique(region[(fold == j) & (index[:, 0] == code)]) for code in range(4)]
            assert [code.size for code in codes] == [1] * 4 and codes[0] == codes[1] != codes[2]
            assert np.unique(region[fold == j]).tolist() == list(range(n_regions))
            assert (codes[0] > codes[2]).all()
