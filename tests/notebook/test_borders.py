"""Numbers at a border of rounding are noted wherever they are shown, and no others."""

import ast

import numpy as np
import pandas as pd
import pytest

from helpers.notebook import Check, borders, claim, table

ID = "ours.start_null"

NEAR_A_BORDER = 0.1235 * (1 - 1e-11)
NEAR_A_FIVE = 1.2345 * (1 - 1e-11)


def test_a_number_at_a_border_is_noted_wherever_it_is_shown(outputs, capsys):
    table(pd.DataFrame({"a": [NEAR_A_BORDER]}), formats={"a": "{:.2%}"})
    Check(10 * NEAR_A_BORDER)(10 * NEAR_A_BORDER)
    assert capsys.readouterr().err == ""  # with four digits it lies on none
    table(pd.DataFrame({"a": [NEAR_A_BORDER, 0.1234]}))
    table(pd.DataFrame({"a": [NEAR_A_BORDER, 0.1234]}), formats={"a": "{:.1%}"})
    Check(NEAR_A_FIVE)(NEAR_A_FIVE)
    claim(ID, NEAR_A_FIVE, 1.2, tol=0.1)
    claim(ID, NEAR_A_FIVE, 1.23, tol=0.01)
    assert capsys.readouterr().err.count("lies at a rounding border") == 4


@pytest.mark.parametrize("value", [0.0, 0.5, 5, True, np.int64(5), np.nan, np.inf, 1e300, 1e-300])
def test_numbers_that_every_computer_shows_alike_are_not_noted(value, capsys):
    for spec in (".0%", ".3f", ",.2f", ".4g"):
        assert borders.written(value, spec) == format(value, spec)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("spec", [".0%", ".1%", ".2f", ".3f", "+.3f"])
def test_noise_in_the_last_digits_does_not_change_a_share_or_a_difference_of_shares(spec, capsys):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 201, (2, 400)) / 200
    for exact in (a, a - b, (a - b) / 10):
        noisy = exact * (1 + 1e-15 * rng.integers(-2, 3, exact.size))
        assert [borders.written(x, spec) for x in exact] == [borders.written(x, spec) for x in noisy]
    assert capsys.readouterr().err == ""


WATCHED = """
x, width, steps = {x!r}, 9, iter([3, 4])
def of_a_function():
    return f"{{x:.3f}}"
lines = [f"{{x:.3f}}", f"{{x:>{{width}}.3f}}!", "{{:.3f}}".format(x), f"{{[f'{{v:.3f}}' for v in [x]]}}"]
lines.append(of_a_function())
others = [f"{{x}}", f"{{x!r:>30}}", f"{{x:.{{next(steps)}}f}}", "{{}} {{!s}}".format(1, 2), f"{{width:03d}}"]
"""


def test_formats_in_cells_are_watched_and_say_what_they_said(capsys):
    tree = ast.parse(WATCHED.format(x=NEAR_A_BORDER))
    plain = {}
    watched = {}
    exec(compile(tree, "cell", "exec"), plain)
    assert capsys.readouterr().err == ""
    exec(compile(borders.WatchFormats().visit(tree), "cell", "exec"), watched)
    assert (watched["lines"], watched["others"]) == (plain["lines"], plain["others"])
    assert capsys.readouterr().err.count("lies at a rounding border") == 6  # five lines, and three digits of `steps`


def test_an_error_in_a_watched_format_names_its_line_of_the_cell():
    tree = borders.WatchFormats().visit(ast.parse("x = 'text'\n\nf'{x:.3f}'"))
    with pytest.raises(ValueError, match="format code 'f'") as caught:
        exec(compile(tree, "cell", "exec"), {})
    assert [entry.lineno + 1 for entry in caught.traceback if str(entry.path) == "cell"] == [3]
