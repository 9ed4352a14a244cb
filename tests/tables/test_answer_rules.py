"""Files of answers looked at before they are believed: the rule, answers that repeat, two systems, the recorded log."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import DATA_FOLDER, load_smollm2_answers
from helpers.tables import read_answers, read_systems
from helpers.tables.answer_rules import look_for_rule
from helpers.tables.repeats import find_repeats

LOG = DATA_FOLDER / "smollm2_answers.jsonl.gz"


def asked(answers, references, names=None):
    """A table with a row an answer, from lists of answers."""
    names = names or [f"q{k}" for k in range(len(answers))]
    rows = [
        {"question": name, "sample": k, "answer": answer, "reference": reference}
        for name, made, reference in zip(names, answers, references, strict=True)
        for k, answer in enumerate(made)
    ]
    return pd.DataFrame(rows)


NUMBERS = asked([["So it is 18.0", "18", "$18.00"], ["7.0.", "8", "7"]] * 20, ["18", "7"] * 20)
DATES = asked([["It is 05/01/2021.", "May 1, 2021"], ["05/02/2021", "I see: 05/02/2021"]] * 9, ["05/01/2021"] * 18)
LETTERS = asked([["B", "The answer is (B)."], ["(C)", "C. Paris"]] * 9, ["B", "C"] * 9)
WORDS = asked([["Apollo 11", "Apollo 12", "apollo 11"], ["Paris", "Lyon", "paris"]] * 9, ["Apollo 11", "Paris"] * 9)


@pytest.mark.parametrize(
    ("frame", "rule", "right"),
    [(NUMBERS, "numeric", 1), (DATES, "date", 0.5), (LETTERS, "letter", 1), (WORDS, "normalized", 1)],
)
def test_the_rule_is_found_by_looking(frame, rule, right):
    table = read_answers(frame)
    assert table.rule == rule == look_for_rule(frame["answer"], frame["reference"])
    assert table.grouped.correct[:, 0].mean() == right
    assert (table.moves is None) == (rule == "normalized")
    plain = read_answers(frame, rule="normalized")
    if rule != "normalized":
        said = str(table.moves)
        assert f"the rule '{rule}' was chosen by looking" in said and said in table.notes
        assert f"by the rule '{rule}'" in str(plain.moves) and not plain.moves.chosen
    assert plain.rule == "normalized"


def test_nothing_is_said_where_another_rule_changes_nothing():
    frame = asked([["7", "7", "8"], ["1", "2", "1"]] * 9, ["7", "1"] * 9)
    for rule in ("auto", "normalized", "numeric"):
        table = read_answers(frame, rule=rule)
        assert table.moves is None and table.rule == ("normalized" if rule == "auto" else rule)


def test_without_right_answers_the_answers_are_looked_at():
    frame = NUMBERS.assign(answer=["18.0", "18", "$18.00"] * 40).drop(columns="reference")
    table = read_answers(frame)
    assert table.rule == "numeric" and "agree to" in str(table.moves)
    assert read_answers(WORDS.drop(columns="reference")).rule == "normalized"


def test_a_single_article_is_no_letter():
    assert look_for_rule(pd.Series(["A dog", "a cat"]), pd.Series(["a", "A"])) == "normalized"


def sampled(n_questions, n, rng):
    """Answers of independent samples, with a little less than half of the pairs equal."""
    p = rng.dirichlet(np.ones(4) * 0.5, n_questions)
    return (rng.random((n_questions, n, 1)) > p.cumsum(axis=1)[:, None, :]).sum(axis=2)


def repeats_of(texts):
    n_questions, n = texts.shape
    return find_repeats(np.repeat(np.arange(n_questions), n), np.tile(np.arange(n), n_questions), texts.ravel())


def test_independent_answers_are_not_accused():
    rng = np.random.default_rng(0)
    assert not any(repeats_of(sampled(rng.choice([30, 300]), rng.choice([3, 10, 40]), rng)) for _ in range(100))


def test_copies_are_found_and_left_out():
    rng = np.random.default_rng(1)
    texts = sampled(100, 10, rng)
    assert repeats_of(np.c_[texts, texts]).copies.tolist() == list(range(11, 21))
    assert repeats_of(np.repeat(texts, 2, axis=1)).copies.tolist() == list(range(2, 21, 2))
    frame = asked(np.c_[texts, texts].tolist(), [0] * 100)
    table = read_answers(frame)
    assert (table.grouped.n_answers == 10).all() and table.repeats is not None
    assert any("answers 11 to 20 repeat earlier ones (1 to 10) in at least 100% of 100" in note for note in table.notes)
    half = np.where((np.arange(100) < 60)[:, None], np.c_[texts, texts], sampled(100, 20, rng))
    table = read_answers(asked(half.tolist(), [0] * 100))
    assert (table.grouped.n_answers == 20).all() and "where chance allows" in str(table.repeats)


def test_answers_sorted_by_what_they_say_are_not_accused():
    assert repeats_of(np.sort(sampled(200, 10, np.random.default_rng(2)), axis=1)) is None


def test_the_recorded_log_brings_its_classes_and_grades():
    """The raw log and the loader's table are the same; both are graded as recorded, not by matching."""
    raw = read_answers(LOG)
    frame = load_smollm2_answers()
    table = read_answers(frame)
    np.testing.assert_array_equal(raw.grouped.counts, table.grouped.counts)
    assert raw.rule == "class" and raw.columns["correct"] == "correct" and raw.grouped.n_answers.tolist() == [50] * 339
    asked_with = frame[(frame["prompt"] == "examples") & (frame["sample"] > 0)]
    right = (raw.grouped.correct == 1) * raw.grouped.counts
    assert right.sum() == asked_with["correct"].sum()  # every class is right or wrong as a whole
    other = read_answers(frame, only="plain", confidence="verbalised")
    assert other.columns["confidence"] == "verbalised" and other.n_answers == 16950
    assert list(read_systems(frame)) == ["examples", "plain"]


def test_a_line_of_the_recorded_log_without_its_parts(tmp_path):
    with gzip.open(LOG, "rt", encoding="utf-8") as file:
        record = json.loads(file.readline())
    del record["answers"][0]["spelling"]
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="mine.jsonl must be the recorded log of answers, but a line lacks"):
        read_answers(path)


def two_systems():
    frame = pd.concat([WORDS.assign(model="a"), WORDS.assign(model="b", answer="Paris")])
    return frame.reset_index(drop=True)


def test_two_systems_in_one_file_or_in_two(tmp_path):
    both = read_systems(two_systems(), system="model")
    assert list(both) == ["a", "b"] and both["a"].n_questions == both["b"].n_questions == 18
    assert both["b"].grouped.counts.shape[1] == 1
    assert list(read_systems(two_systems(), system="model", systems=["b", "a"])) == ["b", "a"]
    assert list(read_systems(two_systems(), system="model", systems="b")) == ["b"]
    WORDS.to_csv(tmp_path / "a.csv", index=False)
    WORDS.assign(answer="Paris").to_csv(tmp_path / "b.csv", index=False)
    assert list(read_systems(tmp_path / "a.csv", against=tmp_path / "b.csv")) == ["a.csv", "b.csv"]
    assert list(read_systems(WORDS)) == [""]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"system": "modell"}, r"no column 'modell' \(system\); did you mean 'model'"),
        ({"system": "model", "systems": ["c"]}, "systems must be one of 'a', 'b'"),
        ({"systems": ["a"]}, "systems names 'a', but system names no column"),
        ({"system": "question"}, "systems must name two at the most, but there are 18"),
        ({"system": "model", "against": "b.csv"}, "against names a second file, so system and systems must be empty"),
    ],
)
def test_systems_that_are_not_there(options, message):
    with pytest.raises(ValueError, match=message):
        read_systems(two_systems(), **options)
    with pytest.raises(ValueError, match="only names a system, 'a', but system names no column"):
        read_answers(WORDS, only="a")
    with pytest.raises(ValueError, match="must name the system of every answer"):
        read_systems(two_systems().assign(model=None), system="model")
