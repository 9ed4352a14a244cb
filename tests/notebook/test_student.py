"""Students' copies: without solutions, and never overwritten once somebody has worked in them."""

from pathlib import Path

import nbformat
import pytest
from sample import good_notebook

from helpers.notebook.student import main, student_copy, tags, write_copies

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_student_copy_holds_no_solution(path):
    original = nbformat.read(path, as_version=4)
    made = student_copy(original)
    solutions = [cell.source for cell in original.cells if "solution" in tags(cell)]
    assert solutions and not {cell.source for cell in made.cells} & set(solutions)
    for cell in made.cells:
        if cell.cell_type == "code" and (tags(cell) & {"exercise", "check"} or "check_exercise(" in cell.source):
            assert cell.outputs == [] and cell.execution_count is None


def test_student_copies_are_never_overwritten(tmp_path):
    source = tmp_path / "05_sample.ipynb"
    folder = tmp_path / "student"
    nbformat.write(good_notebook(), source)
    assert write_copies([source], folder) == []
    first = (folder / source.name).read_text(encoding="utf-8")
    assert "the secret" not in first and "a line" in first
    assert write_copies([source], folder) == []  # untouched: written again
    (folder / source.name).write_text(first.replace("answer_1 = ...", "answer_1 = 2"), encoding="utf-8")
    assert write_copies([source], folder) == [folder / source.name]
    assert "answer_1 = 2" in (folder / source.name).read_text(encoding="utf-8")
    assert write_copies([source], folder, force=True) == []
    assert (folder / source.name).read_text(encoding="utf-8") == first


def test_the_command_says_which_copies_are_edited(tmp_path, capsys):
    (tmp_path / "notebooks").mkdir()
    nbformat.write(good_notebook(), tmp_path / "notebooks" / "05_sample.ipynb")
    command = [str(tmp_path / "notebooks"), "--output", str(tmp_path / "student")]
    assert main(command) == 0
    assert "1 notebooks without solutions" in capsys.readouterr().out
    (tmp_path / "student" / "05_sample.ipynb").write_text("mine")
    assert main(command) == 1
    assert "05_sample.ipynb" in capsys.readouterr().err
    assert (tmp_path / "student" / "05_sample.ipynb").read_text() == "mine"
    assert main([*command, "--force"]) == 0
