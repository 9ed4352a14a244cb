"""Confidences that a model states: percent or share, missing where they cannot be read."""

import math

import numpy as np
import pandas as pd
import pytest

from helpers.answers import parse_confidences
from helpers.answers.stated import find_confidences


@pytest.mark.parametrize(
    "text, value",
    [
        ("95%", 0.95), ("95 %", 0.95), ("0.95", 0.95), ("95", 0.95), (0.95, 0.95), (95, 0.95), (".95", 0.95),
        ("Confidence: 95%", 0.95), ("**Confidence:** 85%", 0.85), ("Answer 7. Confidence: 80%", 0.8), ("9/10", 0.9),
        ("8 out of 10", 0.8), ("95,5%", 0.955), ("９５％", 0.95), ("I am 90% sure", 0.9), ("1", 1), ("0", 0),
        ("100%", 1), (1, 1), (0, 0), ("1e-3", 0.001), ("confidence 0.3, revised: Confidence: 0.6", 0.6),
    ],
)  # fmt: skip
def test_confidences(text, value):
    assert parse_confidences([text]).values[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "", None, np.nan, "high", "-5%", "105%", "101", -0.1, np.inf, "80-90%", "80%-90%", "80 to 90%", "9O%", "2nd",
        "1,000", "5/0", "11/10", True, "Confidence: 80-90%", "90 - 95%", pd.NA,
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_missing_and_never_certain(text):
    assert math.isnan(parse_confidences([text]).values[0])
    assert parse_confidences([text], missing=1.0).values.tolist() == [1.0]  # only by name


def test_a_column_decides_what_one_means():
    assert parse_confidences([95, 1, 80]).values.tolist() == [0.95, 0.01, 0.8]
    mixed = parse_confidences([0.95, 1, 80, 1.5, "60%", "sure", None, 0.2])
    np.testing.assert_allclose(mixed.values, [0.95, 1, 0.8, np.nan, 0.6, np.nan, np.nan, 0.2])
    assert (mixed.n_missing, mixed.n_unread, mixed.n_as_percent) == (1, 2, 1)
    assert "5 of 8 confidences read (1 as per cent without a sign), 1 missing, 2 unreadable" == str(mixed)
    assert parse_confidences(["95%", "0.95"]).values.tolist() == [0.95, 0.95]
    assert parse_confidences(["95%", 1, "60%"]).values.tolist() == [0.95, 1, 0.6]
    assert parse_confidences([]).values.size == 0
    assert parse_confidences(pd.Series([95, None, 3], dtype="Int64")).values.tolist()[::2] == [0.95, 0.03]


@pytest.mark.parametrize("steps", [[7, 8, 10], [1, 2, 5, 3], [0, 10], ["9", "7/10"], [7.5, 9]])
def test_steps_of_a_scale_are_never_per_cent(steps):
    with pytest.raises(ValueError, match="^scale "):
        parse_confidences(steps)
    top = parse_confidences(steps, scale=10).values
    np.testing.assert_allclose(top, [0.7 if step == "7/10" else float(step) / 10 for step in steps])


def test_a_scale_can_be_given():
    assert parse_confidences([1, 5, 100, 101], scale="percent").values.tolist()[:3] == [0.01, 0.05, 1]
    assert np.isnan(parse_confidences([101, -1], scale="percent").values).all()
    read = parse_confidences([0.5, 1, 50], scale="share")
    np.testing.assert_array_equal(read.values, [0.5, 1, np.nan])
    assert (read.n_unread, read.n_as_percent) == (1, 0)
    for scale in ({"very sure": 0.9, "Unsure": 0.3}, "very sure=0.9, Unsure=0.3"):
        given = parse_confidences(["Very  sure.", "unsure", "so so", None, "80%"], scale=scale)
        np.testing.assert_array_equal(given.values, [0.9, 0.3, np.nan, np.nan, np.nan])
        assert (given.n_unread, given.n_missing) == (2, 1)
    np.testing.assert_array_equal(parse_confidences([1, 2], scale={1: 0.1, 2: 0.8}).values, [0.1, 0.8])
    for scale in ("ten", 0.5, {}, {"low": 2}, "low=much", None, [10]):
        with pytest.raises(ValueError, match="^scale must be"):
            parse_confidences([0.5], scale=scale)


def test_a_one_that_may_be_one_per_cent_is_counted():
    assert [parse_confidences(given).n_ones for given in ([1, 1, 0], [95, 1], [0.5, 1], ["100%", 0.5])] == [2, 1, 0, 0]


def test_a_step_among_shares_is_unreadable():
    read = parse_confidences([0.8, 0.9, 8])
    np.testing.assert_array_equal(read.values, [0.8, 0.9, np.nan])
    assert read.n_unread == 1


def test_what_replies_state():
    replies = [
        "Answer: B\nConfidence: 85%",
        "**Confidence:** 8/10",
        '{"answer": "B", "confidence": 0.85}',
        "Confidence (0-100): 70",
        "Guess: x\nProbability: 0.9",
        "The probability is 1/6.",
        "a 95% confidence interval",
        "Confidence: 80-90%",
        "7",
        None,
    ]
    assert find_confidences(replies) == ["85%", "8/10", "0.85", "70", "0.9", None, None, None, None, None]
