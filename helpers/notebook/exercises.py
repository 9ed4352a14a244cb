"""Self-checks of exercises: one line, with a hint where the answer is wrong."""

import numbers

import numpy as np

from helpers.notebook.claims import _largest_gap
from helpers.notebook.display import KEY, emit


def _answers(answer, expected, tol):
    """Whether an answer of any type is the expected one."""
    try:
        if isinstance(answer, str) and isinstance(expected, str):
            return answer.strip().casefold() == expected.strip().casefold()
        return _largest_gap(answer, expected) <= tol
    except (TypeError, ValueError):
        return False


def _hint(answer, expected, tol, hints):
    for wrong, sentence in hints:
        try:
            if wrong(answer) if callable(wrong) else _answers(answer, wrong, tol):
                return sentence
        except Exception:  # a predicate need not cope with every answer a student may give
            continue
    if isinstance(expected, numbers.Real) and not isinstance(expected, (bool, np.bool_)):
        if not isinstance(answer, numbers.Real):
            return f"the answer is one number, and yours is a {type(answer).__name__}."
        if answer == answer:
            return f"your number is too {'large' if answer > expected else 'small'}."
    if np.shape(expected) and np.shape(expected) != np.shape(answer):
        return f"the answer has shape {np.shape(expected)}, and yours {np.shape(answer)}."
    return "read the question again."


def check_exercise(answer, expected, *, tol=0, hints=()):
    """Self-check of an exercise: one line, never an exception for a wrong answer.

    Parameters
    ----------
    answer : object
        What the student answers; ``...`` says "not answered yet", so that copies without solutions run through.
    expected : float, str, bool or array
        The right answer.
    tol : float, default 0
        Largest deviation that still counts as right.
    hints : sequence of (object, str)
        Pairs of a wrong answer, or a test of the answer, and a sentence; the first that fits is shown.

    Examples
    --------
    >>> check_exercise(..., 0.25)
    Not answered yet. Replace the ... above with your answer, then run both cells.
    >>> check_exercise(0.5, 0.25, hints=[(0.5, "the variance is the square of it.")])
    Not yet: the variance is the square of it.
    >>> check_exercise(0.25, 0.25)
    Right: 0.25
    """
    if answer is ... or isinstance(answer, (list, tuple)) and any(entry is ... for entry in answer):
        state = "open"
        line = "Not answered yet. Replace the ... above with your answer, then run both cells."
    elif _answers(answer, expected, tol):
        value = f"{expected:.4g}" if isinstance(expected, (float, np.floating)) else str(expected)
        state = "right"
        line = "Right." if np.ndim(expected) else f"Right: {value}"
    else:
        state = "wrong"
        line = f"Not yet: {_hint(answer, expected, tol, hints)}"
    emit({"text/plain": line}, {KEY: {"exercise": state}})
