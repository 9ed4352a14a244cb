"""Rows that an audit needs: beside what a search can find in a table that is there, and beside simulated audits."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm
from scripts import load_program

from helpers.audit import plan_audit, search_segments
from helpers.audit.plan import critical_value
from helpers.audit.power import Chances

POPULATIONS = load_program(Path(__file__).resolve().parents[2] / "bench" / "populations.py")
LEVELS = np.array(list("abcde"))


@pytest.mark.parametrize("gap", [0.08, -0.08])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_a_table_of_so_many_rows_can_find_the_gap_and_one_of_fewer_cannot(rate, gap):
    plan = plan_audit(rate, 0.15, gap, brier=0.8 * rate * (1 - rate))
    rows = plan.table["rows"].item()
    mean = rate if gap > 0 else 1 - rate
    for more, found in ((1, True), (-1, False)):
        chances = Chances(mean, 0.8 * rate * (1 - rate), rows + more, skewed=True, planned=True)
        assert (chances.detectable(0.15, plan.critical) <= 0.08) == found


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_of_tables_drawn_by_hand_the_gap_is_found_in_the_share_that_was_promised(power):
    """Plain: scores that are all 0.5, half of the rows in the group, no search; the gap of two rates."""
    plan = plan_audit(0.5, 0.5, 0.1, power=power)
    inside = plan.table["in_group"].item()
    rng = np.random.default_rng(0)
    draws = 20_000
    ones = rng.binomial(inside, [[0.6], [0.5]], (2, draws))
    pooled = ones.sum(axis=0) / (2 * inside)
    z = (ones[0] - ones[1]) / np.sqrt(2 * inside * pooled * (1 - pooled))
    assert np.mean(z > plan.critical) == pytest.approx(power, abs=0.005 + 3 * np.sqrt(power * (1 - power) / draws))


@pytest.mark.parametrize(("share", "gap"), [(0.05, 0.2), (0.2, -0.12)])
def test_the_chance_is_right_where_scores_tell_cases_apart_and_the_share_is_drawn(share, gap):
    """Plain: half of the cases at 0.2, half at 0.8; the log-odds of the group move; no search."""
    plan = plan_audit(0.5, share, gap, brier=0.16)
    rows = plan.table["rows"].item()
    stated = np.array([0.2, 0.8])
    move = brentq(lambda move: (expit(logit(stated) + move) - stated).mean() - gap, -20, 20)
    rng = np.random.default_rng(1)
    draws = 40_000
    # rows inside at 0.2 and 0.8, outside at 0.2 and 0.8
    n = rng.multinomial(rows, np.repeat([share / 2, (1 - share) / 2], 2), draws).reshape(draws, 2, 2)
    ones = rng.binomial(n, np.stack([expit(logit(stated) + move), stated]))
    fitted = ones.sum(axis=1) / n.sum(axis=1)  # of each score
    residual = ones[:, 0].sum(axis=1) - (n[:, 0] * fitted).sum(axis=1)
    variance = (n[:, 0] * n[:, 1] / n.sum(axis=1) * fitted * (1 - fitted)).sum(axis=1)
    found = np.mean(np.sign(gap) * residual / np.sqrt(variance) > plan.critical)
    assert found == pytest.approx(0.8, abs=0.015)


def test_rows_grow_with_power_columns_and_dependence_and_shrink_with_what_the_scores_know():
    def rows(**options):
        return plan_audit(0.3, 0.1, 0.1, **options).table["rows"].item()

    usual = rows()
    assert rows(power=0.9) > usual and rows(n_numbers=10) > usual and rows(brier=0.15) < usual
    assert rows(group_size=5, icc=0.1) / rows(group_size=5) == pytest.approx(1.4, rel=1e-3)


def test_cases_stand_beside_each_other_as_arrays_are_broadcast():
    table = plan_audit(0.3, [[0.05], [0.2]], [0.1, -0.1, 0.2]).table
    assert table[["share", "gap"]].to_numpy().tolist() == [[s, g] for s in (0.05, 0.2) for g in (0.1, -0.1, 0.2)]
    one = plan_audit(0.3, 0.2, -0.1).table
    assert table.iloc[[4]].reset_index(drop=True).equals(one)


def test_a_group_of_fewer_rows_than_are_looked_at_is_not_promised():
    assert plan_audit(0.5, 0.02, 0.45, power=0.05).table["in_group"].item() == 20


@pytest.mark.slow
@pytest.mark.parametrize(("numbers", "categories"), [(0, 5), (2, 2), (5, 3)])
def test_the_critical_value_is_that_of_searches_in_noise(numbers, categories):
    rng = np.random.default_rng(2)
    X = {f"x{j}": rng.normal(size=3000) for j in range(numbers)}
    X |= {f"c{j}": rng.choice(LEVELS, 3000) for j in range(categories)}
    p = expit(rng.normal(size=3000))
    search = search_segments((rng.random(3000) < p).astype(int), p, pd.DataFrame(X), n_draws=299, rng=0)
    se = 0.075  # of a critical value between 299 draws
    assert search.critical == pytest.approx(critical_value(numbers, categories), abs=0.05 + 2.5 * se)


def table_with_group(name, n, share, gap, size, icc, rng):
    """Rows of a population, and a group that two categories tell, whose labels are off; rows of a person alike."""
    persons = n // size
    X, c, _ = POPULATIONS.ALL[name](persons * size, rng)
    person = np.repeat(np.arange(persons), size)
    inside = np.ones(persons * size, bool)
    columns = {"number_0": X[:, 0], "number_1": X[:, 1]}
    for column in "uv":
        is_a = rng.random(persons) < np.sqrt(share)
        columns[column] = np.where(is_a, "a", rng.choice(LEVELS[1:], persons))[person]
        inside &= columns[column] == "a"
    move = brentq(lambda move: (expit(logit(c[inside]) + move) - c[inside]).mean() - gap, -20, 20)
    q = np.where(inside, expit(logit(c) + move), c)
    u = np.sqrt(icc) * rng.normal(size=persons)[person] + np.sqrt(1 - icc) * rng.normal(size=c.size)
    return (norm.cdf(u) < q).astype(int), c, pd.DataFrame(columns), person if size > 1 else None


def terms_of(name, share, gap, size, icc):
    """Rate, Brier score of the scores, and correlation of the residuals of one person, from many rows."""
    y, c, X, person = table_with_group(name, 400_000, share, gap, size, icc, np.random.default_rng(7))
    terms = {"rate": float(c.mean()), "brier": float((c * (1 - c)).mean())}
    if person is None:
        return terms
    residual = y - c - gap * ((X["u"] == "a") & (X["v"] == "a"))
    pairs = (np.bincount(person, residual) ** 2).sum() - residual @ residual
    return terms | {"group_size": size, "icc": float(pairs / ((size - 1) * residual @ residual))}


SETTINGS = {
    "smooth": ("smooth", 0.05, 0.2, 1, 0.0),
    "rare": ("rare", 0.1, 0.06, 1, 0.0),
    "levels and steps, too high": ("heldA", 0.2, -0.12, 1, 0.0),
    "stripes": ("heldC", 0.3, 0.1, 1, 0.0),
    "smooth, rows of persons": ("smooth", 0.1, 0.15, 5, 0.4),
}
TRIALS = 800
MOST = {"rare": 0.87}  # there the plan is cautious, as its page says


def realised(name, share, gap, size, icc, trials=TRIALS):
    """Share of simulated audits that find the group, of tables of the planned rows."""
    plan = plan_audit(share=share, gap=gap, n_numbers=2, n_categories=2, **terms_of(name, share, gap, size, icc))
    found = 0
    for seed in range(trials):
        rng = np.random.default_rng([5, seed])
        y, c, X, person = table_with_group(name, plan.table["rows"].item(), share, gap, size, icc, rng)
        table = search_segments(y, c, X, n_draws=199, groups=person, rng=seed).table
        row = table[table["rule"] == "u is a and v is a"].iloc[0]
        found += row["adjusted"] < 0.05 and row["gap"] * gap > 0
    return found / trials


@pytest.mark.nightly
@pytest.mark.parametrize("setting", SETTINGS)
def test_audits_of_the_planned_rows_find_the_group_as_often_as_promised(setting):
    """Within three points, more of a rare label, but for two standard errors of so many audits."""
    chance = 2 * np.sqrt(0.8 * 0.2 / TRIALS)
    assert 0.77 - chance <= realised(*SETTINGS[setting]) <= MOST.get(setting, 0.83) + chance


GOOD = {"rate": 0.3, "share": 0.1, "gap": 0.1}

test_bad_input = refuses(
    ({"rate": 1.0}, "rate must"),
    ({"rate": [0.3, 0.4]}, "rate must"),
    ({"share": [0.1, 0.001, 1.0]}, r"share must be at least 0.005 and below 1, but share\[1\] is 0.001 \(and 1 more\)"),
    ({"share": "0.1"}, "share must"),
    ({"gap": [0.1, 0.0]}, r"gap must .* gap\[1\] is 0"),
    ({"gap": -0.31}, "gap must"),
    ({"gap": np.nan}, "gap must"),
    ({"share": [0.1, 0.2], "gap": [0.1, 0.2, 0.3]}, "share and gap must"),
    ({"power": 1}, "power must"),
    ({"brier": 0.22}, "brier must"),
    ({"n_numbers": -1}, "n_numbers must"),
    ({"n_numbers": 0, "n_categories": 0}, "n_numbers or n_categories must"),
    ({"group_size": 0.5}, "group_size must"),
    ({"icc": 1.1}, "icc must"),
    of=lambda **change: plan_audit(**GOOD | change),
)
