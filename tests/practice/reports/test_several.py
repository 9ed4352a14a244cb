"""The page on several classes: read from a file, searched, said in words, and repaired for new cases."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

import helpers.practice.repair
from helpers.practice.reports import audit_scores, read_table
from helpers.practice.reports.findings import Severity, table_of
from helpers.practice.reports.score_findings import of_class_group
from helpers.practice.reports.scores import ScoreReport
from helpers.practice.reports.several import check_classes_asked, repair_classes


@pytest.fixture(scope="module")
def table():
    """Scores of three classes that do not know the town: in p, "no" is "yes" more often."""
    rng = np.random.default_rng(0)
    n = 1200
    P = softmax(rng.normal(size=(n, 3)), axis=1)
    town = rng.choice(["p", "q"], n)
    moved = 0.7 * (town == "p") * P[:, 1]
    Q = P + np.column_stack([np.zeros(n), -moved, moved])
    y = np.array(["maybe", "no", "yes"])[(rng.random(n)[:, None] > np.cumsum(Q, axis=1)[:, :-1]).sum(axis=1)]
    scores = pd.DataFrame(P, columns=["p_maybe", "p_no", "p_yes"])
    return scores.assign(label=y, town=town, age=rng.integers(20, 80, n))


@pytest.mark.slow
def test_a_file_with_a_column_for_each_class(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    read = read_table(tmp_path / "scores.csv", score="p_*").checked()
    report = audit_scores(read, labels={"age": "Age in years"}, rng=0)
    answer = table[["p_maybe", "p_no", "p_yes"]].to_numpy().argmax(axis=1)
    assert read.p == pytest.approx(table[["p_maybe", "p_no", "p_yes"]].max(axis=1))
    assert np.array_equal(read.y, np.array(["maybe", "no", "yes"])[answer] == table["label"])
    assert read.features == ["town", "age", "answer of the model"]
    loss, groups = report.several.loss, report.several.groups
    assert loss.low > 0 and loss.by_class.index.tolist() == ["maybe", "no", "yes"]
    assert (groups["too_high"].iloc[0], groups["too_low"].iloc[0]) == ("no", "yes")
    found = {one.kind: one for one in report.found}
    assert "town is " in found["class_group"].subject
    (row,) = report.class_group_table.head(1).itertuples(index=False)
    assert row[2].startswith("no: ") and row[3].startswith("yes: ")  # stated too often, and too rarely
    assert found["class_model_needs"].more["columns"] == ["town"]
    assert report.metrics()["classes_rule"] == groups["rule"].tolist()
    page = report.save(tmp_path / "out")
    assert "All classes together" in page.read_text(encoding="utf-8")
    assert report.table.features[1] == "Age in years"


def run_recipe(page, name, monkeypatch):
    """What the recipe for new cases on a page gives, run where the page lies, for a fresh file without labels."""
    text = html.unescape(page.read_text(encoding="utf-8"))
    recipe = re.search(r"helpers\.practice\.repair\.load\(.*\)(?=\. Loading)", text).group()
    table = pd.read_csv(page.with_name(name)).drop(columns="label")
    monkeypatch.chdir(page.parent)
    return eval(recipe, {"helpers": helpers, "table": table})


@pytest.mark.slow
def test_the_recipe_on_the_page_repairs_the_scores_of_all_classes(table, tmp_path, monkeypatch):
    """From rounded scores of a file in which columns have another order, also of a class that had no score."""
    label = np.where(table.index % 120 == 0, "perhaps", table["label"])
    frame = table.assign(label=label).round(2)
    report = audit_scores(read_table(frame[:800], score="p_*"), labels={"town": "Town"}, rng=0)
    page = report.save(tmp_path / "out")
    fresh = frame[800:]
    fresh[fresh.columns[::-1]].to_csv(page.with_name("new.csv"), index=False)
    repaired = run_recipe(page, "new.csv", monkeypatch)
    classes = report.several.repair.model.classes_
    assert classes.tolist() == ["maybe", "no", "yes", "a class without a score"]
    assert repaired.sum(axis=1) == pytest.approx(1) and repaired[:, 3].mean() == pytest.approx(1 / 120, abs=0.01)
    stated = fresh[["p_maybe", "p_no", "p_yes"]].assign(perhaps=0.0).to_numpy()
    came = fresh["label"].to_numpy()[:, None] == ["maybe", "no", "yes", "perhaps"]
    errors = [((scores - came) ** 2).sum(axis=1).mean() for scores in (stated, repaired)]
    gain = report.several.repair.gains.loc["repaired"]
    assert gain["saved_low"] > 0 and errors[1] < errors[0]
    assert "class_repair_gains" in [finding.kind for finding in report.found]
    scores = pd.read_csv(page.with_name("scores.csv"))
    of_class = scores[[f"repaired: {name}" for name in classes]]
    assert of_class.sum(axis=1).to_numpy() == pytest.approx(1, abs=1e-5)
    assert (scores["repaired_answer"] == classes[of_class.to_numpy().argmax(axis=1)]).all()


@pytest.mark.nightly
def test_later_cases_judge_a_repair_of_all_classes(table):
    """What the town does ends with the early cases: the repair promises nothing for later ones."""
    n = len(table)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n) // 4, "D")
    rng = np.random.default_rng(5)
    P = table[["p_maybe", "p_no", "p_yes"]].to_numpy()
    right = np.array(["maybe", "no", "yes"])[(rng.random(n)[:, None] > np.cumsum(P, axis=1)[:, :-1]).sum(axis=1)]
    ended = table.assign(when=when, label=np.where(np.arange(n) < 0.6 * n, table["label"], right))
    for frame, is_kept in ((table.assign(when=when), True), (ended, False)):
        read = read_table(frame, score="p_*").checked()
        repair = repair_classes(read, np.random.default_rng(0))
        assert repair.model.changed_ and "when" not in repair.model.columns_
        assert repair.judged.rows.min() >= 0.55 * n
        gain = repair.gains.loc["repaired"]
        assert gain["saved_low"] > 0 if is_kept else gain["saved_high"] < 0


@pytest.mark.slow
def test_the_recipe_for_one_score_names_its_column(table, tmp_path, monkeypatch):
    one = table.assign(label=(table["label"] == "yes") * 1)[["label", "p_yes", "age", "town"]]
    report = audit_scores(read_table(one[:800], score="p_yes"), labels={"p_yes": "Our score"}, rng=0)
    page = report.save(tmp_path / "out")
    one[800:].to_csv(page.with_name("new.csv"), index=False)
    repaired = run_recipe(page, "new.csv", monkeypatch)
    is_p = (one["town"][800:] == "p").to_numpy()
    assert (repaired - one["p_yes"][800:])[is_p].mean() > 0.1 > (repaired - one["p_yes"][800:])[~is_p].mean()


def test_a_group_is_said_to_be_off_as_stated_and_not_as_recalibrated():
    """Stated too rarely, and once recalibrated too often: the sentence is about what was stated."""
    row = {"rule": "town is p", "n": 200, "class": "no", "too_high": "no", "too_low": "yes", "adjusted": 0.01}
    row |= {"stated": 0.011, "observed": 0.017, "gap": -0.04, "low": -0.06, "high": -0.02}
    row |= {
        "other_stated": 0.3,
        "other_observed": 0.25,
        "stated_gap": 0.006,
        "stated_low": -0.014,
        "stated_high": 0.026,
    }
    words = ScoreReport.words.kinds
    unsure = of_class_group(pd.Series(row), False)
    assert unsure.kind == "class_group_fine" and unsure.severity == Severity.NOTE
    sure = of_class_group(pd.Series(row | {"stated_low": 0.001, "stated_high": 0.011}), False)
    assert sure.kind == "class_group" and sure.more["other"] == "yes"
    sentence = table_of([sure], words)["sentence"].item()
    assert "no is stated too rarely: 1.1" in sentence and "in favour of yes" in sentence


def test_names_in_a_list_or_with_commas(table):
    names = ["p_maybe", "p_no", "p_yes"]
    first = read_table(table, score=names).checked()
    assert np.array_equal(first.p, read_table(table, score="p_maybe, p_no, p_yes").p)
    assert first.take(np.arange(100)).classes.P.shape == (100, 3)


COST = pd.DataFrame({"yes": [0, 5, 1], "no": [4, 0, 1], "maybe": [1, 1, 0.2]}, index=["treat", "leave", "ask"])


@pytest.fixture(scope="module")
def with_costs(table):
    return audit_scores(read_table(table, score="p_*"), class_cost=COST, ordered=True, rng=0)


@pytest.mark.slow
def test_costs_of_decisions_under_each_class(with_costs):
    read, money = with_costs.table, with_costs.several.money
    costs = COST[["maybe", "no", "yes"]]
    expected = read.classes.P.to_numpy() @ costs.to_numpy().T
    paid = costs.to_numpy()[expected.argmin(axis=1), pd.Index(costs.columns).get_indexer(read.classes.y)]
    assert money.costs.loc["stated", "cost"] == pytest.approx(paid.mean())
    assert money.shares.loc["stated", "ask"] == pytest.approx((expected.argmin(axis=1) == 2).mean())
    assert money.costs.loc["stated", "saved"] == 0
    always = costs.T.reindex(read.classes.y).mean()
    assert money.rule == f"always {always.idxmin()}"
    assert money.costs.loc[money.rule, "cost"] == pytest.approx(always.min())
    assert money.changed and money.costs.loc["repaired", "saved_low"] > 0  # the scores do not know the town
    assert money.costs.loc["repaired", "cost"] < money.costs.loc["recalibrated", "cost"]


@pytest.mark.slow
def test_classes_in_order_and_their_costs_on_the_page(with_costs):
    assert with_costs.several.loss.by_class.index.tolist() == ["up to maybe", "up to no"]
    assert with_costs.several.groups["too_high"].iloc[0] == "up to no"
    kinds = {one.kind for one in with_costs.found}
    assert "class_repair_saves" in kinds and "town" in with_costs.several.groups["rule"].iloc[0]
    assert with_costs.class_cost_table.index[-1] == with_costs.several.money.rule
    assert with_costs.metrics()["class_cost_repaired"] < with_costs.metrics()["class_cost_stated"]


def test_costs_from_a_file_of_any_country(table, tmp_path):
    read = read_table(table, score="p_*")
    for form in ({}, {"sep": ";", "decimal": ","}):
        COST.rename_axis("decision").to_csv(tmp_path / "costs.csv", **form)
        costs = check_classes_asked(read, tmp_path / "costs.csv", False)
        pd.testing.assert_frame_equal(costs, COST[["maybe", "no", "yes"]].astype(float), check_names=False)


BAD_COSTS = {
    "a cost is missing": "decision,yes,no,maybe\ntreat,0,4,\nleave,5,0,1\n",
    "a cost is a word": "decision,yes,no,maybe\ntreat,0,four,1\nleave,5,0,1\n",
    "no column of decisions": "yes,no,maybe\n0,4,1\n5,0,1\n",
    "a class is missing": "decision,yes,no\ntreat,0,4\nleave,5,0\n",
    "no row": "decision,yes,no,maybe\n",
    "nothing": "",
}


@pytest.mark.parametrize("case", BAD_COSTS)
def test_bad_files_of_costs_are_named(table, tmp_path, case):
    (tmp_path / "costs.csv").write_text(BAD_COSTS[case], encoding="utf-8")
    with pytest.raises(ValueError, match="class_cost"):
        check_classes_asked(read_table(table, score="p_*"), tmp_path / "costs.csv", False)


def test_costs_need_scores_of_all_classes(table):
    one = table.assign(label=table["label"] == "yes")[["label", "p_yes", "age"]]
    for options in ({"class_cost": COST}, {"ordered": True}):
        with pytest.raises(ValueError, match=next(iter(options))):
            audit_scores(read_table(one, score="p_yes"), **options)
    read = read_table(table, score="p_*")
    for costs in (COST.drop(columns="no"), COST.rename(columns={"no": "never"}), COST - 1, [[0, 1], [1, 0]]):
        with pytest.raises(ValueError, match="class_cost"):
            audit_scores(read, class_cost=costs)


BAD = {
    "a row does not sum to one": (
        lambda t: t.assign(p_no=np.where(t.index == 4, 0, t["p_no"])),
        "in row 5 they sum to",
    ),
    "an event of several classes": (lambda t: t, "event"),
    "a class that never occurs": (lambda t: t.assign(label=t["label"].replace("yes", "no")), "yes never occurs"),
    "two columns": (lambda t: t.drop(columns="p_yes"), "three columns or more"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_named(table, case):
    change, words = BAD[case]
    with pytest.raises(ValueError, match=words):
        read_table(change(table), score="p_*", event="yes" if "event" in case else "")


@pytest.mark.slow
def test_a_class_that_the_model_never_knew_is_wrong_on_the_page(table):
    label = np.where(table.index % 240 == 0, "perhaps", table["label"])
    report = audit_scores(read_table(table.assign(label=label), score="p_*"), rng=0)
    assert "perhaps (5)" in report.table.note
    assert report.several.loss.by_class["observed"].iloc[-1] == pytest.approx(5 / 1200)
    assert report.several.loss.by_class["stated"].iloc[-1] == 0
