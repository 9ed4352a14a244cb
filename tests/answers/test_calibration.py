"""Calibration of sampled answers: by hand, against known errors, edges of bins, one answer and many, bad inputs."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy.stats import entropy

from helpers.answers import group_answers, sem1, sem2, sem_ece, top_two_margin, top_two_mass
from helpers.answers.splits import chances_to_win, first_blocks, held_out_shares, random_blocks
from helpers.calibration import calibration_error

QUICK = {"n_resamples": 20, "margins": None, "rng": 0}


def draw(rng, n_questions, *, n_answers=20, known=1.0):
    """Counts and right classes: the right answer follows the same probabilities as the answers, for a share `known` of
    the questions, and is none of them for the others.
    """
    pi = rng.dirichlet(np.full(6, 0.7), n_questions)
    right = (rng.random((n_questions, 1)) > np.cumsum(pi, axis=1)).sum(axis=1).clip(0, 5)
    correct = np.eye(6, dtype=int)[right] * (rng.random((n_questions, 1)) < known)
    return rng.multinomial(n_answers, pi), correct


def ece_of(p, y):
    """Ten equal bins closed on the left, written out."""
    region = np.minimum(np.searchsorted(np.arange(11) / 10, p, side="right") - 1, 9)
    return np.abs(np.bincount(region, y - p)).sum() / len(p)


def test_four_questions_by_hand():
    counts = [[3, 1], [4, 0], [2, 2], [1, 3]]
    found = sem_ece(counts, [[1, 0], [1, 0], [0, 1], [1, 0]], stated=[0.8, 0.9, np.nan, 0.8], **QUICK)
    # sem1 .75 right, 1 right, .5 half right, .75 wrong: the bins hold -.5, 0 and 0 of four questions
    line = found.summary.set_index("source")
    assert line.loc["sem1", "ece"] == pytest.approx(0.125) and line.loc["sem1", "confidence"] == 0.75
    assert line.loc["stated", "n"] == 3 and line.loc["stated", "accuracy"] == pytest.approx(2 / 3)
    assert line.loc["sem1", "overconfidence"] == 0.125 and found.n_ungraded == 0
    assert found.per_question["correct"].tolist() == [1, 1, 0.5, 0]
    ordered = sem_ece(counts, [[1, 0], [1, 0], [0, 1], [1, 0]], ties="first", **QUICK)
    assert ordered.per_question["correct"].tolist() == [1, 1, 0, 0]
    assert found.per_question["sem2"].tolist() == sem2(counts).round(12).tolist()
    np.testing.assert_allclose(found.per_question["entropy"], entropy(counts, axis=1))
    few = sem_ece(counts, [1, 1, 0, 0], stated=[0.8, np.nan, np.nan, np.nan], **QUICK).differences
    assert few[few["second"] == "stated"][["difference", "n"]].fillna(9).values.tolist() == [[9, 1], [9, 1], [9, 0]] * 2


def test_the_first_answers_select_and_the_others_measure():
    table = pd.DataFrame({
        "question": [0] * 5 + [1] * 5, "sample": [*range(5)] * 2, "answer": list("abbba") + list("ccdce"),
        "reference": "b",
    })  # fmt: skip
    grouped = group_answers(table)
    block = sem_ece(grouped, answer="block", **QUICK).per_question
    assert block["sem1"].tolist() == [0.5, 1] and block["sem2"].tolist() == pytest.approx([1 / 2, 1 / 3])
    assert block["correct"].tolist() == [0.5, 0]  # "a" and "b" tie in the first two answers, "b" leads in all five
    ordered = sem_ece(grouped, answer="block", ties="first", **QUICK).per_question
    assert ordered["sem2"].tolist() == pytest.approx([1 / 3, 1 / 3]) and ordered["correct"].tolist() == [0, 0]
    whole = sem_ece(grouped, **QUICK).per_question
    assert whole["correct"].tolist() == [1, 0] and whole["sem1"].tolist() == [0.6, 0.6]
    three = sem_ece(grouped, answer="block", n_select=3, **QUICK).per_question
    assert three["sem1"].tolist() == pytest.approx([2 / 3, 2 / 3]) and three["sem2"].tolist() == [0.5, 0.5]
    assert three["standardized_margin"].tolist() == pytest.approx([0.2 * np.sqrt(3), 0.4 * np.sqrt(3 / 0.8)])


def test_questions_without_a_grade_are_left_out_and_counted():
    counts = np.array([[3, 1], [4, 0], [2, 2], [1, 3]])
    correct = np.array([[1, 0], [-1, 0], [0, -1], [0, np.nan]])
    assert sem_ece(np.array([[3, 1], [2, 2], [3, 1]]), correct[[0, 2, 2]], **QUICK).n_ungraded == 1  # a tie with one
    found = sem_ece(counts, correct, ties="first", **QUICK)
    assert found.per_question["question"].tolist() == [0, 2] and found.n_ungraded == 2
    assert "n = 2 questions, 2 without a grade left out" in str(found)
    by_answer = sem_ece(counts, [1, np.nan, 0, -1], ties="first", **QUICK)
    assert by_answer.summary.equals(found.summary)


def test_low_margins_and_strata():
    counts = np.array([[11, 9], [13, 7], [20, 0], [12, 8], [20, 0]])
    found = sem_ece(counts, [1, 0, 1, 1, 0], rng=0, n_resamples=30)
    strata = found.by_margin
    assert strata["margin_from"].tolist() == [0.1, 0.2, 0.8] and strata["n"].tolist() == [1, 2, 2]
    last = strata.iloc[-1]
    assert last["accuracy"] == 0.5 and last["ece_sem1"] == pytest.approx(0.5) and last["null_sem1"] == 0
    low = found.differences.set_index("what").loc["ece at low margins"]
    assert low["n"] == 2  # .1 and .2 are below 1 / sqrt(20) = .224, .3 and 1 are not


@pytest.mark.parametrize(
    ("closed", "strategy", "answer"),
    [("left", "uniform", "all"), ("right", "quantile", "all"), ("right", "uniform", "block")],
)
def test_parts_agree(closed, strategy, answer):
    counts, correct = draw(np.random.default_rng(2), 60)
    options = {"stated": np.random.default_rng(3).random(60), "n_bins": 7, "n_resamples": 20, "rng": 1}
    found = sem_ece(counts, correct, closed=closed, strategy=strategy, answer=answer, ties="first", **options)
    table = found.per_question
    line = found.summary.set_index("source")
    for name in ("sem1", "sem2", "stated"):
        p = table[name] if closed == "left" else np.nextafter(table[name], 0)
        again = calibration_error(table["correct"], p, n_bins=7, strategy=strategy, rng=0)
        assert found.errors[name].value == line.loc[name, "ece"] == pytest.approx(again.value, abs=1e-12)
    gaps = found.differences.set_index(["what", "first", "second"])
    for first, second in combinations(("sem1", "sem2", "stated"), 2):
        for what in ("ece", "confidence"):
            row = gaps.loc[what, first, second]
            assert row["difference"] == pytest.approx(line.loc[first, what] - line.loc[second, what], abs=1e-12)
            assert row["low"] <= row["high"] and row["n"] == 60
    np.testing.assert_allclose(table["margin"], top_two_margin(counts))
    error = np.sqrt(top_two_mass(counts) / (20 if answer == "all" else 10))
    np.testing.assert_allclose(table["standardized_margin"], top_two_margin(counts) / error)


def test_one_range_of_margins_is_the_whole():
    counts, correct = draw(np.random.default_rng(4), 200)
    assert sem_ece(counts, correct, **QUICK).by_margin.empty
    found = sem_ece(counts, correct, **(QUICK | {"margins": (0, 1)}))
    assert found.by_margin["ece_sem2"].tolist() == pytest.approx([found.errors["sem2"].value])
    split = sem_ece(counts, correct, rng=0, n_resamples=20).by_margin
    assert split["n"].sum() == 200 and (split["margin_from"] < split["margin_to"]).all()
    assert split["n"] @ split["confidence_sem1"] / 200 == pytest.approx(sem1(counts).mean())


def test_questions_that_belong_together_widen_the_intervals():
    counts, correct = draw(np.random.default_rng(6), 60, known=0.5)
    copies = {"groups": np.repeat(np.arange(60), 8)}
    single = sem_ece(np.repeat(counts, 8, axis=0), np.repeat(correct, 8, axis=0), n_resamples=200, rng=0)
    grouped = sem_ece(np.repeat(counts, 8, axis=0), np.repeat(correct, 8, axis=0), n_resamples=200, rng=0, **copies)
    few = np.where(copies["groups"] < 4, 0.5, np.nan)  # stated to four of the groups, too few to resample
    told = sem_ece(np.repeat(counts, 8, axis=0), np.repeat(correct, 8, axis=0), stated=few, **copies, **QUICK)
    assert told.differences.set_index("second").loc["stated", ["difference", "low", "high"]].isna().all(axis=None)
    assert grouped.by_margin["null_sem2"].mean() > 1.4 * single.by_margin["null_sem2"].mean()
    wide, narrow = (found.differences.query("what == 'confidence'").iloc[0] for found in (grouped, single))
    assert 2 < (wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"]) < 4  # sqrt(8) = 2.8
    assert grouped.errors["sem1"].null > 2 * single.errors["sem1"].null


def test_a_sample_of_a_population_can_be_given():
    counts, correct = draw(np.random.default_rng(7), 80)
    order = np.array([np.random.default_rng(8).permutation(np.repeat(np.arange(6), row)) for row in counts])
    sample = SimpleNamespace(counts=counts, correct=correct, order=order)
    assert sem_ece(sample, **QUICK).summary.equals(sem_ece(counts, correct, **QUICK).summary)
    block = first_blocks(order, np.full(80, 10), 6)
    found = sem_ece(sample, answer="block", **QUICK).per_question
    np.testing.assert_allclose(found["sem1"], sem1(block))
    np.testing.assert_allclose(found["sem2"], held_out_shares(counts, block, chances_to_win(block)))


@pytest.mark.slow
@pytest.mark.parametrize(("share", "n"), [(1.0, 300), (0.8, 2000)])
def test_a_known_error_is_recovered_and_covered_and_where_there_is_none_nothing_is_found(share, n):
    """Right with probability 0.8 Sem1: the binned error is 0.2 of the mean confidence."""
    rng = np.random.default_rng(10)
    found = []
    for _ in range(50):
        counts, _ = draw(rng, n)
        right = (rng.random(n) < share * sem1(counts)).astype(int)
        error = sem_ece(counts, right, sources=["sem1"], **QUICK).errors["sem1"]
        truth = (1 - share) * sem1(counts).mean()
        measured = error.value - error.null if share == 1 else error.debiased  # never below 0
        found.append([measured - truth, error.p_value < 0.05, error.low <= truth <= error.high])
    off, alarms, covered = np.transpose(found)
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(50)
    assert alarms.mean() == 1 if share < 1 else alarms.mean() < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 50)
    assert share == 1 or covered.mean() > 0.95 - 4 * np.sqrt(0.05 * 0.95 / 50)


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["all", "block"])
def test_paired_differences_cover_the_truth(answer):
    """Populations with known probabilities; the truth from 30,000 questions."""
    rng = np.random.default_rng(11)
    repeats = 20
    counts, correct = draw(rng, 30_000, known=0.8)
    block = counts if answer == "all" else random_blocks(counts, np.full(len(counts), 10), rng=rng)[0]
    chosen = chances_to_win(block)
    pair = sem1(block), sem2(counts).round(12) if answer == "all" else held_out_shares(counts, block, chosen)
    right = (correct * chosen).sum(axis=1)
    truth = {"ece": ece_of(pair[0], right) - ece_of(pair[1], right), "confidence": np.mean(pair[0] - pair[1])}
    inside = {"ece": 0, "confidence": 0}
    for k in range(repeats):
        counts, correct = draw(rng, 300, known=0.8)
        found = sem_ece(counts, correct, answer=answer, n_resamples=60, margins=None, rng=k)
        rows = found.differences.set_index("what")
        for what in inside:
            inside[what] += rows.loc[what, "low"] <= truth[what] <= rows.loc[what, "high"]
    for what, times in inside.items():
        assert times / repeats > 0.95 - 4 * np.sqrt(0.95 * 0.05 / repeats), what
    assert truth["confidence"] > 0 and truth["ece"] > 0.03  # over-confident answers: Sem2 is the better


COUNTS = np.array([[3, 1], [2, 2], [4, 0]])
RIGHT = np.array([[1, 0], [1, 0], [0, 1]])
GROUPED = group_answers(
    pd.DataFrame({"question": [0, 0, 1, 1], "sample": [0, 1, 0, 1], "answer": list("abcc"), "reference": "c"})
)
BAD = {
    "one answer": (lambda: sem_ece([[3, 1], [1, 0]], [1, 0]), "at least 2 answers to every question, but question 1"),
    "one answer, block": (
        lambda: sem_ece([[3, 1], [1, 0]], RIGHT[:2], sources="sem1", answer="block"), "question 1 has 1"),
    "n_select": (lambda: sem_ece(COUNTS, RIGHT, n_select=4), "n_select must"),
    "no grades": (lambda: sem_ece(COUNTS), "correct must say"),
    "shape": (lambda: sem_ece(COUNTS, RIGHT[:, :1]), "correct must"),
    "length": (lambda: sem_ece(COUNTS, [1, 0]), "correct must"),
    "one grade": (lambda: sem_ece(COUNTS, [1, -1, np.nan]), "known for two questions at least, but it is for 1"),
    "block, one column": (lambda: sem_ece(COUNTS, [1, 0, 1], answer="block"), "a column for each class"),
    "stated": (lambda: sem_ece(COUNTS, RIGHT, stated=[0.1, 95, 0.2]), "stated must"),
    "stated length": (lambda: sem_ece(COUNTS, RIGHT, stated=[0.1, 0.2]), "counts and stated must"),
    "no stated": (lambda: sem_ece(COUNTS, RIGHT, sources=["sem1", "stated"]), "no confidence is stated"),
    "no sources": (lambda: sem_ece(COUNTS, RIGHT, sources=[]), "sources must"),
    "answer": (lambda: sem_ece(COUNTS, RIGHT, answer="first"), "answer must"),
    "margins": (lambda: sem_ece(COUNTS, RIGHT, margins=(0, 0.5)), "margins must"),
    "no margins": (lambda: sem_ece(COUNTS, RIGHT, margins=[0]), "margins must"),
    "groups": (lambda: sem_ece(COUNTS, RIGHT, groups=range(9)), "counts and groups must"),
    "both": (lambda: sem_ece(GROUPED, RIGHT), "correct and stated must"),
}  # fmt: skip

test_bad_inputs = refuses(*BAD.values(), ids=BAD)
