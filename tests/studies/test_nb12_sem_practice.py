"""Studies of sampled answers: readers with known truth, arithmetic of halves, judges that err, shipped numbers."""

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER, load_digits
from helpers.datasets.download import find_cached
from helpers.datasets.sampled_answers import answer_files
from helpers.studies.nb12_sem_practice import (
    CARDS,
    READERS,
    card_readers,
    hard_answers,
    orders_of_errors,
    pooled_answers,
)


@pytest.fixture(scope="module")
def people():
    return card_readers(150, rng=0)


def test_readers_read_the_same_cards_and_the_slip_hurts(people):
    assert list(people) == [(cards, reader) for cards in CARDS for reader in READERS]
    truths = {tuple(one.correct.argmax(axis=1)) for one in people.values()}
    assert len(truths) == 1
    accuracy = {key: one.oracle_correct.mean() for key, one in people.items()}
    assert all(accuracy["clean", reader] > accuracy["slipped", reader] + 0.2 for reader in READERS)


def test_cards_of_other_writers_are_harder_and_none_of_them_was_learned_from():
    people, strangers = card_readers(1000, rng=0), card_readers(1000, other_writers=True, rng=0)
    assert sorted(strangers["clean", "pixels"].correct.argmax(axis=1)) == sorted(load_digits().y[797:])
    right = [one["clean", "pixels"].oracle_correct.mean() for one in (people, strangers)]
    assert right[1] < right[0] - 0.02


def test_shipped_numbers_of_the_paper_add_up():
    stated = pd.read_csv(DATA_FOLDER / "semece2026_stated.csv")
    assert not stated.duplicated(["item", "benchmark", "quantity"]).any() and stated["value"].notna().all()
    lowest = stated[stated["quantity"].str.contains("is the lowest") & stated["benchmark"].isna()]
    assert lowest["value"].sum() == 15


def test_shipped_confidences_are_ours():
    table = pd.read_csv(DATA_FOLDER / "date_confidence.csv").fillna({"source": ""})
    keys = ["system", "n_answers", "rule", "closed"]
    wide = table.pivot(index=keys, columns=["quantity", "source"], values="value")
    gap = wide["ece", "sem1"] - wide["ece", "sem2"] - wide["difference in ece", "sem1 - sem2"]
    assert np.abs(gap).max() < 1.6e-4 and (wide["confidence", "sem1"] >= wide["confidence", "sem2"]).all()
    if find_cached(answer_files()["GPT4/date_cot1"]) is None:
        pytest.skip("the sampled answers are not in the cache")
    again = load_script("make_date_confidence").make_table({"GPT4/date_cot1": (3,)}, rules=("date",), edges=("left",))
    shipped = table.query("system == 'GPT4/date_cot1' and rule == 'date' and closed == 'left'").reset_index(drop=True)
    pd.testing.assert_frame_equal(again, shipped, check_dtype=False)


def test_pooled_answers_are_all_questions_and_measure_as_each_alone():
    grouped = hard_answers(parts=1)
    one, other = grouped["coder-0.5b", 1.0], grouped["coder-1.5b", 1.0]
    counts, correct, questions = pooled_answers([one, other])
    n = len(one.counts)
    assert len(counts) == n + len(other.counts) == len(questions) and (counts.sum(axis=1) == 50).all()
    np.testing.assert_array_equal(counts[n:, : other.counts.shape[1]], other.counts)
    np.testing.assert_array_equal(correct[:n, : one.counts.shape[1]], one.correct)
    assert set(questions[n:]) <= set(questions[:n])  # both models were asked these


def test_the_order_of_the_errors_follows_the_sign_of_over_confidence():
    counts = np.tile([30, 20], (60, 1))
    right = {"too sure": np.tile([0, 1], (60, 1)), "not sure enough": np.tile([1, 0], (60, 1))}
    sets = {name: (counts, correct, np.arange(60)) for name, correct in right.items()}
    lines = orders_of_errors(sets, n_resamples=50, rng=0)
    gap = lines["Sem1"] - lines["Sem2"]
    assert lines["over"]["too sure"] == pytest.approx(0.6) and lines["over"]["not sure enough"] == pytest.approx(-0.4)
    assert gap["too sure"] > 0.001 and gap["not sure enough"] < -0.001
    for column in ("ten bins", "one bin"):
        np.testing.assert_allclose(lines[column].astype(float), gap.astype(float), atol=1e-12)


def test_by_meaning_right_answers_are_one_class():
    spelled, meant = hard_answers(parts=1), hard_answers("meaning", parts=1)
    for key, one in meant.items():
        assert (one.correct == 1).sum(axis=1).max() == 1
        assert one.counts.shape[1] <= spelled[key].counts.shape[1]
    assert max((one.correct == 1).sum(axis=1).max() for one in spelled.values()) > 1
