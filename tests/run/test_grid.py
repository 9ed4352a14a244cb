"""python -m helpers.run --grid: files read strictly, sweeps that survive a kill, one table for any number of jobs."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_notebook import write

from helpers.notebook import ParameterError
from helpers.run import execute
from helpers.run.command import main
from helpers.run.grid import MOST, read_grid
from helpers.run.plan import plan_runs
from helpers.run.sweep import LONGEST, folder_names, write_tables

DECLARED = {"n_rows": 1000, "seed": 1, "rate": 0.5, "name": "", "ages": [20, 30], "wide": False}
DECLARED |= {"data_path": "", "limit": None, "anything": [], "options": {}}
# Stands in for helpers.notebook.record, which takes a second to import.
RECORD = """import os, random, time
from IPython.display import display
random.seed(seed)
numbers = {"drawn": random.random(), "seed": seed, "threads": os.environ.get("OMP_NUM_THREADS")}
display({"text/html": "<!-- -->"}, metadata={"honest": {"metrics": numbers}}, raw=True)"""


def read(folder, text):
    (folder / "grid.yaml").write_text(text, encoding="utf-8")
    return read_grid("grid.yaml", DECLARED, "a.ipynb")


# ---- what a file of runs means --------------------------------------------------------------------------------------


def test_every_combination_the_last_name_fastest(folder):
    runs = read(folder, "seed: [1, 2]\nrate: [0.5, 1]  # comment\n")
    assert runs == [{"seed": s, "rate": r} for s in (1, 2) for r in (0.5, 1.0)]
    assert all(type(run["rate"]) is float for run in runs)


def test_single_runs_and_both(folder):
    single = [{"seed": 1, "name": "a"}, {"rate": 2.0}]
    assert read(folder, "- {seed: 1, name: a}\n- rate: 2\n") == single
    both = read(folder, "runs:\n- {seed: 1, name: a}\n- rate: 2\ngrid:\n  seed: [3, 4]\n")
    assert both == [*single, {"seed": 3}, {"seed": 4}]
    assert read(folder, "grid:\n  seed: [3, 4]\nruns:\n- rate: 2\n") == [{"seed": 3}, {"seed": 4}, {"rate": 2.0}]
    assert read(folder, "grid: {seed: [3]}") == [{"seed": 3}]
    assert read(folder, '{"seed": [1, 2]}') == [{"seed": 1}, {"seed": 2}]  # JSON is YAML


def test_parameters_called_grid_and_runs(folder):
    (folder / "grid.yaml").write_text("runs: [5, 6]\n")
    assert read_grid("grid.yaml", {"runs": 1, "seed": 1}, "a.ipynb") == [{"runs": 5}, {"runs": 6}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("name: [007]", "007"),
        ("name: [2026-01-01]", "2026-01-01"),
        ("name: [no]", "no"),
        ("name: ['']", ""),
        ("name: ['null']", "null"),
        ("rate: [1e-3]", 0.001),
        ("rate: [-.inf]", float("-inf")),
        ("n_rows: [10]", 10),
        ("n_rows: [010]", 10),
        ("wide: [True]", True),
        ("ages: [[1, 2]]", [1, 2]),
        ("ages: [[]]", []),
        ("limit: [~]", None),
        ("limit: [12]", 12),
        ("limit: ['12']", "12"),
        ("limit: [all]", "all"),
        ("anything: [[a, 1, 0.5, true, null, '2']]", ["a", 1, 0.5, True, None, "2"]),
        ("options: [{a: 1, b: [x, 2]}]", {"a": 1, "b": ["x", 2]}),
        ("\ufeffname: [ü]", "ü"),
    ],
)
def test_words_are_read_by_the_type_of_the_default(folder, text, value):
    (run,) = read(folder, text)
    (found,) = run.values()
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n_row: [1]", "grid.yaml, line 1, column 1: a.ipynb has no parameter 'n_row'; did you mean 'n_rows'?"),
        ("- {seed: 1}\n- {sead: 1}", "line 2, column 4: a.ipynb has no parameter 'sead'; did you mean 'seed'?"),
        ("seed: [1,\n  x]", "line 2, column 3: seed must be a whole number, like its default 1, but it is 'x'."),
        ("seed: [1.5]", "seed must be a whole number, like its default 1, but it is '1.5'."),
        ("seed: ['1']", "seed must be a whole number, like its default 1, but it is '1'."),
        ("seed: [[1, 2]]", "seed must be a whole number, like its default 1, but it is [1, 2]."),
        ("rate: [nan]", "rate must be a number"),
        ("wide: [yes]", "wide must be true or false, like its default False, but it is 'yes'."),
        ("name: [null]", "name must be text, like its default not given, but it is empty (quote it if it is text)."),
        ("- seed:", "seed must be a whole number, like its default 1, but it is empty"),
        (
            "ages: [20, 30]",
            "ages must be a list of whole numbers, like its default [20, 30], but it is 20 (each of its",
        ),
        ("ages: [[20, b]]", "ages must be a list of whole numbers, like its default [20, 30], but it is [20, 'b']."),
        ("limit: [[1]]", "limit must be text or a number"),
        ("seed: []", "line 1, column 7: seed needs at least one value, but its list is empty."),
        ("seed: 3", "seed needs a list of values like [3], but this is the single value 3."),
        ("seed:", "seed needs a list of values, but this is nothing."),
        ("seed: {a: 1}", "seed needs a list of values, but this is a mapping."),
        ("seed: [1, 2, 1]", "line 1, column 14: seed has the value 1 twice; each may stand once."),
        ("rate: [1, 1.0]", "rate has the value 1 twice"),
        ("seed: [1]\nseed: [2]", "line 2, column 1: seed stands here a second time."),
        ("- {seed: 1, seed: 2}", "seed stands here a second time."),
        ("", "grid.yaml is empty; it must hold a list of values for each name"),
        ("# nothing but a comment", "grid.yaml is empty"),
        ("[]", "runs must be a list of mappings, one a run, but this is an empty list."),
        ("{}", "this is an empty mapping; it must hold"),
        ("seed", "this is the single value seed; it must hold a list of values for each name"),
        ("- seed", "a run must name its parameters, as in {seed: 1}, but this is the single value seed."),
        ("- {}", "a run must name its parameters"),
        ("grid: [1]", "this is a list; it must hold"),
        ("runs: {seed: [1]}", "runs must be a list of mappings, one a run, but this is a mapping."),
        ("grid: {seed: [1]}\nrate: [1]", "beside grid: and runs: nothing else may stand"),
        ("[1, 2]: [3]", "a name must stand here, not a list or a mapping."),
        ("seed: [1, 2", "line 1, column 12: this is not YAML: while parsing a flow sequence"),
        ("seed: [1, 2", "(is the file cut off here?)"),
        ("name: ['a", "(is the file cut off here?)"),
        ("seed: [1]\n\trate: [1]", "line 2, column 1: this is not YAML"),
        ("seed: [1]\n---\nseed: [2]", "expected a single document"),
        ("seed: [1]\nname: [\x00]", "line 2, column 8: this is not YAML: the sign '\\x00' may not stand in it."),
        ("seed: &a [1]\nn_rows: *a", "line 2, column 9: references (*a) are not read; write the values out."),
        ("seed: [!!python/object/apply:os.getcwd []]", "tags (!!python/object/apply:os.getcwd) are not read here."),
        ("[" * 500 + "]" * 500, "nested too deeply"),
        ("\n".join(f"{name}: [{', '.join(map(str, range(400)))}]" for name in ("seed", "n_rows")), "160,000 runs; at"),
    ],
)
def test_files_that_are_refused(folder, text, message):
    with pytest.raises(ParameterError) as caught:
        read(folder, text)
    assert message in str(caught.value) and "papermill" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--grid", "grid.yml"], "--grid: there is no file grid.yml; did you mean grid.yaml?"),
        (["--grid", "elsewhere/x"], "--grid: there is no file elsewhere/x."),
        (["--grid", "."], "--grid needs a file, but . is a folder."),
        (["--grid", "binary.yaml"], "binary.yaml must be UTF-8 text, but its byte 9 is not."),
        (["--grid", "grid.yaml", "--sweep", "seed", "1"], "seed is given on the command line and in grid.yaml"),
        (["--grid", "grid.yaml", "-p", "seed", "1"], "seed is given on the command line and in grid.yaml"),
        (["--grid", "grid.yaml", "--jobs", "0"], "--jobs must be at least 1, but it is 0."),
        (["--grid", "grid.yaml", "-p", "rate", "x"], "rate must be a number"),
        (["--grid", "files.yaml"], "data_path: there is no file tabel.csv; did you mean table.csv?"),
        (["--grid", "big.yaml", "--sweep", "rate", "1", "2"], f"this asks for {2 * MOST:,} runs; at most {MOST:,}"),
    ],
)
def test_bad_requests_write_nothing(folder, capsys, arguments, message):
    path = write(folder / "a.ipynb", RECORD)
    (folder / "grid.yaml").write_text("seed: [1, 2]\n")
    (folder / "binary.yaml").write_bytes(b"name: ['\xff']")
    (folder / "table.csv").write_text("a\n")
    (folder / "files.yaml").write_text("data_path: [table.csv, tabel.csv]\n")
    (folder / "big.yaml").write_text(f"seed: {list(range(MOST // 200))}\nn_rows: {list(range(200))}\n")
    before = sorted(os.listdir(folder))
    assert main([path, *arguments, "--output", "deep/out"]) == 2
    error = capsys.readouterr().err
    assert message in error and error.endswith("Nothing was run or written.\n")
    assert sorted(os.listdir(folder)) == before


def test_a_kernel_that_is_not_installed(folder, capsys):
    path = write(folder / "a.ipynb", kernel="julia-0.1")
    assert main([path, "--output", "out"]) == 2
    assert "a.ipynb asks for the kernel 'julia-0.1', which is not installed." in capsys.readouterr().err


def test_without_pyyaml(folder, capsys, monkeypatch):
    path = write(folder / "a.ipynb")
    (folder / "grid.yaml").write_text("seed: [1]\n")
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert main([path, "--grid", "grid.yaml", "--output", "out"]) == 2
    assert "PyYAML is missing here" in capsys.readouterr().err


def test_a_folder_with_another_table_is_left_alone(folder, capsys):
    path = write(folder / "a.ipynb")
    (folder / "grid.yaml").write_text("seed: [1]\n")
    for name in ("metrics.csv", "summary.parquet"):
        (folder / name).mkdir()
        (folder / name / name).write_text("mine")
        assert main([path, "--grid", "grid.yaml", "--output", name]) == 2
        assert f"{Path(name) / name} exists already and is not the table of a sweep" in capsys.readouterr().err
        assert os.listdir(folder / name) == [name]


def test_help_shows_an_example(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert "--grid grid.yaml --jobs 2" in text and "seed: [1, 2, 3]" in text


# ---- plans ----------------------------------------------------------------------------------------------------------


def planned(folder, text, given=(), sweeps=()):
    path = write(folder / "a.ipynb", RECORD)
    (folder / "grid.yaml").write_text(text)
    return plan_runs(path, list(given), list(sweeps), Path("out"), grid="grid.yaml")


def test_ten_thousand_runs_are_planned_without_a_question(folder):
    runs, note = planned(folder, f"seed: {list(range(2500))}\nrate: [0.1, 0.2, 0.5, 1]\n")
    assert len(runs) == len({run.folder for run in runs}) == len({run.fingerprint for run in runs}) == 10_000
    assert runs[1].label == "seed=0,rate=0.2" and note == ""
    assert not (folder / "out").exists()


def test_a_grid_times_a_sweep(folder):
    runs, _ = planned(folder, "- {n_rows: 5}\n- {n_rows: 6, seed: 3}\n", [("name", "a")], [["rate", "1", "2"]])
    assert [run.label for run in runs] == [
        "n_rows=5,rate=1",
        "n_rows=5,rate=2",
        "n_rows=6,seed=3,rate=1",
        "n_rows=6,seed=3,rate=2",
    ]
    assert runs[0].swept == {"n_rows": 5, "seed": 1, "rate": 1.0}  # what a run does not name stands at its default
    assert all(run.values["name"] == "a" for run in runs)


def test_runs_that_are_the_same_are_done_once(folder):
    text = "runs:\n- {seed: 2}\n- {seed: 2, rate: 0.5}\n- {rate: 0.5}\ngrid:\n  seed: [1, 2, 3]\n"
    runs, note = planned(folder, text)  # the defaults are seed 1 and rate 0.5
    assert [run.label for run in runs] == ["seed=2", "rate=0.5", "seed=3"]
    assert note == "3 of the 6 runs asked for are the same as others and are done once."


def test_a_grid_and_a_sweep_share_results(folder):
    runs, _ = planned(folder, "seed: [1, 2]\n")
    sweep, _ = plan_runs("a.ipynb", [], [["seed", "1", "2"]], Path("out"))
    assert [(run.folder, run.fingerprint) for run in runs] == [(run.folder, run.fingerprint) for run in sweep]


def test_folder_names_are_readable_and_unique():
    long = {f"parameter_{i}": "x" * 60 for i in range(8)}
    names = folder_names([long, long | {"parameter_7": "y"}, {"name": "A"}, {"name": "a"}, {"name": "b"}])
    assert len({name.lower() for name in names}) == 5 and max(map(len, names)) <= LONGEST + 9
    assert names[4] == "name=b" and names[2].startswith("name=A~")


@given(
    st.lists(st.dictionaries(st.sampled_from(["a", "b"]), st.text(max_size=4), min_size=1), unique_by=str, max_size=9)
)
def test_folder_names_are_unique_whatever_the_values(texts):
    names = folder_names(texts)
    assert len({name.lower() for name in names}) == len(texts)
    assert all(
        set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-_=,~") for name in names
    )


# ---- tables ---------------------------------------------------------------------------------------------------------


class Done:
    """Stands in for a run that is finished."""

    def __init__(self, folder, label, swept, metrics, seconds=1.5):
        self.label = label
        self.swept = swept
        self.metrics = folder / f"{label}.json"
        claims = [{"holds": True}, {"holds": False}]
        self.metrics.write_text(json.dumps({"metrics": metrics, "claims": claims, "seconds": seconds}))


def test_two_tables_hold_the_same(folder):
    runs = [
        Done(
            folder, "r0", {"seed": 1, "name": "nan", "limit": None}, {"gap": 0.1, "n": 1, "edges": [1, 2], "x": "inf"}
        ),
        Done(folder, "r1", {"seed": 2, "name": "a", "limit": 3}, {"gap": 2, "n": 2, "edges": [], "x": 1, "late": True}),
        Done(folder, "r2", {"seed": 3, "name": "b", "limit": "all"}, {"gap": "NaN", "n": 2**70, "edges": ["a"]}),
    ]
    paths, missing = write_tables(folder, runs, ["seed", "name", "limit"])
    assert [path.name for path in paths] == ["metrics.csv", "summary.parquet"] and missing == ""
    table = pd.read_parquet(paths[1])
    with open(paths[0], newline="") as file:
        rows = list(csv.reader(file))
    names = "run seed name limit gap n edges x late claims_held claims_failed seconds".split()
    assert list(table) == rows[0] == names
    assert [row[0] for row in rows[1:]] == list(table["run"]) == ["r0", "r1", "r2"]
    assert table["gap"].dtype == float and table["gap"][:2].tolist() == [0.1, 2.0] and table["gap"].isna()[2]
    assert table["x"][0] == float("inf") and table["name"].tolist() == ["nan", "a", "b"]
    assert table["n"].tolist() == ["1", "2", str(2**70)] and table["limit"].tolist()[1:] == ["3", "all"]
    assert table["seed"].dtype == int and table["claims_failed"].tolist() == [1, 1, 1]


def test_a_table_without_runs_is_still_the_table_of_a_sweep(folder):
    write_tables(folder, [], ["seed"])
    assert (folder / "metrics.csv").read_text() == "run,seed,claims_held,claims_failed,seconds\n"
    assert list(pd.read_parquet(folder / "summary.parquet")) == "run seed claims_held claims_failed seconds".split()
    planned(folder, "seed: [1]\n")
    assert plan_runs("a.ipynb", [], [["seed", "1"]], Path("."))


def test_without_pyarrow(folder, monkeypatch):
    runs = [Done(folder, "r0", {"seed": 1}, {"gap": 0.1})]
    write_tables(folder, runs, ["seed"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    paths, missing = write_tables(folder, runs, ["seed"])
    assert [path.name for path in paths] == ["metrics.csv"]
    assert "summary.parquet was not written, because pyarrow is not installed (pip install pyarrow)" in missing
    assert "the one in the folder is older. metrics.csv holds the same table." in missing


# ---- progress -------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_of_a_sweep(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "100")
    progress = execute.Progress(4, finished=1)
    progress.bar.mininterval = 0
    progress.cell("seed=2", 3, 20)
    progress.cell("seed=3", 1, 20)
    assert "1/4 " in sys.stderr.getvalue() and "seed=2: cell 3/20, seed=3: cell 1/20" in sys.stderr.getvalue()
    progress.end("seed=2", "seed=2: done")
    progress.cell("seed=3", 2, 20)
    progress.close()
    before, after = sys.stderr.getvalue().split("[2/4] seed=2: done\n")
    assert "seed=2" in before and "seed=2" not in after and "seed=3: cell 2/20" in after


def test_progress_in_a_log_file(capsys):
    progress = execute.Progress(2)
    progress.cell("seed=2", 2, 20)  # nothing before ten seconds have passed
    progress.bar.mininterval = 0
    progress.cell("seed=2", 3, 20)
    progress.line("seed=2: done")
    progress.close()
    lines = [line for line in capsys.readouterr().err.splitlines() if line]
    assert "runs: 0/2" in lines[0] and "seed=2: cell 3/20" in lines[0] and lines[1] == "seed=2: done"


# ---- sweeps that run ------------------------------------------------------------------------------------------------


def wait_for(condition, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def rows_of(path):
    table = pd.read_parquet(path / "summary.parquet")
    with open(path / "metrics.csv", newline="") as file:
        assert len(list(csv.reader(file))) == len(table) + 1
    return table.drop(columns="seconds")


def test_a_killed_sweep_goes_on_and_its_table_is_that_of_a_whole_one(folder, forked_kernels, capsys, monkeypatch):
    for name in execute.THREADS:
        monkeypatch.delenv(name, raising=False)
    wait = f"""while seed == 2 and not os.path.exists({str(folder / "go")!r}):
    open({str(folder / "here")!r}, "w").close()
    time.sleep(0.05)"""
    path = write(folder / "a.ipynb", RECORD, wait)
    (folder / "grid.yaml").write_text("seed: [3, 2, 1]\n")
    command = [path, "--grid", "grid.yaml", "--output", "out"]
    run = [sys.executable, "-m", "helpers.run", *command]
    with open("log", "w") as log, subprocess.Popen(run, stdout=log, stderr=log) as process:
        try:
            wait_for(lambda: (folder / "here").exists() or process.poll() is not None)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
    assert "3 runs: 0 finished before, 3 to do." in Path("log").read_text()
    (folder / "go").touch()
    done = folder / "out" / "seed=3"
    before = {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in done.iterdir()}
    assert sorted(before) == ["a.html", "a.ipynb", "metrics.json"]
    assert os.listdir(folder / "out/seed=2") == ["a.partial.ipynb"]
    # as if a second kill had come while another run gave its files their names
    ending = folder / "out" / "seed=1"
    ending.mkdir()
    (ending / "a.ipynb").write_text("half")
    runs, _ = plan_runs_without_output(path)
    (ending / "metrics.partial.json").write_text(json.dumps({"fingerprint": runs[2].fingerprint}))

    assert main([*command, "--jobs", "2"]) == 0
    error = capsys.readouterr().err
    assert "3 runs: 1 finished before, 2 to do.\nseed=3: finished before, reused\n" in error
    assert "[3/3] seed=" in error
    assert before == {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in done.iterdir()}
    assert {name: sorted(os.listdir(folder / "out" / f"seed={name}")) for name in (1, 2)} == dict.fromkeys(
        (1, 2), sorted(before)
    )

    assert main([path, "--grid", "grid.yaml", "--output", "whole"]) == 0
    rows = rows_of(folder / "out")
    pd.testing.assert_frame_equal(rows, rows_of(folder / "whole"))
    assert rows["run"].tolist() == ["seed=3", "seed=2", "seed=1"] and rows["drawn"].nunique() == 3
    assert rows["threads"].tolist() == ["1", "1", "1"]

    # all there: nothing runs, the tables are the same
    capsys.readouterr()
    assert main(command) == 0
    captured = capsys.readouterr()
    assert "3 finished before, 0 to do" in captured.err
    assert captured.out == f"{Path('out/metrics.csv')}\n{Path('out/summary.parquet')}\n"


def plan_runs_without_output(path):
    return plan_runs(path, [], [], Path("nowhere"), grid="grid.yaml")


def flaky_kernel(folder, deaths):
    """A kernel that dies while it starts, the first `deaths` times."""
    home = folder / "jupyter" / "kernels" / "flaky"
    home.mkdir(parents=True)
    (home / "start.py").write_text(f"""import os, sys
for count in range({deaths}):
    try:
        os.close(os.open({str(folder / "death")!r} + str(count), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        continue
    os._exit(3)
os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", *sys.argv[1:]])
""")
    argv = [sys.executable, str(home / "start.py"), "-f", "{connection_file}"]
    (home / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Flaky", "language": "python"}))


def test_failed_runs_are_told_at_the_end_and_the_others_kept(folder, forked_kernels, capsys, monkeypatch):
    flaky_kernel(folder, deaths=1)
    monkeypatch.setenv("JUPYTER_PATH", str(folder / "jupyter"))
    monkeypatch.setattr(execute, "PAUSE", 0.1)
    cell = f"""if seed == 2:
    raise ValueError("no such city" + chr(10) + "more")
if seed == 3:
    open({str(folder / "died")!r}, "a").write("x")
    os._exit(1)"""
    path = write(folder / "a.ipynb", RECORD, cell, kernel="flaky")
    (folder / "grid.yaml").write_text("seed: [1, 2, 3, 4]\n")
    command = [path, "--grid", "grid.yaml", "--output", "out", "--jobs"]
    assert main([*command, "2"]) == 1
    captured = capsys.readouterr()
    assert captured.err.count("; starting it again (2 of 3)\n") == 1
    assert (folder / "died").read_text() == "x"  # who dies in a cell is not started again
    told = captured.err.replace("cell 5 of 5 (In [4])", "cell 5 of 5")  # a kernel may die before it counts the cell
    assert told.splitlines()[-4:] == [
        "2 of 4 runs failed:",
        '  seed=2 stopped in cell 5 of 5, section "A *small* run with $q_i$": ValueError: no such city',
        '  seed=3 stopped in cell 5 of 5, section "A *small* run with $q_i$": '
        "the kernel died, most likely for want of memory.",
        "The others are kept and in the table. The same command again does only those that failed.",
    ]
    rows = rows_of(folder / "out")
    assert rows["run"].tolist() == ["seed=1", "seed=4"]
    assert "**This run stopped in cell 5 of 5" in (folder / "out/seed=2/a.partial.ipynb").read_text()
    assert not (folder / "out/seed=2/metrics.json").exists()

    assert main([*command, "2"]) == 1
    assert "4 runs: 2 finished before, 2 to do." in capsys.readouterr().err
    pd.testing.assert_frame_equal(rows, rows_of(folder / "out"))


def test_a_kernel_that_never_starts(folder, capsys, monkeypatch):
    flaky_kernel(folder, deaths=99)
    monkeypatch.setenv("JUPYTER_PATH", str(folder / "jupyter"))
    monkeypatch.setattr(execute, "PAUSE", 0.0)
    monkeypatch.setattr(execute, "STARTS", 2)
    path = write(folder / "a.ipynb", RECORD, kernel="flaky")
    (folder / "grid.yaml").write_text("seed: [1]\n")
    assert main([path, "--grid", "grid.yaml", "--output", "out"]) == 1
    error = capsys.readouterr().err
    assert "1 of 1 runs failed:\n  seed=1 stopped before its first cell: its kernel was started 2 times" in error
    assert len(list(folder.glob("death*"))) == 2 and "Traceback" not in error
    assert (folder / "out/metrics.csv").read_text().startswith("run,seed,")


def test_a_folder_that_goes_away_is_one_failed_run(folder, capsys, monkeypatch):
    path = write(folder / "a.ipynb", RECORD)
    (folder / "grid.yaml").write_text("seed: [1, 2]\n")

    async def full_disk(nb, save, progress, **others):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(execute, "run_cells", full_disk)
    assert main([path, "--grid", "grid.yaml", "--output", "out"]) == 1
    error = capsys.readouterr().err
    assert "2 of 2 runs failed" in error and "while its files were written: [Errno 28] No space left on device" in error
