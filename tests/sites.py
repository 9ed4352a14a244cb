"""Small repositories, as `make run` leaves them before the site is rendered."""

import json
import shutil
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]


def lay_out(root, books):
    """A copy of this repository's site and tables in `root`, with `books` (name -> notebook) and their results."""
    shutil.copytree(ROOT / "site", root / "site", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "data").mkdir()
    shutil.copy(ROOT / "data" / "claims.csv", root / "data")
    for name in ("constraints.txt", "CITATION.cff"):
        shutil.copy(ROOT / name, root)
    metrics = {"seconds": 12.3, "claims": [{"claim": "known.claim", "holds": True}]}
    for name, book in books.items():
        executed = root / "build" / "executed" / name
        for path in (root / "notebooks" / f"{name}.ipynb", executed / f"{executed.name}.ipynb"):
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(book, path)
        (executed / "metrics.json").write_text(json.dumps(metrics))
