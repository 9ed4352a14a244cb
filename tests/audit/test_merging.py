"""Leaves that say the same become one group: by hand, at the promised level, honestly, and with planted groups kept."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.tree import DecisionTreeRegressor

from helpers.audit import tree_groups
from helpers.audit.merging import merge_siblings, split_p_value
from helpers.partition import HonestTree, split_rows

JOBS = ["cook", "smith", "clerk", "nurse", "judge"]


def planted(n, rng, effect=0.15):
    """Old cooks and smiths have a higher risk than stated; six other features tell nothing. X, p, q, y, the group."""
    X = pd.DataFrame({
        "age": rng.integers(18, 80, n), "job": rng.choice(JOBS, n), "income": rng.lognormal(10, 0.5, n),
        "member": rng.random(n) < 0.4, "noise": rng.normal(size=n),
    })  # fmt: skip
    inside = (X["age"] > 55).to_numpy() & X["job"].isin(["cook", "smith"]).to_numpy()
    p = rng.uniform(0.3, 0.7, n)
    q = p + effect * inside
    return X, p, q, (rng.random(n) < q).astype(int), inside


def steps(n=80):
    """One feature, and residuals that step at 1/4, 1/2 and 3/4 of the rows."""
    X = np.arange(float(n))[:, None]
    return X, np.repeat([-0.4, -0.2, 0.2, 0.4], n // 4)


# ---- hand-made ------------------------------------------------------------------------------------------------


def test_pruning_joins_all_below_a_node_and_leaves_the_tree_alone():
    X, residual = steps()
    tree = HonestTree(max_depth=2, rng=0).fit(X, residual).estimate(X, residual)
    left = tree.tree_.children_left[0]
    pruned = tree.pruned([left])
    assert pruned.rules() == ["x0 <= 39", "39 < x0 <= 59", "x0 > 59"] and pruned.n_regions_ == 3
    np.testing.assert_array_equal(pruned.apply(X), np.repeat([0, 0, 1, 2], 20))
    np.testing.assert_allclose(pruned.estimate(X, residual).value_, [-0.3, 0.2, 0.4])
    assert tree.n_regions_ == 4 and tree.value_.size == 4 and len(tree.rules()) == 4
    assert tree.pruned([0, left]).rules() == ["all rows"] and tree.pruned([]).rules() == tree.rules()


def test_only_the_splits_that_say_something_stay():
    n = 4000
    half = np.arange(n) % 2
    X = pd.DataFrame({"a": np.arange(n) < n // 2, "b": np.arange(n) % 4 < 2})
    y = np.where(X["a"], half, np.arange(n) % 10 < 8).astype(float)  # 50 % with a, 80 % without, whatever b is
    p = np.full(n, 0.5)
    tree = HonestTree(min_samples_leaf=100, max_depth=2, rng=0).fit(X, y - p + 1e-6 * X["b"])
    merged = merge_siblings(tree, X, y, p, alpha=0.05)
    assert tree.n_regions_ == 4 and merged.rules() == ["a is False", "a is True"]


@pytest.mark.parametrize(
    ("kinds", "codes", "z", "want"),
    [
        (["number"], [[0.0], [1.0]] * 50, 2.0, 2 * norm.sf(2.0)),  # one cut
        (["number"], [[0.0], [1.0], [2.0], [3.0]] * 25, 2.0, 3 * 2 * norm.sf(2.0)),  # three cuts
        (["category"], [[0.0], [1.0], [2.0]] * 30, 2.0, np.exp(-2.0)),  # chi-square, two degrees of freedom
        (["number"] * 2, [[0.0, 0.0], [1.0, 1.0]] * 50, 2.0, 4 * norm.sf(2.0)),  # two features
        (["number"], [[0.0], [np.nan]] * 50, 2.0, 4 * norm.sf(2.0)),  # missing: both sides are tried
        (["number"], [[0.0]] * 100, 2.0, 0.0),  # nothing to cut
        (["number"], [[0.0], [1.0], [2.0]] * 30, 0.0, 1.0),
    ],
)
def test_p_value_of_the_best_split_by_hand(kinds, codes, z, want):
    assert split_p_value(z, np.array(codes), kinds, 10) == pytest.approx(want, rel=1e-12)


# ---- known truth ----------------------------------------------------------------------------------------------


def best_splits(kinds, draws, n=200, least=20):
    """P-values of the best split of rows with nothing to find."""
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        residual = rng.normal(size=n)
        codes = np.column_stack([rng.normal(size=n) if kind == "number" else rng.integers(0, 5, n) for kind in kinds])
        for j in np.flatnonzero([kind == "category" for kind in kinds]):  # as the encoder does: in order of their means
            means = pd.Series(residual).groupby(codes[:, j]).mean()
            codes[:, j] = means.rank().loc[codes[:, j]].to_numpy() - 1
        side = DecisionTreeRegressor(max_depth=1, min_samples_leaf=least, random_state=0).fit(codes, residual)
        side = side.apply(codes) == 1
        gap = residual[side].mean() - residual[~side].mean()
        yield split_p_value(abs(gap) / np.sqrt(1 / side.sum() + 1 / (~side).sum()), codes, kinds, least)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [["number"], ["category"], ["number", "category", "number"]])
def test_best_split_of_nothing_is_called_different_as_often_as_promised(kinds):
    draws = 150
    level = 0.2
    share = np.mean(np.array(list(best_splits(kinds, draws))) < level)
    assert share < level + 3 * np.sqrt(level * (1 - level) / draws)
    assert share > level / 4  # a bound, but not a useless one


@pytest.mark.slow
def test_merging_names_the_planted_group_with_fewer_groups_and_words():
    found = {None: [], 0.2: []}
    for seed in range(8):
        X, p, q, y, inside = planted(6000, np.random.default_rng(seed))
        for merge, rows in found.items():
            audit = tree_groups(y, p, X, merge=merge, rng=seed)
            group = audit.apply(X)
            sure = [k for k in audit.significant.index if audit.table["gap"][k] > 0]
            jaccard = [np.mean(inside & (group == k)) / np.mean(inside | (group == k)) for k in sure]
            rows.append((len(audit.table), max(jaccard, default=0), audit.table["rule"].str.count(" and ").mean()))
    plain, merged = (np.mean(rows, axis=0) for rows in found.values())
    assert merged[0] < 0.7 * plain[0] and merged[2] < plain[2]
    assert merged[1] > plain[1] > 0.4  # leaves cut the planted group into pieces


# ---- invariances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_measure_have_no_say_in_merging(seed):
    X, p, _, y, _ = planted(3000, np.random.default_rng(seed))
    rest = split_rows(y.astype(float), None, (0.5,), np.random.default_rng(seed))[1]
    other = y.copy()
    other[rest] = 1 - other[rest]
    one, two = (tree_groups(labels, p, X, merge=0.2, rng=seed) for labels in (y, other))
    assert sorted(one.table["rule"]) == sorted(two.table["rule"])
    assert not np.allclose(np.sort(one.table["gap"]), np.sort(two.table["gap"]))


def test_repeated_people_count_once():
    """Two sides that differ only because each holds few, much repeated people are one group."""
    n = 1200
    each = 60
    parted = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        person = np.arange(n) // each
        X = pd.DataFrame({"x": np.repeat(rng.normal(size=n // each), each)})
        y = (rng.random(n) < rng.beta(1, 1, n // each)[person]).astype(int)
        tree = HonestTree(min_samples_leaf=240, max_depth=1, rng=0).fit(X, y - 0.5)
        p = np.full(n, 0.5)
        parted.append([merge_siblings(tree, X, y, p, alpha=0.2, groups=g).n_regions_ > 1 for g in (person, None)])
    with_people, without = np.sum(parted, axis=0)
    assert with_people <= 12 and without >= 25


def test_a_side_without_weight_or_with_one_unit_cannot_be_told_apart():
    X, residual = steps()
    y = (residual > 0).astype(float)
    p = np.full(80, 0.5)
    tree = HonestTree(max_depth=1, rng=0).fit(X, residual)
    assert merge_siblings(tree, X, y, p, alpha=0.2).n_regions_ == 2
    assert merge_siblings(tree, X, y, p, alpha=0.2, sample_weight=(X[:, 0] < 40) * 1.0).n_regions_ == 1
    assert merge_siblings(tree, X, y, p, alpha=0.2, groups=np.zeros(80, int)).n_regions_ == 1
