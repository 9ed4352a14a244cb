"""What the README and the pages of the site promise, and the test of each promise; their code and commands run."""

import argparse
import ast
import itertools
import json
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from helpers.practice.repair import load
from helpers.practice.run import main

ROOT = Path(__file__).resolve().parents[1]

# Of each page and heading its promises, and the test that would fail if one were broken.
PROMISES = pd.read_csv(ROOT / "tests" / "promises.csv")


def read(page):
    """The text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page, heading, language):
    """The blocks of code in one language under a heading of a page, up to the next heading."""
    part = re.split(rf"^#+ {re.escape(heading)}\n", read(page), flags=re.MULTILINE)[1]
    found = re.finditer(r"^```(\w*)\n(.*?)^```$|^#.*\n", part, re.DOTALL | re.MULTILINE)
    taken = itertools.takewhile(lambda match: match[2] is not None, found)
    return [match[2] for match in taken if match[1] == language]


@pytest.mark.parametrize("page", PROMISES["page"].unique())
def test_promises_stand_under_headings_of_their_page(page):
    text = re.sub(r"^```.*?^```$", "", read(page), flags=re.DOTALL | re.MULTILINE)
    promised = PROMISES.loc[PROMISES["page"] == page, "heading"].unique()
    assert set(promised) <= set(re.findall(r"^#+ (.*)$", text, re.MULTILINE))


def test_each_part_of_the_readme_has_promises():
    text = re.sub(r"^```.*?^```$", "", read("README.md"), flags=re.DOTALL | re.MULTILINE)
    promised = PROMISES.loc[PROMISES["page"] == "README.md", "heading"].unique()
    assert list(promised) == re.findall(r"^##? (.*)$", text, re.MULTILINE)


def test_each_promise_has_a_test():
    places = PROMISES["test"].str.rsplit("::", n=1, expand=True)
    files = places[0].str.split("::").str[0]
    for file, names in places[1].groupby(files):
        nodes = ast.walk(ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8")))
        tests = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        assert set(names) <= tests, file


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a table of scores, my.csv, and one of answers, answers.csv."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    odds = rng.normal(size=900)
    sex = rng.choice(["f", "m"], 900)
    y = (rng.random(900) < expit(odds + 2 * (sex == "f") - 1)).astype(int)
    pd.DataFrame({"y": y, "p": expit(odds), "age": rng.integers(2, 9, 900) * 10, "sex": sex}).to_csv(
        "my.csv", index=False
    )
    rows = [(k, rng.choice(list("7788899"))) for k in range(60) for _ in range(5)]
    pd.DataFrame(rows, columns=["question", "answer"]).assign(reference="8").to_csv("answers.csv", index=False)
    return tmp_path


def run_command(page, heading):
    """Run the first command of honest-confidence under a heading."""
    text = "\n".join(blocks(page, heading, "bash"))
    line = re.search(r"^honest-confidence (.*)", text, re.MULTILINE)[1]
    notebook, *words = shlex.split(line, comments=True)
    assert main([str(ROOT / notebook), *words]) == 0


@pytest.mark.slow
def test_a_table_of_ones_own(folder):
    run_command("README.md", "Your own table")
    report = "13_audit_your_scores"
    files = {f"{report}.html", f"{report}.ipynb", "metrics.json", "scores.csv", "groups.csv", "repair.joblib"}
    assert {name for name in os.listdir("out") if name[0] != "."} == files | {"findings.json"}
    table = pd.read_csv("my.csv")
    assert len(pd.read_csv("out/scores.csv")) == len(table)
    assert load("out/repair.joblib").predict(table[["age", "sex"]], table["p"]).shape == (len(table),)
    assert json.loads(Path("out/findings.json").read_text(encoding="utf-8"))["findings"]


@pytest.mark.slow
def test_answers_of_ones_own(folder):
    run_command("site/your_own_files.md", "Sampled answers")
    report = "14_audit_your_answers"
    files = {f"{report}.html", f"{report}.ipynb", "metrics.json", "answers.csv", "findings.json"}
    assert {name for name in os.listdir("out") if name[0] != "."} == files
    assert len(pd.read_csv("out/answers.csv")) == 60


@pytest.mark.slow
def test_an_archive_of_ones_own(folder):
    table = pd.read_csv("my.csv").set_axis(["rained", "stated", "altitude", "wind"], axis=1)
    os.mkdir("forecasts")
    table.assign(month=table.index % 12).to_parquet("forecasts/2024.parquet")
    text = "\n".join(blocks("site/large_tables.md", "One command for Parquet files", "bash"))
    words = shlex.split(text.replace("\\\n", "").replace("/data/forecasts", str(folder / "forecasts")))
    notebook = words.index("helpers.practice.run") + 1
    assert words[:notebook] == ["python", "-m", "helpers.practice.run"]
    assert main([str(ROOT / words[notebook]), *words[notebook + 1 :], "-p", "cluster", "false"]) == 0
    assert {"15_ten_million_rows.html", "15_ten_million_rows.ipynb"} <= set(os.listdir("out"))
    page = Path("out/15_ten_million_rows.html").read_text(encoding="utf-8")
    assert "error of calibration" in page


@pytest.mark.parametrize(("heading", "asked"), [("Your questions", 5 * 10), ("Scores of people", 20)])
def test_the_commands_that_ask_a_model_run(folder, heading, asked):
    """The task and its parameters as the page has them, asked of a mock model with known probabilities."""
    inspect_ai = pytest.importorskip("inspect_ai")
    from helpers.practice.llm import evals

    listed = pd.DataFrame({"question": [f"What is {k} + 1?" for k in range(8)], "reference": range(1, 9)}, dtype=str)
    listed.to_csv("my.csv", index=False)
    pd.DataFrame({"age": range(30, 50), "paid": [0, 1] * 10}).to_csv("people.csv", index=False)
    known = evals.known_answers(list(listed["question"]), list(listed["reference"]), seed=0)
    cases = dict.fromkeys([f"- age: {age}" for age in range(30, 50)], 0.5)
    text = "\n".join(blocks("site/ask_a_model.md", heading, "bash"))
    (line,) = re.findall(r"^inspect eval (.*)$", text, re.MULTILINE)
    parser = argparse.ArgumentParser()
    parser.add_argument("task")
    parser.add_argument("--model", required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("-T", action="append")
    words = parser.parse_args(shlex.split(line))
    given = {name: yaml.safe_load(value) for name, value in (pair.split("=", 1) for pair in words.T)}
    model = evals.known_model(known, cases=cases, seed=0)
    quiet = {"display": "none", "score_display": False, "log_realtime": False}
    (log,) = inspect_ai.eval(words.task, model=model, task_args=given, limit=words.limit, log_dir="logs", **quiet)
    assert (log.status, len(log.samples)) == ("success", asked), log.error


@pytest.mark.slow
def test_papermill_leaves_files_in_a_folder(folder, monkeypatch):
    from papermill import execute_notebook

    monkeypatch.setenv("HONEST_OUTPUT", str(folder / "files"))
    given = {"path": str(folder / "answers.csv"), "n_resamples": 100}
    execute_notebook(ROOT / "notebooks/14_audit_your_answers.ipynb", folder / "run.ipynb", given, progress_bar=False)
    assert sorted(os.listdir("files")) == ["answers.csv", "findings.json"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "heading"),
    [
        ("your_own_files", "A table of scores"),
        ("your_own_files", "Sampled answers"),
        ("your_own_files", "Tables larger than memory"),
        ("large_tables", "From files to a grouping loss"),
        ("large_tables", "Keep sums apart"),
        ("large_tables", "Other means"),
        ("large_tables", "Rows that belong together"),
        ("large_tables", "Scores of a model"),
        ("in_python", "The formulas of the papers"),
        ("in_python", "How far off is a score for one person?"),
        ("in_python", "Who is misjudged, and what helps?"),
        ("in_python", "Answers with a confidence"),
    ],
)
def test_code_runs_as_it_is_written(folder, page, heading, capsys):
    """Names that the pages leave open are a small table and its answers."""
    table = pd.read_csv("my.csv")
    y, p, X = table["y"], table["p"], table[["age", "sex"]]
    answers = pd.read_csv("answers.csv", dtype=str)
    given = {
        "y": y,
        "p": p,
        "X": X,
        "X_new": X[:9],
        "p_new": p[:9],
        "table": answers.assign(sample=answers.groupby("question").cumcount()),
    }
    given |= {
        "model": make_pipeline(OneHotEncoder(), LogisticRegression()),
        "correct": y,
        "confidence": p,
        "old": p,
        "new": p**2,
    }
    for year in (2024, 2025):
        patient = year * 1000 + np.arange(len(table)) // 3
        table.rename(columns={"y": "label", "p": "score"}).assign(patient=patient).to_parquet(f"{year}.parquet")
    codes = blocks(f"site/{page}.md", heading, "python")
    assert codes
    for code in codes:
        exec(code, given)
    assert capsys.readouterr().out
