"""Files of sampled answers: layouts, rules and systems; one clear sentence for each that cannot be used."""

import json

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER, load_smollm2_answers
from helpers.practice.tables import read_answers, read_systems, table_of_counts

LOG = DATA_FOLDER / "smollm2_answers.jsonl.gz"


def good():
    """Three questions with three answers each."""
    return pd.DataFrame({
        "question": ["a"] * 3 + ["b"] * 3 + ["c"] * 3,
        "sample": [1, 2, 3] * 3,
        "answer": ["Paris", "paris.", "Lyon", "7", "7", "7", "x", "y", "the y"],
        "confidence": ["95%", "0.95", "95", "80%", "", "0.6", "50 %", "high", ".5"],
        "reference": ["Paris"] * 3 + ["7"] * 3 + ["z"] * 3,
    })  # fmt: skip


def as_lines(frame):
    return frame.to_json(orient="records", lines=True).encode()


def asked(answers, references):
    """A table with a row an answer, from lists of answers."""
    rows = [
        {"question": f"q{question}", "sample": k, "answer": answer, "reference": reference}
        for question, (given, reference) in enumerate(zip(answers, references, strict=True))
        for k, answer in enumerate(given)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("name", ["my.csv", "my.jsonl", "the table"])
def test_a_row_an_answer(tmp_path, name):
    frame = good().sample(frac=1, random_state=3).sort_values("question", kind="stable")
    frame.to_csv(tmp_path / "my.csv", index=False)
    (tmp_path / "my.jsonl").write_bytes(as_lines(frame))
    table = read_answers(frame if name == "the table" else tmp_path / name)
    grouped = table.grouped
    np.testing.assert_array_equal(grouped.counts, [[2, 1], [3, 0], [1, 2]])
    np.testing.assert_array_equal(grouped.correct[grouped.counts > 0], [1, 0, 1, 0, 0])
    np.testing.assert_allclose(grouped.confidence, [0.95, 0.7, 0.5])
    assert grouped.questions.tolist() == ["a", "b", "c"] and table.graded.all() and table.stated.all()
    assert (table.name, table.n_answers) == (name, 9)
    first = [note.partition(" are ")[0].partition(" cannot ")[0] for note in table.notes]
    assert first == ["of 9 confidences, 1"] * 3


def test_numbers_need_not_be_texts(tmp_path):
    frame = good().assign(question=[1] * 3 + [2] * 3 + [3] * 3, answer=[7, 7, 1, 2, 2, 2, 5, 4, 4], reference=7)
    frame = frame.assign(confidence=[0.5, 0.6, np.nan] * 3)
    (tmp_path / "my.jsonl").write_bytes(as_lines(frame))
    for source in (frame, frame.assign(answer=frame["answer"] * 1.0), tmp_path / "my.jsonl"):
        grouped = read_answers(source).grouped
        assert grouped.labels == (("7", "1"), ("2",), ("5", "4"))
        np.testing.assert_allclose(grouped.confidence, 0.55)


@pytest.mark.parametrize(
    ("layout", "answers"),
    [
        ("lists", [["Paris", "paris.", "Lyon"], [7, 7.0, "7"], ["x", "y", "the y"]]),
        ("counts", [{"paris": 2, "Lyon": 1}, {"7": 3}, {"x": 1, "Y": 2}]),
    ],
)
def test_a_row_a_question(tmp_path, layout, answers):
    frame = pd.DataFrame({"question": list("abc"), "answer": answers, "reference": ["Paris", 7, "z"]})
    frame["confidence"] = [["95%", 0.95, 95] if layout == "lists" else "95%", "70%", None]
    (tmp_path / "my.jsonl").write_bytes(as_lines(frame))
    for source in (frame, tmp_path / "my.jsonl"):
        table = read_answers(source)
        assert table.n_answers == 9 and not any("sample" in note for note in table.notes)
        np.testing.assert_array_equal(table.grouped.counts, [[2, 1], [3, 0], [1, 2]])
        np.testing.assert_array_equal(table.grouped.correct[:, 0], [1, 1, 0])
        np.testing.assert_allclose(table.grouped.confidence[:2], [0.95, 0.7])


WIDE = pd.DataFrame({"yes": [3, 0, 1, 1], "no": [1, 5, 2, 0], "truth": ["no", "no", None, None]})


def test_columns_of_counts():
    table = read_answers(
        WIDE.assign(said=["90%", "1", "x", "0"]), counts=["yes", "no"], reference="truth", confidence="said"
    )
    assert table.graded.tolist() == [True, True, False]
    assert table.grouped.labels == (("yes", "no"), ("no",), ("yes", "no"))
    np.testing.assert_array_equal(table.grouped.counts, [[3, 1], [5, 0], [1, 2]])
    np.testing.assert_array_equal(table.grouped.correct[:2, 0], [0, 1])
    assert "1 question with a single answer left out" in table.notes
    named = read_answers(WIDE.assign(question=list("pqrs")), counts=["yes", "no"])
    assert named.grouped.questions.tolist() == ["p", "q", "r"] and not named.graded.any()


def test_grades_in_place_of_references():
    table = read_answers(good().assign(grade=[1, 1, 0, "true", "yes", "", 0, "no", "False"]), correct="grade")
    assert table.graded.all() and "reference" not in table.columns
    np.testing.assert_array_equal(table.grouped.correct[table.grouped.counts > 0], [1, 0, 1, 0, 0])


def test_a_reference_may_be_missing_or_stand_in_one_row():
    frame = good()
    frame.loc[1:5, "reference"] = None
    table = read_answers(frame)
    assert table.graded.tolist() == [True, False, True]
    assert table.grouped.problems["questions without a reference"] == 1


def test_answers_as_excel_in_germany_writes_them(tmp_path):
    frame = good().assign(answer=["3,5", "3,5", "4", "7", "7", "7", "x", "y", "the y"], reference="3,5")
    frame["confidence"] = ["95,5%", "0,95", "95", "80 %", "", "0,6", "50 %", "0,5", ",5"]
    frame.to_csv(tmp_path / "my.csv", index=False, sep=";", encoding="cp1252")
    table = read_answers(tmp_path / "my.csv")
    assert table.grouped.labels[0] == ("3.5", "4") and any("decimal comma" in note for note in table.notes)
    assert table.grouped.confidence[0] == pytest.approx((0.955 + 0.95 + 0.95) / 3)


def test_the_script_makes_the_shipped_file(tmp_path):
    script = load_script("make_digit_answers")
    script.write(script.make_table(), tmp_path / "a.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (DATA_FOLDER / "digit_answers.csv.gz").read_bytes()
    assert [script.spell(93, style) for style in (0.01, 0.3, 0.8)] == ["", "93%", "0.93"]
    table = read_answers()
    assert table.graded.all() and table.stated.all() and (table.grouped.n_answers == 25).all()


def test_tables_of_counts():
    counts = np.array([[3, 1, 0], [2, 2, 1]])
    table = table_of_counts(counts, [[1, 0, -1], [0, 1, 0]], confidence=[0.9, np.nan])
    assert table.graded.all() and table.stated.tolist() == [True, False]
    assert table.grouped.labels == ((0, 1), (0, 1, 2)) and not table_of_counts(counts).graded.any()
    with pytest.raises(ValueError, match="^counts .*not negative"):
        table_of_counts([[3, -1]])


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
    assert table.rule == rule
    assert table.grouped.correct[:, 0].mean() == right


@pytest.mark.parametrize("share", [0.1, 0.22, 0.25, 0.4])
def test_refusals_change_neither_the_rule_nor_what_is_right(share):
    """However many refuse: they are one answer, which is wrong, and all others are right."""
    n_refuse = int(100 * share)
    given = ["I cannot say."] * n_refuse + ["The answer is 7."] * (100 - n_refuse)
    frame = asked([given, given], ["7", "7"])
    table = read_answers(frame)
    assert table.rule == "numeric" and table.grouped.counts.tolist() == [[n_refuse, 100 - n_refuse]] * 2
    row = table.reading.loc[0, ["answers", "none", "graded", "right", "held"]]
    assert row.tolist() == [200, 2 * n_refuse, 200, 200 - 2 * n_refuse, 0]
    dropped = read_answers(frame, unparsed="drop")
    assert dropped.grouped.counts.tolist() == [[100 - n_refuse]] * 2 and dropped.reading.equals(table.reading)
    each = read_answers(frame, unparsed="singletons")
    assert each.grouped.counts.shape[1] == n_refuse + 1


def test_questions_without_any_answer_are_left_out_and_counted():
    table = read_answers(asked([["5", "5"], ["no", "never"], ["7", "8"], ["1", "none"]], list("5671")), unparsed="drop")
    assert table.n_questions == 2
    assert {"3 answers that hold none are left out, and 1 questions without any other"} < set(table.notes)


MIXED = asked(
    [["So it is 5.", "5.0", "6"], ["May 3, 1914", "3.5.1914", "I do not know."], ["the Hague", "Hague", "Lyon"]],
    ["5", "1914-05-03", "The Hague"],
)


def test_a_file_of_several_kinds():
    table = read_answers(MIXED)
    np.testing.assert_array_equal(table.grouped.counts, [[2, 1]] * 3)
    np.testing.assert_array_equal(table.grouped.correct, [[1, 0]] * 3)
    assert table.rule == "mixed" and sorted(table.reading["rule"]) == ["date", "normalized", "numeric"]
    assert read_answers(MIXED, rule="normalized").rule == "normalized"
    assert read_answers(MIXED, rule="normalized").grouped.correct[0].tolist() == [0, 0, 0]


def test_dates_with_the_day_first_where_others_show_it():
    """3/5 is in March, unless another date of the file can only have the day first; whatever is right."""
    days = [["3/5/1914", "3/5/1914"], ["4/5/1914", "5/4/1914"]]
    assert read_answers(asked(days, ["1914-05-03", "1914-05-04"])).grouped.correct[:, 0].tolist() == [0, 0]
    days += [["25/5/1914", "I cannot say"]]
    table = read_answers(asked(days, ["1914-05-03", "1914-05-04", "1914-05-25"]))
    assert table.rule == "day-first" and table.grouped.correct[:, 0].tolist() == [1, 1, 1]
    assert any(note.startswith("4 dates") and "'date'" in note for note in table.notes)


def test_any_of_several_right_answers_is_right():
    """A list, or JSON in a cell. They stay different answers: agreement may not know the truth."""
    given = [["Paris", "City of Paris", "Lyon"], ["5", "6", "6"]]
    for several in (["Paris", "City of Paris"], '["Paris", "City of Paris"]'):
        table = read_answers(asked(given, [several, "5"]))
        assert table.grouped.counts.tolist() == [[1, 1, 1], [1, 2, 0]]
        assert table.grouped.correct.tolist() == [[1, 1, 0], [1, 0, -1]]
        assert "1 question has several right answers" in table.notes
    assert read_answers(asked(given, ["[1, 2]", "5"])).grouped.correct[0, 0] == 0  # an interval


def test_systems_are_compared_by_one_rule(tmp_path):
    """The first knows no right answer, and most of its answers are words."""
    first = asked([["seven of them", "7", "so many"]] * 4, [None] * 4)
    second = asked([["7", "It is 8."]] * 4, ["7"] * 4)
    both = pd.concat([first.assign(model="a"), second.assign(model="b")])
    assert {table.rule for table in read_systems(both, system="model").values()} == {"numeric"}
    for name, frame in (("a.csv", first), ("b.csv", second)):
        frame.to_csv(tmp_path / name, index=False)
    tables = read_systems(tmp_path / "a.csv", against=tmp_path / "b.csv")
    assert {table.rule for table in tables.values()} == {"numeric"}


def test_options_are_letters_or_their_texts():
    """A letter beyond the options is none; "4" is an option, and no number."""
    options = [["Rome", "A lion", "4"], ["yes", "no"]]
    given = [["B", "a lion", "The answer is (A).", "D", "4"], ["No.", "B", "ANSWER: A", "C", "perhaps"]]
    for cells in (options, [json.dumps(cell) for cell in options]):
        frame = asked(given, ["A lion", "B"])
        frame["choices"] = [cell for cell in cells for _ in range(5)]
        table = read_answers(frame, options="choices")
        assert table.grouped.labels == (("B", "A", None, "C"), ("B", "A", None)) and table.rule == "letter"
        np.testing.assert_array_equal(table.grouped.counts, [[2, 1, 1, 1], [2, 1, 2, 0]])
        assert table.grouped.correct[:, 0].tolist() == [1, 1] and table.features.empty
    with pytest.raises(ValueError, match="'choices' must hold a list of two options or more.*row 1"):
        read_answers(frame.assign(choices="Rome"), options="choices")


def test_graded_answers_are_read_by_the_right_ones_if_these_are_there():
    """A judge may see more than the rule: what it cannot read stays a text."""
    frame = asked([["It is 7.", "7.0", "no idea", "VII"], ["5", "five", "six", "6"]], ["7", "5"])
    grades = [1, 1, 0, 1, 1, 1, 0, 0]
    table = read_answers(frame.assign(grade=grades), correct="grade")
    assert table.grouped.labels == (("7", "no idea", "vii"), ("5", "6")) and "reference" not in table.columns
    assert table.grouped.correct.tolist() == [[1, 0, 1], [1, 0, -1]]


def test_wrong_answers_that_hold_the_right_value_are_counted():
    table = read_answers(asked([["It is Paris.", "Paris, of course", "Lyon"], ["5", "6", "6"]], ["Paris", "5"]))
    reading = table.reading.set_index("rule")
    assert reading["held"].to_dict() == {"normalized": 2, "numeric": 0}


def test_without_right_answers_the_answers_are_looked_at():
    frame = NUMBERS.assign(answer=["18.0", "18", "$18.00"] * 40).drop(columns="reference")
    assert read_answers(frame).rule == "numeric"
    assert any("'numeric'" in note and "120 of 120" in note for note in read_answers(frame).notes)
    assert read_answers(WORDS.drop(columns="reference")).rule == "normalized"
    assert read_answers(asked([["A dog", "a cat"]] * 2, ["a", "A"])).rule == "normalized"  # an article


@pytest.mark.slow
def test_the_recorded_log_brings_its_classes_and_grades():
    """The raw log and the loader's table are the same; both are graded as recorded, not by matching."""
    raw = read_answers(LOG)
    frame = load_smollm2_answers()
    tables = read_systems(frame)
    assert list(tables) == ["examples", "plain"] and tables["plain"].n_answers == 16950
    np.testing.assert_array_equal(raw.grouped.counts, tables["examples"].grouped.counts)
    assert raw.features.columns.tolist() == ["kind"]
    assert raw.rule == "class" and raw.columns["correct"] == "correct" and raw.grouped.n_answers.tolist() == [50] * 339
    asked_with = frame[(frame["prompt"] == "examples") & (frame["sample"] > 0)]
    right = (raw.grouped.correct == 1) * raw.grouped.counts
    assert right.sum() == asked_with["correct"].sum()  # every class is right or wrong as a whole


TWO = pd.concat([WORDS.assign(model="a"), WORDS.assign(model="b", answer="Paris")], ignore_index=True)


def test_two_systems_in_one_file_or_in_two(tmp_path):
    both = read_systems(TWO, system="model")
    assert list(both) == ["a", "b"] and both["a"].n_questions == both["b"].n_questions == 18
    assert both["b"].grouped.counts.shape[1] == 1
    assert list(read_systems(TWO, system="model", systems=["b", "a"])) == ["b", "a"]
    assert list(read_systems(TWO, system="model", systems="b")) == ["b"]
    WORDS.to_csv(tmp_path / "a.csv", index=False)
    assert list(read_systems(tmp_path / "a.csv", against=tmp_path / "a.csv")) == ["a.csv", "a.csv (2)"]
    assert list(read_systems(WORDS)) == [""]


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (TWO, {"system": "modell"}, r"'modell' \(system\).*'model'"),
        (TWO, {"system": "model", "systems": ["c"]}, "^systems .*'a', 'b'"),
        (TWO, {"systems": ["a"]}, "^systems names 'a', but system"),
        (TWO, {"system": "question"}, "^systems must name two at the most, but there are 18"),
        (TWO, {"system": "model", "against": "b.csv"}, "^against .* system and systems"),
        (TWO.assign(model=None), {"system": "model"}, "'model'.* row 1"),
    ],
)
def test_systems_that_are_not_there(frame, options, message):
    with pytest.raises(ValueError, match=message):
        read_systems(frame, **options)


def changed(row, **cells):
    """The good table with cells of one row changed."""
    frame = good().astype(object)
    frame.loc[row, list(cells)] = list(cells.values())
    return frame


COUNTS = {"counts": ["yes", "no"], "reference": "truth"}
CASES = {  # the table, options, and what the error must name beside the file
    "one answer": (good().drop(index=[4, 5, 7, 8]), {}, ["question 'b'", "row 4"]),
    "one question": (good()[:3], {}, ["two questions", "3"]),
    "a sample twice": (changed(4, sample="1.0"), {}, ["'sample'", "row 4 and row 5", "'b'"]),
    "no number": (changed(4, sample=None), {}, ["'sample'", "row 5", "missing"]),
    "no question": (changed(5, question=None), {}, ["'question'", "row 6", "missing"]),
    "all unreadable": (good().assign(answer="unclear"), {"rule": "date"}, ["'answer'", "'date'", "'unclear'"]),
    "all empty": (good().assign(answer=""), {}, ["'answer'", "'normalized'", "9"]),
    "two right answers": (changed(4, reference="8"), {}, ["'reference'", "'7' in row 4", "'8' in row 5", "a list"]),
    "no such refusals": (good(), {"unparsed": "keep"}, ["unparsed must be one of", "'drop'"]),
    "confidences in words": (good().assign(confidence="high"), {}, ["'confidence'", "'high'"]),
    "a grade of 2": (good().assign(g=[1, 0, 2] * 3), {"correct": "g"}, ["'g'", "row 3", "'2'"]),
    "no such answer": (good(), {"answer": "anwser"}, ["'anwser' (answer)", "'answer'?"]),
    "no such confidence": (good(), {"confidence": "conf"}, ["'conf' (confidence)", "'confidence'?"]),
    "no such grade": (good(), {"correct": "grade"}, ["'grade' (correct)"]),
    "one column, two roles": (good(), {"confidence": "answer"}, ["answer and confidence", "'answer'"]),
    "nothing for the answer": (good(), {"answer": ""}, ["answer must name a column"]),
    "no such rule": (good(), {"rule": "dates"}, ["rule must be one of", "'date'"]),
    "a negative count": (WIDE.assign(no=[1, -5, 2, 0]), COUNTS, ["'no'", "row 2", "-5"]),
    "half a count": (WIDE.assign(no=[1, 5, 2.5, 0]), COUNTS, ["'no'", "row 3", "2.5"]),
    "a count missing": (WIDE.assign(no=[1, 5, None, 0]), COUNTS, ["'no'", "row 3", "missing"]),
    "counts in words": (WIDE.assign(no=[1, "five", 2, 0]), COUNTS, ["'no'", "row 2", "'five'"]),
    "no answers counted": (WIDE.assign(yes=0, no=0), COUNTS, ["two answers", "row 1"]),
    "no such class": (WIDE.assign(truth="nope"), COUNTS, ["'truth'", "row 1", "'nope'", "yes, no"]),
    "no such counts": (WIDE, {"counts": ["yes", "noo"]}, ["'noo' (counts", "'no'?"]),
    "one class": (WIDE, {"counts": ["yes"]}, ["counts", "two columns"]),
    "counts twice": (WIDE, {"counts": ["yes", "yes"]}, ["counts", "'yes'"]),
    "counts with a role": (WIDE, {**COUNTS, "counts": ["yes", "truth"]}, ["counts", "'truth'"]),
    "a question twice": (WIDE.assign(question=list("abac")), COUNTS, ["'question'", "row 1 and row 3", "'a'"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_table_that_breaks_a_rule(tmp_path, case):
    frame, options, words = CASES[case]
    frame.to_csv(tmp_path / "my.csv", index=False)
    with pytest.raises(ValueError) as error:
        read_answers(tmp_path / "my.csv", **options)
    message = str(error.value)
    assert all(word in message for word in words), message
    assert "my.csv" in message or message.startswith(("answer ", "reference ", "counts", "rule ", "unparsed "))


ONE = {"question": "a", "answer": ["x", "y"]}
LINES = {  # the second line after this one, and what the error must name beside the file
    "a sample twice": ([{"question": "a", "answer": "x", "sample": 1}] * 2, ["line 1 and line 2", "'a'"]),
    "lists and texts": ([ONE, {"question": "b", "answer": "x"}], ["'answer'", "line 2", "'x'"]),
    "an empty list": ([ONE, {"question": "b", "answer": []}], ["'answer'", "line 2"]),
    "a list of one": ([ONE, {"question": "b", "answer": ["x"]}], ["'b'", "line 2"]),
    "no question": ([ONE, {"answer": ["x", "y"]}], ["'question'", "line 2"]),
    "too few confidences": ([ONE, ONE | {"question": "b", "confidence": [1]}], ["'confidence'", "line 2"]),
    "a nested reference": ([ONE, ONE | {"question": "b", "reference": [["x"]]}], ["'reference'", "line 2", "['x']"]),
    "a negative count": ([{"question": "b", "answer": {"x": 2, "y": -1}}], ["line 1", "'y'", "-1"]),
    "half a count": ([{"question": "b", "answer": {"x": 2.5}}], ["line 1", "'x'", "2.5"]),
}


@pytest.mark.parametrize("case", LINES)
def test_lines_that_break_a_rule(tmp_path, case):
    records, words = LINES[case]
    (tmp_path / "my.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(ValueError, match="^my.jsonl:? ") as error:
        read_answers(tmp_path / "my.jsonl")
    assert all(word in str(error.value) for word in words), error.value


OPTIONS_WITH_TEXT = [["B", "(B)", "B. Paris"], ["(A)", "A", "A) Rome"]]


@pytest.mark.parametrize(
    ("answers", "references", "rule"),
    [
        ([["12", "It is 12."], ["7", "7."]], ["3 x 4 = <<3*4=12>>12\n#### 12", "3 + 4 = 7\n#### 7"], "numeric"),
        ([["12", "12.0"], ["7", "7"]], ["So 3 x 4 is \\boxed{12}.", "We add. Answer: 7"], "numeric"),
        ([["Paris", "paris"], ["Rome", "Rome"]], ["It is in France.\n#### Paris", "#### Rome"], "normalized"),
        ([["Paris", "City of Paris"], ["roma"] * 2], ["['Paris', 'City of Paris']", "['Rom', \"Roma\"]"], "normalized"),
        (OPTIONS_WITH_TEXT, ["B. Paris", "A. Rome"], "letter"),
        (OPTIONS_WITH_TEXT, ["(B) Paris", "(A) Rome"], "letter"),
    ],
)  # fmt: skip
def test_right_answers_as_they_are_published(answers, references, rule):
    table = read_answers(asked(answers, references))
    row = table.reading.loc[0, ["graded", "right", "held"]]
    assert table.rule == rule and row.tolist() == [sum(map(len, answers))] * 2 + [0]


def test_letters_before_texts_are_options_only_if_all_are():
    assert read_answers(asked([["B. Paris", "Rome"]] * 2, ["B. Paris", "Rome"])).rule == "normalized"
    assert read_answers(asked([["A. Dog", "Cat"]] * 2, ["A. Dog", "A. Dog"])).rule == "normalized"


def test_a_rule_that_reads_nothing_names_what_helps():
    with pytest.raises(ValueError, match="`rule`, `options`.*`correct`"):
        read_answers(asked([["no", "none"]] * 2, ["5", "6"]))
