"""Does each claim notice a wrong formula? Run the notebooks with one formula of the package made wrong at a time.

    python tests/notebook/mutations.py            # all rows of data/mutations.csv, some minutes
    python tests/notebook/mutations.py theorem5   # those whose claim holds this text

A row of data/mutations.csv names a claim, the notebook that makes it, a file of `helpers`, a piece of its text,
what takes its place, and in words what is wrong then. The notebook runs with its second parameters and a copy of
the package; the claim must fail.
"""

import csv
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from nbclient import NotebookClient
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from tqdm.auto import tqdm

ROOT = Path(__file__).resolve().parents[2]
CELL_SECONDS = 180


def read_mutations(path=ROOT / "data" / "mutations.csv"):
    """Rows as dicts: claim, notebook, file, find, replace, wrong."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def make_wrong(row, folder):
    """Copy the package into a folder, with the formula of this row made wrong."""
    shutil.copytree(ROOT / "helpers", folder / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "data").symlink_to(ROOT / "data")
    file = folder / row["file"]
    text = file.read_text(encoding="utf-8")
    if text.count(row["find"]) != 1:
        raise ValueError(
            f"find must stand once in {row['file']}, but {row['find']!r} does {text.count(row['find'])} times."
        )
    file.write_text(text.replace(row["find"], row["replace"]), encoding="utf-8")


def outcome(row):
    """'noticed' if the claim of this row fails in its notebook, else what happened."""
    second = json.loads((ROOT / "tests" / "second_parameters.json").read_text(encoding="utf-8"))
    (path,) = (ROOT / "notebooks").glob(f"{row['notebook']}_*.ipynb")
    name = path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()
    notebook = parameterize_notebook(load_notebook_node(str(path)), second[name])
    resources = {"metadata": {"path": str(path.parent)}}
    with tempfile.TemporaryDirectory() as folder:
        make_wrong(row, Path(folder))
        env = os.environ | {"PYTHONPATH": folder, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        options = {"timeout": CELL_SECONDS, "kernel_name": "python3", "allow_errors": True}  # each claim has its turn
        NotebookClient(notebook, resources=resources, **options).execute(env=env)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    errors = [output["evalue"] for output in outputs if output["output_type"] == "error"]
    if any(f"{row['claim']} FAILS" in error for error in errors):
        return "noticed"
    return f"not noticed, but {errors[0].splitlines()[0][:150]}" if errors else "not noticed"


def main(words):
    """Run the mutations whose claim holds one of the words, or all; the number of those that were not noticed."""
    rows = [row for row in read_mutations() if not words or any(word in row["claim"] for word in words)]
    missed = 0
    for row in tqdm(rows, desc="mutations", file=sys.stderr):
        found = outcome(row)
        missed += found != "noticed"
        sys.stdout.write(f"{row['claim']} ({row['notebook']}): {row['wrong']}: {found}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(rows) - missed} of {len(rows)} wrong formulas were noticed\n")
    return missed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
