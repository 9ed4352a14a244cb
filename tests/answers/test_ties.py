"""Where answers are equally frequent: nothing that is said of a file hangs on the order of its rows or columns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.answers import group_answers, sem1, sem2, sem2_spread, sem_ece, split_bias_corrected
from helpers.answers.splits import chances_to_win
from helpers.practice.reports import audit_answers
from helpers.practice.reports.answer_numbers import chance_of_another, vote_chances
from helpers.practice.tables import read_answers

QUICK = {"n_resamples": 20, "rng": 0}


def drawn(n=400, size=6, seed=0):
    """Counts of three classes, and whether each is right: the second one."""
    counts = np.random.default_rng(seed).multinomial(size, [0.35, 0.4, 0.25], n)
    return counts, np.tile([0, 1, 0], (n, 1))


@pytest.mark.parametrize("columns", [[2, 1, 0], [1, 2, 0]])
def test_columns_in_any_order(columns):
    counts, correct = drawn()
    one = sem_ece(counts, correct, **QUICK)
    other = sem_ece(counts[:, columns], correct[:, columns], **QUICK)
    for name in ("per_question", "summary", "differences", "by_margin"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))


def test_names_of_classes_do_not_decide_a_tie_of_the_first_answers():
    counts, correct = drawn(100)
    samples = [np.random.default_rng(k).permutation(np.repeat(range(3), row)) for k, row in enumerate(counts)]
    named = []
    for names in ("abc", "cab"):
        answers = np.array(list(names))[np.ravel(samples)]
        rows = {"question": np.repeat(np.arange(100), 6), "sample": np.tile(np.arange(6), 100), "answer": answers}
        grouped = group_answers(pd.DataFrame(rows).assign(reference=names[1]), "exact")
        named.append(sem_ece(grouped, answer="block", **QUICK).per_question)
    pd.testing.assert_frame_equal(*named)
    assert not named[0]["correct"].isin([0, 1]).all()


@given(st.lists(st.integers(0, 5), min_size=2, max_size=5).filter(lambda counts: sum(counts) >= 2), st.randoms())
def test_confidences_of_columns_in_any_order(counts, random):
    shuffled = random.sample(counts, len(counts))
    for confidence in (sem1, sem2, sem2_spread, split_bias_corrected):
        assert confidence(shuffled) == pytest.approx(confidence(counts), abs=1e-6)
    assert sorted(chances_to_win(np.array(shuffled))) == sorted(chances_to_win(np.array(counts)))


def table_of(counts, order):
    """A row an answer, in some order of the classes: A, B, C, of which B is right."""
    rows = [(k, "ABC"[j]) for k, row in enumerate(counts) for j in order for _ in range(row[j])]
    frame = pd.DataFrame(rows, columns=["question", "answer"]).assign(reference="B")
    return frame.assign(confidence=0.4 + 0.2 * (frame["question"] % 3), topic=frame["question"] % 2)


def audit(frame):
    return audit_answers(read_answers(frame), precision=0.5, reject_cost=0.2, n_resamples=100, rng=0)


@pytest.mark.slow
def test_a_report_on_rows_in_any_order():
    """Sorted, reversed and shuffled: the same numbers, sentences and rows, with ties counted by their right share."""
    counts, _ = drawn()
    first = audit(table_of(counts, (0, 1, 2)))
    others = [audit(table_of(counts, order)) for order in ((2, 1, 0), (1, 0, 2))]
    others.append(
        audit(table_of(counts, (0, 1, 2)).sample(frac=1, random_state=1).sort_values("question", kind="stable"))
    )
    leads = counts == counts.max(axis=1, keepdims=True)
    share = leads[:, 1] / leads.sum(axis=1)
    assert first.accuracy[0] == pytest.approx(share.mean())
    tied = first.findings.set_index("kind").loc["tied"]
    assert tied["n"] == (leads.sum(axis=1) > 1).sum() and tied["sentence"] in first.on_top
    for other in others:
        pd.testing.assert_frame_equal(other.findings, first.findings)
        pd.testing.assert_frame_equal(other.answer_rows, first.answer_rows)
        assert other.metrics() == first.metrics()
    rows = first.answer_rows
    assert rows["right"].isna().tolist() == (rows["n_tied"] > 1).tolist()
    assert rows["right"].astype(float).fillna(rows["right_of_tied"]).to_numpy() == pytest.approx(share)
    assert rows.loc[rows["n_tied"] == 2, "answer"].isin(["a | b", "a | c", "b | c"]).all()


def test_every_answer_tied():
    """Nothing is right or wrong for sure; a tie of which all classes are right is right."""
    counts = np.tile([1, 1, 0], (60, 1))
    report = audit(table_of(counts, (0, 1, 2)))
    assert report.accuracy[0] == 0.5 and not report.promises.source
    everywhere = audit(table_of(counts, (0, 1, 2)).assign(reference="Z"))
    assert everywhere.accuracy[0] == 0


def test_votes_in_any_order_of_the_columns():
    counts, correct = drawn(40)
    columns = [2, 0, 1]
    one, other = (vote_chances(counts[:, c], correct[:, c], rng=0) for c in ([0, 1, 2], columns))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b)
    assert (one[1][:, -1] == 1).all()  # all answers name a most frequent one
    np.testing.assert_allclose(chance_of_another(counts, rng=0), chance_of_another(counts[:, columns], rng=0))
