"""Every notebook as a reader meets it: stored outputs compared, other parameters, the students' copy.

Each notebook is executed twice, because the two runs find different things: nbval runs it with its defaults and
compares every stored output; the second run has other, small parameters in a cell where papermill would put it, under
which a number that only the defaults give fails a claim. That run needs no kernel and draws nothing, as those of
mutations.py. Both are forks of a process that has imported what notebooks import (forks.py). No third run is worth its
time:

- Students' copies are not executed. What can go wrong in one is that a cell uses a name of a solution, that a
  self-check stumbles over an open answer, or that a cell computes with an open answer. The first and the last are read
  off the source; for the second, each self-check of a lesson stands before the solution.
- That the checks of 04 draw a reader's own network is part of its run with second parameters.
- Papermill itself runs one lesson; that its parameters' cell stops it is tested on a small notebook (test_notebook.py).

The runs are the longest tests of the house. Each is a test of its own, the longest first (tests/conftest.py), so that
two workers share them and end together.
"""

import ast
import json
import os
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from forks import SERVER, launcher, run_pytest
from jupyter_client.provisioning import local_provisioner
from mutations import code_of, run_fork
from nbformat.v4 import new_code_cell, new_notebook, new_output
from papermill import execute_notebook
from rules import ROOT, SANITIZER, kind_of, lint, parsed, shelf, tags

from helpers.notebook import student

NOTEBOOKS = shelf()
LESSONS = [name for name in NOTEBOOKS if kind_of(name) != "checks"]
SECOND = json.loads((ROOT / "tests" / "second_parameters.json").read_text(encoding="utf-8"))
CELL_SECONDS = 180
RUN_SECONDS = 600
THREADS = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
QUIET = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"} | THREADS


def nbval(report, *paths, seconds=CELL_SECONDS):
    """Run notebooks through nbval with time-outs; pytest's own settings of this repository do not apply."""
    arguments = ["--nbval", *paths, "--nbval-cell-timeout", seconds, "--nbval-kernel-startup-timeout", 60]
    arguments += [
        f"--nbval-sanitize-with={SANITIZER}",  # in one piece: pytest takes a path by itself for one of its tests
        "--nbval-current-env",
        "-q",
        "-rA",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "-o",
        "filterwarnings=",
    ]
    return run_pytest(arguments, paths[0].parent, report, QUIET, RUN_SECONDS)


each_notebook = pytest.mark.parametrize("name", NOTEBOOKS)
each_lesson = pytest.mark.parametrize("name", LESSONS)


@each_notebook
def test_stored_outputs(name, tmp_path):
    status, report = nbval(tmp_path / "report", NOTEBOOKS[name])
    assert status == 0, report[-6000:]


def own_network(path, n=900):
    """What a reader may bring to the checks of 04: a network's last layer, with labels, scores and two columns."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 3))
    p = rng.uniform(0.35, 0.65, n)
    y = rng.random(n) < p + 0.3 * np.sign(X[:, 0])
    kind = np.where(X[:, 0] > 0, "sketch", "tattoo")
    np.savez(path, unit=X, label=y.astype(int), score=p, kind=kind, image=np.arange(n) // 2)


@each_notebook
def test_second_parameters(name, tmp_path):
    path = NOTEBOOKS[name]
    own = {}
    if "embeddings_path" in SECOND[name]:
        own = {"embeddings_path": str(tmp_path / "mine.npz")}
        own_network(tmp_path / "mine.npz")
    failed, error, text = run_fork(code_of(path), path, own=own)
    assert (failed, error) == (set(), "")
    assert text.count("Not answered yet.") >= 4 or name not in LESSONS
    assert kind_of(name) != "lesson" or text.count("Right") >= 4  # the solutions hold for other parameters, too
    if own:
        assert "mine.npz: 900 rows of 450 groups, 3 features" in text
        assert sum(line.startswith("yours") for line in text.splitlines()) == 2


def test_papermill_itself_runs_a_lesson(tmp_path, monkeypatch):
    name = "00_start_here"
    monkeypatch.chdir(NOTEBOOKS[name].parent)
    monkeypatch.setattr(local_provisioner, "launch_kernel", launcher(SERVER))
    made = execute_notebook(NOTEBOOKS[name], tmp_path / "made.ipynb", SECOND[name], progress_bar=False)
    shown = [output.get("text", "") for cell in made.cells for output in cell.get("outputs", [])]
    assert any("n_rows = 6000" in text and "seed = 7" in text for text in shown)


def undefined_names(notebook, path):
    """What ruff says about names that are used and never defined."""
    nbformat.write(notebook, path)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821", path]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@each_lesson
def test_no_cell_of_a_students_copy_needs_a_solution(name, tmp_path):
    made = student.student_copy(nbformat.read(NOTEBOOKS[name], as_version=4))
    status, report = undefined_names(made, tmp_path / "copy.ipynb")
    assert status == 0, report


def uses_of_open_answers(notebook):
    """(number of the cell, name) where a cell that is no self-check uses what an exercise leaves open."""
    uses = []
    opened = set()
    for number, cell in enumerate(student.student_copy(notebook).cells, 1):
        if cell.cell_type != "code":
            continue
        nodes = list(ast.walk(parsed(cell)))
        if "exercise" in tags(cell):
            opened |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
            opened |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        elif "check" not in tags(cell):
            uses += [(number, node.id) for node in nodes if isinstance(node, ast.Name) and node.id in opened]
    return uses


@each_lesson
def test_no_cell_of_a_students_copy_computes_with_an_open_answer(name):
    assert uses_of_open_answers(nbformat.read(NOTEBOOKS[name], as_version=4)) == []


def test_a_cell_that_computes_with_an_open_answer_is_found():
    exercise = new_code_cell("answer = ...", metadata={"tags": ["exercise"]})
    check = new_code_cell("Check(1)(answer)", metadata={"tags": ["check"]})
    cells = [exercise, check, new_code_cell("twice = 2 * answer")]
    assert uses_of_open_answers(new_notebook(cells=cells)) == [(3, "answer")]


def test_a_copy_that_needs_a_solution_fails(tmp_path):
    cells = [new_code_cell("found = 2"), new_code_cell("found + 1")]
    assert undefined_names(new_notebook(cells=cells), tmp_path / "whole.ipynb")[0] == 0
    status, report = undefined_names(new_notebook(cells=cells[1:]), tmp_path / "copy.ipynb")
    assert status == 1 and "found" in report


def stored(folder, name, *cells):
    """A notebook whose cells are (source, stored text), on disk."""
    notebook = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for count, (source, text) in enumerate(cells, 1):
        outputs = [new_output("stream", name="stdout", text=text)] if text else []
        notebook.cells.append(new_code_cell(source, execution_count=count, outputs=outputs))
    nbformat.write(notebook, folder / name)
    return folder / name


def test_nbval_finds_a_changed_output_and_a_killed_kernel(tmp_path):
    changed = stored(tmp_path, "changed.ipynb", ("print('one')", "one\n"), ("print('two')", "three\n"))
    source = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    killed = stored(tmp_path, "killed.ipynb", (source, ""), ("print(1)", "1\n"))
    status, report = nbval(tmp_path / "report", changed, killed, seconds=3)
    assert status == 1, report
    assert "PASSED changed.ipynb::Cell 0" in report and "FAILED changed.ipynb::Cell 1" in report
    assert "FAILED killed.ipynb::Cell 0" in report


def html(words, colour):
    """A cell that shows words and a picture as `prediction` does, and the HTML that it shows."""
    shown = f'<p>{words}</p><img alt="{words}" src="data:image/png;base64,iVBORw0KGgo{colour}=">'
    return f"from IPython.display import HTML, display\ndisplay(HTML({shown!r}))", shown


def test_words_beside_a_picture_are_compared_and_the_picture_is_not(tmp_path):
    notebook = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for stored_now, shown_then in ((("one", "A"), ("one", "B")), (("one", "A"), ("two", "A"))):
        data = {"text/html": html(*stored_now)[1], "text/plain": "<IPython.core.display.HTML object>"}
        outputs = [new_output("display_data", data=data)]
        notebook.cells.append(new_code_cell(html(*shown_then)[0], execution_count=1, outputs=outputs))
    nbformat.write(notebook, tmp_path / "pictures.ipynb")
    status, report = nbval(tmp_path / "report", tmp_path / "pictures.ipynb")
    assert status == 1 and "PASSED pictures.ipynb::Cell 0" in report and "FAILED pictures.ipynb::Cell 1" in report


def test_a_number_at_a_border_is_noted_in_a_kernel(tmp_path):
    guard = ("from helpers.notebook import parameters, show\nparameters()", "n = 1 (default)\n")
    shown = [("show(f'{0.1234:.3f}')", "0.123\n"), ("show(f'{0.1235 * (1 - 1e-11):.3f}')", "0.123\n")]
    path = stored(tmp_path, "border.ipynb", ("n = 1", ""), guard, *shown)
    status, report = nbval(tmp_path / "report", path)
    assert status == 1 and "FAILED border.ipynb::Cell 3" in report and "stderr" in report
    assert report.count("FAILED border") == 1


def test_a_stripped_notebook_fails(tmp_path):
    """nbval compares nothing when nothing is stored and passes; our own rule does not."""
    source = "from helpers.notebook import show\nshow('one')"
    full = stored(tmp_path, "full.ipynb", (source, "one\n"))
    bare = stored(tmp_path, "bare.ipynb", (source, ""))
    words = "no stored output"
    assert not any(words in line for line in lint(nbformat.read(full, as_version=4), "full"))
    assert any(words in line for line in lint(nbformat.read(bare, as_version=4), "bare"))
