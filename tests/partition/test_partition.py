"""Regions chosen on some rows, judged on others, and told in words that mean what the tree does."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from helpers.partition import HonestTree, split_rows
from helpers.partition import honest_tree as partition

SIZES = ["S", "M", "L"]


def holds(condition, table):
    """Rows of `table` that satisfy one condition of a rule: an independent reader of the words."""
    if match := re.fullmatch(r"\((.*) or missing\)", condition):
        name = re.search(r"\b(num|whole|few|flag|maybe|day|job|size)\b", condition)[0]
        return holds(match[1], table) | table[name].isna().to_numpy()
    if match := re.fullmatch(r"(?:(.+?) < )?(\w+) (<=|>) (.+)", condition):
        low, name, sign, high = match.groups()
        read = {"day": pd.Timestamp, "size": SIZES.index}.get(name, float)
        values = table[name]
        missing = table[name].isna().to_numpy()
        values = values.astype(object).map(SIZES.index, na_action="ignore").astype(float) if name == "size" else values
        inside = (values <= read(high)) if sign == "<=" else (values > read(high))
        inside = inside & (values > read(low)) if low else inside
        return inside.fillna(False).to_numpy(bool) & ~missing
    name, negated, words = re.fullmatch(r"(\w+) is (not )?(.*)", condition).groups()
    values = table[name]
    if words == "missing" and name not in ("job",):
        return values.isna().to_numpy() != bool(negated)
    if name in ("num", "whole", "few"):
        return (values == float(words)).to_numpy(bool)
    listed = re.split(", | or ", words)
    known = values.astype(object).where(values.notna(), "missing").astype(str)
    return known.isin(listed).to_numpy(bool) != bool(negated)


def satisfied(rules, table):
    """(rules, rows) truth table."""
    told = cache(lambda words: np.ones(len(table), bool) if words == "all rows" else holds(words, table))
    return np.array([np.logical_and.reduce([told(words) for words in rule.split(" and ")]) for rule in rules])


def people(rng, n, *, missing=0.15):
    """Rows with every kind of column; numbers have at most four digits, so that rules print them exactly."""
    frame = pd.DataFrame(
        {
            "num": np.round(rng.normal(size=n), 2),
            "whole": rng.choice([18, 19, 20, 22, 30, 31, 45, 70], n).astype(float),
            "few": rng.integers(0, 2, n),
            "flag": rng.random(n) < 0.4,
            "maybe": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 5000, n), unit="h"),
            "job": rng.choice(["cook", "smith", "tailor", "nurse", "judge"], n),
            "size": pd.Categorical(rng.choice(SIZES, n), SIZES, ordered=True),
        }
    )
    for name in ("num", "maybe", "day", "job", "size"):
        frame.loc[rng.random(n) < missing, name] = None
    return frame


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_every_row_satisfies_the_rule_of_its_region_and_no_other(seed):
    rng = np.random.default_rng(seed)
    fit = people(rng, 400)
    new = people(rng, 1000)
    tree = HonestTree(min_samples_leaf=4, max_depth=None if seed % 2 else 4, rng=seed).fit(fit, rng.normal(size=400))
    rules = tree.rules()
    assert len(rules) == tree.n_regions_ == len(set(rules))
    new["whole"] = rng.integers(0, 100, 1000).astype(float)  # outside and between the values of the fit
    new["num"] = np.round(new["num"] * 3, 2)
    for table in (fit, new):
        truth = satisfied(rules, table)
        assert (truth.sum(axis=0) == 1).all()
        assert np.array_equal(truth.argmax(axis=0), tree.apply(table))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_what_fitting_never_saw_satisfies_no_wrong_rule(seed):
    """New categories, and missing numbers in columns that had none: their region is never contradicted by the words."""
    rng = np.random.default_rng(100 + seed)
    fit = people(rng, 300, missing=0.0)
    new = people(rng, 600, missing=0.3)
    new.loc[rng.random(600) < 0.3, "job"] = "pilot"
    tree = HonestTree(min_samples_leaf=5, rng=seed).fit(fit, rng.normal(size=300))
    truth = satisfied(tree.rules(), new)
    region = tree.apply(new)
    assert ((region >= 0) & (region < tree.n_regions_)).all()
    assert (truth.sum(axis=0) <= 1).all()
    told = truth.any(axis=0)
    assert np.array_equal(truth.argmax(axis=0)[told], region[told])
    seen = (new["job"] != "pilot").to_numpy() & new.notna().all(axis=1).to_numpy()
    assert told[seen].all() and seen.any()


def test_rules_in_words_people_use():
    n = 4000
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 60, n),
            "education": rng.choice(["Master's", "Bachelor's", "High school"], n, p=[0.6, 0.2, 0.2]),
            "member": rng.random(n) < 0.5,
        }
    )
    young = (table["age"] <= 24) & (table["education"] == "Master's")
    tree = HonestTree(min_samples_leaf=50, max_depth=2, rng=0).fit(table, young.to_numpy(float))
    assert "education is not Bachelor's or High school and age <= 24" in tree.rules() or (
        "age <= 24 and education is Master's" in tree.rules()
    )
    one = HonestTree(max_depth=1, rng=0).fit(table[["member"]], table["member"].to_numpy(float))
    assert one.rules() == ["member is False", "member is True"]


def test_few_levels_of_an_order_are_named_one_by_one():
    levels = ["excellent", "good", "fair", "poor", "very poor"]
    X = pd.DataFrame({"health": pd.Categorical(np.repeat(levels, 20), levels, ordered=True)})
    ill = HonestTree(max_depth=1, rng=0).fit(X, np.repeat([0.0, 0, 1, 1, 1], 20))
    assert ill.rules() == ["health is excellent or good", "health is fair, poor or very poor"]
    most = HonestTree(max_depth=1, rng=0).fit(X, np.repeat([0.0, 1, 1, 1, 1], 20))
    assert most.rules() == ["health is excellent", "health > excellent"]


def test_rules_of_days_hours_and_extreme_numbers():
    hours = pd.DataFrame({"t": pd.date_range("2020-01-01 00:00", periods=96, freq="h", tz="UTC")})
    late = np.arange(96) >= 30
    tree = HonestTree(max_depth=1, rng=0).fit(hours, late.astype(float))
    assert tree.rules() == ["t <= 2020-01-02 05:00:00 UTC", "t > 2020-01-02 05:00:00 UTC"]
    days = pd.DataFrame({"t": pd.date_range("2020-01-01", periods=96)})
    tree = HonestTree(max_depth=1, rng=0).fit(days, late.astype(float))
    assert tree.rules() == ["t <= 2020-01-30", "t > 2020-01-30"]
    huge = HonestTree(max_depth=1, rng=0).fit(np.arange(96.0)[:, None] * 1e300, late.astype(float))
    assert huge.rules() == ["x0 <= 2.9e+301", "x0 > 2.9e+301"]
    close = 1 + np.arange(90) // 30 * 1e-7
    tree = HonestTree(max_depth=2, min_samples_leaf=20, rng=0).fit(close[:, None], (close == close[45]) * 1.0)
    low, high = map(float, re.fullmatch(r"(\S+) < x0 <= (\S+)", tree.rules()[1]).groups())
    assert low < close[45] <= high


def test_four_rows_by_hand_and_honest_values():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    tree = HonestTree(min_samples_leaf=2, rng=0).fit(X, [-1.0, -1.0, 1.0, 1.0])
    tree.estimate(X, [0.0, 0.5, 0.25, 0.75])
    assert tree.value_.tolist() == [0.25, 0.5] and tree.count_.tolist() == [2, 2]
    assert tree.predict([[-9.0], [9.0]]).tolist() == [0.25, 0.5]
    tree.estimate(X, [0.0, 0.5, 0.25, 0.75], sample_weight=[1, 3, 0, 0])
    assert tree.value_.tolist() == [0.375, 0.0]
    assert tree.estimate([[0.0]], [0.5]).value_.tolist() == [0.5, 0.0]


def test_an_estimate_changes_values_and_no_region():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    residual = rng.normal(size=400)
    tree = HonestTree(rng=0).fit(X[:200], residual[:200])
    region = tree.apply(X[:200])
    means = np.bincount(region, residual[:200]) / np.bincount(region)
    assert not tree.honest_ and np.allclose(tree.predict(X[:200]), means[region])  # nothing but noise, and yet
    before = tree.rules()
    assert means.std() > 2 * tree.estimate(X[200:], residual[200:]).value_.std()
    assert tree.estimate(X[200:], 1e6 * residual[200:]).rules() == before and tree.honest_


@given(st.integers(0, 10**6), st.integers(1, 40))
@settings(max_examples=25)
def test_regions_have_the_rows_they_need(seed, leaf):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(120, 3)), 1)
    residual = rng.normal(size=120)
    tree = HonestTree(min_samples_leaf=leaf, rng=seed).fit(X, residual)
    count = np.bincount(tree.apply(X), minlength=tree.n_regions_)
    assert count.size == tree.n_regions_ and count.min() >= leaf and count.sum() == 120
    assert tree.estimate(X, residual).value_ @ count == pytest.approx(residual.sum(), abs=1e-9)
    assert np.array_equal(tree.apply(X[::-1]), tree.apply(X)[::-1])


def test_monotone_changes_of_a_number_change_nothing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    residual = rng.normal(size=300)
    region = HonestTree(rng=0).fit(X, residual).apply(X)
    assert np.array_equal(HonestTree(rng=0).fit(np.exp(X) * 1e-30, residual).apply(np.exp(X) * 1e-30), region)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": np.full(100, np.nan)}),
        pd.DataFrame({"a": [None] * 100}),
        pd.DataFrame({"a": ["x"] * 100}),
        pd.DataFrame({"a": np.ones(100)}),
    ],
    ids=["missing numbers", "missing text", "one category", "constant"],
)
def test_tables_that_tell_nothing_have_one_region(table):
    tree = HonestTree(rng=0).fit(table, np.arange(100.0))
    assert tree.rules() == ["all rows"] and (tree.apply(table) == 0).all()
    few = HonestTree(min_samples_leaf=1000).fit(np.arange(100.0)[:, None], np.arange(100.0))
    assert few.rules() == ["all rows"]


def test_rows_of_weight_zero_do_not_choose_regions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    residual = rng.normal(size=300)
    weight = (np.arange(300) < 150) * 1.0
    noisy = np.where(weight > 0, residual, 100 * X[:, 0])
    trees = [HonestTree(rng=0).fit(X, r, sample_weight=weight) for r in (residual, noisy)]
    assert np.array_equal(trees[0].apply(X), trees[1].apply(X))


@given(st.integers(0, 10**6), st.integers(2, 60))
def test_split_rows_keeps_groups_whole_and_uses_every_row_once(seed, n_groups):
    rng = np.random.default_rng(seed)
    groups = np.r_[np.arange(n_groups), rng.integers(0, n_groups, 400)]
    y = (rng.random(groups.size) < 0.5).astype(float)
    try:
        parts = split_rows(y, groups, (0.1, 0.5), rng)
    except ValueError as error:
        assert n_groups < 8 and "both classes in each of 3 random parts" in str(error)
        return
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(groups.size))
    owners = [set(groups[rows]) for rows in parts]
    assert not (owners[0] & owners[1] or owners[0] & owners[2] or owners[1] & owners[2])
    assert all(0 < y[rows].sum() < rows.size for rows in parts)


def test_two_groups_cannot_fill_four_parts():
    with pytest.raises(ValueError, match="y must hold both classes in each of 4 random parts"):
        split_rows(np.tile([0.0, 1.0], 10), np.repeat([0, 1], 10), (0.3, 0.6, 0.9), np.random.default_rng(0))


def test_columns_are_cut_more_coarsely_where_there_are_many_rows(monkeypatch):
    monkeypatch.setattr(partition, "MANY_ROWS", 3000)
    X, residual = np.random.default_rng(0).normal(size=(2, 3000))
    few, many = (HonestTree(rng=0).fit(X[:n, None], residual[:n]) for n in (2999, 3000))
    levels = [len(np.unique(tree.encoder_.transform(pd.DataFrame({"x0": X})))) for tree in (few, many)]
    assert levels == [1024, 256]


def test_new_rows_between_two_values_are_cut_at_the_lower_one():
    """The regions of the rows of `fit` are scikit-learn's, which cuts half way between 38 and 40."""
    X = np.arange(0.0, 80.0, 2.0)[:, None]
    y = np.where(X[:, 0] < 39, -0.5, 0.5)
    ours = HonestTree(min_samples_leaf=15, max_depth=1, rng=0).fit(X, y)
    theirs = DecisionTreeRegressor(min_samples_leaf=15, max_depth=1).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    between = [[38.0], [38.5], [39.5]]
    assert ours.predict(between).tolist() == [-0.5, 0.5, 0.5] and theirs.predict(between).tolist() == [-0.5, -0.5, 0.5]
