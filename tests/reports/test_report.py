"""The report on a table of scores: what it says on tables of every kind, and what it leaves unsaid."""

import json
import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

from helpers.datasets import DATA_FOLDER
from helpers.grouping import grouping_loss_from_regions
from helpers.reports import audit_scores, describe_figure, negative_control, next_steps, read_table, summary, write
from helpers.reports.average import measure_average
from helpers.reports.control import control_rows
from helpers.reports.intake import find_obstacle, likely_groups, repeated_rows
from helpers.reports.phrases import chance, in_points, many, percent, points, root, squared
from helpers.reports.scores import POWER, compare_decisions
from helpers.reports.single_cases import measure_loss
from helpers.tables import ScoreTable


def make(kind="perfect", n=3000, seed=0):
    """A small table with known truth."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    q = expit(X["a"] + 0.5 * X["b"]).to_numpy()
    p = q
    weight = None
    groups = None
    if kind == "loss":
        p = expit(X["a"]).to_numpy()
    elif kind == "shifted":
        p = expit(X["a"] + 0.5 * X["b"] + 0.8).to_numpy()
    elif kind == "inverted":
        p = 1 - q
    elif kind == "decisions":
        p = (q > 0.5).astype(float)
    elif kind == "heap":
        q = np.where(X["a"] > 1, q, 0.1)
        p = q
    elif kind == "rare":
        p = q = expit(X["a"].to_numpy() - 4)
    elif kind == "kinked":
        q = np.clip(np.where(p > 0.5, 0.9, 0.3 * p), 0, 1)
    elif kind == "weighted":
        weight = rng.lognormal(0, 1, n)
    elif kind == "people":
        groups = np.arange(n) // 3
    elif kind == "hospitals":
        groups = np.arange(n) % 8
    elif kind == "no features":
        X = X[[]]
    elif kind == "mixed":
        job = np.where(X["b"] > 0, "smith", "cook").astype(object)
        job[::7] = None
        X = X.assign(b=X["b"].where(X["b"] < 1), job=pd.Categorical(job), old=X["c"] > 0)
    y = (rng.random(n) < q).astype(np.int8)
    return ScoreTable("my.csv", "y", "p", y, p, X, weight, groups)


KINDS = [
    "perfect", "loss", "shifted", "inverted", "decisions", "heap", "rare", "kinked", "weighted", "people", "hospitals",
    "no features", "mixed",
]  # fmt: skip


WITH_COSTS = ("decisions", "hospitals", "no features")


@pytest.fixture(scope="module")
def reports():
    made = {}

    def report(kind, n=3000):
        if (kind, n) not in made:
            cost = [[0, 1], [1, 0]] if n < 1000 or kind in WITH_COSTS else None  # a repair takes three seconds
            made[kind, n] = audit_scores(make(kind, n), cost=cost, rng=0)
        return made[kind, n]

    return report


# ---- every kind of table --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "n"), [*[(kind, 3000) for kind in KINDS], ("perfect", 60), ("loss", 300)])
def test_every_table_gets_whole_sentences(reports, kind, n):
    report = reports(kind, n)
    paragraphs = write(report.table, "read") + [describe_figure(report, "curve")]
    for section in ("calibration", "loss", "read_loss", "groups", "read_groups", "decisions", "warnings"):
        paragraphs += write(report, section)
    paragraphs += summary(report)["Answer"].tolist()
    paragraphs += next_steps(report).index.tolist() + next_steps(report)["How"].tolist()
    paragraphs += write(report, "parts") + write(report, "read_features")
    frames = (report.reliability_table, report.loss_table, report.group_table, report.parts_table)
    for frame in (*frames, report.cost_table, report.look_table):
        if frame is not None:
            paragraphs += frame.astype(str).to_numpy().ravel().tolist()
    if report.audit is not None:
        paragraphs += [describe_figure(report, "groups"), describe_figure(report, "features")]
    if report.money is not None:
        paragraphs += [*write(report, "costs"), *write(report, "looks"), *write(report, "read_curve")]
        paragraphs.append(describe_figure(report, "money"))
    for text in paragraphs:
        assert (
            text and "nan" not in text and "e-" not in text.replace("re-", "") and not re.search(r"None(?! of)", text)
        ), text
        assert "1 points" not in text.replace("11 points", "") or "." in text, text
    assert len(describe_figure(report, "curve")) > 60
    assert list(next_steps(report).columns) == ["How"] and len(next_steps(report)) >= 1


@pytest.mark.parametrize("kind", KINDS)
def test_metrics_are_plain_and_finite(reports, kind):
    found = reports(kind).metrics()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["n"] == 3000 and found["calibration_error_null"] >= 0


# ---- what is found --------------------------------------------------------------------------------------------


def test_perfect_model_is_told_so(reports):
    report = reports("perfect")
    answers = summary(report)["Answer"]
    assert not report.certified and len(report.audit.sure) == 0
    assert answers.iloc[0].startswith("Nothing speaks against it") and "no proof" in answers.iloc[1]
    assert "Nobody can be named" in answers.iloc[2] and "Use the scores as they are" in answers.iloc[3]


def test_grouping_loss_is_certified_with_its_size(reports):
    report = reports("loss", 10_000)
    table = make("loss", 10_000)
    q = expit(table.X["a"] + 0.5 * table.X["b"])
    truth = float(np.mean((q - table.p) ** 2))
    assert report.certified and report.loss.low < truth and report.audit.features[0] == "b"
    assert "Let the model use b" in next_steps(report).index[-2]


def test_miscalibration_alone_calls_for_recalibration_alone(reports):
    report = reports("shifted")
    assert next_steps(report).index.tolist() == ["Recalibrate the scores.", "Then audit again."]
    assert "once the scores are recalibrated" in summary(report)["Answer"].iloc[2]
    assert report.average.calibrator.intercept_ == pytest.approx(-0.8, abs=0.2)


def mortgages(seed):
    """952 applications, like a known table: a group of 15 % that is told about 20 % and refused in a third."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "afam": rng.choice(["no", "yes"], 952, p=[0.85, 0.15]),
        "ratio": rng.normal(0.33, 0.1, 952),
        "single": rng.choice(["no", "yes"], 952, p=[0.6, 0.4]),
        "unemployment": rng.choice([1.8, 3.1, 3.9, 10.6], 952),
    })  # fmt: skip
    odds = (-2.1 + 6 * (X["ratio"] - 0.33) + 0.6 * (X["afam"] == "yes")).to_numpy()
    y = (rng.random(952) < expit(odds + 0.9 * (X["afam"] == "yes"))).astype(np.int8)
    return ScoreTable("mortgages.csv", "denied", "p", y, expit(odds), X)


def test_a_group_of_15_percent_is_named_among_952_cases():
    report = audit_scores(mortgages(6), rng=0)
    assert report.audit.sure["rule"].tolist() == ["afam is yes"] and report.share_of(report.audit.sure) < 0.17
    answer = summary(report)["Answer"].iloc[2]
    assert (
        answer.startswith("Too low where afam is yes (150 cases: stated")
        and "Let the model use afam." in next_steps(report).index
    )


def test_columns_without_groups_and_columns_that_know_the_outcome_are_said():
    table = make("perfect", 400)
    known = ScoreTable("t", "y", "p", table.y, table.p, table.X.assign(result=np.where(table.y == 1, "yes", "no")))
    assert "result gives the outcome away" in write(audit_scores(known, rng=0), "warnings")[0]
    alike = ScoreTable("t", "y", "p", table.y, table.p, pd.DataFrame({"a": np.ones(400)}))
    assert audit_scores(alike, rng=0).audit is None


def test_where_nobody_is_named_it_says_what_would_have_been_found(reports):
    report = reports("perfect")
    assert len(report.audit.table) == 3 and report.audit.table["rule"].str[0].tolist().count("a") == 1
    assert (
        0.03 < report.audit.detectable[0.1] < report.audit.detectable[0.02] < 0.3
        and "in a group of 10" in write(report, "groups")[0]
    )
    assert set(report.group_table["beyond chance"]) == {"no"}


def test_inverted_scores_are_noticed(reports):
    assert next_steps(reports("inverted")).index[0] == "Check the direction of the scores."


@pytest.mark.parametrize("kind", ["decisions", "heap"])
def test_equal_scores_keep_bins_of_their_own(reports, kind):
    assert reports(kind).average.error.n_bins >= 2
    assert (reports(kind).average.error.p_value < 0.05) == (kind == "decisions")


FALLING = {"wave": lambda p: 0.5 + 0.3 * np.sin(6 * p), "fall": lambda p: np.where(p > 0.75, 0.4, p)}


@pytest.mark.parametrize("kind", ["jump", *FALLING])
def test_what_the_score_alone_tells_is_no_grouping_loss(kind):
    """Features are noise; labels jump from 0 to 1, or somewhere they are fewer for higher scores."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        p = expit(1.2 * rng.normal(size=3000)).round(4)
        q = (p > 0.5) * 1.0 if kind == "jump" else FALLING[kind](p)
        X = pd.DataFrame({"a": rng.normal(size=3000), "b": rng.choice(list("xyz"), 3000)})
        report = audit_scores(ScoreTable("t", "y", "p", (rng.random(3000) < q).astype(int), p, X), rng=0)
        assert not report.certified and report.average.is_off
        assert (
            report.average.no_curve_fits
            == (kind != "jump")
            == any("No rising" in text for text in write(report, "warnings"))
        )
        if kind == "jump":
            assert report.average.kind == "isotonic" and report.loss.value < 1e-6


def test_a_column_that_gives_the_outcome_away_is_in_no_sentence_but_those_on_it(tmp_path):
    table = make()
    frame = table.X.assign(y=table.y, p=table.p, end=np.where(table.y, "ill", "well"))
    frame.to_csv(tmp_path / "my.csv", index=False)
    report = audit_scores(read_table(tmp_path / "my.csv", "y", "p"), rng=0)
    assert report.table.features == ["a", "b", "c"] and not report.certified
    assert "end gives the outcome away: it was left out" in write(report, "warnings")[0]
    assert "end (gives the outcome away)" in " ".join(write(report.table, "read"))


def test_calibrator_bends_only_where_it_must():
    kinked = make("kinked").checked()
    assert measure_average(kinked, rng=0).kind == "isotonic"
    assert measure_average(kinked, may_bend=False, rng=0).kind == "platt"
    bent = [measure_average(make("shifted", 1000, seed).checked(), rng=0).kind == "isotonic" for seed in range(40)]
    assert sum(bent) <= 3
    tiny = ScoreTable("t", "y", "p", np.array([0, 1] * 30), np.tile([0, 1e-9], 30), pd.DataFrame(index=range(60)))
    assert measure_average(tiny.checked(), rng=0).line is None
    seldom = make("perfect")
    seldom = replace(seldom, p=np.where(np.arange(seldom.n) < 3, 1.0, 0.0))  # a half may hold zeros alone
    assert audit_scores(seldom, rng=0).average.kind == "isotonic"


def test_columns_that_are_named_are_shown_level_by_level():
    table = make("mixed")
    report = audit_scores(table, check=["job", "a"], rng=0)
    levels = ["job is cook", "job is missing", "job is smith"]
    assert report.checked["rule"].tolist()[:3] == levels and len(report.checked) == 8
    assert report.checked["n"].sum() == 2 * table.n and report.checked_table["cases where"].tolist()[:3] == levels
    assert (
        write(report, "checked")[0].startswith("8 levels of the columns")
        and "name it" not in write(report, "unseen")[0]
    )
    assert audit_scores(table, check="old", rng=0).checked["rule"].str.startswith("old").all()
    few = audit_scores(make("perfect", 60), check="a", rng=0)
    assert few.obstacle and len(few.checked) == 5  # shown although nothing else is
    with pytest.raises(ValueError, match="check must name columns of X, but 'jbo' is none; did you mean 'job'"):
        audit_scores(table, check=["jbo"])
    streets = replace(table, X=table.X.assign(street=[f"s{k % 1000}" for k in range(table.n)]))
    with pytest.raises(ValueError, match="check must name columns of at most 50 levels, but 'street' has 1,000"):
        audit_scores(streets, check="street")


# ---- what is left unsaid --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "n", "words"),
    [
        ("perfect", 299, "299 cases; below 300"),
        ("weighted", 500, "with their weights worth"),
        ("rare", 310, "have the rarer label; at least 20"),
        ("hospitals", 3000, "only 8 people or places; at least 40"),
        ("no features", 3000, "no features"),
    ],
)
def test_obstacles_leave_calibration_only(kind, n, words):
    table = make(kind, n)
    assert words in find_obstacle(table)
    report = audit_scores(table, rng=0)
    assert report.loss is None and report.audit is None and not report.certified and np.isnan(report.detectable)
    assert negative_control(report) is None and "No control" in write(report, "control", control=None)[0]
    assert words in summary(report)["Answer"].iloc[1]
    assert "grouping_loss" not in report.metrics() and report.metrics()["obstacle"]
    assert "Add what is missing" in next_steps(report).index[-1]


def test_no_obstacle_from_300_rows_on():
    assert find_obstacle(make("perfect", 300)) == ""
    assert audit_scores(make("perfect", 300), rng=0).loss is not None


def test_detectable_size_is_found_most_of_the_time(reports):
    rng = np.random.default_rng(5)
    region = np.repeat(np.arange(40), 50)
    null = grouping_loss_from_regions((rng.random(2000) < 0.5) - 0.5, region)
    shift = np.where(region % 2, 1, -1) * np.sqrt(POWER * null.null_se)
    draws = [grouping_loss_from_regions((rng.random(2000) < 0.5 + shift) - 0.5, region).p_value for _ in range(400)]
    assert 0.7 < np.mean(np.array(draws) < 0.05) < 0.9  # meant: 80 %
    report = reports("perfect")
    by_tree = replace(report, loss=measure_loss(report.table, "platt", by_tree=True, rng=0))
    assert by_tree.detectable > by_tree.loss.null_se > 0 and np.isnan(report.detectable)
    assert "would most likely have been found" in write(by_tree, "loss")[0]


def test_upper_end_never_falls_below_what_chance_hides():
    report = audit_scores(make("perfect", 120), rng=0)
    assert report.average.high >= report.average.error.null > 0


def test_rows_of_weight_zero_are_left_out_and_the_others_keep_their_numbers():
    table = make("weighted")
    weight = np.where(np.arange(table.n) % 10 == 3, 0, table.weight)
    kept = np.flatnonzero(weight)
    part = ScoreTable("my.csv", "y", "p", table.y[kept], table.p[kept], table.X.iloc[kept], weight[kept])
    whole = audit_scores(replace(table, weight=weight), rng=0)
    assert whole.table.n == kept.size and (whole.table.row == kept + 1).all()
    assert whole.metrics() == audit_scores(part, rng=0).metrics()


# ---- control --------------------------------------------------------------------------------------------------


CONTROLS = {"loss": 10, "weighted": 4, "people": 5, "rare": 5, "kinked": 4}  # draws, of which a fair test alarms in 5 %


@pytest.mark.parametrize("kind", CONTROLS)
def test_control_finds_nothing(reports, kind):
    draws = CONTROLS[kind]
    control = negative_control(reports(kind), draws=draws, rng=1)
    assert control.draws == draws and max(control.alarms, control.named) <= binom(draws, 0.05).isf(0.001)
    assert control.value < 4 * control.se + 1e-4
    assert "no more than a fair test" in write(reports(kind), "control", control=control)[0]


def test_control_takes_whole_groups_and_some_rows(reports):
    report = reports("people")
    rows = control_rows(report, 1000, np.random.default_rng(0))
    assert rows.size in (999, 1000) and rows.size % 3 == 0
    assert np.unique(np.bincount(report.table.groups[rows])).tolist() == [0, 3]
    assert control_rows(reports("rare"), 100, np.random.default_rng(0)).size > 1000


# ---- decisions ------------------------------------------------------------------------------------------------


def test_decisions_by_hand():
    table = ScoreTable("t", "y", "p", np.array([0, 1, 1, 0]), np.array([0.1, 0.3, 0.6, 0.9]), pd.DataFrame())
    decisions = compare_decisions(table, np.array([0.1, 0.1, 0.6, 0.9]), None, 0.2)
    assert decisions.threshold == pytest.approx(0.2)
    assert (decisions.yes, decisions.recalibrated, decisions.to_yes, decisions.to_no) == (0.75, 0.25, 0, 0)
    weighted = ScoreTable("t", "y", "p", table.y, table.p, table.X, np.array([5.0, 1, 1, 1]))
    assert compare_decisions(weighted, table.p, None, 0.2).yes == pytest.approx(3 / 8)


def test_gaps_of_remaining_groups_turn_decisions(reports):
    report = reports("loss", 10_000)
    decisions = compare_decisions(report.table, report.calibrated, report.audit, 0.5)
    before = report.calibrated >= 0.5
    moved = report.audit.moved(report.calibrated)
    step = logit(moved) - logit(report.calibrated)
    inside = pd.DataFrame(report.audit.search.apply(report.table.X))
    assert np.ptp(step[~inside.any(axis=1)]) < 1e-9 < np.ptp(step)
    spread = pd.Series(step).groupby([inside[k] for k in inside]).agg(np.ptp)  # one step for cases of the same groups
    assert spread.max() < 1e-9
    for k, observed in enumerate(report.audit.search.named["observed"]):
        assert moved[inside[k]].mean() == pytest.approx(observed, abs=1e-4)
    after = moved >= 0.5
    assert decisions.to_yes == pytest.approx((after & ~before).mean())
    assert decisions.to_no == pytest.approx((before & ~after).mean())
    told = replace(report, decisions=decisions, cost=np.array([[0, 1], [1, 0]]))
    assert "from no to yes" in write(told, "decisions")[-1]


@pytest.mark.parametrize(
    "cost",
    [
        [[0, 0], [0, 0]], [[1, 0], [0, 1]], [1, 1], [[0, np.inf], [1, 0]], [[0, np.nan], [1, 0]], [[0, 1]], "ab",
        [[0, 1], [1, 0], [0.5, 0.5]],
    ],
)  # fmt: skip
def test_bad_costs(cost):
    with pytest.raises(ValueError, match="cost"):
        audit_scores(make(), cost=cost)


# ---- reading --------------------------------------------------------------------------------------------------


def test_shipped_table_is_grouped_by_family_and_others_are_not(tmp_path):
    table = read_table("data/rand_scores.csv.gz")
    assert table.groups is not None and "person" not in table.features and "family" in table.note
    own = tmp_path / "rand_scores.csv.gz"
    own.write_bytes((DATA_FOLDER / "rand_scores.csv.gz").read_bytes())
    mine = read_table(own)
    assert mine.groups is None and "person" in mine.features
    assert likely_groups(mine) == ["person", "family"]
    assert "parameter group" in write(audit_scores(mine, rng=0), "warnings")[0]


def test_empty_choices_stand_for_not_given():
    table = read_table("data/rand_scores.csv.gz", features=[], weight="", group="person")
    assert table.weight is None and len(table.features) == 14
    assert read_table("data/rand_scores.csv.gz", features=["chronic"]).features == ["chronic"]
    with pytest.raises(ValueError, match="did you mean 'person'"):
        read_table("data/rand_scores.csv.gz", group="persona")


def test_independent_rows_do_not_look_repeated():
    assert repeated_rows(make()) == 0 and likely_groups(make()) == []


def test_same_seed_same_report():
    one, two = (audit_scores(make("loss", 1000), rng=3).metrics() for _ in range(2))
    assert one == two


# ---- phrases --------------------------------------------------------------------------------------------------


def test_numbers_in_words():
    assert points(-0.001) == "0" and points(0.034, 0.002, sign=True) == "+3.4"
    assert in_points(0.01) == "1 point" and in_points(0.02) == "2 points"
    assert many(1000, "group", "is/are") == "1,000 groups are" and many(1, "case") == "1 case"
    assert chance(0.0951) == "p = 0.1" and chance(0.005) == "p < 0.01"
    assert squared(-0.0001, 0.01) == "0.000" and squared(0.00012, 0.00003) == "0.00012"
    assert root(-1) == 0 and percent(1.0).startswith("100") and percent(0.9969).startswith("99.69")


def test_of_two_levels_the_one_that_is_stated_wrongly_is_named():
    """Once the scores are recalibrated, both levels of a column are off as surely; as stated, one of them is right."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 1500)
    odds = rng.normal(-3, 1, 1500)
    y = (rng.random(1500) < expit(odds + 1.5 * (sex == "m"))).astype(np.int8)
    report = audit_scores(ScoreTable("t", "y", "p", y, expit(odds), pd.DataFrame({"sex": sex})), rng=0)
    assert report.audit.sure["rule"].tolist() == ["sex is m"] == report.audit.search.named["rule"].tolist()
    assert report.audit.inside(report.table.X, report.audit.sure).tolist() == (sex == "m").tolist()
    assert "Too low where sex is m" in summary(report)["Answer"].iloc[2]


def test_a_group_in_which_everybody_died_is_checked_and_does_not_lead():
    """Like a table into which the late years came because of what had happened; age is what the score does not know."""
    rng = np.random.default_rng(2)
    n = 3000
    X = pd.DataFrame({"age": rng.integers(50, 90, n), "year": rng.integers(1995, 2000, n), "kappa": rng.normal(size=n)})
    odds = rng.normal(-1, 0.7, n)
    y = (rng.random(n) < expit(odds + 0.1 * (X["age"] - 70))).astype(np.int8)
    late = rng.permutation(n)[:70]
    X.loc[late, "year"] = 2000
    y[late] = 1
    report = audit_scores(ScoreTable("late.csv", "died", "p", y, expit(odds), X), rng=0)
    audit = report.audit
    assert "year > 1999" in audit.suspicious["rule"].tolist()
    assert audit.to_check == ["year"] and audit.to_add == ["age"]
    assert pickle.loads(pickle.dumps(audit)).to_add == ["age"]
    assert replace(audit, table=audit.table.drop(index=audit.suspicious.index)).to_check == []  # computed anew
    answers = summary(report)["Answer"]
    assert answers.iloc[2].startswith("Too low where 74 < age <= 82 (") and "'died' is 1" in answers.iloc[2]
    assert "Check year. (3) Let the model use age." in answers.iloc[3]
    assert (
        "'died' is 1" in write(report, "warnings")[0]
        and "would learn that too" in next_steps(report).loc["Check year.", "How"]
    )
