"""Gaps of groups that are given: hand-made cases, their standard errors, and Holm's p-values against a peer."""

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from helpers.audit import holm, measure_groups


@pytest.mark.parametrize("groups", [False, True])
def test_intervals_and_p_values_are_those_of_a_t_test_of_rows_or_of_sums_over_groups(groups):
    """Where residuals scatter more than the scores say; with calibrated scores the same of what is left."""
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(100), 2)
    y = np.repeat(rng.random(100) < 0.5, 2).astype(float)
    p = np.where(rng.random(200) < 0.5, y, 1 - y) * 0.98 + 0.01
    c = np.repeat(np.where(rng.random(100) < 0.4, y[::2], 1 - y[::2]), 2) * 0.98 + 0.01
    subgroup = (people >= 60).astype(int)
    table = measure_groups(y, p, subgroup, calibrated=c, groups=people if groups else None)
    for k, row in table.iterrows():
        for score, before in ((p, ""), (c, "residual_")):
            residual = (y - score)[subgroup == k]
            test = ttest_1samp(residual.reshape(-1, 2).mean(axis=1) if groups else residual, 0)
            found = row[[f"{before}{name}" for name in ("gap", "p_value", "low", "high")]].astype(float)
            np.testing.assert_allclose(found, [residual.mean(), test.pvalue, *test.confidence_interval()])


def test_where_residuals_scatter_less_than_the_scores_say_the_binomial_variance_is_used():
    y, p, weight = np.tile([1.0, 0], 20), np.full(40, 0.4), np.tile([1.0, 2, 3, 2], 10)
    p[y == 1] = 0.9  # all residuals are 0.1 or -0.4
    rows = weight.sum() ** 2 / (weight**2).sum()
    se = np.sqrt((weight**2 * p * (1 - p)).sum()) / weight.sum()
    row = measure_groups(y, p, np.zeros(40, int), sample_weight=weight).iloc[0]
    half_width = student.ppf(0.975, rows - 1) * se
    np.testing.assert_allclose(row[["low", "high"]].astype(float), row["gap"] + np.array([-1, 1]) * half_width)
    assert row["p_value"] == pytest.approx(2 * student.sf(abs(row["gap"]) / se, rows - 1))
    pairs = np.arange(40) // 4 * 2 + y.astype(int)  # of rows whose residuals have one sign
    dependent = measure_groups(y, p, np.zeros(40, int), sample_weight=weight, groups=pairs).iloc[0]
    deviation = weight * (y - p - row["gap"])
    inflation = (np.bincount(pairs, deviation) ** 2).sum() / (deviation**2).sum()
    freedom = weight.sum() ** 2 / (np.bincount(pairs, weight) ** 2).sum() - 1
    assert inflation > 1.5
    z = abs(row["gap"]) / se / np.sqrt(inflation)
    assert dependent["p_value"] == pytest.approx(2 * student.sf(z, freedom))


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
def test_a_rate_of_zero_or_one_has_the_error_of_one_event_more(rate):
    y = np.full(40, float(rate))
    table = measure_groups(np.r_[y, 1 - y], np.full(80, float(rate)), np.repeat([0, 1], 40))
    more = np.sqrt(1 / 42 * 41 / 42 / 40) * student.ppf(0.975, 39)
    np.testing.assert_allclose(table.loc[0, ["low", "high"]].astype(float), [-more, more])
    assert table["p_value"][0] == 1


def test_calibrated_scores_add_what_recalibration_leaves():
    table = measure_groups([1, 1, 0, 0], [0.2] * 4, [0] * 4, calibrated=[0.5] * 4)
    np.testing.assert_allclose(table[["gap", "calibrated", "residual_gap"]].iloc[0], [0.3, 0.5, 0.0])
    assert table["residual_p_value"][0] == 1
    assert "residual_gap" not in measure_groups([1, 0], [0.2, 0.2], [0, 0])


def test_weights_that_leave_too_few_groups_are_refused():
    groups = np.r_[np.zeros(40), 1 + np.arange(160) // 4]
    rows = np.tile([0, 1], 100), np.full(200, 0.5), np.zeros(200, int)
    with pytest.raises(ValueError, match="sample_weight must"):
        measure_groups(*rows, sample_weight=np.where(groups == 0, 10, 1), groups=groups)


def test_empty_subgroups_have_no_share():
    table = measure_groups([1, 0], [0.5, 0.5], [0, 2], size=4)
    assert table["n"].tolist() == [1, 0, 1, 0] and table["gap"].isna().tolist() == [False, True, False, True]


def test_holm_agrees_with_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(0).random(12) ** 3
    np.testing.assert_allclose(holm(p_values), multipletests(p_values, method="holm")[1])
    for outside in (-0.1, 1.1):
        with pytest.raises(ValueError, match="p_value must"):
            holm([0.5, outside])


def test_a_row_of_weight_0_is_none():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 90), rng.random(90), rng.integers(0, 2, 90)]
    weight, people = rng.random(90) * (np.arange(90) < 60), np.arange(90) // 2
    some = measure_groups(*(column[:60] for column in columns), sample_weight=weight[:60], groups=people[:60])
    assert some.equals(measure_groups(*columns, sample_weight=weight, groups=people))
