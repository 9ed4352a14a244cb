"""Finished work of passes over chunks, kept in one file, so that a failed run goes on (for `helpers.chunks`)."""

import hashlib
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
