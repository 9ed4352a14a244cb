"""Collected answers against the known truth: counts by hand, drawn from the truth and from another one."""

import math

import numpy as np
import pandas as pd
import pytest

from helpers.llm.evals import known_answers
from helpers.studies import nb16_collected

pytest.importorskip("inspect_ai")


KNOWN = pd.DataFrame(
    {
        "question": ["q", "q", "q", "r"],
        "meaning": ["Paris", "Paris", "Lyon", "4"],
        "text": ["Paris", "paris", "Lyon", "4"],
        "probability": [0.5, 0.25, 0.25, 1.0],
        "correct": [True, True, False, True],
        "posterior": [0.5, 0.25, 0.25, 1.0],
        "is_true": [0.9, 0.9, 0.2, 1.0],
    }
)


def answers_of(**texts):
    """A tidy table: a list of answers for each question."""
    rows = [(question, k, text) for question, given in texts.items() for k, text in enumerate(given, 1)]
    return pd.DataFrame(rows, columns=["question", "sample", "answer"])


def questions(n):
    """Questions and their right answers."""
    return [f"question {k}" for k in range(n)], [f"answer {k}" for k in range(n)]


def draw(known, n, rng, power=1.0):
    """n answers to each question, drawn from known probabilities, sharpened by a power."""
    rng = np.random.default_rng(rng)
    given = {}
    for question, part in known.groupby("question", sort=False):
        p = part["probability"].to_numpy() ** power
        given[question] = rng.choice(part["text"].to_numpy(object), n, p=p / p.sum())
    return answers_of(**given)


# ---- matching -------------------------------------------------------------------------------------------------


def test_answers_are_matched_by_question_and_text_in_their_order():
    answers = answers_of(r=["4", "Paris"], q=["Lyon", "paris"]).assign(is_true=[1.0, 0.5, 0.2, 0.9])
    before = answers.copy(), KNOWN.copy()
    both = nb16_collected.match_known(answers, KNOWN)
    assert both["answer"].tolist() == ["4", "Lyon", "paris"]  # "Paris" is no answer to r
    assert both["meaning"].tolist() == ["4", "Lyon", "Paris"]
    assert both["is_true"].tolist() == both["is_true_known"].tolist() == [1.0, 0.2, 0.9]
    pd.testing.assert_frame_equal(answers, before[0])
    pd.testing.assert_frame_equal(KNOWN, before[1])


def test_a_text_that_is_known_twice_is_an_error():
    with pytest.raises(pd.errors.MergeError):
        nb16_collected.match_known(answers_of(q=["Paris"]), pd.concat([KNOWN, KNOWN]))


# ---- frequencies ----------------------------------------------------------------------------------------------


def test_frequencies_of_four_answers_by_hand():
    found = nb16_collected.compare_frequencies(answers_of(q=["Paris", "paris", "Lyon", "Rome"]), KNOWN)
    assert found.table["share"].to_dict() == {("q", "Paris"): 0.5, ("q", "Lyon"): 0.25}
    assert found.table["known"].to_dict() == {("q", "Paris"): 0.75, ("q", "Lyon"): 0.25}
    assert found.mean == pytest.approx((2 - 3) / math.sqrt(0.75))
    noise = math.sqrt(2 + (1 - 6 * 0.1875) / 0.75)
    assert found.dispersion == pytest.approx((1 / 0.75 - 1) / noise)


def test_a_certain_meaning_says_nothing_about_chance():
    alone = nb16_collected.compare_frequencies(answers_of(q=["Paris", "Lyon"]), KNOWN)
    with_r = nb16_collected.compare_frequencies(answers_of(q=["Paris", "Lyon"], r=["4", "4"]), KNOWN)
    assert (alone.mean, alone.dispersion) == (with_r.mean, with_r.dispersion)


def test_questions_with_different_numbers_of_answers_are_an_error():
    with pytest.raises(ValueError, match="equally many to each question, but they are 1 to 2"):
        nb16_collected.compare_frequencies(answers_of(q=["Paris", "Lyon"], r=["4"]), KNOWN)


def test_the_band_holds_95_of_100_shares():
    band = nb16_collected.compare_frequencies(answers_of(q=["Paris"] * 100), KNOWN).band.iloc[50]
    assert band["low"] == pytest.approx(0.5 - 1.96 * 0.05) and band["high"] == pytest.approx(0.5 + 1.96 * 0.05)


@pytest.mark.slow
def test_draws_from_the_truth_have_standard_normal_scores_and_others_do_not():
    known = known_answers(*questions(60), seed=3)
    scores = [nb16_collected.compare_frequencies(draw(known, 8, rng), known) for rng in range(40)]
    for name in ("mean", "dispersion"):
        values = np.array([getattr(one, name) for one in scores])
        assert abs(values.mean()) < 4 / math.sqrt(40)
        assert abs(values.std(ddof=1) - 1) < 4 / math.sqrt(2 * 40) * (1 if name == "mean" else 1.5)  # heavier tails
    assert nb16_collected.compare_frequencies(draw(known, 8, 0, power=3), known).mean > 6
    sticky = draw(known, 1, 0)  # each question says the same eight times
    sticky = pd.concat([sticky.assign(sample=k) for k in range(8)])
    assert nb16_collected.compare_frequencies(sticky, known).dispersion > 6


def test_frequencies_do_not_depend_on_the_order_of_rows():
    known = known_answers(*questions(12), seed=3)
    answers = draw(known, 6, 1)
    one = nb16_collected.compare_frequencies(answers, known)
    other = nb16_collected.compare_frequencies(answers.sample(frac=1, random_state=0), known)
    assert (one.mean, one.dispersion) == pytest.approx((other.mean, other.dispersion))


# ---- reading out ----------------------------------------------------------------------------------------------


def test_read_out_counts_by_hand_and_keeps_what_is_missing_out():
    calls = pd.DataFrame({"correct": [1, 0, 1, 0], "a": [0.9, 0.95, 0.89, math.nan], "b": [0.1] * 4})
    found = nb16_collected.read_out(calls, {"a": "first", "b": "second"})
    first = found.loc["first"]
    second = found.loc["second"]
    assert first[["calls", "read out", "right", "wrong", "looked up"]].tolist() == [4, 2, 0.25, 0.25, 0.5]
    assert first["stated"] == pytest.approx(0.925) and first["wrong of these"] == 0.5
    assert first["low"] == pytest.approx(0.01258, abs=1e-4) and first["high"] == pytest.approx(0.98742, abs=1e-4)
    assert second["looked up"] == 1 and second[["stated", "wrong of these", "low", "high"]].isna().all()
    with pytest.raises(ValueError, match="calls must"):
        nb16_collected.read_out(calls.head(0), {"a": "first"})
