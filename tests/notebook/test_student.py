"""Students' copies: without solutions, and never overwritten once somebody has worked in them."""

from pathlib import Path

import nbformat
import pytest
from sample import good_checks, good_lesson

from helpers.notebook import Check
from helpers.notebook.student import main, student_copy, tags

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_student_copy_holds_no_solution(path):
    original = nbformat.read(path, as_version=4)
    made = student_copy(original)
    solutions = [cell.source for cell in original.cells if "solution" in tags(cell)]
    assert solutions and not {cell.source for cell in made.cells} & set(solutions)
    assert len(made.cells) == len(original.cells) - len(solutions)
    for cell in made.cells:
        if cell.cell_type == "code" and tags(cell) & {"exercise", "check"}:
            assert cell.outputs == [] and cell.execution_count is None
    others = [cell for cell in original.cells if not tags(cell) & {"solution", "exercise", "check"}]
    assert others == [cell for cell in made.cells if not tags(cell) & {"exercise", "check"}]


@pytest.fixture
def command(tmp_path):
    (tmp_path / "notebooks").mkdir()
    nbformat.write(good_lesson(), tmp_path / "notebooks" / "05_sample.ipynb")
    return [str(tmp_path / "notebooks"), "--output", str(tmp_path / "schöne Kopien")]


def test_copies_that_were_worked_in_are_overwritten_only_if_asked(command, capsys):
    assert main(command) == 0
    assert "1 notebooks without solutions" in capsys.readouterr().out
    copy = Path(command[-1]) / "05_sample.ipynb"
    first = copy.read_text(encoding="utf-8")
    assert "the secret" not in first and "a line" in first
    assert main(command) == 0  # untouched
    copy.write_text("mine")
    assert main(command) == 1 and "05_sample.ipynb" in capsys.readouterr().err
    assert copy.read_text() == "mine"
    assert main([*command, "--force"]) == 0 and copy.read_text(encoding="utf-8") == first


def test_a_course_of_nbgrader_has_solutions_and_points(command, capsys):
    nbformat.write(good_checks(), Path(command[0]) / "56_checks.ipynb")
    assert main([*command, "--nbgrader"]) == 0
    assert "1 lessons with nbgrader's marks" in capsys.readouterr().out
    course = Path(command[-1])
    assert [path.name for path in (course / "source").iterdir()] == ["05_sample"]
    assert "code_stub" in (course / "nbgrader_config.py").read_text(encoding="utf-8")
    made = nbformat.read(course / "source" / "05_sample" / "05_sample.ipynb", as_version=4)
    marked = [cell for cell in made.cells if "nbgrader" in cell.metadata]
    assert [cell.metadata.nbgrader.grade for cell in marked] == [False, True] * 2
    assert len({cell.metadata.nbgrader.grade_id for cell in marked}) == 4
    assert sum(cell.metadata.nbgrader.get("points", 0) for cell in marked) == 2
    solved = {"Check": Check}
    for cell in marked:
        exec(cell.source, solved)  # every hidden test holds for the solution
    exercise, check = marked[:2]
    still_open = {"Check": Check}
    exec(exercise.source.split("### BEGIN SOLUTION")[0], still_open)
    with pytest.raises(AssertionError):
        exec(check.source, still_open)
