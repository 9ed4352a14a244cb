"""Self-checks of exercises: one line, with a hint where the answer is wrong."""

import numbers
from dataclasses import dataclass

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


def _returns(function, cases, tol):
    """Whether a function returns what it should for each (inputs, value) of `cases`."""
    try:
        return all(_answers(function(*inputs), value, tol) for inputs, value in cases)
    except Exception:  # of the reader's function
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


@dataclass(frozen=True)
class Check:
    """The self-check of one exercise, for the reader's answer and for the solution.

    Parameters
    ----------
    expected : float, str, bool or array
        The right answer.
    tol : float, default 0
        Largest deviation that still counts as right.
    hints : sequence of (object, str)
        Pairs of a wrong answer, or a test of the answer, and a sentence; the first that fits is shown.
    also : sequence of (tuple, object)
        For a function: other inputs and what it returns there, so that one number for all inputs is not right.

    Examples
    --------
    >>> check = Check(0.25, hints=[(0.5, "the variance is the square of it.")])
    >>> check(...)
    Not answered yet. Replace the ... above with your answer, then run both cells.
    >>> check(0.5)
    Not yet: the variance is the square of it.
    >>> check(lambda p: p**2, 0.5)  # "complete this function": it is called with what follows
    Right: 0.25
    >>> Check(0.25, also=[((3,), 9)])(lambda p: 0.25, 0.5)
    Not yet: right for this input, and wrong for another one.
    """

    expected: object
    tol: float = 0
    hints: tuple = ()
    also: tuple = ()

    def __call__(self, answer, *given):
        """Print one line about an answer, or a function's value at `given`; never an exception for a wrong one."""
        state, line = self._judge(answer, given)
        emit({"text/plain": line}, {KEY: {"exercise": state}})

    def is_right(self, answer, *given):
        """Whether an answer is right; prints nothing, as a grader needs it.

        Parameters
        ----------
        answer : object
            As for a call.
        *given : object
            As for a call.

        Returns
        -------
        bool
            True if it is.
        """
        return self._judge(answer, given)[0] == "right"

    def _judge(self, answer, given):
        """(state, line) of an answer, or of the value of a function."""
        function = answer
        if given and answer is not ...:
            try:
                answer = answer(*given)
            except Exception as error:  # whatever the reader's function raises is shown
                return "wrong", f"Not yet: your function stops with {type(error).__name__}: {error}"
        if answer is ... or isinstance(answer, (list, tuple)) and any(entry is ... for entry in answer):
            return "open", "Not answered yet. Replace the ... above with your answer, then run both cells."
        if not _answers(answer, self.expected, self.tol):
            return "wrong", f"Not yet: {_hint(answer, self.expected, self.tol, self.hints)}"
        if not _returns(function, self.also, self.tol):
            return "wrong", "Not yet: right for this input, and wrong for another one."
        if np.ndim(self.expected):
            return "right", "Right."
        value = f"{self.expected:.4g}" if isinstance(self.expected, (float, np.floating)) else self.expected
        return "right", f"Right: {value}"
