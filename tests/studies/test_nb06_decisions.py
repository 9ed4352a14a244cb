"""Decisions: tasks after training, what is saved, and scores that know or do not."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem
from sklearn.linear_model import LogisticRegression

from helpers.datasets import read_survey_answers
from helpers.simulation import controls
from helpers.studies.nb06_decisions import models, real_tasks, survey_tasks, try_all
from helpers.studies.nb06_decisions.post_training import post_training


@pytest.fixture(scope="module")
def tries():
    tasks = real_tasks(600, digits=[3], rng=0)
    few = {name: model for name, model in models(0).items() if name in ("logistic", "naive Bayes")}
    return try_all({name: tasks[name] for name in ("Fair", "RAND, 5 or more visits", "digit 3")}, few, rng=1)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_perfect_model_has_nothing_to_save():
    saved = []
    risk = []
    for k in range(5):
        a = controls.perfect(1000, k)
        found = post_training(a.X, a.y, LogisticRegression(C=np.inf), thresholds=[0.3, 0.5], rng=k)
        saved.append((found["cost"] - found["tuned"]).mean())
        risk.append(found["risk"].mean())
    assert np.mean(saved) < 3 * sem(saved)  # fine-tuning can only cost
    assert np.mean(risk) < 0.02


def test_survey_tasks_are_what_language_models_were_asked():
    for task, data in survey_tasks().items():
        asked = read_survey_answers(task=task)
        told = [name for name in data.X if name in asked]
        assert told == list(data.X) and len(data.X) == len(data.y) > len(asked["person"].unique())
        rows = asked.drop_duplicates("person")
        known = data.X.assign(y=data.y).astype(str).value_counts()
        for line in rows[[*told, "y"]].astype(str).itertuples(index=False, name=None):
            assert line in known.index  # somebody of the task with these columns and this label
