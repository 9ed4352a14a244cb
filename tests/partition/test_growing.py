"""Trees grown from histograms: the splits of scikit-learn's trees, found another way."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from helpers.partition import HonestTree, honest_tree
from helpers.partition.growing import WIDEST, grow_tree

FIELDS = ("feature", "threshold", "children_left", "children_right", "n_node_samples", "missing_go_to_left")
SUMS = ("impurity", "weighted_n_node_samples", "value")


def sample(n=3000, gaps=0.0):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 200, size=(n, 4)).astype(np.float32)
    codes[rng.random((n, 4)) < gaps] = np.nan
    target = rng.normal(size=n) + (codes[:, 0] > 70) + np.nan_to_num(codes[:, 1]) / 100 + 2 * np.isnan(codes[:, 2])
    return codes, target, rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_depth", [None, 1, 3])
def test_same_tree_as_scikit_learn(weighted, max_depth):
    codes, target, weight = sample()
    weight = weight if weighted else None
    options = {"min_samples_leaf": 15, "max_depth": max_depth}
    want = DecisionTreeRegressor(random_state=0, **options).fit(codes, target, weight).tree_
    tree = grow_tree(codes, target, weight, small=50, **options)
    assert all(np.array_equal(getattr(tree, name), getattr(want, name)) for name in FIELDS)
    assert all(getattr(tree, name) == pytest.approx(getattr(want, name)) for name in SUMS)
    assert np.array_equal(tree.apply(codes), want.apply(codes)) and tree.max_depth == want.max_depth
    assert tree.compute_feature_importances() == pytest.approx(want.compute_feature_importances())


def test_missing_values_go_to_the_better_side():
    codes, target, weight = sample(gaps=0.2)
    want = DecisionTreeRegressor(min_samples_leaf=15, max_depth=4, random_state=0).fit(codes, target, weight).tree_
    tree = grow_tree(codes, target, weight, min_samples_leaf=15, max_depth=4, small=50)
    assert all(np.array_equal(getattr(tree, name), getattr(want, name)) for name in FIELDS)
    assert np.isinf(tree.threshold).any()  # a split between missing and present


def test_nothing_to_split_and_columns_too_wide_for_histograms():
    codes, target, _ = sample()
    assert grow_tree(codes, np.zeros(3000), min_samples_leaf=15).node_count == 1
    assert grow_tree(codes, target, min_samples_leaf=1600).node_count == 1
    codes[0, 0] = WIDEST
    tree = grow_tree(codes, target, min_samples_leaf=15, small=50)
    want = DecisionTreeRegressor(min_samples_leaf=15, random_state=0).fit(codes, target).tree_
    assert np.array_equal(tree.threshold, want.threshold)


def test_a_tree_of_many_rows_has_the_same_regions_and_rules(monkeypatch):
    codes, target, weight = sample()
    trees = []
    for many in (10_000, 1000):
        monkeypatch.setattr(honest_tree, "MANY_ROWS", many)
        trees.append(HonestTree(max_bins=64, rng=0).fit(codes, target, weight))
    assert trees[0].rules() == trees[1].rules() and len(trees[0].rules()) > 100
    assert np.array_equal(trees[0].apply(codes), trees[1].apply(codes))
