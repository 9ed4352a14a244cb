"""Where rows have a date: who teaches a repair and who judges it, and what may be promised for later rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from helpers.practice.repair import Recalibrator
from helpers.practice.reports import audit_scores, read_table
from helpers.practice.reports.drift import split_over_time
from helpers.practice.reports.findings import Severity
from helpers.practice.reports.rescored import count_money, repair_scores
from helpers.practice.tables.scores import ScoreTable

COST = np.array([[0.0, 3.0], [1.0, 0.0]])


def made(off, n_days=100, per_day=12, seed=0, groups=None, **columns):
    """Cases of many days; off(day, member): what the log-odds of the score lack."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(n_days), per_day)
    n = day.size
    member = rng.choice(["no", "yes"], n)
    odds = rng.normal(-1, 1, n)
    y = (rng.random(n) < expit(odds + off(day, member == "yes"))).astype(float)
    X = pd.DataFrame({"day": pd.Timestamp("2024-01-01") + pd.to_timedelta(day, "D"), "member": member})
    return ScoreTable("made.csv", "y", "p", y, expit(odds), X.assign(**columns), None, groups).checked()


def nothing(day, member):
    return 0.0 * day


def wave(day, member):
    return 1.5 * np.sin(day / 14)


def of_group(day, member):
    return 2.4 * (member - 0.5)


def of_week(day, member):
    return np.where(day % 7 >= 5, 2.0, -0.8)


def parts(table, rng=0):
    return split_over_time(table, np.random.default_rng(rng))


def test_the_later_rows_begin_on_a_whole_day_after_all_that_teach():
    table = made(nothing)
    later = parts(table)
    day = table.X["day"]
    assert day.iloc[later.teach].max() < day.iloc[later.judge].min()
    assert later.teach.size + later.judge.size == table.n and later.judge.size == 480
    assert later.period == "2024-03-01 to 2024-04-09"
    undated = day.copy()
    undated[::5] = pd.NaT
    later = parts(replace(table, X=table.X.assign(day=undated)))
    assert undated.iloc[[*later.teach, *later.judge]].notna().all()
    assert later.teach.size + later.judge.size == undated.notna().sum()


def test_rows_without_dates_or_of_one_day_have_no_later_part():
    table = made(nothing)
    assert parts(replace(table, X=table.X[["member"]])) is None
    one_day = pd.date_range("2024-01-01", periods=table.n, freq="s")
    assert parts(replace(table, X=table.X.assign(day=one_day))) is None
    years = replace(table, X=table.X[["member"]].assign(year=np.arange(table.n) // 300))
    assert parts(years).period == "2 to 3" and parts(years).teach.size == 600


def test_a_date_of_birth_orders_no_visits_and_stays_in_the_repair():
    rng = np.random.default_rng(0)
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, 1200), "D")
    later = parts(made(nothing, born=born))
    assert later.column == "day" and later.beyond == ("day",)


def test_a_column_that_marks_days_in_a_row_is_a_date_and_one_that_comes_again_is_none():
    """New rows all have one value of "from day 70 on" or "day 30 to 39", which says when, and not who."""
    day = np.repeat(np.arange(100), 12)
    marks = {"since": day >= 70, "tenth": np.where(day // 10 == 3, "yes", "no"), "weekend": day % 7 >= 5}
    assert set(parts(made(nothing, **marks)).beyond) == {"day", "since", "tenth"}


def test_a_repair_learns_from_no_column_in_which_later_rows_lie_beyond_earlier_ones():
    n = 1200
    rng = np.random.default_rng(0)
    table = made(
        nothing,
        counter=np.arange(n) + rng.integers(0, 20, n),
        month=pd.Categorical(np.char.mod("month %d", np.arange(n) // 300)),
        town=pd.Categorical(rng.choice(list("abc"), n)),
        age=rng.integers(20, 80, n).astype(float),
    )
    assert set(parts(table).beyond) == {"day", "counter", "month"}


def test_nobody_is_judged_by_what_he_has_taught():
    person = np.tile(np.arange(300), 4)  # all of them come again
    table = made(nothing, groups=person)
    later = parts(table)
    groups = table.groups
    assert not set(groups[later.teach]) & set(groups[later.judge])
    assert later.n_persons == 300 and np.unique(groups[later.judge]).size == 150
    days = np.repeat(np.arange(100), 12)
    whole = parts(replace(table, groups=days))
    assert whole.n_persons == 0 and whole.teach.size + whole.judge.size == table.n


def test_too_few_later_events_say_how_many_rows_would_do():
    table = made(nothing)
    rare = np.zeros(table.n)
    rare[::40] = 1  # 12 of the 480 later rows
    later = parts(replace(table, y=rare))
    assert later.too_few == "cases of the rarer label" and later.n_needed == 2000
    scores = repair_scores(replace(table, y=rare), "platt", rng=0)
    assert scores.by_later is None and "day" not in scores.model.columns_


def test_a_repair_sees_the_day_of_the_week_and_not_the_date():
    table = made(of_week)
    model = Recalibrator(fast=True, n_folds=2, calendar={"day": ["day_of_week"]}, rng=0)
    model.fit(table.X, table.y, table.p)
    assert model.changed_
    new = table.X.head(84).assign(day=table.X["day"].head(84) + pd.Timedelta(days=70 * 52))
    assert (model.predict(new, table.p[:84]) == model.predict(table.X.head(84), table.p[:84])).all()
    as_text = new.assign(day=new["day"].dt.strftime("%Y-%m-%d"))
    assert (model.predict(as_text, table.p[:84]) == model.predict(new, table.p[:84])).all()


def saved_by(off, n_days=100, seed=0, later_days=0):
    """Costs of decisions on a table, its repair, and what that saves in 100 cases of the days after."""
    whole = made(off, n_days + later_days, seed=seed)
    is_new = np.arange(whole.n) >= n_days * 12
    table = whole.take(np.flatnonzero(~is_new))
    scores = repair_scores(table, "platt", rng=0)
    money = count_money(table, scores, COST)
    if not later_days:
        return money, scores
    new = whole.take(np.flatnonzero(is_new))
    repaired = scores.model.predict(new.X, new.p)
    shown = replace(scores, rows=np.arange(new.n), recalibrated=repaired, repaired=repaired, by_later=None)
    return money, scores, count_money(new, shown, COST).costs.loc["repaired"]


@pytest.mark.slow
def test_what_lives_on_the_date_is_not_promised():
    money, scores = saved_by(wave)
    assert scores.later.column == "day" and not money.saves("repaired")
    assert "day" not in scores.model.columns_
    over_folds = count_money(made(wave), replace(scores, by_later=None), COST)
    assert over_folds.n == 1200 and money.n == 480


@pytest.mark.nightly
@pytest.mark.parametrize("off", [of_group, of_week])
def test_what_comes_again_is_promised_and_holds_on_the_days_after(off):
    """Of a group, and of a day of the week, which the repair sees where later rows are the better for it."""
    money, scores, after = saved_by(off, n_days=150, later_days=150)
    row = money.costs.loc["repaired"]
    assert money.changed and money.saves("repaired")
    assert row["saved_low"] < after["saved_high"] and row["saved_high"] > after["saved_low"]
    assert after["saved_low"] > 0
    if off is of_week:
        assert scores.model.calendar == {"day": ["day_of_week"]} and money.columns[0] == "day"
    else:
        assert scores.model.calendar == {} and money.columns[0] == "member"


@pytest.mark.slow
def test_the_page_says_which_months_judge_and_promises_nothing_that_drifts(monkeypatch):
    monkeypatch.setattr("helpers.practice.reports.single_cases.STACK_ROWS", 0)  # half of the time
    report = audit_scores(made(of_group, n_days=150), cost=COST, rng=0)
    (found,) = [finding for finding in report.found if finding.kind == "repair_saves"]
    assert found.more["period"] == "2024-03-31 to 2024-05-29" and found.more["columns"][0] == "member"
    assert report.found[0].kind == "use_repaired" and found.more["period"] in report.headline
    both = audit_scores(made(lambda *case: of_group(*case) + wave(*case)), cost=COST, rng=0)
    kinds = {finding.kind for finding in both.found}
    assert kinds.isdisjoint({"repair_saves", "use_repaired"}) and kinds & {"no_drifts", "not_over_time"}
    (drift,) = [finding for finding in both.found if finding.kind == "drifts"]
    assert any(drift.more["newest"] in step for step in both.steps.index)


def test_the_newest_cases_recalibrate_if_they_are_enough_and_one_year_is_written_once():
    rng = np.random.default_rng(0)
    for rows_a_year, is_enough in ((120, False), (400, True)):
        year = np.repeat(np.arange(2001, 2007), rows_a_year)
        p = rng.uniform(0.2, 0.8, year.size)
        y = rng.random(year.size) < np.clip(p + 0.08 * (year - 2003), 0.02, 0.98)
        table = read_table(
            pd.DataFrame({"label": y.astype(int), "score": p, "year": year, "x": rng.normal(size=p.size)})
        )
        report = audit_scores(table, rng=0)
        (found,) = [finding for finding in report.found if finding.kind == "drifts"]
        assert found.more["newest"] == "2006" and found.more["is_enough"] == is_enough
        step = next(step for step in report.steps.index if "newest cases" in step)
        assert ("too few" in step) == (not is_enough)


@pytest.fixture(scope="module")
def lasting_and_passing():
    """Scores right but in one town, and from 2005 on among smiths: reports on all of them, and without the towns."""
    rng = np.random.default_rng(0)
    year = np.repeat(np.arange(2001, 2007), 400)
    town, job = rng.choice(list("abcd"), year.size), rng.choice(["cook", "smith"], year.size)
    p = rng.uniform(0.2, 0.8, year.size).round(3)
    moved = 0.25 * (town == "a") - 0.3 * ((job == "smith") & (year >= 2005)) + 0.3 * ((job == "cook") & (year >= 2005))
    whole = pd.DataFrame({"score": p, "year": year, "town": town, "job": job})
    whole["label"] = (rng.random(year.size) < np.clip(p + moved, 0.02, 0.98)).astype(int)
    rest = whole[whole["town"] != "a"].drop(columns="town")
    return [audit_scores(read_table(frame), cost=COST, rng=0) for frame in (whole, rest)]


def test_groups_over_the_date_are_no_advice_for_newer_cases(lasting_and_passing):
    both, passing = lasting_and_passing
    groups = {finding.subject: finding for finding in both.found if finding.kind in ("too_low", "too_high")}
    over_year = [rule for rule in groups if "year" in rule]
    assert over_year and "town is a" in groups
    for rule, finding in groups.items():
        assert finding.more["over_time"] == ["year"] * (rule in over_year)
        assert (finding.severity == Severity.NOTE) == (rule in over_year)
    for report in (both, passing):
        screen = " ".join([str(report), *report.steps["How"]])
        assert "year >" not in screen and "year <" not in screen
        assert all("model use" not in step or "year" not in step for step in report.steps.index)
        assert any("changes with year" in sentence for sentence in report.sentences("groups"))
    assert "town is a" in both.headline


def test_where_groups_over_the_date_alone_are_off_the_answer_is_no_yes(lasting_and_passing):
    passing = lasting_and_passing[1]
    named = passing.audit.significant["rule"]
    assert len(named) and named.str.contains("year").all()
    assert passing.found[0].kind in ("but_off_over_time", "not_over_time", "no_drifts")
    assert any("newer cases" in step or "newest cases" in step for step in passing.steps.index)
