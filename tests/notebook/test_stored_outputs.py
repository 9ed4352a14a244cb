"""What the comparison of stored outputs finds and what it lets be; and nbval with it, in real kernels."""

import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from rules import ROOT
from stored_outputs import in_stored_words, texts_agree

PICTURE = 'src="data:image/png;base64,iVBORw0KGgo{1}="'
SHOWN = '<p>{0}</p><img alt="{0}" ' + PICTURE + ">"  # as `prediction` does


@pytest.mark.parametrize(("shown", "stored"), [
    ("loss 0.123 [0.11, 0.14]", "loss 0.124 [0.10, 0.14]"),
    ("-0.01", "-0.02"),
    ("a   0.00\nb", "a  -0.00\nb"),
    ("0.00", "-0.01"),
    ("−0.31 to +0.20", "−0.30 to +0.19"),
    ("  9.99 and", " 10.00 and"),
    ("1,999.9", "2,000.0"),
    ("59 % of 200", "60 % of 200"),
    ("<td>6%</td>", "<td>5%</td>"),
    ("6&nbsp;%", "7&nbsp;%"),
    ("12.3%", "12.4%"),
    ("1.2e-05", "1.3e-05"),
    ("2e-07", "1e-07"),
    ("9.99e-05", "0.0001"),
    ("0.12", "0.121"),
    ("0.999", "1"),
    ("p = 0.00", "p = 0.01"),
    ("(0.5,0.25)", "(0.6,0.24)"),
    (SHOWN.format("0.51", "A"), SHOWN.format("0.52", "B")),
])  # fmt: skip
def test_a_last_digit_and_pixels_are_let_be(shown, stored):
    assert texts_agree(shown, stored) and texts_agree(stored, shown) and texts_agree(shown, shown)


@pytest.mark.parametrize(("shown", "stored"), [
    ("loss 0.123", "gain 0.123"),
    ("loss 0.123", "loss 0.125"),
    ("0.12", "-0.12"),
    ("0.01", "-0.01"),
    ("p < 0.001", "p = 0.001"),
    ("0.12\n0.13", "0.12"),
    ("0.12 0.13", "0.12 0.13 0.14"),
    ("0.12  0.13", "0.12 0.13"),
    ("a  0.12", "a 0.13"),
    ("n = 8,075", "n = 8,076"),
    ("12 rows of 200", "12 rows of 201"),
    ("1,200", "1,210"),
    ("59 % of 200", "59 % of 201"),
    ("59 %", "61 %"),
    ("0.1", "0.123"),
    ("0.10", "0.1"),
    ("1,000.0", "1000.0"),
    ("12", "12.4"),
    ("1.2e-05", "1.2e-06"),
    ("1.2e-05", "1.4e-05"),
    ("version 1.2.3", "version 1.3.3"),
    ("row_0.5", "row_0.6"),
    ("nan", "0.12"),
    (SHOWN.format("one", "A"), SHOWN.format("two", "A")),
    (PICTURE, "0.12"),
])  # fmt: skip
def test_everything_else_is_found(shown, stored):
    assert not texts_agree(shown, stored) and not texts_agree(stored, shown)


def test_only_texts_that_agree_are_replaced():
    line, note = (new_output("stream", name=name, text="0.12") for name in ("stdout", "stderr"))
    picture = new_output("display_data", data={"image/png": "A", "text/plain": "a 0.12"})
    stored = [new_output("stream", text="0.13"), new_output("display_data", data={"text/plain": "b 0.12"})]
    assert in_stored_words([line, picture], stored) == [stored[0], picture]
    assert in_stored_words([note, picture], stored)[0].name == "stderr"
    assert in_stored_words([line], stored) == [line] and line.text == "0.12"  # not in place


def stored(folder, name, *cells):
    """A notebook whose cells are (source, what is stored), on disk."""
    notebook = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for source, text in cells:
        outputs = [new_output("stream", name="stdout", text=text)] if text else []
        if text.startswith("<p>"):
            data = {"text/html": text, "text/plain": "<IPython.core.display.HTML object>"}
            outputs = [new_output("display_data", data=data)]
        notebook.cells.append(new_code_cell(source, execution_count=1, outputs=outputs))
    nbformat.write(notebook, folder / name)
    return folder / name


def nbval(path, *options):
    """(exit status, report) of `pytest --nbval` on a notebook, with conftest.py as at the root of this repository."""
    shutil.copy(ROOT / "conftest.py", path.parent)
    command = [sys.executable, "-m", "pytest", "--nbval", path.name, "-rA", *options]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, cwd=path.parent, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.slow
def test_nbval_finds_what_is_changed_and_nothing_else(tmp_path):
    html = "from IPython.display import HTML, display\ndisplay(HTML({!r}))"
    cells = {
        "no output": ("n = 1", ""),
        "a last digit": ("print('loss', 0.123)", "loss 0.124\n"),
        "pixels": (html.format(SHOWN.format("one", "A")), SHOWN.format("one", "B")),
        "a digit and a note": ("import sys\nprint(0.123)\nprint('oh', file=sys.stderr)", "0.124\n"),
        "two units": ("print('loss', 0.123)", "loss 0.125\n"),
        "a count": ("print('n =', n)", "n = 2\n"),
        "a word": ("print('two')", "three\n"),
        "a description": (html.format(SHOWN.format("one", "A")), SHOWN.format("two", "A")),
        "another type": ("0.124", "0.124\n"),
    }
    status, report = nbval(stored(tmp_path, "changed.ipynb", *cells.values()))
    assert status == 1, report
    passed = [list(cells)[int(number)] for number in re.findall(r"^PASSED \S+::Cell (\d)", report, re.MULTILINE)]
    assert passed == ["no output", "a last digit", "pixels"], report
    assert "stderr" in report


@pytest.mark.nightly
def test_nbval_ends_when_a_kernel_dies(tmp_path):
    killed = stored(tmp_path, "killed.ipynb", ("import os\nos._exit(1)", ""), ("print(1)", "1\n"))
    status, report = nbval(killed, "--nbval-cell-timeout=1")
    assert status == 1 and "FAILED killed.ipynb::Cell 0" in report
