"""The twenty questions of concept_test.yml in the forms that teachers use: for Moodle, for nbgrader, and on a page.

In the file the first answer is right; here they are in a random order, the same in all forms.
"""

import random
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from helpers.notebook.quizzes import LETTERS
from helpers.notebook.student import NBGRADER

QUESTIONS = Path(__file__).with_suffix(".yml")

SHUFFLE = 2028  # seed, of an order in which each letter is right about as often


def read_questions():
    """A dict for each question: question, lesson, answers [(letter, answer, why)], and the letter that is right."""
    draw = random.Random(SHUFFLE)
    questions = []
    for entry in yaml.safe_load(QUESTIONS.read_text(encoding="utf-8")):
        right = entry["answers"][0]
        mixed = draw.sample(entry["answers"], len(entry["answers"]))
        lettered = [(letter, *answer) for letter, answer in zip(LETTERS, mixed, strict=False)]
        questions.append(entry | {"answers": lettered, "right": LETTERS[mixed.index(right)]})
    return questions


def moodle_xml(questions):
    """The questions as Moodle imports them (Question bank, Import, Moodle XML format): one point each."""
    quiz = ElementTree.Element("quiz")

    def add(parent, tag, text, **attributes):
        node = ElementTree.SubElement(parent, tag, attributes)
        ElementTree.SubElement(node, "text").text = text
        return node

    for number, entry in enumerate(questions, 1):
        question = ElementTree.SubElement(quiz, "question", type="multichoice")
        add(question, "name", f"Confidence {number:02d}")
        add(question, "questiontext", entry["question"], format="plain_text")
        for tag, text in (("defaultgrade", "1"), ("single", "true"), ("shuffleanswers", "true")):
            ElementTree.SubElement(question, tag).text = text
        for letter, words, why in entry["answers"]:
            fraction = "100" if letter == entry["right"] else "0"
            answer = add(question, "answer", words, fraction=fraction, format="plain_text")
            add(answer, "feedback", why, format="plain_text")
    ElementTree.indent(quiz)
    return ElementTree.tostring(quiz, encoding="unicode", xml_declaration=True) + "\n"


def nbgrader_notebook(questions):
    """The questions as an assignment of nbgrader: `generate_assignment` takes the solutions and the tests out."""
    intro = "# What does a confidence say?\n\nTwenty questions. Write the letter of one answer to each."
    cells = [new_markdown_cell(intro, id="intro")]
    for number, entry in enumerate(questions, 1):
        name = f"answer_{number:02d}"
        lines = [f"**{number}.** {entry['question']}", *(f"({sign}) {words}" for sign, words, _ in entry["answers"])]
        asked = f'{name} = ...  # "a", "b", "c" or "d"'
        solved = [asked, "### BEGIN SOLUTION", f'{name} = "{entry["right"]}"', "### END SOLUTION"]
        tested = ["### BEGIN HIDDEN TESTS", f'assert {name} == "{entry["right"]}"', "### END HIDDEN TESTS"]
        answer = {"grade": False, "solution": True, "locked": False, "grade_id": name}
        test = {"grade": True, "solution": False, "locked": True, "points": 1, "grade_id": f"test_{number:02d}"}
        cells += [
            new_markdown_cell("\n\n".join(lines), id=f"question-{number:02d}"),
            new_code_cell("\n".join(solved), id=name, metadata={"nbgrader": NBGRADER | answer}),
            new_code_cell("\n".join(tested), id=f"test-{number:02d}", metadata={"nbgrader": NBGRADER | test}),
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def write_files(folder, questions):
    """Both files, for teachers to download."""
    folder.mkdir(parents=True)
    (folder / "confidence_moodle.xml").write_text(moodle_xml(questions), encoding="utf-8")
    nbformat.write(nbgrader_notebook(questions), folder / "confidence_nbgrader.ipynb")
