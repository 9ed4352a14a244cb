"""The program of commands: its help, the interpreters, what it hands on, and how it ends."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import tasks

ROOT = Path(tasks.__file__).parent
WORKFLOWS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}


@pytest.fixture
def calls(monkeypatch):
    """The commands that would be run; nothing is."""
    called = []
    monkeypatch.setattr(tasks, "call", lambda *command, **variables: called.append([*map(str, command)]))
    monkeypatch.setattr(tasks, "prepare", lambda environment: "python")
    return called


def test_make_knows_the_commands_and_help_names_them(capsys):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^COMMANDS := (.*)$", makefile, re.MULTILINE)[1].split() == list(tasks.COMMANDS)
    assert tasks.main([]) == tasks.main(["--help"]) == 0
    overview = capsys.readouterr().out
    for name in tasks.COMMANDS:
        assert f"  {name} " in overview
        assert tasks.main([name, "--help"]) == 0
        assert tasks.COMMANDS[name].__doc__ in capsys.readouterr().out


def test_an_unknown_command_or_step_is_refused(calls, capsys):
    assert tasks.main(["tset"]) == 2 and "test" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="fuzz"):
        tasks.main(["nightly", "fuz"])
    with pytest.raises(SystemExit, match="notebooks"):
        tasks.main(["store"])
    assert calls == []


@pytest.mark.parametrize(("version", "fine"), [
    ((3, 9, 1), False), ((3, 10, 13), False), ((3, 11, 0), True), ((3, 14, 2), True), ((3, 15, 0), False),
])  # fmt: skip
def test_a_wrong_python_is_told_which_it_must_be(version, fine):
    problem = tasks.wrong_python(version)
    assert (problem is None) == fine
    assert fine or "3.11 to 3.14" in problem and ".".join(map(str, version)) in problem


def test_interpreters_of_environments_on_windows_and_elsewhere():
    assert tasks.python_in(Path("there"), "nt") == Path("there/Scripts/python.exe")
    assert tasks.python_in(Path("there"), "posix") == Path("there/bin/python")


def test_options_are_handed_on(calls):
    tasks.main(["fuzz", "--minutes", "5"])
    tasks.main(["run", "--overwrite"])
    assert calls[0] == ["python", "tests/fuzz/long.py", "--minutes", "5"]
    assert calls[1][-1] == "--overwrite" and calls[2] == ["python", "site/build.py"]


def test_paths_stand_in_place_of_all_tests(calls):
    for words in (["-k", "risk"], ["tests/test_tasks.py::test_options_are_handed_on"]):
        tasks.main(["check", *words])
    assert calls[0][-4:] == ["-k", "risk", "helpers", "tests"]
    assert calls[1][-1] == "tests/test_tasks.py::test_options_are_handed_on" and "helpers" not in calls[1]


def test_every_step_of_the_night_is_run_and_the_summary_names_it(monkeypatch, capsys):
    done = []

    def fail():
        raise SystemExit(3)

    steps = {"first": [(fail,), (done.append, "after a failure")], "second": [(done.append, "second")]}
    monkeypatch.setattr(tasks, "NIGHTLY", steps)
    with pytest.raises(SystemExit) as stop:
        tasks.nightly()
    assert stop.value.code == 1 and done == ["second"]
    assert re.search(r"first +FAILED \(3\).*\nsecond +passed", capsys.readouterr().out)
    tasks.nightly("second")


def test_the_workflow_runs_every_step_of_the_night():
    steps = yaml.safe_load(WORKFLOWS["nightly"])["jobs"]["step"]["strategy"]["matrix"]["step"]
    assert sorted(steps) == sorted(tasks.NIGHTLY)


def test_the_workflow_resolves_what_is_installed():
    assert re.findall(r"--extra (\w+)", WORKFLOWS["nightly"]) == tasks.EXTRAS[tasks.VENV].split(",")


def test_workflows_call_commands_that_are_there():
    called = {name for text in WORKFLOWS.values() for name in re.findall(r"tasks\.py (\w+)", text)}
    assert called <= set(tasks.COMMANDS) and {"test", "nightly", "student", "store", "format"} <= called


def test_the_status_of_a_command_is_ours():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as stop:
        tasks.call(sys.executable, "-c", "raise SystemExit(5)")
    assert stop.value.code == 5
    tasks.call(
        sys.executable, "-c", "import os; raise SystemExit(os.environ['HONEST_WORD'] != 'yes')", HONEST_WORD="yes"
    )
    assert signal.getsignal(signal.SIGTERM) is before  # a worker that inherits ours could not be ended


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_installation_leaves_no_mark(tmp_path):
    """The old mark is gone, the command ends by itself, and then we do, with 130."""
    code = """
import os, pathlib, sys, tasks
tasks.ROOT = tasks.VENV = pathlib.Path(sys.argv[1])
for name in ("ready", "constraints.txt", "pyproject.toml"):
    (tasks.ROOT / name).touch()
os.utime(tasks.ROOT / "ready", (0, 0))
tasks.EXTRAS = {tasks.VENV: "test"}
real = tasks.call
wait = "import time\\ntry:\\n    print('here', flush=True)\\n    time.sleep(60)\\n"
wait += "except KeyboardInterrupt: raise SystemExit('ended')"
tasks.call = lambda *command: real(sys.executable, "-c", wait)
try:
    tasks.prepare(tasks.VENV)
except KeyboardInterrupt:
    sys.exit(130)
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # jobs in the background ignore it
    with subprocess.Popen(command, **pipes, env=environment, start_new_session=True, **heard) as process:
        assert process.stdout.readline().startswith("Creating")
        assert process.stdout.readline() == "here\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) == 130 and process.stderr.read() == "ended\n"
    assert not (tmp_path / "ready").exists()
