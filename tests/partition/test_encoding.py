"""Tables of any kind become codes a tree can split, and the codes mean the same in other rows."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from helpers.partition import HonestTree
from helpers.partition.checked import CheckedTable, check_table
from helpers.partition.columns import words_of
from helpers.partition.content_order import order_of_content
from helpers.partition.encoder import TableEncoder

TARGET = np.array([0.0, 1.0, 0.5, 0.2])


def codes(column, new=None, target=TARGET, **options):
    """Codes of one column, learned from it and applied to `new` (or to itself)."""
    table = check_table(pd.DataFrame({"a": column}))
    encoder = TableEncoder(**options).fit(table, target)
    rows = table if new is None else check_table(pd.DataFrame({"a": new}))
    return encoder.transform(rows)[:, 0].tolist()


@pytest.mark.parametrize(
    "column",
    [
        [1, 4, 2, 1],
        [1.5, 9.0, 2.0, 1.5],
        np.array([1, 4, 2, 1], np.uint64) + 2**52,
        pd.array([1, 4, 2, 1], dtype="Int8"),
        pd.array([0.1, 0.4, 0.2, 0.1], dtype="Float32"),
        pd.arrays.SparseArray([1.0, 4.0, 2.0, 1.0]),
        np.array([1, 4.5, 2, 1], object),
        pd.to_datetime(["2020-01-01", "2021-01-01", "2020-06-01", "2020-01-01"]),
        pd.to_datetime(["2020-01-01", "2021-01-01", "2020-06-01", "2020-01-01"]).tz_localize("Asia/Tokyo"),
        pd.to_timedelta([1, 4, 2, 1], unit="h"),
        pd.Categorical(["s", "l", "m", "s"], categories=["s", "m", "l"], ordered=True),
        [Decimal("1.5"), Decimal("4.25"), Decimal("2"), Decimal("1.5")],
        [Fraction(1, 3), Fraction(4, 3), Fraction(1, 2), Fraction(1, 3)],
        [Decimal("1.5"), 4.25, Fraction(2), Decimal("1.5")],
        ["1.5", "14", " 2e0", "1.5"],
        [1, "14", 2.5, 1],
        [date(2020, 1, 1), date(2021, 1, 1), date(2020, 6, 1), date(2020, 1, 1)],
        ["2020-01-01", "2021-01-01", "2020-06-01", "2020-01-01"],
        ["31.01.2020", "1.3.2021", "29.02.2020", "31.01.2020"],
        pd.period_range("2020", periods=3, freq="M")[[0, 2, 1, 0]],
        pd.interval_range(0, 30, 3)[[0, 2, 1, 0]],
    ],
    ids=lambda column: f"{type(column[0]).__name__}-{getattr(column, 'dtype', 'list')}",
)
def test_what_has_an_order_keeps_it(column):
    assert codes(column) == [0, 2, 1, 0]


@pytest.mark.parametrize("dtype", ["int64[pyarrow]", "double[pyarrow]", "decimal", "timestamp[ns][pyarrow]", "date32"])
def test_arrow_columns_keep_their_order_and_their_missing_values(dtype):
    arrow = pytest.importorskip("pyarrow", reason="Arrow columns need pyarrow, which is in the test extra")
    column = pd.Series([1, 4, None, 1], dtype="Int64")
    if dtype == "date32":
        column = pd.to_datetime(column, unit="D")
    types = {"date32": "date32[pyarrow]", "decimal": pd.ArrowDtype(arrow.decimal128(25, 2))}
    got = codes(column.astype(types.get(dtype, dtype)))
    assert got[:2] == [0, 1] and np.isnan(got[2])


@pytest.mark.parametrize(
    "column",
    [
        ["c", "b", "a", "c"],
        pd.Series(["c", "b", "a", "c"], dtype="string"),
        pd.Categorical(["c", "b", "a", "c"], categories=["z", "b", "c", "a", "y"]),
        np.array([1, "b", 2.5, 1], object),
    ],
    ids=["text", "string", "unused-levels", "mixed"],
)
def test_categories_are_ordered_by_their_mean_target(column):
    assert codes(column) == [0, 2, 1, 0]


@pytest.mark.parametrize("word", ["", "NA", None, np.nan])
def test_a_missing_word_among_numbers_is_missing(word):
    got = codes(["10", "9", word, "10"])
    assert got[:2] == [1, 0] and np.isnan(got[2])


def test_words_among_numbers_and_dates_of_two_readings_stay_words():
    assert codes(["3", "2", "unknown", "3"]) == [0, 2, 1, 0]
    assert codes(["01/02/2020", "03/02/2020", "02/02/2020", "01/02/2020"]) == [0, 2, 1, 0]
    assert np.isnan(codes(["01", "2", "x", "01"], ["1"])).all()  # a name is not the number that it looks like
    assert codes(["01", "2", "x", "01"], ["01", "2"]) == [0, 2]


def test_new_rows_must_hold_what_the_fit_held():
    """Numbers may come as text; dates are no numbers, and numbers no dates."""
    numbers = pd.DataFrame({"a": np.arange(60.0)})
    dates = pd.DataFrame({"a": pd.date_range("2020-01-01", periods=60)})
    target = np.arange(60) / 60
    of_numbers = HonestTree(rng=0).fit(numbers, target)
    of_dates = HonestTree(rng=0).fit(dates, target)
    assert np.array_equal(of_numbers.apply(numbers.astype(str)), of_numbers.apply(numbers))
    assert np.array_equal(of_numbers.apply(numbers["a"].map(Decimal).to_frame()), of_numbers.apply(numbers))
    assert np.array_equal(of_dates.apply(dates.astype(str)), of_dates.apply(dates))
    assert np.array_equal(of_dates.apply(dates["a"].dt.date.to_frame()), of_dates.apply(dates))
    assert of_numbers.apply(pd.DataFrame({"a": [None, None]})).size == 2
    for fitted, table in ((of_numbers, dates), (of_dates, numbers), (of_dates, numbers.astype(int))):
        with pytest.raises(ValueError, match="column 'a'"):
            fitted.apply(table)


def test_a_rule_says_dates_as_dates_and_intervals_as_they_are():
    days = pd.date_range("2020-01-01", periods=60)
    for column in (days.date, days.to_period("D"), days.strftime("%Y-%m-%d")):
        tree = HonestTree(max_depth=1, rng=0).fit(pd.DataFrame({"d": column}), np.arange(60) >= 30)
        assert tree.rules() == ["d <= 2020-01-30", "d > 2020-01-30"]
    spans = pd.interval_range(0, 30, 3)[np.arange(60) // 20]
    tree = HonestTree(max_depth=1, rng=0).fit(pd.DataFrame({"d": spans}), np.arange(60) >= 20)
    assert tree.rules() == ["d is (0, 10]", "d is (10, 20] or (20, 30]"]


def test_missing_levels_and_new_levels():
    assert codes(["a", None, "b", "a"]) == [0, 2, 1, 0]
    assert np.isnan(codes(["a", "c", "b", "a"], ["new", None])).all()
    assert codes(["a", None, "b", "a"], [None, "missing", np.nan, pd.NA]) == [2, 2, 2, 2]
    assert np.isnan(codes(pd.Categorical(["s", "m", None, "s"], ["s", "m"], ordered=True))[2])
    assert np.isnan(codes([1.0, np.nan, 2.0, 1.0])[1])
    assert np.isnan(codes(pd.array([True, None, False, True], dtype="boolean"))[1])


def test_ordered_categories_are_matched_by_name():
    """Other rows often come with fewer categories, or in another order."""
    fit = pd.Categorical(["low", "mid", "high", "low"], ["low", "mid", "high"], ordered=True)
    for categories in (["high", "mid"], ["mid", "high", "new"], ["high", "mid", "low"]):
        new = pd.Categorical(["mid", "high"], categories, ordered=True)
        assert codes(fit, new) == [1, 2]
    assert codes(fit, ["mid", "high"]) == [1, 2]


def test_dates_are_moments_whatever_the_time_zone():
    moments = pd.date_range("2020-03-01 20:00", periods=4, freq="3h", tz="UTC")
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        assert codes(moments, moments.tz_convert(zone)) == [0, 1, 2, 3]
    assert codes(moments, moments.tz_localize(None)) == [0, 1, 2, 3]


def test_new_numbers_go_to_the_code_whose_rule_they_satisfy():
    assert codes([10, 20, 30, 40], [-5, 10, 10.5, 20, 39.9, 40, 1e9]) == [0, 0, 1, 1, 3, 3, 3]


def test_quantile_cuts_are_values_of_the_data():
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000)
    table = pd.DataFrame({"a": values})
    encoder = TableEncoder(max_bins=16).fit(table, values)
    column = encoder.columns_[0]
    assert not column.exact and column.levels.size == 16 and np.isin(column.levels, values).all()
    count = np.bincount(encoder.transform(table)[:, 0].astype(int))
    assert count.max() - count.min() <= 1
    few = TableEncoder(max_bins=16).fit(pd.DataFrame({"a": np.arange(16.0)}), np.zeros(16))
    assert few.columns_[0].exact


@pytest.mark.parametrize("column", [[np.nan] * 4, [None] * 4, [7] * 4, ["a"] * 4, pd.array([None] * 4, dtype="Int64")])
def test_columns_without_information(column):
    assert len(set(map(str, codes(column)))) == 1


def test_arrays_frames_and_lists_are_the_same_table():
    X = np.random.default_rng(0).normal(size=(30, 3))
    tables = [X, X.tolist(), pd.DataFrame(X), sp.csr_array(X), X.astype(object), np.ma.array(X, mask=False)]
    for table in tables:
        frame = check_table(table)
        assert np.allclose(frame.to_numpy(float), X)
    assert check_table(X).columns.tolist() == ["x0", "x1", "x2"]
    assert check_table(pd.DataFrame({1: [3], "b": ["x"]})).columns.tolist() == ["1", "b"]
    masked = check_table(np.ma.array(X, mask=X > 1))
    assert np.array_equal(masked.isna().to_numpy(), X > 1)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "'1' occurs twice"),
        (pd.DataFrame({None: [1.0], "a": [2.0]}), "column 0 .* has no name"),
        (pd.DataFrame({"a": ["1", "inf"]}), "'a' is infinite in row 1"),
        (pd.DataFrame({"a": [Decimal(1), Decimal("inf")]}), "'a' is infinite in row 1"),
        ([[1.0], [np.inf]], r"column 'x0' is infinite in row 1"),
        (pd.DataFrame({"a": pd.array([1, -np.inf], dtype="Float64")}), "'a' is infinite in row 1"),
        (np.array([[1.0], [np.inf]], object), "'x0' is infinite in row 1"),
        (pd.DataFrame({"a": ["x", [1, 2]]}), "'a' holds a list in row 1"),
        (pd.DataFrame({"a": [{"k": 1}] * 2}), "'a' holds a dict in row 0"),
    ],
)
def test_tables_that_are_none(X, sentence):
    with pytest.raises(ValueError, match=f"X must .*{sentence}"):
        check_table(X)


def table_of_many(n, rng):
    """Columns of many kinds, some of which have the same distribution, and two that hold the same."""
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    table["rank"] = rng.permutation(n)
    table["other rank"] = rng.permutation(n)
    table["yes"] = rng.permutation(np.arange(n) % 2)
    table["no"] = rng.permutation(np.arange(n) % 2)
    table["town"] = rng.choice(["Bonn", "Köln", "Trier"], n)
    table["gaps"] = np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n))
    table["nothing"] = np.nan
    return table.assign(again=table["a"])


def test_codes_do_not_know_places_names_rows_and_units():
    rng = np.random.default_rng(0)
    for n in (40, 3000):
        table = table_of_many(n, rng)
        target = rng.normal(size=n)
        first = TableEncoder().fit(table, target)
        codes = first.transform(table)
        names = [column.name for column in first.columns_]
        assert names == [table.columns[j] for j in first.order_] and sorted(names) == sorted(table.columns)
        mixed = rng.permutation(n)
        for _ in range(5):
            other = table[rng.permutation(table.columns)]
            encoder = TableEncoder()
            assert np.array_equal(encoder.fit_transform(other, target), codes, equal_nan=True)
            assert [column.name for column in encoder.columns_] == names
            encoder = TableEncoder().fit(other.iloc[mixed], target[mixed])
            assert [column.name for column in encoder.columns_] == names
            numbers = other.select_dtypes("number").columns.drop("nothing")
            unnamed = other.assign(**{name: np.exp(other[name] / n) for name in numbers})
            unnamed.columns = [f"x{j}" for j in range(other.shape[1])]
            assert np.array_equal(TableEncoder().fit_transform(unnamed, target), codes, equal_nan=True)


def test_columns_that_go_alike_with_the_sum_of_all_are_told_apart_by_the_target():
    """Two binary columns with equal counts alone: their products with their sum are equal, whatever their rows."""
    one = np.array([1, 1, 0, 0, 1, 0.0])
    other = np.array([0, 1, 1, 0, 0, 1.0])
    target = np.array([0, 0, 0, 0, 1, 0.0])
    columns = np.column_stack([one, other])
    for rows in (np.arange(6), np.arange(6)[::-1], [2, 0, 4, 1, 3, 5]):
        assert order_of_content(columns[rows], target[rows], "ab".__getitem__).tolist() == [1, 0]
        assert order_of_content(columns[rows][:, ::-1], target[rows], "ab".__getitem__).tolist() == [0, 1]


def test_columns_of_equal_sums_are_told_apart_by_their_first_row_and_the_same_ones_by_name():
    columns = np.array([[0, 1], [1, 0], [np.nan, np.nan], [1, 1]])
    for names in (["a", "b"], ["b", "a"]):
        assert order_of_content(columns, np.zeros(4), names.__getitem__).tolist() == [0, 1]
        assert order_of_content(columns[:, ::-1], np.zeros(4), names.__getitem__).tolist() == [1, 0]
        same = columns[:, [0, 0]]
        assert [names[j] for j in order_of_content(same, np.zeros(4), names.__getitem__)] == ["a", "b"]
    gaps = np.array([[-1.0, np.nan, 0], [np.nan, -1, 0], [5, 5, 0]])
    assert order_of_content(gaps, np.zeros(3), "abc".__getitem__).tolist()[-2:] == [1, 0]


def test_columns_of_equal_codes_are_told_apart_by_what_these_stand_for():
    """Whatever their names: the two hold different things in other rows."""
    target = np.array([0.0, 1.0, 2.0])
    table = pd.DataFrame({"a": ["x", "y", "z"], "b": ["p", "q", "r"]})
    for renamed in (table, table.set_axis(["d", "c"], axis=1), table[["b", "a"]]):
        encoder = TableEncoder().fit(renamed, target)
        assert [renamed[column.name].iloc[0] for column in encoder.columns_] == ["p", "x"]


def test_rows_of_a_table_hold_what_a_copy_holds():
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": list("wxyz"), "c": pd.Categorical(list("qqrs"))}, index=[7, 7, 5, 3])
    rows = np.array([3, 0, 1])
    some = CheckedTable(table, rows)
    assert len(some) == 3 and list(some.columns) == ["a", "b", "c"]
    for name in table:
        pd.testing.assert_series_equal(some[name], table[name].iloc[rows].reset_index(drop=True))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_of_rows_of_a_table_is_that_of_their_copy(weighted):
    rng = np.random.default_rng(5)
    table = table_of_many(900, rng)
    rows, others = np.split(rng.permutation(900), [500])
    target = rng.normal(size=500) + (table.iloc[rows, 0] > table.iloc[rows, 0].median()).to_numpy()
    weight = rng.integers(0, 3, 500).astype(float) if weighted else None
    here = HonestTree(min_samples_leaf=20, rng=1).fit(CheckedTable(table, rows), target, weight)
    there = HonestTree(min_samples_leaf=20, rng=1).fit(table.iloc[rows], target, weight)
    assert here.n_regions_ > 2
    assert np.array_equal(here.apply(CheckedTable(table, others)), there.apply(table.iloc[others]))


def test_all_rows_of_a_table_decide_what_its_text_says_and_not_those_that_a_tree_sees():
    table = CheckedTable(pd.DataFrame({"a": ["3", "1", "2", "unknown"]}))
    encoder = TableEncoder().fit(CheckedTable(table, np.arange(3)), TARGET[:3])
    codes = encoder.transform(CheckedTable(table, np.array([3])))
    assert encoder.columns_[0].kind == "category" and np.isnan(codes).all()
    some = CheckedTable(CheckedTable(pd.DataFrame({"a": ["3", "", "2", "7.5"]})), np.array([1, 0, 2]))
    encoder = TableEncoder().fit(CheckedTable(some, np.array([0])), TARGET[:1])
    assert encoder.columns_[0].kind == "whole" and encoder.columns_[0].missing


def test_durations_and_moments_have_a_unit():
    X = pd.DataFrame({"stay": pd.to_timedelta(np.arange(40), unit="h")})
    X["seen"] = pd.date_range("2024-01-01", periods=40, freq="7h", tz="Europe/Paris")
    encoder = TableEncoder().fit(X, np.zeros(40))
    rules = {column.name: words_of(column, 0, 5, False) for column in encoder.columns_}
    assert rules == {"stay": "stay <= 0.2083 days", "seen": "seen <= 2024-01-02 10:00:00 UTC"}


def test_text_is_read_in_other_rows_as_in_the_fit():
    """A row alone may not say whether its sign is one of thousands, which the fit knew; of numbers nobody knows it."""
    X = pd.DataFrame({"pay": ["1.299,99", "2.000", "800,50", "5.000"] * 5, "rate": ["12.345", "7.5", "2.125", "1"] * 5})
    encoder = TableEncoder().fit(X, np.arange(20.0))
    alone = np.vstack([encoder.transform(X.iloc[[row]]) for row in range(20)])
    np.testing.assert_array_equal(alone, encoder.transform(X))
    weights = pd.DataFrame({"weight": ["1.5 kg", "12 kg"] * 10})
    encoder = TableEncoder().fit(weights, np.arange(20.0))
    assert encoder.transform(pd.DataFrame({"weight": ["12 kg"]})) == encoder.transform(pd.DataFrame({"weight": [12]}))
    with pytest.raises(ValueError, match="'weight'.*'lb'"):
        encoder.transform(pd.DataFrame({"weight": ["12 lb"]}))
    of_numbers = TableEncoder().fit(pd.DataFrame({"pay": np.arange(20) * 500.0}), np.arange(20.0))
    with pytest.raises(ValueError, match="'pay'.* row 0 it is '2.000'"):
        of_numbers.transform(pd.DataFrame({"pay": ["2.000"]}))


def test_one_rule_has_the_missing_values():
    column = np.repeat([np.nan, 0, 1, 2], [400, 400, 400, 800])
    target = np.repeat([0, 0, 0.8, 1], [400, 400, 400, 800])  # cut above 0, missing values left, then above 1
    tree = HonestTree(rng=0).fit(pd.DataFrame({"a": column}), target)
    assert tree.rules() == ["(a <= 0 or missing)", "a is 1", "a > 1"]
