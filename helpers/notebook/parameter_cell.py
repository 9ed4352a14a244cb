"""Values of parameters: their types, how a command line writes them, and how an output shows them."""

import json
import math
import numbers
from pathlib import PurePath
from urllib.parse import urlsplit, urlunsplit


class ParameterError(ValueError):
    """A parameter that does not exist, has the wrong type or breaks a rule; shown without a traceback."""

    def _render_traceback_(self):
        return [f"{type(self).__name__}: {self}"]


def type_word(default):
    """How help and errors call the type of a default.

    >>> type_word(3), type_word([1.5]), type_word(None)
    ('a whole number', 'a list of numbers', 'text or a number')
    """
    if default is None:
        return "text or a number"
    if isinstance(default, list):
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
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, numbers.Integral)
    if isinstance(default, float):
        return isinstance(value, numbers.Real) and not math.isnan(value)
    if isinstance(default, list):
        kinds = {type(entry) for entry in default}
        return isinstance(value, list) and (len(kinds) != 1 or all(fits(entry, default[0]) for entry in value))
    return isinstance(value, type(default))


def type_problem(name, value, default):
    """The sentence to raise when `value` does not fit the type of `default`, else None."""
    if fits(value, default):
        return None
    hint = ""
    if isinstance(default, str) and isinstance(value, numbers.Real):
        hint = f" (papermill turns -p {name} 007 into the number 7: use -r {name} 007 there, or python -m helpers.run)"
    if isinstance(default, list) and isinstance(value, str):
        hint = f' (with papermill, write -y "{name}: [a, b]"; with python -m helpers.run, -p {name} a,b)'
    return f"{name} must be {type_word(default)}, like its default {shown(default)}, but it is {value!r}{hint}."


def from_text(text, default):
    """The value that words stand for, by the type of the parameter's default; text of another type stays text.

    Lists are comma separated, JSON, or lists of words. Where the default is None, text that reads as a number is one.

    >>> from_text("007", ""), from_text("10", 5), from_text("20,30", [1]), from_text("ten", 5)
    ('007', 10, [20, 30], 'ten')
    """
    if isinstance(default, str):
        return text
    if isinstance(default, list) and not str(text).lstrip().startswith("["):
        text = [entry.strip() for entry in text.split(",") if entry.strip()]
    if not isinstance(text, str):
        inner = default[0] if isinstance(default, list) and default else ""
        return [from_text(entry, inner) for entry in text] if isinstance(text, list) else text
    if isinstance(default, bool) or default is None:
        words = {"true": True, "false": False} if default is not None else {"none": None, "null": None}
        if text.strip().lower() in words:
            return words[text.strip().lower()]
    kinds = {bool: [], int: [int], float: [float], type(None): [int, float]}
    for kind in kinds.get(type(default), [json.loads]):
        try:
            return kind(text)
        except (ValueError, RecursionError):
            continue
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
