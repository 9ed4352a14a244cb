"""Finished work in one file, so that a run that failed goes on; a file of other work is refused.

What a process works on it holds (`hold`, `held_folder`), so that no other one writes there.

Many small tasks are lines that are appended (`FinishedTasks`, for `helpers.experiments`). A kill loses none.
"""

import hashlib
import json
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class InUse(ValueError):
    """A file or folder that another process works on."""


def hold(number, sentence):
    """Take an open file until it is closed, or this process ends, however that is; `InUse` if another one has it."""
    try:
        if fcntl:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            os.lseek(number, 1 << 40, os.SEEK_SET)
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if fcntl and not isinstance(error, BlockingIOError):
            return  # a file system without locks
        raise InUse(sentence) from None


@contextmanager
def held_folder(folder, sentence):
    """A folder, made if needed, that is held in the block where the system can; `InUse` if another process has it."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    if fcntl is None:  # folders cannot be opened there
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        hold(number, sentence)
        yield
    finally:
        os.close(number)


def fingerprint(*things):
    """Short hash of arrays and plain values.

    >>> fingerprint(np.arange(3), "a") == fingerprint(np.arange(3), "a") != fingerprint(np.arange(3), "b")
    True
    """
    digest = hashlib.sha256()
    for thing in things:
        digest.update(thing.tobytes() if isinstance(thing, np.ndarray) else repr(thing).encode())
    return digest.hexdigest()[:32]


class Finished:
    """A file of finished work, which `mark` tells from other work; without a path nothing is kept."""

    what = other = ""  # what the file holds, and whose it is when the marks differ, in words

    def __init__(self, path, mark):
        self.path = None if path is None else Path(path)
        self.mark = mark

    def load(self):
        """What is kept, empty without a file; ValueError for a file of other work or another kind of file."""
        if self.path is None or not self.path.exists():
            return {}
        try:
            mark, kept = self._read()
        except Exception:  # numpy raises many kinds for what is no npz file
            raise ValueError(f"{self.path.name} does not hold {self.what}; name another file.") from None
        if mark != self.mark:
            raise ValueError(f"{self.path.name} holds {self.what} of {self.other}; delete it or name another file.")
        return kept


class FinishedTasks(Finished):
    """`load()` gives the rows of each finished task by its number.

    A kill leaves whole lines, or a last one that is cut off and not counted.
    """

    what = "finished tasks"
    other = "another study, other cases, numbers of repeats or seeds"

    def load(self):
        kept = super().load()
        if self.path is None:
            return kept
        if self.path.exists():
            os.truncate(self.path, len(self._whole_lines()))
        else:
            self.path.write_text(json.dumps({"mark": self.mark}) + "\n", encoding="utf-8")
        return kept

    def _whole_lines(self):
        """Bytes of the file without a last line that was cut off."""
        content = self.path.read_bytes()
        return content[: content.rfind(b"\n") + 1]

    def _read(self):
        head, *entries = map(json.loads, self._whole_lines().splitlines())
        return head["mark"], {entry["task"]: entry["rows"] for entry in entries}

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
