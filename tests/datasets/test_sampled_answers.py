"""Sampled answers: made-up files with every oddity, and the real ones where the cache has them."""

import hashlib
import json

import pytest

from helpers.datasets import fetch_sampled_answers
from helpers.datasets import sampled_answers as _sampled_answers
from helpers.datasets.download import ManifestFile
from helpers.datasets.sampled_answers import parse_answer

RECORDS = [
    {
        "question": "What is the date today?",
        "answer": "05/01/2021",
        "generated": ["A: 05/01/2021", "A: 5/1/2021.", "I do not know."],
        "results": ["05/01/2021", "5/1/2021.", "I do not know."],
    },
    {
        "question": "And tomorrow?",
        "answer": "05/02/2021",
        "generated": ["first 05/01/2021, then 05/02/2021", "A: 05/03/2021", "A: 05/02/2021 "],
        "results": ["first 05/01/2021, then 05/02/2021", "05/03/2021", "05/02/2021 "],
    },
]


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Function that puts records where the cache of the package looks."""
    monkeypatch.setenv("HONEST_DATA", str(tmp_path))

    def place(records):
        content = json.dumps(records).encode()
        path = tmp_path / "mot/GPT3_result/date_cot9.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        sha = hashlib.sha256(content).hexdigest()
        entry = ManifestFile(
            "mot", "GPT3_result/date_cot9.json", len(content), sha, "github:owner/repo", "0" * 40, "x.json", "none"
        )
        monkeypatch.setattr(_sampled_answers, "answer_files", lambda: {"GPT3/date_cot9": entry})

    return place


def test_the_table_has_one_row_for_each_answer(put):
    put(RECORDS)
    data = fetch_sampled_answers("GPT3/date_cot9")
    assert str(data) == "GPT3/date_cot9: GPT-3.5, 2 date questions, 3 answers each (licence: none)"
    table = data.table
    assert list(table) == [
        "question", "sample", "answer", "parsed", "reference", "generated", "model", "prompt",
    ]  # fmt: skip
    assert table["question"].tolist() == [0, 0, 0, 1, 1, 1] and table["sample"].tolist() == [0, 1, 2] * 2
    assert table["parsed"].isna().tolist() == [False, False, True, False, False, False]
    assert (table["parsed"] == table["reference"]).tolist() == [True, True, False, True, False, True]
    assert data.questions == ("What is the date today?", "And tomorrow?") and data.n_samples == 3
    assert set(table["model"]) == {"GPT-3.5"} and set(table["prompt"]) == {"cot9"}


@pytest.mark.parametrize(
    ("text", "task", "parsed"),
    [
        ("7/9/1972", "date", "07/09/1972"),
        ("from 01/02/2003 to 03/04/2005", "date", "03/04/2005"),
        ("1/2/20034", "date", None),
        ("about -1,234.50 dollars", "gsm", "-1234.5"),
        ("3.", "gsm", "3"),
        ("no idea", "gsm", None),
    ],
)
def test_answers_in_one_spelling(text, task, parsed):
    assert parse_answer(text, task) == parsed


@pytest.mark.parametrize("broken", [{"results": ["one"]}, {"generated": None}])
def test_a_file_of_another_kind_is_refused(put, broken):
    records = [RECORDS[0], {k: v for k, v in (RECORDS[1] | broken).items() if v is not None}]
    put(records)
    with pytest.raises(ValueError, match="the file of GPT3/date_cot9 must hold .* but question 1 "):
        fetch_sampled_answers("GPT3/date_cot9")


def test_an_unknown_system_is_named_with_its_neighbour():
    with pytest.raises(ValueError, match="one of the 12 systems, but it is 'GPT4/date'; did you mean 'GPT4/date_cot1'"):
        fetch_sampled_answers("GPT4/date")
