"""Confidences that a model states: percent or share, missing where they cannot be read."""

import math

import numpy as np
import pandas as pd
import pytest

from helpers.answers import parse_confidences


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
