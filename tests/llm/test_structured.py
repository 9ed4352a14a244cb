"""Replies held to a JSON schema: sent where the server takes it, left out where it does not, and read in both forms."""

import math

import jsonschema
import pandas as pd
import pytest
from answer_server import answer_server
from collecting import KNOWN, collect, endpoint, known, plan
from hypothesis import given
from hypothesis import strategies as st

from helpers.llm import grade_answers, judge_classes, parse_verbalised
from helpers.llm.client import Request
from helpers.llm.prompts import load_prompt
from helpers.llm.verdicts import GRADE_SCHEMA, partition_schema, read_grade, read_partition


def test_a_schema_is_sent_as_the_interface_wants_it():
    fields = Request("grade", "k", [], schema=GRADE_SCHEMA).fields
    assert fields["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "grade", "strict": True, "schema": GRADE_SCHEMA},
    }
    assert "response_format" not in Request("answer", "k", []).fields


@given(st.data(), st.integers(1, 12))
def test_whatever_keeps_the_schema_of_a_partition_is_one(data, size):
    labels = data.draw(st.lists(st.integers(1, size), min_size=size, max_size=size))
    reply = {"classes": {str(number): label for number, label in enumerate(labels, 1)}}
    jsonschema.validate(reply, partition_schema(size))
    classes, why = read_partition(str(reply).replace("'", '"'), size)
    assert why == "" and sorted(number for members in classes for number in members) == list(range(size))
    for members in classes:
        assert len({labels[number] for number in members}) == 1
    assert len(classes) == len(set(labels))


@pytest.mark.parametrize("reply", [
    {"classes": {"1": 1}}, {"classes": {"1": 1, "2": 3}}, {"classes": [[1, 2]]}, {"classes": {"1": "1", "2": 1}}, {},
])  # fmt: skip
def test_what_is_no_partition_breaks_its_schema(reply):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(reply, partition_schema(2))


@pytest.mark.parametrize(("text", "why"), [
    ('{"classes": {"1": 1, "3": 1}}', "unknown number"),
    ('{"classes": {"1": 1}}', "missing number"),
    ('{"classes": {"first": 1, "2": 1}}', "not a number"),
    ('{"classes": {"01": 1, "1": 1}}', "doubled number"),
])  # fmt: skip
def test_classes_that_fit_no_answers_are_refused(text, why):
    assert read_partition(text, 2) == (None, why)


@pytest.mark.parametrize(("text", "answer", "p"), [
    ('{"confidence": 85}', None, 0.85),
    ('{"answer": " Paris ", "confidence": 100}', "Paris", 1.0),
    ('```json\n{"confidence": 0}\n```', None, 0.0),
    ('{"confidence": 0.85}', None, 0.85),
    ('{"confidence": 1}', None, 0.01),
    ('{"confidence": 850}', None, math.nan),
    ('{"confidence": "85"}', None, math.nan),
    ('{"confidence": true}', None, math.nan),
    ('{"answer": "Paris"}', "Paris", math.nan),
    ('{"answer": "", "confidence": 85}', None, 0.85),
    ('{"confidence": 85} I am sure.', None, math.nan),
])  # fmt: skip
def test_a_confidence_in_json_is_read_strictly(text, answer, p):
    stated = parse_verbalised(text)
    assert stated[0] == answer and stated[1] == pytest.approx(p, nan_ok=True)


def test_prompts_that_ask_for_json_bring_its_schema(tmp_path):
    (tmp_path / "lines.txt").write_text("Question: {question}\nAnswer: {answer}\nReply with\nConfidence: NUMBER%")
    assert load_prompt(tmp_path / "lines.txt", "verbalised").schema is None
    assert list(load_prompt("verbalised", "verbalised").schema["properties"]) == ["confidence"]
    both = load_prompt("answer_with_confidence", "answer")
    assert both.states_confidence and list(both.schema["properties"]) == ["answer", "confidence"]
    jsonschema.validate({"answer": "Paris", "confidence": 85}, both.schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"answer": "Paris", "confidence": 0.85}, both.schema)
    assert load_prompt("answer", "answer").schema is None and not load_prompt("answer", "answer").states_confidence


def test_only_the_stated_confidence_asks_for_a_form():
    with answer_server(KNOWN) as server:
        made = plan(server, confidences=("is_true", "verbalised"))
    forms = {
        step: made.request(step, "Which city is number 0?", [0], answer).schema is not None
        for step, answer in (("answer", None), ("is_true", "Paris"), ("verbalised", "Paris"))
    }
    assert forms == {"answer": False, "is_true": False, "verbalised": True}


def test_a_server_without_schemas_is_asked_without_them(tmp_path):
    with answer_server(KNOWN, faults={"schema": 0.0}) as server:
        answers = collect(server, tmp_path / "a.jsonl", n_answers=4, confidences=("verbalised",))
        refused = server.stats()["fault schema"]
        assert 1 <= refused <= 4  # of the requests that were on their way at the same time
        assert answers.answers["verbalised"].to_numpy() == pytest.approx(known(answers.answers, "verbalised"))
        one_by_one = endpoint(server, concurrency=1)
        judged = judge_classes(answers, one_by_one, tmp_path / "b.jsonl", progress=False)
        graded = grade_answers(answers, one_by_one, tmp_path / "c.jsonl", progress=False)
        assert server.stats()["fault schema"] == refused + 2  # once a run, then never again
    assert judged.reported.empty and graded.reported.empty and judged.invalid == graded.invalid == {}


def test_a_server_with_schemas_gets_them_all(tmp_path):
    table = pd.DataFrame({"question": ["q"] * 3, "answer": ["Paris", "paris", "Rome"]})
    with answer_server(KNOWN) as server:
        judge_classes(table, endpoint(server), tmp_path / "a.jsonl", progress=False)
        assert server.stats()["schemas"] == 1


def test_a_grade_is_read_from_what_its_schema_allows():
    for grade in GRADE_SCHEMA["properties"]["grade"]["enum"]:
        assert read_grade(f'{{"grade": "{grade}"}}')[1] == ""
