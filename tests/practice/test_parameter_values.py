"""Values of parameters out of the words of a command line."""

import pytest

from helpers.practice.parameter_values import from_text, type_problem


@pytest.mark.parametrize(
    ("text", "default", "value"),
    [
        ("007", "", "007"),
        ("-7", 1, -7),
        ("1e-3", 1.0, 0.001),
        ("True", False, True),
        ("a, b", ["x"], ["a", "b"]),
        ("1,2", [3.0], [1.0, 2.0]),
        ('["a,b", "c"]', [], ["a,b", "c"]),
        ("", [1], []),
        (["1", "2"], [3], [1, 2]),
        ("15", None, 15),
        ("all", None, "all"),
    ],
)
def test_words_become_a_value_of_the_default_type(text, default, value):
    found = from_text(text, default)
    assert found == value and type(found) is type(value) and type_problem("x", found, default) is None


@pytest.mark.parametrize(
    ("text", "default"),
    [("1.5", 1), ("ten", 1), ("true", 1), ("nan", 1.0), ("yes", True), ("1", True), ("1,b", [2]), ('["a"', [])],
)
def test_words_of_the_wrong_type(text, default):
    assert "x must be" in type_problem("x", from_text(text, default), default)
