"""Replies held to a JSON schema, and read strictly."""

import math

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.llm import parse_verbalised
from helpers.llm.prompts import load_prompt
from helpers.llm.verdicts import GRADE_SCHEMA, partition_schema, read_grade, read_partition


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


def test_a_grade_is_read_from_what_its_schema_allows():
    for grade in GRADE_SCHEMA["properties"]["grade"]["enum"]:
        assert read_grade(f'{{"grade": "{grade}"}}')[1] == ""
