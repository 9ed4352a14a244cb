"""The map of the lessons and the page for teachers: from the cards, the quizzes and the plan."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from rules import ROOT, kind_of, shelf
from scripts import load_program

from helpers.notebook import quiz
from helpers.notebook.display import collected

build_site = load_program(ROOT / "site" / "build.py")
course = load_program(ROOT / "site" / "course.py")
rooms = load_program(ROOT / "site" / "rooms.py")

CARDS = {
    "00_start": {"Title": "Start", "Needs": "a mean", "Minutes": "50 with the exercises, 20 to read"},
    "01_more": {
        "Title": "More: of <it>",
        "Needs": "notebook 00; a little Python",
        "Minutes": "55 with the exercises, 25 to read",
    },
    "02_last": {
        "Title": "Last",
        "Needs": "notebook 01; notebooks 00 to 01 help, see notebook 09",
        "Minutes": "60 with the exercises, 30 to read",
    },
}
NOTEBOOKS = {name: nbformat.read(path, as_version=4) for name, path in shelf().items() if kind_of(name) != "checks"}
LESSONS = [name for name in NOTEBOOKS if kind_of(name) == "lesson"]


def test_needs_are_read_from_the_cards():
    assert course.numbers_in("notebooks 00, 03 and 05 to 07, not 12") == ["00", "03", "05", "06", "07"]
    needs = course.needs_of(CARDS)
    assert needs == {"00": {}, "01": {"00": "needs"}, "02": {"01": "helps", "00": "helps"}}
    assert course.arrows_of(needs) == [("00", "01", "needs"), ("01", "02", "helps")]
    assert course.columns_of(needs) == {"00": 0, "01": 1, "02": 2}


def test_a_quiz_gives_its_right_answer():
    with collected() as outputs:
        quiz("Is 0.7 a probability?", {"yes": "it lies in [0, 1].", "no": "why?"}, right=1)
    ((data, metadata),) = outputs
    cell = new_code_cell(outputs=[new_output("display_data", data=data, metadata=metadata)])
    (answer,) = course.quiz_answers(new_notebook(cells=[cell, new_code_cell()]))
    assert answer == {"question": "Is 0.7 a probability?", "answer": "(a) yes.", "reason": "It lies in [0, 1]."}


def test_each_lesson_with_a_quiz_gives_its_answers():
    for name, notebook in NOTEBOOKS.items():
        asked = sum(len(re.findall(r"^quiz\(", cell.source, re.MULTILINE)) for cell in notebook.cells)
        assert len(course.quiz_answers(notebook)) == asked, name


def test_the_plans_have_three_and_twelve_meetings_of_90_minutes_and_the_longer_one_all_notebooks():
    plan = course.read_course()
    for name, count in {"short": 3, "meetings": 12}.items():
        assert [sum(minutes for minutes, _ in meeting["steps"]) for meeting in plan[name]] == [90] * count
    numbers = {name[:2] for name in NOTEBOOKS}
    assert {number for meeting in plan["meetings"] for number in meeting["lessons"].split()} == numbers
    assert list(plan["lessons"]) == list(NOTEBOOKS)
    assert {number for route in plan["routes"] for number in route["lessons"].split()} <= numbers
    said = [item for name in LESSONS for item in plan["lessons"][name]["misconceptions"]]
    assert all(item["believes"] and item["instead"] for item in said)


def test_each_term_that_a_lesson_teaches_stands_in_the_glossary_and_the_other_way_round():
    terms = build_site.read_glossary(ROOT / "site" / "glossary.yml", course.read_course())["terms"]
    taught = {term for lesson in course.read_course()["lessons"].values() for term in lesson["teaches"]}
    assert taught == {entry["term"] for entry in terms}


def test_the_readme_has_the_table_of_the_lessons(monkeypatch):
    monkeypatch.delenv("HONEST_REPOSITORY", raising=False)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert course.with_table(readme, course.readme_table()) == readme, "make format writes it"
    assert course.with_table(readme, "| notebook | another |").count("| notebook | another |") == 1


def test_lessons_have_launch_links_once_the_repository_has_an_address(monkeypatch):
    monkeypatch.setenv("HONEST_REPOSITORY", "https://github.com/me/mine/")
    binder, colab = course.launch_links(course.read_course()["repository"], "05_honest_partitions")
    assert binder.startswith("[Binder](https://mybinder.org/v2/gh/me/mine/main?")
    assert colab.endswith("/github/me/mine/blob/main/notebooks/05_honest_partitions.ipynb)")
    assert binder in course.readme_table() and colab in course.readme_table()
    assert course.launch_links("", "05_honest_partitions") == []


def test_minutes_of_a_route_are_those_of_its_cards():
    assert course.route_minutes(CARDS, "00 02") == (50, 110)
    assert course.route_minutes(CARDS | {"03_report": {"Title": "May they be used?"}}, "00 02 03") == (50, 110)


@pytest.mark.parametrize("name", LESSONS)
def test_each_lesson_states_the_minutes_that_its_words_lines_and_exercises_take(name):
    stated = course.minutes_of(course.header_card(NOTEBOOKS[name]))
    assert stated == course.honest_minutes(NOTEBOOKS[name]), "to read, and with the exercises and the quiz"


@pytest.mark.slow
def test_the_picture_of_the_rooms_has_every_room_and_only_arrows_that_point_down():
    floors = rooms.floors_of((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    imports = rooms.imports_of(ROOT / "helpers")
    drawn = rooms.draw_rooms(floors, imports, {"helpers.audit": "Whom a score <misjudges>"})
    names = {room for floor in floors for room in floor}
    assert {name for name in names if f">{name}</text>" in drawn} == names
    assert '<a href="helpers.audit.html"><title>Whom a score &lt;misjudges&gt;' in drawn
    level = {room: k for k, floor in enumerate(floors) for room in floor}
    assert all(level[a] < level[b] for a, b in rooms.shortest_arrows(imports) if a in level and b in level)
