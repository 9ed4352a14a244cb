"""The rules of the notebooks and the ledger: each of them fires, and no notebook breaks one."""

import copy
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output
from rules import ledger_findings, lint, read_ledger, second_parameters, shelf
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


def tagged(notebook, tag):
    return next(cell for cell in notebook.cells if tag in cell.metadata.get("tags", []))


def statement(notebook, k):
    return next(cell for cell in notebook.cells if f"Exercise {k}." in cell.source)


GUARD = "from helpers.notebook import parameters"

BREAKAGES = {
    "0 cells tagged parameters": lambda n: n.cells[1].metadata.clear(),
    "the guard is imported above": lambda n: n.cells.insert(1, new_code_cell(GUARD)),
    "one line with a comment: seed = 0": set_source("n_rows", "n_rows = 1  # rows\nseed = 0"),
    "one line with a comment: import": set_source("n_rows", "import math  # for nothing\nn_rows = 1  # rows"),
    "tag hide_input": lambda n: n.cells[7].metadata.update(tags=["hide_input"]),
    "tagged claim if": set_source("claim", "show(1)"),
    "and only then": set_source("show", "claim('known.claim', 1, 1, tol=0)"),
    "the kernel is not python3": lambda n: n.metadata.kernelspec.update(name="mine"),
    "cell ids are missing": lambda n: n.cells[3].pop("id"),
    "execution count 9, not 4": lambda n: n.cells[7].update(execution_count=9),
    "marker NBVAL_SKIP": set_source("show", "# NBVAL_SKIP\nshow(1)"),
    "no stored output": strip,
    "bare object": add_output("show", output_type="execute_result", data={"text/plain": "1"}),
    "stderr": set_output("careful\n", "stderr"),
    "a stored error: KeyError": add_output("show", output_type="error", ename="KeyError", evalue="", traceback=[]),
    "a path of one machine": set_output("read /home/ana/table.csv\n"),
    "a path of one machine in the output: C:": set_output("read C:\\data\n"),
    "a picture in": add_output("show", output_type="display_data", data={"text/html": PNG.replace("png", "jpeg")}),
    "a picture in an output that is": add_output("show", output_type="display_data", data={"image/svg+xml": "<svg/>"}),
    "without alternative text: figure": lambda n: n.cells[3].outputs[0].metadata.clear(),
    "ends in a full stop": add_output(
        "show", output_type="display_data", data={"text/html": '<p class="honest-finding">It rises.</p>'}
    ),
    "before its style": lambda n: n.cells[3].update(source="figure(fig, alt=ALT)"),
    "an image without": lambda n: n.cells[2].update(source="## A decision\n\n![](picture.png)"),
    "a line break and": lambda n: n.cells[2].update(source=r"$$a \\ b \tag{1}$$"),
    "source_hidden": lambda n: tagged(n, "check").metadata.pop("jupyter"),
    "outputs_hidden": lambda n: tagged(n, "solution").metadata.jupyter.pop("outputs_hidden"),
    "`with folded():`": lambda n: n.cells[5].outputs[0].metadata.update(honest={"claim": "known.claim", "holds": True}),
    "stands in `with prediction": lambda n: tagged(n, "predict").outputs[0].metadata.clear(),
    "followed by its check and then": lambda n: tagged(n, "check").metadata.update(tags=["claim"]),
    "needs a scaffold": set_source("answer_1 = ...", "answer_1 = 1"),
    "no Markdown above it states exercise 2": lambda n: n.cells.remove(statement(n, 2)),
    "this check is right, not open": lambda n: tagged(n, "check").outputs[0].metadata.honest.update(exercise="right"),
    "this solution is missing": lambda n: tagged(n, "solution").update(outputs=[]),
    "top of the header card": lambda n: n.cells[0].update(source="Hello"),
    "the one heading": lambda n: n.cells[4].update(source="# Negative control"),
    "lacks **Minutes**": lambda n: n.cells[0].update(source=n.cells[0].source.replace("Minutes", "Time")),
    "no section heading contains 'when not'": lambda n: n.cells[-3].update(source="## Limits"),
}


@pytest.mark.parametrize("words", BREAKAGES)
def test_each_rule_fires(words):
    notebook = good_lesson()
    BREAKAGES[words](notebook)
    findings = lint(notebook, "55_sample")
    assert any(words in line for line in findings), findings
    assert all(re.match(r"55_sample: cell \d+: .", line) for line in findings)


def test_the_good_lesson_and_its_checks_are_good():
    lesson = good_lesson()
    add_output("show", output_type="display_data", data={"text/html": PNG})(lesson)  # which nbval leaves out
    set_source("show", "# NBVAL_IGNORE_OUTPUT\n# for a reason\nshow(1)")(lesson)
    assert lint(lesson, "55_sample") == []
    assert lint(good_checks(), "checks/55_sample") == []
    assert lint(good_checks(), "55_sample") and lint(good_lesson(), "checks/55_sample")


@pytest.mark.slow
@each_notebook
def test_notebook_follows_the_rules(name):
    assert lint(read(NOTEBOOKS[name]), name) == []


@each_notebook
def test_notebook_has_a_second_set_of_parameters(name):
    assert second_parameters(name), f"say in site/course.yml with which parameters {name} is tested"


OWN_COLOURS = re.compile(r'\b(?:BLUE|ORANGE|GREEN|RED|GREY|LINES|MARKERS)\b|"tab:|"C\d"|fontsize')


@each_notebook
def test_figures_draw_from_roles_and_not_from_colours(name):
    code = [cell.source for cell in read(NOTEBOOKS[name]).cells if cell.cell_type == "code"]
    assert not any(map(OWN_COLOURS.search, code))


def row(**changes):
    return {"id": "known.claim", "notebook": "05", "status": "verified"} | changes


def test_ledger_and_notebooks_agree():
    assert ledger_findings(read_ledger(), {name: read(path) for name, path in NOTEBOOKS.items()}) == []


def test_a_good_ledger_has_no_findings():
    rows = [row(), row(id="a", notebook="09", status="planned"), row(id="b", notebook="09", status="needs")]
    rows += [row(id="c", status="differs"), row(id="d", status="reproduced"), row(id="e", status="cannot tell")]
    assert ledger_findings(rows, {"05_sample": good_lesson()}) == []


def test_ledger_faults_are_found():
    notebooks = {"05_sample": good_lesson()}
    silent = copy.deepcopy(notebooks)
    strip(silent["05_sample"])
    cases = [
        (notebooks, [row(id="other", status="planned")], "05_sample: claim known.claim has no row"),
        (notebooks, [row(), row(id="other")], "other: verified, but no claim that holds"),
        (notebooks, [row(), row(id="other", status="agrees")], "other: agrees, but no claim that holds"),
        (notebooks, [row(), row(id="other", status="disagrees")], "other: disagrees, but no claim that holds"),
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
