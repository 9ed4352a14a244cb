"""Studies of cascades: policies, prices, gains, votes, and rows as text."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scripts import load_script

from helpers.datasets import DATA_FOLDER, load_fair, load_rand_hie
from helpers.datasets.download import find_cached
from helpers.datasets.sampled_answers import answer_files
from helpers.decisions import cost_matrix
from helpers.routing import Routed, evaluate_policies, sweep_routers
from helpers.simulation import model_pool
from helpers.studies.nb07_audit import survey_pool
from helpers.studies.nb08_cascades import (
    all_pools,
    compare_policies_on,
    every_policy,
    handing_on,
    language_like,
    language_models,
    people_trial,
    real_pool,
    vote,
)
from helpers.studies.nb08_cascades.policies import within_budget
from helpers.studies.nb08_cascades.pools import REAL_PRICES

COSTS = cost_matrix(false_alarm=1, miss=1)


@cache
def four_models():
    return model_pool(**language_like(0, n_models=4))


@cache
def small_trial():
    return people_trial(four_models(), COSTS, n_past=1200, n_new=800, rng=0)


@cache
def small_table():
    return compare_policies_on(small_trial())


@cache
def fair():
    return real_pool(load_fair(), rng=0)


def test_the_router_of_equal_money_keeps_to_the_budget():
    budget = small_table()[small_table()["policy"] == "risk cascade"]["money"].to_numpy()
    equal = small_table()[small_table()["policy"] == "router, equal money"]
    assert list(equal["pool"]) == list(range(11)) and (equal["money"].to_numpy() <= budget + 1e-9).all()
    rows = (small_trial().new.decisions(COSTS), four_models().price, small_trial().new.y)
    routers = sweep_routers(small_trial().accuracy, *rows, willingness=[0, 10, 1000], pools=all_pools(4))
    cheapest = np.array([four_models().price[pool[0]] for pool in all_pools(4)])
    assert (within_budget(routers, cheapest)["money"].to_numpy() == cheapest).all()


@pytest.mark.slow
def test_real_people_stay_in_one_part():
    data = load_rand_hie()
    asked = real_pool(data, rng=0)
    past = asked["past"]
    new = asked["new"]
    assert not set(past.groups) & set(new.groups)
    assert len(past.y) + len(new.y) == pytest.approx(0.7 * len(data.y), rel=0.05)
    assert past.p.shape == (5, len(past.y)) and list(past.price) == list(REAL_PRICES)
    assert ((past.p >= 0) & (past.p <= 1)).all()


@pytest.mark.slow
def test_every_policy_uses_the_same_rows():
    cost = cost_matrix(false_alarm=1, miss=4)
    done = every_policy(fair()["past"], fair()["new"], cost, willingness=100.0, n_halvings=1, rng=0)
    assert all(isinstance(one, Routed) and len(one.paid) == len(fair()["new"].y) for one in done.values())
    found = evaluate_policies(done, fair()["new"].y, cost=cost, n_resamples=50, rng=0)
    assert (found.loc["hindsight", "accuracy"] >= found["accuracy"]).all()
    assert (found["money"] >= 1).all() and found.loc["dearest", "money"] == 40
    assert found.loc["random mix", "money"] == pytest.approx(found.loc["risk cascade", "money"], rel=0.2)
    record = fair()["past"].record(cost)
    assert set(np.unique(record)) == {0, 0.75, 1}  # a miss, a false alarm, right


ANSWERS = pd.DataFrame(
    [(q, s, a, "7", "x" * (s + 1)) for q, row in enumerate(["775", "577", "5n7", "nn7"]) for s, a in enumerate(row)],
    columns=["question", "sample", "parsed", "reference", "generated"],
).replace({"parsed": {"n": None}})


def test_votes_by_hand():
    found = vote(ANSWERS)
    assert found["answer"].tolist() == ["7", "7", "5", "none"]  # a tie goes to the answer given first
    assert np.allclose(found["agreement"], [2 / 3, 2 / 3, 1 / 3, 2 / 3])
    assert found["characters"].tolist() == [6] * 4
    assert vote(ANSWERS, n_samples=1)["answer"].tolist() == ["7", "5", "5", "none"]


def test_handing_on_by_hand():
    large = vote(ANSWERS[ANSWERS["sample"] == 2].assign(sample=0))  # right except for the first question
    table = handing_on(vote(ANSWERS), large, [0.5, 1.0], rng=0, n_resamples=50)
    assert table["policy"].tolist() == ["small", "large", "cascade", "cascade"]
    assert table["accuracy"].tolist() == [0.5, 0.75, 0.75, 0.75]
    assert table["handed_on"].tolist() == [0, 1, 0.25, 1.0]
    assert table["characters_large"].tolist() == [0, 3, 0.75, 3] and table["characters_small"].tolist() == [6, 0, 6, 6]


@pytest.mark.slow
def test_the_shipped_numbers_are_those_of_the_files():
    script = load_script("make_date_cascade")
    if not all(find_cached(answer_files()[name]) for name in [*script.SMALL.values(), script.LARGE]):
        pytest.skip("not in the cache: set HONEST_DATA to a folder that holds the sampled answers")
    shipped = pd.read_csv(DATA_FOLDER / "date_cascade.csv", dtype={"prompt": str})
    pd.testing.assert_frame_equal(script.make_table(), shipped, check_dtype=False, atol=2e-4)


@pytest.fixture(scope="module")
def survey():
    return language_models.survey_trials("income", "choice_examples", price="seconds", n_splits=2, rng=3)


def test_each_person_of_the_survey_is_judged_once_a_round_by_what_others_taught(survey):
    everybody = np.sort(np.concatenate([rows for rows, _ in survey]))
    n = everybody.max() + 1
    np.testing.assert_array_equal(everybody, np.repeat(np.arange(n), 2))
    for rows, trial in survey:
        assert np.all(np.diff(trial.new.price) > 0) and trial.new.price[-1] == language_models.LARGEST
        assert trial.new.p.shape == trial.learned.risk.shape == trial.accuracy.shape == (4, len(rows))


def test_what_the_largest_model_does_is_the_same_in_every_round(survey):
    right, paid = language_models.by_person(survey, range(4))
    pool = survey_pool("income", "choice_examples")
    np.testing.assert_array_equal(right["largest"], (pool.p[-1] >= 0.5) == pool.y)
    assert set(paid["largest"]) == {70.0}
    assert (paid["risk cascade"] >= paid["corrected smallest"]).all()


def test_gains_are_differences_of_accuracies(survey):
    gains = language_models.survey_gains(survey, [range(4)], rng=0)
    right, paid = language_models.by_person(survey, range(4))
    for rival, row in gains.iterrows():
        assert row["gain"] == pytest.approx(right["risk cascade"].mean() - right[rival].mean())
        assert row["cost"] == pytest.approx(paid["risk cascade"].mean() / paid[rival].mean())
        assert row["low"] <= row["gain"] <= row["high"]
    curves = language_models.survey_curves(survey)
    at_zero = curves["risk cascade"].iloc[0]
    assert at_zero["accuracy"] == pytest.approx(right["risk cascade"].mean(), abs=0.005)  # halves weigh a little unlike
