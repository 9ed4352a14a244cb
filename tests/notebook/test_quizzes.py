"""Quizzes: who always takes the longest answer, or the shortest, or the same letter, must not do better than chance."""

import ast
import math

import nbformat
import pytest
from rules import ROOT, kind_of, shelf
from scripts import load_program

from helpers.notebook.student import tags

concept_test = load_program(ROOT / "site" / "concept_test.py")


def asked_in(source):
    """(options, place of the right one) of each quiz in a cell."""
    calls = [node.value for node in ast.parse(source).body if isinstance(node, ast.Expr)]
    for call in calls:
        right = next(keyword.value.value for keyword in call.keywords if keyword.arg == "right")
        yield list(ast.literal_eval(call.args[1])), right - 1


def of_lessons():
    paths = [path for name, path in shelf().items() if kind_of(name) == "lesson"]
    cells = [cell for path in paths for cell in nbformat.read(path, as_version=4).cells if "quiz" in tags(cell)]
    return [question for cell in cells for question in asked_in(cell.source)]


def of_the_concept_test():
    return [
        ([words for _, words, _ in entry["answers"]], "abcd".index(entry["right"]))
        for entry in concept_test.read_questions()
    ]


def most_by_chance(questions):
    """Two standard errors above what a guess gets right on average."""
    chances = [1 / len(options) for options, _ in questions]
    return sum(chances) + 2 * math.sqrt(sum(chance * (1 - chance) for chance in chances))


@pytest.mark.parametrize("collect", [of_lessons, of_the_concept_test])
def test_neither_length_nor_place_gives_an_answer_away(collect):
    questions = collect()
    most = most_by_chance(questions)
    lengths = [([len(option) for option in options], right) for options, right in questions]
    assert sum(length[right] == max(length) for length, right in lengths) <= most
    assert sum(length[right] == min(length) for length, right in lengths) <= most
    assert all(sum(right == place for _, right in questions) <= most for place in range(4))


def test_answers_that_their_length_gives_away_are_found():
    questions = [(["no", "no, never", "yes, since everything is as it should be"], 2)] * 20
    assert 20 > most_by_chance(questions) > 20 / 3
