"""Numbers in words: no more digits than the uncertainty allows, and none that says 0 where there is something."""

import pytest

from helpers.reports import phrases
from helpers.reports.findings import fill

SAID = {  # a template, and the words that it gives
    "points(0.0123, 0.0004)": "1.2",
    "points(0.1234, 0.02, sign=True)": "+12",
    "in_points(0.01)": "1 point",
    "many(1200, 'group', 'is/are')": "1,200 groups are",
    "percent(0.0031)": "0.31 %",
    "percent(0.25, 0.001)": "25.0 %",
    "percent(1e-9)": "0 %",
    "from_percent(2 / 3)": "66.66 %",
    "chance(0.0002)": "p < 0.001",
    "chance(0.034)": "p = 0.03",
    "chance(0.41)": "p = 0.4",
    "drawn_chance(0.0)": "p < 0.01",
    "root(-0.1)": "0.0",
    "number(-0.00003, 0.001)": "0.000",
    "number(0.01052, 0.0015, least=3)": "0.011",
    "measured(0.3803, 0.3065, 0.46)": "0.38 (0.31 to 0.46)",
    "points_apart(-0.0102, -0.0135, -0.0073)": "-1.0 (-1.4 to -0.7)",
    "apart(0.004, -0.001, 0.009)": "+0.4 (-0.1 to +0.9)",
    "typically(0.026, 0.012, 0.04)": "3 points (1 to 4)",
    "typically(0.02, 0.002, 0.03)": "2.0 points (0.2 to 3.0)",
    "rate(0.0176, -0.001, 0.009)": "1.8 %",
    "of_hundred(0.25, 0.2, 0.3)": "25.0 (20.0 to 30.0)",
    "of_hundred(0.2, 0.2, 0.2 + 1e-16)": "20.0",
    "with_span(0.09, 0.05, 0.14, 0.01)": "9 (5 to 14)",
    "shares(0.76, 0.7, 0.81)": "76 % (70 to 81)",
    "listed('abc', most=1)": "a and 2 more",
    "listed(['a', 'b', 'c'])": "a, b and c",
}


@pytest.mark.parametrize("text", SAID)
def test_numbers_in_words(text):
    assert fill("{{ " + text + " }}").replace(phrases.NBSP, " ") == SAID[text]


def test_texts_of_cells_are_cut_at_words():
    assert phrases.short("What is the capital of France, and since when?", 20) == "What is the capital…"
    assert phrases.short(float("nan")) == "–"
