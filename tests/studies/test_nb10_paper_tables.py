"""Tables 4 to 6 in their form: which confidence wins, for sure, and by which grader."""

import numpy as np
import pandas as pd
import pytest

from helpers.studies.nb10_ecuas_real import paper_tables
from helpers.studies.nb10_ecuas_real.paper_tables import CONFIDENCES, MEASURES


@pytest.fixture(scope="module")
def answers():
    """One model: sequence orders well and is far too timid, is-it-true knows the base rate only, a number is noise."""
    rng = np.random.default_rng(0)
    q = rng.uniform(0.3, 1, 400)
    columns = {
        "posterior": q**6 / 10,
        "is_true": rng.uniform(0.6, 0.7, 400),
        "verbalised": rng.uniform(0.05, 0.95, 400),
    }
    lost = pd.DataFrame({"model": "m", "correct": [1], "posterior": [np.nan], "is_true": [0.5], "verbalised": [0.5]})
    table = pd.DataFrame({"model": "m", "correct": (rng.random(400) < q).astype(int)} | columns)
    return pd.concat([table, lost], ignore_index=True)


@pytest.fixture(scope="module")
def systems(answers):
    return paper_tables.systems_of(answers)


def test_answers_without_a_confidence_are_left_out(systems):
    assert {len(y) for of_model in systems.values() for y, _ in of_model.values()} == {400}


def test_the_form_is_that_of_the_paper(systems):
    table = paper_tables.measured(systems, n_resamples=20)
    form = paper_tables.in_form(table)
    assert list(form.columns) == list(MEASURES)
    assert [name for _, name in form.index] == list(CONFIDENCES.values())
    np.testing.assert_allclose(form["ecuas_1"], form["er"] + form["brier"], atol=1e-12)
    assert form["er"].nunique() == 1
    assert paper_tables.with_ends(table, "ecuas_1").shape == (3, 4)


def test_order_and_calibration_are_at_odds_until_scores_are_calibrated(systems):
    raw, after = (paper_tables.sure_winners(systems, scores=kind, n_resamples=100) for kind in ("raw", "calibrated"))
    won = set(map(tuple, raw[["better", "worse", "metric"]].to_numpy()))
    assert ("Seq. Post.", "Is True", "auc") in won and ("Is True", "Seq. Post.", "brier") in won
    assert paper_tables.contradicting(raw) == ["m"]
    assert paper_tables.contradicting(after) == []
    assert set(after["better"]) == {"Seq. Post."}


def test_no_confidence_is_the_best_where_order_and_values_are_at_odds(systems):
    raw = paper_tables.best_by_all(systems, n_resamples=20)
    assert raw.loc["m", "best"] == "none" and raw.loc["m", "share"] == 0
    assert raw[["rest", "low", "high"]].values.tolist() == [[1, 1, 1]]


def test_a_confidence_that_others_do_not_beat_is_the_best_of_all():
    rng = np.random.default_rng(2)
    q = rng.uniform(size=300)
    y = (rng.random(300) < q).astype(int)
    others = {("sure", "raw"): (y, np.full(300, 0.9)), ("no", "raw"): (y, 1 - q), ("no", "calibrated"): (y, q)}
    systems = {"m": {("q", "raw"): (y, q)} | others}
    found = paper_tables.best_by_all(systems, n_resamples=20)
    assert found.loc["m", "best"] == "q" and found.loc["m", "share"] > 0.5 and found.loc["m", "rest"] == 0


def test_a_row_is_calibrated_by_the_others():
    """A score that is nothing but the row's own label, hidden in noise of the others, must not help."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    p = paper_tables.out_of_fold(y, rng.uniform(size=60), 0)
    assert np.mean((p - y) ** 2) > 0.24


def test_a_right_answer_within_the_answer_is_whole_words():
    answers = pd.DataFrame(
        {
            "answer": ["It is Rome, Italy.", "Romeo", "the year 1914-1918", "", "north   AMERICA"],
            "references": ["Rome", "Rome", "1914", "x", "South America|North America"],
        }
    )
    assert paper_tables.contained(answers).tolist() == [1, 0, 1, 0, 1]


def test_a_constant_confidence_becomes_the_share_of_right_answers():
    y = np.tile([1, 1, 1, 0], 10)
    np.testing.assert_allclose(paper_tables.out_of_fold(y, np.full(40, 0.1), 0), 0.75)
