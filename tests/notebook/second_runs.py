"""Notebooks with their second parameters, without a kernel and without figures, in forks of a process that is ready."""

import functools
import io
import os
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import forks
import nbformat
from rules import second_parameters

ROOT = Path(__file__).resolve().parents[2]
RUN_SECONDS = 300


@functools.cache
def code_of(path):
    """Sources of the code cells of a notebook."""
    notebook = nbformat.read(path, as_version=4)
    return tuple(cell.source for cell in notebook.cells if cell.cell_type == "code")


def with_second_parameters(cells, notebook, own=None):
    """The cells with a notebook's second parameters, or `own` ones, in a cell of their own, as papermill puts them."""
    given = second_parameters(notebook.relative_to(ROOT / "notebooks").with_suffix("").as_posix())
    given.pop("embeddings_path", None)  # a reader's own network: no claim of a paper is about it
    given |= own or {}
    injected = "\n".join(["# Parameters", *(f"{name} = {value!r}" for name, value in given.items())])
    place = next(k for k, cell in enumerate(cells) if "parameters(" in cell)  # the guard's cell
    return [*cells[:place], injected, *cells[place:]]


def listen(failed):
    """Let claims that fail be written down in place of stopping their cell, and figures be made and closed undrawn."""
    from matplotlib import pyplot

    import helpers.notebook as package
    from helpers.notebook import display, sliders

    def claim(id, *values, **options):
        try:
            heard(id, *values, **options)
        except package.ClaimFailed:
            failed.add(id)

    def figure(fig, alt, caption=None):
        display.check_alt(alt, caption)
        pyplot.close(fig.figure)

    heard = package.claim
    package.claim = claim
    package.figure = figure
    sliders.figure = figure


def run_cells(cells, stop=False):
    """(claims that failed, first error that is none of a claim) of all cells, or until a claim fails."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    failed = set()
    error = ""
    listen(failed)
    for cell in cells:
        result = shell.run_cell(cell, store_history=True)
        raised = result.error_before_exec or result.error_in_exec
        if raised is not None and not error:
            error = f"{type(raised).__name__}: {raised}"
        if stop and failed:
            break
    return failed, error


def be_run(orders, cells, notebook):
    """What the process of one run does."""
    forks.begin_fork()
    printed = io.StringIO()
    try:
        os.chdir(notebook.parent)
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            failed, error = run_cells(cells)
    except BaseException:
        failed = set()
        error = traceback.format_exc()
    orders.send((failed, error, printed.getvalue()))


def run_fork(cells, notebook, own=None):
    """(claims that failed, first other error, printed text) of a notebook with its second parameters, or `own` ones."""
    cells = with_second_parameters(cells, notebook, own)
    begin = time.monotonic()
    answer = forks.run_fork(be_run, cells, notebook, seconds=RUN_SECONDS)
    if answer:
        return answer
    died = time.monotonic() - begin < RUN_SECONDS
    return set(), "the process died" if died else f"not done after {RUN_SECONDS} s", ""
