"""Finished tasks of repeated work, a line each in a file, so that a failed run goes on (for `helpers.experiments`)."""

import json
from pathlib import Path


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
