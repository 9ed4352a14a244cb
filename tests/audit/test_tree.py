"""Misjudged groups: hand-made cases, known truth in standard errors, false alarms, invariances, bad input."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.audit import GroupAudit, tree_groups
from helpers.audit.tree import _default_min_rows


def older_people(n, rng, *, effect=0.3):
    """People over 50 have a higher risk than stated, others a lower one."""
    X = pd.DataFrame({"age": rng.integers(20, 80, n), "job": rng.choice(["cook", "smith", "clerk"], n)})
    p = rng.uniform(0.35, 0.65, n)
    q = p + np.where(X["age"] > 50, effect, -effect)
    return X, p, q, (rng.random(n) < q).astype(int)


COLUMNS = ["rule", "n", "share", "stated", "observed", "gap", "low", "high", "p_value", "adjusted"]


def test_finds_the_groups_and_their_gaps():
    rng = np.random.default_rng(1)
    X, p, q, y = older_people(8000, rng)
    audit = tree_groups(y, p, X, max_depth=1, rng=0)
    table = audit.table
    assert list(table) == COLUMNS and table["rule"].tolist() == ["age <= 50", "age > 50"]
    se = (table["high"] - table["low"]) / 4
    assert (np.abs(table["gap"] - [-0.3, 0.3]) < 3 * se).all() and len(audit.significant) == 2
    assert str(audit) == "2 groups, 2 of them significant"
    np.testing.assert_array_equal(audit.apply(X), (X["age"] > 50).astype(int))


@pytest.mark.nightly
def test_intervals_cover_true_gaps():
    covered = []
    for seed in range(25):
        X, p, q, y = older_people(1500, np.random.default_rng(seed), effect=0.2)
        audit = tree_groups(y, p, X, rng=seed)
        truth = pd.Series(q - p).groupby(audit.apply(X)).mean()
        covered += truth.between(audit.table["low"], audit.table["high"]).tolist()
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(covered))


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


def test_by_default_three_questions_define_a_group_and_five_percent_are_significant():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.integers(0, 2, (4000, 4))).add_prefix("x")
    audit = tree_groups(rng.random(4000) < X.mean(axis=1), np.full(4000, 0.5), X, rng=0)
    assert len(audit.table) == 8 and audit.table["rule"].str.count(" and ").eq(2).all()
    table = pd.DataFrame({"adjusted": [0.01, 0.04, 0.05], "residual_adjusted": [0.05, 0.2, 0.04]})
    for against, rows in (("stated", [0, 1]), ("calibrated", [2])):
        assert GroupAudit(table, None, None, against).significant.index.tolist() == rows
    tree = SimpleNamespace(n_regions_=3, apply=lambda X: np.array([0, 1, 2]))
    assert GroupAudit(table, np.array([2, 0]), tree).apply(X).tolist() == [1, -1, 0]  # no row has measured the second


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["weights", "people", "rare"])
def test_family_of_false_alarms_is_at_most_five_percent(kind):
    draws = 60
    alarms = 0
    for seed in range(draws):
        y, p, X, extra = null_draw(kind, seed)
        alarms += len(tree_groups(y, p, X, rng=seed, **extra).significant) > 0
    assert alarms <= draws * 0.05 + 2.5 * np.sqrt(draws * 0.05 * 0.95)


def test_groups_sought_against_calibrated_scores():
    """Scores too loud for everybody, and a group that is off beyond that: only this group is named."""
    rng = np.random.default_rng(8)
    n = 8000
    X = pd.DataFrame({"seen": rng.normal(size=n), "town": rng.random(n) < 0.3})
    c = 0.25 + 0.5 * expit(X["seen"].to_numpy())
    q = c + np.where(X["town"], -0.15, 0.15 * 0.3 / 0.7)
    y = (rng.random(n) < q).astype(int)
    loud = expit(3 * logit(c))
    after = tree_groups(y, loud, X, calibrated=c, against="calibrated", max_depth=1, rng=0)
    assert after.table["rule"].tolist() == ["town is True", "town is False"]
    assert after.table["residual_gap"].is_monotonic_increasing and len(after.significant) == 2
    assert after.table["residual_gap"].between(after.table["residual_low"], after.table["residual_high"]).all()
    stated = tree_groups(y, loud, X, calibrated=c, max_depth=1, rng=0)
    assert stated.table["rule"].str.startswith("seen").all()


def test_groups_are_never_split_and_rare_labels_make_groups_larger():
    y, p, X, extra = null_draw("people", 0)
    table = tree_groups(y, p, X, rng=0, **extra).table
    assert (table["n"] % 4 == 0).all()
    y, p, X, _ = null_draw("rare", 0)
    assert tree_groups(y, p, X, rng=0).table["n"].min() > 100
    assert table["adjusted"].ge(table["p_value"]).all() and table["gap"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("n", "ones", "fewest"), [(400, 200, 50), (10_000, 5000, 200), (10_000, 300, 334), (1000, 995, 250), (100, 5, 50)]
)
def test_groups_hold_a_fiftieth_of_the_rows_and_ten_cases_where_they_can(n, ones, fewest):
    assert _default_min_rows(np.arange(n) < ones) == fewest


GOOD = {"y": [0, 1] * 100, "p": [0.5] * 200, "X": np.arange(400.0).reshape(200, 2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [1] * 200}, "y must"),
        ({"calibrated": [1.5] * 200}, "calibrated must"),
        ({"calibrated": [0.5] * 3}, "y and calibrated must"),
        ({"min_rows": 9}, "min_rows must"),
        ({"min_rows": 51}, "y must"),
        ({"max_depth": 0}, "max_depth must"),
        ({"against": "stating"}, "against must"),
        ({"against": "calibrated"}, "calibrated must"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        tree_groups(**(GOOD | change))
    assert tree_groups(**GOOD, min_rows=50, rng=0).table["n"].sum() == 100  # the most, of one half


def test_a_row_of_weight_0_is_none():
    X, p, _, y = older_people(1600, np.random.default_rng(0))
    weight = 1.0 * (np.arange(1600) < 1200)
    some = tree_groups(y[:1200], p[:1200], X[:1200], sample_weight=weight[:1200], calibrated=p[:1200], rng=0)
    every = tree_groups(y, p, X, sample_weight=weight, calibrated=p, rng=0)
    pd.testing.assert_frame_equal(every.table, some.table)
