"""The joint search: known truth, false alarms, brute force, invariances, words, what is left out, bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy.special import expit, logit
from scipy.stats import norm

from helpers.audit import joint as module
from helpers.audit import search_segments
from helpers.audit.joint import ROUNDING, bonus_of_singles
from helpers.calibration import PlattCalibrator
from helpers.plotting import plot_groups
from helpers.profile import TableWarning


def people(n, rng):
    """Four mixed features, one with gaps, and the right log-odds."""
    X = pd.DataFrame({
        "sex": rng.choice(["female", "male"], n),
        "age": rng.integers(18, 91, n),
        "income": np.where(rng.random(n) < 0.1, np.nan, np.exp(rng.normal(10, 0.6, n))),
        "region": rng.choice(["east", "north", "south"], n),
    })  # fmt: skip
    return X, 0.03 * (X["age"].to_numpy() - 55) - 0.3


def table_of(n, rng, shift=lambda X: 0.0):
    X, odds = people(n, rng)
    q = expit(odds + shift(X))
    return (rng.random(n) < q).astype(int), expit(odds), X, q


def older_women(X):
    return ((X["sex"] == "female") & (X["age"] > 65)).to_numpy()


def inside_of(search, X):
    """Rows of all segments of `search.table`, (n, segments)."""
    return search.family.members(search.table.index, X)


def test_a_pocket_is_named_once_in_its_own_words():
    y, p, X, q = table_of(6000, np.random.default_rng(1), lambda X: 1.2 * older_women(X))
    search = search_segments(y, p, X, rng=0)
    assert len(search.selected) == 1 and search.p_value == pytest.approx(1 / 301)
    row = search.selected.iloc[0]
    assert row["rule"].startswith("age > 6") and row["rule"].endswith("and sex is female") and row["columns"] == 2
    inside = search.apply(X)[:, 0]
    assert (inside & older_women(X)).sum() / (inside | older_women(X)).sum() > 0.8
    wanted = [inside.sum(), p[inside].mean(), y[inside].mean()]
    np.testing.assert_allclose(row[["n", "stated", "observed"]].tolist(), wanted)
    assert row["low"] < q[inside].mean() - row["calibrated"] < row["high"]
    assert len(search.significant) > 20  # many overlap with it, and none of them is named


@pytest.mark.parametrize(
    ("shift", "rules"),
    [
        (lambda X: 0.8 * (X["region"] == "north").to_numpy(), {"region is north"}),
        (lambda X: 1.5 * X["income"].isna().to_numpy(), {"income is missing"}),
        (lambda X: 1.5 * (older_women(X) - 1.0 * (X["region"] == "south")), {"sex is female", "region is south"}),
    ],
)
def test_one_condition_is_named_where_one_is_enough_and_two_groups_are_both_named(shift, rules):
    y, p, X, _ = table_of(4000, np.random.default_rng(3), shift)
    found = " | ".join(search_segments(y, p, X, rng=0).selected["rule"])
    assert all(rule in found for rule in rules) and (len(rules) == 2 or found in rules)


def in_places(n, rng):
    """Without their groups, such rows raise an alarm in most tables."""
    y, p, X, _ = table_of(n, rng)
    place = np.arange(n) // 6
    X["region"] = X["region"].to_numpy()[place * 6]
    X["place type"] = rng.integers(0, 12, n)[place].astype(str)
    luck = np.sqrt(0.9) * rng.normal(size=n)[place] + np.sqrt(0.1) * rng.normal(size=n)
    return (norm.cdf(luck) < p).astype(int), p, X, {"groups": place}


def rare(n, rng):
    X, odds = people(n, rng)
    p = expit(odds - 2.5)
    return np.r_[0, 1, rng.random(n - 2) < p[2:]].astype(int), p, X, {}


def off_and_weighted(n, rng):
    y, p, X, _ = table_of(n, rng)
    return y, expit(2 * logit(p) - 1), X, {"sample_weight": np.exp(rng.normal(0, 0.7, n))}


@pytest.mark.slow
@pytest.mark.parametrize("source", [in_places, rare, off_and_weighted])
def test_it_stays_silent_where_there_is_nothing(source):
    alarms = 0
    for seed in range(10):
        y, p, X, dependent = source(600, np.random.default_rng([seed, 5]))
        search = search_segments(y, p, X, n_draws=59, rng=seed, **dependent)
        alarms += search.p_value < 0.05
        assert (search.p_value < 0.05) or search.selected.empty
    assert alarms <= 2  # 0.5 is expected, 3 or more in 1.2 % of such studies


@pytest.mark.parametrize(("n_draws", "above"), [(39, 0), (59, 1), (99, 3), (300, 14)])
def test_the_limit_is_the_draw_above_which_a_p_value_is_below_5_percent(monkeypatch, n_draws, above):
    y, p, X, _ = table_of(300, np.random.default_rng(1))
    largest = np.random.default_rng(0).permutation(n_draws) / 10
    monkeypatch.setattr(module, "largest_gaps", lambda drawn, strength, bonus: (largest, np.full(strength.size, 0.05)))
    search = search_segments(y, p, X[["sex"]], n_draws=n_draws, rng=0)
    assert search.critical == np.sort(largest)[-1 - above] + ROUNDING and search.significant.empty
    assert (above + 1) / (n_draws + 1) < 0.05 <= (above + 2) / (n_draws + 1)
    assert search.p_value == (1 + (largest >= search.table["z"].abs().max()).sum()) / (n_draws + 1)


def test_adjusted_p_values_rise_down_the_table_and_agree_with_the_intervals():
    y, p, X, _ = table_of(3000, np.random.default_rng(10), lambda X: 0.9 * older_women(X))
    search = search_segments(y, p, X, rng=0)
    table = search.table
    bonus = bonus_of_singles(table["columns"].to_numpy() == 2)
    strength = table["z"].abs() + bonus
    assert (np.diff(strength) <= 1e-9).all() and (np.diff(table["adjusted"]) >= 0).all()
    assert table["adjusted"].iloc[0] == search.p_value and table["adjusted"].iloc[-1] > 0.5
    clear = (strength - search.critical).abs() > 1e-6
    leaves_out_zero = (table["low"] > 0) | (table["high"] < 0)
    assert (leaves_out_zero == (strength > search.critical))[clear].all()
    assert (table["low"] <= table["gap"] + 1e-9).all() and (table["gap"] <= table["high"] + 1e-9).all()
    assert search.selected.index.isin(search.significant.index).all() and len(search.selected) < 5


@pytest.mark.parametrize("happened", [0, 1])
def test_where_it_always_or_never_happened_the_interval_ends_at_the_gap(happened):
    y, p, X, _ = table_of(3000, np.random.default_rng(14))
    few = ((X["age"] > 84) & (X["sex"] == "male")).to_numpy()
    assert 20 < few.sum() < 200
    table = search_segments(np.where(few, happened, y), p, X, rng=0).table
    assert (table["low"] <= table["gap"]).all() and (table["gap"] <= table["high"]).all()
    same = table[(table["observed"] == happened) & (table["n"] < 500)]
    assert len(same) >= 1 and (same["high" if happened else "low"] == same["gap"]).all()
    plot_groups(table.head(8))


@pytest.mark.slow
def test_intervals_hold_together():
    missed = 0
    for seed in range(12):
        y, p, X, q = table_of(800, np.random.default_rng([seed, 11]), lambda X: 0.8 * older_women(X))
        X = X[["age", "sex"]]
        search = search_segments(y, p, X, n_draws=79, rng=seed)
        fitted = PlattCalibrator().fit(
            np.tile(p, 2), np.repeat([1, 0], 800), np.r_[q, 1 - q]
        )  # what is needed in truth
        inside = inside_of(search, X)
        truth = (q - fitted.predict(p)) @ inside / inside.sum(axis=0)
        missed += ((truth < search.table["low"]) | (truth > search.table["high"])).any()
    assert missed <= 3  # 0.6 expected


def test_order_of_rows_and_columns_does_not_matter():
    rng = np.random.default_rng(12)
    y, p, X, _ = table_of(900, rng, lambda X: 0.9 * older_women(X))
    weight = rng.random(900)
    place = rng.integers(0, 200, 900)
    mixed = rng.permutation(900)
    for rows in ({}, {"sample_weight": weight}, {"groups": place}):
        one = search_segments(y, p, X, n_draws=59, rng=3, **rows)
        turned = X.iloc[mixed][["region", "age", "sex", "income"]].reset_index(drop=True)
        other = {name: values[mixed] for name, values in rows.items()}
        two = search_segments(y[mixed], p[mixed], turned, n_draws=59, rng=3, **other)
        pd.testing.assert_frame_equal(one.table, two.table)
        pd.testing.assert_frame_equal(one.selected, two.selected)


def test_weights_are_relative_and_zero_is_not_there():
    rng = np.random.default_rng(13)
    y, p, X, _ = table_of(300, rng)
    weight = rng.random(300) * (rng.random(300) < 0.8)
    kept = weight > 0
    options = {"n_draws": 19, "max_features": 1, "min_rows": 5, "rng": 0}
    one = search_segments(y, p, X, sample_weight=weight, **options)
    two = search_segments(y[kept], p[kept], X[kept], sample_weight=7 * weight[kept], **options)
    pd.testing.assert_frame_equal(one.table, two.table)
    assert one.smallest == one.table["n"].min() / kept.sum()


def test_scores_that_are_off_for_everybody_are_nobodys_fault():
    y, p, X, _ = table_of(2000, np.random.default_rng(16))
    off = expit(2 * logit(p) + 1)
    assert search_segments(y, off, X, rng=0).p_value > 0.05
    assert search_segments(y, off, X, rng=0, calibrator="none").p_value < 0.01
    bent = np.where(p < np.median(p), p / 3, (1 + 2 * p) / 3)
    assert search_segments(y, bent, X, rng=0, calibrator="isotonic").p_value > 0.05


def test_columns_that_cannot_be_searched_are_said():
    rng = np.random.default_rng(21)
    y, p, X, _ = table_of(2000, rng)
    X["same"] = 3.0
    X["city"] = np.char.add("c", rng.integers(0, 1000, 2000).astype(str))
    X["result"] = np.where(y == 1, "yes", "no")
    with pytest.warns(TableWarning, match="'result' tells the outcome"):
        search = search_segments(y, p, X, n_draws=39, rng=0)
    notes = "\n".join(search.notes)
    assert "same is constant" in notes and "city has no segment of 20 rows" in notes
    assert "result gives the outcome away" in str(search)
    assert not search.table["rule"].str.contains("result|same|city").any()


def test_what_could_not_be_found_is_said():
    y, p, X, _ = table_of(2000, np.random.default_rng(23))
    search = search_segments(y, p, X, n_draws=99, rng=0)
    gap = search.detectable(0.1)
    wanted = (search.critical + 0.84) * np.sqrt(y.mean() * (1 - y.mean()) / (0.9 * 200))
    assert gap == pytest.approx(wanted, rel=0.15) and search.smallest == pytest.approx(0.01)
    assert f"{100 * gap:.1f} points in 10.0 % of the rows" in str(search) and "0 selected" in str(search)
    for bad in (0, 1, np.nan):
        with pytest.raises(ValueError, match="share must"):
            search.detectable(bad)


GOOD = {"y": [0, 1] * 50, "p": [0.4, 0.6] * 50, "X": pd.DataFrame({"a": np.arange(100)})}


test_bad_input = refuses(
    ({"y": [0] * 100}, "y must"),
    ({"X": pd.DataFrame({"a": [1.0] * 100})}, "X must"),
    ({"X": pd.DataFrame({"a": [0, 1] * 50})}, "a gives the outcome away"),
    ({"calibrator": "plat"}, "did you mean 'platt'"),
    ({"max_features": 3}, "max_features must"),
    ({"min_rows": 4}, "min_rows must"),
    ({"min_rows": 60}, "a has no segment of 60 rows"),
    ({"n_draws": 18}, "n_draws must"),
    ({"sample_weight": [1.0, 0.0] * 50}, "sample_weight must"),
    of=lambda **change: search_segments(**GOOD | change),
)


def test_what_is_said_of_columns_in_memory():
    """As from a file: text that is nearly numbers, amounts, codes far from all other numbers."""
    y, p, X, _ = table_of(600, np.random.default_rng(0))
    X["pay"] = np.where(np.arange(600) % 20, [f"{k % 7}.5" for k in range(600)], ".")
    X["rent"] = ["1.299,99 €", "5,00 €"] * 300
    X["cars"] = np.where(np.arange(600) % 50, np.arange(600) % 4, -999)
    notes = search_segments(y, p, X, n_draws=19, rng=0).notes
    assert len(notes) == 3
    for words in (
        ("'pay'", "570 of its 600", "'.' (rows: 30)"),
        ("'rent'", "as 1299.99"),
        ("'cars'", "-999 in 12 rows"),
    ):
        assert any(all(word in note for word in words) for note in notes), notes


def alike(n=900, seed=0):
    """Rows of which many are the same, of people with three each."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 3, n), "b": rng.choice(["u", "v"], n)})
    p = rng.choice([0.2, 0.4, 0.6], n)
    return (rng.random(n) < p + 0.2 * (X["b"] == "u")).to_numpy(int), p, X, np.arange(n) // 3


TEXTS = np.char.add("t", np.arange(900).astype(str))


@pytest.mark.parametrize("column", [np.nan, 3.0, None, (np.arange(900) < 3) * 1.0, TEXTS])
@pytest.mark.parametrize("dependent", [False, True])
def test_a_column_without_segments_changes_nothing(column, dependent):
    y, p, X, person = alike()
    options = {"groups": person if dependent else None, "n_draws": 39, "rng": 0}
    one = search_segments(y, p, X, **options)
    two = search_segments(y, p, X.assign(A=column), **options)
    pd.testing.assert_frame_equal(one.table, two.table)
    pd.testing.assert_frame_equal(one.selected, two.selected)


@pytest.mark.parametrize("dependent", [False, True])
def test_rows_that_are_the_same_may_come_in_any_order(dependent):
    y, p, X, person = alike()
    mixed = np.random.default_rng(1).permutation(900)
    groups = person if dependent else np.arange(900)
    options = {"n_draws": 39, "rng": 0}
    one = search_segments(y, p, X, groups=groups, **options)
    two = search_segments(y[mixed], p[mixed], X.iloc[mixed].reset_index(drop=True), groups=groups[mixed], **options)
    pd.testing.assert_frame_equal(one.table, two.table)


def test_the_seed_moves_nothing_but_p_values_and_the_critical_value():
    y, p, X, person = alike()
    one, two = (search_segments(y, p, X, groups=person, n_draws=39, rng=seed) for seed in (0, 1))
    same = ["rule", "n", "share", "stated", "calibrated", "observed", "gap", "z"]
    pd.testing.assert_frame_equal(one.table[same], two.table[same])
    assert one.selected["rule"].tolist() == two.selected["rule"].tolist() and one.critical != two.critical


def test_a_p_value_near_5_percent_is_said_to_be_near():
    y, p, X, _ = alike()
    search = replace(search_segments(y, p, X, n_draws=39, rng=0), n_draws=999, p_value=0.04)
    assert search.is_close(np.array([0.02, 0.04, 0.06, 0.09])).tolist() == [False, True, True, False]
    assert replace(search, n_draws=99).is_close(0.09) and not replace(search, n_draws=9_999).is_close(0.06)
    assert search.p_value_se == pytest.approx(np.sqrt(0.04 * 0.96 / 999))


@pytest.mark.parametrize(("calibrator", "score"), [("platt", 1.0), ("none", 0.0)])
def test_scores_that_leave_a_segment_no_variance_raise_no_warning(calibrator, score):
    y, p, X, person = alike()
    p = np.where(X["b"] == "u", score, p)
    y = np.where((X["b"] == "u") & (X["a"] == 0), score, y).astype(int)
    for groups in (None, person):
        table = search_segments(y, p, X, calibrator=calibrator, groups=groups, n_draws=39, rng=0).table
        assert np.isfinite(table[["low", "high"]]).all(axis=None)
