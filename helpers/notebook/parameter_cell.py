"""Values of parameters: their types, how a command line writes them, how an output shows them, and rules for them.

A rule is a function that returns None, or the sentence that a value breaks.
"""

import json
import math
import numbers
from pathlib import PurePath
from urllib.parse import urlsplit

from helpers.checks import nearest_name

WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
PLURALS = {bool: "true/false", int: "whole numbers", float: "numbers", str: "texts"}


class ParameterError(ValueError):
    """A parameter that does not exist, has the wrong type or breaks a rule; shown without a traceback."""

    def _render_traceback_(self):
        return [f"{type(self).__name__}: {self}"]


def type_word(default):
    """How help and errors call the type of a default."""
    if isinstance(default, list):
        return f"a list of {PLURALS.get(type(default[0]), 'values')}" if default else "a list"
    return WORDS.get(type(default), "text or a number")


def fits(value, default):
    """Whether `value` has the type of `default`: bool is not int, int is fine for float, float is not for int."""
    if default is None:
        return True
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, numbers.Integral)
    if isinstance(default, float):
        return isinstance(value, numbers.Real) and value == value
    if isinstance(default, list):
        return isinstance(value, list) and (not default or all(fits(entry, default[0]) for entry in value))
    return isinstance(value, type(default))


def type_problem(name, value, default):
    """The sentence to raise when `value` does not fit the type of `default`, else None."""
    if fits(value, default):
        return None
    hint = ""
    if isinstance(default, str) and isinstance(value, numbers.Real):
        hint = f" (papermill turns -p {name} 007 into the number 7: use -r {name} 007 there, or honest-confidence)"
    if isinstance(default, list) and isinstance(value, str):
        hint = f' (with papermill, write -y "{name}: [a, b]"; with honest-confidence, -p {name} a,b)'
    if value is None and isinstance(default, str | list):
        hint = f' (for "not given", leave it out or write -p {name} "")'
    return f"{name} must be {type_word(default)}, like its default {shown(default)}, but it is {value!r}{hint}."


def from_text(text, default):
    """The value that words stand for, by the type of the parameter's default; text of another type stays text."""
    try:
        if isinstance(default, list):
            inner = default[0] if default else ""
            return [from_text(entry, inner) for entry in _entries(text)]
        if not isinstance(text, str) or isinstance(default, str):
            return text
        if type(default) in (int, float):
            return type(default)(text)
        # where the default is None, too, text is read as JSON if it is any
        return json.loads(text.lower() if isinstance(default, bool) else text)
    except ValueError:
        return text


def _entries(text):
    """The entries of a list that is written "a,b" or as JSON, or that is one already."""
    if isinstance(text, list):
        return text
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def shown(value):
    """A value as notebooks echo it: thousands separated from 10,000 on, of a path only the file name."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list) and value:
        more = ["..."] if len(value) > 12 else []
        return f"[{', '.join([*map(shown, value[:12]), *more])}]"
    if value in ("", []):
        return "not given"
    return f'"{_short(value)}"' if isinstance(value, str) else repr(value)


def _short(text):
    """A text without what is private: the folder of a file, name and key in an address."""
    if text.startswith(("http://", "https://")):
        address = urlsplit(text)
        return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"
    name = PurePath(text.replace("\\", "/")).name if "/" in text or "\\" in text else text
    return name if len(name) <= 60 else f"{name[:57]}..."


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
