"""What a command prints may name files, and the bytes of a name may be no text."""

import io
import sys


def escape_names():
    """Let this program print bytes of a name that are no text, as escapes, in place of ending in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # that of a notebook has no such setting
            stream.reconfigure(errors="backslashreplace")
