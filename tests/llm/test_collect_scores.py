"""helpers.llm.risk_scores: scores of cases, and the table of notebook 13."""

import json

import numpy as np
import pandas as pd
import pytest
from answer_server import answer_server
from collecting import KNOWN, endpoint

from helpers.llm import (
    collect_risk_scores,
    plan_risk_scores,
)
from helpers.llm.testing import stand_in
from helpers.tables import read_scores

PEOPLE = pd.DataFrame({"age": np.arange(20, 80), "work": ["nurse", "clerk", None] * 20, "smokes": [0, 1] * 30})


@pytest.fixture(scope="module")
def scored(server):
    made = plan_risk_scores(PEOPLE, endpoint(server), question="Does this person smoke?", label="smokes")
    cases = dict(zip(made.cases, np.linspace(0.02, 0.98, 60).round(4), strict=True))
    with answer_server(KNOWN, cases=cases) as running:
        yield running


def scores(server, path, rows=PEOPLE, **options):
    options = {"question": "Does this person smoke?", "label": "smokes", "progress": False} | options
    return collect_risk_scores(rows, endpoint(server), path, **options)


def test_risk_scores_are_the_known_ones(scored, tmp_path):
    found = scores(scored, tmp_path / "a.jsonl")
    assert found.scores["score"].to_numpy() == pytest.approx(np.linspace(0.02, 0.98, 60).round(4), abs=1e-12)
    assert found.details["mass"].to_numpy() == pytest.approx(0.9) and found.missing.empty
    assert found.scores.columns.tolist() == ["case", "score", "label", "age", "work"]
    found.save_scores(tmp_path / "scores.csv")
    table = read_scores(str(tmp_path / "scores.csv"), features=["age", "work"])
    assert (table.y == PEOPLE["smokes"]).all() and table.p == pytest.approx(found.scores["score"])
    before = scored.stats()["asked"]
    assert scores(scored, tmp_path / "a.jsonl").scores.equals(found.scores) and scored.stats()["asked"] == before
    backwards = scores(scored, tmp_path / "b.jsonl", PEOPLE[::-1])
    assert backwards.scores["score"].to_numpy() == pytest.approx(found.scores["score"].to_numpy()[::-1])
    told = json.dumps(list(scored.stats()["given"]))
    assert "smokes" not in told and "- age: 20" in told  # the model never sees the label


def test_scores_without_their_options_are_missing_not_a_half(scored, tmp_path):
    found = scores(scored, tmp_path / "a.jsonl", PEOPLE[:5], options=("over 50", "under 50"), seed=1)
    other = scores(scored, tmp_path / "b.jsonl", PEOPLE[:5], options=("Yes", "No"), features=["age"])
    assert len(found.scores) == 5 and len(other.scores) == 5
    with answer_server(KNOWN, script=[None, "no logprobs"]) as server:
        found = scores(server, tmp_path / "c.jsonl", PEOPLE[:4])
    assert len(found.scores) == 3 and found.missing["why"].tolist() == ["neither option among the tokens"]
    with stand_in(logprobs=False) as silent, pytest.raises(ValueError, match="gives no log-probabilities"):
        scores(silent, tmp_path / "d.jsonl")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": PEOPLE[:0]}, "at least one row"),
        ({"rows": PEOPLE.assign(smokes=2)}, "smokes"),
        ({"label": "smoke"}, "did you mean 'smokes'"),
        ({"features": ["age", "smokes"]}, "features must not hold the label 'smokes'"),
        ({"features": []}, "features must be columns to describe a case by, but there is none"),
        ({"rows": PEOPLE.rename(columns={"age": "score"})}, "'score' is a column of the result"),
        ({"case": "work"}, "work must name each case once"),
        ({"question": " "}, "question must be a text"),
        ({"options": ("Yes", "yes")}, "options must be at least two different texts"),
        ({"options": ("Yes", "No", "Perhaps")}, "options must be two texts"),
        ({"features": ["work"]}, "row 3 is empty"),
    ],
)
def test_bad_scores(server, tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        scores(server, tmp_path / "a.jsonl", **options)
    assert not list(tmp_path.iterdir())
