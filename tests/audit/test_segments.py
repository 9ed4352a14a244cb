"""The family of segments: every rule, the rows that its words name, and the pairs that are neither small nor alone."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from helpers.audit import segments as module
from helpers.audit.segments import SegmentFamily, fewest_rows

N = 400


def people():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({
        "few": rng.choice([1, 2, 5, np.nan], N),
        "many": rng.permutation(N) / 8,
        "ten": np.arange(N) % 10,
        "job": rng.choice(["cook", "smith", "a", "b", None], N, p=[0.4, 0.5, 0.04, 0.03, 0.03]),
        "town": rng.choice(["Bonn", "Kiel", "Ulm"], N, p=[0.5, 0.42, 0.08]),
        "size": pd.Categorical(rng.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
    })  # fmt: skip
    return X, rng.integers(0, 2, N)


def named(rule, X):
    """Rows of a rule as its words say them."""
    return np.all([meets(part, X) for part in rule.split(" and ")], axis=0)


def meets(condition, X):
    """Rows of a condition as its words say them."""
    name, joined, levels = condition.partition(" is ")
    if not joined:
        return X.eval(condition, engine="python")
    if levels in ("missing", "not missing"):
        return X[name].isna() == (levels == "missing")
    if levels == "none of the 2 larger levels":
        return ~X[name].isin(["cook", "smith"])
    return X[name].isin([float(level) if level.isdigit() else level for level in levels.split(" or ")])


def test_every_condition_on_one_column_is_there_once():
    X, y = people()
    family = SegmentFamily(X, y, 20, 1)
    assert not family.pairs.any() and family.notes == ["3 levels of job with few rows were taken together"]
    rules = pd.Series(family.rules())
    assert rules.is_unique
    by_column = {name: set(rules[rules.str.contains(rf"\b{name}\b")]) for name in X}
    fifths = [f"{low} < ten <= {high}" for low, high in combinations([1, 3, 5, 7], 2)]
    assert by_column == {
        "few": {"few <= 1", "few <= 2", "few > 1", "few > 2", "few is 2", "few is missing", "few is not missing"},
        "many": by_column["many"],  # below
        "ten": {*(f"ten <= {k}" for k in range(9)), *(f"ten > {k}" for k in range(9)), *fifths}
        | {f"ten is {k}" for k in range(1, 9)},
        "job": {"job is cook", "job is smith", "job is none of the 2 larger levels"},
        "town": {"town is Bonn", "town is Kiel", "town is Ulm"},
        "size": {"size is S", "size is M", "size is L", "size is S or M", "size is M or L"},
    }
    sizes = sorted(named(rule, X).sum() for rule in by_column["many"])
    assert sizes == sorted([*range(20, 400, 20)] * 2 + [80 * (b - a) for a, b in combinations([1, 2, 3, 4], 2)])


def test_sums_and_members_of_all_segments_are_those_of_the_rows_that_the_words_name():
    X, y = people()
    X = X[["few", "job", "size"]]
    family = SegmentFamily(X, y, 20, 2)
    inside = np.column_stack([named(rule, X) for rule in family.rules()])
    np.testing.assert_array_equal(family.members(range(len(inside.T)), X), inside)
    columns = np.random.default_rng(1).normal(size=(N, 2))
    np.testing.assert_allclose(family.sums(columns), inside.T @ columns, atol=1e-9)


def test_pairs_are_all_that_neither_are_small_nor_the_rows_of_one_condition_alone():
    X, y = people()
    X = X[["few", "job", "town"]].assign(small=np.where(np.arange(N) < 200, X["few"], np.nan))
    family = SegmentFamily(X, y, 23, 2)
    singles = np.flatnonzero(~family.pairs)
    masks = {k: named(family.rules()[k], X) for k in singles}
    column = {k: family.conditions(k)[0].column.name for k in singles}
    rows = {(j, k): (masks[j] & masks[k]).sum() for j, k in combinations(singles, 2) if column[j] != column[k]}
    kept = [pair for pair, n in rows.items() if 23 <= n < min(masks[pair[0]].sum(), masks[pair[1]].sum())]
    assert 23 in rows.values() and len(kept) < len(rows)
    assert sorted(tuple(family.parents(k)) for k in np.flatnonzero(family.pairs)) == kept


def test_a_segment_and_the_others_hold_at_least_the_fewest_rows():
    X = pd.DataFrame({"a": np.repeat(["u", "v"], [20, 380]), "b": np.r_[np.zeros(380), np.ones(20)]})
    y = np.arange(N) % 2
    assert set(SegmentFamily(X, y, 20, 1).rules()) == {"a is u", "a is v", "b is 0", "b is 1"}
    assert SegmentFamily(X, y, 21, 1).notes == [f"{name} has no segment of 21 rows" for name in "ab"]
    assert [fewest_rows(n) for n in (100, 4000, 4200, 10_000)] == [20, 20, 21, 50]


def test_of_levels_with_few_rows_one_keeps_its_name():
    X = pd.DataFrame({"a": np.repeat(["u", "v", "w"], [200, 191, 9])})
    family = SegmentFamily(X, np.arange(N) % 2, 9, 1)
    assert family.rules() == ["a is u", "a is v", "a is w"] and not family.notes
    assert SegmentFamily(X, np.arange(N) % 2, 10, 1).rules() == ["a is u", "a is v"]


def test_of_more_than_200_levels_the_largest_stand_alone():
    X = pd.DataFrame({"a": np.char.add("level ", np.repeat(np.arange(202), 5).astype(str))})
    rules = SegmentFamily(X, np.arange(1010) % 2, 5, 1).rules()
    assert len(rules) == 201 and rules[-1] == "a is none of the 200 larger levels"


@pytest.mark.parametrize("columns", [60, 61])
def test_pairs_are_taken_of_at_most_60_columns(columns):
    X = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (100, columns))).add_prefix("x")
    family = SegmentFamily(X, np.arange(100) % 2, 10, 2)
    assert family.pairs.any() == (columns == 60) == (not family.warnings)


@pytest.mark.parametrize(("columns", "cuts"), [(10, 20), (11, 10), (20, 10), (21, 5)])
def test_wide_tables_are_cut_at_fewer_quantiles(columns, cuts):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(N, columns)))
    rules = pd.Series(SegmentFamily(X.add_prefix("x"), np.arange(N) % 2, 10, 1).rules())
    assert rules.str.startswith("x3 <=").sum() == cuts - 1


ROW = np.arange(N)


@pytest.mark.parametrize(
    ("values", "given_away"),
    [
        (lambda y: np.where(np.cumsum(y) <= 2, 0, y), True),  # 2 of 200 are not told apart
        (lambda y: np.where(np.cumsum(y) <= 3, 0, y), False),
        (lambda y: np.where(y == 1, 1000 + ROW, np.where(ROW < 20, np.nan, ROW)), True),  # no cell, but one cut
        (lambda y: np.where(y == 0, np.where(ROW < 20, np.nan, 1000 + ROW), ROW), True),
        (lambda y: np.where((y == 1) & (ROW > 20), 1000 + ROW, ROW), False),
        (lambda y: np.where(y == 1, ROW, np.nan), True),
    ],
)
def test_columns_that_tell_the_outcome_are_left_out(values, given_away):
    y = ROW % 2
    X = pd.DataFrame({"a": values(y), "b": np.random.default_rng(1).normal(size=N)})
    for labels in (y, 1 - y):
        family = SegmentFamily(X, labels, 20, 2)
        assert family.given_away == ["a"] * given_away == [note.split()[0] for note in family.warnings]
        rare = np.where(np.cumsum(labels) <= 100, labels, 0)  # of 100 cases no more than one
        wrong = X.assign(a=np.where(np.cumsum(rare) <= 2, 0, rare))
        assert not any(SegmentFamily(wrong, cases, 20, 1).given_away for cases in (rare, 1 - rare))


@pytest.mark.parametrize("most", [50, 3])
def test_squares_of_sums_over_groups_are_those_of_dense_matrices(monkeypatch, most):
    """Small groups by their pairs of rows, in blocks; large ones by their sums."""
    monkeypatch.setattr(module, "PAIRED", most)
    monkeypatch.setattr(module, "BLOCK", 70)
    X, y = people()
    family = SegmentFamily(X, y, 20, 2)
    rng = np.random.default_rng(1)
    groups = rng.permutation(np.r_[np.zeros(60, int), np.repeat(np.arange(1, 100), 3), np.arange(100, 143)])
    values = rng.normal(size=N)
    inside = family.members(range(family.pairs.size), X)
    sums = pd.DataFrame(inside * values[:, None]).groupby(groups).sum().to_numpy()
    np.testing.assert_allclose(family.squares_by_group(values, groups), (sums**2).sum(axis=0), atol=1e-9)
