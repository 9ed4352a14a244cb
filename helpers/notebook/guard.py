"""The guard behind a parameters cell, and the folder in which a run leaves its files."""

import inspect
import math
import numbers
import os
from itertools import dropwhile, takewhile

from helpers.checks import nearest_name
from helpers.notebook.display import shell
from helpers.plotting import use_style

OUTPUT = "HONEST_OUTPUT"  # environment variable by which `helpers.practice.run` names the folder of a run to its kernel

WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "text", list: "a list"}

PLAIN = (bool, int, float, str, list, dict, type(None))  # what papermill writes into its cell


class ParameterError(ValueError):
    """A parameter that does not exist, has the wrong type or breaks a rule; shown without a traceback."""

    def _render_traceback_(self):
        return [f"{type(self).__name__}: {self}"]


def output_folder():
    """Folder for files that a notebook leaves beside its page: that of the run, "" where nobody named one.

    Returns
    -------
    str
        What ``--output`` of ``python -m helpers.practice.run`` named, or the environment variable HONEST_OUTPUT.
    """
    return os.environ.get(OUTPUT, "")


def fits(value, kind):
    """Whether a value has a type: bool is not int, int is fine for float, and NaN is no number."""
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    if kind is int:
        return isinstance(value, numbers.Integral)
    if kind is float:
        return isinstance(value, numbers.Real) and value == value
    return isinstance(value, kind)


def _within(kind, low, high, words):
    """A rule for a number of a type."""
    sentence = f"must be {WORDS[kind]} {words}"
    return lambda value: None if fits(value, kind) and low <= value <= high else sentence


def at_least(low):
    """Rule of `parameters`: a number that is not below another.

    Parameters
    ----------
    low : int or float
        The smallest value allowed; a whole one asks for whole numbers, 0.0 for any.

    Returns
    -------
    callable
        Gives None for a value that obeys the rule, else the sentence that it breaks.

    Examples
    --------
    >>> at_least(300)(20)
    'must be a whole number of at least 300'
    """
    return _within(type(low), low, math.inf, f"of at least {low:,.12g}")


def between(low, high):
    """Rule of `parameters`: from one number to another, both included.

    Parameters
    ----------
    low, high : int or float
        The smallest and the largest value allowed; two whole ones ask for whole numbers.

    Returns
    -------
    callable
        As of `at_least`.

    Examples
    --------
    >>> between(0.0, 1.0)(7)
    'must be a number between 0 and 1'
    """
    kind = float if float in (type(low), type(high)) else int
    return _within(kind, low, high, f"between {low:,.12g} and {high:,.12g}")


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
    "must be one of 'platt', 'none'"
    """
    sentence = f"must be one of {', '.join(map(repr, values))}"
    return lambda value: None if any(fits(value, type(other)) and value == other for other in values) else sentence


def _broken(value, rule):
    """The sentence that a value breaks, else None."""
    if isinstance(rule, type):
        return None if fits(value, rule) else f"must be {WORDS[rule]}"
    return rule(value)


def _hint(name, value, rule):
    """How papermill's command line writes what it has made something else of."""
    if value is None and rule in (str, list):
        return f' (for "not given", leave it out or write -p {name} "")'
    if rule is str and isinstance(value, numbers.Real):
        return f" (papermill turns -p {name} 007 into the number 7: use -r {name} 007 there, or honest-confidence)"
    if rule is list and isinstance(value, str):
        return f' (with papermill, write -y "{name}: [a, b]"; with honest-confidence, -p {name} a,b)'
    return ""


def _assigned_first(namespace, rules):
    """Names with plain values in a notebook's namespace, from its first parameter to the function `parameters`."""
    running = shell()
    hidden = running.user_ns_hidden if running else {}  # In, Out and what a reader's startup files made
    declared = dropwhile(lambda item: item[0] not in rules, namespace.items())
    for name, value in takewhile(lambda item: item[1] is not parameters, declared):
        if isinstance(value, PLAIN) and not name.startswith("_") and name not in hidden:
            yield name


def _problems(namespace, rules):
    """What is wrong with the parameters in a namespace, a sentence each."""
    for name in _assigned_first(namespace, rules):
        if name not in rules:
            yield f"there is no parameter {name!r}; {nearest_name(name, rules, 'parameter')}"
    for name, rule in rules.items():
        if name not in namespace:
            yield f"the parameters cell lacks {name!r}, or was not run."
        elif sentence := _broken(namespace[name], rule):
            yield f"{name} {sentence}, but it is {namespace[name]!r}{_hint(name, namespace[name], rule)}."


def parameters(**rules):
    """Guard behind the parameters cell: stop on an unknown name, a wrong type or a broken rule, before it is used.

    Every parameter is named here, with its rule. What else was assigned after the first of them and before this
    function was imported is taken for a misspelt parameter, about which papermill only warns. All figures that follow
    have the style of the book.

    Parameters
    ----------
    **rules : type or callable
        For each parameter its type (`str`, `bool`, `int`, `float` or `list`), or a rule: `at_least(1)`, `between`,
        `one_of`, or any function of the value that returns None or the sentence that it breaks.

    Raises
    ------
    ParameterError
        A ValueError with all problems.
    """
    problems = list(_problems(inspect.currentframe().f_back.f_globals, rules))
    if problems:
        raise ParameterError("\n".join(problems))
    use_style()
