"""The script that recorded SmolLM2: what it asks, what it has asked already, and how it reads its own logs."""

import json

import pytest

from tests.scripts import load_script

QUESTION = "What is frozen water called?"


@pytest.fixture(scope="module")
def recorder():
    return load_script("make_smollm2")


@pytest.fixture
def folder(tmp_path):
    """A log of two responses, the second of which a kill has cut."""

    def line(kind, *texts):
        choices = [{"text": text, "top": None} for text in texts]
        return json.dumps({"kind": kind, "question": QUESTION, "samples": list(range(len(texts))), "choices": choices})

    lines = [
        '{"format": "header"}',
        line("greedy", "Answer: ice"),
        line("answer", "Answer: Ice.", "Answer: snow\nand", ""),
    ]
    (tmp_path / "answers_plain-1.jsonl").write_text("\n".join([*lines, lines[2][:40]]))
    return tmp_path


def test_spellings_count_together_and_the_greedy_answer_twice(recorder, folder):
    table = recorder.distinct_answers(folder).set_index("spelling")
    assert table["count"].to_dict() == {"ice": 3, "snow": 1}
    assert table.loc["ice", "answer"] == "ice" and not table["examples"].any()


def test_frequent_answers_are_asked_about_first_and_each_once(recorder, folder):
    requests = list(recorder.rating_requests("is_true_examples", folder))
    assert [request.about["answer"] for request in requests] == ["ice", "snow"]
    often = list(recorder.rating_requests("is_true_examples", folder, often_only=True))
    assert [request.about["answer"] for request in often] == ["ice"]
    assert requests[0].messages[-1] == {"role": "assistant", "content": "Answer:"}
    assert requests[0].messages[-2]["content"] == f"Question: {QUESTION}\nProposed answer: ice"


def test_a_question_is_asked_for_one_greedy_and_fifty_drawn_answers(recorder):
    requests = list(recorder.answer_requests("answers_examples"))[:3]
    assert [(request.kind, len(request.samples)) for request in requests] == [
        ("greedy", 1),
        ("answer", 25),
        ("answer", 25),
    ]
    assert len({request.key for request in requests}) == 1
    assert sorted(sample for request in requests[1:] for sample in request.samples) == list(range(50))
    assert [request.temperature for request in requests] == [0.0, 1.0, 1.0]
