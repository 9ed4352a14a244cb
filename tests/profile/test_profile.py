"""What the profile of a table finds, what it leaves alone, and what estimators make of it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from helpers.audit import audit_groups
from helpers.grouping import grouping_loss, stacked_grouping_loss
from helpers.practice.repair import Recalibrator
from helpers.profile import TableWarning, profile_table
from helpers.profile.copies import merge_copies

N = 800


def honest(rng, n=N):
    """Labels, a perfect score and features that know more than the score shows."""
    X = pd.DataFrame({"age": rng.normal(50, 15, n).round(1), "sex": rng.choice(["f", "m"], n)})
    X["income"] = rng.lognormal(10, 1, n)
    p = expit((X["age"] - 50).to_numpy() / 20 + rng.normal(size=n))
    return (rng.random(n) < p).astype(float), p, X


def rows_again(table, rows):
    y, p, X = table
    return y[rows], p[rows], X.iloc[rows].reset_index(drop=True)


def kinds(table, **options):
    return {alert.kind for alert in profile_table(*table, **options).alerts}


COPIES = {
    "the table twice": lambda rng: np.tile(np.arange(N), 2),
    "each row three times, in any order": lambda rng: rng.permutation(np.repeat(np.arange(N), 3)),
    "a tenth of the rows again": lambda rng: np.r_[np.arange(N), rng.choice(N, N // 10, replace=False)],
    "drawn with replacement": lambda rng: rng.integers(0, N, N),
    "one half oversampled": lambda rng: np.r_[np.arange(N), rng.integers(0, N // 2, N // 2)],
}


@pytest.mark.parametrize("rows", COPIES.values(), ids=COPIES)
def test_copies_are_found_and_counted(rows):
    rng = np.random.default_rng(0)
    table = honest(rng)
    chosen = rows(rng)
    (alert,) = profile_table(*rows_again(table, chosen)).alerts
    count = np.bincount(chosen)
    assert alert.kind == "copies"
    assert (alert.n, alert.more["n_distinct"]) == (count[count > 1].sum(), (count > 1).sum())
    assert (
        kinds(rows_again(table, chosen), groups=np.arange(chosen.size)) == set()
    )  # somebody says: all are independent


def changed_copies(rng, share, change):
    """A table in which some rows stand again, with another value in one column."""
    y, p, X = honest(rng, 1500)
    X["updated"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 10**7, 1500), "s")
    rows = np.r_[np.arange(1500), rng.choice(1500, int(share * 1500), replace=False)]
    y, p, X = rows_again((y, p, X), rows)
    again = X.index >= 1500
    X = X.assign(**{change: X[change].where(~again, CHANGED[change](X[change]))})
    return y, p, X


CHANGED = {"updated": lambda when: when + pd.Timedelta("3h"), "income": lambda pay: pay.round(1)}


@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_copies_with_one_changed_column_are_found_with_its_name(change, share):
    table = changed_copies(np.random.default_rng(12), share, change)
    (alert,) = profile_table(*table).alerts
    assert (alert.kind, alert.columns, alert.n) == ("near_copies", (change,), int(2 * share * 1500))
    assert alert.value == pytest.approx(np.sqrt(1 + 2 * share / (1 + share)), rel=0.02)
    with pytest.warns(TableWarning, match=f"all features but '{change}'"):
        audit_groups(*table, n_draws=19, rng=0)


def test_rows_that_differ_in_one_column_are_no_copies_if_their_labels_differ_as_often_as_chance_says():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, p, X = changed_copies(rng, 1.0, "updated")
        y = (rng.random(p.size) < p).astype(float)  # of a person at two times
        assert kinds((y, p, X)) == set()


def test_a_coarse_table_has_equal_rows_by_chance_but_not_each_twice():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"site": rng.choice(list("abcdef"), N), "old": rng.random(N) < 0.5})
        p = np.where(X["old"], 0.7, 0.4)
        table = (rng.random(N) < p).astype(float), p, X
        assert kinds(table) == set()
        X["score"] = rng.integers(0, 40, N)
        assert kinds((table[0], table[1], X)) == set()
        assert kinds(rows_again((table[0], table[1], X), np.tile(np.arange(N), 2))) == {"copies"}


def test_merged_copies_are_the_rows_they_came_from():
    first, place, weight = merge_copies(np.array([7, 3, 7, 9]), np.ones(4))
    assert first.tolist() == [0, 1, 3] and place.tolist() == [0, 1, 0, 2] and weight.tolist() == [1.0, 0.5, 0.5]
    assert merge_copies(np.array([5, 5, 2, 2]), np.ones(4))[2] is None


def test_estimators_say_of_copies_what_they_say_of_the_rows():
    table = honest(np.random.default_rng(1))
    y, p, X = table
    twice = rows_again(table, np.random.default_rng(2).permutation(np.tile(np.arange(N), 2)))
    groups = np.unique(twice[1], return_inverse=True)[1]  # five rows of a case that are the same say one thing
    with pytest.warns(TableWarning, match="more than once"):
        loss = grouping_loss(*twice, rng=0)
    once = grouping_loss(y, p, X, rng=0)
    assert loss.n == N and loss.se == pytest.approx(once.se, rel=0.3) and abs(loss.value - once.value) < 3 * once.se
    with pytest.warns(TableWarning):
        assert grouping_loss(*twice, groups=groups, rng=0).se == pytest.approx(once.se, rel=0.3)
    with pytest.warns(TableWarning):
        residual = stacked_grouping_loss(*twice, rng=0).residual
    assert residual.size == 2 * N and np.isfinite(residual).all()
    with pytest.warns(TableWarning):
        assert len(audit_groups(*twice, n_draws=99, rng=0)) == len(audit_groups(y, p, X, n_draws=99, rng=0))
    with pytest.warns(TableWarning):
        repaired = Recalibrator(rng=0).fit_predict(twice[2], twice[0], twice[1])
    assert pd.Series(repaired).groupby(groups).nunique().eq(1).all()  # copies are on one side of every split


def in_groups(rng, n_groups=100, size=12, spread=1.2):
    """A score that is right on average, and rows of one group that err alike."""
    group = rng.permutation(np.repeat(np.arange(n_groups), size))
    X = pd.DataFrame({"x": rng.normal(size=group.size), "size": rng.integers(0, 9, group.size)})
    p = expit(rng.normal(size=group.size))
    q = expit(np.log(p / (1 - p)) + rng.normal(0, spread, n_groups)[group])
    return (rng.random(group.size) < q).astype(float), p, X, group


def test_rows_of_one_event_person_or_day_are_found_with_what_they_do_to_the_interval():
    y, p, X, group = in_groups(np.random.default_rng(3))
    days = pd.Timestamp("2025-01-01") + pd.to_timedelta(group, "D")
    for values in (group, pd.Series(group).map("user {}".format), pd.Series(days), pd.Series(group).astype("category")):
        (alert,) = profile_table(y, p, X.assign(who=values)).alerts
        assert (alert.kind, alert.columns, alert.more["n_levels"]) == ("cluster", ("who",), 100)
        (alert,) = profile_table(y, p, X, others=pd.DataFrame({"who": values})).alerts
        assert alert.columns == ("who",)
    total = np.bincount(group, y - p)
    assert alert.value == pytest.approx(np.sqrt((total**2).sum() / ((y - p) ** 2).sum()), rel=0.05)
    assert kinds((y, p, X.assign(who=group)), groups=group) == set()


def test_forecasts_of_one_event_have_one_outcome():
    rng = np.random.default_rng(4)
    event = rng.permutation(np.repeat(np.arange(120), 30))
    q = rng.random(120)
    p = np.clip(q[event] + rng.normal(0, 0.05, event.size), 0.01, 0.99)
    y = (rng.random(120) < q)[event].astype(float)
    X = pd.DataFrame({"hour": rng.normal(size=event.size)})
    (alert,) = profile_table(y, p, X.assign(event=event)).alerts
    assert alert.more["one_outcome"] and alert.value > 4
    same = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc")).iloc[event].reset_index(drop=True)
    assert {alert.kind for alert in profile_table(y, p, same).alerts} >= {"cluster"} or kinds((y, p, same)) == {
        "same_rows"
    }


def test_a_smooth_effect_of_a_number_or_a_date_is_no_dependence():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        day = rng.integers(0, 200, 4000)
        p = expit(rng.normal(size=4000))
        y = (rng.random(4000) < expit(np.log(p / (1 - p)) + 1.5 * np.sin(day / 30))).astype(float)
        X = pd.DataFrame(
            {"day": pd.Timestamp("2025-01-01") + pd.to_timedelta(day, "D"), "age": rng.integers(0, 90, 4000)}
        )
        assert kinds((y, p, X)) == set()


def test_a_smooth_effect_of_a_number_with_many_rows_at_one_end_is_no_dependence():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 4000
        cut = rng.normal(45, 16, n).round().clip(18, 95)
        used = np.where(rng.random(n) < 0.09, 0, rng.integers(0, 300, n))
        for x in (cut, used):
            y = (rng.random(n) < expit(0.9 * (x - x.mean()) / x.std())).astype(float)
            assert kinds((y, 0.5 + rng.normal(0, 0.02, n), pd.DataFrame({"x": x}))) == set()


def leaking(rng):
    y, p, X = honest(rng, 1500)
    is_one = y == 1
    options = rng.choice(list("ABCD"), y.size)
    wrong = np.array(list("BCDA"))[np.searchsorted(list("ABCD"), options)]
    due = pd.Timestamp("2025-03-01") + pd.to_timedelta(rng.integers(0, 60, y.size), "D")
    late = pd.to_timedelta(np.where(is_one, 1, -1) * rng.integers(1, 9, y.size), "D")
    nearly = is_one ^ (rng.random(y.size) < 0.005)
    some = rng.random(y.size) < 0.3
    return y, p, X, {
        "two columns of one answer": {"gold option": options, "given": np.where(is_one, options, wrong)},
        "two numbers": {"paid": np.where(is_one, 5.0, 9.0) + rng.random(y.size), "owed": 7 + rng.random(y.size)},
        "two dates": {"due": due, "paid": due + late},
        "nearly the label": {"status": np.where(nearly, "closed", "open")},
        "one level": {"ward": np.where(is_one & some, "hospice", rng.choice(list("xyz"), y.size))},
        "a missing value": {"discharged": np.where(is_one & some, np.nan, rng.normal(size=y.size))},
    }  # fmt: skip


def test_columns_that_tell_the_outcome_are_found_alone_in_pairs_by_a_level_and_by_being_missing():
    y, p, X, columns = leaking(np.random.default_rng(5))
    for what, more in columns.items():
        found = profile_table(y, p, X.assign(**more))
        leaks = found.of("leak")
        assert leaks and set(leaks[0].columns) <= set(more), what
        known = profile_table(y, p, X.assign(**more), known=list(more))
        assert not known.of("leak", "afterwards"), what
        with pytest.warns(TableWarning, match=next(iter(leaks[0].columns))):
            grouping_loss(y, p, X.assign(**more), rng=0)


def test_columns_that_are_known_only_later_are_told_by_name_or_by_their_dates():
    y, p, X = honest(np.random.default_rng(6))
    day = pd.Timestamp("2025-01-01") + pd.to_timedelta(np.arange(N) % 50, "D")
    X = X.assign(
        ground_truth="a",
        predicted="b",
        prediction_date=day,
        seen=day + pd.Timedelta("3D"),
        born=day - pd.Timedelta("9000D"),
    )
    assert [alert.columns for alert in profile_table(y, p, X).of("afterwards")] == [("ground_truth",), ("seen",)]
    assert profile_table(y, p, X, known=["seen", "ground_truth"]).alerts == ()


def table_of_many_kinds(rng):
    """Labels, a score that is right, pale, bent or rough, and one to eight features of many kinds."""
    n = int(rng.choice([300, 700, 1500]))
    make = [
        lambda: rng.normal(size=n),
        lambda: rng.normal(40, 15, n).round(),
        lambda: rng.choice(list("abc"), n, p=[0.7, 0.2, 0.1]),
        lambda: rng.choice([f"c{k}" for k in range(15)], n),
        lambda: rng.integers(0, 2, n).astype(bool),
        lambda: rng.lognormal(8, 1, n).round(-2),
        lambda: np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1)),
        lambda: rng.poisson(1.0, n),
        lambda: pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
    ]
    X = pd.DataFrame({f"x{j}": make[rng.integers(len(make))]() for j in range(rng.integers(1, 9))})
    place = np.column_stack([pd.factorize(X[name], sort=True)[0] for name in X]).astype(float)
    place = (place - place.mean(axis=0)) / (place.std(axis=0) + 1e-9)
    z = place @ rng.choice([0, 0.4, 0.9], X.shape[1]) + rng.choice([-2.5, -1, 0, 1])
    q = expit(z)
    p = [
        q,
        expit(0.6 * z + 0.3),
        np.clip(q.mean() + rng.normal(0, 0.02, n), 0, 1),
        expit(z + rng.normal(size=n)),
        q.round(1),
    ]
    return (rng.random(n) < q).astype(float), p[rng.integers(5)], X


def test_honest_tables_raise_no_alarm():
    alarms = sum(bool(profile_table(*table_of_many_kinds(np.random.default_rng(seed))).alerts) for seed in range(200))
    assert alarms <= 4  # 0 of 400 when it was measured


def test_odd_columns_are_looked_at_without_a_word():
    y, p, X = honest(np.random.default_rng(7))
    odd = X.assign(
        empty=np.nan, same=1, zone=pd.Timestamp("2025-01-01", tz="UTC"), text=[f"t{k}" for k in range(N)],
        nullable=pd.array([1, None] * (N // 2), dtype="Int64"), mixed=pd.Series([1, "a"] * (N // 2), dtype=object),
        numbers=pd.Series([str(k % 70) for k in range(N)]), steps=pd.Categorical(["a", "b"] * (N // 2), ordered=True),
        flags=pd.array([True, None] * (N // 2), dtype="boolean"),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert profile_table(y, p, odd).alerts == ()


def test_a_column_that_is_filled_for_one_outcome_only_is_a_leak_and_no_group():
    y, p, X = honest(np.random.default_rng(8))
    closed = pd.Series(np.arange(N) // 3).map("batch {}".format).where(y == 1)
    found = profile_table(y, p, X, others=pd.DataFrame({"closed": closed}))
    assert found.alerts == ()
    assert profile_table(y, p, X.assign(closed=closed)).of("leak")


@pytest.mark.parametrize("others", [0, 2])
def test_a_level_that_tells_the_outcome_is_told_with_its_rows(others):
    y, p, X = honest(np.random.default_rng(8))
    ward = np.random.default_rng(1).choice(["a", "b", "c"], N)
    (inside,) = np.nonzero(ward == "c")
    y[inside] = 0
    y[inside[:others]] = 1
    (leak,) = profile_table(y, p, X.assign(ward=ward)).of("leak")
    but = f"but {others} of " if others else ""
    assert leak.more["by"] == f"where it is 'c': there it is 0 in all {but}{inside.size:,} rows"


def test_days_are_groups_whatever_the_time_of_day_and_weekdays_are_none():
    y, p, X, day = in_groups(np.random.default_rng(9))
    time = pd.to_timedelta(np.random.default_rng(10).integers(0, 86_400, y.size), "s")
    when = pd.Timestamp("2025-01-01") + pd.to_timedelta(day, "D") + time
    assert [alert.columns for alert in profile_table(y, p, X.assign(when=when)).alerts] == [("when",)]
    weekend = pd.Series(when).dt.day_of_week.to_numpy() > 4
    y = (np.random.default_rng(11).random(y.size) < expit(np.log(p / (1 - p)) + weekend)).astype(float)
    assert kinds((y, p, X.assign(when=when))) == set()


def test_levels_that_differ_by_degrees_are_features():
    left_out = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        level = rng.integers(0, 20, 1500)
        p = rng.uniform(0.2, 0.8, 1500)
        y = (rng.random(1500) < expit(np.log(p / (1 - p)) + rng.normal(0, 2, 20)[level])).astype(float)
        left_out += bool(profile_table(y, p, pd.DataFrame({"product": [f"P{k}" for k in level]})).of("leak"))
    assert left_out <= 1
