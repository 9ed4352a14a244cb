"""Every notebook as a reader meets it: stored outputs compared, other parameters, the students' copy.

Each notebook is executed twice, because the two runs find different things: nbval runs it with its defaults and
compares every stored output; the second run has other, small parameters in a cell where papermill would put it, under
which a number that only the defaults give fails a claim. That run needs no kernel and draws nothing
(second_runs.py). Both are forks of a process that has imported what notebooks import (forks.py).

Students' copies are not executed. What can go wrong in one is that a cell uses a name of a solution, that a self-check
stumbles over an open answer, or that a cell computes with an open answer. The first and the last are read off the
source; for the second, each self-check of a lesson stands before the solution.

Each run is a test of its own, the longest first (tests/conftest.py), so that two workers share them and end together.
"""

import ast
import os
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from forks import run_pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from rules import SANITIZER, kind_of, parsed, second_parameters, shelf
from second_runs import code_of, run_fork

from helpers.notebook import student
from helpers.notebook.student import tags

NOTEBOOKS = shelf()
LESSONS = [name for name in NOTEBOOKS if kind_of(name) != "checks"]
SECOND = {name: second_parameters(name) for name in NOTEBOOKS}
CELL_SECONDS = 180
RUN_SECONDS = 600
THREADS = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
QUIET = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"} | THREADS


def nbval(report, *paths):
    """Run notebooks through nbval with time-outs; pytest's own settings of this repository do not apply."""
    arguments = ["--nbval", *paths, "--nbval-cell-timeout", CELL_SECONDS, "--nbval-kernel-startup-timeout", 60]
    # in one piece: pytest takes a path by itself for one of its tests
    arguments += [f"--nbval-sanitize-with={SANITIZER}", "--nbval-current-env", "-q", "-rA"]
    arguments += ["-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings="]
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


@pytest.mark.slow
def test_no_cell_of_a_students_copy_needs_a_solution(tmp_path):
    for name in LESSONS:
        nbformat.write(student.student_copy(nbformat.read(NOTEBOOKS[name], as_version=4)), tmp_path / f"{name}.ipynb")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


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


SHOWN = '<p>{0}</p><img alt="{0}" src="data:image/png;base64,iVBORw0KGgo{1}=">'  # as `prediction` does


def stored(folder, name, *cells):
    """A notebook whose cells are (source, what is stored), on disk."""
    notebook = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for source, text in cells:
        outputs = [new_output("stream", name="stdout", text=text)] if text else []
        if text.startswith("<p>"):
            data = {"text/html": text, "text/plain": "<IPython.core.display.HTML object>"}
            outputs = [new_output("display_data", data=data)]
        notebook.cells.append(new_code_cell(source, execution_count=1, outputs=outputs))
    nbformat.write(notebook, folder / name)
    return folder / name


WITHOUT_PATIENCE = """def pytest_runtest_setup(item):
    if item.path.name == "killed.ipynb":  # its kernel answers nothing, however long one waits
        item.output_timeout = item.config.option.nbval_cell_timeout = 1"""


@pytest.mark.slow
def test_nbval_finds_changed_words_notes_and_a_killed_kernel_and_lets_pixels_be(tmp_path):
    guard = ("from helpers.notebook import parameters, show\nparameters()", "n = 1 (default)\n")
    border = ("show(f'{0.1235 * (1 - 1e-11):.3f}')", "0.123\n")  # a note on stderr
    html = "from IPython.display import HTML, display\ndisplay(HTML({!r}))"
    pixels = (html.format(SHOWN.format("one", "A")), SHOWN.format("one", "B"))
    words = (html.format(SHOWN.format("one", "A")), SHOWN.format("two", "A"))
    number = ("show(f'{0.1234:.3f}')", "0.123\n")
    cells = [("n = 1", ""), guard, number, border, ("show('two')", "three\n"), pixels, words]
    changed = stored(tmp_path, "changed.ipynb", *cells)
    source = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    killed = stored(tmp_path, "killed.ipynb", (source, ""), ("print(1)", "1\n"))
    (tmp_path / "conftest.py").write_text(WITHOUT_PATIENCE)
    status, report = nbval(tmp_path / "report", changed, killed)
    assert status == 1, report
    assert re.findall(r"^PASSED (\S+)::Cell (\d)", report, re.MULTILINE) == [("changed.ipynb", k) for k in "0125"]
    assert "stderr" in report and "FAILED killed.ipynb::Cell 0" in report
