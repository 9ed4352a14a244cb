"""Prompts bring their schema and hold no place that nothing fills."""

import pytest

from helpers.practice.llm.prompts import load_prompt, prompt_names


def test_prompts_that_ask_for_a_confidence_bring_its_schema():
    assert list(load_prompt("verbalised", "verbalised").schema["properties"]) == ["confidence"]
    both = load_prompt("answer_with_confidence", "answer").schema
    assert list(both["properties"]) == both["required"] == ["answer", "confidence"]
    assert load_prompt("answer", "answer").schema is None


@pytest.mark.parametrize(("text", "word"), [
    ("Question: {question}", "answer"),
    ("{question} {answer} {reference}", "reference"),
    ("Question: {question}\nAnswer: {answer}\nReply with\nConfidence: NUMBER%", "JSON"),
    ("Hello\n[user]\n{question} {answer}", "begin"),
    ("", "empty"),
])  # fmt: skip
def test_a_prompt_of_ones_own_that_cannot_work_is_refused(tmp_path, text, word):
    (tmp_path / "mine.txt").write_text(text)
    with pytest.raises(ValueError, match=word):
        load_prompt(tmp_path / "mine.txt", "verbalised")


def test_a_prompt_holds_no_place_that_nothing_fills():
    steps = {"choice": "answer", "answer_with_confidence": "answer", "is_true_swapped": "is_true", "risk": "score"}
    for name in prompt_names():
        (*_, last) = load_prompt(name, steps.get(name, name)).messages(
            question="Who {answer}?", answer="He", answers="1. He", reference="She", case="- age: 3", options="A, B"
        )
        assert last["role"] == "user" and "Who {answer}?" in last["content"]
