"""Copies of notebooks for a class: ``python -m helpers.notebook.student notebooks/ --output build/student``.

Cells tagged `solution` go, outputs of exercises and self-checks are cleared, the rest stays. Notebooks of checks hold
nothing to solve and are left out. A copy that somebody has worked in is never overwritten unless --force is given.

With --nbgrader the folder becomes a course of nbgrader: ``source/NN_name/NN_name.ipynb`` holds each lesson with its
solutions between nbgrader's marks and a point for each check; ``nbgrader generate_assignment NN_name`` makes the
students' version of it, and ``nbgrader autograde NN_name`` grades what they hand in.
"""

import argparse
import ast
import copy
import hashlib
import json
import re
import sys
from pathlib import Path

import nbformat

from helpers._streams import escape_names

RECORD = ".generated.json"

NBGRADER = {"schema_version": 3, "cell_type": "code", "task": False}

# What students see where a solution was: nbgrader's own stub would stop a notebook at each open exercise.
CONFIGURATION = """c = get_config()
c.CourseDirectory.course_id = "honest_confidence"
c.ClearSolutions.code_stub = {"python": "# Replace the ... above with your answer."}
"""


def tags(cell):
    """The set of tags of a cell."""
    return set(cell.get("metadata", {}).get("tags", []))


def student_copy(notebook):
    """A deep copy for students: no solutions, exercises and self-checks without outputs.

    Parameters
    ----------
    notebook : NotebookNode
        The notebook with its solutions.

    Returns
    -------
    NotebookNode
        The copy.
    """
    made = copy.deepcopy(notebook)
    made.cells = [cell for cell in made.cells if "solution" not in tags(cell)]
    for cell in made.cells:
        if tags(cell) & {"exercise", "check"}:
            cell.outputs = []
            cell.execution_count = None
    return made


def answer_name(source):
    """The name that an exercise asks for: of its variable or of its function."""
    first = ast.parse(source).body[0]
    return first.name if isinstance(first, ast.FunctionDef) else first.targets[0].id


def nbgrader_copy(notebook):
    """A deep copy with nbgrader's metadata, or None for a notebook whose exercises have no check of their own.

    Parameters
    ----------
    notebook : NotebookNode
        A lesson.

    Returns
    -------
    NotebookNode or None
        Each solution stands in the cell of its exercise, and each check asserts, out of students' sight, that the
        answer is right.
    """
    made = copy.deepcopy(notebook)
    if not any("check" in tags(cell) for cell in made.cells):
        return None
    made.cells = [cell for cell in made.cells if "solution" not in tags(cell)]
    solutions = iter([cell.source for cell in notebook.cells if "solution" in tags(cell)])
    for cell in made.cells:
        if "exercise" in tags(cell):
            name = answer_name(cell.source)
            solution = re.sub(r"\bsolution_\d+\b", name, next(solutions))
            kept = [line for line in solution.splitlines() if not re.match(r"check_\d+\(", line)]
            lines = [cell.source, "### BEGIN SOLUTION", *kept, "### END SOLUTION"]
            about = {"grade": False, "solution": True, "locked": False, "grade_id": name}
        elif "check" in tags(cell):
            *above, call = cell.source.splitlines()
            asserted = re.sub(r"^(check_\d+)\(", r"assert \1.is_right(", call)
            lines = [*above, call, "### BEGIN HIDDEN TESTS", asserted, "### END HIDDEN TESTS"]
            about = {"grade": True, "solution": False, "locked": True, "points": 1, "grade_id": call.split("(")[0]}
        else:
            continue
        cell.source = "\n".join(lines)
        cell.metadata["nbgrader"] = NBGRADER | about
        cell.outputs = []
        cell.execution_count = None
    return made


def course_texts(sources):
    """{path in the course's folder: text} of a course of nbgrader."""
    made = {path.stem: nbgrader_copy(nbformat.read(path, as_version=4)) for path in sources}
    texts = {f"source/{stem}/{stem}.ipynb": nbformat.writes(book) + "\n" for stem, book in made.items() if book}
    return texts | {"nbgrader_config.py": CONFIGURATION}


def student_texts(sources):
    """{path in the folder: text} of the copies without solutions."""
    return {path.name: nbformat.writes(student_copy(nbformat.read(path, as_version=4))) + "\n" for path in sources}


def fingerprint(text):
    """Hash by which a later run recognises its own file."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def write_copies(texts, folder, *, force=False):
    """Write all copies or none.

    Parameters
    ----------
    texts : dict of str to str
        Text of each file by its path in the folder.
    folder : Path
        Where the copies go.
    force : bool, default False
        Whether copies that somebody has edited are overwritten.

    Returns
    -------
    list of Path
        Files that somebody has edited; if there are any and `force` is false, nothing was written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / RECORD
    known = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    there = [folder / name for name in texts if (folder / name).exists()]
    edited = [
        path for path in there if fingerprint(path.read_text(encoding="utf-8")) != known.get(_inside(path, folder))
    ]
    if edited and not force:
        return edited
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        known[name] = fingerprint(text)
    record.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return []


def _inside(path, folder):
    return path.relative_to(folder).as_posix()


def main(arguments=None):
    """Command line; returns the exit status."""
    escape_names()
    parser = argparse.ArgumentParser("python -m helpers.notebook.student", description=__doc__.split("\n")[0])
    parser.add_argument("notebooks", type=Path, help="folder of the notebooks")
    parser.add_argument("--output", type=Path, required=True, help="folder of the copies")
    parser.add_argument("--force", action="store_true", help="overwrite copies that have been edited")
    parser.add_argument("--nbgrader", action="store_true", help="write a course of nbgrader, with solutions, instead")
    chosen = parser.parse_args(arguments)
    sources = sorted(chosen.notebooks.glob("[0-9]*.ipynb"))
    texts = course_texts(sources) if chosen.nbgrader else student_texts(sources)
    edited = write_copies(texts, chosen.output, force=chosen.force)
    if edited:
        sys.stderr.write("Nothing was written: these copies have been edited since they were made.\n")
        sys.stderr.writelines(f"  {path}\n" for path in edited)
        sys.stderr.write("Move them away, or overwrite them with: make student ARGS=--force\n")
        return 1
    count = sum(name.endswith(".ipynb") for name in texts)
    kind = "lessons with nbgrader's marks" if chosen.nbgrader else "notebooks without solutions"
    sys.stdout.write(f"{count} {kind} in {chosen.output}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
