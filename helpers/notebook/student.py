"""Copies of notebooks for a class: ``python -m helpers.notebook.student notebooks/ --output build/student``.

Cells tagged `solution` are taken out, and the outputs of exercises, self-checks and predictions; a quiz becomes its
questions. The rest stays. Notebooks of checks hold nothing to solve and are left out. A copy that somebody has worked
in is never overwritten unless --force is given.

With --nbgrader the folder becomes a course of nbgrader: ``source/NN_name/NN_name.ipynb`` holds each lesson with its
solutions and its self-checks between nbgrader's marks, and a point for each check. ``nbgrader generate_assignment
NN_name`` makes the students' version, which holds neither, and ``nbgrader autograde NN_name`` grades what they hand in.
"""

import argparse
import ast
import copy
import re
import sys
from pathlib import Path

RUN_THE_CHECK = re.compile(r", run the cell and the one below it(, which checks the answer)?")

NBGRADER = {"schema_version": 3, "cell_type": "code", "task": False}

# What students see where a solution was: nbgrader's own stub would stop a notebook at each open exercise.
CONFIGURATION = """c = get_config()
c.CourseDirectory.course_id = "honest_confidence"
c.ClearSolutions.code_stub = {"python": "# Replace the ... above with your answer."}
"""


def tags(cell):
    """The set of tags of a cell."""
    return set(cell.get("metadata", {}).get("tags", []))


def quiz_questions(cell):
    """The questions of a quiz with their options, as text; the last line of each output says what is right."""
    questions = []
    for output in cell.outputs:
        question, *options, _ = output["data"]["text/plain"].splitlines()
        questions.append("\n".join([f"**{question}**", "", *(f"- {option}" for option in options)]))
    return "\n\n".join(questions)


def student_copy(notebook):
    """A copy for students: without solutions, outcomes of predictions and self-checks, and answers of the quiz."""
    from nbconvert.preprocessors import TagRemovePreprocessor
    from nbformat.v4 import new_markdown_cell

    remove = {"remove_cell_tags": {"solution"}, "remove_all_outputs_tags": {"exercise", "check", "predict"}}
    made, _ = TagRemovePreprocessor(**remove).preprocess(copy.deepcopy(notebook), {})
    for place, cell in enumerate(made.cells):
        if "quiz" in tags(cell):
            made.cells[place] = new_markdown_cell(quiz_questions(cell), id=cell.id)
    return made


def answer_name(source):
    """The name that an exercise asks for: of the first variable or function that is left open by `...`."""
    first = next(node for node in ast.parse(source).body if "Constant(value=Ellipsis)" in ast.dump(node))
    return first.name if isinstance(first, ast.FunctionDef) else first.targets[0].id


def nbgrader_copy(notebook):
    """A copy with nbgrader's metadata, or None for a notebook whose exercises have no check of their own."""
    made = student_copy(notebook)
    if not any("check" in tags(cell) for cell in made.cells):
        return None
    solutions = iter([cell.source for cell in notebook.cells if "solution" in tags(cell)])
    later = "# This cell grades the answer above, once you have handed it in."
    for cell in made.cells:
        if "exercise" in tags(cell):
            name = answer_name(cell.source)
            solution, _ = re.split(r"^check_\d+\(", next(solutions), maxsplit=1, flags=re.MULTILINE)
            solved = re.sub(r"\bsolution_\d+\b", name, solution).strip()
            lines = [cell.source, "### BEGIN SOLUTION", solved, "### END SOLUTION"]
            about = {"grade": False, "solution": True, "locked": False, "grade_id": name}
        elif "check" in tags(cell):
            *above, call = cell.source.splitlines()
            asserted = re.sub(r"^(check_\d+)\(", r"assert \1.is_right(", call)
            lines = [later, "### BEGIN HIDDEN TESTS", *above, asserted, "### END HIDDEN TESTS"]
            about = {"grade": True, "solution": False, "locked": True, "points": 1, "grade_id": call.split("(")[0]}
        else:
            if cell.cell_type == "markdown":  # the check below says nothing before it is handed in
                cell.source = RUN_THE_CHECK.sub(" and run the cell", cell.source)
            continue
        cell.source = "\n".join(lines)
        cell.metadata["nbgrader"] = NBGRADER | about
    return made


def main(arguments=None):
    """Command line; returns the exit status."""
    import nbformat

    parser = argparse.ArgumentParser("python -m helpers.notebook.student", description=__doc__.split("\n")[0])
    parser.add_argument("notebooks", type=Path, help="folder of the notebooks")
    parser.add_argument("--output", type=Path, required=True, help="folder of the copies")
    parser.add_argument("--force", action="store_true", help="overwrite copies that differ")
    parser.add_argument("--nbgrader", action="store_true", help="write a course of nbgrader, with solutions, instead")
    chosen = parser.parse_args(arguments)
    make = nbgrader_copy if chosen.nbgrader else student_copy
    sources = sorted(chosen.notebooks.glob("[0-9]*.ipynb"))
    copies = {path.stem: make(nbformat.read(path, as_version=4)) for path in sources}
    place = "source/{0}/{0}.ipynb" if chosen.nbgrader else "{0}.ipynb"
    texts = {chosen.output / place.format(stem): nbformat.writes(book) + "\n" for stem, book in copies.items() if book}
    count = len(texts)
    if chosen.nbgrader:
        texts[chosen.output / "nbgrader_config.py"] = CONFIGURATION
    edited = [path for path, text in texts.items() if path.exists() and path.read_text(encoding="utf-8") != text]
    if edited and not chosen.force:
        sys.stderr.write("Nothing was written: these copies have been edited, or were made from older lessons.\n")
        sys.stderr.writelines(f"  {path}\n" for path in edited)
        sys.stderr.write("Move them away, or overwrite them with: python tasks.py student --force\n")
        return 1
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kind = "lessons with nbgrader's marks" if chosen.nbgrader else "notebooks without solutions"
    sys.stdout.write(f"{count} {kind} in {chosen.output}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
