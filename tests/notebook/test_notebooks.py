"""Every notebook as a reader meets it: stored outputs compared, other parameters, the students' copy.

The runs are started two at a time, each in its own process, when the first of these tests begins.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from rules import lint

from helpers.notebook import student

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
CELL_SECONDS, RUN_SECONDS = 180, 600
RUNS = [(kind, path) for path in NOTEBOOKS for kind in ("nbval", "papermill")]
RUNS += [("student", path) for path in NOTEBOOKS if path.stem[:2] in ("00", "05", "12", "16")]


def run(command, folder, seconds=RUN_SECONDS):
    """Run a command to its end: (exit status, everything it said)."""
    quiet = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            cwd=folder,
            env=os.environ | quiet,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        return -1, f"stopped after {seconds} s\n{error.stdout}"
    return done.returncode, done.stdout


def nbval(path, seconds=CELL_SECONDS):
    """Run a notebook through nbval with time-outs; pytest's own settings of this repository do not apply."""
    command = ["-m", "pytest", "--nbval", path, "--nbval-cell-timeout", seconds, "--nbval-kernel-startup-timeout", 60]
    command += ["--nbval-current-env", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings="]
    return run(command, path.parent)


def papermill(source, target, parameters=()):
    """Run a notebook under bare papermill, as a stranger would."""
    command = ["-m", "papermill", source, target, "--cwd", ROOT / "notebooks", "--no-progress-bar"]
    for name, value in dict(parameters).items():
        command += ["-y", json.dumps({name: value})]
    return run([*command, "--execution-timeout", CELL_SECONDS], target.parent)


def job(kind, path, folder):
    """One run of one notebook: (exit status, what it said)."""
    target = folder / f"{kind}_{path.name}"
    if kind == "nbval":
        return nbval(path)
    parameters = json.loads((ROOT / "tests" / "second_parameters.json").read_text(encoding="utf-8"))[path.stem]
    if kind == "papermill":
        return papermill(path, target, parameters)
    nbformat.write(student.student_copy(nbformat.read(path, as_version=4)), target)
    return papermill(target, folder / f"executed_{target.name}", parameters)


@pytest.fixture(scope="module")
def jobs(request, tmp_path_factory):
    """{(kind, path): future} for the tests that were asked for, two at a time."""
    folder = tmp_path_factory.mktemp("runs")
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    wanted = [call.params for call in calls if call and {"kind", "path"} <= set(call.params)]
    with ThreadPoolExecutor(2) as pool:
        yield {(one["kind"], one["path"]): pool.submit(job, one["kind"], one["path"], folder) for one in wanted}


@pytest.mark.parametrize("kind, path", RUNS, ids=[f"{kind}-{path.stem}" for kind, path in RUNS])
def test_notebook_runs(kind, path, jobs):
    status, said = jobs[kind, path].result()
    assert status == 0, said[-6000:]


def undefined_names(notebook, path):
    """What ruff says about names that are used and never defined."""
    nbformat.write(notebook, path)
    return run(["-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821", path], path.parent)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_no_cell_of_a_students_copy_needs_a_solution(path, tmp_path):
    copy = student.student_copy(nbformat.read(path, as_version=4))
    status, said = undefined_names(copy, tmp_path / path.name)
    assert status == 0, said


def test_a_copy_that_needs_a_solution_fails(tmp_path):
    cells = [new_code_cell("found = 2"), new_code_cell("found + 1")]
    assert undefined_names(new_notebook(cells=cells), tmp_path / "whole.ipynb")[0] == 0
    status, said = undefined_names(new_notebook(cells=cells[1:]), tmp_path / "copy.ipynb")
    assert status == 1 and "found" in said


def stored(folder, name, *cells):
    """A notebook whose cells are (source, stored text), on disk."""
    notebook = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for count, (source, text) in enumerate(cells, 1):
        outputs = [new_output("stream", name="stdout", text=text)] if text else []
        notebook.cells.append(new_code_cell(source, execution_count=count, outputs=outputs))
    nbformat.write(notebook, folder / name)
    return folder / name


def test_a_killed_kernel_fails(tmp_path):
    source = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    status, said = nbval(stored(tmp_path, "killed.ipynb", (source, ""), ("print(1)", "1\n")), seconds=5)
    assert status not in (0, -1), said
    assert "failed" in said


def test_a_changed_output_fails(tmp_path):
    assert nbval(stored(tmp_path, "same.ipynb", ("print('one')", "one\n")))[0] == 0
    assert nbval(stored(tmp_path, "changed.ipynb", ("print('one')", "two\n")))[0] == 1


def test_a_stripped_notebook_fails(tmp_path):
    """nbval compares nothing when nothing is stored and passes; our own rule does not."""
    source = "from helpers.notebook import show\nshow('one')"
    full, bare = stored(tmp_path, "full.ipynb", (source, "one\n")), stored(tmp_path, "bare.ipynb", (source, ""))
    words = "no stored output"
    assert not any(words in line for line in lint(nbformat.read(full, as_version=4), "full"))
    assert any(words in line for line in lint(nbformat.read(bare, as_version=4), "bare"))
