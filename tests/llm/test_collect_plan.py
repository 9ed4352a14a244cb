"""helpers.llm: questions, prompts, plans and endpoints; nothing is sent."""

import json
import math
from dataclasses import replace

import pandas as pd
import pytest
from answer_server import answer_server
from collecting import KNOWN, QUESTIONS, collect, endpoint, known, plan

from helpers.llm import (
    Endpoint,
    collect_answers,
    prompt_names,
    prompt_text,
    read_questions,
)
from helpers.llm.prompts import load_prompt
from helpers.llm.testing import known_answers, stand_in


def test_a_dry_run_shows_the_very_messages_and_sends_nothing(tmp_path):
    with answer_server(KNOWN) as server:
        made = plan(server, n_answers=3, confidences=("posterior", "is_true", "verbalised"))
        shown = made.preview(2)
        printed = str(made)
        assert server.stats() == {"given": {}} and "3 answers to each of 12 questions by stand-in" in printed
        found = collect_answers(made, tmp_path / "a.jsonl", progress=False)
        given = [tuple((one["role"], one["content"]) for one in json.loads(text)) for text in server.stats()["given"]]
    first = shown[shown["step"] == "answer"]
    for user in first.loc[first["role"] == "user", "text"]:
        system = first.loc[first["role"] == "system", "text"].iloc[0]
        assert (("system", system), ("user", user)) in given
    for step in ("is_true", "verbalised"):
        system, user = shown.loc[shown["step"] == step, "text"].iloc[:2]
        user = user.replace("(an answer of the model)", found.answers["answer"].iloc[0])
        assert (("system", system), ("user", user)) in given
    assert len(given) == found.usage.requests


def test_a_hundred_thousand_questions_are_planned_and_refused(tmp_path):
    with stand_in() as gone:  # nobody would answer if something were sent
        pass
    asked = []
    unpriced = plan(gone, [f"What is {k} + {k}?" for k in range(100_000)], n_answers=10,
                    endpoint_options={"price_in": None, "max_retries": 0})  # fmt: skip
    made = replace(unpriced, endpoint=endpoint(gone, price_in=1.0, price_out=4.0, max_retries=0))
    assert made.requests == (100_000, 1_000_000) and "100,000 questions" in str(made)
    for refused, words in (
        (unpriced, "Up to 1,000,000 requests would be sent, and their price is unknown"),
        (made, r"Up to [\d,.]+ may be spent, more than spend_limit=1"),
    ):
        with pytest.raises(ValueError, match=words):
            collect_answers(refused, tmp_path / "a.jsonl", progress=False)
    with pytest.raises(ValueError, match="confirm said no; nothing was sent"):
        collect_answers(made, tmp_path / "a.jsonl", progress=False, confirm=asked.append)
    assert asked.pop() is made and not list(tmp_path.iterdir())


def test_a_run_that_grows_dearer_than_its_limit_stops(tmp_path):
    with stand_in(KNOWN, honour_n=False) as server:
        prices = {"price_in": 1000.0, "price_out": 1000.0, "concurrency": 2}
        made = plan(server, n_answers=10, endpoint_options=prices, max_tokens=1)
        limit = made.cost[1]
        assert made.cost[0] < limit
        with pytest.raises(ValueError, match="more than spend_limit"):
            collect_answers(made, tmp_path / "a.jsonl", spend_limit=limit / 2, progress=False)
        found = collect_answers(made, tmp_path / "a.jsonl", spend_limit=limit, progress=False)
        assert found.complete and found.usage.cost <= limit


def test_our_prompts_say_what_they_are_for():
    tasks = {name: prompt_text(name).splitlines()[1] for name in prompt_names()}
    assert tasks == {
        "answer": "Task: answer", "choice": "Task: answer", "answer_with_confidence": "Task: verbalised",
        "verbalised": "Task: verbalised", "is_true": "Task: is_true", "is_true_swapped": "Task: is_true",
        "partition": "Task: partition", "grade": "Task: grade", "risk": "Task: options"}  # fmt: skip
    assert len({prompt_text(name) for name in tasks}) == len(tasks)


def test_a_prompt_of_ones_own(server, tmp_path):
    own = tmp_path / "mine.txt"
    own.write_text("Tell me, {question}\nIn German.", encoding="utf-8")
    found = collect(server, tmp_path / "a.jsonl", n_answers=4, prompt=str(own))
    mine, ours = (load_prompt(name, "answer").sha256 for name in (str(own), "answer"))
    assert set(found.answers["prompt_hash"]) == {mine} != {ours} and len(mine) == 16
    assert found.plan.preview()["text"].tolist() == [f"Tell me, {QUESTIONS['question'][0]}\nIn German."]
    assert found.answers["posterior"].to_numpy() == pytest.approx(known(found.answers, "posterior"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Tell me.", r"prompt mine must hold \{question\}"),
        ("{question} {answer}", r"prompt mine holds \{answer\}, which nothing fills here"),
        ("{question} {qestion}", r"holds \{qestion\}, which nothing fills here; did you mean 'question'"),
        (
            "Hello\n[user]\n{question}",
            "prompt mine must begin with its first .system. or .user., but text stands before it",
        ),
        ("", "prompt mine.txt is empty"),
        (b"\xff\xfe{question}", "prompt mine.txt must be a text file in UTF-8"),
    ],
)
def test_bad_prompts(server, tmp_path, text, message):
    own = tmp_path / "mine.txt"
    own.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message) as caught:
        plan(server, prompt=own)
    assert str(tmp_path) not in str(caught.value)


def test_questions_with_options(tmp_path):
    rows = pd.DataFrame({"question": ["Largest?", "Smallest?"], "a": ["Oslo", "Rome"], "b": ["Lima", "Bern"]})
    rows = rows.assign(c=["Bonn", None], reference=["Lima", "A"])
    asked = read_questions(rows, options=["a", "b", "c"])
    assert asked["question"].tolist() == ["Largest?\nA. Oslo\nB. Lima\nC. Bonn", "Smallest?\nA. Rome\nB. Bern"]
    assert asked["reference"].tolist() == ["B", "A"]
    letters = known_answers(asked["question"], probabilities={q: {"A": 0.5, "B": 0.5} for q in asked["question"]})
    with stand_in(letters[letters["text"].isin(["A", "B"])].assign(probability=0.5)) as server:
        table = collect(server, tmp_path / "a.jsonl", asked, n_answers=12, prompt="choice").answers
    assert set(table["answer"]) == {"A", "B"} and table["posterior"].to_numpy() == pytest.approx(0.5)


def test_questions_are_read_from_files_and_left_alone(tmp_path):
    frame = pd.DataFrame({"text": [" Why? ", "How?"], "right": ["a", None], "other": [1, 2]})
    before = frame.copy()
    wanted = pd.DataFrame({"question": ["Why?", "How?"], "reference": ["a", None]}, dtype=object)
    pd.testing.assert_frame_equal(read_questions(frame, question="text", reference="right"), wanted)
    pd.testing.assert_frame_equal(frame, before)
    for name, write in (("q.csv", frame.to_csv), ("q.parquet", frame.to_parquet)):
        write(tmp_path / name, index=False)
        found = read_questions(tmp_path / name, question="text", reference="right")
        assert found["question"].tolist() == ["Why?", "How?"] and found["reference"].tolist() == ["a", None]


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        (["a", " ", None], r"question must not be empty, but row 2 is \(and 1 more\)"),
        (["a", "b", "a "], "question must occur once, but rows 1 and 3 are both 'a'"),
        ([], "at least one question"),
        (pd.DataFrame({"qestion": ["a"]}), "no column 'question'; did you mean 'qestion'"),
        (pd.DataFrame([["a", "b"]], columns=["question", "question"]), "more than one column named 'question'"),
        ("no_such_file.csv", "no_such_file.csv"),
    ],
)
def test_bad_questions(server, questions, message):
    with pytest.raises(ValueError, match=message):
        plan(server, questions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_answers": 0}, "n_answers must be a whole number of at least 1"),
        ({"n_answers": 2.5}, "n_answers must be a whole number"),
        ({"max_tokens": 0}, "max_tokens must be a whole number of at least 1"),
        ({"temperature": -1}, "temperature must lie between 0 and 2"),
        ({"temperature": math.nan}, "temperature must lie between 0 and 2"),
        ({"temperature": "hot"}, "temperature must lie between 0 and 2"),
        ({"temperature": 0}, "temperature must be above 0 for several answers"),
        ({"confidences": ("posteriour",)}, "did you mean 'posterior'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"prompt": "anwser"}, "did you mean 'answer'"),
    ],
)
def test_bad_plans(server, options, message):
    with pytest.raises(ValueError, match=message):
        plan(server, **options)


@pytest.mark.parametrize(
    ("address", "options", "message"),
    [
        ("localhost:8000", {}, "base_url must begin with http:// or https://"),
        ("ftp://a.b/v1", {}, "base_url must begin with http"),
        ("http://", {}, "base_url must begin with http"),
        ("http://a.b:99999/v1", {}, "base_url must begin with http"),
        (None, {}, "base_url must begin with http"),
        ("https://me:secret@a.b/v1", {}, "must hold no user name, password, key"),
        ("https://a.b/v1?api_key=secret", {}, "must hold no user name, password, key"),
        ("http://a.b/v1#secret", {}, "must hold no user name, password, key"),
        ("http://a.b/v1", {"model": " "}, "model must be the name of a model, but it is empty"),
        ("http://a.b/v1", {"key_variable": "sk-secret-key"}, "It is never the key itself"),
        ("http://a.b/v1", {"concurrency": 0}, "concurrency must be a whole number of at least 1"),
        ("http://a.b/v1", {"max_retries": -1}, "max_retries must be a whole number of at least 0"),
        ("http://a.b/v1", {"timeout": 0}, "timeout must be a number of seconds above 0"),
        ("http://a.b/v1", {"timeout": math.inf}, "timeout must be a number of seconds above 0"),
        ("http://a.b/v1", {"price_in": -1}, "price_in must be at least 0"),
        ("http://a.b/v1", {"price_out": math.nan}, "price_out must be at least 0"),
        ("http://a.b/v1", {"extra_body": {"a": {1}}}, "extra_body must be a dictionary"),
    ],
)
def test_bad_endpoints(address, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        Endpoint(address, options.pop("model", "m"), **options)
    assert "secret" not in str(caught.value)
