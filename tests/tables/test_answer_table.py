"""Files of sampled answers: every layout that can be read, and one clear sentence for each that cannot."""

import gzip
import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER
from helpers.tables import AnswerTable, read_answers, table_of_counts
from helpers.tables.files import JsonLines


def good():
    """Three questions with three answers each."""
    return pd.DataFrame({
        "question": ["a"] * 3 + ["b"] * 3 + ["c"] * 3,
        "sample": [1, 2, 3] * 3,
        "answer": ["Paris", "paris.", "Lyon", "7", "7", "7", "x", "y", "the y"],
        "confidence": ["95%", "0.95", "95", "80%", "", "0.6", "50 %", "high", ".5"],
        "reference": ["Paris"] * 3 + ["7"] * 3 + ["z"] * 3,
    })  # fmt: skip


def as_lines(frame, **changes):
    records = json.loads(frame.to_json(orient="records"))
    return "".join(json.dumps(record | changes) + "\n" for record in records).encode()


@pytest.fixture
def save(tmp_path):
    def save(frame, name="my.csv"):
        path = tmp_path / name
        if name.endswith((".csv", ".csv.gz")):
            frame.to_csv(path, index=False)
        elif name.endswith((".jsonl", ".ndjson")):
            path.write_bytes(as_lines(frame))
        elif name.endswith(".gz"):
            path.write_bytes(gzip.compress(as_lines(frame)))
        else:
            pytest.importorskip("pyarrow", reason="Parquet and Feather need pyarrow")
            getattr(frame, f"to_{path.suffix[1:]}")(path)
        return path

    return save


# ---- what can be read -----------------------------------------------------------------------------------------


NAMES = ["my.csv", "my.csv.gz", "my.parquet", "my.feather", "my.jsonl", "my.jsonl.gz", "my.ndjson"]


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_same_answers(save, tmp_path, name):
    path = save(good(), name)
    content = path.read_bytes()
    before = sorted(tmp_path.iterdir())
    table = read_answers(path)
    grouped = table.grouped
    np.testing.assert_array_equal(grouped.counts, [[2, 1], [3, 0], [1, 2]])
    np.testing.assert_array_equal(grouped.correct[grouped.counts > 0], [1, 0, 1, 0, 0])
    np.testing.assert_allclose(grouped.confidence, [0.95, 0.7, 0.5])
    assert grouped.questions.tolist() == ["a", "b", "c"] and table.graded.all() and table.stated.all()
    assert (table.name, table.layout, table.n_rows, table.n_answers) == (name, "answers", 9, 9)
    assert table.notes[0] == (
        "of 9 confidences, 1 are empty and 1 cannot be read; they are left out, not taken for 100 %"
    )
    assert "1 confidences above 1 without a sign are read as percent" in table.notes
    assert path.read_bytes() == content and sorted(tmp_path.iterdir()) == before


def test_a_question_with_a_single_answer_is_left_out(save):
    table = read_answers(save(good().drop(index=[7, 8])))
    assert table.grouped.questions.tolist() == ["a", "b"] and table.n_answers == 6
    assert "1 question with a single answer left out" in table.notes


def test_numbers_need_not_be_texts(save):
    frame = good().assign(question=[1] * 3 + [2] * 3 + [3] * 3, answer=[7, 7, 1, 2, 2, 2, 5, 4, 4], reference=7)
    frame = frame.assign(confidence=[0.5, 0.6, np.nan] * 3)
    kinds = [read_answers(save(frame, name)).grouped for name in ("my.csv", "my.jsonl", "my.parquet")]
    floats = read_answers(save(frame.assign(answer=frame["answer"] * 1.0), "floats.parquet")).grouped
    for grouped in [*kinds, floats]:
        assert grouped.labels == (("7", "1"), ("2",), ("5", "4"))
        np.testing.assert_allclose(grouped.confidence, 0.55)


def test_order_of_rows_does_not_matter_where_samples_are_numbered(save):
    one = read_answers(save(good())).grouped
    two = read_answers(save(good().sample(frac=1, random_state=3), "other.csv")).grouped
    order = np.argsort(two.questions)
    np.testing.assert_array_equal(one.counts, two.counts[order])
    np.testing.assert_array_equal(one.order, two.order[order])


def test_lists_and_dictionaries_of_a_question(tmp_path):
    lists = [
        {"question": "a", "answer": ["Paris", "paris.", "Lyon"], "confidence": ["95%", 0.95, 95], "reference": "Paris"},
        {"question": "b", "answer": [7, 7.0, "7"], "confidence": "70%", "reference": 7},
        {"question": "c", "answer": ["x", "y", "the y"], "confidence": None, "reference": "z"},
    ]
    counts = [record | {"answer": made, "confidence": None} for record, made in zip(
        lists, [{"paris": 2, "Lyon": 1}, {"7": 3}, {"x": 1, "Y": 2}], strict=True)]  # fmt: skip
    for kind, records in (("lists", lists), ("counts", counts)):
        path = tmp_path / f"{kind}.jsonl"
        path.write_text("\n".join(map(json.dumps, records)) + "\n")
        table = read_answers(path)
        assert table.layout == kind and table.n_rows == 9 and not any("sample" in note for note in table.notes)
        np.testing.assert_array_equal(table.grouped.counts, [[2, 1], [3, 0], [1, 2]])
        np.testing.assert_array_equal(table.grouped.correct[:, 0], [1, 1, 0])
    np.testing.assert_allclose(read_answers(tmp_path / "lists.jsonl").grouped.confidence[:2], [0.95, 0.7])


def test_lists_in_parquet(tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    pd.DataFrame({"question": ["a", "b"], "answer": [["x", "y"], ["z", "z"]]}).to_parquet(tmp_path / "my.parquet")
    assert read_answers(tmp_path / "my.parquet").grouped.labels == (("x", "y"), ("z",))


def test_columns_of_counts(save):
    frame = pd.DataFrame({"yes": [3, 0, 1], "no": [1, 5, 2], "truth": ["no", "no", None], "said": ["90%", "1", "x"]})
    table = read_answers(save(frame), counts=["yes", "no"], reference="truth", confidence="said")
    assert table.layout == "columns" and table.graded.tolist() == [True, True, False]
    np.testing.assert_array_equal(table.grouped.counts, [[3, 1], [0, 5], [1, 2]])
    np.testing.assert_array_equal(table.grouped.correct[:2], [[0, 1], [0, 1]])
    named = read_answers(save(frame.assign(question=["p", "q", "r"]), "b.csv"), counts=["yes", "no"])
    assert named.grouped.questions.tolist() == ["p", "q", "r"] and not named.graded.any()


def test_what_is_absent_is_said(save):
    table = read_answers(save(good().drop(columns=["sample", "confidence", "reference"])))
    assert not table.graded.any() and not table.stated.any()
    assert table.notes == (
        "no column 'sample', so answers are taken in the order of the rows",
        "no column 'confidence', so no confidence is stated",
        "no column 'reference', so no right answer is known",
    )
    renamed = read_answers(save(good().rename(columns={"confidence": "Confidences"}), "b.csv"))
    assert renamed.notes[0] == "no column 'confidence', so no confidence is stated; did you mean 'Confidences'?"
    assert read_answers(save(good(), "c.csv"), sample="", confidence="", reference="").notes == ()


def test_grades_in_place_of_references(save):
    frame = good().assign(grade=[1, 1, 0, "true", "yes", "", 0, "no", "False"])
    table = read_answers(save(frame), correct="grade")
    assert table.graded.all() and "reference" not in table.columns
    np.testing.assert_array_equal(table.grouped.correct[table.grouped.counts > 0], [1, 0, 1, 0, 0])


def test_a_reference_may_be_missing_or_stand_in_one_row(save):
    frame = good()
    frame.loc[[1, 2], "reference"] = None
    frame.loc[3:5, "reference"] = None
    table = read_answers(save(frame))
    assert table.graded.tolist() == [True, False, True]
    assert table.grouped.problems["questions without a reference"] == 1


def test_answers_that_cannot_be_read_are_counted(save):
    table = read_answers(save(good().assign(answer=["7", "seven", None, "1,000", "1000.0", "?", "3", "4", "4"])),
                         rule="numeric")  # fmt: skip
    assert table.grouped.unparsed.tolist() == [2, 1, 0] and table.grouped.counts.max(axis=1).tolist() == [1, 2, 2]


def test_the_shipped_file_and_nothing_given():
    table = read_answers("", counts=[], correct="")
    assert table.name == "digit_answers.csv.gz" and table.n_questions == 250 and table.n_answers == 6250
    assert table.graded.all() and table.stated.all() and (table.grouped.n_answers == 25).all()
    assert str(table).startswith("digit_answers.csv.gz: 6,250 answers to 250 questions; ")


def test_the_script_makes_the_shipped_file(tmp_path):
    script = load_script("make_digit_answers")
    script.write(script.make_table(), tmp_path / "a.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (DATA_FOLDER / "digit_answers.csv.gz").read_bytes()
    assert [script.spell(93, style) for style in (0.01, 0.3, 0.8)] == ["", "93%", "0.93"]


def test_tables_of_counts():
    counts = np.array([[3, 1, 0], [2, 2, 1]])
    table = table_of_counts(counts, [[1, 0, -1], [0, 1, 0]], confidence=[0.9, np.nan])
    assert isinstance(table, AnswerTable) and table.graded.all() and table.stated.tolist() == [True, False]
    assert table.grouped.labels == ((0, 1), (0, 1, 2)) and not table_of_counts(counts).graded.any()
    with pytest.raises(ValueError, match="not negative"):
        table_of_counts([[3, -1]])


@pytest.mark.parametrize("name", ["my.csv", "my.jsonl"])
def test_many_rows(tmp_path, name):
    """At most 2 kB a row at any time, so that a million rows need less than 2 GB."""
    rng = np.random.default_rng(0)
    n = 10_000
    frame = pd.DataFrame(
        {"question": np.arange(n) // 20, "sample": np.arange(n) % 20, "answer": rng.integers(5, size=n)}
    )
    frame = frame.assign(confidence="95%", reference=3)
    frame.to_csv(tmp_path / name, index=False) if name == "my.csv" else (tmp_path / name).write_bytes(as_lines(frame))
    tracemalloc.start()
    table = read_answers(tmp_path / name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.n_questions == 500 and table.n_answers == n and peak < 2000 * n


# ---- what cannot be used --------------------------------------------------------------------------------------


def changed(**columns):
    """The good table with cells changed: name=(row, value) or name=whole column; None drops the column."""
    frame = good()
    for name, change in columns.items():
        if change is None:
            frame = frame.drop(columns=name)
        elif isinstance(change, tuple):
            frame[name] = frame[name].astype(object)
            frame.loc[change[0], name] = change[1]
        else:
            frame[name] = change
    return frame


WIDE = pd.DataFrame({"yes": [3, 0, 1], "no": [1, 5, 2], "truth": ["no", "no", "yes"]})
COUNTS = {"counts": ["yes", "no"], "reference": "truth"}
CASES = {  # the table, options, and what the error must name beside the file
    "one answer": (good().drop(index=[4, 5, 7, 8]), {}, ["question 'b'", "row 4"]),
    "single answers": (good()[::3], {}, ["question 'a'", "row 1"]),
    "one question": (good()[:3], {}, ["two questions", "3"]),
    "a sample twice": (changed(sample=(4, 1)), {}, ["'sample'", "row 4 and row 5", "'b'"]),
    "samples all equal": (changed(sample=1), {}, ["'sample'", "row 1 and row 2", "'a'"]),
    "a sample spelled twice": (changed(sample=(4, "1.0")), {}, ["'sample'", "row 4 and row 5"]),
    "no number": (changed(sample=(4, None)), {}, ["'sample'", "row 5", "missing"]),
    "no question": (changed(question=(5, None)), {}, ["'question'", "row 6", "missing"]),
    "all unreadable": (
        changed(answer="unclear"),
        {"rule": "date"},
        ["'answer'", "'date'", "'unclear'"],
    ),
    "all empty": (changed(answer=None).assign(answer=""), {}, ["'answer'", "'normalized'", "9"]),
    "two right answers": (changed(reference=(4, "8")), {}, ["'reference'", "'7' in row 4", "'8' in row 5"]),
    "confidences in words": (changed(confidence="high"), {}, ["'confidence'", "'high'"]),
    "a grade of 2": (changed().assign(g=[1, 0, 2] * 3), {"correct": "g"}, ["'g'", "row 3", "'2'"]),
    "no such answer": (good(), {"answer": "anwser"}, ["'anwser' (answer)", "'answer'?"]),
    "no such question": (good(), {"question": "q"}, ["'q' (question)"]),
    "no such confidence": (good(), {"confidence": "conf"}, ["'conf' (confidence)", "'confidence'?"]),
    "no such grade": (good(), {"correct": "grade"}, ["'grade' (correct)"]),
    "no default answer": (changed(answer=None), {}, ["'answer' (answer)"]),
    "one column, two roles": (good(), {"confidence": "answer"}, ["answer and confidence", "'answer'"]),
    "nothing for the answer": (good(), {"answer": ""}, ["answer must name a column"]),
    "no such rule": (good(), {"rule": "dates"}, ["rule must be one of", "'date'"]),
    "a negative count": (WIDE.assign(no=[1, -5, 2]), COUNTS, ["'no'", "row 2", "-5"]),
    "half a count": (WIDE.assign(no=[1, 5, 2.5]), COUNTS, ["'no'", "row 3", "2.5"]),
    "a count missing": (WIDE.assign(no=[1, 5, None]), COUNTS, ["'no'", "row 3", "missing"]),
    "counts in words": (WIDE.assign(no=[1, "five", 2]), COUNTS, ["'no'", "row 2", "'five'"]),
    "no answers counted": (WIDE.assign(yes=0, no=0), COUNTS, ["two answers", "row 1"]),
    "no such class": (WIDE.assign(truth=["no", "nope", "yes"]), COUNTS, ["'truth'", "row 2", "'nope'", "'no'?"]),
    "no such counts": (WIDE, {"counts": ["yes", "noo"]}, ["'noo' (counts)", "'no'?"]),
    "one class": (WIDE, {"counts": ["yes"]}, ["counts", "two columns"]),
    "counts twice": (WIDE, {"counts": ["yes", "yes"]}, ["counts", "'yes'"]),
    "counts with a role": (WIDE, {**COUNTS, "counts": ["yes", "truth"]}, ["counts", "'truth'"]),
    "a question twice": (WIDE.assign(question=["a", "b", "a"]), COUNTS, ["'question'", "row 3", "'a'"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_table_that_breaks_a_rule(tmp_path, case):
    frame, options, words = CASES[case]
    path = tmp_path / "my.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(ValueError) as error:
        read_answers(path, **options)
    message = str(error.value)
    assert all(word in message for word in words), message
    assert "my.csv" in message or message.startswith(("answer ", "a column of counts ", "counts ", "rule "))
    assert str(tmp_path) not in message


LINES = as_lines(good())
ONE = b'{"question": "a", "answer": ["x", "y"]}\n'
FILES = {
    "a line cut off": (LINES[:-20], ["line 9", "cut off"]),
    "a broken line": (LINES.replace(b'"sample": 2', b'"sample" 2', 1), ["line 2"]),
    "a line cut off inside": (LINES.replace(b'"7"}', b"", 1), ["line 4"]),
    "a list a line": (LINES + b"[1, 2]\n", ["line 10", "[1, 2]", "one object"]),
    "blank lines do not shift": (b"\n\n" + LINES + b"3\n", ["line 12"]),
    "one JSON list": (b"[\n" + LINES + b"]", ["line 1", "one object"]),
    "one pretty object": (b'{\n "question": 1\n}\n', ["line 1", "one object"]),
    "nested deeply": (b'{"question": "q", "answer": ' + b"[" * 100_000 + b"\n" + LINES, ["line 1"]),
    "empty": (b" \n", ["empty"]),
    "a sample twice": (LINES + LINES.splitlines()[0], ["line 1 and line 10", "'a'"]),
    "lists and texts": (ONE + b'{"question": "b", "answer": "x"}\n', ["'answer'", "line 2", "'x'"]),
    "an empty list": (ONE + b'{"question": "b", "answer": []}\n', ["'answer'", "line 2"]),
    "a list of one": (ONE + b'{"question": "b", "answer": ["x"]}\n', ["'b'", "line 2"]),
    "no question": (ONE + b'{"answer": ["x", "y"]}\n', ["'question'", "line 2"]),
    "too few confidences": (
        ONE + b'{"question": "b", "answer": ["x", "y"], "confidence": [1]}\n', ["'confidence'", "line 2"],
    ),
    "references in a list": (
        ONE + b'{"question": "b", "answer": ["x", "y"], "reference": ["x"]}\n', ["'reference'", "line 2", "['x']"],
    ),
    "a negative count": (b'{"question": "b", "answer": {"x": 2, "y": -1}}\n' * 2, ["line 1", "'y'", "-1"]),
    "half a count": (b'{"question": "b", "answer": {"x": 2.5}}\n', ["line 1", "'x'", "2.5"]),
    "a huge count": (b'{"question": "b", "answer": {"x": 1e15, "y": 1}}\n', ["line 1", "1,000,000"]),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_a_bad_file_of_json_lines(tmp_path, case):
    content, words = FILES[case]
    (tmp_path / "my.jsonl").write_bytes(content)
    with pytest.raises(ValueError, match="^my.jsonl:? ") as error:
        read_answers(tmp_path / "my.jsonl")
    assert all(word in str(error.value) for word in words), error.value


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_json_lines_in_other_encodings(tmp_path, encoding):
    """PowerShell writes UTF-16."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in good().to_dict("records"))
    (tmp_path / "my.jsonl").write_bytes(text.replace("Lyon", "Orléans").encode(encoding))
    table = read_answers(tmp_path / "my.jsonl", rule="exact")
    assert "Orléans" in table.grouped.labels[0] and any("Windows-1252" in note for note in table.notes) == (
        encoding == "cp1252"
    )


def test_answers_as_excel_in_germany_writes_them(tmp_path):
    frame = good().assign(answer=["3,5", "3,5", "4", "7", "7", "7", "x", "y", "the y"], reference="3,5")
    frame["confidence"] = ["95,5%", "0,95", "95", "80 %", "", "0,6", "50 %", "0,5", ",5"]
    frame.to_csv(tmp_path / "my.csv", index=False, sep=";", encoding="cp1252")
    table = read_answers(tmp_path / "my.csv")
    assert table.grouped.labels[0] == ("3.5", "4") and any("decimal comma" in note for note in table.notes)
    assert table.grouped.confidence[0] == pytest.approx((0.955 + 0.95 + 0.95) / 3)


def test_names_of_all_lines_count(tmp_path):
    path = tmp_path / "my.jsonl"
    path.write_bytes(b'{"b": 1}\n{"a": 2, "b": null}\n')
    lines = JsonLines(path)
    assert lines.names == ["b", "a"] and lines.lines == [1, 2]
    assert lines.read(["a", "b"]).to_numpy().tolist() == [[None, 1], [2, None]]


def test_one_question_with_nearly_all_answers(tmp_path, monkeypatch):
    monkeypatch.setattr("helpers.tables.answer_layouts.MOST_CELLS", 1000)
    frame = pd.DataFrame({"question": np.r_[np.repeat(range(20), 2), [99] * 60], "answer": range(100)})
    frame.to_csv(tmp_path / "my.csv", index=False)
    with pytest.raises(ValueError, match=r"my.csv: question '99' \(row 41\) has 60 answers"):
        read_answers(tmp_path / "my.csv")
