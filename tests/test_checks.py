"""Inputs become clean arrays or a sentence: never a silent guess."""

import re

import numpy as np
import pandas as pd
import pytest

from helpers import checks

FOUR = [0, 1, 1, 0]


@pytest.mark.parametrize(
    "y",
    [
        FOUR,
        np.array(FOUR, bool),
        np.array(FOUR, np.float32),
        np.array(FOUR, object),
        pd.Series(FOUR, index=[9, 9, 1, 0]),
        pd.Series(FOUR, dtype="Int64"),
        pd.Series(FOUR, dtype="boolean"),
        pd.Series(FOUR, dtype="category"),
        np.ma.array(FOUR, mask=False),
    ],
    ids=lambda y: str(getattr(y, "dtype", type(y).__name__)),
)
def test_labels_of_any_type_become_a_float_copy(y):
    before = repr(y)
    labels = checks.check_labels(y, both=True)
    assert labels.dtype == float and labels.tolist() == FOUR
    labels[:] = 7
    assert repr(y) == before


def test_arrow_columns_become_floats():
    pytest.importorskip("pyarrow", reason="Arrow columns need pyarrow, which is in the test extra")
    for dtype in ("int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]"):
        assert checks.check_labels(pd.Series(FOUR).astype(dtype)).tolist() == FOUR
    with pytest.raises(ValueError, match=r"y must .* y\[1\] is"):
        checks.check_labels(pd.Series([0, None], dtype="int64[pyarrow]"))


def test_the_first_offender_is_named_and_the_others_are_counted():
    with pytest.raises(ValueError, match=r"y must be 0 or 1, but y\[1\] is 2.0 \(and 1 more\)\."):
        checks.check_labels([1, 2, 2])


def test_one_class_only():
    assert checks.check_labels([1, 1]).tolist() == [1, 1]
    with pytest.raises(ValueError, match="y must hold both classes"):
        checks.check_labels([1, 1], both=True)


def test_probabilities_keep_the_ends_and_negative_zero():
    assert checks.check_probabilities([0, 1, -0.0]).tolist() == [0, 1, 0]


def test_simplex():
    table = np.full((3, 4), 0.25)
    assert np.array_equal(checks.check_simplex(table), table)
    for bad, sentence in [
        ([[0.5, 0.5], [0.4, 0.5], [0.1, 0.1]], r"row 1 sums to 0.9 \(and 1 more rows\)"),
        ([[2.3, -1.0], [0.1, 4.0]], r"look like logits: pass scipy.special.softmax\(proba, axis=1\)"),
        (np.log([[0.3, 0.7], [0.5, 0.5]]), "look like log-probabilities"),
        ([[30.0, 70.0], [50.0, 50.0]], "look like percentages"),
        ([[0.333, 0.333, 0.333], [0.5, 0.25, 0.25]], "look rounded"),
        ([0.2, 0.8], r"np.column_stack\(\[1 - proba, proba\]\)"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            checks.check_simplex(bad)


def test_a_rounding_error_beyond_the_ends_becomes_the_end():
    assert checks.check_probabilities([1 + 1.2e-7, -1e-9, 0.5]).tolist() == [1, 0, 0.5]
    assert checks.check_simplex([[1.0000001, 0, 0]]).tolist() == [[1, 0, 0]]
    with pytest.raises(ValueError, match=r"p\[0\] is 1.00001"):
        checks.check_probabilities([1.00001, 0.5])


HINTS = {  # scores, and what the error says of them: nothing where it is not sure
    "percentages": ([12, 95.5, 63], "divide them by 100"),
    "logits": ([-2, 3, 0.5, 4], "logits"),
    "logarithms": ([-0.1, -2], "exp"),
    "ranks": ([1, 7, 10], "ranks"),
    "entropies": ([0.1, 1.4, 2.3, 3.1], ""),
    "one above 1": ([0.2, 0.4, 1.5], ""),
    "one below 0": ([0.2, 0.4, -1.5], ""),
    "a rounding error too large": ([0.2, 0.4, 1.001], ""),
    "one without a value": ([0.2, 0.4, np.nan], ""),
}


@pytest.mark.parametrize("case", HINTS)
def test_a_hint_is_given_where_it_is_sure(case):
    scores, hint = HINTS[case]
    with pytest.raises(ValueError, match="^p must lie in") as error:
        checks.check_probabilities(scores)
    words = str(error.value).partition("). ")[2] or str(error.value).partition(". ")[2]
    assert hint in str(error.value) and bool(hint) == bool(words), error.value


@pytest.mark.parametrize(
    "table", [[[1.2, 0, 0], [0.2, 0.3, 0.5], [0, 0, 1]], [[0.9, -0.2, 0.3], [0.2, 0.3, 0.5], [0, 0, 1]]]
)
def test_one_wrong_row_does_not_look_like_logits(table):
    with pytest.raises(ValueError, match="proba must lie") as error:
        checks.check_simplex(table)
    assert "look" not in str(error.value)


def test_weights_become_shares_of_the_largest():
    assert checks.check_weights(None) is None
    for scale in (1e-300, 1, 1e308):
        assert checks.check_weights(np.array([0.25, 0, 1]) * scale).tolist() == [0.25, 0, 1]
    sentence = r"sample_weight .*at least 1e-100 times the largest weight, 1e\+300, but sample_weight\[0\] is 9"
    with pytest.raises(ValueError, match=sentence):
        checks.check_weights([9e15, 0, 1e300])


@pytest.mark.parametrize(
    "groups",
    [
        ["b", "a", "b", "c", "d", "e"],
        [5.5, -1, 5.5, np.inf, 0, 1],
        [2**60 + 1, 2**60, 2**60 + 1, 0, 1, 2],
        [(1, 2), (1, 3), (1, 2), (2, 2), (3, 2), (4, 2)],
        pd.Categorical(["b", "a", "b", "c", "d", "e"], categories=["z", "c", "a", "b", "e", "d"]),
        pd.array([3, 1, 3, 2, 0, 4], dtype="Int64"),
        pd.to_datetime(["2021", "2020", "2021", "2019", "2018", "2017"], utc=True),
    ],
    ids=str,
)
def test_groups_are_numbered_by_appearance(groups):
    assert checks.check_groups(groups).tolist() == [0, 1, 0, 2, 3, 4]


def test_lengths():
    checks.check_same_length(y=FOUR, p=None, X=np.zeros((4, 2)))
    with pytest.raises(ValueError, match="y and groups must have the same length, but they have 4 and 3 rows"):
        checks.check_same_length(y=FOUR, p=FOUR, groups=[1, 2, 3])


@pytest.mark.parametrize("value", [0, -1, 2.0, True, "3", None, np.nan])
def test_counts_that_are_none(value):
    with pytest.raises(ValueError, match="n_bins must be a whole number of at least 1"):
        checks.check_count(value, "n_bins")


def test_options_name_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'crossfit'"):
        checks.check_one_of("cross_fit", "method", ("crossfit", "paper"))
    with pytest.raises(ValueError, match="the options are 'crossfit', 'paper'"):
        checks.check_one_of(None, "method", ("crossfit", "paper"))
    assert checks.nearest_name("AGE", ["age", "sex"]) == "did you mean 'age'?"


def test_numbers_whose_sums_are_no_numbers():
    """Prices of 1e308 used to cost inf, and counts of 1e308 gave nan."""
    with pytest.raises(ValueError, match=re.escape("cost must be at most 1e+100, but cost[1] is 1e+308.")):
        checks.check_not_negative(np.array([1.0, 1e308]), "cost")
    with pytest.raises(ValueError, match=re.escape("w must sum to less than 2**53, where counts are exact, but it")):
        checks.check_frequencies([1e308, 1.0], "w")


@pytest.mark.parametrize(
    "value",
    ["sk-proj-4fTq9LmZ2xV7bN1cR8wY", "hf_abcdefgh12345678XYZ", {"headers": {"Authorization": "x"}}, [{"api_key": 1}]],
)
def test_what_looks_like_a_key(value):
    assert checks.find_secret(value, "extra").startswith("extra")


@pytest.mark.parametrize(
    "value",
    ["data/sk-learn_results_2024_all_models.csv", "OPENAI_API_KEY", {"max_tokens": 5, "cache_key": "a"}, 7, None],
)
def test_what_is_no_key(value, monkeypatch):
    monkeypatch.setenv("EDITOR_TOKEN", "short")
    assert checks.find_secret(value, "extra") == ""
