"""Copies of notebooks without solutions: ``python -m helpers.notebook.student notebooks/ --output build/student``.

Cells tagged `solution` go, outputs of exercises and self-checks are cleared, the rest stays. Notebooks of checks hold
nothing to solve and are left out. A copy that somebody has worked in is never overwritten unless --force is given.
"""

import argparse
import copy
import hashlib
import json
import sys
from pathlib import Path

import nbformat

RECORD = ".generated.json"


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
        asks = tags(cell) & {"exercise", "check"} or "check_exercise(" in cell.source
        if cell.cell_type == "code" and asks:
            cell.outputs = []
            cell.execution_count = None
    return made


def fingerprint(text):
    """Hash by which a later run recognises its own file."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def write_copies(sources, folder, *, force=False):
    """Write all copies or none.

    Parameters
    ----------
    sources : list of Path
        The notebooks.
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
    texts = {path.name: nbformat.writes(student_copy(nbformat.read(path, as_version=4))) + "\n" for path in sources}
    there = [folder / name for name in texts if (folder / name).exists()]
    edited = [path for path in there if fingerprint(path.read_text(encoding="utf-8")) != known.get(path.name)]
    if edited and not force:
        return edited
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        known[name] = fingerprint(text)
    record.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return []


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser("python -m helpers.notebook.student", description=__doc__.split("\n")[0])
    parser.add_argument("notebooks", type=Path, help="folder of the notebooks")
    parser.add_argument("--output", type=Path, required=True, help="folder of the copies")
    parser.add_argument("--force", action="store_true", help="overwrite copies that have been edited")
    chosen = parser.parse_args(arguments)
    sources = sorted(chosen.notebooks.glob("[0-9]*.ipynb"))
    edited = write_copies(sources, chosen.output, force=chosen.force)
    if edited:
        sys.stderr.write("Nothing was written: these copies have been edited since they were made.\n")
        sys.stderr.writelines(f"  {path}\n" for path in edited)
        sys.stderr.write("Move them away, or overwrite them with: make student ARGS=--force\n")
        return 1
    sys.stdout.write(f"{len(sources)} notebooks without solutions in {chosen.output}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
