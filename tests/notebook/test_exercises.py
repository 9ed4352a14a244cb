"""The self-checks of exercises give hints and never raise."""

import numpy as np
import pytest

from helpers.notebook import Check
from helpers.notebook.display import KEY


@pytest.mark.parametrize(
    ("answer", "expected", "line"),
    [
        (..., 0.25, "Not answered yet"),
        ([1, ...], [1, 2], "Not answered yet"),
        (0.255, 0.25, "Right: 0.25"),
        (np.array([1, 2]), [1, 2], "Right."),
        (" Isotonic", "isotonic", "Right: isotonic"),
        (0.5, 0.25, "Not yet: square it."),
        (0.75, 0.25, "Not yet: three quarters"),
        (0.1, 0.25, "Not yet: your number is too small."),
        (9, 0.25, "Not yet: your number is too large."),
        (np.nan, 0.25, "Not yet"),
        ("0.25", 0.25, "Not yet: the answer is one number"),
        ([1], [1, 2], "Not yet: the answer has shape"),
        (object(), "isotonic", "Not yet"),
        (False, True, "Not yet"),
        ({}, [1, 2], "Not yet"),
    ],
)
def test_exercises_give_hints_and_never_raise(outputs, answer, expected, line):
    check = Check(expected, tol=0.01, hints=[(0.5, "square it."), (lambda a: 0.7 < a < 0.8, "three quarters")])
    check(answer)
    assert outputs[0][0]["text/plain"].startswith(line)
    state = {"Right": "right", "Not a": "open", "Not y": "wrong"}[line[:5]]
    assert outputs[0][1][KEY]["exercise"] == state and check.is_right(answer) == (state == "right")


@pytest.mark.parametrize(
    ("function", "state", "line"),
    [
        (lambda p: p**2, "right", "Right: 0.25"),
        (lambda p: p, "wrong", "Not yet: square it."),
        (lambda p: p / 0, "wrong", "Not yet: your function stops with ZeroDivisionError"),
        (lambda p: ..., "open", "Not answered"),
        (..., "open", "Not answered"),
    ],
)
def test_a_check_calls_the_readers_function(outputs, function, state, line):
    Check(0.25, tol=1e-9, hints=[(0.5, "square it.")])(function, 0.5)
    ((bundle, metadata),) = outputs
    assert bundle["text/plain"].startswith(line) and metadata[KEY] == {"exercise": state}
