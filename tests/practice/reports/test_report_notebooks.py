"""Notebooks 13 and 14 show the page that `save` writes: the same parts, titles and sentences in the same order."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from helpers.notebook.display import collected
from helpers.notebook.guard import OUTPUT
from helpers.notebook.student import tags
from helpers.practice.reports.document import PAGE

ROOT = Path(__file__).resolve().parents[3]


def scores(path):
    """A table with two scores, dates, and people of which some are misjudged: most parts have something to show."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, 600)
    sex = rng.choice(["f", "m"], 600)
    label = (rng.random(600) < p + np.where(sex == "f", 0.15, -0.15)).astype(int)
    day = pd.date_range("2024-01-01", periods=600)
    columns = {"label": label, "old": np.sqrt(p), "new": p, "sex": sex, "age": rng.integers(2, 9, 600), "day": day}
    pd.DataFrame(columns).to_csv(path, index=False)
    return {"score": "old,new", "check": ["sex"], "cost": [1.0, 2.0]}


def answers(path):
    """Sixty questions of two topics, five answers each."""
    rng = np.random.default_rng(0)
    rows = [(k, k % 2, rng.choice(list("7888899"))) for k in range(60) for _ in range(5)]
    pd.DataFrame(rows, columns=["question", "topic", "answer"]).assign(reference="8").to_csv(path, index=False)
    return {"reject_cost": 0.2, "n_resamples": 100}


@pytest.fixture(params=[("13_audit_your_scores", scores), ("14_audit_your_answers", answers)], ids=["13", "14"])
def run(request, tmp_path, monkeypatch):
    """A report notebook run on a small file: its first cell, the plain texts that it shows, and its audit."""
    import matplotlib as mpl

    name, write = request.param
    monkeypatch.setenv(OUTPUT, str(tmp_path / "files"))
    given = {"path": str(tmp_path / "mine.csv"), "null_tables": 2} | write(tmp_path / "mine.csv")
    first, *cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    names = {}
    with mpl.rc_context(), collected() as outputs:
        for cell in cells:
            exec(cell.source, names)
            if "parameters" in tags(cell):
                names |= given
    return first.source, [data["text/plain"] for data, _ in outputs if "text/plain" in data], names["audit"], tmp_path


def headings(text, pattern):
    return re.findall(pattern, text, re.MULTILINE)


@pytest.mark.slow
def test_a_report_notebook_shows_the_page_that_is_saved(run):
    first, shown, audit, folder = run
    with collected() as outputs:
        audit.show()
    page = [data["text/plain"] for data, _ in outputs if "text/plain" in data]
    assert shown[: len(page)] == page
    assert first.split()[: len(audit.words.title.split())] == audit.words.title.split()
    saved = audit.save(folder / "saved", rng=0).read_text(encoding="utf-8")
    *parts, control, files = headings("\n".join(shown), "^## (.*)$")
    assert control.startswith("Control")
    assert [*parts, files] == headings(saved, "<h2[^>]*>(.*)</h2>")
    assert len(parts) > 6 and saved.index(audit.headline) < saved.index("<h2")
    assert {path.name for path in (folder / "saved").iterdir()} == {PAGE} | {
        path.name for path in (folder / "files").iterdir()
    }
