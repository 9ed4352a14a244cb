"""How far single cases are from the rate of their score, and where a report says to look first."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binom

from helpers.grouping import GroupingLoss, StackedGroupingLoss
from helpers.reports import audit_scores
from helpers.reports.misjudged import find_misjudged
from helpers.reports.single_cases import STACK_ROWS, find_lead, measure_loss
from helpers.tables import ScoreTable


def blind(n, seed=0):
    """A score that knows one of four columns that count, and the mean of (q - p)**2, which is more than the loss."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))
    q = expit(X["a"] + 0.7 * (X["b"] + X["c"] + X["d"])).to_numpy()
    p = expit(0.8 * X["a"]).to_numpy()
    return ScoreTable("blind", "y", "p", rng.random(n) < q, p, X).checked(), np.mean((q - p) ** 2)


@pytest.fixture(scope="module")
def report():
    return audit_scores(blind(1000)[0], rng=0)


@pytest.mark.slow
def test_several_learners_estimate_up_to_20000_cases_and_a_tree_above(report):
    table = report.table
    assert isinstance(report.loss, StackedGroupingLoss) and not report.by_tree
    many = table.take(np.arange(STACK_ROWS + 1) % table.n)
    assert isinstance(measure_loss(many, "platt", rng=0), GroupingLoss)
    by_tree = replace(report, loss=measure_loss(table, "platt", by_tree=True, rng=0))
    assert by_tree.loss.splits.size == 5
    assert {"grouping_loss_n_regions", "grouping_loss_splits"} <= set(by_tree.metrics()) - set(report.metrics())


@pytest.mark.slow
def test_learners_certify_more_than_a_tree_and_never_more_than_there_is():
    lows = np.empty((4, 2))
    for seed in range(4):
        table, loss = blind(600, seed)
        for k in (0, 1):
            lows[seed, k] = measure_loss(table, "platt", by_tree=bool(k), rng=seed).low / loss
    assert (lows < 1).all() and lows[:, 0].mean() > lows[:, 1].mean() + 0.1


# ---- where to look first --------------------------------------------------------------------------------------


def pocket(n=1500, seed=0, size=0.35):
    """Cases that are stated right but where three conditions meet."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.choice(["no", "yes"], (n, 3)), columns=["smoker", "female", "urban"])
    q = np.where((X == "yes").all(axis=1), 0.4 + size, 0.4)
    return ScoreTable("pocket", "y", "p", rng.random(n) < q, np.full(n, 0.4), X).checked()


def lead_of(table, seed=0):
    calibrated = np.full(table.n, table.y.mean())
    search = find_misjudged(table, "isotonic", n_draws=59, rng=seed).search
    return find_lead(table, "isotonic", calibrated, search, rng=seed)


def test_a_confirmed_lead_was_judged_by_the_half_that_did_not_choose_it():
    table = pocket()
    lead = lead_of(table)
    inside = (table.X == "yes").all(axis=1)
    assert lead.is_confirmed and lead.rule == "smoker is yes and female is yes and urban is yes"
    assert 0.3 * inside.sum() < lead.n < 0.7 * inside.sum()
    assert 0 < lead.low < 0.75 - table.y.mean() < lead.high and lead.p_value < 0.05


@pytest.mark.slow
def test_where_nobody_is_misjudged_few_leads_are_confirmed_and_the_others_are_hints():
    leads = [lead_of(pocket(300, seed, 0.0), seed) for seed in range(12)]
    assert sum(lead.is_confirmed for lead in leads) <= binom(12, 0.05).isf(0.001)
    assert all(lead.low < 0 < lead.high for lead in leads if not lead.is_confirmed and lead.p_value >= 0.05)


@pytest.mark.slow
def test_a_lead_of_people_with_several_rows_is_less_sure():
    table = pocket(600)
    alone = lead_of(table)
    thrice = lead_of(replace(table.take(np.arange(1800) % 600), groups=np.arange(1800) % 600))
    assert alone.p_value / 100 < thrice.p_value  # copies are no evidence
