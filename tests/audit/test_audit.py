"""Misjudged groups: hand-made cases, known truth in standard errors, false alarms, invariances, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student

from helpers.audit import holm, measure_groups, tree_groups

COLUMNS = ["rule", "n", "share", "stated", "observed", "gap", "low", "high", "p_value", "adjusted"]


def population(n, rng, *, effect=0.3):
    """People over 50 have a higher risk than stated, others a lower one."""
    X = pd.DataFrame({"age": rng.integers(20, 80, n), "job": rng.choice(["cook", "smith", "clerk"], n)})
    p = rng.uniform(0.35, 0.65, n)
    q = p + np.where(X["age"] > 50, effect, -effect)
    return X, p, q, (rng.random(n) < q).astype(int)


# ---- hand-made ------------------------------------------------------------------------------------------------


def test_what_recalibration_leaves_of_dependent_rows_is_as_unsure_as_their_gap():
    """With calibrated scores that are the stated ones, both are one gap."""
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(100), 4)
    p = rng.random(400)
    y = np.repeat(rng.random(100) < 0.5, 4)
    table = measure_groups(y, p, np.arange(400) // 200, calibrated=p, groups=people)
    alone = measure_groups(y, p, np.arange(400) // 200, calibrated=p)
    for name in ("low", "high", "p_value"):
        np.testing.assert_array_equal(table[f"residual_{name}"], table[name])
    assert (table["high"] - table["low"] > 1.5 * (alone["high"] - alone["low"])).all()


def test_people_who_come_twice_are_as_sure_as_once():
    y = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 0])
    p = np.linspace(0.2, 0.7, 10)
    group = np.arange(10) // 5
    once = measure_groups(y, p, group, groups=np.arange(10))
    twice = measure_groups(*(np.repeat(column, 2) for column in (y, p, group)), groups=np.arange(20) // 2)
    np.testing.assert_allclose(twice[["low", "high", "p_value"]], once[["low", "high", "p_value"]])
    pd.testing.assert_frame_equal(measure_groups(y, p, group), once)


def test_four_rows_by_hand():
    table = measure_groups([1, 1, 0, 1], [0.5, 0.5, 0.8, 0.8], [0, 0, 1, 1])
    assert table["n"].tolist() == [2, 2] and table["share"].tolist() == [0.5, 0.5]
    np.testing.assert_allclose(table["stated"], [0.5, 0.8])
    np.testing.assert_allclose(table["observed"], [1.0, 0.5])
    np.testing.assert_allclose(table["gap"], [0.5, -0.3])
    # second group: residuals -0.8 and 0.2, so their spread gives sqrt(0.5 * 2) / 2, more than sqrt(2 * 0.16) / 2
    assert table["p_value"][1] == pytest.approx(2 * student.sf(0.3 / 0.5, 1))
    assert table["low"][1] == -1 and table["high"][1] == 1  # 12.7 times 0.5 on both sides would be no gap


def test_weights_shift_rates_and_shares():
    table = measure_groups([1, 0, 1, 0], [0.5] * 4, [0, 0, 1, 1], sample_weight=[3, 1, 1, 1])
    np.testing.assert_allclose(table["observed"], [0.75, 0.5])
    np.testing.assert_allclose(table["share"], [4 / 6, 2 / 6])


def test_one_event_where_five_were_promised_is_not_certain():
    y = np.zeros(100)
    y[0] = 1
    table = measure_groups(y, np.full(100, 0.05), np.zeros(100, int))
    assert 0.05 < table["p_value"][0] < 0.12  # the exact binomial tail is 0.037 on one side
    assert table["high"][0] > 0


@pytest.mark.parametrize("rate", [0, 1])
def test_one_sided_groups_keep_an_interval(rate):
    y = np.full(40, float(rate))
    table = measure_groups(np.r_[y, 1 - y], np.full(80, float(rate)), np.repeat([0, 1], 40))
    assert table["low"][0] < 0 < table["high"][0]
    assert table["p_value"][0] == 1


def test_calibrated_scores_add_what_recalibration_leaves():
    table = measure_groups([1, 1, 0, 0], [0.2] * 4, [0] * 4, calibrated=[0.5] * 4)
    np.testing.assert_allclose(table[["gap", "calibrated", "residual_gap"]].iloc[0], [0.3, 0.5, 0.0])
    assert table["residual_p_value"][0] == 1
    assert "residual_gap" not in measure_groups([1, 0], [0.2, 0.2], [0, 0])


def test_empty_subgroups_have_no_share():
    table = measure_groups([1, 0], [0.5, 0.5], [0, 2], size=4)
    assert table["n"].tolist() == [1, 0, 1, 0] and table["gap"].isna().tolist() == [False, True, False, True]


def test_holm_agrees_with_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(0).random(12) ** 3
    np.testing.assert_allclose(holm(p_values), multipletests(p_values, method="holm")[1])


# ---- known truth ----------------------------------------------------------------------------------------------


def test_finds_the_groups_and_their_gaps():
    rng = np.random.default_rng(1)
    X, p, q, y = population(8000, rng)
    audit = tree_groups(y, p, X, max_depth=1, rng=0)
    table = audit.table
    assert list(table) == COLUMNS and table["rule"].tolist() == ["age <= 50", "age > 50"]
    se = (table["high"] - table["low"]) / 4
    assert (np.abs(table["gap"] - [-0.3, 0.3]) < 3 * se).all() and len(audit.significant) == 2
    assert audit.features == ["age"] and str(audit) == "2 groups, 2 of them significant"
    np.testing.assert_array_equal(audit.apply(X), (X["age"] > 50).astype(int))


@pytest.mark.slow
def test_intervals_cover_true_gaps():
    covered = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, p, q, y = population(1500, rng, effect=0.2)
        audit = tree_groups(y, p, X, rng=seed)
        truth = pd.Series(q - p).groupby(audit.apply(X)).mean()
        covered += ((audit.table["low"] <= truth) & (truth <= audit.table["high"])).tolist()
    share = np.mean(covered)
    assert share > 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(covered))


def null_draw(kind, seed):
    """A perfect model: labels, scores, features and what else the kind brings."""
    rng = np.random.default_rng(seed)
    n = 1200
    X = rng.normal(size=(n, 3))
    extra = {}
    if kind == "people":  # four rows a person, with the same score and a shared fate
        person = np.arange(n) // 4
        X = X[person]
        p = expit(X[:, 0])
        fate = rng.beta(2 * p[::4], 2 * (1 - p[::4]))[person]
        return (rng.random(n) < fate).astype(int), p, X, {"groups": person}
    if kind == "weights":
        extra["sample_weight"] = rng.lognormal(0, 1, n)
    p = expit(X[:, 0] - (3.5 if kind == "rare" else 0))
    return (rng.random(n) < p).astype(int), p, X, extra


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["weights", "people", "rare"])
def test_family_of_false_alarms_is_at_most_five_percent(kind):
    draws = 60
    alarms = 0
    for seed in range(draws):
        y, p, X, extra = null_draw(kind, seed)
        alarms += len(tree_groups(y, p, X, rng=seed, **extra).significant) > 0
    assert alarms <= draws * 0.05 + 2.5 * np.sqrt(draws * 0.05 * 0.95)


def test_forgetting_people_raises_alarms():
    draws = 40
    with_people = without = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        person = np.arange(1200) // 30
        X = rng.normal(size=(40, 2))[person]
        p = np.full(1200, 0.5)
        y = (rng.random(1200) < rng.beta(1, 1, 40)[person]).astype(int)
        with_people += len(tree_groups(y, p, X, groups=person, rng=seed).significant) > 0
        without += len(tree_groups(y, p, X, rng=seed).significant) > 0
    assert with_people <= 6 and without > 30


def test_pure_miscalibration_is_mended_by_recalibration():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(6000, 3))
    q = expit(X[:, 0])
    y = (rng.random(6000) < q).astype(int)
    audit = tree_groups(y, expit(X[:, 0] + 0.8), X, calibrated=q, rng=0)
    assert len(audit.significant) >= 2 and len(audit.significant_residual) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["loud noise", "flattened"])
def test_what_recalibration_leaves_has_its_own_standard_error(kind):
    """Stated scores scatter in a group whose recalibrated scores do not; y - p has the wrong spread for y - c."""
    draws = 400
    alarms = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        p = expit(3 * rng.normal(size=400))
        c = np.full(400, 0.5)
        y = rng.random(400) < (c if kind == "loud noise" else p)  # the mean of p is 0.5 as well
        alarms += measure_groups(y, p, np.zeros(400, int), calibrated=c)["residual_p_value"][0] < 0.05
    se = np.sqrt(draws * 0.05 * 0.95)
    assert draws * 0.05 - 3 * se < alarms < draws * 0.05 + 3 * se


def test_groups_sought_against_calibrated_scores():
    """Scores too loud for everybody, and a group that is off beyond that: only this group is named."""
    rng = np.random.default_rng(8)
    n = 8000
    X = pd.DataFrame({"seen": rng.normal(size=n), "town": rng.random(n) < 0.3})
    c = 0.25 + 0.5 * expit(X["seen"].to_numpy())
    q = c + np.where(X["town"], -0.15, 0.15 * 0.3 / 0.7)
    y = (rng.random(n) < q).astype(int)
    loud = expit(3 * logit(c))
    after = tree_groups(y, loud, X, calibrated=c, against="calibrated", merge=1e-6, rng=0)
    assert after.features == ["town"] and after.table["rule"].tolist() == ["town is True", "town is False"]
    assert after.table["residual_gap"].is_monotonic_increasing and len(after.significant) == 2
    inside = (after.table["residual_low"] < after.table["residual_gap"]) & (
        after.table["residual_gap"] < after.table["residual_high"]
    )
    assert inside.all()
    stated = tree_groups(y, loud, X, calibrated=c, merge=0.2, rng=0)
    assert stated.features[0] == "seen"


# ---- invariances ----------------------------------------------------------------------------------------------


def test_groups_are_never_split_and_rare_labels_make_groups_larger():
    y, p, X, extra = null_draw("people", 0)
    table = tree_groups(y, p, X, rng=0, **extra).table
    assert (table["n"] % 4 == 0).all()
    y, p, X, _ = null_draw("rare", 0)
    assert tree_groups(y, p, X, rng=0).table["n"].min() > 100
    assert table["adjusted"].ge(table["p_value"]).all() and table["gap"].is_monotonic_increasing


# ---- bad input ------------------------------------------------------------------------------------------------

GOOD = {"y": [0, 1] * 100, "p": [0.5] * 200, "X": np.arange(400.0).reshape(200, 2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [1] * 200}, "y must"),
        ({"calibrated": [1.5] * 200}, "calibrated must"),
        ({"calibrated": [0.5] * 3}, "y and calibrated must"),
        ({"min_rows": 5}, "min_rows must"),
        ({"min_rows": 60}, "y must"),
        ({"max_depth": 0}, "max_depth must"),
        ({"merge": 0}, "merge must"),
        ({"against": "stating"}, "against must"),
        ({"against": "calibrated"}, "calibrated must"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        tree_groups(**(GOOD | change))
