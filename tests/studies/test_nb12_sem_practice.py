"""Studies of sampled answers: readers with known truth, arithmetic of halves, judges that err, shipped numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts import load_script

from helpers.answers import sem1, sem2, sem_ece
from helpers.datasets import DATA_FOLDER
from helpers.datasets.download import find_cached
from helpers.datasets.sampled_answers import answer_files
from helpers.studies.nb12_sem_practice import CARDS, READERS, card_readers, half_split_gap
from helpers.studies.nb12_sem_practice.readers import binned_error, misjudge, mode_correct, thin


@pytest.fixture(scope="module")
def people():
    return card_readers(150, rng=0)


@pytest.fixture(scope="module")
def asked(people):
    return {key: people[key].sample(20, [0, k]) for k, key in enumerate(people)}


@pytest.fixture(scope="module")
def calibrations(asked):
    return {key: sem_ece(one.counts, one.correct, n_resamples=30, rng=0) for key, one in asked.items()}


# ---------------------------------------------------------------- readers


def test_readers_read_the_same_cards_and_the_slip_hurts(people):
    assert list(people) == [(cards, reader) for cards in CARDS for reader in READERS]
    truths = {tuple(one.correct.argmax(axis=1)) for one in people.values()}
    assert len(truths) == 1
    accuracy = {key: one.oracle_correct.mean() for key, one in people.items()}
    assert all(accuracy["clean", reader] > accuracy["slipped", reader] + 0.2 for reader in READERS)


def test_same_seed_same_readers_and_fewer_cards_are_the_first_ones(people):
    again = card_readers(150, rng=0)
    fewer = card_readers(100, rng=0)
    for key, one in people.items():
        assert np.array_equal(one.pi, again[key].pi)
        if key[0] != "smudged":
            assert np.array_equal(one.pi[:100], fewer[key].pi)


# ---------------------------------------------------------------- errors by hand


def test_binned_error_by_hand():
    confidence = [0.1, 0.15, 0.9, 1.0]
    correct = [0, 1, 1, 0]
    assert binned_error(correct, confidence) == pytest.approx((0.75 + abs(0.1 - 1.0)) / 4)
    assert binned_error(correct, confidence, n_bins=1) == pytest.approx(0.15 / 4)
    down = binned_error(correct, confidence, closed="right")  # 0.1 goes below 0.15, 0.9 below 1.0
    assert down == pytest.approx((0.1 + 0.85 + 0.1 + 1.0) / 4)


@given(st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=1, max_size=40), st.integers(1, 50))
def test_error_is_at_least_the_mean_gap_whatever_the_bins(rows, n_bins):
    confidence, correct = np.array([(k / 50, right) for k, right in rows], dtype=float).T
    gap = abs((correct - confidence).mean())
    up, down = (binned_error(correct, confidence, n_bins=n_bins, closed=side) for side in ("left", "right"))
    assert min(up, down) >= gap - 1e-12 and abs(up - down) <= max(up, down) - gap + 1e-12
    order = np.random.default_rng(0).permutation(len(rows))
    assert binned_error(correct[order], confidence[order], n_bins=n_bins) == pytest.approx(up)


def test_binned_error_is_that_of_sem_ece(asked):
    for key in (("slipped", "neighbours"), ("smudged", "pixels")):
        for closed in ("left", "right"):
            one = sem_ece(asked[key].counts, asked[key].correct, closed=closed, n_resamples=20, rng=0)
            rows = one.per_question
            ece = one.summary.set_index("source")["ece"]
            for name in ("sem1", "sem2"):
                assert binned_error(rows["correct"], rows[name], closed=closed) == pytest.approx(ece[name], abs=1e-12)


# ---------------------------------------------------------------- arithmetic of halves


@pytest.mark.parametrize("counts", [(27, 23), (25, 21, 4), (22, 18, 5, 5), (30, 20), (25, 15, 5, 5), (40, 10)])
def test_half_split_gap_is_close_to_the_exact_gap(counts):
    a, b, *rest = counts
    exact = np.mean([sem1(one) - sem2(one) for one in (counts, (b, a, *rest))])
    assert half_split_gap((a - b) / 50, (a + b) / 50, 50) == pytest.approx(exact, abs=0.0025)


def test_thinning_keeps_shares_on_average_and_answers():
    counts = np.tile([[6, 3, 1, 0]], (4000, 1))
    copy = counts.copy()
    fewer = thin(counts, 5, rng=0)
    assert (fewer.sum(axis=1) == 5).all() and (fewer <= counts).all() and np.array_equal(counts, copy)
    variance = 5 * 0.6 * 0.4 * (10 - 5) / (10 - 1)
    assert abs(fewer[:, 0].mean() - 3) < 4.5 * (variance / 4000) ** 0.5
    assert np.array_equal(thin(counts, 10, rng=0), counts)


# ---------------------------------------------------------------- judges that err


def test_merging_everything_leaves_one_class_with_the_grade_of_its_largest_part():
    counts = np.array([[1, 4, 2], [3, 1, 1]])
    correct = np.array([[0, 1, 0], [1, 0, 0]])
    merged, right = misjudge(counts, correct, merge=1, rng=0)
    assert merged[:, 0].tolist() == [7, 5] and not merged[:, 1:].any()
    assert mode_correct(merged, right).tolist() == [1, 1]


def test_rates_are_met_within_four_and_a_half_standard_errors():
    counts = np.tile([[5, 5]], (4000, 1))
    merged = misjudge(counts, counts * 0, merge=0.3, rng=1)[0]
    split = misjudge(counts, counts * 0, split=0.3, rng=1)[0]
    se = 4.5 * (0.3 * 0.7 / 4000) ** 0.5
    assert abs((merged[:, 1] == 0).mean() - 0.3) < se
    kept = 0.7 + 0.3 * 0.5**5  # a class that was cut may still lie in one part
    assert abs((split[:, 0] == 5).mean() - kept) < se


# ---------------------------------------------------------------- protocols


def test_order_of_errors_follows_over_confidence_exactly(people):
    for one, sign in ((people["slipped", "pixels"], 1), (people["clean", "forest"], -1)):
        exact = one.calibration(10)
        assert np.sign(exact.sem1 - exact.sem2) == sign


# ---------------------------------------------------------------- bad input, shipped numbers


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
