"""The guard of parameters: by hand, after papermill, and what importing the notebook's tools does to a session."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import nbformat.v4 as v4
import pytest
from papermill import PapermillExecutionError, execute_notebook

from helpers.notebook import ParameterError

ROOT = Path(__file__).resolve().parents[2]

DECLARED = """
n_rows = 10_000
rate = 0.5
path = ""
ages = [20, 30]
wide = False
kind = "platt"
"""

GUARD = """
from helpers.notebook import at_least, between, one_of, parameters

def sorted_ages(ages):
    return None if ages == sorted(ages) else "must rise"

parameters(n_rows=at_least(300), rate=between(0.0, 1.0), path=str, ages=sorted_ages, wide=bool,
           kind=one_of("platt", "isotonic"))
"""


def run(*cells):
    """The names of a notebook of these cells."""
    names = {}
    for cell in cells:
        exec(cell, names)
    return names


def test_good_parameters_are_not_spoken_of_and_set_the_style_of_figures(capsys):
    import matplotlib

    with matplotlib.rc_context({"figure.figsize": (1, 1)}):
        run(DECLARED, "n_rows = 400\nrate = 1\nages = []", GUARD)
        assert matplotlib.rcParams["figure.figsize"] != [1, 1]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("n_row = 400", "there is no parameter 'n_row'; did you mean 'n_rows'?"),
        ("zzz = None", "there is no parameter 'zzz'; the parameters are 'n_rows', "),
        ("del n_rows", "the parameters cell lacks 'n_rows'"),
        ("n_rows = 400.0", "n_rows must be a whole number of at least 300, but it is 400.0."),
        ("n_rows = True", "n_rows must be a whole number"),
        ("n_rows = None", "n_rows must be a whole number"),
        ("n_rows = 20", "n_rows must be a whole number of at least 300, but it is 20."),
        ("rate = 'high'", "rate must be a number between 0 and 1, but it is 'high'."),
        ("rate = float('nan')", "rate must be a number"),
        ("rate = 1.5", "rate must be a number between 0 and 1"),
        ("path = 7", "path must be text, but it is 7 (papermill turns -p path 007 into the number 7: use -r path 007"),
        ("path = None", """path must be text, but it is None (for "not given","""),
        ("ages = [30, 20]", "ages must rise, but it is [30, 20]."),
        ("wide = 1", "wide must be True or False, but it is 1."),
        ("kind = 'plat'", "kind must be one of 'platt', 'isotonic', but it is 'plat'."),
    ],
)
def test_bad_parameters(line, message):
    with pytest.raises(ParameterError) as caught:
        run(DECLARED, line, GUARD)
    (problem,) = str(caught.value).splitlines()
    assert problem.startswith(message)


def test_a_list_that_papermill_writes_as_text():
    message = r'must be a list, but it is .a. \(with papermill, write -y "names: \[a, b'
    with pytest.raises(ParameterError, match=message):
        run("names = 'a'", "from helpers.notebook import parameters\nparameters(names=list)")


def test_all_problems_are_said_without_a_traceback():
    with pytest.raises(ParameterError) as caught:
        run(DECLARED, "n_row = 3\nrate = 2\nwide = 'no'", GUARD)
    assert len(str(caught.value).splitlines()) == 3
    assert caught.value._render_traceback_() == [f"ParameterError: {caught.value}"]


def test_the_guard_runs_again_after_other_cells_and_sees_what_was_changed():
    names = run(DECLARED, GUARD, "answer_1 = 3\nscores = {}", GUARD)
    with pytest.raises(ParameterError, match="at least 300, but it is 5"):
        exec(GUARD, names | {"n_rows": 5})


def test_what_a_lesson_shows_before_its_parameters_is_not_taken_for_one():
    run("caption = 'four of ten rows'\nrates = {}", DECLARED, GUARD)
    with pytest.raises(ParameterError, match="no parameter 'n_row'"):
        run("caption = 'four of ten rows'", DECLARED, "n_row = 400", GUARD)


def test_a_guard_before_its_cell():
    names = {}
    with pytest.raises(ParameterError, match="lacks 'n_rows', or was not run"):
        exec(GUARD, names)
    exec(DECLARED, names)
    exec(GUARD, names)


@pytest.mark.slow
def test_papermill_is_stopped_before_anything_is_computed(monkeypatch, tmp_path):
    sources = (DECLARED, GUARD, "open('computed', 'w').close()")
    cells = [v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "a.ipynb")
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PapermillExecutionError) as caught:
        execute_notebook("a.ipynb", "b.ipynb", {"n_row": 400, "rate": "0.5"}, progress_bar=False)
    assert "there is no parameter 'n_row'; did you mean 'n_rows'?" in str(caught.value)
    assert "rate must be a number" in str(caught.value) and "Traceback" not in str(caught.value)
    assert not (tmp_path / "computed").exists()


SESSION = """
import builtins, linecache, os, random, sys, warnings
import matplotlib.pyplot, pandas, scipy.stats, seaborn, sklearn.tree  # what these change is not ours
import numpy as np

answer = 3

def state():
    shell = get_ipython()
    formatters = shell.display_formatter.formatters.items()
    return {
        "transformers of syntax": list(shell.ast_transformers),
        "transformers of input": [*shell.input_transformers_cleanup, *shell.input_transformers_post],
        "events": {name: list(callbacks) for name, callbacks in shell.events.callbacks.items()},
        "formatters": {kind: [dict(f.type_printers), dict(f.deferred_printers)] for kind, f in formatters},
        "magics": {kind: sorted(names) for kind, names in shell.magics_manager.magics.items()},
        "names": {name: id(value) for name, value in shell.user_ns.items() if name not in ("_before", "helpers")},
        "hooks": [sys.displayhook, sys.excepthook, builtins.__import__, list(sys.meta_path), list(sys.path)],
        "figures": dict(matplotlib.rcParams),
        "tables": {name: pandas.get_option(name) for name in ("display.precision", "display.max_rows")},
        "numpy": np.get_printoptions() | np.geterr(),
        "warnings": list(warnings.filters),
        "random numbers": [random.getstate(), repr(np.random.get_state())],
        "environment": dict(os.environ),
        "lines of cells": sorted(name for name in linecache.cache if "helpers" not in name),
    }

def changed(before):
    return [name for name, value in state().items() if value != before[name]]

state()  # reading rcParams chooses a backend, which registers its event
_before = state()
import helpers.notebook
print("import:", changed(_before))
helpers.notebook.parameters(answer=int)
print("guard:", changed(_before))
"""


@pytest.mark.slow
def test_importing_the_tools_changes_nothing_in_a_session_and_the_guard_only_figures(tmp_path):
    (tmp_path / "session.py").write_text(SESSION)
    command = [sys.executable, "-m", "IPython", "--no-banner", "session.py"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["import: []", "guard: ['figures']"], done.stdout + done.stderr
