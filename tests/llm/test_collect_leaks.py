"""Keys, headers and paths: nothing that helpers.llm writes, shows or raises holds one."""

import base64
import logging
import os
import pickle
import sys
import traceback
from pathlib import Path

import pandas as pd
import pytest
from answer_server import answer_server

from helpers.llm import (
    CollectionStopped,
    Endpoint,
    collect_answers,
    collect_risk_scores,
    grade_answers,
    judge_classes,
    plan_answers,
)
from helpers.llm.testing import known_answers

KEY = "sk-canary/0123456789+AbCdEfGh_tell-nobody"
HIDDEN = [KEY, KEY[3:-3], base64.b64encode(KEY.encode()).decode()[:-4], KEY.replace("/", "\\/"), "tell-nobody"]
HEADERS = ["Authorization", "Bearer", "x-stainless", "Idempotency", "User-Agent", "OpenAI/Python"]
QUESTIONS = pd.DataFrame(
    {"question": [f"Question {k}?" for k in range(6)], "reference": [f"Right {k}" for k in range(6)]}
)
KNOWN = known_answers(QUESTIONS["question"], QUESTIONS["reference"])
ROWS = pd.DataFrame({"age": [30, 40, 50], "smokes": [0, 1, 0]})
FAULTS = {"echo 500": 0.1, "echo 429": 0.05, "cut": 0.05, "truncated": 0.05, "echo answer": 0.05}


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def holds(text, *more):
    """What a text gives away."""
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return [word for word in [*HIDDEN, *HEADERS, *more] if word.lower() in text.lower()]


def places(folder, server=None):
    """Where we are: nobody else needs to know."""
    return [
        str(folder),
        str(Path.home()),
        os.getcwd(),
        "/home/me",
        *([server.base_url.split("/")[2]] if server else []),
    ]


def endpoint(server, **options):
    options = {"price_in": 0.0, "price_out": 0.0, "max_retries": 12, "pause": 0.002} | options
    return Endpoint(server.base_url, "stand-in", **options)


def run(server, folder, progress=True):
    """Everything that can be collected, with all results."""
    three = ("posterior", "is_true", "verbalised")
    plan = plan_answers(QUESTIONS, endpoint(server), n_answers=4, confidences=three)
    found = collect_answers(plan, folder / "answers.jsonl", progress=progress)
    judged = judge_classes(found, endpoint(server), folder / "classes.jsonl", progress=progress)
    graded = grade_answers(judged, endpoint(server), folder / "grades.jsonl", progress=progress)
    scored = collect_risk_scores(
        ROWS, endpoint(server), folder / "scores.jsonl", question="Smoker?", label="smokes", progress=progress
    )
    found.save_answers(folder / "answers.csv")
    graded.save_answers(folder / "graded.jsonl.gz")
    scored.save_scores(folder / "scores.csv")
    return [plan.endpoint, plan, found, judged, graded, scored, plan.endpoint.check()]


class Screen:
    """A terminal that keeps what it is told."""

    said = ""

    def write(self, text):
        self.said += text

    def flush(self):
        pass

    def isatty(self):
        return True


def test_no_file_no_result_and_no_line_of_progress_holds_a_key_a_header_or_a_path(tmp_path, monkeypatch):
    folder = tmp_path / "private folder"
    folder.mkdir()
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "500")
    with answer_server(KNOWN, faults=FAULTS, key=KEY, seed=4) as server:
        results = run(server, folder)
        stats = server.stats()
    assert all(stats.get(f"fault {name}") for name in FAULTS)  # the server did repeat the key
    where = places(tmp_path, server)
    files = sorted(folder.iterdir())
    assert len(files) == 7
    for file in files:
        data = pd.read_json(file, lines=True).to_csv().encode() if file.suffix == ".gz" else file.read_bytes()
        assert data and holds(data, *where) == [], file.name
        assert holds(file.name) == []
    assert screen.said.count("tokens in") >= 6 and holds(screen.said, *where) == []
    for result in results:
        assert holds(f"{result!s} {result!r}", *where[:-1]) == []
        for name in vars(result):
            shown = getattr(result, name)
            assert holds(shown.to_csv() if isinstance(shown, pd.DataFrame) else f"{shown!s}", *where[:-1]) == [], name
        assert holds(pickle.dumps(result), *where[:-1]) == []
        if hasattr(result, "log"):
            assert holds(result.log(), *where) == []
        if hasattr(result, "preview"):
            assert holds(result.preview(3).to_csv(), *where) == []


@pytest.mark.parametrize(
    "fault",
    [
        "echo 400",
        "echo 401",
        "echo 403",
        "echo 404",
        "echo 422",
        "echo 429",
        "echo 500",
        "cut",
        "encoding",
        "page",
        "hang up",
    ],
)
def test_no_exception_holds_a_key_a_header_or_a_path(tmp_path, fault, capsys):
    with answer_server(KNOWN, faults={fault: 1.0}, key=KEY) as server:
        made = endpoint(server, max_retries=1)
        calls = [
            lambda: collect_answers(
                plan_answers([f"q{k}" for k in range(30)], made, n_answers=2), tmp_path / "a.jsonl"
            ),
            lambda: collect_risk_scores(pd.concat([ROWS] * 12), made, tmp_path / "b.jsonl", question="Smoker?"),
            lambda: made.check(),
        ]
        caught = []
        for call in calls:
            try:
                call()
            except (ValueError, CollectionStopped) as error:
                caught.append(error)
    assert len(caught) >= 2
    for error in caught:
        check_exception(error, tmp_path, server)
    out = capsys.readouterr()
    assert holds(out.out + out.err, *places(tmp_path, server)) == []


def check_exception(error, folder, server):
    assert holds(f"{error} {error!r} {error.args} {vars(error)}", *places(folder, server)) == []
    parts = error.__reduce__()  # as pickle asks, but for packages that teach it to keep the traceback
    assert holds(pickle.dumps(parts), *places(folder, server)) == []
    deep = traceback.TracebackException.from_exception(error, capture_locals=True)
    assert [word for word in HIDDEN if word in "".join(deep.format())] == []
    chain = error
    seen = []
    while chain is not None:  # nothing of the client hangs on, where a debugger or a report would find it
        seen.append(type(chain).__module__.split(".")[0])
        chain = chain.__cause__ or chain.__context__
    assert not {"openai", "httpx", "httpx2", "httpcore", "httpcore2"} & set(seen)


def test_errors_about_files_name_the_file_alone(tmp_path):
    folder = tmp_path / "private folder"
    folder.mkdir()
    (folder / "other.txt").write_text("hello\n")
    (folder / "mine.txt").write_text("no place for it")
    with answer_server(KNOWN, key=KEY) as server:
        made = plan_answers(QUESTIONS, endpoint(server), n_answers=2, confidences=())
        calls = [
            lambda: collect_answers(made, folder / "other.txt"),
            lambda: collect_answers(made, folder),
            lambda: collect_answers(made, folder / "none" / "a.jsonl"),
            lambda: plan_answers(QUESTIONS, endpoint(server), prompt=str(folder / "mine.txt")),
            lambda: plan_answers(QUESTIONS, endpoint(server), prompt=str(folder / "nothing.txt")),
            lambda: plan_answers(folder / "nothing.csv", endpoint(server)),
            lambda: Endpoint(f"http://me:{KEY}@127.0.0.1/v1", "m"),
            lambda: Endpoint(f"http://127.0.0.1/v1?key={KEY}", "m"),
            lambda: Endpoint("http://127.0.0.1/v1", "m", key_variable=KEY),
            lambda: Endpoint(KEY, "m"),
        ]
        for number, call in enumerate(calls):
            with pytest.raises(ValueError) as caught:
                call()
            assert holds(f"{caught.value} {caught.value!r}", *places(tmp_path, server)) == [], number


def test_the_clients_own_log_shows_no_key(tmp_path, caplog):
    for name in ("openai", "httpx", "httpx2"):  # as with OPENAI_LOG=debug
        caplog.set_level(logging.DEBUG, name)
    with answer_server(KNOWN, key=KEY) as server:
        run(server, tmp_path, progress=False)
    assert any(record.name.startswith("openai") and record.levelno == logging.DEBUG for record in caplog.records)
    assert [word for word in HIDDEN if word in caplog.text] == []


def test_the_key_is_read_when_it_is_needed_and_kept_nowhere(tmp_path, monkeypatch):
    with answer_server(KNOWN, key=KEY) as server:
        made = endpoint(server)
        plan = plan_answers(QUESTIONS, made, n_answers=2, confidences=())
        monkeypatch.setenv("OPENAI_API_KEY", "another-key-that-is-wrong")
        with pytest.raises(ValueError, match="refuses the key of the environment variable OPENAI_API_KEY"):
            collect_answers(plan, tmp_path / "a.jsonl", progress=False)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert pickle.loads(pickle.dumps(plan)).endpoint == made
        assert collect_answers(pickle.loads(pickle.dumps(plan)), tmp_path / "a.jsonl", progress=False).complete
