"""Further columns of a file of answers: those about whole questions are kept, in the order of the questions."""

import numpy as np
import pandas as pd
import pytest

from helpers.practice.tables import read_answers


def frame(n=40):
    question = np.repeat([f"q{k}" for k in range(n)], 3)
    return pd.DataFrame({
        "question": question, "sample": np.tile([1, 2, 3], n), "answer": np.tile(["yes", "no", "yes"], n),
        "reference": "yes", "topic": np.repeat(["legal", "billing"], 3 * n // 2), "length": np.repeat(np.arange(n), 3),
        "model": "small", "seconds": np.arange(3 * n), "name": question,
    })  # fmt: skip


def test_columns_of_questions():
    """Not those that differ within a question, are the same everywhere, have a role, or name each question."""
    table = read_answers(frame().sample(frac=1, random_state=0))
    assert list(table.features) == ["topic", "length"] and len(table.features) == 40
    number = pd.Series(table.grouped.questions).str[1:].astype(int)
    assert table.features["length"].tolist() == number.tolist()
    assert (table.features["topic"] == np.where(number < 20, "legal", "billing")).all()


def test_missing_values_stay_missing():
    gaps = frame()
    gaps.loc[gaps["question"] == "q3", ["topic", "length"]] = None
    features = read_answers(gaps).features
    assert features.isna().sum().tolist() == [1, 1] and features["topic"].isna()[3]


def test_truths_and_what_is_no_finite_number_are_kinds():
    odd = frame()
    odd["urgent"] = pd.Series(np.repeat([True, False] * 20, 3), dtype=object)
    odd["size"] = np.repeat(["1", "inf"] * 20, 3)
    features = read_answers(odd).features
    assert set(features["urgent"]) == {"True", "False"} and set(features["size"]) == {"1", "inf"}


@pytest.mark.parametrize("layout", ["lists", "columns"])
def test_one_row_a_question(layout, tmp_path):
    rows = pd.DataFrame({"question": list("abcdefgh"), "topic": list("xy") * 4, "reference": "yes"})
    if layout == "lists":
        rows["answer"] = [["yes", "no"]] * 8
        (tmp_path / "a.jsonl").write_text(rows.to_json(orient="records", lines=True))
        table = read_answers(tmp_path / "a.jsonl")
    else:
        rows[["yes", "no"]] = [[3, 1]] * 8
        table = read_answers(rows, counts=["yes", "no"])
    assert list(table.features) == ["topic"] and table.features["topic"].tolist() == list("xy") * 4


def test_the_example_has_no_columns_of_questions():
    assert read_answers().features.empty
