"""What long work is doing, on stderr: a line that changes on a terminal, a line each half minute in a log."""

import io
import os
import sys
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Event, Thread

from tqdm import tqdm

from helpers.checks import check_one_of

TOLD = "HONEST_PROGRESS"  # environment variable by which `helpers.practice.run` asks its kernel for progress

LOG_SECONDS, TERMINAL_SECONDS = 30.0, 1.0  # between lines

LINE = "{desc} ({n_fmt} of {total_fmt}, {elapsed})"

_bar = ContextVar("bar", default=None)


@contextmanager
def told(n_steps, progress=None):
    """In here the `step` that is done is told, if `progress`; None: unless it would be stored in a notebook.

    >>> with told(2, progress=False):
    ...     step("the first of two")
    """
    stream, position = _stream(progress)
    if stream is None or _bar.get() is not None:  # what runs inside of other work is a part of it
        yield
        return
    on_terminal = stream.isatty()
    shown = stream if on_terminal else io.StringIO()
    bar = tqdm(total=n_steps, file=shown, bar_format=LINE, leave=False, position=position)

    def write_line():
        stream.write(f"{bar}\n")
        stream.flush()

    every = (TERMINAL_SECONDS, bar.refresh) if on_terminal else (LOG_SECONDS, write_line)
    token = _bar.set(bar)
    try:
        with _repeated(*every):
            yield
    finally:
        _bar.reset(token)
        bar.close()


def step(words):
    """Say that the next step has begun."""
    if (bar := _bar.get()) is not None:
        part(words)
        bar.update()


def part(words):
    """Say what a step is at, in place of what was said."""
    if (bar := _bar.get()) is not None:
        bar.set_description_str(words, refresh=False)


def _stream(progress):
    """Where progress goes, and in which line of the terminal; None for nowhere."""
    check_one_of(progress, "progress", (None, True, False))
    in_kernel = type(sys.stderr).__module__.startswith("ipykernel")  # its stderr is stored in the notebook
    if progress is None and in_kernel:
        return (_stderr_of_program(), 1) if TOLD in os.environ else (None, 0)  # the program has the first line
    return (None, 0) if progress is False else (sys.stderr, 0)


def _stderr_of_program():
    """In a kernel, the stderr of the program that started it: where the kernel's own log goes."""
    from traitlets.config import Application

    return Application.instance().log.handlers[0].stream


@contextmanager
def _repeated(seconds, function):
    """Call a function each so many seconds, beside what is done in here; never where no thread can be started."""
    done = Event()

    def repeat():
        while not done.wait(seconds):
            function()

    thread = Thread(target=repeat, daemon=True, name="progress")
    with suppress(RuntimeError):  # in a browser
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.ident is not None:
            thread.join()
