"""What a program prints and writes may name files, and the bytes of a name may be no text: then they are escaped."""

import io
import sys
from pathlib import Path

ESCAPES = "backslashreplace"  # also those of JSON, which reads them back as what they were


def escape_names():
    """Let this program print bytes of a name that are no text, as escapes, in place of ending in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # that of a notebook has no such setting
            stream.reconfigure(errors=ESCAPES)


def write_text(path, text):
    """Write a text as UTF-8."""
    Path(path).write_text(text, encoding="utf-8", errors=ESCAPES)


def escaped(text):
    r"""A text as it would be written.

    >>> escaped("a\udcff")
    'a\\udcff'
    """
    return text.encode(errors=ESCAPES).decode()
