"""Replies held to a JSON schema: what keeps the form is a verdict."""

import pytest

pytest.importorskip("inspect_ai")

from helpers.practice.llm.evals.requests import GRADE_SCHEMA, keeps, partition_schema


@pytest.mark.parametrize("reply", [
    {"classes": {"1": 1}}, {"classes": {"1": 1, "2": 3}}, {"classes": [[1, 2]]}, {"classes": {"1": "1", "2": 1}}, {},
    {"classes": {"1": 1, "2": True}}, {"classes": {"1": 1, "2": 1, "3": 1}},
])  # fmt: skip
def test_what_is_no_partition_of_two_answers_breaks_its_schema(reply):
    assert keeps({"classes": {"1": 1, "2": 2}}, partition_schema(2))
    assert not keeps(reply, partition_schema(2))


@pytest.mark.parametrize("reply", [{"grade": "right"}, {"grade": None}, {}, {"grade": "correct", "because": "so"}])
def test_what_is_no_grade_breaks_its_schema(reply):
    assert keeps({"grade": "correct"}, GRADE_SCHEMA)
    assert not keeps(reply, GRADE_SCHEMA)
