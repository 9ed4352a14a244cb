"""Studies of audits: alarms, coverage, planted groups; pools of models of many sizes."""

import numpy as np
import pytest

from helpers.datasets import load_model_list
from helpers.studies.nb07_audit import model_size, pool_losses, simulate_pool
from helpers.studies.nb07_audit.model_size import survey_tasks, train_pools


@pytest.fixture(scope="module")
def pools():
    return train_pools(sizes=(50, 400), n_rows=1500, rng=0)


def test_list_of_models_as_printed():
    models = load_model_list()
    assert len(models) == 27 and not models.duplicated(["family", "size", "type"]).any()
    companies = {"DeepSeek AI": 2, "Google": 4, "Meta": 15, "Microsoft": 2, "Mistral AI": 4}
    assert models.groupby("company").size().to_dict() == companies
    number = models["size"].str.extract(r"^(\d+)(?:x(\d+))?")
    plain = number[1].isna()
    assert (number.loc[plain, 0].astype(float) == models.loc[plain, "billions"]).all() and (~plain).sum() == 2


@pytest.mark.slow
def test_estimates_are_lower_bounds_and_zero_for_perfect_models():
    pool = simulate_pool(1500, tuned=0.0, rng=1)
    table = pool_losses(pool, rng=0)
    z = (table["value"] - table["truth"]) / table["se"]
    tuned = table["kind"] == "tuned"
    assert z.max() < 4 and abs(z[tuned].mean()) < 3 / np.sqrt(2)  # one table: its luck is shared by the 12 models
    assert z[~tuned].mean() < -1


def test_real_pools_ask_people_who_trained_nothing(monkeypatch):
    used = []
    learned = model_size._learned
    tuned = model_size._tuned

    def learning(codes, y, rows, known, rng):
        used.append(rows)
        return learned(codes, y, rows, known, rng)

    def tuning(codes, odds, y, rows, known):
        used.append(rows)
        return tuned(codes, odds, y, rows, known)

    monkeypatch.setattr(model_size, "_learned", learning)
    monkeypatch.setattr(model_size, "_tuned", tuning)
    one = survey_tasks()["RAND: any visit"]
    monkeypatch.setattr(model_size, "survey_tasks", lambda: {"RAND": one})
    pool = train_pools(sizes=(50, 200), n_tuning=100, n_rows=1000, rng=0)[0]
    assert [rows.size for rows in used] == [50, 200, 100, 100]
    people = one[2]
    assert not set(people[np.concatenate(used)]) & set(pool.groups)
    asked = np.isin(people, pool.groups)
    assert asked.sum() == len(pool.y) >= 1000 and pool.p.shape == (4, len(pool.y))  # whole people


@pytest.mark.slow
def test_more_rows_leave_less_grouping_loss(pools):
    falls = []
    for pool in pools:
        table = pool_losses(pool, rng=0).query("kind == 'base'")
        falls.append((table["value"].iloc[0] - table["value"].iloc[1]) / np.hypot(*table["se"]))
    assert np.mean(falls) > 3 / np.sqrt(5) and len(pools[-1].models) == 4
