"""Students' copies: without solutions, and never overwritten once somebody has worked in them.

They are not executed. What can go wrong in one is that a cell uses a name of a solution, that a self-check stumbles
over an open answer, or that a cell computes with an open answer. The first and the last are read off the source; for
the second, each self-check of a lesson stands before its solution, so every run of the lesson shows it open.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from rules import kind_of, parsed, shelf
from sample import good_checks, good_lesson

from helpers.notebook import Check
from helpers.notebook.student import answer_name, main, nbgrader_copy, student_copy, tags

LESSONS = {name: path for name, path in shelf().items() if kind_of(name) == "lesson"}
each_lesson = pytest.mark.parametrize("name", LESSONS)


@each_lesson
def test_student_copy_holds_no_solution(name):
    original = nbformat.read(LESSONS[name], as_version=4)
    made = student_copy(original)
    solutions = [cell.source for cell in original.cells if "solution" in tags(cell)]
    assert solutions and not {cell.source for cell in made.cells} & set(solutions)
    assert len(made.cells) == len(original.cells) - len(solutions)
    cleared = {"exercise", "check", "predict"}
    for cell in made.cells:
        if tags(cell) & cleared:
            assert cell.outputs == [] and cell.execution_count is None
    asked = {cell.id for cell in original.cells if "quiz" in tags(cell)}
    others = [cell for cell in original.cells if not tags(cell) & (cleared | {"solution"}) and cell.id not in asked]
    assert others == [cell for cell in made.cells if not tags(cell) & cleared and cell.id not in asked]


@each_lesson
def test_student_copy_asks_the_questions_of_the_quiz_and_answers_none(name):
    original = nbformat.read(LESSONS[name], as_version=4)
    (quiz,) = [cell for cell in original.cells if "quiz" in tags(cell)]
    (asked,) = [cell for cell in student_copy(original).cells if cell.id == quiz.id]
    lines = [line for output in quiz.outputs for line in output["data"]["text/plain"].splitlines()]
    verdicts = [line for line in lines if line.startswith("Right is")]
    assert asked.cell_type == "markdown" and verdicts
    assert all((line in asked.source) == (line not in verdicts) for line in lines)


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


def released(cell):
    """What nbgrader's generate_assignment leaves of a cell: nothing between its marks."""
    marks = r"### BEGIN (SOLUTION|HIDDEN TESTS)$.*?^### END \1$"
    return re.sub(marks, "", cell.source, flags=re.MULTILINE | re.DOTALL)


@each_lesson
def test_what_nbgrader_releases_holds_no_key(name):
    original = nbformat.read(LESSONS[name], as_version=4)
    scaffolds = {cell.id: cell.source for cell in original.cells if "exercise" in tags(cell)}
    for cell in nbgrader_copy(original).cells:
        if cell.cell_type == "code":
            left = released(cell).strip()
            assert "Check(" not in left and "quiz(" not in left
            assert cell.id not in scaffolds or left == scaffolds[cell.id]
        else:
            assert "the one below it" not in cell.source  # it answers once it is handed in


def test_a_function_that_returns_one_number_gets_no_point_from_nbgrader():
    cells = [cell for cell in nbgrader_copy(good_lesson()).cells if tags(cell) & {"exercise", "check"}]
    names = {"Check": Check}
    exec(cells[2].source, names)
    exec(cells[3].source, names)  # the solution passes
    names["answer_2"] = lambda p: 2
    with pytest.raises(AssertionError):
        exec(cells[3].source, names)


def checks_of_functions(notebook):
    """The source of each self-check that calls what the reader wrote."""
    sources = [cell.source for cell in notebook.cells if "check" in tags(cell)]
    return [source for source in sources if re.search(r"^check_\d+\(\w+,", source, flags=re.MULTILINE)]


@each_lesson
def test_a_function_is_checked_on_two_inputs(name):
    sources = checks_of_functions(nbformat.read(LESSONS[name], as_version=4))
    assert all("also=" in source for source in sources)


def test_every_exercise_of_the_lessons_has_a_name_for_nbgrader():
    """Some cells import or prepare something before the line that is left open."""
    for path in shelf().values():
        notebook = nbformat.read(path, as_version=4)
        asked = [answer_name(cell.source) for cell in notebook.cells if "exercise" in cell.metadata.get("tags", [])]
        assert len(set(asked)) == len(asked)


@pytest.mark.slow
def test_no_cell_of_a_students_copy_needs_a_solution(tmp_path):
    for name in LESSONS:
        original = nbformat.read(LESSONS[name], as_version=4)
        nbformat.write(student_copy(original), tmp_path / f"{name}.ipynb")
        graded = nbgrader_copy(original)
        for cell in graded.cells:
            if "check" in tags(cell):
                cell.source = released(cell)
        nbformat.write(graded, tmp_path / f"{name}_nbgrader.ipynb")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def uses_of_open_answers(notebook):
    """(number of the cell, name) where a cell that is no self-check uses what an exercise leaves open."""
    uses = []
    opened = set()
    for number, cell in enumerate(student_copy(notebook).cells, 1):
        if cell.cell_type != "code":
            continue
        nodes = list(ast.walk(parsed(cell)))
        if "exercise" in tags(cell):
            opened |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
            opened |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        elif "check" not in tags(cell):
            uses += [(number, node.id) for node in nodes if isinstance(node, ast.Name) and node.id in opened]
    return uses


@each_lesson
def test_no_cell_of_a_students_copy_computes_with_an_open_answer(name):
    assert uses_of_open_answers(nbformat.read(LESSONS[name], as_version=4)) == []


def test_a_cell_that_computes_with_an_open_answer_is_found():
    exercise = new_code_cell("answer = ...", metadata={"tags": ["exercise"]})
    check = new_code_cell("Check(1)(answer)", metadata={"tags": ["check"]})
    cells = [exercise, check, new_code_cell("twice = 2 * answer")]
    assert uses_of_open_answers(new_notebook(cells=cells)) == [(3, "answer")]
