"""Any file: an error names the file, or what was read is in range; reports on it end in words."""

import numpy as np
import pytest
from hypothesis import strategies as st
from strategies import ODD_NUMBERS, ODD_WORDS, files, tries

from helpers.practice.reports import audit_answers, audit_scores, read_table
from helpers.practice.tables import read_answers, read_scores

LABELS = st.one_of(st.sampled_from([0, 1]), st.sampled_from(["yes", "no"]), st.sampled_from([0, 1, *ODD_WORDS]))

SCORES = st.one_of(st.floats(0, 1), st.floats(0, 1), st.sampled_from(ODD_NUMBERS), st.sampled_from(ODD_WORDS))

PLAIN = {"label": "label", "score": "probability"}

ANSWERS = {
    "question": st.one_of(st.sampled_from(["a", "b", "c"]), st.sampled_from(ODD_WORDS)),
    "sample": "row",
    "answer": st.one_of(st.sampled_from(["Paris", "paris ", "12", "12.0"]), st.sampled_from(ODD_WORDS)),
    "confidence": st.one_of(st.floats(0, 1), st.sampled_from(ODD_NUMBERS)),
    "reference": st.one_of(st.just("Paris"), st.sampled_from(["12", *ODD_WORDS])),
}

USUAL = {
    "question": ["a", "b", "c", "d", "e"],
    "sample": "row",
    "answer": ["Paris", "paris ", "12", "12.0", "Lyon"],
    "confidence": "probability",
    "reference": ["Paris"],
}

SCORE_FILE = b"label,score,age\n" + b"".join(b"%d,0.%02d,%d\n" % (k % 3 == 0, k + 10, k % 7) for k in range(80))

ANSWER_FILE = b"question,answer,confidence,reference\n" + b"".join(
    b"q%d,%s,0.%02d,Paris\n" % (k % 5, (b"Paris", b"Lyon", b"12")[k % 3], k + 10) for k in range(80)
)


def read_or_told(read, body, folder, told=("mine.csv",)):
    """What `read` makes of a file of these bytes; None where it says in a sentence that has one of `told` why not."""
    path = folder / "mine.csv"
    path.write_bytes(body)
    try:
        return read(path)
    except ValueError as error:
        text = str(error).rstrip()
        assert text.endswith((".", ")", "?")), text
        assert any(word in text for word in told), text
        return None


def test_any_file_of_scores(tmp_path):
    read = []

    @tries(40, files({"label": LABELS, "score": SCORES}) | files(PLAIN), always=[(SCORE_FILE,)])
    def holds(body):
        table = read_or_told(read_scores, body, tmp_path)
        if table is None:
            return
        read.append(table.n)
        assert set(np.unique(table.y)) <= {0, 1}
        assert np.isfinite(table.p).all() and (table.p >= 0).all() and (table.p <= 1).all()
        assert len(table.X) == table.n
        assert not set(table.features) & {"label", "score"}

    holds()
    assert read


def test_any_file_of_answers(tmp_path):
    read = []

    @tries(30, files(ANSWERS) | files(USUAL), always=[(ANSWER_FILE,)])
    def holds(body):
        table = read_or_told(read_answers, body, tmp_path)
        if table is None:
            return
        read.append(table.n_questions)
        stated = table.grouped.confidence[table.stated]
        assert (stated >= 0).all() and (stated <= 1).all()
        assert (table.grouped.counts >= 0).all() and table.n_answers == table.grouped.counts.sum()
        assert table.stated.shape == table.graded.shape == (table.n_questions,)

    holds()
    assert read


def scores_of(path):
    """A report on a file of scores."""
    return audit_scores(read_table(path), rng=0)


def answers_of(path):
    """A report on a file of answers."""
    return audit_answers(read_answers(path), n_resamples=100, rng=0)


@pytest.mark.slow
def test_reports_end_in_words(tmp_path):
    told = []

    def holds(audit, body):
        report = read_or_told(audit, body, tmp_path, told=("mine.csv", "y ", "X "))
        if report is not None:
            told.append(type(report).__name__)
            assert "nan" not in str(report).lower().split()

    @tries(8, files(PLAIN, least=60, odd=0), always=[(SCORE_FILE,)])
    def scores(body):
        holds(scores_of, body)

    @tries(8, files(USUAL, least=60, odd=0), always=[(ANSWER_FILE,)])
    def answers(body):
        holds(answers_of, body)

    scores()
    answers()
    assert set(told) == {"ScoreReport", "AnswerReport"}
