"""The house: bounds, arrows between modules, the rules of the notebooks, the ledger, the tools behind the Makefile."""

import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import build_site
import nbformat
import pytest
import run_notebooks
import student
import yaml
from lint_notebooks import ledger_findings, lint, read_ledger
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PEERS = set(EXTRAS["bench"]) - set(EXTRAS["test"])  # `make bench` has an environment of its own
REQUIREMENTS = [Requirement(line) for line in PROJECT["dependencies"] + sum(EXTRAS.values(), []) if line not in PEERS]


def each_notebook(function):
    """Run a test once for each notebook."""
    return pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])(function)


def read(path):
    return nbformat.read(path, as_version=4)


# ---- bounds ---------------------------------------------------------------------------------------------------


def test_environment_has_the_bounds_of_pyproject():
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    from_pip = next(entry["pip"] for entry in entries if isinstance(entry, dict))
    lines = [entry for entry in entries if isinstance(entry, str) and entry != "pip"]
    lines += [line for line in from_pip if line != "-e ."]
    conda = {wanted.name: wanted.specifier for wanted in map(Requirement, lines)}
    assert "-e ." in from_pip
    assert conda.pop("python") == Requirement(f"python{PROJECT['requires-python']}").specifier
    assert conda == {wanted.name: wanted.specifier for wanted in REQUIREMENTS}


def test_constraints_pin_everything_inside_the_bounds():
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert "://" not in text and all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    pins = {line.split("==")[0].lower().replace("_", "-"): line.split("==")[1] for line in lines}
    for wanted in REQUIREMENTS:
        assert wanted.specifier.contains(pins[wanted.name.lower()]), wanted


def test_citation_and_project_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"] and len(citation["references"]) == 4
    assert " AND ".join(citation["license"]) == PROJECT["license"]
    for reference in citation["references"]:
        assert reference["title"] and reference["authors"] and reference["url"].startswith("https://")


# ---- arrows between modules -----------------------------------------------------------------------------------


def lint_imports(folder):
    """import-linter on the contracts in a folder's pyproject.toml: (exit status, what it said)."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    environment = os.environ | {"PYTHONPATH": str(folder)}
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def test_arrows_run_one_way():
    status, report = lint_imports(ROOT)
    assert status == 0, report


@pytest.mark.parametrize(
    "room, source, arrow",
    [
        ("checks", "from helpers.scoring import BRIER", "helpers.checks -> helpers.scoring"),
        ("calibration", "def f():\n    from helpers import grouping", "helpers.calibration -> helpers.grouping"),
        ("reports", "import helpers.studies", "helpers.reports -> helpers.studies"),
        ("tables", "import matplotlib.pyplot as plt", "helpers.tables -> matplotlib"),
    ],
)
def test_a_wrong_arrow_is_found(tmp_path, room, source, arrow):
    """The contracts of this repository, on a package whose rooms are all empty but for one import."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").touch()
    for name in re.findall(r"helpers\.(\w+)", " ".join(contracts["contracts"][0]["layers"])):
        (tmp_path / "helpers" / f"{name}.py").write_text(source if name == room else "")
    status, report = lint_imports(tmp_path)
    assert status == 1 and arrow in report, report


def rooms():
    """The packages and modules of `helpers`, without those that the operating system or Python puts there."""
    entries = (ROOT / "helpers").iterdir()
    return {entry.stem for entry in entries if entry.suffix == ".py" or (entry / "__init__.py").exists()}


def test_the_package_says_where_everything_is():
    text = (ROOT / "helpers" / "__init__.py").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text))
    public = {room for room in rooms() if not room.startswith("_")}
    assert public == named - {"helpers"}


def test_the_house_is_small_enough_to_walk_through():
    assert len(rooms()) <= 30
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "helpers").rglob("*.py")}
    assert not [f"{path.relative_to(ROOT)}: {n} lines" for path, n in lengths.items() if n > 500]


def test_importing_helpers_is_quick():
    code = (
        "import sys, time; before = set(sys.modules); start = time.perf_counter(); import helpers; "
        "took = time.perf_counter() - start; new = set(sys.modules) - before; "
        "heavy = {n.split('.')[0] for n in new} & {'sklearn', 'pandas', 'scipy', 'matplotlib', 'IPython'}; "
        "print(len(new), took, *heavy)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        for _ in "ab"
    ]
    assert runs[0][2:] == [] and int(runs[0][0]) < 200
    assert min(float(run[1]) for run in runs) < 0.5


# ---- the notebooks' rules -------------------------------------------------------------------------------------

ALT = "A line that rises from zero to one as the stated probability grows."


def good_notebook():
    """A notebook that follows every rule; the tests below break it in one place each."""
    card = "# A title\n\n- **Goals** see it\n- **Needs** nothing\n- **Minutes** 5\n- **Papers** Melo 3.1"
    cells = [
        new_markdown_cell(card),
        new_code_cell("n_rows = 100  # rows to draw\nseed = 0  # random seed", metadata={"tags": ["parameters"]}),
        new_markdown_cell("## A decision\n\n$$\\begin{cases} q \\cr c \\end{cases} \\tag{6}$$\n\n$$q \\\\ c$$"),
        new_code_cell("figure(fig, alt=ALT)"),
        new_markdown_cell("## Negative control"),
        new_code_cell("claim('known.claim', 1, 1, tol=0)", metadata={"tags": ["claim"]}),
        new_markdown_cell("## Where it misleads: predict, then run"),
        new_code_cell("show('a line')", metadata={"tags": ["remove-cell"]}),
        new_markdown_cell("## Real data: paper value and ours"),
        new_markdown_cell("## Exercises"),
    ]
    for k in range(1, 5):
        cells.append(new_code_cell(f"answer_{k} = ...", metadata={"tags": ["exercise"]}))
        cells.append(new_code_cell(f"answer_{k} = {k}  # the secret", metadata={"tags": ["solution"]}))
        cells.append(new_code_cell(f"check_exercise(answer_{k}, {k})"))
    cells += [new_markdown_cell(f"## {t}") for t in ("When not to use it", "Key ideas", "Your own data", "References")]
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    for count, cell in enumerate((cell for cell in cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
        if cell.source.startswith("figure"):
            data, metadata = {"image/png": picture, "text/plain": "Figure"}, {"image/png": {"alt": ALT}}
            cell.outputs = [new_output("display_data", data=data, metadata=metadata)]
        elif cell.source.startswith("claim"):
            metadata = {"honest": {"claim": "known.claim", "holds": True}}
            cell.outputs = [new_output("display_data", data={"text/plain": "known.claim holds"}, metadata=metadata)]
        elif "(" in cell.source:
            cell.outputs = [new_output("stream", name="stdout", text="a line\n")]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def cell_with(notebook, words):
    """The first code cell whose source contains `words`."""
    return next(cell for cell in notebook.cells if cell.cell_type == "code" and words in cell.source)


def set_source(words, source):
    return lambda notebook: cell_with(notebook, words).update(source=source)


def set_output(text, name="stdout"):
    return lambda notebook: cell_with(notebook, "show").update(outputs=[new_output("stream", name=name, text=text)])


def strip(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


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


def test_python_is_tidy():
    run = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--output-format", "concise", "."], cwd=ROOT, capture_output=True
    )
    assert run.returncode == 0, run.stdout.decode()


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


# ---- student copies -------------------------------------------------------------------------------------------


@each_notebook
def test_student_copy_holds_no_solution(path):
    original = read(path)
    made = student.student_copy(original)
    solutions = [cell.source for cell in original.cells if "solution" in student.tags(cell)]
    assert solutions and not {cell.source for cell in made.cells} & set(solutions)
    for cell in made.cells:
        if cell.cell_type == "code" and ("exercise" in student.tags(cell) or "check_exercise(" in cell.source):
            assert cell.outputs == [] and cell.execution_count is None


def test_student_copies_are_never_overwritten(tmp_path):
    source, folder = tmp_path / "05_sample.ipynb", tmp_path / "student"
    nbformat.write(good_notebook(), source)
    assert student.write_copies([source], folder) == []
    first = (folder / source.name).read_text(encoding="utf-8")
    assert "the secret" not in first and "a line" in first
    assert student.write_copies([source], folder) == []  # untouched: written again
    (folder / source.name).write_text(first.replace("answer_1 = ...", "answer_1 = 2"), encoding="utf-8")
    assert student.write_copies([source], folder) == [folder / source.name]
    assert "answer_1 = 2" in (folder / source.name).read_text(encoding="utf-8")
    assert student.write_copies([source], folder, force=True) == []
    assert (folder / source.name).read_text(encoding="utf-8") == first


# ---- make run -------------------------------------------------------------------------------------------------


def tiny(folder, name, *sources):
    """A notebook of a few code cells, on disk."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def test_run_reuses_and_reports_failures(tmp_path):
    good = tiny(tmp_path / "notebooks", "00_good", "x = bytearray(300 * 2**20)\nprint(len(x))")
    bad = tiny(tmp_path / "notebooks", "05_bad", "x = 1", "{}['missing']", "print('never')")
    folder, said = tmp_path / "executed", []
    results = run_notebooks.run_all([good, bad], folder, root=tmp_path, say=said.append)
    assert results["00_good"] == "ran"
    assert "05_bad: cell 2 failed: KeyError: 'missing'" in results["05_bad"]
    assert (folder / "00_good.ipynb").exists() and not (folder / "05_bad.ipynb").exists()
    again = run_notebooks.run_all([good], folder, root=tmp_path, say=said.append)
    assert again == {"00_good": "reused"} and "reused" in said[-1]
    lines = run_notebooks.summary([good, bad], folder, results)
    assert re.search(r"00_good .* min .* claims held .* MB", lines[0]) and "FAILED" in lines[1]
    assert 350 < run_notebooks.finished(folder / "00_good.ipynb")["peak_mb"] < 600
    tiny(tmp_path / "notebooks", "00_good", "print(2)")
    assert run_notebooks.run_all([good], folder, root=tmp_path, say=said.append) == {"00_good": "ran"}


def test_the_key_sees_helpers_data_and_pins_but_not_outputs(tmp_path):
    keys = [run_notebooks.shared_key(tmp_path)]
    for name in ("helpers/a.py", "data/b.csv", "constraints.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one")
        keys.append(run_notebooks.shared_key(tmp_path))
    assert len(set(keys)) == 4
    path, notebook = tmp_path / "n.ipynb", good_notebook()
    nbformat.write(notebook, path)
    before = run_notebooks.source_bytes(path)
    strip(notebook)
    nbformat.write(notebook, path)
    assert run_notebooks.source_bytes(path) == before


def test_interruption_keeps_what_is_finished(tmp_path):
    for name in ("tools", "helpers", "data"):
        (tmp_path / name).mkdir()
    shutil.copy(ROOT / "tools" / "run_notebooks.py", tmp_path / "tools")
    tiny(tmp_path / "notebooks", "00_quick", "print(1)")
    tiny(tmp_path / "notebooks", "05_slow", "import time\nprint('here')", "time.sleep(600)")
    command = [sys.executable, str(tmp_path / "tools" / "run_notebooks.py"), "--jobs", "1"]
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # also under nohup, which ignores it
    partial = tmp_path / "build" / "executed" / "05_slow.ipynb.partial"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **heard) as run:
        try:
            deadline = time.monotonic() + 180
            while time.monotonic() < deadline and not (partial.exists() and "here\\n" in partial.read_text("utf-8")):
                time.sleep(0.2)
            run.send_signal(signal.SIGINT)
            said, _ = run.communicate(timeout=180)
        finally:
            run.kill()  # nothing where it has ended
    assert run.returncode == 130 and "Interrupted" in said
    assert (tmp_path / "build" / "executed" / "00_quick.ipynb").exists()
    assert not (tmp_path / "build" / "executed" / "05_slow.ipynb").exists()
    tiny(tmp_path / "notebooks", "05_slow", "print('quick now')")
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and "00_quick: reused" in run.stdout and "05_slow: done" in run.stdout


# ---- the site -------------------------------------------------------------------------------------------------


def test_site_is_whole_without_a_network(tmp_path):
    for name in ("site", "data"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "constraints.txt", tmp_path)
    for folder in ("notebooks", "build/executed"):
        (tmp_path / folder).mkdir(parents=True)
        nbformat.write(good_notebook(), tmp_path / folder / "05_sample.ipynb")
    assert "site rendered" in build_site.build(tmp_path)
    site = tmp_path / "build" / "site"
    page = (site / "notebooks" / "05_sample.html").read_text(encoding="utf-8")
    assert f'alt="{ALT}"' in page and "\\tag{6}" in page
    assert "show(" not in re.sub("<[^>]+>", "", page)  # remove-cell
    assert "mathjax/tex-svg.js" in page and (site / "_static" / "mathjax" / "tex-svg.js").exists()
    assert build_site.outside_sources(site) == [] and build_site.missing_alt(site) == []
    assert "Melo 3.1" in (site / "index.html").read_text(encoding="utf-8")
    ledger = (site / "ledger.html").read_text(encoding="utf-8")
    assert ledger.count("<tr data-paper=") == len(read_ledger())
    assert "site reused" in build_site.build(tmp_path)
    wrong = (
        (site / "index.html")
        .read_text(encoding="utf-8")
        .replace("</head>", '<script src="https://cdn.x/a.js"></script></head>')
    )
    (site / "index.html").write_text(wrong, encoding="utf-8")
    (site / "_static" / "x.css").write_text("@font-face { src: url(//fonts.x/a.woff2); }")
    assert build_site.outside_sources(site) == ["_static/x.css: //fonts.x/a.woff2", "index.html: https://cdn.x/a.js"]
    (tmp_path / "notebooks" / "06_new.ipynb").write_text("{}")
    with pytest.raises(build_site.SiteError, match="06_new.ipynb is missing"):
        build_site.build(tmp_path)


@pytest.mark.parametrize(
    "source, words",
    [
        ("[nowhere](99_missing.ipynb)", "99_missing"),
        ("$$\\begin{cases} q \\\\ c \\end{cases} \\tag{6}$$", r"05_sample.html: \\tag not allowed in split: .*q"),
    ],
)
def test_a_broken_page_stops_the_site(tmp_path, source, words):
    shutil.copytree(ROOT / "site", tmp_path / "site", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "data").mkdir()
    shutil.copy(ROOT / "data" / "claims.csv", tmp_path / "data")
    shutil.copy(ROOT / "constraints.txt", tmp_path)
    notebook = good_notebook()
    notebook.cells[2].source = f"## A decision\n\n{source}"
    for folder in ("notebooks", "build/executed"):
        (tmp_path / folder).mkdir(parents=True)
        nbformat.write(notebook, tmp_path / folder / "05_sample.ipynb")
    with pytest.raises(build_site.SiteError, match=words):
        build_site.build(tmp_path)
    assert not (tmp_path / "build" / "site").exists()


@pytest.mark.parametrize(
    "formula, words",
    [
        (r"\begin{equation}\begin{split} a \\ b \end{split} \tag{1}\end{equation}", ""),
        (r"\begin{align} a &= 1 \tag{1} \\ b &= \left\{ 2 \right. \tag{2} \end{align}", ""),
        (r"\begin{cases} a & \text{if } b \cr c & \text{else}\end{cases} \tag{9, 16}", ""),
        (r"\begin{align}\begin{aligned} a \\ b \tag{1} \end{aligned}\end{align}", "not allowed in aligned"),
        (r"\begin{align*}\begin{gather} a \end{gather}\end{align*}", "second numbered environment, gather"),
        (r"a \tag{1} \tag{2}", "more than one"),
        (r"\begin{dcases} a \end{dcases}", "unknown environment dcases"),
        (r"\begin{cases} a \end{matrix}", "closes what is not open"),
        (r"\left( \frac{a}{b} \right) \right)", "\\right closes what"),
        (r"a & b", "& outside"),
        (r"\sqrt{a", "{ is never closed"),
    ],
)
def test_what_is_wrong_with_a_formula_is_said(formula, words):
    fault = build_site.formula_fault(formula)
    assert words in fault and bool(words) == bool(fault), fault


# ---- the Makefile ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("said, words", [("3.9.1", "needs Python 3.11, 3.12 or 3.13"), (None, "There is no")])
def test_make_explains_a_wrong_python(tmp_path, said, words):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    fake = tmp_path / "fake-python"
    if said:
        fake.write_text(f'#!/bin/sh\n[ "$1" = -V ] && echo Python {said} && exit 0\nexit 1\n')
        fake.chmod(0o755)
    run = subprocess.run(["make", f"PYTHON={fake}", "run"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode and words in run.stderr and not (tmp_path / ".venv").exists()


def test_the_ci_script_can_be_run():
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_readme_shows_the_figure_that_its_notebook_stores():
    from readme_figure import FIGURE, stored_figure

    assert FIGURE.read_bytes() == stored_figure(), "run: python tools/readme_figure.py"
    assert FIGURE.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_promises_only_what_is_there():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", readme) if "://" not in link]
    assert len(links) > 5
    assert not [link for link in links if not (ROOT / link).exists()]
    listed = set(re.findall(r"notebooks/(\w+)\.ipynb", readme))
    assert listed == {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    targets = set(re.findall(r"make (\w+)", readme))
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets and not [target for target in targets if f"\n{target}:" not in rules]
