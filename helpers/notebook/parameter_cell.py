"""A notebook's parameters: the cell that declares them, values checked against it, text turned into values."""

import ast
import io
import json
import math
import numbers
import tokenize
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import urlsplit, urlunsplit

INJECTED = "# Parameters"  # first line of the cell that papermill writes


class ParameterError(ValueError):
    """A parameter that does not exist, has the wrong type or breaks a rule; shown without a traceback."""

    def _render_traceback_(self):
        return [f"{type(self).__name__}: {self}"]


@dataclass(frozen=True)
class Parameter:
    """One line of a parameters cell: name, default and the comment behind it."""

    name: str
    default: object
    comment: str = ""


def read_cell(source):
    """Parameters declared by a cell that holds nothing but plain assignments of literals; None for any other cell.

    >>> read_cell("seed = 1  # of the random numbers")
    [Parameter(name='seed', default=1, comment='of the random numbers')]
    >>> read_cell("seed = int(1)") is None
    True
    """
    try:
        body = ast.parse(source).body
        comments = {
            token.start[0]: token.string.lstrip("# ")
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT
        }
        found = {}
        for line in body:
            target = line.targets[0] if isinstance(line, ast.Assign) and len(line.targets) == 1 else None
            target = line.target if isinstance(line, ast.AnnAssign) and line.value is not None else target
            if not isinstance(target, ast.Name):
                return None
            value = ast.literal_eval(line.value)
            found[target.id] = Parameter(target.id, value, comments.get(line.end_lineno, ""))
    except (SyntaxError, ValueError, TypeError, tokenize.TokenError):
        return None
    return list(found.values()) or None


def assigned_names(source):
    """Names that a cell assigns at its top level, whatever the values are.

    >>> assigned_names("# Parameters" + chr(10) + "rate = float('inf')")
    ['rate']
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    return [
        target.id
        for line in body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    ]


def type_word(default):
    """How help and errors call the type of a default.

    >>> type_word(3), type_word([1.5]), type_word(None)
    ('a whole number', 'a list of numbers', 'text or a number')
    """
    if default is None:
        return "text or a number"
    if isinstance(default, (list, tuple)):
        words = {bool: "true/false", int: "whole numbers", float: "numbers", str: "texts"}
        kinds = {type(entry) for entry in default}
        return f"a list of {words[kinds.pop()]}" if len(kinds) == 1 and kinds <= set(words) else "a list"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", dict: "a dictionary"}
    return words.get(type(default), type(default).__name__)


def fits(value, default):
    """Whether `value` has the type of `default`: bool is not int, int is fine for float, float is not for int.

    >>> fits(1, 2.0), fits(True, 2), fits(1.0, 2), fits([1], [2]), fits(["a"], [2])
    (True, False, False, True, False)
    """
    if default is None:
        return value is None or isinstance(value, (str, numbers.Real))
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if isinstance(default, float):
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and not math.isnan(value)
    if isinstance(default, (list, tuple)):
        kinds = {type(entry) for entry in default}
        return isinstance(value, (list, tuple)) and (len(kinds) != 1 or all(fits(entry, default[0]) for entry in value))
    return isinstance(value, type(default))


def type_problem(name, value, default):
    """The sentence to raise when `value` does not fit the type of `default`, else None."""
    if fits(value, default):
        return None
    hint = ""
    if isinstance(default, str) and isinstance(value, numbers.Real):
        hint = f" (papermill turns -p {name} 007 into the number 7: use -r {name} 007 there, or python -m helpers.run)"
    if isinstance(default, (list, tuple)) and isinstance(value, str):
        hint = f' (with papermill, write -y "{name}: [a, b]"; with python -m helpers.run, -p {name} a,b)'
    return f"{name} must be {type_word(default)}, like its default {shown(default)}, but it is {value!r}{hint}."


def from_text(name, text, default):
    """The value that a word of the command line stands for, by the type of the parameter's default; else ValueError.

    Lists are comma separated or JSON. Where the default is None, text that reads as a number becomes one.

    Examples
    --------
    >>> from_text("id", "007", ""), from_text("n", "10", 5), from_text("ages", "20,30", [1])
    ('007', 10, [20, 30])
    >>> from_text("n", "ten", 5)
    Traceback (most recent call last):
    helpers.notebook.parameter_cell.ParameterError: n must be a whole number, like its default 5, but it is 'ten'.
    """
    value = text
    try:
        if isinstance(default, bool):
            value = {"true": True, "false": False}.get(text.strip().lower(), text)
        elif isinstance(default, (int, float)):
            value = type(default)(text)
        elif isinstance(default, dict) or isinstance(default, (list, tuple)) and text.lstrip().startswith("["):
            value = json.loads(text)
        elif isinstance(default, (list, tuple)):
            inner = default[0] if default else ""
            value = [from_text(name, entry.strip(), inner) for entry in text.split(",") if entry.strip()]
        elif default is None:
            value = _guess(text)
    except (ValueError, RecursionError):
        pass  # the text itself fails the test below, with the parameter's own sentence
    if problem := type_problem(name, value, default):
        raise ParameterError(problem)
    return value


def _guess(text):
    if text.strip().lower() in ("none", "null"):
        return None
    leading_zero = text.lstrip("+-")[:2].isdigit() and text.lstrip("+-").startswith("0")
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        return text if leading_zero or math.isnan(value) else value
    return text


def shown(value):
    """A value as notebooks echo it: thousands separated from 10,000 on, of a path only the file name.

    >>> shown(10000), shown(2026), shown("/home/me/my.csv"), shown(""), shown("http://me:key@localhost:80/v1?key=1")
    ('10,000', '2026', '"my.csv"', 'not given', '"http://localhost:80/v1"')
    """
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, numbers.Integral):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, numbers.Real):
        return f"{value:.12g}"
    if isinstance(value, str):
        if value.startswith(("http://", "https://")):
            address = urlsplit(value)
            name = urlunsplit((address.scheme, address.netloc.rpartition("@")[2], address.path, "", ""))
        else:
            name = PurePath(value.replace("\\", "/")).name if "/" in value or "\\" in value else value
        name = name if len(name) <= 60 else name[:57] + "..."
        return f'"{name}"' if value else "not given"
    if isinstance(value, (list, tuple)):
        entries = [shown(entry) for entry in value[:12]]
        if len(value) > 12:
            entries.append("...")
        return f"[{', '.join(entries)}]" if value else "not given"
    return repr(value)
