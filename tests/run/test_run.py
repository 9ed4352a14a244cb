"""python -m helpers.run: requests checked before anything happens, files written whole, sweeps that survive Ctrl-C."""

import asyncio
import csv
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import nbformat
import nbformat.v4 as v4
import pytest
import zmq.asyncio
from forks import FORKS
from small_notebook import PARAMETERS, write

from helpers._checkpoint import held_folder
from helpers.notebook import ParameterError
from helpers.notebook.folds import fold
from helpers.notebook.page import title_of, to_html, to_mathml
from helpers.notebook.parameter_cell import from_text
from helpers.run import command
from helpers.run import execute as _execute
from helpers.run.command import main, write_json
from helpers.run.execute import CellFailed, collect, run_cells, run_jobs
from helpers.run.plan import list_notebooks
from helpers.run.sweep import _folder_name

ROOT = Path(__file__).resolve().parents[2]
# Stands in for helpers.notebook.record, which takes a second to import.
RECORD = """from IPython.display import display
def record(**numbers):
    display({"text/html": "<!-- -->"}, metadata={"honest": {"metrics": numbers}}, raw=True)
record(n_rows=n_rows, seed=seed, rate=rate)
print("kept", name, ages, limit)"""


# ---- words to values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "default", "value"),
    [
        ("007", "", "007"),
        ("1e3", "a", "1e3"),
        ("-7", 1, -7),
        ("1e-3", 1.0, 0.001),
        ("3", 1.0, 3.0),
        ("inf", 1.0, float("inf")),
        ("True", False, True),
        ("false", True, False),
        ("a, b", ["x"], ["a", "b"]),
        ("1,2", [3], [1, 2]),
        ('["a,b", "c"]', [], ["a,b", "c"]),
        ("[1, 2]", [], [1, 2]),
        ("a,b", [], ["a", "b"]),
        ("", [1], []),
        ("none", None, None),
        ("12", None, 12),
        ("1.5", None, 1.5),
        ("0.5", None, 0.5),
        ("007", None, "007"),
        ("all", None, "all"),
        ('{"a": 1}', {}, {"a": 1}),
    ],
)
def test_text_becomes_a_value_of_the_default_type(text, default, value):
    found = from_text("x", text, default)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("1.5", 1),
        ("ten", 1),
        ("true", 1),
        ("nan", 1.0),
        ("x", 1.0),
        ("yes", True),
        ("1", True),
        ("1,b", [2]),
        ('["a"', []),
        ('{"a"', {}),
        ("[" * 100_000, []),
        ('{"a": ' * 100_000, {}),
    ],
)
def test_text_of_the_wrong_type(text, default):
    with pytest.raises(ParameterError, match="x must be|'"):
        from_text("x", text, default)


# ---- requests that are refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.ipynb", "-p", "n_row", "3"], "a.ipynb has no parameter 'n_row'; did you mean 'n_rows'?"),
        (["a.ipynb", "-p", "n_rows", "3.5"], "n_rows must be a whole number, like its default 1000, but it is '3.5'"),
        (["a.ipynb", "-p", "wide", "1"], "wide must be true or false"),
        (["a.ipynb", "-p", "seed", "1", "--sweep", "seed", "1", "2"], "seed is given 2 times"),
        (["a.ipynb", "--sweep", "sead", "1", "2"], "no parameter 'sead'; did you mean 'seed'?"),
        (["a.ipynb", "--sweep", "seed", "1", "x"], "seed must be a whole number"),
        (["a.ipynb", "--sweep", "seed"], "--sweep seed needs values"),
        (["a.ipynb", "--sweep", "seed", "1", "1"], "each once"),
        (["a.ipynb", "--sweep", "name", "a/b", "a?b"], "same folder name"),
        (["a.ipynb", "-p", "data_path", "tabel.csv"], "there is no file tabel.csv; did you mean table.csv?"),
        (["a.ipynb", "--jobs", "0"], "--jobs must be at least 1"),
        (["b.ipynb"], "there is no notebook b.ipynb; did you mean a.ipynb?"),
        (["table.csv"], "a notebook's name ends in .ipynb"),
        (["cut.ipynb"], "cut.ipynb is not a notebook, or is damaged or cut off in the middle"),
        (["none.ipynb"], "none.ipynb takes no parameters: it has no cell tagged 'parameters'"),
        (["derived.ipynb"], "holds more than plain assignments"),
    ],
)
def test_bad_requests_write_nothing(folder, capsys, arguments, message):
    text = Path(write(folder / "a.ipynb", RECORD)).read_text()
    (folder / "cut.ipynb").write_text(text[: len(text) // 2])
    (folder / "table.csv").write_text("a,b\n")
    write(folder / "none.ipynb", RECORD, parameters=None)
    write(folder / "derived.ipynb", RECORD, parameters="seed = 1\ntwice = 2 * seed")
    before = sorted(os.listdir(folder))
    assert main([*arguments, "--output", "deep/out"]) == 2
    error = capsys.readouterr().err
    assert message in error and error.endswith("Nothing was run or written.\n")
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("name", ["a.ipynb", "a.html", "metrics.json"])
def test_existing_output_is_not_replaced(folder, capsys, name):
    path = write(folder / "a.ipynb", RECORD)
    (folder / "out").mkdir()
    (folder / "out" / name).write_text("mine")
    (folder / "out" / "notes.txt").write_text("mine too")
    assert main([path, "--output", "out"]) == 2
    assert f"out holds {name} already" in capsys.readouterr().err
    assert (folder / "out" / name).read_text() == "mine"
    assert sorted(os.listdir(folder / "out")) == sorted([name, "notes.txt"])


def test_output_over_the_notebook_or_a_file_or_another_table(folder, capsys):
    path = write(folder / "a.ipynb", RECORD)
    assert main([path, "--output", ".", "--overwrite"]) == 2
    assert "holds the notebook itself" in capsys.readouterr().err
    (folder / "file").write_text("mine")
    assert main([path, "--output", "file/out"]) == 2
    assert "is a file" in capsys.readouterr().err
    (folder / "out").mkdir()
    (folder / "out" / "metrics.csv").write_text("mine\n")
    assert main([path, "--sweep", "seed", "1", "2", "--output", "out"]) == 2
    assert "is not the table of a sweep" in capsys.readouterr().err
    assert main([path]) == 2
    assert "--output FOLDER is missing" in capsys.readouterr().err


SCORES = 'path = "scores.csv"  # a table\nlabel = "label"\nscore = "score"\nfeatures = []\nweight = ""\ngroup = ""'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "path", "missing.csv"], "missing.csv"),
        (["-p", "path", "scores.txt"], "scores.txt"),
        (["-p", "score", "scor"], "did you mean 'score'"),
        (["-p", "label", "three"], "0 and 1|0 or 1"),
        (["-p", "weight", "minus"], "minus"),
        (["-p", "features", "x,y"], "'y'"),
        (["--sweep", "score", "score", "three"], "three"),
    ],
)
def test_a_table_of_scores_is_checked_before_a_kernel_starts(folder, capsys, arguments, message):
    rows = [f"{i % 2},{(i % 7 + 1) / 10},{i % 3},{-1 - i % 2},{i % 5}" for i in range(400)]
    (folder / "scores.csv").write_text("\n".join(["label,score,three,minus,x", *rows]))
    (folder / "scores.txt").write_text("label")
    path = write(folder / "audit.ipynb", parameters=SCORES)
    assert main([path, *arguments, "--output", "out"]) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (folder / "out").exists()


def test_names_whose_bytes_are_no_text_are_told(folder, capsys):
    notebook = ROOT / "notebooks" / "13_audit_your_scores.ipynb"
    assert main([str(notebook), "-p", "path", "\udcff\ud83d", "--output", str(folder / "out")]) == 2
    assert "\\udcff\\ud83d must be a table" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names are text")
def test_a_run_goes_on_to_its_end_where_bytes_of_names_are_no_text(folder, capsys):
    path = write(folder / "a\udcff.ipynb", "1 + 1")
    out = folder / "out\udcff"
    assert main([path, "--sweep", "name", "\udcff", "b", "--output", str(out)]) == 0
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(out.glob("*/metrics.json"))]
    assert {content["notebook"]["name"] for content in contents} == {"a\udcff.ipynb"}
    assert {content["parameters"]["name"] for content in contents} == {"\udcff", "b"}
    with open(out / "metrics.csv", encoding="utf-8", newline="") as table:
        assert [row["name"] for row in csv.DictReader(table)] == [r"\udcff", "b"]
    assert r"out\udcff" in capsys.readouterr().out


def test_help(folder, capsys):
    path = write(folder / "a.ipynb")
    assert main([path, "--help"]) == 0
    text = capsys.readouterr().out
    assert "A small run with q_i (a.ipynb)" in text
    assert re.search(r"n_rows +1000 +rows drawn \(a whole number\)", text)
    assert re.search(r"ages +\[20, 30\] +edges \(a list of whole numbers\)", text)
    assert main(["--help"]) == 0 and "--sweep" in capsys.readouterr().out
    assert main([]) == 2


def test_help_says_what_is_allowed(folder, capsys):
    guard = "rules = {'n_rows': between(10, 2000)}\nparameters(seed=at_least(0), name=own_rule, **rules)"
    assert main([write(folder / "a.ipynb", guard), "--help"]) == 0
    text = capsys.readouterr().out
    assert "rows drawn (a whole number, between 10 and 2000)" in text and "(a whole number, at least 0)" in text


def test_a_rule_of_the_notebook_is_checked_before_a_kernel_starts(folder, capsys):
    """Ranges used to be checked in the kernel, after files were written; a grid started a kernel for each run."""
    guard = "rules = {'n_rows': between(10, 2000)}\nparameters(seed=at_least(0), name=own_rule, **rules)"
    path = write(folder / "a.ipynb", guard)
    (folder / "grid.yaml").write_text("seed: [1, 2, -3]")
    before = sorted(os.listdir(folder))
    for given, message in (
        (["-p", "seed", "-1"], "seed must be at least 0, but it is -1."),
        (["-p", "n_rows", "999999999999"], "n_rows must be between 10 and 2000, but it is 999999999999."),
        (["--sweep", "n_rows", "10", "1"], "n_rows must be between 10 and 2000, but it is 1."),
        (["--grid", "grid.yaml"], "seed must be at least 0, but it is -3."),
    ):
        assert main([path, *given, "--output", "out"]) == 2
        assert message in capsys.readouterr().err
    assert sorted(os.listdir(folder)) == before


WITH_RESAMPLES = ["10_ecuas_on_real_scores", "12_sem_ece_in_practice", "14_audit_your_answers"]


@pytest.mark.parametrize("name", [*WITH_RESAMPLES, "checks/12_sem_ece_in_practice"])
def test_more_resamples_than_anybody_waits_for_are_refused(folder, capsys, name):
    path = str(ROOT / "notebooks" / f"{name}.ipynb")
    assert main([path, "-p", "n_resamples", "999999999999", "--output", "out"]) == 2
    assert re.search("n_resamples must be between .*, but it is 999999999999", capsys.readouterr().err)
    assert not (folder / "out").exists()


KEYED = (
    PARAMETERS
    + """
base_url = ""
model = ""
key_variable = "OPENAI_API_KEY"
extra_body = {}"""
)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["key_variable", "sk-proj-4fTq9LmZ2xV7bN1cR8wY"], "key_variable holds what looks like a key."),
        (["key_variable", "no name"], "key_variable must be the name of an environment variable"),
        (["base_url", "https://anna:hunter2@a.b/v1"], "base_url must hold no user name, password, key, ? or #"),
        (["base_url", "https://a.b/v1?key=hunter2"], "base_url must hold no user name, password, key, ? or #"),
        (["extra_body", '{"api_key": "hunter2"}'], "extra_body['api_key'] holds what looks like a key."),
        (["extra_body", '{"a": ["sk-4fTq9LmZ2xV7bN1c"]}'], "extra_body['a'][0] holds what looks like a key."),
        (["extra_body", '{"a": "a-value-of-the-environment"}'], "extra_body['a'] holds what looks like a key."),
        (["name", "Bearer 4fTq9LmZ2xV7bN1c"], "name holds what looks like a key."),
        (["anything", "a,a-value-of-the-environment"], "anything[1] holds what looks like a key."),
    ],
)
def test_a_key_in_a_parameter_reaches_no_file(folder, capsys, monkeypatch, given, message):
    """It used to be written with the partial notebook, or into metrics, page and notebook."""
    monkeypatch.setenv("MY_API_KEY", "a-value-of-the-environment")
    path = write(folder / "a.ipynb", RECORD, parameters=KEYED)
    before = sorted(os.listdir(folder))
    assert main([path, "-p", *given, "--output", "out"]) == 2
    error = capsys.readouterr().err
    assert message in error and given[1] not in error and "hunter2" not in error
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("content", ["[]", "null", "3", '{"cells": 3}', "[" * 100_000])
def test_a_file_that_is_no_notebook(folder, capsys, content):
    (folder / "a.ipynb").write_text(content)
    assert main(["a.ipynb", "--output", "out"]) == 2
    assert "a.ipynb is not a notebook, or is damaged" in capsys.readouterr().err


# ---- runs -----------------------------------------------------------------------------------------------------------


def test_a_run_writes_notebook_page_and_metrics(folder, forked_kernels, capsys, monkeypatch):
    path = write(folder / "a.ipynb", RECORD, "print(open(data_path).read())")
    (folder / "table.csv").write_text("seven")
    (folder / "out").mkdir()
    (folder / "out" / "notes.txt").write_text("mine")
    given = ["-p", "name", "007", "-p", "ages", "1,2", "-p", "rate", "2", "-p", "data_path", "table.csv"]
    assert main([path, *given, "--output", "out"]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{Path('out/a.html')}\n" and "done in" in captured.err
    assert sorted(os.listdir(folder / "out")) == ["a.html", "a.ipynb", "metrics.json", "notes.txt"]
    found = json.loads((folder / "out/metrics.json").read_text())
    order = ["notebook", "parameters", "metrics", "claims", "versions", "seconds", "peak_mb", "fingerprint"]
    assert list(found) == order and list(found["metrics"]) == ["n_rows", "seed", "rate"]
    assert found["metrics"] == {"n_rows": 1000, "seed": 1, "rate": 2.0}
    assert found["parameters"]["name"] == "007" and found["parameters"]["data_path"] == "table.csv"
    page = (folder / "out/a.html").read_text()
    assert "<title>A small run with q_i</title>" in page and "kept 007 [1, 2] None" in page and "seven" in page
    assert "<math" in page and "<script" not in page and "def record" not in page
    assert not re.search(r'(src|href)="http', page)
    # once more over it: only with --overwrite
    assert main([path, "--output", "out"]) == 2
    assert json.loads((folder / "out/metrics.json").read_text()) == found


def test_a_failing_cell_is_told_in_words_and_keeps_old_results(folder, capsys):
    path = write(folder / "a.ipynb", "print('fine')", v4.new_markdown_cell("## Division"), "1 / 0", "print('never')")
    out = folder / "out"
    out.mkdir()
    for name in ("a.ipynb", "a.html", "metrics.json"):
        (out / name).write_text("old")
    assert main([path, "--output", "out", "--overwrite"]) == 1
    error = capsys.readouterr().err
    assert 'cell 5 of 6 (In [3]), section "Division": ZeroDivisionError: division by zero' in error
    assert len(error.splitlines()) == 2 and "Traceback" not in error
    assert {(out / name).read_text() for name in ("a.ipynb", "a.html", "metrics.json")} == {"old"}
    nb = nbformat.read(out / "a.partial.ipynb", as_version=4)
    assert nb.cells[0].source.startswith("**This run stopped in cell 5 of 6")
    assert nb.cells[3].outputs[0].text == "fine\n" and not nb.cells[-1].outputs


def test_a_kernel_that_dies_is_reported(folder):
    nb = v4.new_notebook(cells=[v4.new_code_cell("import os\nos._exit(1)")])

    async def job():
        await run_cells(nb, lambda nb: None, lambda done, total: None)

    with pytest.raises(CellFailed, match="cell 1 of 1.*the kernel died"):
        run_jobs([job])


def test_a_kernel_is_waited_for_also_when_an_interrupt_comes_meanwhile(monkeypatch):
    shut_down = _execute._shut_down
    managers = []

    async def interrupted(manager, client):
        managers.append(manager)
        asyncio.current_task().cancel()
        await shut_down(manager, client)

    async def job():
        await run_cells(v4.new_notebook(), lambda nb: None, lambda done, total: None)

    monkeypatch.setattr(_execute, "_shut_down", interrupted)
    with pytest.raises(asyncio.CancelledError):
        run_jobs([job])
    (manager,) = managers
    assert not manager.has_kernel and not Path(manager.connection_file).exists()


@contextmanager
def started(*arguments):
    """A run as a process of its own; it does not outlive the block, however that ends."""
    command = [sys.executable, "-m", "helpers.run", *arguments]
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # also under nohup, which ignores it
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **heard) as process:
        try:
            yield process
        finally:
            process.kill()  # nothing where it has ended


def wait_for(condition, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(not FORKS, reason="kernels are forks on Linux only")
def test_a_forked_kernel_ends_with_tests_that_are_killed(folder):
    """Its parent is a server of forks, which stays as long as one of them does."""
    code = f"""
        import sys, time
        sys.path.insert(0, {str(ROOT / "tests")!r})
        from forks import fork_kernel
        print(fork_kernel(["ipykernel_launcher", "-f", {str(folder / "connection.json")!r}]).pid, flush=True)
        time.sleep(600)
        """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE) as process:
        pid = int(process.stdout.readline())
        try:
            wait_for(lambda: (folder / "connection.json").exists())
            process.kill()
            wait_for(lambda: not alive(pid), seconds=60)
        finally:
            process.kill()
            if alive(pid):
                os.kill(pid, signal.SIGKILL)


def test_an_interrupted_sweep_keeps_what_is_finished_and_goes_on(folder, forked_kernels, capsys):
    wait = """import os, time
while seed == 2 and not os.path.exists("go"):
    os.makedirs(f"here/{os.getpid()}", exist_ok=True)
    time.sleep(0.05)"""
    path = write(folder / "a.ipynb", RECORD, wait)
    command = [path, "--sweep", "seed", "1", "2", "3", "--output", "out"]
    with started(*command) as process:
        wait_for(lambda: any(folder.glob("here/*")) or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=180)
    assert process.returncode == 130, error
    assert "1 of 3 runs are finished and stay. Run the same command again to go on." in error
    assert "Traceback" not in error
    (kernel,) = os.listdir("here")
    wait_for(lambda: not alive(int(kernel)))
    done = folder / "out" / "seed=1"
    assert sorted(os.listdir(done)) == ["a.html", "a.ipynb", "metrics.json"]
    assert os.listdir(folder / "out/seed=2") == ["a.partial.ipynb"]
    partial = nbformat.read(folder / "out/seed=2/a.partial.ipynb", as_version=4)
    assert collect(partial)[0] == {"n_rows": 1000, "seed": 2, "rate": 0.5}
    stamp = (done / "metrics.json").stat().st_mtime_ns

    (folder / "go").touch()
    assert main([*command, "--jobs", "2"]) == 0
    assert "seed=1: finished before, reused" in capsys.readouterr().err
    assert (done / "metrics.json").stat().st_mtime_ns == stamp
    with open(folder / "out/metrics.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["1", "2", "3"] and rows[0]["run"] == "seed=1"
    assert not (folder / "out/seed=2/a.partial.ipynb").exists()

    # the same folders with another parameter or another notebook: not reused, not replaced
    assert main([*command, "-p", "n_rows", "5"]) == 2
    assert "already, made from another notebook, other parameters" in capsys.readouterr().err
    write(folder / "a.ipynb", RECORD, wait, "print('more')")
    assert main(command) == 2


# ---- parts ----------------------------------------------------------------------------------------------------------


def test_the_page_leaves_out_exercises_and_keeps_alt_texts(folder):
    picture = v4.new_output("display_data", {"image/png": "iVBORw0KGgo=\n"}, metadata={"honest": {"alt": "A <line>."}})
    text = v4.new_output("stream", text="an answer\n")
    cells = [
        v4.new_markdown_cell("# Title with `code` and [a link](x.ipynb)\n\n[other](05.ipynb) and [web](https://a.b)"),
        v4.new_code_cell("draw()", outputs=[picture]),
        v4.new_markdown_cell("## Exercises\n\nWhat?"),
        v4.new_markdown_cell("### Exercise 1"),
        v4.new_code_cell("check()", outputs=[text]),
        v4.new_markdown_cell("## Quiz\n\nWhich?\n\n## Key ideas\n\nAll."),
        v4.new_markdown_cell("## Evidence\n\n$$\\hat q_i \\tag{4}$$\n\n$\\nosuchthing{x}$"),
        v4.new_code_cell("hidden()", outputs=[text], metadata={"tags": ["solution"]}),
    ]
    nb = v4.new_notebook(cells=cells)
    page = to_html(nb, note="<made>")
    assert title_of(nb) == "Title with code and a link"
    assert 'alt="A &lt;line&gt;."' in page and "data:image/png;base64,iVBORw0KGgo=" in page
    assert "an answer" not in page and "What?" not in page and "Exercise" not in page and "draw()" not in page
    assert "Which?" not in page and "Key ideas" not in page
    assert "Evidence" in page and "<msub><mover" in page and "(4)" in page and r"<code>\nosuchthing{x}</code>" in page
    assert "05.ipynb" not in page and 'href="https://a.b"' in page and "&lt;made&gt;" in page
    assert 'name="viewport"' in page and "<script" not in page
    assert cells[1].outputs[0].data.keys() == {"image/png"}


def test_a_page_holds_no_lesson_and_opens_predictions():
    inner = fold("answer", "Show what came out", "<details><summary>more</summary>\n<p>an answer</p>\n</details>")
    folded = v4.new_output("display_data", {"text/html": inner}, metadata={"honest": {"prediction": True}})
    cells = [
        v4.new_markdown_cell("# Report"),
        v4.new_markdown_cell("### Lesson: a question\n\n**Predict.**"),
        v4.new_code_cell("rows()", outputs=[v4.new_output("stream", text="rows of the course")]),
        v4.new_markdown_cell("## The answer"),
        v4.new_code_cell("tell()", outputs=[folded], metadata={"tags": ["predict"]}),
    ]
    page = to_html(v4.new_notebook(cells=cells))
    assert "The answer" in page and "<summary>more</summary>\n<p>an answer</p>\n</details>" in page
    assert not [word for word in ("Predict", "rows of", "came out", "honest-fold") if word in page]
    assert folded.data["text/html"] == inner  # the notebook keeps what is folded


def test_a_fold_of_words_and_formulas_ends_where_it_does():
    text = "<details><summary>For experts</summary>\n\n**Inside** $x$\n\n$$y$$\n\n</details>\n\nOutside <b>it</b>."
    page = to_html(v4.new_notebook(cells=[v4.new_markdown_cell(f"# Report\n\n{text}")]))
    assert re.search(r"<summary>.*<strong>Inside.*<mi>x</mi>.*<mi>y</mi>.*</details>.*Outside", page, re.DOTALL)
    assert page.count("<details>") == page.count("</details>") == 1


def test_mathematics():
    brace = "<munder><munder><mi>x</mi><mo>⏟</mo></munder><mi>y</mi></munder></math>"
    assert to_mathml(r"\underbrace{x}_{y}").endswith(brace)
    assert "<munderover>" in to_mathml(r"\sum_{i=1}^n x") and "<munderover>" not in to_mathml(r"\hat q_i^2")
    assert "<mtable" in to_mathml(r"\begin{align} a &= b \\ c &= d \end{align}", block=True)
    assert "<mo>&lt;</mo>" in to_mathml("x < y")


def test_every_formula_of_the_notebooks_is_drawn():
    for path in list_notebooks(ROOT / "notebooks").values():
        notebook = nbformat.read(path, as_version=4)
        notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
        page = to_html(notebook, ROOT / "notebooks")
        assert not re.findall(r"<code>(\\[A-Za-z]+[^<]*)</code>", page), path.name


def test_collect_reads_metrics_and_claims():
    first = v4.new_output("display_data", metadata={"honest": {"metrics": {"b": 1}}})
    second = v4.new_output("display_data", metadata={"honest": {"claim": "x", "holds": True}})
    nb = v4.new_notebook(cells=[v4.new_markdown_cell(), v4.new_code_cell(outputs=[first, second])])
    assert collect(nb) == ({"b": 1}, [{"claim": "x", "holds": True}])


def test_json_and_folder_names(tmp_path):
    write_json(tmp_path / "a.json", {"b": float("nan"), "a": "é"})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n "b": "NaN",\n "a": "é"\n}\n'
    assert _folder_name({"rate": "0.5", "path": "../my data.csv"}) == "rate=0.5,path=.._my_data.csv"


# ---- two commands, one folder ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sweep", [[], ["--sweep", "seed", "1", "2"]])
def test_a_folder_that_another_run_writes_into_is_refused(folder, capsys, sweep):
    """Two runs into one folder used to mix their results: metrics and page of one, the notebook of the other."""
    pytest.importorskip("fcntl", reason="folders can be held on POSIX systems only")
    path = write(folder / "a.ipynb", RECORD)
    with held_folder("out", ""):  # as another process would: a second opening of the folder does not get it
        assert main([path, *sweep, "--output", "out"]) == 2
    assert "another run writes into out; wait for it, or choose another folder." in capsys.readouterr().err
    assert os.listdir(folder / "out") == []


def test_a_result_that_came_while_the_folder_was_waited_for_is_kept(folder, capsys, monkeypatch):
    path = write(folder / "a.ipynb", RECORD)

    def late(folder, sentence):
        Path(folder).mkdir()
        (Path(folder) / "metrics.json").write_text("{}")
        return held_folder(folder, sentence)

    monkeypatch.setattr(command, "held_folder", late)
    assert main([path, "--output", "out"]) == 2
    assert "out holds metrics.json already" in capsys.readouterr().err
    assert os.listdir(folder / "out") == ["metrics.json"]


def test_a_stop_is_not_told_as_the_death_of_the_kernel(monkeypatch):
    """nbclient turns a cancelled wait into DeadKernelError, and the run said "most likely for want of memory"."""
    from nbclient.exceptions import DeadKernelError

    class Client:
        kc = SimpleNamespace(shell_channel=None)  # nobody looks there so soon

        async def async_execute_cell(self, cell, index):
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                raise DeadKernelError("Kernel died") from None

    async def start(nb, tell, env):
        return None, Client()

    async def shut_down(manager, client):
        pass

    async def stopped():
        nb = v4.new_notebook(cells=[v4.new_code_cell("1")])
        task = asyncio.ensure_future(run_cells(nb, lambda nb: None, lambda *done: None))
        await asyncio.sleep(0)
        task.cancel()
        await task

    monkeypatch.setattr(_execute, "_start", start)
    monkeypatch.setattr(_execute, "_shut_down", shut_down)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stopped())


def test_a_reply_that_woke_nobody_is_found(monkeypatch):
    """As when nbclient sends a widget's message by the socket at which it waits for the reply to a cell."""
    monkeypatch.setattr(_execute, "LOOK", 0.01)

    async def wait_beside(ours, theirs):
        waiting = asyncio.ensure_future(ours.poll(None))
        await asyncio.sleep(0.1)
        await theirs.send(b"reply")
        shadow = zmq.Socket.shadow(ours.underlying)
        while not shadow.get(zmq.EVENTS) & zmq.POLLIN:  # this look uses up the wake-up call
            time.sleep(0.001)
        before, _ = await asyncio.wait([waiting], timeout=0.2)
        looking = asyncio.ensure_future(_execute._keep_looking(SimpleNamespace(socket=ours)))
        after, _ = await asyncio.wait([waiting], timeout=10)
        looking.cancel()
        await asyncio.wait([looking])
        return len(before), len(after)

    async def wait():
        with zmq.asyncio.Context() as context, context.socket(zmq.PAIR) as ours, context.socket(zmq.PAIR) as theirs:
            port = ours.bind_to_random_port("tcp://127.0.0.1")
            theirs.connect(f"tcp://127.0.0.1:{port}")
            return await wait_beside(ours, theirs)

    assert asyncio.run(wait()) == (0, 1)
