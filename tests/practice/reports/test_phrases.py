"""Numbers in words: no more digits than the uncertainty allows, and none that says 0 where there is something."""

import pytest

from helpers.practice.reports import phrases
from helpers.practice.reports.findings import fill

SAID = {  # a template, and the words that it gives
    "points(0.0123, 0.0004)": "1.2",
    "points(0.1234, 0.02, sign=True)": "+12",
    "percent(0.0031)": "0.31 %",
    "percent(0.25, 0.001)": "25.0 %",
    "percent(1e-9)": "0 %",
    "chance(0.0002)": "p < 0.001",
    "chance(0.034)": "p = 0.03",
    "drawn_chance(0.0)": "p < 0.01",
    "number(-0.00003, 0.001)": "0.000",
    "number(0.01052, 0.0015, least=3)": "0.011",
    "measured(0.3803, 0.3065, 0.46)": "0.38 (0.31 to 0.46)",
    "points_apart(-0.0102, -0.0135, -0.0073)": "-1.0 (-1.4 to -0.7)",
    "typically(0.026, 0.012, 0.04)": "3 points (1 to 4)",
    "typically(0.1, 0.004, 0.2)": "10.0 points (0.4 to 20.0)",
    "of_hundred(0.2, 0.2, 0.2 + 1e-16)": "20.0",
    "with_span(0.09, 0.05, 0.14, 0.01)": "9 (5 to 14)",
    "apart(0.09, 0.0488, 0.132)": "+9 (+4 to +13)",
    "apart(-0.02, -0.09, 0.0488)": "-2 (-9 to +5)",
    "either(['a is 1', 'b is 2'])": "a is 1, or where b is 2",
    "either(['a is 1', 'b is 2', 'c is 3'], 2)": "a is 1, or where b is 2, or in 1 more group",
}


@pytest.mark.parametrize("text", SAID)
def test_numbers_in_words(text):
    assert fill("{{ " + text + " }}").replace(phrases.NBSP, " ") == SAID[text]


@pytest.mark.parametrize("text", ["chance(0.0002)", "chance(0.005)", "chance(0.3)", "bracketed(1, 2)"])
def test_no_line_breaks_what_belongs_together(text):
    assert " " not in fill("{{ " + text + " }}")
