"""Write copies of the notebooks without solutions to build/student/.

Cells tagged `solution` go, outputs of exercises and self-checks are cleared, the rest stays. A copy that somebody
has worked in is never overwritten unless --force is given.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
RECORD = ".generated.json"


def tags(cell):
    """The set of tags of a cell."""
    return set(cell.get("metadata", {}).get("tags", []))


def student_copy(notebook):
    """A deep copy for students: no solutions, exercises and self-checks without outputs."""
    copy = nbformat.from_dict(json.loads(json.dumps(notebook)))
    copy.cells = [cell for cell in copy.cells if "solution" not in tags(cell)]
    for cell in copy.cells:
        if cell.cell_type == "code" and ("exercise" in tags(cell) or "check_exercise(" in cell.source):
            cell.outputs, cell.execution_count = [], None
    return copy


def fingerprint(text):
    """Hash by which a later run recognises its own file."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def write_copies(sources, folder, *, force=False):
    """Write all copies or none; returns the list of files that somebody has edited and that were left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / RECORD
    known = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    texts = {path.name: nbformat.writes(student_copy(nbformat.read(path, as_version=4))) + "\n" for path in sources}
    edited = []
    for name in texts:
        target = folder / name
        if target.exists() and fingerprint(target.read_text(encoding="utf-8")) != known.get(name):
            edited.append(target)
    if edited and not force:
        return edited
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        known[name] = fingerprint(text)
    record.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return []


def main(arguments=None):
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--force", action="store_true", help="overwrite copies that have been edited")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "student", help="folder (default build/student)"
    )
    chosen = parser.parse_args(arguments)
    sources = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    edited = write_copies(sources, chosen.output, force=chosen.force)
    if edited:
        print("Nothing was written: these copies have been edited since they were made.", file=sys.stderr)
        print("\n".join(f"  {path}" for path in edited), file=sys.stderr)
        print("Move them away, or overwrite them with: make student ARGS=--force", file=sys.stderr)
        return 1
    print(f"{len(sources)} notebooks without solutions in {chosen.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
