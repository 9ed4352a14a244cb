"""Files of sampled answers: every layout that can be read, and one clear sentence for each that cannot."""

import gzip
import json
import re
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


def test_odd_numbers_of_answers_are_fine(save):
    frame = good().drop(index=[2])
    assert read_answers(save(frame)).grouped.n_answers.tolist() == [2, 3, 3]


def test_a_file_without_its_last_line_end(tmp_path):
    path = tmp_path / "my.jsonl"
    path.write_bytes(as_lines(good()).rstrip())
    assert "the last line has no line end: check that the file is complete" in read_answers(path).notes


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
CASES = {
    "one answer": (
        good().drop(index=[4, 5, 7, 8]), {},
        "most questions must have at least two answers, but question 'b' (row 4) has one (and 1 more questions).",
    ),
    "single answers": (good()[::3], {}, "question 'a' (row 1) has one (and 2 more questions)."),
    "one question": (good()[:3], {}, "my.csv must hold at least two questions, but all 3 answers are to one."),
    "a sample twice": (
        changed(sample=(4, 1)), {},
        "column 'sample' must number the answers to a question, but row 4 and row 5 are both sample 1 of question 'b'.",
    ),
    "samples all equal": (changed(sample=1), {}, "row 1 and row 2 are both sample 1 of question 'a' (and 5 more rows"),
    "a sample spelled twice": (changed(sample=(4, "1.0")), {}, "row 4 and row 5 are both sample 1"),
    "no number": (changed(sample=(4, None)), {}, "'sample' must number every answer, but in row 5 it is missing."),
    "no question": (
        changed(question=(5, None)), {},
        "must name the question of every answer, but in row 6 it is missing",
    ),
    "all unreadable": (
        changed(answer="unclear"), {"rule": "date"},
        "my.csv: column 'answer' must hold answers that rule 'date' can read, but it reads none of the 9; the first is "
        "'unclear'; rule 'normalized' reads any text.",
    ),
    "all empty": (
        changed(answer=None).assign(answer=""), {},
        "that rule 'normalized' can read, but it reads none of the 9.",
    ),
    "two right answers": (
        changed(reference=(4, "8")), {},
        "column 'reference' must hold one right answer to a question, but to 'b' it is '7' in row 4 and '8' in row 5.",
    ),
    "confidences in words": (
        changed(confidence="high"), {}, "must hold confidences such as 0.95 or 95%, but none of the 9 can be read"
    ),
    "a grade of 2": (
        changed().assign(g=[1, 0, 2] * 3), {"correct": "g"},
        "column 'g' must hold grades 0 and 1 (or false and true), but in row 3 it is '2' (and in 2 more rows).",
    ),
    "no such answer": (good(), {"answer": "anwser"}, "my.csv has no column 'anwser' (answer); did you mean 'answer'?"),
    "no such answer among others": (
        good().assign(text="x"), {"answer": "anwser"}, "no column 'anwser' (answer); did you mean 'answer'?"
    ),
    "no such question": (good(), {"question": "q"}, "my.csv has no column 'q' (question);"),
    "no such confidence": (good(), {"confidence": "conf"}, "no column 'conf' (confidence); did you mean 'confidence'?"),
    "no such grade": (good(), {"correct": "grade"}, "has no column 'grade' (correct)"),
    "no default answer": (changed(answer=None), {}, "my.csv has no column 'answer' (answer);"),
    "one column, two roles": (
        good(), {"confidence": "answer"}, "answer and confidence must be different columns, but both are 'answer'."
    ),
    "nothing for the answer": (good(), {"answer": ""}, "answer must name a column of my.csv, but it is not given."),
    "no such rule": (
        good(), {"rule": "dates"},
        "rule must be one of 'auto', 'exact', 'normalized', 'numeric', 'date', 'letter', 'class'",
    ),
    "a negative count": (
        WIDE.assign(no=[1, -5, 2]), COUNTS,
        "column 'no' must hold counts (whole numbers, not negative), but in row 2 it is '-5'.",
    ),
    "half a count": (WIDE.assign(no=[1, 5, 2.5]), COUNTS, "(whole numbers, not negative), but in row 3 it is '2.5'."),
    "a count missing": (
        WIDE.assign(no=[1, 5, None]), COUNTS,
        "in row 3 it is missing. Write 0 where a class was not given",
    ),
    "counts in words": (WIDE.assign(no=[1, "five", 2]), COUNTS, "but in row 2 it is 'five'."),
    "one answer counted": (
        WIDE.assign(yes=[0, 0, 1], no=[1, 1, 2]), COUNTS,
        "at least two answers, but row 1 counts 1 (and 1 more).",
    ),
    "no answers counted": (WIDE.assign(yes=0, no=0), COUNTS, "at least two answers, but row 1 counts 0 (and 2 more)."),
    "no such class": (
        WIDE.assign(truth=["no", "nope", "yes"]), COUNTS,
        "column 'truth' must name one of the columns of counts, but in row 2 it is 'nope'. Did you mean 'no'?",
    ),
    "no such counts": (WIDE, {"counts": ["yes", "noo"]}, "my.csv has no column 'noo' (counts); did you mean 'no'?"),
    "one class": (WIDE, {"counts": ["yes"]}, "counts must name at least two columns, one for each class"),
    "counts twice": (WIDE, {"counts": ["yes", "yes"]}, "counts must name each column once, but 'yes' occurs 2 times."),
    "counts with a role": (
        WIDE, {**COUNTS, "counts": ["yes", "truth"]},
        "must have no other role, but 'truth' has two.",
    ),
    "a question twice": (
        WIDE.assign(question=["a", "b", "a"]), COUNTS,
        "must name each question once in a file with one row a question, but in row 3 it is 'a'.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("frame", "options", "message"), CASES.values(), ids=CASES)
def test_a_clear_message_and_nothing_written(tmp_path, frame, options, message):
    path = tmp_path / "my.csv"
    frame.to_csv(path, index=False)
    content = path.read_bytes()
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_answers(path, **options)
    assert str(tmp_path) not in str(error.value)
    assert [file.name for file in tmp_path.iterdir()] == ["my.csv"] and path.read_bytes() == content


LINES = as_lines(good())
CSV = good().to_csv(index=False).encode()
ONE = b'{"question": "a", "answer": ["x", "y"]}\n'
FILES = {
    "a line cut off": (
        "my.jsonl", LINES[:-20],
        "my.jsonl is cut off in the middle: its last line (9) ends inside an object.",
    ),
    "a broken line": (
        "my.jsonl", LINES.replace(b'"sample": 2', b'"sample" 2', 1),
        "my.jsonl: line 2 is not JSON (Expecting ':' delimiter, at character 28).",
    ),
    "a line cut off inside": ("my.jsonl", LINES.replace(b'"7"}', b"", 1), "my.jsonl: line 4 is not JSON"),
    "a list a line": ("my.jsonl", LINES + b"[1, 2]\n", "must hold one object {...} a line, but line 10 is [1, 2]."),
    "blank lines do not shift": ("my.jsonl", b"\n\n" + LINES + b"3\n", "but line 12 is 3."),
    "one JSON list": ("my.jsonl", b"[\n" + LINES + b"]", "my.jsonl holds one JSON list; write one object a line."),
    "one pretty object": (
        "my.jsonl", b'{\n "question": 1\n}\n',
        "spreads an object over several lines; write one a line.",
    ),
    "empty JSON": ("my.jsonl", b" \n", "my.jsonl is empty."),
    "latin-1 JSON": ("my.jsonl", LINES + '{"a": "é"}\n'.encode("latin-1"), "is not a text file in UTF-8 (line 10);"),
    "utf-16 JSON": ("my.jsonl", LINES.decode().encode("utf-16"), "my.jsonl is not a text file in UTF-8"),
    "gzip cut off": ("my.jsonl.gz", gzip.compress(LINES)[:-30], "its compressed data end too early."),
    "not gzip": ("my.jsonl.gz", LINES, "my.jsonl.gz is not a gzip file, although its name ends in .gz."),
    "a sample twice": (
        "my.jsonl", LINES + LINES.splitlines()[0],
        "line 1 and line 10 are both sample 1 of question 'a'.",
    ),
    "lists and texts": (
        "my.jsonl", ONE + b'{"question": "b", "answer": "x"}\n',
        "must hold a list of answers in every row if it does in one, but in line 2 it is 'x'.",
    ),
    "an empty list": (
        "my.jsonl", ONE + b'{"question": "b", "answer": []}\n',
        "hold at least two answers, but in line 2",
    ),
    "a list of one": ("my.jsonl", ONE + b'{"question": "b", "answer": ["x"]}\n', "question 'b' (line 2) has one."),
    "a question twice": (
        "my.jsonl", ONE + b'{"answer": ["x", "y"]}\n',
        "name the question of every answer, but in line 2",
    ),
    "too few confidences": (
        "my.jsonl", ONE + b'{"question": "b", "answer": ["x", "y"], "confidence": [1]}\n',
        "column 'confidence' must hold as many entries as there are answers, but in line 2 it is ['1'].",
    ),
    "references in a list": (
        "my.jsonl", ONE + b'{"question": "b", "answer": ["x", "y"], "reference": ["x"]}\n',
        "column 'reference' must hold one text or number in each cell, but in line 2 it is ['x']",
    ),
    "a negative count": (
        "my.jsonl", b'{"question": "b", "answer": {"x": 2, "y": -1}}\n' * 2,
        "must hold counts that are whole and not negative, but in line 1 the count of 'y' is -1.",
    ),
    "half a count": ("my.jsonl", b'{"question": "b", "answer": {"x": 2.5}}\n', "in line 1 the count of 'x' is 2.5."),
    "empty CSV": ("my.csv", b"", "my.csv is empty."),
    "only a header": ("my.csv", CSV.splitlines()[0], "my.csv has a header but no rows."),
    "latin-1 CSV": ("my.csv", CSV.replace(b"Lyon", "Lyón".encode("latin-1")), "my.csv is not a text file in UTF-8"),
    "CSV cut off": (
        "my.csv", CSV.rstrip()[:-2],
        "my.csv is cut off in the middle: its last line (10) has 4 of 5 fields.",
    ),
    "semicolons": ("my.csv", CSV.replace(b",", b";"), "my.csv has semicolons between its columns"),
    "another format": (
        "my.xlsx", LINES,
        "must be a table in one of the formats .csv, .csv.gz, .parquet, .feather, .jsonl,",
    ),
    "text called parquet": ("my.parquet", CSV, "my.parquet is damaged or cut off in the middle"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), FILES.values(), ids=FILES)
def test_a_bad_file(tmp_path, name, content, message):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_answers(tmp_path / name)
    assert str(tmp_path) not in str(error.value)
    assert [file.name for file in tmp_path.iterdir()] == [name] and (tmp_path / name).read_bytes() == content


def test_a_missing_file_names_its_neighbour(tmp_path):
    (tmp_path / "answers_2026.jsonl").write_bytes(LINES)
    with pytest.raises(ValueError, match=r"^answers_2062.jsonl does not exist; did you mean 'answers_2026.jsonl'\?$"):
        read_answers(tmp_path / "answers_2062.jsonl")


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
    message = "question '99' (row 41) has 60 answers, where half of the 21 questions have 2 or fewer: too many"
    with pytest.raises(ValueError, match=re.escape(message)):
        read_answers(tmp_path / "my.csv")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"question": "q", "answer": {"a": 1e15, "b": 1}}', "must count at most 1,000,000 answers to a question"),
        ('{"question": "q", "answer": ' + "[" * 100_000, "line 1 is nested too deeply"),
    ],
)
def test_lines_that_would_fill_the_memory_or_the_stack(tmp_path, line, message):
    path = tmp_path / "my.jsonl"
    path.write_text(f'{line}\n{{"question": "r", "answer": {{"a": 2, "b": 1}}}}\n')
    with pytest.raises(ValueError, match=message):
        read_answers(path)
