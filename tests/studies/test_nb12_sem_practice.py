"""Studies of sampled answers: readers with known truth, arithmetic of halves, judges that err, shipped numbers."""

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER, load_digits
from helpers.datasets.download import find_cached
from helpers.datasets.sampled_answers import answer_files
from helpers.studies.nb12_sem_practice import CARDS, READERS, card_readers


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
