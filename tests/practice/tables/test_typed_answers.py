"""Answers with a probability for each option: what is read, what is refused, and the recorded file."""

import json

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import DATA_FOLDER
from helpers.practice.tables import read_typed_answers
from tests.scripts import load_script

YES_NO = {"question": "late", "type": "yes-no", "options": ["no", "yes"], "probabilities": [0.8, 0.2], "truth": "no"}
SCORE = {
    "question": "mood", "type": "score", "options": [0, 1, 2], "probabilities": [0.2, 0.3, 0.5], "truth": 1, "age": 40,
}  # fmt: skip


def written(folder, *records):
    path = folder / "sold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_questions_are_kept_apart_and_columns_are_options(tmp_path):
    answers = read_typed_answers(written(tmp_path, SCORE, YES_NO, SCORE | {"age": 50}))
    assert list(answers) == ["mood", "late"]
    mood = answers["mood"]
    assert mood.type == "score" and mood.options == ["0", "1", "2"] and mood.y.tolist() == [1, 1]
    assert mood.P.to_numpy().tolist() == [[0.2, 0.3, 0.5]] * 2 and mood.X["age"].tolist() == [40, 50]
    assert mood.confidence.tolist() == [0.5, 0.5] and mood.correct.tolist() == [0, 0]
    assert str(answers["late"]) == "late (yes-no): 1 answers, 2 options; 100.0 % right"


def test_of_equally_likely_options_the_first_is_the_answer(tmp_path):
    tied = YES_NO | {"probabilities": [0.5, 0.5]}
    late = read_typed_answers(written(tmp_path, tied, tied | {"truth": "yes"}))["late"]
    assert late.correct.tolist() == [1, 0]


def test_rounded_probabilities_sum_to_one_again(tmp_path):
    rounded = SCORE | {"probabilities": [0.333, 0.333, 0.333]}
    mood = read_typed_answers(written(tmp_path, rounded))["mood"]
    assert mood.P.to_numpy() == pytest.approx(1 / 3, abs=1e-12)


def test_a_table_in_memory_is_read_alike_and_not_changed(tmp_path):
    table = pd.DataFrame([YES_NO] * 3)
    before = table.copy(deep=True)
    read = read_typed_answers(table)["late"]
    pd.testing.assert_frame_equal(read.P, read_typed_answers(written(tmp_path, *[YES_NO] * 3))["late"].P)
    pd.testing.assert_frame_equal(table, before)


BAD = {  # what the second and the third of four rows have instead, and what the error says
    "sum": ({"probabilities": [0.8, 0.1]}, "'probabilities' must sum to 1, but in line 2 it is 0.9 .*1 more"),
    "percentages": ({"probabilities": [80, 20]}, r"'probabilities' must lie in \[0, 1\].*line 2"),
    "a gap": ({"probabilities": [0.8, None]}, r"'probabilities' must lie in \[0, 1\].*line 2"),
    "too few": ({"probabilities": [1.0]}, "'probabilities' must have one number for each option.*line 2"),
    "one number": ({"probabilities": 0.8}, "'probabilities' must have one number for each option.*line 2"),
    "nested": ({"probabilities": [[0.8], [0.2]]}, "'probabilities' must have one number for each option.*line 2"),
    "words": ({"probabilities": ["likely", "not"]}, "'probabilities' must have one number for each option.*line 2"),
    "no truth": ({"truth": None}, "'truth' must be known.*line 2 it is missing .*1 more"),
    "another truth": ({"truth": "perhaps"}, "'truth' must be one of the options.*line 2 it is 'perhaps'"),
    "another type": ({"type": "noul"}, "'type' must be one of yes-no, choice, score.*line 2 it is 'noul'"),
    "two types": ({"type": "choice"}, "'type' must be the same.*line 2"),
    "no question": ({"question": None}, "'question' must name.*line 2"),
    "a list as question": ({"question": ["late"]}, "'question' must name.*line 2"),
    "one option": ({"options": ["no"]}, "'options' must be a list of two or more.*line 2"),
    "an option twice": ({"options": ["no", "no"]}, "'options' must be a list of two or more different.*line 2"),
    "options in words": ({"options": "no, yes"}, "'options' must be a list.*line 2"),
    "three for yes-no": ({"options": ["no", "yes", "both"]}, "'options' must be two.*line 2"),
    "another order": ({"options": ["yes", "no"]}, "'options' must be the same.*line 2"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rows_are_counted_and_the_first_is_named(tmp_path, case):
    change, words = BAD[case]
    path = written(tmp_path, YES_NO, YES_NO | change, YES_NO | change, YES_NO)
    with pytest.raises(ValueError, match=f"^sold.jsonl: column {words}"):
        read_typed_answers(path)


@pytest.mark.parametrize("column", YES_NO)
def test_a_missing_column_is_named(tmp_path, column):
    with pytest.raises(ValueError, match=f"^sold.jsonl has no column '{column}'"):
        read_typed_answers(written(tmp_path, {name: value for name, value in YES_NO.items() if name != column}))


@pytest.fixture(scope="module")
def recorded():
    return read_typed_answers("data/sparrow_answers.jsonl.gz")


def test_the_recorded_truth_is_that_of_the_sentences(recorded):
    sentences = pd.read_csv(DATA_FOLDER / "smollm2_sentences.csv")
    assert {name: (answers.type, len(answers.options)) for name, answers in recorded.items()} == {
        "liked": ("yes-no", 2), "opinion": ("choice", 2), "level": ("score", 3), "subject": ("choice", 30),
    }  # fmt: skip
    for name, answers in recorded.items():
        assert answers.X["sentence"].tolist() == sentences["sentence"].tolist(), name
        wanted = sentences["label"] * (2 if name == "level" else 1)
        if name == "subject":
            wanted = sentences["subject"].map(answers.options.index)
        np.testing.assert_array_equal(answers.y, wanted)


def test_the_package_still_says_what_was_recorded(recorded):
    decider = pytest.importorskip("sparrow_decider", reason="needs the extra decider")
    script = load_script("make_sparrow_answers")
    sentences = pd.read_csv(DATA_FOLDER / "smollm2_sentences.csv").iloc[::60]
    subjects = recorded["subject"].options
    ask = decider.Decider.load(script.MODEL).ask
    for question, answers in recorded.items():
        asked = script.make_questions(subjects)[question]
        said = [script.list_probabilities(ask(text, {"it": asked})["it"]) for text in sentences["sentence"]]
        assert np.abs(answers.P.to_numpy()[::60] - said).max() < 6e-4  # rounded, and another processor
