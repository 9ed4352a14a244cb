"""What `ScoreReport.save` writes: a page, a row a case, a row a group, a repair for new cases."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.practice.repair import load
from helpers.practice.reports import audit_scores
from helpers.practice.reports.files import group_rows
from helpers.practice.reports.misjudged import find_misjudged
from helpers.practice.tables.scores import ScoreTable


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A report on 600 cases, some of weight 0, whose score misjudges one level with the name of a formula."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"=cmd": rng.choice(["-a", "+b", "c"], 600), "x": rng.normal(size=600)})
    odds = rng.normal(0, 1, 600)
    y = (rng.random(600) < expit(odds + 2.5 * (X["=cmd"] == "-a"))).astype(np.int8)
    weight = np.where(np.arange(600) % 20 == 0, 0.0, 1.0)
    table = ScoreTable("mine.csv", "y", "p", y, expit(odds), X, weight)
    report = audit_scores(table, cost=[[0, 1], [2, 0]], check="=cmd", rng=0)  # yes pays from two in three on
    folder = tmp_path_factory.mktemp("saved")
    return report, folder, report.save(folder / "out")


@pytest.mark.slow
def test_a_row_a_case(saved):
    report, _, page = saved
    scores = pd.read_csv(page.with_name("scores.csv"), keep_default_na=False)
    assert len(scores) == 570 and 1 not in scores["row"].values and scores["row"].iloc[0] == 2
    assert scores["given"].to_numpy() == pytest.approx(report.table.p, abs=1e-5)
    assert scores["recalibrated"].to_numpy() == pytest.approx(report.calibrated, abs=1e-5)
    threshold = report.money.threshold
    turned = (scores["repaired"] >= threshold) != (scores["given"] >= threshold)
    assert turned.any() and (scores["expected_excess_cost"][turned] > 0).all()  # cases near to it may turn, too
    named = report.audit.search.selected["rule"].tolist()
    assert named and set(scores["subgroup"]) <= {"", *named, *(f"'{rule}" for rule in named)}


@pytest.mark.slow
def test_a_repair_saves_what_the_labels_say(saved):
    report = saved[0]
    made = report.table
    q = expit(logit(made.p) + 2.5 * (made.X["=cmd"] == "-a"))
    costs = report.money.costs
    truth = np.where(made.p >= 2 / 3, 2 - 2 * q, q).mean() - np.minimum(2 - 2 * q, q).mean()
    (found,) = [finding for finding in report.found if finding.kind == "repair_saves"]
    assert found.low == costs.loc["repaired", "saved_low"] < truth * 1.1 and report.found[0].kind == "use_repaired"
    rule = costs.loc[found.more["rule"], "cost"]
    assert found.more["rule_value"] == pytest.approx(rule - costs.loc["repaired", "cost"])
    assert costs.loc["repaired", "saved"] > 0.5 * truth


@pytest.mark.slow
def test_nothing_is_called_repaired_where_the_repair_only_recalibrates(tmp_path):
    """A perfect score."""
    rng = np.random.default_rng(1)
    p = expit(rng.normal(size=500))
    X = pd.DataFrame({"x": rng.normal(size=500)})
    table = ScoreTable("mine.csv", "y", "p", (rng.random(500) < p).astype(np.int8), p, X)
    report = audit_scores(table, cost=[[0, 4], [1, 0]], rng=0)
    kinds = {finding.kind for finding in report.found}
    assert not report.money.changed and "nothing_to_repair" in kinds and "rule_is_cheaper" not in kinds
    assert (report.scores.repaired == report.scores.recalibrated).all()
    page = report.save(tmp_path)
    scores = pd.read_csv(tmp_path / "scores.csv")
    model = load(tmp_path / "repair.joblib")
    assert not model.changed_ and "repaired" not in scores
    assert "it only recalibrates" in page.read_text(encoding="utf-8")
    np.testing.assert_allclose(model.predict(X, p), scores["recalibrated"], atol=1e-5)
    same = (scores["recalibrated"] >= 0.2) == (scores["given"] >= 0.2)
    assert same.any() and (scores["expected_excess_cost"][same] == 0).all()


@pytest.mark.slow
def test_no_text_is_a_formula(saved):
    _, _, page = saved
    for name in ("scores.csv", "groups.csv"):
        texts = pd.read_csv(page.with_name(name), keep_default_na=False).select_dtypes(["object", "str"])
        assert not any(str(value).startswith(("=", "+", "-", "@")) for value in texts.to_numpy().ravel())
    assert "'=cmd is -a" in pd.read_csv(page.with_name("groups.csv"))["rule"].tolist()


@pytest.mark.slow
def test_the_repair_is_for_new_cases(saved):
    report, _, page = saved
    model = load(page.with_name("repair.joblib"))
    new = pd.DataFrame({"=cmd": ["-a", "c"], "x": [0.0, 0.0]})
    repaired = model.predict(new, [0.5, 0.5])
    assert model.changed_ and repaired[0] > 0.7 > repaired[1]


@pytest.mark.slow
def test_the_page_needs_no_network(saved):
    assert "http" not in saved[2].read_text(encoding="utf-8").replace("http://www.w3.org", "")


@pytest.mark.slow
def test_findings_for_programs(saved):
    report, _, page = saved
    read = json.loads(page.with_name("findings.json").read_text(encoding="utf-8"))
    assert read["schema"] == 1 and len(read["findings"]) == len(report.findings)
    first = read["findings"][0]
    assert first["kind"] == report.findings["kind"].iloc[0] and first["sentence"] == report.headline
    assert {"kind", "subject", "value", "low", "high", "unit", "p_value", "n", "severity", "more"} <= set(first)


def test_larger_levels_of_a_rule_are_listed():
    rng = np.random.default_rng(0)
    code = np.where(rng.random(3000) < 0.7, rng.integers(0, 5, 3000), rng.integers(5, 300, 3000))
    y = rng.random(3000) < np.where(code >= 5, 0.8, 0.3)
    X = pd.DataFrame({"code": [f"c{k}" for k in code]})
    table = ScoreTable("t", "y", "p", y, np.full(3000, 0.45), X).checked()
    rows = group_rows(SimpleNamespace(audit=find_misjudged(table, "isotonic", n_draws=99, rng=0)))
    listed = rows["larger_levels"][rows["rule"].str.contains("larger levels")]
    assert listed.iloc[0].split("; ") == ["c0", "c1", "c2", "c3", "c4"]


@pytest.mark.slow
def test_nothing_is_overwritten_unasked(saved, tmp_path):
    report, folder, page = saved
    before = page.stat().st_mtime_ns
    with pytest.raises(ValueError, match="report.html is there already: choose another folder, or overwrite=True"):
        report.save(folder / "out")
    (tmp_path / "scores.csv").write_text("mine")
    with pytest.raises(ValueError, match="scores.csv is there already"):
        report.save(tmp_path)
    assert (tmp_path / "scores.csv").read_text() == "mine" and not (tmp_path / "report.html").exists()
    with pytest.raises(ValueError, match="folder must be a folder"):
        report.save(tmp_path / "scores.csv")
    assert page.stat().st_mtime_ns == before


def test_few_cases_leave_scores_alone(tmp_path):
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.9, 80)
    table = ScoreTable("few.csv", "y", "p", (rng.random(80) < p).astype(int), p, pd.DataFrame(index=range(80)))
    audit_scores(table, rng=0).save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["findings.json", "report.html", "scores.csv"]
    assert list(pd.read_csv(tmp_path / "scores.csv")) == ["row", "given", "recalibrated"]
