"""The rules of the notebooks and the ledger: each of them fires, and no notebook breaks one."""

import copy
import json
import re

import nbformat
import pytest
from lessons import count_words, sizes
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from rules import ROOT, ledger_findings, lint, read_ledger, shelf
from sample import cell_with, good_checks, good_lesson, strip

NOTEBOOKS = shelf()


def each_notebook(function):
    """Run a test once for each notebook."""
    return pytest.mark.parametrize("name", NOTEBOOKS)(function)


def read(path):
    return nbformat.read(path, as_version=4)


def set_source(words, source):
    return lambda notebook: cell_with(notebook, words).update(source=source)


def set_output(text, name="stdout"):
    return lambda notebook: cell_with(notebook, "show").update(outputs=[new_output("stream", name=name, text=text)])


def add_output(words, **output):
    return lambda notebook: cell_with(notebook, words).outputs.append(new_output(**output))


PNG = '<p>one</p><img alt="A line." src="data:image/png;base64,iVBORw0KGgo=">'
JPEG = PNG.replace("png", "jpeg")

BREAKAGES = {
    "cell 8: 21 lines of code": set_source("show", "show(1)\n" * 21),
    "cell 8: an empty code cell": set_source("show", ""),
    "function f is longer": set_source("show", "def f():\n" + "    show(1)\n" * 11),
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
    "a rounding border": set_output("0.5 as .0f lies at a rounding border: another computer ...\n", "stderr"),
    "a picture in an output": add_output("show", output_type="display_data", data={"text/html": JPEG}),
    "a picture in an output that is": add_output("show", output_type="display_data", data={"image/svg+xml": "<svg/>"}),
    "without alternative text: figure": lambda n: n.cells[3].outputs[0].metadata.clear(),
    "more than one figure": lambda n: n.cells[3].outputs.append(n.cells[3].outputs[0]),
    "an image without": lambda n: n.cells[2].update(source="## A decision\n\n![](picture.png)"),
    "cannot draw \\tag{6}": lambda n: n.cells[2].update(source="$$\\begin{cases} q \\\\ c \\end{cases}\n\\tag{6}$$"),
    "cannot draw \\tag{7} in a formula": lambda n: n.cells[2].update(source="$$q \\tag{7}\n\nc$$"),
    "cannot draw \\tag*{8}": lambda n: n.cells[2].update(source="```{math}\nq \\\\ c \\tag*{8}\n```"),
    "header card that starts": lambda n: n.cells[0].update(source="Hello"),
    "lacks **Minutes**": lambda n: n.cells[0].update(source=n.cells[0].source.replace("Minutes", "Time")),
    "no section heading contains 'when not'": lambda n: n.cells[-3].update(source="## Limits"),
    "no section heading contains 'negative control'": lambda n: n.cells[4].update(source="## Something"),
    "more than one heading": lambda n: n.cells[4].update(source="# Negative control"),
}


@pytest.mark.parametrize("words", BREAKAGES)
def test_each_rule_fires(words):
    notebook = good_lesson()
    BREAKAGES[words](notebook)
    findings = lint(notebook, "55_sample")
    assert any(words in line for line in findings), findings
    assert all(re.match(r"55_sample: cell \d+: .", line) for line in findings)


def test_a_picture_that_nbval_leaves_out_is_no_finding():
    notebook = good_lesson()
    add_output("show", output_type="display_data", data={"text/html": PNG})(notebook)
    assert not any("picture" in line for line in lint(notebook, "55_sample"))


@pytest.mark.slow
@each_notebook
def test_notebook_follows_the_rules(name):
    assert lint(read(NOTEBOOKS[name]), name) == []


@each_notebook
def test_notebook_has_a_second_set_of_parameters(name):
    entries = json.loads((ROOT / "tests" / "second_parameters.json").read_text(encoding="utf-8"))
    assert entries.get(name), f"add {name} to tests/second_parameters.json"


# ---- lessons and checks ---------------------------------------------------------------------------------------


def tagged(notebook, tag):
    return next(cell for cell in notebook.cells if tag in cell.metadata.get("tags", []))


def without(tag):
    def change(notebook):
        notebook.cells = [cell for cell in notebook.cells if tag not in cell.metadata.get("tags", [])]

    return change


LESSON_BREAKAGES = {
    "the card says 5 minutes": lambda n: n.cells.append(new_markdown_cell("word " * 1500)),
    "3 exercises, fewer": lambda n: [n.cells.remove(tagged(n, tag)) for tag in ("exercise", "check", "solution")],
    "no exercise asks to complete a function": set_source("def", "answer_4 = ..."),
    "followed by its check and then": lambda n: tagged(n, "check").metadata.update(tags=["claim"]),
    "needs a scaffold": set_source("answer_1 = ...", "answer_1 = 1"),
    "this check is right, not open": lambda n: tagged(n, "check").outputs[0].metadata.honest.update(exercise="right"),
    "this solution is missing": lambda n: tagged(n, "solution").update(outputs=[]),
    "1 cells tagged predict": lambda n: n.cells.remove(tagged(n, "predict")),
    "the first prediction comes": lambda n: [n.cells.insert(0, n.cells[0]) for _ in range(40)],
    "stands in `with prediction": lambda n: tagged(n, "predict").outputs[0].metadata.clear(),
    "give the answer away": lambda n: tagged(n, "predict").update(source="with prediction('It falls.'):\n    show(1)"),
    "4 quiz questions": lambda n: n.cells.remove(tagged(n, "quiz")),
    "one line a section": lambda n: n.cells.insert(6, n.cells[5]),
    "source_hidden": lambda n: tagged(n, "check").metadata.pop("jupyter"),
    "outputs_hidden": lambda n: tagged(n, "solution").metadata.jupyter.pop("outputs_hidden"),
    "`with folded():`": lambda n: n.cells[5].outputs[0].metadata.update(honest={"claim": "known.claim", "holds": True}),
    "contains 'quiz'": lambda n: n.cells.__setitem__(-5, new_markdown_cell("## Questions")),
}


def test_the_good_lesson_and_its_checks_are_good():
    assert lint(good_lesson(), "55_sample") == []
    assert lint(good_checks(), "checks/55_sample") == []
    assert lint(good_checks(), "55_sample") and lint(good_lesson(), "checks/55_sample")


@pytest.mark.parametrize("words", LESSON_BREAKAGES)
def test_each_rule_of_lessons_fires(words):
    notebook = good_lesson()
    LESSON_BREAKAGES[words](notebook)
    findings = lint(notebook, "55_sample")
    assert any(words in line for line in findings), findings


def test_claims_of_checks_are_folded():
    notebook = good_checks()
    cell_with(notebook, "claim").outputs[0].metadata.honest = {"claim": "known.claim", "holds": True}
    assert any("with folded" in line for line in lint(notebook, "checks/55_sample"))


def test_words_and_minutes_are_those_of_a_reader():
    assert count_words("## Two words\n\n$$a + b$$ and `x.y`, [a link](to/somewhere.md)") == 7
    notebook = good_lesson()
    before = sizes(notebook)
    notebook.cells.append(new_markdown_cell("word " * 300))
    notebook.cells.append(new_code_cell("x = 1\n\ny = 2\n" * 10))
    notebook.cells.append(new_code_cell("z = 3\n" * 20, metadata={"tags": ["hide-input"]}))
    after = sizes(notebook)
    assert after["words"] - before["words"] == 300 and after["lines"] - before["lines"] == 20
    assert after["minutes"] - before["minutes"] == 4


# ---- the ledger -----------------------------------------------------------------------------------------------


def row(**changes):
    return {"id": "known.claim", "notebook": "05", "status": "verified"} | changes


def test_ledger_and_notebooks_agree():
    assert ledger_findings(read_ledger(), {name: read(path) for name, path in NOTEBOOKS.items()}) == []


def test_a_good_ledger_has_no_findings():
    rows = [row(), row(id="a", notebook="09", status="planned"), row(id="b", notebook="09", status="needs")]
    rows += [row(id="c", status="disagrees"), row(id="d", status="reproduced")]
    assert ledger_findings(rows, {"05_sample": good_lesson()}) == []


def test_ledger_faults_are_found():
    notebooks = {"05_sample": good_lesson()}
    silent = copy.deepcopy(notebooks)
    strip(silent["05_sample"])
    cases = [
        (notebooks, [row(id="other", status="planned")], "05_sample: claim known.claim has no row"),
        (notebooks, [row(), row(id="other")], "other: verified, but no claim that holds"),
        (notebooks, [row(), row(id="other", status="agrees")], "other: agrees, but no claim that holds"),
        (silent, [row()], "known.claim: verified, but no claim that holds"),
        (notebooks, [row(), row(id="other", notebook="09")], "notebook '09' does not exist"),
        (notebooks, [row(), row(id="other", notebook="09", status="disagrees")], "notebook '09' does not exist"),
        (notebooks, [row(), row(status="planned")], "known.claim: more than one row"),
        (notebooks, [row(), row(id="other", status="done")], "is not one of planned"),
    ]
    for books, rows, words in cases:
        findings = ledger_findings(rows, books)
        assert len(findings) == 1 and words in findings[0], (words, findings)


def test_a_row_names_the_notebook_of_checks():
    books = {"55_sample": good_lesson(), "checks/55_sample": good_checks()}
    assert ledger_findings([row(notebook="checks/55")], books) == []
    books["checks/55_sample"].cells = []
    assert "known.claim: verified, but" in ledger_findings([row(notebook="checks/55")], books)[0]


def test_a_failed_claim_does_not_count():
    notebook = good_lesson()
    cell_with(notebook, "claim").outputs[0].metadata.honest.claims[0]["holds"] = False
    assert len(ledger_findings([row()], {"05_sample": notebook})) == 1
