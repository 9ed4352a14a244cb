"""The twenty questions: every form has the same right answers, and the assignment is solved by its own solutions."""

from xml.etree import ElementTree

import pytest
import yaml
from scripts import load_program
from sites import ROOT

concept_test = load_program(ROOT / "site" / "concept_test.py")
QUESTIONS = concept_test.read_questions()


def test_every_question_has_one_right_answer_and_a_reason_for_each():
    written = yaml.safe_load(concept_test.QUESTIONS.read_text(encoding="utf-8"))
    lessons = yaml.safe_load((ROOT / "site" / "course.yml").read_text(encoding="utf-8"))["lessons"]
    assert len(QUESTIONS) == 20 and {entry["lesson"] for entry in QUESTIONS} <= {stem[:2] for stem in lessons}
    for entry, source in zip(QUESTIONS, written, strict=True):
        answers = {letter: words for letter, words, _ in entry["answers"]}
        assert answers[entry["right"]] == source["answers"][0][0]
        assert len(set(answers.values())) == 4 and all(why for _, _, why in entry["answers"])
    assert len({entry["right"] for entry in QUESTIONS}) == 4


def test_moodle_gives_all_points_for_the_right_answer_alone():
    quiz = ElementTree.fromstring(concept_test.moodle_xml(QUESTIONS))
    assert len(quiz) == 20
    for question, entry in zip(quiz, QUESTIONS, strict=True):
        points = {answer.findtext("text"): answer.get("fraction") for answer in question.findall("answer")}
        expected = {words: "100" if letter == entry["right"] else "0" for letter, words, _ in entry["answers"]}
        assert points == expected and question.findtext("questiontext/text") == entry["question"]


def test_the_assignment_is_solved_by_its_solutions_and_by_nothing_else():
    cells = concept_test.nbgrader_notebook(QUESTIONS).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    tests = [cell for cell in code if cell.metadata["nbgrader"]["grade"]]
    assert sum(cell.metadata["nbgrader"]["points"] for cell in tests) == 20
    names = {}
    for cell in code:
        exec(cell.source, names)
    open_answers = {name: ... for name in names if name.startswith("answer_")}
    for cell in tests:
        with pytest.raises(AssertionError):
            exec(cell.source, dict(open_answers))
