"""Every notebook with other, small parameters (site/course.yml): a number that only the defaults give fails a claim.

papermill runs it in a kernel of its own, as `make run` does. A class is a part that one worker of pytest-xdist takes.
"""

import re

import nbformat
import numpy as np
import pytest
from rules import kind_of, second_parameters, shelf

NOTEBOOKS = shelf()
CHECKS = [name for name in NOTEBOOKS if kind_of(name) == "checks"]
LESSONS = [name for name in NOTEBOOKS if name not in CHECKS]

# A push need not wait for all: the others are run at night. The reports run on small files in tests/test_readme.py.
AT_EACH_PUSH = {"00_start_here"}

papermill = pytest.importorskip("papermill")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of Jupyter's libraries, in this process


def each(names):
    """Run a test once for each notebook, most of them at night."""
    marks = {name: [] if name in AT_EACH_PUSH else [pytest.mark.nightly] for name in names}
    return pytest.mark.parametrize("name", [pytest.param(name, marks=marks[name]) for name in names])


def text_of(notebook):
    """All that a notebook has printed or shown as plain text."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "\n".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs)


def run(name, folder, **own):
    """The text of a notebook with its second parameters, and with `own` ones."""
    executed = folder / "executed.ipynb"
    given = second_parameters(name) | own
    options = {"cwd": NOTEBOOKS[name].parent, "progress_bar": False}
    papermill.execute_notebook(NOTEBOOKS[name], executed, given, **options)
    return text_of(nbformat.read(executed, as_version=4))


class TestLessons:
    @each(LESSONS)
    def test_other_parameters(self, name, tmp_path):
        text = run(name, tmp_path)
        cells = nbformat.read(NOTEBOOKS[name], as_version=4).cells
        exercises = sum("exercise" in cell.metadata.get("tags", []) for cell in cells)
        assert exercises > 1 or kind_of(name) == "report"
        assert text.count("Not answered yet.") >= exercises
        right = re.findall(r"^Right[.:]", text, re.MULTILINE)
        assert len(right) >= exercises  # the solutions hold for other parameters, too


def own_network(path, n=900):
    """What a reader may bring to the checks of 04: a network's last layer, with labels, scores and two columns."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 3))
    p = rng.uniform(0.35, 0.65, n)
    y = rng.random(n) < p + 0.3 * np.sign(X[:, 0])
    kind = np.where(X[:, 0] > 0, "sketch", "tattoo")
    np.savez(path, unit=X, label=y.astype(int), score=p, kind=kind, image=np.arange(n) // 2)


class TestChecks:
    @each(CHECKS)
    def test_other_parameters(self, name, tmp_path):
        own = {}
        if "embeddings_path" in second_parameters(name):
            own_network(tmp_path / "mine.npz")
            own = {"embeddings_path": str(tmp_path / "mine.npz")}
        text = run(name, tmp_path, **own)
        if own:
            assert "mine.npz: 900 rows of 450 groups, 3 features" in text
            assert sum(line.startswith("yours") for line in text.splitlines()) == 2
