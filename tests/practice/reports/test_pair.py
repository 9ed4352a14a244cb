"""Two scores on one page, and labels: differences with known truth, who gains, what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from helpers.practice.reports import audit_scores, read_table
from helpers.practice.reports.pair import compare_scores
from helpers.practice.reports.score_findings import of_pair
from helpers.practice.tables.scores import ScoreTable
from helpers.resampling import bootstrap_interval


def two(n=1500, seed=0, *, gain=0.0, loss=0.0, groups=None):
    """An old score of noise beside the truth, and a new one that is nearer for members and farther for others."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"member": rng.choice(["no", "yes"], n), "age": rng.integers(20, 80, n)})
    odds = rng.normal(0, 1.2, n)
    noise = rng.normal(0, 1, n)
    member = (X["member"] == "yes").to_numpy()
    y = (rng.random(n) < expit(odds)).astype(float)
    old = expit(odds + noise)
    new = expit(odds + noise * np.where(member, 1 - gain, 1 + loss))
    return ScoreTable("two.csv", "y", "new", y, new, X, None, groups, before=old, before_name="old").checked()


def test_a_better_score_is_called_so_and_who_loses_is_named():
    pair = compare_scores(two(6000, gain=1.0, loss=1.0), rng=0)
    assert pair.losers["rule"].iloc[0] == "member is no" and pair.gainers["rule"].iloc[0] == "member is yes"
    (lost,) = [finding for finding in of_pair(pair) if finding.kind == "loses_where"]
    assert lost.subject == "member is no" and lost.high < 0
    better = compare_scores(two(gain=1.0, loss=-1.0), rng=0)
    assert better.losers.empty and len(better.gainers)
    worse = compare_scores(two(gain=-1.0, loss=1.0), rng=0)
    assert worse.gainers.empty and next(of_pair(worse)).kind == "pair_worse"
    assert next(of_pair(better)).kind == "pair_better"


def test_a_score_that_is_better_because_the_old_one_was_not_recalibrated():
    table = two(3000)
    shifted = expit(np.log(table.p / (1 - table.p)) + 1.5)
    made = ScoreTable("t", "y", "a", table.y, table.p, table.X, before=shifted, before_name="b").checked()
    findings = list(of_pair(compare_scores(made, rng=0)))
    assert findings[0].kind == "only_as_stated" and findings[0].high < 0
    assert "loses_where" not in {finding.kind for finding in findings}


@pytest.mark.nightly
def test_equal_scores_are_rarely_told_apart():
    """The noise of both is new, so that neither is better: 5 % of verdicts, and of tables with a group, at most."""
    told = named = 0
    for seed in range(40):
        table = two(400, seed)
        rng = np.random.default_rng(seed + 1000)
        odds = np.log(table.before / (1 - table.before))
        other = expit(odds + rng.normal(0, 0.5, 400))
        mixed = np.where(rng.random(400) < 0.5, table.before, other)
        rest = np.where(mixed == other, table.before, other)
        made = ScoreTable("t", "y", "a", table.y, mixed, table.X, before=rest, before_name="b").checked()
        pair = compare_scores(made, rng=seed)
        told += next(of_pair(pair)).kind != "pair_unclear"
        named += len(pair.losers) + len(pair.gainers) > 0
    assert told <= 6 and named <= 6


@pytest.mark.slow
def test_the_area_under_the_curve_and_its_error():
    table = two(500, gain=0.3)
    row = compare_scores(table, rng=0).table.loc["pairs in the right order (AUC)"]
    assert row["old"] == pytest.approx(roc_auc_score(table.y, table.before))
    assert row["new"] == pytest.approx(roc_auc_score(table.y, table.p))

    def difference(y, old, new):
        return roc_auc_score(y, new) - roc_auc_score(y, old)

    boot = bootstrap_interval(difference, table.y, table.before, table.p, n_resamples=150, rng=0)
    assert row["high"] - row["low"] == pytest.approx(boot.high - boot.low, rel=0.25)


def test_groups_of_cases_widen_the_differences():
    table = two(300, gain=0.5)
    rows = np.repeat(np.arange(300), 4)
    four = ScoreTable(
        "t", "y", "a", table.y[rows], table.p[rows], table.X.iloc[rows], None, rows, before=table.before[rows]
    ).checked()
    one, all_four = (compare_scores(t, rng=0).table.loc["squared error"] for t in (table, four))
    assert all_four["high"] - all_four["low"] == pytest.approx(one["high"] - one["low"], rel=0.01)


def test_two_columns_are_read_and_told(tmp_path):
    table = two(290, gain=1.0, loss=1.0)
    frame = table.X.assign(y=table.y.astype(int), p_old=table.before, p_new=table.p)
    frame.to_csv(tmp_path / "two.csv", index=False)
    read = read_table(tmp_path / "two.csv", "y", "p_old, p_new")
    assert read.score == "p_new" and read.before_name == "p_old" and read.features == ["member", "age"]
    assert read.before == pytest.approx(table.before)
    report = audit_scores(read, rng=0)
    assert len(report.pair_table) == 3 and "groups_compared" in [finding.kind for finding in report.found]
    frame.loc[[3, 7], "p_old"] = np.nan
    frame.to_csv(tmp_path / "gap.csv", index=False)
    with pytest.raises(ValueError, match="'p_old' .*row 4"):
        read_table(tmp_path / "gap.csv", "y", "p_old,p_new")
    for score, words in (("p_old,p_new,age", "'age' must hold prob"), ("p_old,", "score ")):
        with pytest.raises(ValueError, match=words):
            read_table(tmp_path / "two.csv", "y", score)
    with pytest.raises(ValueError, match="'p_odl' .*did you mean 'p_old'"):
        read_table(tmp_path / "two.csv", "y", "p_odl,p_new")


def test_few_cases_and_no_features_compare_the_scores_alone():
    table = two(60)
    small = ScoreTable("t", "y", "a", table.y, table.p, table.X[[]], before=table.before, before_name="b")
    report = audit_scores(small, rng=0)
    assert report.pair.groups.empty
    assert "groups_not_compared" in [finding.kind for finding in report.found]


def test_labels_rename_everything_on_the_page(tmp_path):
    """But nothing in the repair: see the page on several classes."""
    table = two(290, loss=2.0)
    (tmp_path / "labels.yaml").write_text("member: Member of the club\ny: Came back\nnew: Our score\n")
    report = audit_scores(table, labels=tmp_path / "labels.yaml", check="member", rng=0)
    assert report.table.features == ["Member of the club", "age"] and report.table.label == "Came back"
    assert report.checked_table["cases where"].iloc[0] == "Member of the club is no"
    assert "Our score" in report.sentences("read")[0]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"membre": "M"}, "did you mean 'member'"),
        ({"member": 3}, "'member' is 3"),
        ({"member": "age"}, "'age'"),
        ("no_such.yaml", "no_such.yaml"),
        ("broken.yaml", "broken.yaml"),
        (["member"], "list"),
    ],
)
def test_labels_that_cannot_be(labels, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.yaml").write_text("member: [unfinished")
    with pytest.raises(ValueError, match=f"labels .*{words}"):
        audit_scores(two(100), labels=labels)
