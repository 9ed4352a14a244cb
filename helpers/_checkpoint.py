"""Finished tasks as lines of a file (for `helpers.experiments`), so that a run that failed or was killed goes on."""

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


class FinishedTasks:
    """The file, which `mark` tells from that of other work; without a path nothing is kept.

    A kill leaves whole lines, or a last one that is cut off and not counted.
    """

    def __init__(self, path, mark):
        self.path = None if path is None else Path(path)
        self.mark = mark

    def load(self):
        """{task: rows}, of a new file {}; ValueError for a file of other work or another kind of file."""
        if self.path is None:
            return {}
        if not self.path.exists():
            self.path.write_text(json.dumps({"mark": self.mark}) + "\n", encoding="utf-8")
            return {}
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        try:
            head, *entries = map(json.loads, whole.splitlines())
            mark = head["mark"]
            finished = {entry["task"]: entry["rows"] for entry in entries}
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{self.path.name} does not hold finished tasks; name another file.") from None
        if mark != self.mark:
            raise ValueError(
                f"{self.path.name} holds finished tasks of another study, other cases, numbers of repeats or seeds; "
                "delete it or name another file."
            )
        os.truncate(self.path, len(whole))
        return finished

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
