"""The rules of the notebooks and the ledger: each of them fires, and no notebook breaks one."""

import copy
import json
import re

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_output
from rules import ROOT, ledger_findings, lint, read_ledger
from sample import cell_with, good_notebook, strip

NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))


def each_notebook(function):
    """Run a test once for each notebook."""
    return pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])(function)


def read(path):
    return nbformat.read(path, as_version=4)


def set_source(words, source):
    return lambda notebook: cell_with(notebook, words).update(source=source)


def set_output(text, name="stdout"):
    return lambda notebook: cell_with(notebook, "show").update(outputs=[new_output("stream", name=name, text=text)])


def add_output(words, **output):
    return lambda notebook: cell_with(notebook, words).outputs.append(new_output(**output))


BREAKAGES = {
    "cell 8: 21 lines of code": set_source("show", "show(1)\n" * 21),
    "cell 8: an empty code cell": set_source("show", ""),
    "function f is longer": set_source("show", "def f():\n" + "    show(1)\n" * 11),
    "the median code cell has 6": lambda n: [c.update(source="show(1)\n" * 6) for c in n.cells if "answer" in c.source],
    "19 cells, not 20": lambda n: [n.cells.pop(4) for _ in range(len(n.cells) - 19)],
    "sys.path": set_source("show", "import sys\nsys.path.insert(0, '..')"),
    "a clock": set_source("show", "%time show(1)"),
    "marker NBVAL_SKIP": set_source("show", "# NBVAL_SKIP\nshow(1)"),
    "needs its reason": set_source("show", "# NBVAL_IGNORE_OUTPUT\nshow(1)"),
    "0 cells tagged parameters": lambda n: n.cells[1].metadata.clear(),
    "not a plain assignment of a literal: m = n_rows": set_source("n_rows", "n_rows = 1  # rows\nm = n_rows  # twice"),
    "one line with a comment: seed = 0": set_source("n_rows", "n_rows = 1  # rows\nseed = 0"),
    "tag hide_input": lambda n: n.cells[7].metadata.update(tags=["hide_input"]),
    "tagged claim, but": set_source("claim", "show(1)"),
    "not tagged claim": set_source("show", "claim('known.claim', 1, 1, tol=0)"),
    "the kernel is not python3": lambda n: n.metadata.kernelspec.update(name="mine"),
    "cell ids are missing": lambda n: n.cells[3].pop("id"),
    "execution count 9, not 4": lambda n: n.cells[7].update(execution_count=9),
    "no stored output": strip,
    "ends in a bare object": set_source("show", "show(1)\nresult"),
    "bare object": add_output("show", output_type="execute_result", data={"text/plain": "1"}),
    "stderr": set_output("careful\n", "stderr"),
    "a stored error: KeyError": add_output("show", output_type="error", ename="KeyError", evalue="", traceback=[]),
    "a path of one machine": set_output("read /home/ana/table.csv\n"),
    "a path of one machine in the output: C:": set_output("read C:\\data\n"),
    "an address": set_output("<Axes object at 0x7f3a12345678>\n"),
    "a warning": set_output("UserWarning: careful\n"),
    "without alternative text: figure": lambda n: n.cells[3].outputs[0].metadata.clear(),
    "more than one figure": lambda n: n.cells[3].outputs.append(n.cells[3].outputs[0]),
    "an image without": lambda n: n.cells[2].update(source="## A decision\n\n![](picture.png)"),
    "cannot draw \\tag{6}": lambda n: n.cells[2].update(source="$$\\begin{cases} q \\\\ c \\end{cases}\n\\tag{6}$$"),
    "cannot draw \\tag{7} in a formula": lambda n: n.cells[2].update(source="$$q \\tag{7}\n\nc$$"),
    "cannot draw \\tag*{8}": lambda n: n.cells[2].update(source="```{math}\nq \\\\ c \\tag*{8}\n```"),
    "3 exercises, fewer": lambda n: [n.cells.pop(19) for _ in range(3)] + [n.cells.insert(19, new_markdown_cell("x"))],
    "followed by its solution": lambda n: n.cells.__setitem__(11, new_markdown_cell("no solution")),
    "needs a scaffold": set_source("answer_1 = ...", "answer_1 = 1"),
    "header card that starts": lambda n: n.cells[0].update(source="Hello"),
    "lacks **Minutes**": lambda n: n.cells[0].update(source=n.cells[0].source.replace("Minutes", "Time")),
    "no section heading contains 'when not'": lambda n: n.cells[-4].update(source="## Limits"),
    "no section heading contains 'negative control'": lambda n: n.cells[4].update(source="## Something"),
    "more than one heading": lambda n: n.cells[4].update(source="# Negative control"),
}


def test_the_good_notebook_is_good():
    assert lint(good_notebook(), "05_sample") == []


@pytest.mark.parametrize("words", BREAKAGES)
def test_each_rule_fires(words):
    notebook = good_notebook()
    BREAKAGES[words](notebook)
    findings = lint(notebook, "05_sample")
    assert any(words in line for line in findings), findings
    assert all(re.match(r"05_sample: cell \d+: .", line) for line in findings)


@each_notebook
def test_notebook_follows_the_rules(path):
    assert lint(read(path), path.stem) == []


@each_notebook
def test_notebook_has_a_second_set_of_parameters(path):
    entries = json.loads((ROOT / "tests" / "second_parameters.json").read_text(encoding="utf-8"))
    assert entries.get(path.stem), f"add {path.stem} to tests/second_parameters.json"


# ---- the ledger -----------------------------------------------------------------------------------------------


def row(**changes):
    return {"id": "known.claim", "notebook": "05", "status": "verified"} | changes


def test_ledger_and_notebooks_agree():
    assert ledger_findings(read_ledger(), {path.stem: read(path) for path in NOTEBOOKS}) == []


def test_a_good_ledger_has_no_findings():
    rows = [row(), row(id="a", notebook="09", status="planned"), row(id="b", notebook="09", status="needs")]
    assert ledger_findings(rows, {"05_sample": good_notebook()}) == []


def test_ledger_faults_are_found():
    notebooks = {"05_sample": good_notebook()}
    silent = copy.deepcopy(notebooks)
    strip(silent["05_sample"])
    cases = [
        (notebooks, [row(id="other", status="planned")], "05_sample: claim known.claim has no row"),
        (notebooks, [row(), row(id="other")], "other: verified, but no claim that holds"),
        (silent, [row()], "known.claim: verified, but no claim that holds"),
        (notebooks, [row(), row(id="other", notebook="09")], "notebook '09' does not exist"),
        (notebooks, [row(), row(id="other", notebook="09", status="analogue")], "notebook '09' does not exist"),
        (notebooks, [row(), row(status="planned")], "known.claim: more than one row"),
        (notebooks, [row(), row(id="other", status="done")], "is not one of the six"),
    ]
    for books, rows, words in cases:
        findings = ledger_findings(rows, books)
        assert len(findings) == 1 and words in findings[0], (words, findings)


def test_a_failed_claim_does_not_count():
    notebook = good_notebook()
    cell_with(notebook, "claim").outputs[0].metadata.honest.holds = False
    assert len(ledger_findings([row()], {"05_sample": notebook})) == 1
