"""Rules for the values of parameters: functions that return None, or the sentence that a value breaks."""

import math
import numbers

from helpers.checks import nearest_name
from helpers.notebook.parameter_cell import shown


def _within(low, high, words):
    """A rule for a number, or for every entry of a list of numbers."""

    def check(value):
        entries = value if isinstance(value, list) else [value]
        fine = all(isinstance(entry, numbers.Real) and low <= entry <= high for entry in entries)
        return None if fine else f"must be {words}"

    return check


def at_least(low):
    """Rule of `parameters`: not below a number.

    Parameters
    ----------
    low : float
        The smallest value allowed, of a list for each entry.

    Returns
    -------
    callable
        Gives None for a value that obeys the rule, else the sentence that it breaks.

    Examples
    --------
    >>> at_least(300)(20)
    'must be at least 300'
    """
    return _within(low, math.inf, f"at least {shown(low)}")


def between(low, high):
    """Rule of `parameters`: from one number to another, both included.

    Parameters
    ----------
    low, high : float
        The smallest and the largest value allowed, of a list for each entry.

    Returns
    -------
    callable
        As of `at_least`.
    """
    return _within(low, high, f"between {shown(low)} and {shown(high)}")


def one_of(*values):
    """Rule of `parameters`: one of these values.

    Parameters
    ----------
    *values : object
        What is allowed.

    Returns
    -------
    callable
        As of `at_least`.

    Examples
    --------
    >>> one_of("platt", "none")("plat")
    "must be one of 'platt', 'none' (did you mean 'platt'?)"
    """

    def check(value):
        if any(type(value) is type(other) and value == other for other in values):
            return None
        near = f" ({nearest_name(value, values, 'value')})" if isinstance(value, str) else ""
        return f"must be one of {', '.join(map(repr, values))}{near}"

    return check
