"""A progress bar on stderr: one line that is rewritten in a terminal, else a new line at most every ten seconds."""

import sys
from time import monotonic

SECONDS = 10.0

WIDTH = 24


class Bar:
    """How much of some work is done; silent unless `shown`. `total` is None where nobody knows it.

    >>> with Bar("tasks", 3, shown=False) as bar:
    ...     bar.step()
    >>> bar.line()
    'tasks 1 of 3'
    """

    def __init__(self, what, total=None, *, done=0, shown=True):
        self.what, self.total, self.done, self.shown = what, total, done, shown
        self.before, self.start = done, monotonic()
        self.told, self.said, self.width = self.start, None, 0

    def __enter__(self):
        return self

    def step(self):
        """One more is done."""
        self.done += 1
        if self.shown and sys.stderr.isatty():
            self._rewrite()
        elif self.shown and monotonic() - self.told >= SECONDS:
            self.told, self.said = monotonic(), self.done
            self._write(self.line() + "\n")

    def __exit__(self, *error):
        if self.shown and sys.stderr.isatty():
            self._rewrite()
            self._write("\n")
        elif self.shown and self.said not in (None, self.done):
            self._write(self.line() + "\n")

    def _rewrite(self):
        line = self.line()
        if self.total:
            filled = WIDTH * min(self.done, self.total) // self.total
            line = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {line}"
        self._write("\r" + line.ljust(self.width))
        self.width = len(line)

    def _write(self, text):
        sys.stderr.write(text)
        sys.stderr.flush()

    def line(self):
        """What is done, how long it took and how much longer it may take."""
        text = f"{self.what} {self.done:,}" + (f" of {self.total:,}" if self.total else "")
        took = monotonic() - self.start
        if took < 1:
            return text
        text += f", {took:,.0f} s"
        here = self.done - self.before
        if self.total and here and self.done < self.total:
            text += f", about {took / here * (self.total - self.done):,.0f} s left"
        return text
