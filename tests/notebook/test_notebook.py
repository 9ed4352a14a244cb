"""The guard, claims, outputs and self-checks: alone, in a kernel, under papermill and under nbval."""

import ast
import base64
import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import nbformat.v4 as v4
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers.notebook import (
    Check,
    ClaimFailed,
    ParameterError,
    at_least,
    at_most,
    between,
    borders,
    claim,
    exercises,
    figure,
    one_of,
    output_folder,
    parameters,
    record,
    show,
    table,
)
from helpers.notebook import claims as _claims
from helpers.notebook import display as _display
from helpers.notebook import guard as notebook
from helpers.notebook.guard import OUTPUT
from helpers.notebook.parameter_cell import from_text, type_problem

ROOT = Path(__file__).resolve().parents[2]
DECLARED = """n_rows = 10_000  # rows
seed = 1  # of random numbers
rate = 0.5
path = ""
ages = [20, 30]
wide = False
limit = None"""


class Kernel:
    """A kernel's history and names, without the kernel."""

    def __init__(self, monkeypatch):
        self.user_ns = {"In": [""]}
        self.ast_transformers = []
        monkeypatch.setattr(notebook, "shell", lambda: self)
        monkeypatch.setattr(notebook, "_first", {})

    def run(self, source):
        self.user_ns["In"].append(source)
        exec(source, {"parameters": parameters, "at_least": at_least, "one_of": one_of}, self.user_ns)

    def guard(self, rules="n_rows=at_least(300), seed=at_least(0)"):
        self.run(f"parameters({rules})")


@pytest.fixture
def kernel(monkeypatch):
    return Kernel(monkeypatch)


@pytest.fixture
def outputs(monkeypatch):
    """Bundles and metadata that the functions under test emit."""
    seen = []
    for module in (_claims, _display, exercises):
        monkeypatch.setattr(module, "emit", lambda bundle, metadata=None: seen.append((bundle, metadata)))
    monkeypatch.setattr(_display, "shell", lambda: "a shell")
    ledger = pd.DataFrame({"id": ["paper.theorem1", "paper.theorem2"]})
    monkeypatch.setattr("helpers.datasets.load_claims", lambda: ledger)
    return seen


# ---- the guard ------------------------------------------------------------------------------------------------------


def test_guard_echoes_defaults_and_changes(kernel, capsys):
    kernel.run(DECLARED)
    kernel.run("# Parameters\nn_rows = 400\nrate = 1\npath = '/home/somebody/secret/my.csv'\nlimit = 'all'")
    kernel.guard()
    assert capsys.readouterr().out.splitlines() == [
        "n_rows = 400 (changed; stored outputs used 10,000)",
        "seed = 1 (default)",
        "rate = 1 (changed; stored outputs used 0.5)",
        'path = "my.csv" (changed; stored outputs used not given)',
        "ages = [20, 30] (default)",
        "wide = False (default)",
        'limit = "all" (changed; stored outputs used None)',
        "Outputs are those of this run; numbers in the text beside them may be those of the defaults.",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("n_row = 400", "there is no parameter 'n_row'; did you mean 'n_rows'"),
        ("zzz = float('inf')", "there is no parameter 'zzz'; the parameters are 'n_rows'"),
        ("n_rows = 400.0", "n_rows must be a whole number, like its default 10,000, but it is 400.0"),
        ("n_rows = True", "n_rows must be a whole number"),
        ("n_rows = '400'", "n_rows must be a whole number"),
        ("n_rows = None", "n_rows must be a whole number"),
        ("n_rows = 20", "n_rows must be at least 300, but it is 20"),
        ("rate = 'high'", "rate must be a number"),
        ("rate = float('nan')", "rate must be a number"),
        ("path = 7", "use -r path 007"),
        ("ages = '20,30'", "ages must be a list of whole numbers"),
        ("ages = [20.5]", "ages must be a list of whole numbers"),
        ("wide = 1", "wide must be true or false"),
        ("limit = [1]", "limit must be text or a number"),
    ],
)
def test_guard_stops_on_bad_parameters(kernel, capsys, line, message):
    kernel.run(DECLARED)
    kernel.run(f"# Parameters\n{line}")
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        kernel.guard()
    assert capsys.readouterr().out == ""


def test_guard_lists_all_problems_without_a_traceback(kernel):
    kernel.run(DECLARED)
    kernel.run("# Parameters\nn_row = 3\nseed = -1")
    with pytest.raises(ParameterError) as caught:
        kernel.guard()
    assert len(str(caught.value).splitlines()) == 2
    assert caught.value._render_traceback_() == [f"ParameterError: {caught.value}"]


def test_guard_again_after_an_exercise_that_looks_like_parameters(kernel, capsys):
    kernel.run(DECLARED)
    kernel.run("import math")
    kernel.guard()
    first = capsys.readouterr().out
    kernel.run("answer_1 = 3")
    kernel.guard()
    assert capsys.readouterr().out == first


def test_guard_again_without_rules(kernel, capsys):
    kernel.run(DECLARED)
    kernel.guard("")
    kernel.run("answer_1 = 3")
    kernel.guard("")
    assert "answer_1" not in capsys.readouterr().out


def test_guard_sees_an_edited_parameters_cell(kernel, capsys):
    kernel.run(DECLARED)
    kernel.run("# Parameters\nn_rows = 700")
    kernel.guard()
    capsys.readouterr()
    kernel.run(DECLARED.replace("10_000", "500"))
    kernel.guard()
    assert "n_rows = 500 (changed; stored outputs used 10,000)" in capsys.readouterr().out
    kernel.run(DECLARED.replace("10_000", "5"))
    with pytest.raises(ParameterError, match="at least 300"):
        kernel.guard()


def test_guard_needs_a_parameters_cell_and_known_rules(kernel):
    kernel.run("import math\nseed = 1")
    with pytest.raises(ParameterError, match="run the parameters cell first"):
        kernel.guard()
    kernel.run(DECLARED)
    with pytest.raises(ParameterError, match="'n_rowz'; did you mean 'n_rows'"):
        kernel.guard("n_rowz=at_least(1)")


def test_guard_without_a_history(kernel, monkeypatch, capsys):
    """nbval runs cells without storing them in the history; the compiler's cache has them all the same."""
    monkeypatch.setattr(
        "linecache.cache", {"module.py": (1, 5.0, ["seed = 2\n"], ""), "cell": (1, None, ["seed = 1\n"], "")}
    )
    kernel.user_ns["seed"] = 1
    parameters(seed=at_least(0))
    assert capsys.readouterr().out == "seed = 1 (default)\n"


def test_guard_outside_of_a_notebook(monkeypatch):
    monkeypatch.setattr(notebook, "shell", lambda: None)
    with pytest.raises(RuntimeError, match="works in Jupyter"):
        parameters()


def test_rules_and_none(kernel, capsys):
    assert at_most(3)(3) is None and at_most(3)(float("nan")) == "must be at most 3"
    assert between(0, 1)([0.5, 2]) == "must be between 0 and 1"
    assert one_of(1, 2)(True) is not None
    kernel.run('kind = "platt"')
    kernel.run("# Parameters\nkind = None")
    kernel.guard('kind=one_of("platt", None)')
    told = capsys.readouterr().out.splitlines()
    assert told[0] == 'kind = None (changed; stored outputs used "platt")'
    assert "numbers in the text beside them may be those of the defaults" in told[1] and not told[2:]


@pytest.mark.parametrize(
    ("text", "default", "value"),
    [
        ("007", "", "007"),
        ("-7", 1, -7),
        ("1e-3", 1.0, 0.001),
        ("inf", 1.0, float("inf")),
        ("True", False, True),
        ("a, b", ["x"], ["a", "b"]),
        ("1,2", [3.0], [1.0, 2.0]),
        ('["a,b", "c"]', [], ["a,b", "c"]),
        ("", [1], []),
        (["1", "2"], [3], [1, 2]),
        ("none", None, None),
        ("1.5", None, 1.5),
        ("all", None, "all"),
        ('{"a": 1}', {}, {"a": 1}),
    ],
)
def test_words_become_a_value_of_the_default_type(text, default, value):
    found = from_text(text, default)
    assert found == value and type(found) is type(value) and type_problem("x", found, default) is None


@pytest.mark.parametrize(
    ("text", "default"),
    [("1.5", 1), ("ten", 1), ("true", 1), ("nan", 1.0), ("yes", True), ("1,b", [2]), ('["a"', []), ("[" * 10**5, [])],
)
def test_words_of_the_wrong_type(text, default):
    assert "x must be" in type_problem("x", from_text(text, default), default)


def test_the_folder_of_a_run(monkeypatch):
    monkeypatch.delenv(OUTPUT, raising=False)
    assert output_folder() == ""
    monkeypatch.setenv(OUTPUT, "out")
    assert output_folder() == "out"


# ---- claims ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "bounds", "line"),
    [
        ((0.01234, 0.0124, 0.001), {}, "got 0.0123, want 0.0124 +- 0.001"),
        ((3, 3), {}, "got 3, want 3"),
        ((np.True_, True), {}, "got True, want True"),
        (("a", "a"), {}, "got a, want a"),
        ((np.inf, float("inf"), 0.1), {}, "got inf, want inf +- 0.1"),
        ((1e-17, 0.0, 1e-12), {}, "got 0, want 0 +- 1e-12"),
        ((np.array([1.0, 2.0]), [1.0, 2.0004], 0.001), {}, "2 values, largest deviation 0.0004, allowed 0.001"),
        ((np.arange(3), [0, 1, 2]), {}, "3 values, largest deviation 0, none allowed"),
        ((0.01,), {"at_most": 0.05}, "0.0100 is at most 0.05"),
        ((3e-16,), {"at_most": 1e-12}, "at most 1e-12"),
        (([0.2, 0.9],), {"at_least": 0, "at_most": 1}, "0.2 is at least 0 and 0.90 is at most 1"),
    ],
)
def test_claims_that_hold(outputs, arguments, bounds, line):
    claim("paper.theorem1", *arguments, **bounds, text="as printed")
    ((bundle, metadata),) = outputs
    assert bundle == {"text/plain": f"paper.theorem1 holds: {line} (as printed)"}
    assert metadata["honest"]["claim"] == "paper.theorem1" and metadata["honest"]["holds"] is True


@pytest.mark.parametrize(
    ("arguments", "bounds"),
    [
        ((0.02, 0.0124, 0.001), {}),
        ((np.nan, 0.5, 10), {}),
        ((0.5, np.nan, 10), {}),
        ((np.inf, 0.5, 10), {}),
        (([1.0, np.nan], [1.0, 2.0], 0.1), {}),
        ((np.nan,), {"at_most": 1}),
        (([0.1, np.nan],), {"at_least": 0}),
        ((0.2,), {"at_most": 0.1}),
        (("a", "b"), {}),
        ((True, False), {}),
    ],
)
def test_claims_that_fail_loudly_and_are_recorded(outputs, arguments, bounds):
    with pytest.raises(ClaimFailed, match=r"paper.theorem1 FAILS"):
        claim("paper.theorem1", *arguments, **bounds)
    assert outputs[0][1]["honest"]["holds"] is False
    assert issubclass(ClaimFailed, AssertionError)


same = np.array([1.0, 2.0])
series = pd.Series(same)
number = 0.25


@pytest.mark.parametrize(
    ("arguments", "bounds", "message"),
    [
        (("paper.theorem3", 1, 1), {}, "no claim 'paper.theorem3'; did you mean"),
        (("paper.theorem1", [1.0], [1.0, 2.0], 0.1), {}, "same shape"),
        (("paper.theorem1", [1.0, 1.0], 1.0, 0.1), {}, "same shape"),
        (("paper.theorem1", [], [], 0.1), {}, "must not be empty"),
        (("paper.theorem1", []), {"at_most": 1}, "must not be empty"),
        (("paper.theorem1", same, same, 0.1), {}, "compares a thing with itself"),
        (("paper.theorem1", same, same[:], 0.1), {}, "compares a thing with itself"),
        (("paper.theorem1", series, series.to_numpy(), 0.1), {}, "compares a thing with itself"),
        (("paper.theorem1", number, number, 0.1), {}, "compares a thing with itself"),
        (("paper.theorem1", number), {"at_most": number}, "compares a thing with itself"),
        (("paper.theorem1", 0.1, 0.2), {}, "tol must be given"),
        (("paper.theorem1", 0.1, 0.2, -1), {}, "tol must be a finite number"),
        (("paper.theorem1", 0.1, 0.2, np.nan), {}, "tol must be a finite number"),
        (("paper.theorem1", 0.1), {}, "either want .* or bounds"),
        (("paper.theorem1", 0.1, 0.2, 1), {"at_most": 1}, "either want .* or bounds"),
        (("paper.theorem1", 0.1), {"at_most": np.nan}, "at_most must be a number"),
    ],
)
def test_claims_that_make_no_sense(outputs, arguments, bounds, message):
    with pytest.raises(ValueError, match=message):
        claim(*arguments, **bounds)
    assert not outputs


def test_record_is_invisible_and_plain(outputs):
    record(gap=np.float64(0.1), n=np.int64(3), missing=np.nan, table=np.arange(2), name="a")
    ((bundle, metadata),) = outputs
    assert list(bundle) == ["text/html"] and bundle["text/html"].startswith("<!--")
    assert metadata["honest"]["metrics"] == {"gap": 0.1, "n": 3, "missing": "nan", "table": [0, 1], "name": "a"}
    with pytest.raises(ValueError, match="a recorded value must be"):
        record(model=object())


# ---- outputs --------------------------------------------------------------------------------------------------------


def test_table_is_fixed_aligned_and_escaped(outputs):
    df = pd.DataFrame({"group": ["<b>&$", None], "n": [12345, 7], "gap": [0.12345, np.nan], "big": [True, False]})
    before = df.copy()
    table(df, caption="Who & what", formats={"gap": "{:.1%}"})
    bundle = outputs[0][0]
    assert bundle["text/plain"].splitlines() == [
        "Who & what",
        "group       n    gap  big",
        "<b>&$  12,345  12.3%  yes",
        "–           7      –  no",
    ]
    page = bundle["text/html"]
    assert "<b>" not in page and "&lt;b&gt;&amp;<span>$</span>" in page and "Who &amp; what</caption>" in page
    assert '<td style="text-align: right">12,345</td>' in page and '<td style="text-align: left">yes</td>' in page
    pd.testing.assert_frame_equal(df, before)


def test_table_shows_a_named_index_only(outputs):
    table(pd.DataFrame({"n": [1]}, index=["hidden"]))
    table(pd.DataFrame({"n": [1]}, index=pd.Index(["shown"], name="model")))
    assert "hidden" not in outputs[0][0]["text/plain"]
    assert outputs[1][0]["text/plain"].splitlines() == ["model  n", "shown  1"]
    assert '<th scope="row" style="text-align: left">shown</th>' in outputs[1][0]["text/html"]


def test_table_with_no_rows_and_bad_input(outputs):
    table(pd.DataFrame({"n": []}))
    assert outputs[0][0]["text/plain"] == "n"
    with pytest.raises(ValueError, match="formats must name columns of df, but 'm'"):
        table(pd.DataFrame({"n": [1]}), formats={"m": ".2f"})
    with pytest.raises(ValueError, match="'n' occurs twice"):
        table(pd.DataFrame([[1, 2]], columns=["n", "n"]))


def test_figure_is_reproducible_described_and_closed(outputs):
    alt = "A straight line that rises from zero to nine."
    for _ in range(2):
        fig, ax = plt.subplots(figsize=(2, 1))
        ax.plot(range(10))
        figure(ax, alt=alt, caption="A <line>, from $1 to $9.")
        assert not plt.fignum_exists(fig.number)
    (picture, metadata), (below, _), (again, _), _ = outputs
    assert picture == again and picture["text/plain"] == f"Figure: {alt}"
    assert metadata["image/png"] == {"alt": alt}
    image = Image.open(io.BytesIO(base64.b64decode(picture["image/png"])))
    assert "Software" not in image.info and not any("date" in str(key).lower() for key in image.info)
    assert "A &lt;line&gt;" in below["text/html"] and alt in below["text/html"]


def test_a_figure_may_have_more_pixels_at_the_same_size(outputs, monkeypatch):
    def draw():
        figure(plt.subplots(figsize=(2, 1))[0], alt="Two empty axes that nobody needs.")
        picture, metadata = outputs[-2]
        image = Image.open(io.BytesIO(base64.b64decode(picture["image/png"])))
        return image, metadata["image/png"]

    small, _ = draw()
    monkeypatch.setenv("HONEST_FIGURE_SCALE", "2")
    large, metadata = draw()
    assert abs(large.width - 2 * small.width) <= 2 and round(large.info["dpi"][0]) == 220
    assert metadata["width"] == large.width // 2


@pytest.mark.parametrize("alt", ["", None, "A figure.", "   a          b       c "])
def test_figure_needs_words(alt):
    with pytest.raises(ValueError, match="at least 20 characters"):
        figure(SimpleNamespace(), alt=alt)
    with pytest.raises(ValueError, match="not repeat the caption"):
        figure(SimpleNamespace(), alt="The very same words here.", caption="The very same  words here.")


def test_show(capsys):
    show("gap 0.123")
    assert capsys.readouterr().out == "gap 0.123\n"


# ---- exercises ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "expected", "line"),
    [
        (..., 0.25, "Not answered yet"),
        ([1, ...], [1, 2], "Not answered yet"),
        (0.25, 0.25, "Right: 0.25"),
        (0.255, 0.25, "Right: 0.25"),
        (np.array([1, 2]), [1, 2], "Right."),
        (" Isotonic", "isotonic", "Right: isotonic"),
        (0.5, 0.25, "Not yet: square it."),
        (0.75, 0.25, "Not yet: three quarters"),
        (0.1, 0.25, "Not yet: your number is too small."),
        (9, 0.25, "Not yet: your number is too large."),
        (np.nan, 0.25, "Not yet: read"),
        ("0.25", 0.25, "Not yet: the answer is one number, and yours is a str."),
        (None, 0.25, "Not yet: the answer is one number"),
        ([1], [1, 2], "Not yet: the answer has shape (2,), and yours (1,)."),
        (object(), "isotonic", "Not yet: read"),
        (False, True, "Not yet: read"),
        ({}, [1, 2], "Not yet"),
    ],
)
def test_exercises_give_hints_and_never_raise(outputs, answer, expected, line):
    hints = [(0.5, "square it."), (lambda answer: answer > 0.7 and answer < 0.8, "three quarters")]
    check = Check(expected, tol=0.01, hints=hints)
    check(answer)
    assert outputs[0][0]["text/plain"].startswith(line)
    assert outputs[0][1]["honest"]["exercise"] in ("open", "right", "wrong")


# ---- in real kernels ------------------------------------------------------------------------------------------------


def write(path, *sources):
    cells = [v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


GUARD = "from helpers.notebook import *\nparameters(n_rows=at_least(300))"


@pytest.fixture
def environment(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)


def test_bare_papermill_is_stopped(environment, tmp_path):
    path = write(tmp_path / "a.ipynb", "n_rows = 1000  # rows", GUARD, "open('computed', 'w').close()")
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", "-p", "n_row", "400", "-p", "n_rows", "4e2"]
    done = subprocess.run([*command, path, tmp_path / "b.ipynb"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0 and not (tmp_path / "computed").exists()
    assert "there is no parameter 'n_row'; did you mean 'n_rows'?" in done.stderr
    assert "n_rows must be a whole number" in done.stderr


NEAR_A_BORDER = 0.1235 * (1 - 1e-11)
NEAR_A_FIVE = 1.2345 * (1 - 1e-11)


def test_a_number_at_a_border_is_noted_wherever_it_is_shown(outputs, capsys):
    table(pd.DataFrame({"a": [NEAR_A_BORDER]}), formats={"a": "{:.2%}"})
    Check(10 * NEAR_A_BORDER)(10 * NEAR_A_BORDER)
    assert capsys.readouterr().err == ""  # with four digits it lies on none
    table(pd.DataFrame({"a": [NEAR_A_BORDER, 0.1234]}))
    table(pd.DataFrame({"a": [NEAR_A_BORDER, 0.1234]}), formats={"a": "{:.1%}"})
    Check(NEAR_A_FIVE)(NEAR_A_FIVE)
    claim("paper.theorem1", NEAR_A_FIVE, 1.2, tol=0.1)
    claim("paper.theorem1", NEAR_A_FIVE, 1.23, tol=0.01)
    assert capsys.readouterr().err.count("lies at a rounding border") == 4


@pytest.mark.parametrize("value", [0.0, 0.5, 1 / 8, 5, True, np.int64(5), np.nan, np.inf, 1e300, 1e-300, None, "text"])
def test_numbers_that_every_computer_shows_alike_are_not_noted(value, capsys):
    for spec in (".0%", ".3f", "{:,.2f}", ".4g", None):
        _display._entry(value, spec if isinstance(value, (float, int)) else None)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("spec", [".0%", ".1%", ".2f", ".3f", "+.3f"])
def test_noise_in_the_last_digits_does_not_change_a_share_or_a_difference_of_shares(spec, capsys):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 201, (2, 400)) / 200
    for exact in (a, a - b, (a - b) / 10):
        noisy = exact * (1 + 1e-15 * rng.integers(-2, 3, exact.size))
        assert [borders.written(x, spec) for x in exact] == [borders.written(x, spec) for x in noisy]
    assert capsys.readouterr().err == ""


WATCHED = """
x, width, steps = {x!r}, 9, iter([3, 4])
def of_a_function():
    return f"{{x:.3f}}"
lines = [f"{{x:.3f}}", f"{{x:>{{width}}.3f}}!", "{{:.3f}}".format(x), f"{{[f'{{v:.3f}}' for v in [x]]}}"]
lines.append(of_a_function())
others = [f"{{x}}", f"{{x!r:>30}}", f"{{x:.{{next(steps)}}f}}", "{{}} {{!s}}".format(1, 2), f"{{width:03d}}"]
"""


def test_formats_in_cells_are_watched_and_say_what_they_said(capsys):
    tree = ast.parse(WATCHED.format(x=NEAR_A_BORDER))
    plain = {}
    watched = {}
    exec(compile(tree, "cell", "exec"), plain)
    assert capsys.readouterr().err == ""
    exec(compile(borders.WatchFormats().visit(tree), "cell", "exec"), watched)
    assert (watched["lines"], watched["others"]) == (plain["lines"], plain["others"])
    assert capsys.readouterr().err.count("lies at a rounding border") == 6  # five lines, and three digits of `steps`


def test_an_error_in_a_watched_format_names_its_line_of_the_cell():
    tree = borders.WatchFormats().visit(ast.parse("x = 'text'\n\nf'{x:.3f}'"))
    with pytest.raises(ValueError, match="format code 'f'") as caught:
        exec(compile(tree, "cell", "exec"), {})
    assert [entry.lineno + 1 for entry in caught.traceback if str(entry.path) == "cell"] == [3]
