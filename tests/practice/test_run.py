"""python -m helpers.practice.run: what is refused, what a run leaves, what is done again, what survives Ctrl-C."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import nbformat
import nbformat.v4 as v4
import pytest

import helpers
from helpers.practice import run
from helpers.practice.run import list_notebooks, main, read_parameters

ROOT = Path(__file__).resolve().parents[2]

PARAMETERS = """n_rows = 1000  # rows drawn
seed = 1  # of the random numbers
rate = 0.5
name = ""  # of the model
ages = [20, 30]  # edges
wide = False
data_path = ""  # a table"""

# Stands in for helpers.notebook.record, which takes a second to import.
RECORD = """from IPython.display import display
def record(**numbers):
    display({"text/html": "<!-- -->"}, metadata={"honest": {"metrics": numbers}}, raw=True)
record(n_rows=n_rows, seed=seed, rate=rate)
print("kept", name, ages)"""


def write(path, *cells, parameters=PARAMETERS):
    """The path of a notebook of a title, the parameters and these cells, sources or whole cells."""
    sources = [v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})] if parameters else []
    sources += [cell if isinstance(cell, dict) else v4.new_code_cell(cell) for cell in cells]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    head = v4.new_markdown_cell("# A *small* run with $q_i$")
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(v4.new_notebook(cells=[head, *sources], metadata=metadata), path)
    return str(path)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with an umlaut and a space, where kernels find this repository's package."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    (tmp_path / "mein öder Ordner").mkdir()
    monkeypatch.chdir(tmp_path / "mein öder Ordner")
    return Path.cwd()


def listed(folder):
    """The names in a folder, without hidden ones."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def digest(folder):
    return json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["digest"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["a.ipynb", "-p", "n_row", "3"], "'n_row'; did you mean 'n_rows'?"),
    (["a.ipynb", "-p", "n_rows", "3.5"], "n_rows must be a whole number"),
    (["a.ipynb", "-p", "name", "Bearer 4fTq9LmZ2xV7bN1c"], "name holds what looks like a key"),
    (["a.ipynb", "--grid", "grid.yaml", "-p", "seed", "1"], "seed is given by -p and in grid.yaml"),
    (["a.ipynb", "--grid", "wrong.yaml"], "'sead'; did you mean 'seed'?"),
    (["a.ipynb", "--grid", "words.yaml"], "must hold a list of values"),
    (["a.ipynb", "--grid", "open.yaml"], "open.yaml cannot be read"),
    (["a.ipynb", "--grid", "none.yaml"], "none.yaml"),
    (["a.ipynb", "--grid", "empty.yaml"], "empty.yaml"),
    (["a.ipynb", "--jobs", "0"], "--jobs"),
    (["b.ipynb"], "there is no notebook b.ipynb"),
    (["cut.ipynb"], "cut.ipynb cannot be read as a notebook"),
    (["derived.ipynb"], "derived.ipynb cannot be read as a notebook with parameters"),
    (["--all", ".", "-p", "seed", "1"], "--all"),
    (["--all", "empty"], "there are no notebooks in empty"),
    (["a.ipynb", "-p", "n_rows", "-1,5"], "n_rows must be a whole number"),
    (["a.ipynb", "-p", "name", "--wide"], "-p NAME VALUE"),
    (["a.ipynb", "-p", "seed"], "-p NAME VALUE"),
])  # fmt: skip
def test_bad_requests_write_nothing(folder, capsys, arguments, message):
    text = Path(write(folder / "a.ipynb", RECORD)).read_text()
    (folder / "cut.ipynb").write_text(text[: len(text) // 2])
    write(folder / "derived.ipynb", RECORD, parameters="seed = 1\ntwice = 2 * seed")
    grids = {"grid": "seed: [1, 2]", "wrong": "sead: [1]", "words": "seed", "open": "seed: [1", "empty": "{}"}
    for name, content in grids.items():
        (folder / f"{name}.yaml").write_text(content)
    before = sorted(os.listdir(folder))
    assert main([*arguments, "--output", "deep/out"]) == 2
    assert message in capsys.readouterr().err
    assert sorted(os.listdir(folder)) == before


def test_files_of_others_are_not_replaced(folder, capsys):
    path = write(folder / "a.ipynb", RECORD)
    assert main([path]) == 2 and "--output FOLDER is missing" in capsys.readouterr().err
    assert main([path, "--output", ".", "--overwrite"]) == 2
    assert "holds the notebook itself" in capsys.readouterr().err
    for name, content in (("a.html", "mine"), ("metrics.json", '{"notebook": 3}'), ("scores.csv", "mine")):
        (folder / name[0] / "out").mkdir(parents=True)
        (folder / name[0] / "out" / name).write_text(content)
        assert main([path, "--output", f"{name[0]}/out"]) == 2
        assert "--overwrite" in capsys.readouterr().err
        assert (folder / name[0] / "out" / name).read_text() == content


def test_help(folder, capsys):
    path = write(folder / "a.ipynb")
    assert main([path, "--help"]) == 0
    text = capsys.readouterr().out
    assert "A small run with q_i (a.ipynb)" in text
    assert re.search(r"n_rows +1000 +rows drawn \(a whole number\)", text)
    assert re.search(r"ages +\[20, 30\] +edges \(a list of whole numbers\)", text)
    assert main(["--help"]) == 0 and "--grid" in capsys.readouterr().out
    assert main([]) == 2


def test_without_the_extra(folder, capsys, monkeypatch):
    monkeypatch.setattr("helpers.notebook.page.find_spec", lambda name: None if name == "papermill" else True)
    assert main([write(folder / "a.ipynb"), "--output", "out"]) == 2
    assert "notebooks" in capsys.readouterr().err


@pytest.mark.slow
def test_papermill_sees_every_parameter_of_the_notebooks():
    for path in list_notebooks(ROOT / "notebooks").values():
        cells = nbformat.read(path, as_version=4).cells
        (source,) = [cell.source for cell in cells if "parameters" in cell.metadata.get("tags", [])]
        declared = {}
        exec(source, {}, declared)
        assert {name: default for name, (default, _) in read_parameters(path).items()} == declared


@pytest.mark.slow
def test_a_run_leaves_a_notebook_a_page_and_metrics_and_is_done_once(folder, capsys):
    leave = "import os\nopen(os.path.join(os.environ['HONEST_OUTPUT'], 'scores.csv'), 'w').close()"
    prose = v4.new_markdown_cell("Of 1,000 rows.")
    path = write(folder / "a.ipynb", RECORD, "print(open(data_path).read())", leave, prose)
    (folder / "table.csv").write_text("seven")
    given = ["-p", "name", "007", "-p", "ages", "1,2", "-p", "rate", "2", "-p", "data_path", "table.csv"]
    command = [path, *given, "--output", "out"]
    assert main(command) == 0
    assert capsys.readouterr().out == f"{Path('out/a.html')}\n"
    assert listed(folder / "out") == ["a.html", "a.ipynb", "metrics.json", "scores.csv"]
    found = json.loads((folder / "out/metrics.json").read_text())
    assert found["metrics"] == {"n_rows": 1000, "seed": 1, "rate": 2.0}
    assert found["parameters"]["name"] == "007" and found["parameters"]["data_path"] == "table.csv"
    page = (folder / "out/a.html").read_text()
    assert "kept 007 [1, 2]" in page and "seven" in page and "<script" not in page and "def record" not in page
    assert run.OTHER_NUMBERS in page
    executed = nbformat.read(folder / "out/a.ipynb", as_version=4)
    assert executed.metadata == nbformat.read(path, as_version=4).metadata
    assert [dict(cell.metadata) for cell in executed.cells[3:]] == [{}] * 4  # it may be stored as it is
    stamp = (folder / "out/metrics.json").stat().st_mtime_ns
    assert main(command) == 0  # finished already
    assert (folder / "out/metrics.json").stat().st_mtime_ns == stamp
    (folder / "table.csv").write_text("eight")
    assert main(command) == 2 and "--overwrite" in capsys.readouterr().err  # another table
    assert main([*command, "--overwrite"]) == 0
    assert "eight" in (folder / "out/a.html").read_text() and digest(folder / "out") != found["digest"]


@pytest.mark.slow
def test_a_grid_one_folder_a_run_and_one_table(folder, capsys):
    last = "import os\nrecord(low=float('nan'), pair=[1, 2], folder=os.environ['HONEST_OUTPUT'].split(os.sep)[-2])"
    path = write(folder / "a.ipynb", RECORD, "if seed == 3:\n    {}['missing']", last)
    grid = "- {seed: [1, 3], name: [a/b, 'ä b']}\n- {ages: [[1, 2]]}\n- {seed: 1, name: a/b}"
    (folder / "grid.yaml").write_text(grid)
    command = [path, "--grid", "grid.yaml", "--output", "out", "--jobs", "2"]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert "seed=3,name=ä_b stopped in cell 5 (In [4]): KeyError: 'missing'" in error and "2 of 5 runs failed" in error
    names = ["ages=1_2", "metrics.csv", "seed=1,name=a_b", "seed=1,name=ä_b", "seed=3,name=a_b", "seed=3,name=ä_b"]
    assert listed(folder / "out") == sorted(names)
    assert os.listdir(folder / "out/seed=3,name=a_b") == ["a.unfinished"]
    with open(folder / "out/metrics.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["run"] for row in rows] == ["seed=1,name=a_b", "seed=1,name=ä_b", "ages=1_2"]
    assert all(row["folder"] == row["run"] for row in rows)  # though the kernels' parents are threads of one process
    assert [row["name"] for row in rows] == ["a/b", "ä b", ""] and rows[0]["pair"] == "[1, 2]"
    assert {row["rate"] for row in rows} == {"0.5"} and {row["low"] for row in rows} == {"nan"}
    write(folder / "a.ipynb", RECORD)
    assert main(command) == 2 and "--overwrite" in capsys.readouterr().err  # another notebook


RESULT = "import os\nopen(os.path.join(os.environ['HONEST_OUTPUT'], name), 'w').close()"


def contents(folder):
    """{name: what is in it} of a folder, also of hidden files."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name: (folder / name).read_bytes() for name in names}


@pytest.mark.slow
def test_overwrite_replaces_all_of_a_run_or_nothing(folder, capsys):
    path = write(folder / "a.ipynb", RESULT, "if seed == 13:\n    {}['missing']\nif seed == 14:\n    os._exit(1)")
    assert main([path, "-p", "name", "old.csv", "--output", "out"]) == 0
    (folder / "out/notes.txt").write_text("mine")
    before = contents(folder / "out")
    again = [path, "-p", "name", "new.csv", "--output", "out", "--overwrite"]
    for seed in ("13", "14"):  # it stops, its kernel dies
        assert main([*again, "-p", "seed", seed]) == 1
        assert os.path.exists(folder / "out/a.unfinished/new.csv")
        assert {name: held for name, held in contents(folder / "out").items() if "unfinished" not in name} == before
    assert main(again) == 0
    assert listed(folder / "out") == ["a.html", "a.ipynb", "metrics.json", "new.csv", "notes.txt"]
    assert (folder / "out/notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_what_a_user_changed_is_refused_by_name(folder, capsys):
    path = write(folder / "a.ipynb", RESULT)
    assert main([path, "-p", "name", "old.csv", "--output", "out"]) == 0
    for name in ("a.ipynb", "a.html", "metrics.json", "old.csv"):
        own = (folder / "out" / name).read_bytes()
        (folder / "out" / name).write_bytes(own + b" ")
        before = contents(folder / "out")
        assert main([path, "-p", "name", "old.csv", "--output", "out", "--overwrite"]) == 2
        assert f"{Path('out', name)} would be replaced" in capsys.readouterr().err
        assert contents(folder / "out") == before
        (folder / "out" / name).write_bytes(own)


@pytest.mark.slow
def test_what_comes_while_a_run_works_stays_and_the_run_waits(folder, capsys):
    """A file of the user's has the name of one of the run's: it is named, and the run's files come when it has gone."""
    come = "import pathlib\npathlib.Path(os.environ['HONEST_OUTPUT']).parent.joinpath(name).write_text('mine')"
    command = [write(folder / "a.ipynb", RESULT, come), "-p", "name", "b.csv", "--output", "out"]
    for status in (1, 2):
        assert main(command) == status
        assert f"{Path('out/b.csv')} would be replaced" in capsys.readouterr().err
        assert listed(folder / "out") == ["a.unfinished", "b.csv"]
    assert (folder / "out/b.csv").read_text() == "mine"
    (folder / "out/b.csv").unlink()
    assert main(command) == 0 and "finished already" in capsys.readouterr().err
    assert listed(folder / "out") == ["a.html", "a.ipynb", "b.csv", "metrics.json"]


@pytest.mark.slow
def test_the_table_of_a_grid_replaces_no_other(folder, capsys):
    path = write(folder / "a.ipynb", RECORD)
    (folder / "grid.yaml").write_text("seed: [1]")
    command = [path, "--grid", "grid.yaml", "--output", "out"]
    (folder / "out").mkdir()
    (folder / "out/metrics.csv").write_text("mine")
    assert main([*command, "--overwrite"]) == 2 and "metrics.csv would be replaced" in capsys.readouterr().err
    (folder / "out/metrics.csv").unlink()
    assert main(command) == 0 and main([*command, "--overwrite"]) == 0


@pytest.mark.nightly
def test_a_second_run_into_a_folder_is_refused_and_the_first_goes_on(folder, capsys):
    wait = """import os, time
while seed == 2 and not os.path.exists("go"):
    os.makedirs("here", exist_ok=True)
    time.sleep(0.05)"""
    path = write(folder / "a.ipynb", RECORD, wait)
    (folder / "grid.yaml").write_text("seed: [2]")
    with started(path, "--grid", "grid.yaml", "--output", "out") as process:
        wait_for(lambda: os.path.exists("here") or process.poll() is not None)
        second = [path, "-p", "seed", "3", "--overwrite", "--output"]
        assert main([*second, "out"]) == 2 and "another run works in out" in capsys.readouterr().err
        assert main([*second, "out/seed=2"]) == 1 and "another run works in" in capsys.readouterr().err
        assert main([*second, "elsewhere"]) == 0
        (folder / "go").touch()
        said, _ = process.communicate(timeout=180)
        assert process.returncode == 0, said
    assert main([*second, "out/seed=2"]) == 0
    assert json.loads((folder / "out/seed=2/metrics.json").read_text())["parameters"]["seed"] == 3


@pytest.mark.nightly
def test_a_run_that_was_killed_holds_no_folder_and_has_changed_nothing(folder):
    wait = "import time\nif seed == 2:\n    open('here', 'w').close()\n    time.sleep(600)"
    path = write(folder / "a.ipynb", RECORD, wait)
    assert main([path, "--output", "out"]) == 0
    before = contents(folder / "out")
    with started(path, "-p", "seed", "2", "--output", "out", "--overwrite") as process:
        wait_for(lambda: os.path.exists("here") or process.poll() is not None)
        process.kill()
    assert before.items() <= contents(folder / "out").items()
    assert main([path, "-p", "seed", "3", "--output", "out", "--overwrite"]) == 0
    assert listed(folder / "out") == ["a.html", "a.ipynb", "metrics.json"]


@pytest.mark.nightly
@pytest.mark.parametrize("others", ["helpers.py", "helpers/__init__.py", "helpers/mine.py", "papermill.py"])
def test_the_program_works_beside_modules_of_the_users(folder, others):
    (folder / others).parent.mkdir(exist_ok=True)
    (folder / others).write_text("1 / 0")
    (folder / "own_tools.py").write_text("THREE = 3")
    write(folder / "a.ipynb", "from helpers.notebook import record\nimport own_tools\nrecord(three=own_tools.THREE)")
    program = Path(sys.executable).with_name("honest-confidence")
    done = subprocess.run([program, "a.ipynb", "--output", "out"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / "out/metrics.json").read_text())["metrics"] == {"three": 3}


@pytest.mark.slow
def test_all_does_again_what_is_out_of_date_and_nothing_else(folder, capsys):
    for name in ("00_good", "checks/00_good", "_draft"):
        write(folder / "notebooks" / f"{name}.ipynb", "1", parameters=None)
    bad = folder / "notebooks/05_bad.ipynb"
    write(bad, "1 / 0", parameters=None)
    command = ["--all", "notebooks", "--output", "out"]
    assert list(list_notebooks("notebooks")) == ["00_good", "05_bad", "checks/00_good"]
    assert main(command) == 1
    assert "05_bad: stopped in cell 2 (In [1]): ZeroDivisionError" in capsys.readouterr().err
    first = digest(folder / "out/checks/00_good")
    write(bad, "2", parameters=None)
    assert main(command) == 0
    error = capsys.readouterr().err
    assert "2 of 3 runs are finished already" in error and "[1/1] 05_bad: " in error
    assert digest(folder / "out/checks/00_good") == first
    write(bad, "import os\nos._exit(1)", parameters=None)
    assert main(command) == 1 and "05_bad: stopped: DeadKernelError" in capsys.readouterr().err
    assert "05_bad.unfinished" in os.listdir(folder / "out/05_bad")  # beside what was there, which is out of date


def test_what_a_digest_sees(folder, monkeypatch):
    path = Path(write(folder / "a.ipynb", RECORD))
    given = ["-p", "data_path", "table.csv"]

    def digest_now():
        options = run._parser().parse_args([str(path), *given, "--output", "out"])
        (found,) = run.plan(options)
        return found.digest

    seen = {digest_now()}
    nb = nbformat.read(path, as_version=4)
    nb.cells[1].outputs = [v4.new_output("stream", text="1\n")]
    nbformat.write(nb, path)
    assert digest_now() in seen  # outputs are no input
    nb.cells[1].metadata["tags"].append("remove-cell")
    nbformat.write(nb, path)
    seen.add(digest_now())
    (folder / "table.csv").write_text("one")
    seen.add(digest_now())
    (folder / "table.csv").write_text("two")
    seen.add(digest_now())
    monkeypatch.setattr(run, "_versions", lambda: {"numpy": "9"})
    seen.add(digest_now())
    assert len(seen) == 5


def test_a_digest_sees_both_floors_of_the_package(monkeypatch):
    seen = set()
    monkeypatch.setattr(run, "_file_digest", lambda path: seen.add(path) or "")
    run._surroundings()
    assert {ROOT / "helpers" / "scoring.py", ROOT / "helpers" / "practice" / "run.py"} <= seen


@contextmanager
def started(*arguments):
    """A run as a process of its own; it does not outlive the block."""
    command = [sys.executable, "-m", "helpers.practice.run", *arguments]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        signal.signal(signal.SIGINT, before)
        try:
            yield process
        finally:
            process.kill()  # nothing where it has ended


def wait_for(condition, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.mark.nightly
def test_an_interrupted_grid_keeps_what_is_finished_and_goes_on(folder, capsys):
    wait = """import os, time
while seed == 2 and not os.path.exists("go"):
    os.makedirs(f"here/{os.getpid()}", exist_ok=True)
    time.sleep(0.05)"""
    path = write(folder / "a.ipynb", RECORD, wait)
    (folder / "grid.yaml").write_text("seed: [1, 2]")
    command = [path, "--grid", "grid.yaml", "--output", "out"]
    done = folder / "out/seed=1"
    with started(*command, "--jobs", "2") as process:
        ready = lambda: any(folder.glob("here/*")) and (done / "metrics.json").exists()  # noqa: E731
        wait_for(lambda: ready() or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=180)
    assert process.returncode == 130, said
    assert "1 of 2 runs are finished and stay" in said and "Traceback" not in said
    (kernel,) = os.listdir("here")
    with pytest.raises(ProcessLookupError):
        wait_for(lambda: os.kill(int(kernel), 0))
    assert listed(done) == ["a.html", "a.ipynb", "metrics.json"]
    assert listed(folder / "out/seed=2") == ["a.unfinished"]
    stamp = (done / "metrics.json").stat().st_mtime_ns
    (folder / "go").touch()
    assert main(command) == 0
    assert "1 of 2 runs are finished already" in capsys.readouterr().err
    assert (done / "metrics.json").stat().st_mtime_ns == stamp
    assert listed(folder / "out/seed=2") == ["a.html", "a.ipynb", "metrics.json"]
    assert (folder / "out/metrics.csv").read_text().count("\n") == 3


@pytest.mark.nightly
def test_a_grid_on_a_cluster_of_dask(folder):
    """The kernel of a worker has the caller's working folder and the folder of its run."""
    distributed = pytest.importorskip("distributed")
    from joblib import parallel_config

    path = write(folder / "a.ipynb", RECORD, "import os\nprint(os.getcwd(), os.environ['HONEST_OUTPUT'])")
    (folder / "grid.yaml").write_text("seed: [7]")
    with distributed.Client(n_workers=1, dashboard_address=None), parallel_config("dask"):
        assert main([path, "--grid", "grid.yaml", "--output", "out"]) == 0
    cells = nbformat.read(folder / "out/seed=7/a.ipynb", as_version=4).cells
    assert cells[-1].outputs[0].text == f"{folder} {folder / 'out/seed=7/a.unfinished'}\n"


def test_what_python_writes_beside_the_code_is_no_change_of_it():
    """Another process may be compiling a module while a run begins: its file is called a.pyc.123 for a moment."""
    before = run._surroundings()
    new = Path(helpers.__file__).parent / "__pycache__" / "some_module.pyc.123"
    new.parent.mkdir(exist_ok=True)
    new.write_bytes(b"half")
    try:
        run._file_digest.cache_clear()
        assert run._surroundings() == before
    finally:
        new.unlink()


@pytest.mark.slow
def test_what_a_notebook_is_doing_goes_to_stderr_and_not_into_the_notebook(folder):
    cell = "from helpers import _progress\n_progress.LOG_SECONDS = 0.1\nimport time\n"
    cell += "with _progress.told(2):\n    _progress.step('long work')\n    time.sleep(1)\nprint('done')"
    command = [sys.executable, "-m", "helpers.practice.run", write(folder / "a.ipynb", cell), "--output", "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "\nlong work (1 of 2, 00:00)\n" in f"\n{done.stderr}"
    assert done.stdout.split() == [str(Path("out/a.html"))]
    outputs = nbformat.read("out/a.ipynb", as_version=4).cells[-1].outputs
    assert [output.get("text") for output in outputs] == ["done\n"]
