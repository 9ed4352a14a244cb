"""Values of parameters as a command line writes them and as a page shows them."""

import json
import numbers
from pathlib import PurePath
from urllib.parse import urlsplit

from helpers.notebook.guard import WORDS, fits

PLURALS = {int: "whole numbers", float: "numbers", str: "texts"}


def type_word(default):
    """How help and errors call the type of a default."""
    if isinstance(default, list) and default:
        return f"a list of {PLURALS.get(type(default[0]), 'values')}"
    return WORDS.get(type(default), "text or a number")


def _fits(value, default):
    """Whether a value, and each entry of a list, has the type of a default."""
    if default is None:
        return True
    if isinstance(default, list) and default:
        return isinstance(value, list) and all(fits(entry, type(default[0])) for entry in value)
    return fits(value, type(default))


def type_problem(name, value, default):
    """The sentence to raise when `value` does not fit the type of `default`, else None."""
    if _fits(value, default):
        return None
    return f"{name} must be {type_word(default)}, like its default {shown(default)}, but it is {value!r}."


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
    """A value as a page shows it: thousands separated from 10,000 on, of a path only the file name."""
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
    """A text without what is nobody's business: the folder of a file, name and key in an address."""
    if text.startswith(("http://", "https://")):
        address = urlsplit(text)
        return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"
    name = PurePath(text.replace("\\", "/")).name if "/" in text or "\\" in text else text
    return name if len(name) <= 60 else f"{name[:57]}..."
