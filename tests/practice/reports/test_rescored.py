"""What a page says in the user's money: identities by hand, known truth, intervals, and nothing without costs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.practice.repair import Recalibrator
from helpers.practice.reports import audit_scores, rescored
from helpers.practice.reports.findings import words
from helpers.practice.reports.rescored import (
    Repaired,
    count_money,
    out_of_fold,
    parts_of_loss,
    repair_all,
    repair_scores,
)
from helpers.practice.reports.score_findings import of_money
from helpers.practice.reports.scores import ScoreReport
from helpers.practice.tables.scores import ScoreTable

COST = np.array([[0.0, 4.0], [1.0, 0.0]])  # yes pays from 20 % on
SAVED = 0.1477  # by the true chances, which lie one step of the log-odds above the score or below: mean of four million


def table(n=1500, seed=0, hidden=1.6, weight=None, groups=None):
    """Cases whose score does not know one feature."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"member": rng.choice(["no", "yes"], n), "age": rng.integers(20, 80, n)})
    odds = rng.normal(-1.5, 1, n)
    q = expit(odds + hidden * ((X["member"] == "yes") - 0.5).to_numpy())
    y = (rng.random(n) < q).astype(float)
    made = ScoreTable("made.csv", "y", "p", y, expit(odds), X, weight, groups).checked()
    return made, q


def as_stated(scores):
    """Nothing is recalibrated or repaired."""
    return Repaired(scores, np.arange(scores.size), scores, np.zeros(scores.size), None)


def test_costs_by_hand():
    y = np.array([1.0, 0.0, 1.0, 0.0])
    p = np.array([0.9, 0.3, 0.1, 0.1])
    made = ScoreTable("four", "y", "p", y, p, pd.DataFrame(index=range(4)), row=np.arange(4))
    money = count_money(made, as_stated(p), COST)
    costs = money.costs["cost"]
    assert costs["stated"] == (0 + 1 + 4 + 0) / 4 and costs["always yes"] == 0.5 and costs["always no"] == 2
    assert money.costs.loc["always yes", "saved"] == 0.75 and money.threshold == 0.2
    assert money.costs["over_rule"].tolist() == [-0.75, -0.75, -0.75, 0, -1.5]
    assert money.costs["misses"].tolist() == [0.25, 0.25, 0.25, 0, 0.5]


def test_recalibrated_scores_have_not_seen_their_labels():
    """Isotonic regression in the sample makes a useless score look good; out of fold it does not."""
    rng = np.random.default_rng(6)
    p = rng.random(400)
    made = ScoreTable("p", "y", "p", (rng.random(400) < 0.5) * 1.0, p, pd.DataFrame(index=range(400))).checked()
    scores = repair_scores(made, "isotonic", can_repair=False, rng=0)
    assert ((scores.recalibrated - made.y) ** 2).mean() > 0.25 and scores.model is None


def test_the_interval_of_a_saving_is_of_its_mean_and_as_many_new_cases_need_a_wider_one():
    """Of 100 intervals, about 95 hold what repaired scores save on average, but 83 what they save in new cases."""
    X = pd.DataFrame(index=range(300))
    rng = np.random.default_rng(0)
    saved = []
    for _ in range(400):
        odds = rng.normal(-1.5, 1, 300)
        q = expit(odds + rng.choice([-1, 1], 300))
        made = ScoreTable("made", "y", "p", (rng.random(300) < q) * 1.0, expit(odds), X, row=X.index)
        saved.append(count_money(made, replace(as_stated(made.p), repaired=q), COST).costs.loc["repaired"])
    saved = pd.DataFrame(saved)
    reach = (saved["saved_high"] - saved["saved"]).to_numpy()
    off_mean = (saved["saved"] - SAVED).abs()
    off_next = saved["saved"].diff().abs()[1:]
    assert 0.92 < (off_mean <= reach).mean() < 0.98 and (off_next <= reach[1:]).mean() < 0.89
    assert 0.92 < (off_next <= 2**0.5 * reach[1:]).mean() < 0.98


def test_of_two_remedies_that_surely_save_the_simpler_one_is_advised_unless_the_other_surely_saves_more():
    """Scores that are far too high: recalibrated they save; the columns add much to that, or next to nothing."""
    found = {}
    for hidden in (0.0, 3.0):
        made, q = table(900, hidden=hidden)
        stated = replace(made, p=expit(logit(made.p) + 1.5))
        model = Recalibrator(alpha=1, fast=True, n_folds=2, rng=0).fit(made.X, made.y, stated.p)
        report = ScoreReport(stated, COST, None, False, None, draws={"average": 0, "several": 0})
        vars(report).update(scores=Repaired(made.p, np.arange(900), q if hidden else made.p, np.zeros(900), model))
        found[hidden] = {one.kind: one for one in of_money(report)}
    assert "repair_saves" in found[3.0] and found[3.0]["repair_saves"].more["recalibrated_low"] > 0
    few = found[0.0]["repair_unsure"]
    assert few.low > 0 and few.more["rule_low"] > 0 and few.more["recalibrated_low"] <= 0
    assert "beyond recalibration" in words(few, ScoreReport.words.kinds["repair_unsure"].sentence)


def test_dependent_cases_widen_the_intervals():
    made, _ = table(600)
    rows = np.repeat(np.arange(600), 3)
    triple = replace(made.take(rows), groups=rows)
    one, three = (count_money(t, as_stated(t.p), COST).costs.loc["stated"] for t in (made, triple))
    assert three["cost"] == pytest.approx(one["cost"])
    assert three["cost_high"] == pytest.approx(one["cost_high"], rel=1e-3)


@pytest.mark.slow
def test_a_larger_table_is_judged_by_some_of_its_rows(monkeypatch):
    monkeypatch.setattr("helpers.practice.reports.rescored.MOST_ROWS", 500)
    monkeypatch.setattr("helpers.practice.reports.rescored.MOST_JUDGED", 600)
    made, q = table(900, hidden=3.0)
    scores = repair_scores(made, "platt", rng=0)
    assert 600 < scores.rows.size < 900 and count_money(made, scores, COST).n == scores.rows.size
    new = scores.model.predict(made.X.iloc[scores.rows], made.p[scores.rows])
    assert 0 <= np.isclose(scores.repaired, new).sum() - (scores.rows.size - 500) < 100  # those 500 out of fold
    alike = repair_scores(replace(made, p=q), "platt", can_repair=False, rng=0)
    assert (alike.repaired == alike.recalibrated[alike.rows]).all() and alike.rows.size > 600
    repaired, se = repair_all(made, scores)
    assert scores.model.changed_ and repaired.size == 900 and (repaired[scores.rows] == scores.repaired).all()
    rest = np.setdiff1d(np.arange(900), scores.rows)
    assert repaired[rest] == pytest.approx(scores.model.predict(made.X.iloc[rest], made.p[rest])) and se.max() > 0


@pytest.mark.parametrize(("cost", "best"), [([[0, 5], [0, 0]], "yes"), ([[0, 0], [5, 0]], "no")])
def test_a_cost_of_zero_leaves_nothing_to_decide(cost, best):
    made, _ = table(100)
    with pytest.raises(ValueError, match=f"cost .*{best} is best"):
        audit_scores(made, cost=cost)


def test_the_mean_of_several_divisions_into_folds_hangs_less_on_the_seed(monkeypatch):
    made, _ = table(500)
    spread = []
    for foldings in (1, 5):
        monkeypatch.setattr(rescored, "FOLDINGS", foldings)
        saved = [parts_of_loss(made, out_of_fold(made, "isotonic", seed))["saved"] for seed in range(20)]
        spread.append(np.std(saved))
    assert spread[1] < 0.7 * spread[0]  # 1 / sqrt(5) is expected
