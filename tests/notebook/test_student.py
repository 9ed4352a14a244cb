"""Students' copies: without solutions, and never overwritten once somebody has worked in them."""

from pathlib import Path

import nbformat
import pytest
from sample import good_checks, good_lesson

from helpers.notebook import Check
from helpers.notebook.student import main, nbgrader_copy, student_copy, tags

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


def test_a_course_of_nbgrader_has_solutions_and_points(tmp_path, capsys):
    (tmp_path / "notebooks").mkdir()
    lesson = good_lesson()
    for cell in lesson.cells:  # as in a real lesson: a variable or a function, then the check calls it
        if "solution" in tags(cell):
            number = cell.source[6]
            body = f"def solution_4(p):\n    return {number}" if number == "4" else f"solution_{number} = {number}"
            given = "(solution_4, 1)" if number == "4" else f"(solution_{number})"
            cell.source = f"{body}\n\n\ncheck_{number}{given}"
        cell.source = cell.source.replace("check_4(answer_4)", "check_4(answer_4, 1)")
    nbformat.write(lesson, tmp_path / "notebooks" / "55_sample.ipynb")
    nbformat.write(good_checks(), tmp_path / "notebooks" / "56_checks.ipynb")
    command = [str(tmp_path / "notebooks"), "--output", str(tmp_path / "course"), "--nbgrader"]
    assert main(command) == 0
    assert "1 lessons with nbgrader's marks" in capsys.readouterr().out
    assert "code_stub" in (tmp_path / "course" / "nbgrader_config.py").read_text(encoding="utf-8")
    made = nbformat.read(tmp_path / "course" / "source" / "55_sample" / "55_sample.ipynb", as_version=4)
    assert not any("solution" in tags(cell) for cell in made.cells)
    marked = [cell for cell in made.cells if "nbgrader" in cell.metadata]
    assert [cell.metadata.nbgrader.grade for cell in marked] == [False, True] * 4
    assert len({cell.metadata.nbgrader.grade_id for cell in marked}) == 8
    assert sum(cell.metadata.nbgrader.get("points", 0) for cell in marked) == 4
    solved = {"Check": Check}
    for cell in marked:
        exec(cell.source, solved)  # every hidden test holds for the solution
    still_open = {"Check": Check}
    for cell in marked[:2]:
        stub = cell.source.split("### BEGIN SOLUTION")[0]
        if "HIDDEN" not in stub:
            exec(stub, still_open)
            continue
        with pytest.raises(AssertionError):
            exec(stub, still_open)


def test_a_notebook_without_checks_is_not_for_nbgrader():
    assert nbgrader_copy(good_checks()) is None
