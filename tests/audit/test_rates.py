"""Gaps of groups that are given: hand-made cases, their standard errors, and Holm's p-values against a peer."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import t as student

from helpers.audit import holm, measure_groups


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
