"""Studies of audits: language models about people of a survey."""

import numpy as np
import pandas as pd
import pytest

from helpers.datasets import read_survey_answers
from helpers.grouping import grouping_loss_from_regions
from helpers.studies.nb07_audit import language_models


def test_a_pool_of_the_survey_holds_each_answer_at_its_person():
    pool = language_models.survey_pool("income", "choice_examples")
    answers = read_survey_answers(task="income", way="choice_examples")
    for name, p in zip(pool.models.index, pool.p, strict=True):
        rows = answers[answers["model"] == name]
        np.testing.assert_array_equal(rows["p"], p)
        np.testing.assert_array_equal(rows["y"], pool.y)
        np.testing.assert_array_equal(rows["age"], pool.X["age"])
    assert pool.models["size"].is_monotonic_increasing


def test_some_rows_of_a_pool_keep_what_belongs_together():
    pool = language_models.survey_pool("income", "choice")
    few = pool.rows(np.array([40, 7]))
    np.testing.assert_array_equal(few.p, pool.p[:, [40, 7]])
    np.testing.assert_array_equal(few.y, pool.y[[40, 7]])
    pd.testing.assert_frame_equal(few.X, pool.X.loc[[40, 7]].reset_index(drop=True))
    assert len(pool.rows(slice(30)).y) == 30


def test_the_value_without_a_row_is_that_of_the_other_rows():
    rng = np.random.default_rng(0)
    residual, region = rng.uniform(-1, 1, 12), np.repeat([0, 1, 2], [2, 3, 7])  # one region of two rows
    value, without = language_models._without_each(residual, region)
    assert value == pytest.approx(grouping_loss_from_regions(residual, region).value)
    others = [grouping_loss_from_regions(*(np.delete(column, i) for column in (residual, region))) for i in range(12)]
    np.testing.assert_allclose(without, [one.value for one in others])


def test_standard_errors_of_falls_are_the_spread_over_people():
    rng = np.random.default_rng(1)
    region = np.arange(400) % 10
    q = np.where(region < 5, 0.2, 0.7)
    falls, errors = [], []
    for _ in range(400):
        y = rng.random(400) < q
        flat, half_right = y - 0.45, y - np.where(region < 5, 0.35, 0.55)
        parts = [language_models._without_each(residual, region) for residual in (flat, half_right)]
        falls.append(parts[0][0] - parts[1][0])
        without = parts[0][1] - parts[1][1]
        errors.append(2 * language_models._jackknife([without]))  # the mean of two halves, one of which is certain
    assert np.mean(errors) == pytest.approx(np.std(falls), rel=0.12)
    assert np.mean(falls) == pytest.approx(0.0625 - 0.0225, abs=0.002)


def test_two_ways_of_asking_are_compared_on_the_same_people():
    lines = language_models.compare_ways(second="choice_examples", parts=1, n_resamples=20).set_index(
        ["model", "measure"]
    )
    turned = language_models.compare_ways(first="choice_examples", second="choice", parts=1, n_resamples=20)
    turned = turned.set_index(["model", "measure"])
    np.testing.assert_allclose(lines["difference"], -turned["difference"])
    np.testing.assert_allclose(lines["low"], -turned["high"])
    answers = read_survey_answers(task="income").query("model == 'gemma3-270m'")
    choice, examples = (answers[answers["way"] == way].set_index("person") for way in ("choice", "choice_examples"))
    both = choice.index.intersection(examples.index)
    by_hand = np.mean((choice["p"] - choice["y"])[both] ** 2)
    assert lines.loc[("gemma3-270m", "Brier"), "choice"] == pytest.approx(by_hand)
    assert (lines["people"] == len(both)).all()


def test_a_planted_group_is_counted_and_nobody_else():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"age": rng.integers(20, 80, 1500), "gender": pd.Categorical(rng.choice(["a", "b"], 1500))})
    q = rng.uniform(0.4, 0.8, 1500)
    y = (rng.random(1500) < q).astype(int)
    off = np.where(X["age"] > 60, q - 0.35, q)
    models = language_models.LANGUAGE_MODELS.head(2)
    pool = language_models.ScoredPool("invented", models, X, y, np.array([q, off]))
    found = language_models.count_named_groups(pool)
    assert found["groups_stated"].tolist()[0] == 0 and found["groups_recalibrated"].tolist()[0] == 0
    assert found["groups_stated"].iloc[1] >= 1 and found["farthest off"].iloc[1].startswith("age > ")
