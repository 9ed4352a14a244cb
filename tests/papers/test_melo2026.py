"""Melo et al. (2026) as plain functions: by hand, by listing every case, at their bounds."""

from itertools import chain, combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm, ttest_1samp
from sklearn.linear_model import LogisticRegression

from helpers.papers import melo2026 as paper

NURSE = [[0, 500], [100, 100]]
DIAGONAL = [[-1.0, 3.0], [2.0, 0.5]]  # gap 5.5, threshold 6 / 11
COSTS = [NURSE, DIAGONAL, [[0, 1], [1, 0]]]
FINE = np.arange(101) / 100


def brier(stated, true):
    return (stated - true) ** 2


def log_divergence(stated, true):
    stated, true = np.broadcast_arrays(np.asarray(stated, float), np.asarray(true, float))
    parts = zip((true, 1 - true), (stated, 1 - stated), strict=True)
    return sum(np.where(t > 0, t * np.log(np.where(t > 0, t, 1) / s), 0) for t, s in parts)


# ---- section 2: calibration, grouping loss, decisions ------------------------------------------------------------


def test_calibrated_score_is_the_rate_among_rows_with_one_score():
    y, f = np.array([1, 0, 0, 1, 1]), np.array([0.3, 0.3, 0.3, 0.8, 0.8])
    np.testing.assert_allclose(paper.section_2_1(y, f), [1 / 3, 1 / 3, 1 / 3, 1, 1])
    assert not paper.definition_1(y, f)
    assert paper.definition_1(y, paper.section_2_1(y, f))
    assert not paper.definition_1(y, np.array([1 / 3, 1 / 3, 1 / 3, 1, 0.99]))


@pytest.mark.parametrize("d", [brier, log_divergence])
def test_expected_loss_is_the_sum_of_three_parts(d):
    rng = np.random.default_rng(0)
    f_star, f = rng.random(200), rng.choice([0.1, 0.4, 0.7], 200)
    c = paper.section_2_1(f_star, f)
    parts = paper.theorem_1(f, c, f_star, d)
    assert paper.equation_1(f, f_star, d) == pytest.approx(parts.sum(), abs=1e-12) and (parts > 0.01).all()
    assert parts[1] == pytest.approx(np.mean(d(c, f_star)), abs=1e-15)  # from the calibrated score to the truth
    assert parts[0] == pytest.approx(np.mean(d(f, c)), abs=1e-15)


def test_grouping_loss_is_a_variance_among_rows_with_one_score():
    f_star, f = np.array([0.1, 0.5, 0.6, 0.9, 0.9]), np.array([0.2, 0.2, 0.2, 0.7, 0.7])
    c = paper.section_2_1(f_star, f)
    want = (0.3**2 + 0.1**2 + 0.2**2) / 5
    assert paper.definition_2(f_star, c) == pytest.approx(want, abs=1e-15)
    assert paper.equation_2(f_star, f) == pytest.approx(want, abs=1e-15)
    assert paper.theorem_1(f, c, f_star, brier)[1] == pytest.approx(want, abs=1e-15)


def test_grouping_loss_of_the_sigmoid_population():
    x_1, x_2 = (norm.ppf((np.arange(k) + 0.5) / k) for k in (2000, 400))
    p = expit(10**0.5 * x_1)[:, None]
    q = p + (2 * expit(3 * x_2) - 1) * np.minimum(p, 1 - p)
    assert paper.definition_2(q, p) == pytest.approx(0.02535948084, abs=3e-5)


@pytest.mark.parametrize("Lambda", COSTS)
def test_threshold_is_where_both_decisions_cost_the_same(Lambda):
    t_star, gap = paper.section_2_3(Lambda)
    cost_0, cost_1 = (paper.section_2_3_expected_cost(np.full(101, d), FINE, Lambda) for d in (0, 1))
    want = [[(1 - q) * Lambda[d][0] + q * Lambda[d][1] for q in FINE] for d in (0, 1)]
    np.testing.assert_allclose([cost_0, cost_1], want, atol=1e-12)
    np.testing.assert_allclose(cost_0 - cost_1, gap * (FINE - t_star), atol=1e-12)
    assert t_star == pytest.approx(brentq(lambda q: np.interp(q, FINE, cost_0 - cost_1), 0, 1))
    decisions = np.array([0, 1, 1])
    by_row = [cost_0[20], cost_1[20], cost_1[70]]
    np.testing.assert_allclose(paper.section_2_3_expected_cost(decisions, FINE[[20, 20, 70]], Lambda), by_row)


def test_two_parts_of_the_excess_risk_of_cleo_and_dora():
    f_star, f, c = np.array([0.12, 0.12, 0.30]), np.full(3, 0.25), np.full(3, 0.18)
    np.testing.assert_allclose(paper.equation_3(f, c, f_star, 0.2, NURSE), [10, 50 / 3])
    assert paper.proposition_1(f, f_star, 0.2, NURSE) == pytest.approx(80 / 3)
    assert paper.proposition_1(f, f_star, 0.26, NURSE) == pytest.approx(50 / 3)  # nobody is enrolled
    np.testing.assert_allclose(paper.equation_3(f, c, f_star, 0.26, NURSE), [0, 50 / 3], atol=1e-12)


@pytest.mark.parametrize("Lambda", COSTS)
def test_parts_of_the_excess_risk_add_up_and_are_the_means_of_two_risks(Lambda):
    rng = np.random.default_rng(1)
    f, f_star = rng.choice([0.05, 0.3, 0.6, 0.9], 300), rng.random(300)
    c = paper.section_2_1(f_star, f)
    for t in (0.05, 0.2, 0.6, 0.95):
        of_calibration, of_grouping = paper.equation_3(f, c, f_star, t, Lambda)
        assert of_calibration + of_grouping == pytest.approx(paper.proposition_1(f, f_star, t, Lambda), abs=1e-10)
        assert of_calibration == pytest.approx(paper.proposition_8(c, f, t, Lambda).mean(), abs=1e-10)
        t_star, _ = paper.section_2_3(Lambda)
        assert of_grouping == pytest.approx(paper.equation_7(f_star, c, t_star, Lambda).mean(), abs=1e-10)


# ---- section 3.1: partitions --------------------------------------------------------------------------------------


def test_means_of_regions():
    r, region = np.array([0.5, -0.1, 0.2, 0.3]), np.array([3, 3, 3, 0])
    np.testing.assert_allclose(paper.equation_4(r, region), [0.2, 0.2, 0.2, 0.3])
    np.testing.assert_allclose(paper.equation_5(r, region, [0, 3, 1, 3]), [0.3, 0.2, 0, 0.2])


def test_a_partition_captures_a_part_and_all_of_it_if_r_is_constant_in_each_region():
    rng = np.random.default_rng(2)
    r, coarse = rng.uniform(-0.5, 0.5, 60), rng.integers(0, 3, 60)
    fine = 4 * coarse + rng.integers(0, 4, 60)
    loss = np.mean(r**2)
    assert paper.proposition_2(r, coarse) < paper.proposition_2(r, fine) < loss
    assert paper.proposition_2(r, np.arange(60)) == pytest.approx(loss)
    assert paper.proposition_2(np.array([0.4, 0.2, -0.5]), np.array([0, 0, 1])) == pytest.approx((2 * 0.09 + 0.25) / 3)


residuals = st.lists(st.tuples(st.integers(-100, 100), st.integers(0, 4)), min_size=1, max_size=14)


@given(residuals)
def test_equation_6_is_the_mean_product_of_two_rows_of_a_region(rows):
    r, region = np.array(rows).T
    r = r / 100
    total = 0.0
    for j in set(region.tolist()):
        pairs = [a * b for a, b in permutations(r[region == j], 2)]
        total += np.sum(region == j) * np.mean(pairs) if pairs else 0.0
    assert paper.equation_6(r, region) == pytest.approx(total / len(r), abs=1e-12)


def test_means_of_equation_6_and_of_the_plug_in_over_all_samples():
    """Three people in two regions, three drawn with replacement, each with a label of its own: 216 samples."""
    region, f_star, c = np.array([0, 0, 1]), np.array([0.2, 0.5, 0.7]), np.array([0.4, 0.3, 0.55])
    debiased = plug_in = 0.0
    for who in product(range(3), repeat=3):
        who = np.array(who)
        for label in product((0, 1), repeat=3):
            label = np.array(label)
            chance = np.prod(np.where(label == 1, f_star[who], 1 - f_star[who])) / 27
            r = label - c[who]
            debiased += chance * paper.equation_6(r, region[who])
            plug_in += chance * np.mean(paper.equation_4(r, region[who]) ** 2)
    bound = paper.proposition_2(f_star - c, region)
    assert paper.proposition_3(f_star, c, region, 3) == pytest.approx(debiased, abs=1e-12)
    assert paper.appendix_a_2(f_star, c, region, 3) == pytest.approx(plug_in - bound, abs=1e-12)
    assert paper.proposition_3(f_star, c, region, 3) < bound
    assert paper.proposition_3(f_star, c, region, 300) == pytest.approx(bound, abs=1e-12)


def test_the_sum_of_grouping_and_calibration_loss():
    y, f, c = np.array([1, 1, 0, 0]), np.array([0.9, 0.9, 0.2, 0.2]), np.array([0.6, 0.6, 0.5, 0.5])
    region = np.array([0, 0, 1, 1])
    want = (0.4**2 + 0.5**2) / 2 + (0.3**2 + 0.3**2) / 2
    assert paper.section_3_1(y, f, c, region) == pytest.approx(want)


# ---- section 3.2: the risk of one decision ------------------------------------------------------------------------


@pytest.mark.parametrize("Lambda", COSTS)
def test_risk_is_what_the_decision_costs_more_than_the_best(Lambda):
    Lambda = np.array(Lambda)
    for t in (0.0, 0.2, 0.5, 1.0):
        for f, f_star in product(FINE[::10], FINE[::4]):
            costs = [(1 - f_star) * Lambda[d, 0] + f_star * Lambda[d, 1] for d in (0, 1)]
            want = costs[int(f >= t)] - min(costs)
            assert paper.equation_7(f_star, f, t, Lambda) == pytest.approx(want, abs=1e-10)
            assert paper.proposition_5(f_star, f, t, Lambda) == pytest.approx(want, abs=1e-10)


def test_a_score_at_its_threshold_decides_1():
    even = [[0, 1], [1, 0]]
    f_star = np.array([0.25, 0.75])
    for risk in (paper.equation_7, paper.proposition_5):
        np.testing.assert_allclose(risk(f_star, np.array([0.3, 0.3]), 0.3, even), [0.5, 0])
    np.testing.assert_allclose(paper.equation_7(np.array([0.5]), np.array([0.4]), 0.5, even), 0)
    np.testing.assert_allclose(paper.equation_3(np.full(2, 0.3), np.full(2, 0.5), f_star, 0.3, even), [0, 0.25])
    np.testing.assert_allclose(paper.definition_4(np.array([0.5]), np.array([-0.25]), even), [0.5])
    np.testing.assert_allclose(paper.definition_4(np.array([0.25]), np.array([0.25]), even), [0])


def test_estimated_risk_puts_the_sum_of_score_and_mean_in_the_place_of_the_truth():
    c, r_hat = np.array([0.6, 0.6, 0.9, 0.1]), np.array([-0.25, 0.25, 0.2, -0.3])
    f = np.array([0.7, 0.7, 0.3, 0.6])
    gap = 5.5
    want = gap * np.abs([0.35 - 6 / 11, 0, 1.1 - 6 / 11, -0.2 - 6 / 11])  # 1.1 and -0.2 are not clipped
    np.testing.assert_allclose(paper.equation_8(c, r_hat, f, 0.5, DIAGONAL), want)
    np.testing.assert_allclose(paper.definition_4(c, r_hat, DIAGONAL), gap * np.abs([0.35 - 6 / 11, 0, 0, 0]))
    np.testing.assert_allclose(
        paper.proposition_8(c, f, 0.5, DIAGONAL), gap * np.abs([0, 0, 0.9 - 6 / 11, 0.1 - 6 / 11])
    )


@given(
    st.lists(st.tuples(*[st.integers(0, 20)] * 3, st.integers(-20, 20)), min_size=1, max_size=30), st.integers(0, 20)
)
def test_error_of_the_risk_stays_within_the_bound(rows, t):
    f_star, c, f, g = np.array(rows).T / 20
    for Lambda in COSTS:
        error, bound = paper.lemma_3(f_star, c, g, f, t / 20, Lambda), paper.proposition_6(f_star - c, g, Lambda)
        assert (error <= bound + 1e-9).all()
        risks = paper.equation_7(f_star, f, t / 20, Lambda) - paper.equation_8(c, g, f, t / 20, Lambda)
        assert np.mean(risks**2) <= paper.proposition_7(f_star - c, g, Lambda) + 1e-9


def test_the_bounds_are_reached():
    f_star, c, g, f = np.array([0.9]), np.array([0.7]), np.array([-0.1]), np.array([0.2])
    error = paper.lemma_3(f_star, c, g, f, 0.5, DIAGONAL)  # both sums lie above the threshold, the score below
    np.testing.assert_allclose(error, 5.5 * 0.3)
    np.testing.assert_allclose(paper.proposition_6(f_star - c, g, DIAGONAL), error)
    assert paper.proposition_7(f_star - c, g, DIAGONAL) == pytest.approx(error[0] ** 2)


@pytest.mark.parametrize("Lambda", COSTS)
def test_two_decision_rules_differ_by_the_gap_times_the_distance(Lambda):
    for delta_1, delta_2 in product((0, 1), repeat=2):
        first, second = (paper.section_2_3_expected_cost(np.full(101, d), FINE, Lambda) for d in (delta_1, delta_2))
        got = paper.corollary_b_4_recalled(delta_1, delta_2, FINE, Lambda)
        np.testing.assert_allclose(got, second - first, atol=1e-10)
    by_t, by_half = FINE >= 0.3, FINE >= 0.5  # decisions as comparisons give them
    first, second = (paper.section_2_3_expected_cost(one, FINE, Lambda) for one in (by_t, by_half))
    got = paper.corollary_b_4_recalled(by_t, by_half, FINE, Lambda)
    np.testing.assert_allclose(got, second - first, atol=1e-10)


def test_mean_error_in_a_region_reaches_its_bound():
    f_star, region = np.array([0.1, 0.3, 0.8]), np.array([1, 1, 0])
    for Lambda, gap in ((COSTS[2], 2), (NURSE, 500)):
        error = paper.lemma_3(f_star[:2], np.zeros(2), np.full(2, 0.2), np.full(2, 0.9), 0.5, Lambda)
        bound = paper.equation_93(f_star, region, Lambda)
        np.testing.assert_allclose(bound, [0, gap * 0.1], atol=1e-12)
        assert error.mean() <= bound[1] + 1e-9
    assert paper.lemma_3(f_star[:2], 0.0, 0.2, np.full(2, 0.9), 0.5, COSTS[2]).mean() == pytest.approx(0.2)


# ---- section 3.3 and algorithm 1 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "sizes"), [(100, [10, 40, 50]), (37, [3, 15, 19])])
def test_three_parts_of_the_rows(n, sizes):
    parts = paper.section_3_3(n, np.random.default_rng(0))
    assert [len(part) for part in parts] == sizes
    assert sorted(np.concatenate(parts)) == list(range(n)) and list(np.concatenate(parts)) != list(range(n))


def sample(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, 2)).astype(float)
    f = rng.uniform(0.05, 0.95, n)
    q = np.clip(f + 0.3 * (X[:, 0] > 5) - 0.15, 0, 1)
    return (rng.random(n) < q).astype(int), f, X


def test_platt_scaling_solves_the_equations_of_the_likelihood():
    y, f, _ = sample(400, 0)
    curve = paper.section_3_3_platt(f, y)
    c = curve(f)
    assert abs(np.sum(y - c)) < 1e-4 and abs(np.sum(logit(f) * (y - c))) < 1e-4
    slope = np.diff(logit(curve(np.array([0.2, 0.5, 0.8]))))
    assert slope[0] == pytest.approx(slope[1], abs=1e-9) and slope[0] > 0.5  # a line in the log-odds


def test_an_honest_tree_has_the_means_of_rows_that_did_not_choose_it():
    y, f, X = sample(1500, 1)
    parts = paper.section_3_3(1500, np.random.default_rng(2))
    calibrate, fit, evaluate = parts
    c, tree = paper.algorithm_1(y, f, X, *parts)
    np.testing.assert_allclose(c(f), paper.section_3_3_platt(f[calibrate], y[calibrate])(f))
    r, leaf = y - c(f), tree.apply(X)
    sizes = np.bincount(leaf[fit])
    assert sizes[sizes > 0].min() >= 15
    for j in np.unique(leaf):
        rows = evaluate[leaf[evaluate] == j]
        want = r[rows].mean() if len(rows) else 0.0
        np.testing.assert_allclose(tree.predict(X[leaf == j]), want, atol=1e-12)

    other = y.copy()
    other[evaluate] = 1 - y[evaluate]
    same_c, same_tree = paper.algorithm_1(other, f, X, *parts)
    np.testing.assert_array_equal(same_tree.apply(X), leaf)
    np.testing.assert_array_equal(same_c(f), c(f))
    assert np.abs(same_tree.predict(X) - tree.predict(X)).max() > 0.1


def test_a_tree_is_as_deep_as_fifteen_rows_allow_and_a_leaf_nobody_evaluates_has_the_mean_0():
    rng = np.random.default_rng(3)
    X, f = rng.random((600, 1)), rng.uniform(0.2, 0.8, 600)
    y = (rng.random(600) < f).astype(int)
    calibrate, fit = np.arange(100), np.arange(100, 600)
    evaluate = fit[X[fit, 0] < 0.5]
    c, tree = paper.algorithm_1(y, f, X, calibrate, fit, evaluate)
    sizes = np.bincount(tree.apply(X[fit]))
    assert sizes[sizes > 0].min() >= 15 and sizes.max() <= 29
    unseen = ~np.isin(tree.apply(X), tree.apply(X[evaluate]))
    assert unseen.any() and (tree.predict(X)[unseen] == 0).all() and (tree.predict(X)[~unseen] != 0).any()


# ---- section 4.2: audits ------------------------------------------------------------------------------------------


def test_audit_of_two_regions():
    y = np.array([1, 1, 0, 1, 0, 0, 0, 1, 0])
    f = np.array([0.2, 0.4, 0.3, 0.1, 0.5, 0.9, 0.9, 0.9, 0.9])
    region = np.array([2, 2, 2, 2, 2, 5, 5, 5, 5])
    audit = paper.section_4_2_audit(y, f, region)
    assert audit.index.tolist() == [2, 5] and audit["n"].tolist() == [5, 4]
    np.testing.assert_allclose(audit[["stated", "observed", "gap"]], [[0.3, 0.6, 0.3], [0.9, 0.25, -0.65]])
    spread_is_larger = [ttest_1samp((y - f)[region == j], 0).pvalue for j in (2, 5)]
    np.testing.assert_allclose(audit["p"], spread_is_larger)
    np.testing.assert_allclose(audit["adjusted"], paper.section_4_2_holm(np.array(spread_is_larger)))


def test_stated_variance_stands_where_the_labels_vary_less():
    y, f = np.array([0, 0, 0, 0, 1]), np.array([0.3, 0.3, 0.4, 0.4, 0.5])
    audit = paper.section_4_2_audit(y, f, np.array([0, 0, 0, 0, 1]))
    se = np.sqrt((2 * 0.21 + 2 * 0.24) / 4 / 4)
    x = 0.35 / se
    below = 0.5 + (np.arctan(x / 3**0.5) + x / 3**0.5 / (1 + x**2 / 3)) / np.pi  # Student's with 3 degrees of freedom
    cauchy = 0.5 + np.arctan(0.5 / 0.5) / np.pi  # a single row: one degree of freedom
    np.testing.assert_allclose(audit["p"], [2 * (1 - below), 2 * (1 - cauchy)])


def test_scores_of_0_and_1_that_are_right_in_a_region_have_p_1():
    y, f = np.array([0, 1, 1, 0, 0, 1, 0]), np.array([0, 1, 1, 1, 1, 1, 0.2])
    audit = paper.section_4_2_audit(y, f, np.array([0, 0, 1, 2, 2, 1, 3]))
    # regions 0 and 1 are right; region 2 says 1 twice and sees 0 twice; region 3: t = 0.2 / 0.4, one degree of freedom
    alone = 1 - 2 * np.arctan(0.5) / np.pi
    np.testing.assert_allclose(audit["p"], [1, 1, 0, alone])
    np.testing.assert_allclose(audit["adjusted"], [1, 1, 0, 1])


@given(st.lists(st.integers(0, 12).map(lambda k: k / 20), min_size=1, max_size=6))
def test_holm_is_the_closed_test_of_bonferroni(p):
    m = len(p)
    sets = list(chain.from_iterable(combinations(range(m), k) for k in range(1, m + 1)))
    closed = [max(min(1, len(s) * min(p[j] for j in s)) for s in sets if k in s) for k in range(m)]
    np.testing.assert_allclose(paper.section_4_2_holm(np.array(p)), closed, atol=1e-12)


def test_joint_test_of_two_subgroups_and_three_families():
    r, family = np.array([0.4, -0.2, 0.5, 0.1]), np.array(["b", "a", "b", "c"])
    member = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    z, largest = paper.section_4_2_joint_test(r, member, family, 4000, np.random.default_rng(0))
    centred = member - [0.5, 0.5]
    sums = np.array([[0.4, 0, 0.5, 0], [0, -0.2, 0, 0], [0, 0, 0, 0.1]]) @ centred
    spread = np.sqrt((sums**2).sum(axis=0))
    np.testing.assert_allclose(z, sums.sum(axis=0) / spread)
    signs = np.array(list(product((-1, 1), repeat=3)))
    by_listing = np.abs(signs @ sums / spread).max(axis=1).round(12)
    shares = pd.Series(largest.round(12)).value_counts(normalize=True)
    wanted = pd.Series(by_listing).value_counts(normalize=True)
    assert set(shares.index) == set(wanted.index) and len(largest) == 4000
    assert np.abs(shares - wanted[shares.index]).max() < 4 * 0.5 / 4000**0.5


# ---- section 4.3 and appendices B.6, C.5: which model is asked ----------------------------------------------------

COST = np.array([1, 5, 25])


@pytest.mark.parametrize(
    ("lambda_", "want"), [(200, (1, 5.0)), (10, (0, 1.0)), (4000, (2, 25.0)), (100, (1, 5.0)), (0, (0, 1.0))]
)
def test_router_takes_the_best_accuracy_less_price(lambda_, want):
    got = paper.section_4_3_router(np.array([0.70, 0.76, 0.80]), COST, lambda_)
    assert got == want and isinstance(got[0], int)
    assert paper.section_4_3_router(np.array([0.5, 0.54, 0.4]), COST, 100)[0] == 0  # equal: the cheaper


def test_predicted_accuracy_is_the_mean_of_a_leaf():
    X = np.arange(60.0)[:, None]
    correct = np.array([1] * 20 + [0] * 40)
    correct[[3, 30]] = 0, 1
    Acc = paper.section_4_3_accuracy(correct, X, np.array([[0.0], [19.0], [59.0]]))
    edges = [0, *sorted({*range(15, 46)}), 60]
    possible = {correct[a:b].mean() for a in edges for b in edges if b - a >= 15}
    assert Acc[0] > 0.9 and Acc[2] < 0.1 and set(Acc.round(12)) <= {round(share, 12) for share in possible}


@pytest.mark.parametrize(
    ("R", "tau", "want"),
    [
        ([20, 8, 12], 5, (1, 31.0)),
        ([20, 8, 12], 10, (1, 6.0)),
        ([20, 8, 12], 8, (1, 31.0)),  # as printed: 8 is not smaller than 8
        ([3, 8, 12], 5, (0, 1.0)),
        ([20, 9, 2], 5, (2, 31.0)),
        ([9, 7, 7], 5, (1, 31.0)),  # equal lowest risks: the first
        ([0, 0, 0], 0, (0, 31.0)),  # as printed, tau = 0: nobody stops
    ],
)
def test_risk_cascade(R, tau, want):
    got = paper.appendix_b_6(np.array(R), COST, tau)
    assert got == want and all(map(isinstance, got, (int, float)))


def test_risk_cascade_that_stops_at_tau():
    assert paper.appendix_b_6(np.array([20, 8, 12]), COST, 8, smaller=np.less_equal) == (1, 6.0)
    assert paper.appendix_b_6(np.array([0, 0, 0]), COST, 0, smaller=np.less_equal) == (0, 1.0)


@pytest.mark.parametrize(
    ("f", "c", "want"),
    [
        ([0.6, 0.05, 0.7], 0.8, (1, 6.0)),
        ([0.81, 0.05, 0.7], 0.8, (0, 1.0)),
        ([0.75, 0.25, 0.9], 0.75, (2, 31.0)),  # exactly at the threshold, on either side
        ([0.6, 0.5, 0.4], 0.8, (2, 31.0)),  # the last answers
        ([0.6, 0.5, 0.01], 0.8, (2, 31.0)),
    ],
)
def test_confidence_cascade(f, c, want):
    assert paper.appendix_c_5(np.array(f), COST, c) == want


# ---- appendices A.3, B.4, C.2 -------------------------------------------------------------------------------------


def test_lemma_1_where_it_is_nearly_reached():
    distance, bound = paper.lemma_1(np.full(3, 0.89), np.full(3, 0.99))
    assert distance == pytest.approx(0.99**2 - 0.89**2) and bound == pytest.approx(0.2)
    assert distance > 0.9 * bound


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=20))
def test_lemma_1_holds(rows):
    r, r_hat = np.array(rows).T / 20
    distance, bound = paper.lemma_1(r, r_hat)
    assert 0 <= distance <= bound + 1e-12


def test_variances_of_regions_may_exceed_1():
    r, region = np.array([0.9, -0.9, 0.2, 0.2]), np.array([0, 0, 2, 2])
    assert paper.equation_32(r, region) == pytest.approx(1.62 / 4)  # one region alone is above 1 / n
    assert paper.equation_6(r, region) == pytest.approx(paper.proposition_2(r, region) - 1.62 / 4)
    assert paper.equation_32(np.append(r, 0.7), np.append(region, 5)) == pytest.approx(1.62 / 5)  # a row alone: nothing


def test_their_mean_over_samples_may_not():
    """(32) fails for one of the samples; their mean is J / n exactly, as the variance of a fair sign is 1."""
    for n in (2, 3, 4):
        samples = [paper.equation_32(np.array(r), np.zeros(n)) for r in product((-1.0, 1.0), repeat=n)]
        assert max(samples) > 1 / n and np.mean(samples) == pytest.approx(1 / n)


def test_lemma_2_by_listing_shares():
    """One half of the people is certain and told 0, the other is told the truth: only the shares are random."""
    n, p = 12, np.array([0.5, 0.5])
    mean = sum(chance_of_heads(k, n) * abs(k / n - 0.5) for k in range(n + 1))
    assert mean <= paper.lemma_2(p, n) <= paper.equation_40(2, n)
    assert paper.lemma_2(np.array([0.2, 0.8]), 100) == pytest.approx(0.04 + 0.04 + 0.02)
    assert paper.equation_40(3, 100) == pytest.approx(0.45)


def chance_of_heads(k, n):
    """Share of the sequences of n fair coins with k heads."""
    return sum(1 for heads in combinations(range(n), k)) / 2**n


def test_semi_synthetic_labels_follow_the_declared_truth():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(4000, 1))
    y = (rng.random(4000) < expit(X[:, 0])).astype(int)
    f_star, drawn = paper.appendix_b_4(LogisticRegression(), X[:2000], y[:2000], X[2000:], rng)
    want = LogisticRegression().fit(X[:2000], y[:2000]).predict_proba(X[2000:])[:, 1]
    np.testing.assert_array_equal(f_star, want)
    assert abs(np.mean(drawn - f_star)) < 4 * 0.5 / 2000**0.5
    high = f_star > 0.5
    assert drawn[high].mean() > 0.6 and drawn[~high].mean() < 0.4 and set(drawn) == {0, 1}


def test_a_loss_of_one_hundredth_allows_a_tenth():
    assert paper.appendix_c_2(0.01) == pytest.approx(0.1)
    off = np.array([0.5] + [0.0] * 24)
    assert np.mean(off**2) == pytest.approx(0.01) and np.abs(off).mean() <= paper.appendix_c_2(0.01)


def test_bias_of_the_plug_in_by_hand():
    # region 0: y - c has mean 1/4 and mean square 1/4; region 1: mean 0 and mean square 1/4; each is seen 3 of 4 times
    f_star, c = np.array([0.5, 1.0, 0.5, 0.5]), np.full(4, 0.5)
    assert paper.appendix_a_2(f_star, c, np.array([0, 0, 1, 1]), 2) == 0.75 * (3 / 16 + 1 / 4) / 2
