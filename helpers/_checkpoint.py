"""Finished work of passes over chunks, kept in one file, so that a failed run goes on (for `helpers.chunks.evaluate`).

Finished tasks of repeated work, a line each in a file, so that a failed run goes on (for `helpers.experiments`).
"""

import hashlib
import json
import os
from pathlib import Path

import numpy as np


def fingerprint(*things):
    """Short hash of arrays and plain values.

    >>> fingerprint(np.arange(3), "a") == fingerprint(np.arange(3), "a") != fingerprint(np.arange(3), "b")
    True
    """
    digest = hashlib.sha256()
    for thing in things:
        digest.update(thing.tobytes() if isinstance(thing, np.ndarray) else repr(thing).encode())
    return digest.hexdigest()[:32]


class Progress:
    """State of a run in a file: `load()` gives what `save` wrote last, or {}; a file of another run is refused."""

    def __init__(self, path, mark):
        self.path, self.mark = None if path is None else Path(path), mark

    def load(self):
        """Dict of arrays, empty without a file; ValueError for a file of another run or no such file at all."""
        if self.path is None or not self.path.exists():
            return {}
        try:
            with open(self.path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                state = dict(file)
            mark = str(state["mark"])
        except Exception:  # numpy raises many kinds for what is no npz file
            raise ValueError(f"{self.path.name} does not hold the finished work of a run; name another file.") from None
        if mark != self.mark:
            raise ValueError(
                f"{self.path.name} holds the finished work of a run with another partition, calibrator, source, scores "
                f"or columns; delete it or name another file."
            )
        return state

    def save(self, **arrays):
        """Write atomically: a kill leaves the old file or the new one."""
        if self.path is None:
            return
        new = self.path.with_name(self.path.name + ".new")
        with open(new, "wb") as file:
            np.savez(file, mark=self.mark, **arrays)
        os.replace(new, self.path)


class Journal:
    """`found` maps the number of each task that is finished to its rows; a file of other work is refused.

    A kill leaves whole lines, or a last one that is cut off and not counted. Without a path nothing is kept.
    """

    def __init__(self, path, mark):
        self.path, self.mark, self.found = None if path is None else Path(path), mark, {}
        if self.path is None:
            return
        if self.path.exists():
            self._read()
        else:
            self.path.write_text(json.dumps({"mark": mark}) + "\n", encoding="utf-8")

    def _read(self):
        text = self.path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines(keepends=True)
        try:
            mark = json.loads(lines[0])["mark"]
            whole = [line for line in lines if line.endswith("\n")]
            self.found = {entry["task"]: entry["rows"] for entry in map(json.loads, whole[1:])}
        except (ValueError, LookupError, TypeError):
            raise ValueError(f"{self.path.name} does not hold finished tasks; name another file.") from None
        if mark != self.mark:
            raise ValueError(
                f"{self.path.name} holds finished tasks of another study, other cases, numbers of repeats or seeds; "
                f"delete it or name another file."
            )
        if len(whole) < len(lines):
            self.path.write_text("".join(whole), encoding="utf-8")

    def add(self, task, rows):
        """Keep the rows of a task, a list of dicts, and return them as the file will give them back."""
        if self.path is None:
            return rows
        try:
            line = json.dumps({"task": task, "rows": rows}, default=_plain)
        except (TypeError, ValueError):
            raise ValueError("study must return numbers, text and truth values where progress is kept.") from None
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
        return json.loads(line)["rows"]


def _plain(value):
    """Python's value for numpy's."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(type(value).__name__)
