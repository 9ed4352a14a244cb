"""Rules for the values of parameters, and the rules that a notebook gives to `parameters`, read without running it."""

import ast
import numbers

from helpers.checks import nearest_name
from helpers.notebook.parameter_cell import shown


def _rule(holds, allowed):
    """A rule for numbers or lists of numbers: None, or the sentence a value breaks; `.allowed` is what helps say."""

    def check(value):
        entries = value if isinstance(value, (list, tuple)) else [value]
        fine = all(isinstance(entry, numbers.Real) and holds(entry) for entry in entries)
        return None if fine else f"must be {allowed}"

    check.allowed = allowed
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
    return _rule(lambda value: value >= low, f"at least {shown(low)}")


def at_most(high):
    """Rule of `parameters`: not above a number.

    Parameters
    ----------
    high : float
        The largest value allowed, of a list for each entry.

    Returns
    -------
    callable
        Gives None for a value that obeys the rule, else the sentence that it breaks.
    """
    return _rule(lambda value: value <= high, f"at most {shown(high)}")


def between(low, high):
    """Rule of `parameters`: from one number to another, both included.

    Parameters
    ----------
    low, high : float
        The smallest and the largest value allowed, of a list for each entry.

    Returns
    -------
    callable
        Gives None for a value that obeys the rule, else the sentence that it breaks.
    """
    return _rule(lambda value: low <= value <= high, f"between {shown(low)} and {shown(high)}")


def one_of(*values):
    """Rule of `parameters`: one of these values.

    Parameters
    ----------
    *values : object
        What is allowed; None among them allows None.

    Returns
    -------
    callable
        Gives None for a value that obeys the rule, else the sentence that it breaks.

    Examples
    --------
    >>> one_of("platt", "none")("plat")
    "must be one of 'platt', 'none' (did you mean 'platt'?)"
    """

    def check(value):
        if any(type(value) is type(other) and value == other for other in values):
            return None
        near = f" ({nearest_name(value, values, 'value')})" if isinstance(value, str) else ""
        return f"must be {check.allowed}{near}"

    check.allowed = f"one of {', '.join(map(repr, values))}"
    return check


RULES = {rule.__name__: rule for rule in (at_least, at_most, between, one_of)}


def read_rules(source):
    """{parameter: rule} of a cell that calls `parameters`, or {}; rules that are not written out there are left out.

    >>> rules = read_rules("sizes = {'n': at_least(9)}" + chr(10) + "parameters(**sizes, cost=own_rule)")
    >>> list(rules), rules["n"](8)
    (['n'], 'must be at least 9')
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return {}
    names = {}
    for line in body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            names[line.targets[0].id] = _rules_in(line.value, names)
        call = line.value if isinstance(line, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "parameters":
            rules = {}
            for keyword in call.keywords:
                found = _rules_in(keyword.value, names)
                rules |= {keyword.arg: found} if keyword.arg else found if isinstance(found, dict) else {}
            return {name: rule for name, rule in rules.items() if callable(rule)}
    return {}


def _rules_in(node, names):
    """The rule, or the dictionary of rules, that an expression stands for; None for anything else."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {key.value: _rules_in(value, names) for key, value in pairs if isinstance(key, ast.Constant)}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RULES:
        try:
            return RULES[node.func.id](*map(ast.literal_eval, node.args))
        except (ValueError, TypeError):
            return None
    return None
