"""The guard of parameters: alone, after papermill, and for words of a command line."""

import nbformat
import nbformat.v4 as v4
import pytest
from forks import fork_kernel
from jupyter_client.provisioning import local_provisioner
from papermill import PapermillExecutionError, execute_notebook

from helpers.notebook import ParameterError, at_least, between, guard, one_of, parameters
from helpers.notebook.parameter_cell import from_text, type_problem

DECLARED = """n_rows = 10_000  # rows
seed = 1  # of random numbers
rate = 0.5
path = ""
ages = [20, 30]
wide = False
kind = 'platt'"""


class Kernel:
    """A kernel's history and names, without the kernel."""

    def __init__(self, monkeypatch):
        self.user_ns = {"In": [""]}
        self.ast_transformers = []
        monkeypatch.setattr(guard, "shell", lambda: self)
        monkeypatch.setattr(guard, "_first", {})
        self.run(DECLARED)

    def run(self, source):
        self.user_ns["In"].append(source)
        exec(source, {}, self.user_ns)

    def guard(self, *set_by, **rules):
        parameters(*set_by, **{"n_rows": at_least(300), "seed": at_least(0)} | rules)


@pytest.fixture
def kernel(monkeypatch):
    return Kernel(monkeypatch)


def test_guard_echoes_defaults_and_changes(kernel, capsys):
    kernel.run("# Parameters\nn_rows = 400\nrate = 1\npath = '/home/somebody/secret/my.csv'")
    kernel.guard(lambda values: {"kind": values["path"][-6:]})
    assert capsys.readouterr().out.splitlines() == [
        "n_rows = 400 (changed; stored outputs used 10,000)",
        "seed = 1 (default)",
        "rate = 1 (changed; stored outputs used 0.5)",
        'path = "my.csv" (changed; stored outputs used not given)',
        "ages = [20, 30] (default)",
        "wide = False (default)",
        'kind = "my.csv" (set for the book\'s file)',
        "Outputs are those of this run; numbers in the text beside them may be those of the defaults.",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("n_row = 400", "no parameter 'n_row'; did you mean 'n_rows'"),
        ("zzz = float('inf')", "no parameter 'zzz'"),
        ("n_rows = 400.0", "n_rows must be a whole number, like its default 10,000, but it is 400.0"),
        ("n_rows = True", "n_rows must be a whole number"),
        ("n_rows = None", "n_rows must be a whole number"),
        ("n_rows = 20", "n_rows must be at least 300, but it is 20"),
        ("rate = 'high'", "rate must be a number"),
        ("rate = float('nan')", "rate must be a number"),
        ("path = 7", "use -r path 007"),
        ("path = None", "path must be text.* not given"),
        ("ages = '20,30'", "ages must be a list of whole numbers"),
        ("ages = [20.5]", "ages must be a list of whole numbers"),
        ("ages = [20, -1]", "ages must be between 0 and 130"),
        ("wide = 1", "wide must be true or false"),
        ("kind = 'plat'", "did you mean 'platt'"),
    ],
)
def test_guard_stops_on_bad_parameters(kernel, capsys, line, message):
    kernel.run(f"# Parameters\n{line}")
    with pytest.raises(ParameterError, match=message):
        kernel.guard(ages=between(0, 130), kind=one_of("platt", "isotonic"))
    assert capsys.readouterr().out == ""


def test_guard_lists_all_problems_without_a_traceback(kernel):
    kernel.run("# Parameters\nn_row = 3\nseed = -1")
    with pytest.raises(ParameterError) as caught:
        kernel.guard(n_rowz=at_least(1))
    assert len(str(caught.value).splitlines()) == 3
    assert caught.value._render_traceback_() == [f"ParameterError: {caught.value}"]


@pytest.mark.parametrize("rules", [{}, {"seed": at_least(0)}])
def test_guard_again_after_an_exercise_that_looks_like_parameters(kernel, capsys, rules):
    parameters(**rules)
    first = capsys.readouterr().out
    kernel.run("answer_1 = 3")
    parameters(**rules)
    assert capsys.readouterr().out == first


def test_guard_sees_an_edited_parameters_cell(kernel, capsys):
    kernel.run("# Parameters\nn_rows = 700")
    kernel.guard()
    kernel.run(DECLARED.replace("10_000", "500"))
    kernel.guard()
    assert "n_rows = 500 (changed; stored outputs used 10,000)" in capsys.readouterr().out
    kernel.run(DECLARED.replace("10_000", "5"))
    with pytest.raises(ParameterError, match="at least 300"):
        kernel.guard()


def test_guard_needs_a_parameters_cell(kernel):
    kernel.user_ns["In"] = ["", "import math\nseed = 1"]
    with pytest.raises(ParameterError, match="run the parameters cell first"):
        kernel.guard()


def test_guard_without_a_history(kernel, monkeypatch, capsys):
    """nbval runs cells without storing them in the history; the compiler's cache has them all the same."""
    entries = {"module.py": (1, 5.0, ["seed = 2\n"], ""), "cell": (1, None, ["seed = 1\n"], "")}
    monkeypatch.setattr("linecache.cache", entries)
    kernel.user_ns["In"] = [""]
    parameters(seed=at_least(0))
    assert capsys.readouterr().out == "seed = 1 (default)\n"


@pytest.mark.parametrize(
    ("text", "default", "value"),
    [
        ("007", "", "007"),
        ("-7", 1, -7),
        ("1e-3", 1.0, 0.001),
        ("True", False, True),
        ("a, b", ["x"], ["a", "b"]),
        ("1,2", [3.0], [1.0, 2.0]),
        ('["a,b", "c"]', [], ["a,b", "c"]),
        ("", [1], []),
        (["1", "2"], [3], [1, 2]),
        ("15", None, 15),
        ("all", None, "all"),
    ],
)
def test_words_become_a_value_of_the_default_type(text, default, value):
    found = from_text(text, default)
    assert found == value and type(found) is type(value) and type_problem("x", found, default) is None


@pytest.mark.parametrize(
    ("text", "default"),
    [("1.5", 1), ("ten", 1), ("true", 1), ("nan", 1.0), ("yes", True), ("1", True), ("1,b", [2]), ('["a"', [])],
)
def test_words_of_the_wrong_type(text, default):
    assert "x must be" in type_problem("x", from_text(text, default), default)


GUARD = "from helpers.notebook import *\nparameters(n_rows=at_least(300))"


@pytest.mark.slow
def test_bare_papermill_is_stopped(monkeypatch, tmp_path):
    monkeypatch.setattr(local_provisioner, "launch_kernel", fork_kernel)
    cells = [v4.new_code_cell(source) for source in ("n_rows = 1000  # rows", GUARD, "open('computed', 'w').close()")]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "a.ipynb")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PapermillExecutionError) as caught:
        execute_notebook("a.ipynb", "b.ipynb", {"n_row": 400, "n_rows": 4e2}, progress_bar=False)
    assert "there is no parameter 'n_row'; did you mean 'n_rows'?" in str(caught.value)
    assert "n_rows must be a whole number" in str(caught.value) and not (tmp_path / "computed").exists()
