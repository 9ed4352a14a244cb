"""From a table of answers to counts of classes: by hand, against counting, in any order of rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from helpers.answers import group_answers, spell_answers


def answers_of(*questions, reference=None, **columns):
    """A tidy table: one list of answers a question."""
    rows = [(q, s, a) for q, answers in enumerate(questions) for s, a in enumerate(answers)]
    table = pd.DataFrame(rows, columns=["question", "sample", "answer"]).assign(**columns)
    if reference is not None:
        table["reference"] = [reference[q] for q in table["question"]]
    return table


def test_a_callable_is_called_once_for_each_text():
    seen = []

    def first_letter(text):
        seen.append(text)
        return None if text == "pass" else text[0]

    table = answers_of(["ab", "ac", "pass"], ["b", "ab", "ab"], reference=["ax", "bx"])
    grouped = group_answers(table, first_letter)
    assert sorted(seen) == sorted([*{"ab", "ac", "pass", "b"}, "ax", "bx"])
    assert grouped.counts.tolist() == [[2, 1], [1, 2]] and grouped.correct.tolist() == [[1, 0], [1, 0]]
    assert spell_answers(["x", "y"], lambda text: float("nan") if text == "x" else 1).tolist() == [None, 1]


def test_a_question_by_hand():
    table = answers_of(
        ["b", "A", "a.", "?", "B"], ["x", None, "y"], reference=["b", "z"], confidence=["90%", "0.7", "", None] * 2
    )
    grouped = group_answers(table, confidence="confidence")
    assert grouped.counts.tolist() == [[2, 2, 1], [1, 1, 1]]
    assert grouped.labels == (("b", "a", None), ("x", None, "y"))
    assert grouped.correct.tolist() == [[1, 0, 0], [0, 0, 0]]
    assert grouped.order.tolist() == [[0, 1, 1, 2, 0], [0, 1, 2, -1, -1]]
    assert grouped.n_answers.tolist() == [5, 3] and grouped.unparsed.tolist() == [1, 1]
    np.testing.assert_allclose(grouped.confidence, [(0.9 + 0.7 + 0.9) / 3, 0.7])
    assert grouped.n_stated.tolist() == [3, 1] and grouped.questions.tolist() == [0, 1]
    assert grouped.first(3).tolist() == [[1, 2, 0], [1, 1, 1]]
    assert grouped.first([5, 1]).tolist() == [[2, 2, 1], [1, 0, 0]]
    assert "2 unreadable answers" in str(grouped) and "2 questions with 3 to 5 answers" in str(grouped)
    assert grouped.problems["missing confidences"] + grouped.problems["unreadable confidences"] == 4


def test_three_ways_with_unreadable_answers():
    table = answers_of(["?", "a", "!", "a"], ["?", "!", "?", "."], reference=["a", "a"])
    each = group_answers(table)
    assert each.counts.tolist() == [[1, 2, 1, 0], [1, 1, 1, 1]] and each.correct[0].tolist() == [0, 1, 0, -1]
    one = group_answers(table, unparsed="class")
    assert one.counts.tolist() == [[2, 2], [4, 0]] and one.labels == ((None, "a"), (None,))
    none = group_answers(table, unparsed="drop")
    assert none.counts.tolist() == [[2]] and none.questions.tolist() == [0] and none.unparsed.tolist() == [2]
    assert none.problems["questions without a readable answer, left out"] == 1
    assert "1 questions without a readable answer" in str(none)


def test_references_that_are_missing_or_unreadable():
    table = answers_of(["1", "2"], ["1", "2"], ["1", "2"], ["1", "2"], reference=["2.0", None, "many", "7"])
    grouped = group_answers(table, "numeric")
    assert grouped.correct.tolist() == [[0, 1], [-1, -1], [-1, -1], [0, 0]]
    assert grouped.graded.tolist() == [True, False, False, True]
    assert grouped.problems["questions without a reference"] == 1
    assert grouped.problems["questions whose reference cannot be read"] == 1
    assert (group_answers(table, "numeric", reference=None).correct == -1).all()
    some = table.assign(reference=["2", None, *table["reference"][2:]])
    assert group_answers(some, "numeric").correct[0].tolist() == [0, 1]  # one row that says it is enough


def test_classes_and_grades_of_a_judge():
    table = answers_of(["x", "y", "z"], ["u", "v", "w"]).assign(
        cluster=[4, 4, 7, 1, 1, None], grade=[1, 0, 0, None, 1, 0]
    )
    grouped = group_answers(table, "class", answer="cluster", correct="grade")
    assert grouped.counts.tolist() == [[2, 1], [2, 1]] and grouped.labels == (("4", "7"), ("1", None))
    assert grouped.correct.tolist() == [[-1, 0], [1, 0]]  # graded once as right, once as wrong
    backwards = group_answers(table[::-1], "class", sample=None, answer="cluster", correct="grade")
    assert backwards.correct.tolist() == [[0, 1], [0, -1]]
    assert grouped.problems["classes whose answers are graded both ways"] == 1
    blank = group_answers(table.assign(grade=np.nan), "class", answer="cluster", correct="grade")
    assert (blank.correct == -1).all() and blank.problems["classes without a grade"] == 4
    true = group_answers(table.assign(grade=[True, False, False, True, True, False]), "class", answer="cluster",
                         correct="grade")  # fmt: skip
    assert true.correct.tolist() == [[-1, 0], [1, 0]]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "?"]), min_size=1, max_size=6), min_size=1, max_size=5))
def test_against_counting_by_hand(questions):
    if all(answer == "?" for answers in questions for answer in answers):
        return
    grouped = group_answers(answers_of(*questions), reference=None, unparsed="class")
    for q, answers in enumerate(questions):
        names = list(dict.fromkeys(answers))
        assert grouped.labels[q] == tuple(None if name == "?" else name for name in names)
        assert grouped.counts[q, : len(names)].tolist() == [answers.count(name) for name in names]
        assert grouped.order[q, : len(answers)].tolist() == [names.index(answer) for answer in answers]
    assert (grouped.counts.sum(axis=1) == grouped.n_answers).all()


def test_row_order_does_not_matter_where_samples_are_numbered():
    rng = np.random.default_rng(0)
    table = answers_of(*[rng.choice(list("abcd"), 12).tolist() for _ in range(30)], reference=["a"] * 30)
    whole = group_answers(table)
    shuffled = group_answers(table.sample(frac=1, random_state=1))
    back = np.argsort(shuffled.questions)
    for name in ("counts", "correct", "order", "n_answers"):
        np.testing.assert_array_equal(getattr(shuffled, name)[back], getattr(whole, name))
    as_text = group_answers(table.assign(sample=table["sample"].astype(str)).sample(frac=1, random_state=2))
    np.testing.assert_array_equal(as_text.order[np.argsort(as_text.questions)], whole.order)  # "10" comes after "9"
    named = group_answers(table.assign(sample="run " + table["sample"].map("{:02d}".format)))
    np.testing.assert_array_equal(named.order, whole.order)
    np.testing.assert_array_equal(group_answers(table, sample=None).order, whole.order)
    columns = {"question": "Q", "sample": "S", "answer": "A", "reference": "R"}
    renamed = group_answers(table.rename(columns=columns), **columns)
    np.testing.assert_array_equal(renamed.counts, whole.counts)


TABLE = answers_of(["a", "b"], ["c", "c"], reference=["a", "c"], confidence=0.5, grade=1)
BAD = {
    "no rows": (lambda: group_answers(TABLE.iloc[:0]), "at least one row"),
    "no such column": (lambda: group_answers(TABLE, answer="anser"), "answer must .*did you mean 'answer'"),
    "no reference": (lambda: group_answers(TABLE.drop(columns="reference")), "Give reference=None"),
    "unparsed": (lambda: group_answers(TABLE, unparsed="keep"), "unparsed must"),
    "rule": (lambda: group_answers(TABLE, "normalised"), "did you mean 'normalized'"),
    "same sample twice": (
        lambda: group_answers(TABLE.assign(sample=[0, 1, 3, 3])),
        r"rows 2 and 3 are both answer 3 to question 1\.$"),
    "same sample often": (
        lambda: group_answers(TABLE.assign(question=0, sample=[0, 3, 3, 3])), "rows 1 and 2 .* 1 more"),
    "missing sample": (lambda: group_answers(TABLE.assign(sample=[0, None, 0, 1])), "sample must"),
    "missing question": (lambda: group_answers(TABLE.assign(question=[0, 0, None, 1])), "question must"),
    "two references": (
        lambda: group_answers(TABLE.assign(reference=["a", "b", "c", "c"])), "question 0 has 'b' and 'a'|'a' and 'b'"),
    "nothing readable": (lambda: group_answers(TABLE, "date"), "reads none of the 4 answers; the first is 'a'"),
    "grades": (lambda: group_answers(TABLE.assign(grade=[0, 1, 2, 1]), correct="grade"), "grade must"),
    "first of too many": (lambda: group_answers(TABLE).first(3), "n is 3, but question 0 has 2"),
    "first without an order": (
        lambda: replace(group_answers(TABLE), order=np.zeros((2, 0), int)).first(1), "without the order"),
    "first of none": (lambda: group_answers(TABLE).first(0), "n must"),
}  # fmt: skip

test_bad_inputs = refuses(*BAD.values(), ids=BAD)
