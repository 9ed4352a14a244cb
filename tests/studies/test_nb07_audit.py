"""Studies of audits: alarms, coverage, planted groups; pools of models of many sizes."""

import numpy as np

from helpers.studies.nb07_audit import model_size
from helpers.studies.nb07_audit.model_size import survey_tasks, train_pools


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
