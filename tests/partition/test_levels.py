"""Categories of many levels: rare ones are pooled by a rule without labels, and luck does not order the others."""

import numpy as np
import pandas as pd
import pytest

from helpers.partition import HonestTree
from helpers.partition.encoder import TableEncoder
from helpers.partition.levels import FEW, FOLDS, folds_of_rows, rare_levels


def of_levels(count, prefix="c"):
    return np.repeat([f"{prefix}{k:03d}" for k in range(len(count))], count)


def test_rare_levels_are_pooled_whatever_the_target():
    count = [10] * 20 + [4, 3, 1]
    table = pd.DataFrame({"town": of_levels(count)})
    for target in (np.zeros(len(table)), np.arange(len(table)) * 1.0, None):
        encoder = TableEncoder().fit(table, target)
        assert encoder.pooled_ == (("town", 3, 23),)
        (column,) = encoder.columns_
        assert set(column.levels) == {f"c{k:03d}" for k in range(20)} | {None}
        pool = list(column.levels).index(None)
        new = pd.DataFrame({"town": ["c020", "c022", "never seen", None, "c019"]})
        assert (encoder.transform(new)[:, 0] == pool).tolist() == [True] * 4 + [False]


def test_few_levels_one_rare_level_and_frequent_ones_stand_alone():
    for count in ([3] * FEW, [9] * FEW + [2], [5] * 30):
        assert not rare_levels(np.array(count)).any()
        assert TableEncoder().fit(pd.DataFrame({"a": of_levels(count)}), np.ones(sum(count))).pooled_ == ()
    assert rare_levels(np.array([9] * FEW + [2, 2])).sum() == 2


def test_rows_of_weight_zero_do_not_make_a_level_frequent():
    table = pd.DataFrame({"town": of_levels([10] * 25)})
    weight = np.where(np.arange(250) % 10 < 4, 1.0, np.where(np.arange(250) < 230, 1.0, 0.0))
    assert TableEncoder().fit(table, np.ones(250), weight).pooled_ == (("town", 2, 25),)


def test_rules_name_the_pooled_levels():
    table = pd.DataFrame({"town": of_levels([20] * 21 + [1] * 30)})
    rare = np.arange(len(table)) >= 420
    tree = HonestTree(max_depth=1, rng=0).fit(table, rare * 1.0)
    assert tree.rules()[1] == "town is one of 30 rare levels"
    assert tree.apply(table).tolist() == rare.astype(int).tolist()
    most = HonestTree(max_depth=1, rng=0).fit(table, table["town"] > "c001")
    assert most.rules() == ["town is c000 or c001", "town is not c000 or c001"]
    assert tree.rules()[tree.apply(pd.DataFrame({"town": ["new"]}))[0]] == "town is one of 30 rare levels"


@pytest.mark.parametrize("rows", [8, 30])
def test_levels_with_a_mean_of_their_own_stay_in_place(rows):
    rng = np.random.default_rng(0)
    level = np.repeat(np.arange(100), rows)
    table = pd.DataFrame({"town": np.char.add("t", level.astype(str)), "x": rng.random(level.size)})
    target = 5 * rng.normal(size=100)[level] + rng.normal(size=level.size)
    encoder = TableEncoder()
    own = encoder.fit_transform(table, target)
    j = [column.name for column in encoder.columns_].index("town")
    assert np.corrcoef(own[:, j], encoder.transform(table)[:, j])[0, 1] > 0.98


@pytest.mark.slow
def test_luck_earns_a_row_nothing():
    """The codes of pure noise go with the target of the rows that made them no more than any numbers do."""
    slopes = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"town": np.char.add("t", rng.integers(0, 100, 1500).astype(str)), "x": rng.random(1500)})
        target = rng.normal(size=1500)
        encoder = TableEncoder().fit(table, target)
        j = [column.name for column in encoder.columns_].index("town")
        own = TableEncoder().fit_transform(table, target)[:, j]
        slopes.append([np.corrcoef(codes, target)[0, 1] for codes in (own, encoder.transform(table)[:, j])])
    mean = np.mean(slopes, axis=0)
    assert mean[0] < 2 / np.sqrt(40 * 1500) and mean[1] > 0.2


def test_large_levels_are_not_scattered():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"town": np.char.add("t", rng.integers(0, 30, 4000).astype(str))})
    encoder = TableEncoder()
    assert np.array_equal(encoder.fit_transform(table, rng.normal(size=4000)), encoder.transform(table))


def test_folds_know_no_order_of_rows_or_columns_and_keep_groups_whole():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"x": rng.normal(size=500), "z": rng.integers(0, 9, 500), "town": rng.choice(list("abc"), 500)}
    )
    fold = folds_of_rows(table)
    mixed = rng.permutation(500)
    assert np.array_equal(folds_of_rows(table.iloc[mixed][["z", "town", "x"]]), fold[mixed])
    assert np.bincount(fold).tolist() == [100] * FOLDS
    group = rng.integers(0, 50, 500)
    folds = pd.Series(folds_of_rows(table, group)).groupby(group)
    assert (folds.nunique() == 1).all() and folds.first().nunique() == FOLDS


def test_a_level_of_one_group_alone_says_nothing_of_other_groups():
    """Wards that are hospitals: the means of their own rows are all that is known of them."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(40), 60)
    table = pd.DataFrame({"ward": np.char.add("w", group.astype(str)), "x": rng.random(2400)})
    target = rng.normal(size=40)[group]
    assert HonestTree(rng=0).fit(table[["ward"]], target, groups=group).n_regions_ == 1
    assert HonestTree(rng=0).fit(table[["ward"]], target).n_regions_ > 10
