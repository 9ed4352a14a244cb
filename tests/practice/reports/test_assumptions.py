"""What a report assumes about rows and columns, and says above its verdict."""

import numpy as np
import pandas as pd
import pytest

from helpers.practice.reports import audit_scores, read_table
from helpers.practice.reports.intake import as_assumed


def honest(rng, n=700):
    p = rng.random(n).round(3)
    X = pd.DataFrame({"age": rng.normal(50, 10, n), "ward": rng.choice(["a", "b"], n)})
    return X.assign(score=p, label=(rng.random(n) < p).astype(int))


def evaluation(rng, n=1200):
    """An evaluation of a language model: the right option, the one that was given, and a calibrated confidence."""
    gold = rng.integers(0, 4, n)
    p = rng.choice([0.6, 0.7, 0.8, 0.9], n)
    right = rng.random(n) < p
    given = np.where(right, gold, (gold + rng.integers(1, 4, n)) % 4)
    options = np.array(list("ABCD"))
    return pd.DataFrame({"label": right * 1, "score": p, "predicted": options[given], "gold": options[gold]})


def forecasts(rng, n_events=100, size=20):
    event = rng.permutation(np.repeat(np.arange(n_events), size))
    q = rng.random(n_events)
    label = (rng.random(n_events) < q)[event] * 1
    p = np.clip(q[event] + rng.normal(0, 0.05, event.size), 0.01, 0.99)
    hour = rng.normal(size=event.size)
    return pd.DataFrame({"event": [f"e{k}" for k in event], "hour": hour, "score": p, "label": label})


def days(rng, n_days=120, size=30):
    day = np.repeat(np.arange(n_days), size)
    p = rng.random(day.size)
    moved = np.clip(p + rng.normal(0, 0.2, n_days)[day], 0, 1)
    date = pd.Timestamp("2025-01-01") + pd.to_timedelta(day, "D")
    label = (rng.random(day.size) < moved) * 1
    return pd.DataFrame({"day": date, "x": rng.normal(size=day.size), "score": p, "label": label})


def test_copies_count_once_and_the_files_have_the_first_of_each():
    table = honest(np.random.default_rng(0))
    read = read_table(pd.concat([table, table])).checked()
    assert read.n == 700 and read.weight is None and read.row.tolist() == list(range(1, 701))
    assert read.alerts[0].kind == "copies" and read.n_unweighted == 0
    assert read_table(pd.concat([table, table]), group="none").checked().n == 1400


def test_copies_with_a_newer_date_are_one_case_and_the_page_names_the_date():
    rng = np.random.default_rng(3)
    table = honest(rng).assign(updated=pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.permutation(700), "h"))
    again = table[:200].assign(updated=table["updated"][:200] + pd.Timedelta("5min"))
    report = audit_scores(read_table(pd.concat([table, again])), rng=0)
    assert np.unique(report.table.groups).size == 700
    assert report.before[0].startswith("400 rows equal another one in label, score and all features but 'updated'")
    alone, nothing = as_assumed(read_table(pd.concat([table, again]), group="none").checked())
    assert alone.groups is None and nothing is None


def test_the_answer_itself_is_left_out_until_somebody_says_that_it_was_known():
    table = evaluation(np.random.default_rng(1))
    read, _ = as_assumed(read_table(table).checked())
    assert read.features == ["predicted"] and "gold" in read.dropped
    kept, _ = as_assumed(read_table(table, known="gold,predicted").checked())
    assert kept.features == ["predicted", "gold"]
    ids = table.rename(columns={"gold": "option a", "predicted": "option b"})  # names that tell nothing
    assert as_assumed(read_table(ids).checked())[0].features == []
    single = table.assign(status=np.where(table["label"] == 1, "closed", "open"))
    assert "status" in read_table(single).dropped and "status" in read_table(single, known=["status"]).X
    with pytest.raises(ValueError, match=r"known\[0\]"):
        read_table(table, known=["golden"])


@pytest.mark.parametrize(("make", "column", "stays"), [(forecasts, "event", False), (days, "day", True)])
def test_rows_that_err_alike_are_taken_together_unless_somebody_says_that_they_are_independent(make, column, stays):
    table = make(np.random.default_rng(2))
    read, alert = as_assumed(read_table(table).checked())
    assert read.group_name == column and alert.columns == (column,) and np.unique(read.groups).size >= 100
    assert (column in read.X) == stays
    alone, nothing = as_assumed(read_table(table, group="none").checked())
    assert alone.groups is None and nothing is None
    given, nothing = as_assumed(read_table(table, group=column).checked())
    assert given.group_name == column and nothing is None


def test_what_was_assumed_stands_above_the_verdict_and_first_among_the_steps():
    table = evaluation(np.random.default_rng(3), 600)
    report = audit_scores(read_table(pd.concat([table, table])), rng=0)
    lines = str(report).splitlines()
    kinds = [finding.kind for finding in report.found if report.words.kinds[finding.kind].is_before]
    assert kinds == ["copies", "known_before"] and lines[: len(kinds)] == report.before and lines[2] == report.headline
    assert report.steps.index[0] == report.words.kinds["copies"].advice
    assert report.findings.set_index("kind").loc["known_before", "subject"] == "gold"


def test_a_feature_in_which_rows_err_alike_makes_the_verdict_unsure():
    rng = np.random.default_rng(4)
    carrier = np.repeat(np.arange(60), 20)
    p = rng.random(carrier.size)
    moved = np.clip(p + rng.normal(0, 0.2, 60)[carrier], 0, 1)
    table = pd.DataFrame({"carrier": [f"c{k}" for k in carrier], "x": rng.normal(size=carrier.size), "score": p})
    table["label"] = (rng.random(carrier.size) < moved) * 1
    report = audit_scores(read_table(table), rng=0)
    assert "may_depend" in set(report.findings["kind"]) and report.table.groups is None
    assert report.before


def of_days(rng, n_days, size, columns):
    """Rows of days on which scores err alike; the days written in one column or several."""
    day = np.repeat(np.arange(n_days), size)
    date = pd.Timestamp("2025-01-01") + pd.to_timedelta(day, "D")
    p = rng.beta(2, 3, day.size)
    moved = np.clip(p + rng.normal(0, 0.1, n_days)[day], 0.01, 0.99)
    table = pd.DataFrame({"x": rng.normal(size=day.size), "score": p, "label": (rng.random(day.size) < moved) * 1})
    written = {"when": date, "year": date.year, "month": date.month, "day": date.day, "school": [f"s{k}" for k in day]}
    return table.assign(**{name: written[name] for name in columns})


@pytest.mark.parametrize("columns", [["year", "month", "day"], ["day", "month"]])
def test_days_in_several_columns_are_days(columns):
    read, alert = as_assumed(read_table(of_days(np.random.default_rng(0), 60, 100, columns)).checked())
    assert read.group_name == "month, day" and read.groups.max() == 59  # one year says nothing
    assert alert.value == pytest.approx(np.sqrt(1 + 99 * 0.01 / 0.24), rel=0.28)  # three standard errors of 60 days
    assert {"month", "day"} <= set(read.X)


def test_numbers_called_day_that_are_no_days_of_a_month_are_numbers():
    table = of_days(np.random.default_rng(0), 60, 100, ["when"])
    table["day"] = (table.pop("when") - pd.Timestamp("2025-01-01")).dt.days
    read, _ = as_assumed(read_table(table).checked())
    assert [alert.columns for alert in read.alerts] == [("day",)] and read.groups is None


@pytest.mark.parametrize("column", ["when", "day", "school"])
def test_too_few_days_or_schools_for_groups_raise_the_question(column):
    """A month of days: the page does not certify that nothing makes its numbers less sure."""
    report = audit_scores(read_table(of_days(np.random.default_rng(1), 28, 100, [column])), rng=0)
    found = {finding.kind: finding for finding in report.found}
    assert report.table.groups is None and found["may_depend"].subject == column
    assert found["may_depend"].value == pytest.approx(np.sqrt(1 + 99 * 0.01 / 0.24), rel=0.25)
    assert report.before and "rows_independent" not in found
    given = audit_scores(read_table(of_days(np.random.default_rng(1), 28, 100, [column]), group=column), rng=0)
    wider = (given.average.rates["high"] - given.average.rates["low"]) / (
        report.average.rates["high"] - report.average.rates["low"]
    )
    beyond_weekdays = 1.0 if column == "school" else np.sqrt(21 / 28)  # days are compared with others of their weekday
    assert found["may_depend"].value == pytest.approx(beyond_weekdays * wider, rel=0.1)


def test_few_days_that_do_not_err_alike_raise_no_question():
    rng = np.random.default_rng(2)
    for _ in range(20):
        table = of_days(rng, int(rng.integers(10, 40)), 60, ["when", "school"])
        table["label"] = (rng.random(len(table)) < table["score"]) * 1
        assert not as_assumed(read_table(table).checked())[0].alerts


@pytest.mark.parametrize("group", ["", "none"])
def test_no_page_without_groups_says_that_nothing_makes_it_less_sure(group):
    report = audit_scores(read_table(honest(np.random.default_rng(6), 250), group=group), rng=0)
    (found,) = [finding for finding in report.found if finding.kind == "rows_independent"]
    assert found.more["by_user"] == (group == "none")


def test_rows_without_an_identity_are_each_on_their_own():
    table = forecasts(np.random.default_rng(5))
    table.loc[::4, "event"] = None
    read, _ = as_assumed(read_table(table).checked())
    without = table["event"].isna().to_numpy()
    assert read.group_name == "event" and np.unique(read.groups[without]).size == without.sum()
