"""Does each claim notice a wrong formula? Run the notebooks with one formula made wrong at a time.

    python tests/notebook/mutations.py                   # all rows of data/mutations.csv
    python tests/notebook/mutations.py theorem5 --jobs 2 # those whose claim or notebook holds this text

A row of data/mutations.csv names a claim, the notebook that makes it, a file, a piece of its text, what takes its
place, and in words what is wrong then. The file is a module of `helpers`, of which a copy is made wrong, or the
notebook itself, for a formula that one of its code cells writes out. The notebook runs with its second parameters, and
with those that the row gives as JSON, for what they leave out; the claim must fail. Rows with the same notebook,
parameters and wrong formula share a run, which ends when all their claims have failed or had their turn. Nothing is
drawn. A run is a fork of a process that has imported what notebooks import (tests/forks.py). That no claim fails when
nothing is wrong is a test of its own (test_notebooks.py).
"""

import argparse
import csv
import functools
import io
import json
import os
import shutil
import sys
import tempfile
import threading
import traceback
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing.pool import ThreadPool
from pathlib import Path

import nbformat
from tqdm.auto import tqdm

ROOT = Path(__file__).resolve().parents[2]
RUN_SECONDS = 300
FORMULA = ("notebook", "parameters", "file", "find", "replace")

if str(ROOT / "tests") not in sys.path:  # as a program: pytest has it there
    sys.path.append(str(ROOT / "tests"))

from forks import SERVER, begin_fork  # noqa: E402
from rules import second_parameters  # noqa: E402


def read_mutations(path=ROOT / "data" / "mutations.csv"):
    """Rows as dicts: claim, notebook, parameters, file, find, replace, wrong."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def find_notebook(number):
    """The file of a notebook, by what the table calls it: "05" or "checks/05"."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    return path


@functools.cache
def code_of(path):
    """Sources of the code cells of a notebook."""
    notebook = nbformat.read(path, as_version=4)
    return tuple(cell.source for cell in notebook.cells if cell.cell_type == "code")


def count_text(row):
    """How often the text of a row stands in its file; of a notebook, in its code cells."""
    path = ROOT / row["file"]
    texts = code_of(path) if path.suffix == ".ipynb" else [path.read_text(encoding="utf-8")]
    return sum(text.count(row["find"]) for text in texts)


def make_wrong(row, folder):
    """Cells of the row's notebook; `folder` holds the package they are to use. One of the two has the wrong formula."""
    if count_text(row) != 1:
        raise ValueError(f"find must stand once in {row['file']}, but {row['find']!r} does {count_text(row)} times.")
    path = find_notebook(row["notebook"])
    cells = code_of(path)
    (folder / "data").symlink_to(ROOT / "data")
    if ROOT / row["file"] == path:
        (folder / "helpers").symlink_to(ROOT / "helpers")
        return [cell.replace(row["find"], row["replace"]) for cell in cells]
    shutil.copytree(ROOT / "helpers", folder / "helpers")
    file = folder / row["file"]
    file.write_text(file.read_text(encoding="utf-8").replace(row["find"], row["replace"]), encoding="utf-8")
    return cells


def own_parameters(row):
    """The parameters that a row gives, for its run alone."""
    return json.loads(row["parameters"] or "{}")


def with_second_parameters(cells, notebook, own=None):
    """The cells with a notebook's second parameters, or `own` ones, in a cell of their own, as papermill puts them."""
    given = second_parameters(notebook.relative_to(ROOT / "notebooks").with_suffix("").as_posix())
    given.pop("embeddings_path", None)  # a reader's own network: no claim of a paper is about it
    given |= own or {}
    injected = "\n".join(["# Parameters", *(f"{name} = {value!r}" for name, value in given.items())])
    place = next(k for k, cell in enumerate(cells) if "parameters(" in cell)  # the guard's cell
    return [*cells[:place], injected, *cells[place:]]


def use_package(folder):
    """Forget the package that the fork server has imported, so that it is imported from `folder`."""
    for name in [name for name in sys.modules if name.split(".")[0] == "helpers"]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    os.environ |= {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


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


def run_cells(cells, claims=None):
    """(claims that failed, first error that is none of a claim) of all cells, or until all is known of some claims."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    failed = set()
    error = ""
    listen(failed)
    if claims is not None:
        last = max((k for k, cell in enumerate(cells) if any(claim in cell for claim in claims)), default=-1)
        cells = cells[: last + 1]
    for cell in cells:
        result = shell.run_cell(cell, store_history=True)
        raised = result.error_before_exec or result.error_in_exec
        if raised is not None and not error:
            error = f"{type(raised).__name__}: {raised}"
        if claims is not None and claims <= failed:
            break
    return failed, error


def be_run(orders, cells, notebook, claims, folder):
    """What the process of one run does; with a `folder`, it uses the package there."""
    begin_fork()
    printed = io.StringIO()
    try:
        if folder is not None:
            use_package(folder)
        os.chdir(notebook.parent)
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            failed, error = run_cells(cells, claims)
    except BaseException:
        failed = set()
        error = traceback.format_exc()
    orders.send((failed, error, printed.getvalue()))


def run_fork(cells, notebook, claims=None, folder=None, own=None):
    """(claims that failed, first other error, printed text) of a notebook with its second parameters, or `own` ones."""
    cells = with_second_parameters(cells, notebook, own)
    mine, theirs = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=be_run, args=(theirs, cells, notebook, claims, folder))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(RUN_SECONDS) else (set(), f"not done after {RUN_SECONDS} s", "")
    except EOFError:
        return set(), "the process died", ""
    finally:
        process.kill()
        process.join()


def outcomes(rows):
    """For rows that share a notebook and a wrong formula: 'noticed' for each whose claim fails, else what happened."""
    row = rows[0]
    claims = {row["claim"] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        cells = make_wrong(row, Path(folder))
        failed, error, _ = run_fork(cells, find_notebook(row["notebook"]), claims, Path(folder), own_parameters(row))
    missed = f"not noticed, but {error.splitlines()[-1][:150]}" if error else "not noticed"
    return ["noticed" if row["claim"] in failed else missed for row in rows]


def group_rows(rows):
    """Lists of rows that one run serves, in the order of the table."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in FORMULA), []).append(row)
    return list(groups.values())


def main(words, jobs=1):
    """Run the mutations whose claim or notebook holds one of the words, or all; the number that were not noticed."""
    rows = [row for row in read_mutations() if not words or any(w in row["claim"] + row["notebook"] for w in words)]
    groups = group_rows(rows)
    missed = 0
    tqdm.set_lock(threading.RLock())
    with ThreadPool(jobs) as pool:
        bar = tqdm(pool.imap(outcomes, groups), total=len(groups), desc="wrong formulas", file=sys.stderr)
        for same, found in zip(groups, bar, strict=True):
            for row, outcome in zip(same, found, strict=True):
                missed += outcome != "noticed"
                tqdm.write(f"{row['claim']} ({row['notebook']}): {row['wrong']}: {outcome}", file=sys.stdout)
    sys.stdout.write(f"{len(rows)} rows, {len(groups)} runs: {missed} not noticed\n")
    return missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only rows whose claim or notebook holds one of these")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    options = parser.parse_args()
    sys.exit(1 if main(options.words, options.jobs) else 0)
