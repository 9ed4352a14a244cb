"""Decisions: tasks after training, what is saved, and scores that know or do not."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem, spearmanr
from sklearn.linear_model import LogisticRegression

from helpers.experiments import repeat
from helpers.simulation import Sigmoid, controls
from helpers.studies.nb06_decisions import (
    acting_on_it,
    decide_by_scores,
    estimation_errors,
    models,
    rank_guides,
    real_tasks,
    try_all,
)
from helpers.studies.nb06_decisions.post_training import post_training, squared_rank_correlation

EVEN = [[0, 1], [1, 0]]


@pytest.fixture(scope="module")
def tries():
    tasks = real_tasks(600, digits=[3], rng=0)
    few = {name: model for name, model in models(0).items() if name in ("logistic", "naive Bayes")}
    return try_all({name: tasks[name] for name in ("Fair", "RAND, 5 or more visits", "digit 3")}, few, rng=1)


def test_tasks_are_thinned_by_whole_people():
    tasks = real_tasks(700, digits=[0, 8], rng=0)
    assert list(tasks)[-2:] == ["digit 0", "digit 8"] and len(tasks) == 8
    assert all(len(data.y) <= 700 and set(data.y) == {0, 1} and len(data.X) == len(data.y) for data in tasks.values())
    rand = tasks["RAND, 5 or more visits"]
    whole = real_tasks(30_000, digits=[], rng=0)["RAND, 5 or more visits"]
    size = pd.Series(whole.groups).value_counts()
    assert (pd.Series(rand.groups).value_counts().sort_index() == size[np.unique(rand.groups)]).all()
    assert real_tasks(2000, digits=[8], rng=0)["digit 8"].X.nunique().min() > 1
    again = real_tasks(700, digits=[], rng=0)["Fair"]
    pd.testing.assert_frame_equal(again.X, tasks["Fair"].X)


@pytest.mark.slow
def test_the_savings_add_up(tries):
    assert len(tries) == 3 * 2 * 5 and tries.groupby(["task", "model"])["t"].nunique().eq(5).all()
    assert tries["fine_tuning"].to_numpy() == pytest.approx(tries["recalibration"] + tries["after_recalibration"])
    estimates = ["risk", "grouping_risk", "risk_elsewhere", "grouping_elsewhere"]
    assert (tries[[*estimates, "cost", "tuned"]] >= 0).all(axis=None)
    assert (tries[["cost", "recalibrated", "tuned"]] <= 2).all(axis=None)  # the gap is 2
    assert tries["accuracy"].between(0.3, 1).all() and tries["auc"].between(0.4, 1).all()
    half = tries[tries["t"] == 0.5]
    assert half["cost"].to_numpy() == pytest.approx(1 - half["accuracy"])  # both mistakes cost 1
    naive = tries.groupby("model")["risk"].mean()
    assert naive["naive Bayes"] > naive["logistic"]  # famous for its overconfidence


def test_a_perfect_model_has_nothing_to_save():
    saved = []
    risk = []
    for k in range(5):
        a = controls.perfect(2000, k)
        found = post_training(a.X, a.y, LogisticRegression(C=np.inf), thresholds=[0.3, 0.5], rng=k)
        saved.append((found["cost"] - found["tuned"]).mean())
        risk.append(found["risk"].mean())
    assert np.mean(saved) < 3 * sem(saved)  # fine-tuning can only cost
    assert np.mean(risk) < 0.02


@pytest.mark.slow
def test_guides_are_ranked_by_whole_tasks(tries):
    tries = pd.concat([tries, tries.assign(task=tries["task"] + ", again")], ignore_index=True)  # six tasks
    oracle = tries.assign(
        oracle=tries["fine_tuning"] ** 3, wrong=-tries["fine_tuning"], chance=np.arange(len(tries)) % 7
    )
    guides = {"oracle": "oracle", "wrong": "wrong", "chance": "chance"}
    found = rank_guides(oracle, "fine_tuning", guides, n_resamples=50, rng=0)
    assert found.loc["oracle"].tolist() == [1, 1, 1] and found.loc["wrong"].tolist() == [-1, -1, -1]
    rows = found.loc["chance"]
    assert rows["low"] <= rows["value"] <= rows["high"]


def test_squared_rank_correlation_keeps_the_sign():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 50))
    for x, y in ((a, b), (a, a + b), (a, b - 2 * a)):
        rho = spearmanr(x, y).statistic
        assert squared_rank_correlation(x, y) == pytest.approx(rho * abs(rho))
    assert squared_rank_correlation(a, np.ones(50)) == 0


@pytest.mark.slow
def test_studies_tell_what_happened():
    ways = {"paper": {"method": "paper"}, "ours": {"residual": "tree"}}
    runs = repeat(estimation_errors(Sigmoid().sample, ways, EVEN), {"n": [1000]}, 3, rng=0)
    wide = runs.pivot(index="repeat", columns="estimator", values=["true", "L2", "value"])
    assert (wide["true"]["paper"] == wide["true"]["ours"]).all()  # the same new people
    assert (wide["value"] <= 2 * wide["L2"] ** 0.5).all(axis=None)  # proposition 6, squared and averaged
    null = repeat(acting_on_it(controls.perfect, ways, EVEN), {"n": [1000]}, 12, rng=1)
    by_way = null.groupby("estimator")[["invented", "alarm"]].mean()
    assert by_way.loc["ours", "invented"] < by_way.loc["paper", "invented"] and by_way["alarm"].max() <= 0.25
    found = repeat(acting_on_it(controls.same_sign, {"ours": {"residual": "tree"}}, EVEN), {"n": [6000]}, 3, rng=2)
    assert found["alarm"].all()  # there is much to save, and it is saved


@pytest.mark.slow
def test_decisions_by_scores_that_know_and_by_scores_that_do_not():
    """q = x is known, so the best decisions cost mean(min(x, 1 - x)) = 1/4, and one for everybody 1/2."""
    rng = np.random.default_rng(3)
    x = rng.random(1200)
    cases = pd.DataFrame({"label": (rng.random(1200) < x).astype(int), "x": x, "knows": x, "noise": rng.random(1200)})
    known = decide_by_scores(cases, "knows", EVEN, rng=1).set_index("scores")
    assert list(known.index) == ["as stated", "recalibrated"]
    error = 0.5 / np.sqrt(600)  # at most, of a mean cost
    assert known["cost"].to_numpy() == pytest.approx(0.25, abs=4 * error)
    assert (known["low"] > 0).all() and known["saved"].to_numpy() == pytest.approx(0.25, abs=6 * error)
    blind = decide_by_scores(cases, "noise", EVEN, rng=1).set_index("scores")
    assert blind["saved"].to_numpy() == pytest.approx(0, abs=6 * error) and blind.loc["recalibrated", "low"] <= 0
