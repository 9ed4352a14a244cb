"""Strong estimators equal the plain functions of `helpers.papers.melo2026` without weights, groups and repetition."""

from itertools import product
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from helpers.audit import holm, measure_groups, search_segments
from helpers.calibration import PlattCalibrator
from helpers.decisions import (
    RiskEstimator,
    calibration_risk,
    cost_gap,
    excess_risk,
    expected_cost,
    grouping_risk,
    optimal_threshold,
    oracle_risk,
)
from helpers.grouping import captured_loss, exact_decomposition, grouping_loss, grouping_loss_from_regions
from helpers.papers import melo2026 as paper
from helpers.partition import HonestTree, split_rows
from helpers.routing import TreeRouter, cascade, confidence_cascade, route

grid = st.integers(0, 20).map(lambda k: k / 20)
seeds = st.integers(0, 2**20)


def columns(*entries, least=1, most=25):
    """Rows of entries drawn from small sets, so that there are ties, as arrays (one for each entry)."""
    rows = st.lists(st.tuples(*entries), min_size=least, max_size=most)
    return rows.map(lambda rows: [np.array(column) for column in zip(*rows, strict=True)])


# ---- grouping loss ------------------------------------------------------------------------------------------------


@given(columns(st.integers(-20, 20).map(lambda k: k / 20), st.sampled_from([0, 1, 4, 5])))
def test_grouping_loss_from_regions_is_equation_6(rows):
    r, region = rows
    if np.bincount(region).max() < 2:  # equation 6 is 0 here; the strong one refuses
        assert paper.equation_6(r, region) == 0
        with pytest.raises(ValueError, match="region"):
            grouping_loss_from_regions(r, region)
    else:
        assert grouping_loss_from_regions(r, region).value == pytest.approx(paper.equation_6(r, region), abs=1e-12)


@given(columns(grid, grid, st.integers(0, 3)))
def test_losses_of_a_known_truth(rows):
    f_star, f, region = rows
    c = paper.section_2_1(f_star, f)
    known = exact_decomposition(f_star, f)
    assert captured_loss(region, f_star - c) == pytest.approx(paper.proposition_2(f_star - c, region), abs=1e-12)
    assert known.grouping_loss == pytest.approx(paper.definition_2(f_star, c), abs=1e-12)
    assert known.grouping_loss == pytest.approx(paper.equation_2(f_star, f), abs=1e-12)
    of_calibration, _, _ = paper.theorem_1(f, c, f_star, lambda stated, true: (stated - true) ** 2)
    assert known.calibration_loss == pytest.approx(of_calibration, abs=1e-12)


def people(seed, n):
    """Labels, scores and features with few levels, so that no feature lies between two that chose a split."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float)
    f = rng.uniform(0.02, 0.98, n)
    q = np.clip(f + 0.4 * (X[:, 0] > 1) * (X[:, 1] > 0) - 0.2, 0, 1)
    return (rng.random(n) < q).astype(int), f, X


def same_curve():
    """Algorithm 1 with the strong calibrator, which the test below compares on its own."""
    return mock.patch.object(paper, "section_3_3_platt", lambda f, y: PlattCalibrator().fit(f, y).predict)


@given(seeds, st.integers(100, 500))
def test_grouping_loss_by_the_papers_method_is_algorithm_1_on_the_same_split(seed, n):
    y, f, X = people(seed, n)
    strong = grouping_loss(y, f, X, method="paper", rng=seed)
    rng = np.random.default_rng(seed)
    rng.integers(2**31, size=2)  # the seeds of the trees are drawn first
    calibrate, fit, evaluate = split_rows(y, None, (0.1, 0.5), rng)
    with same_curve():
        c, tree = paper.algorithm_1(y, f, X, calibrate, fit, evaluate)
    region = tree.apply(X[evaluate])
    assert strong.value == pytest.approx(paper.equation_6((y - c(f))[evaluate], region), abs=1e-12)
    assert strong.calibration_loss == pytest.approx(np.mean((f - c(f)) ** 2), abs=1e-12)
    assert strong.n == len(evaluate)


@given(seeds, st.integers(40, 200))
def test_platt_calibrator_is_platt_scaling(seed, n):
    """Newton's method ends where a step gains less than 1e-10 of 1 + loss: so far may a score be from the best."""
    y, f, _ = people(seed, n)
    strong = PlattCalibrator().fit(f, y)
    assume(not strong.separated_)  # where a threshold tells the classes apart, the strong one smooths the labels
    plain = paper.section_3_3_platt(f, y)(f)
    np.testing.assert_allclose(strong.predict(f), plain, atol=0.5 * np.sqrt(2e-10 * (1 + n)))


@given(seeds, st.integers(60, 400))
def test_split_rows_has_parts_of_the_papers_sizes(seed, n):
    y, _, _ = people(seed, n)
    strong = split_rows(y, None, (0.1, 0.5), np.random.default_rng(seed))
    plain = paper.section_3_3(n, np.random.default_rng(seed))
    assert np.abs(np.subtract([len(part) for part in strong], [len(part) for part in plain])).max() <= 1
    assert sorted(np.concatenate(strong)) == sorted(np.concatenate(plain))


@given(columns(st.integers(-20, 20).map(lambda k: k / 20), st.integers(0, 3)))
def test_values_of_an_honest_tree_are_equation_5(rows):
    r, region = rows
    ladder = np.arange(8.0)[:, None]
    tree = HonestTree(min_samples_leaf=2, rng=0).fit(ladder, np.array([0, 0, 5, 5, 1, 1, 7, 7.0]))
    assert tree.n_regions_ == 4
    values = tree.estimate_regions(region, r).value_
    np.testing.assert_allclose(values, paper.equation_5(r, region, np.arange(4)), atol=1e-12)


# ---- decisions ----------------------------------------------------------------------------------------------------


@st.composite
def costs(draw):
    """Costs in quarters, whose gap is exact: scores at the threshold are ties in both forms."""
    Lambda = np.array(draw(st.lists(st.integers(-8, 8), min_size=4, max_size=4))).reshape(2, 2) / 4
    assume(Lambda[1, 0] + Lambda[0, 1] > Lambda[0, 0] + Lambda[1, 1])
    return Lambda


@given(costs(), columns(grid, grid, grid, st.integers(-20, 20).map(lambda k: k / 20)), st.none() | grid)
def test_risks_of_decisions(Lambda, rows, t):
    f_star, c, f, r_hat = rows
    t_star, Lambda_Delta = paper.section_2_3(Lambda)
    assert (optimal_threshold(Lambda), cost_gap(Lambda)) == (t_star, Lambda_Delta)
    t_used = t_star if t is None else t
    same = {
        "equation 7": (oracle_risk(f_star, f, Lambda, t), paper.equation_7(f_star, f, t_used, Lambda)),
        "proposition 5": (oracle_risk(f_star, f, Lambda, t), paper.proposition_5(f_star, f, t_used, Lambda)),
        "equation 8": (excess_risk(c + r_hat, f, Lambda, t), paper.equation_8(c, r_hat, f, t_used, Lambda)),
        "proposition 8": (calibration_risk(c, f, Lambda, t), paper.proposition_8(c, f, t_used, Lambda)),
        "definition 4": (grouping_risk(c, c + r_hat, Lambda), paper.definition_4(c, r_hat, Lambda)),
        "expected cost": (
            expected_cost(f >= t_used, f_star, Lambda),
            paper.section_2_3_expected_cost(f >= t_used, f_star, Lambda),
        ),
    }
    for item, (strong, plain) in same.items():
        np.testing.assert_allclose(strong, plain, atol=1e-12, err_msg=item)


@given(seeds, st.integers(100, 500), costs(), st.none() | grid)
def test_risk_estimator_by_the_papers_method_is_algorithm_1_and_equation_8(seed, n, Lambda, t):
    y, f, X = people(seed, n)
    strong = RiskEstimator(Lambda, t, method="paper", rng=seed).fit(X, y, f)
    parts = split_rows(y, None, (0.1, 0.5), np.random.default_rng(seed))
    with same_curve():
        c, tree = paper.algorithm_1(y, f, X, *parts)
    _, new_f, new_X = people(seed + 1, 200)
    np.testing.assert_allclose(strong.corrected(new_X, new_f), c(new_f) + tree.predict(new_X), atol=1e-12)
    t_star, _ = paper.section_2_3(Lambda)
    plain = paper.equation_8(c(new_f), tree.predict(new_X), new_f, t_star if t is None else t, Lambda)
    np.testing.assert_allclose(strong.predict(new_X, new_f), plain, atol=1e-11)


# ---- audits -------------------------------------------------------------------------------------------------------


@given(columns(st.integers(0, 1), st.integers(1, 19).map(lambda k: k / 20), st.sampled_from([0, 1, 3])))
def test_measure_groups_is_the_plain_audit(rows):
    y, f, region = rows
    strong, plain = measure_groups(y, f, region), paper.section_4_2_audit(y, f, region)
    assert strong.loc[strong["n"] == 0, "gap"].isna().all()  # an empty subgroup keeps its line
    strong = strong[strong["n"] > 0]
    assert strong.index.tolist() == plain.index.tolist()
    same = ["n", "stated", "observed", "gap"]
    np.testing.assert_allclose(strong[same], plain[same], atol=1e-12)
    both = plain["observed"].between(0, 1, inclusive="neither")
    np.testing.assert_allclose(strong["p_value"][both], plain["p"][both], atol=1e-9)
    # where only one label was seen, the strong standard error does not believe that no other can come
    assert (strong["p_value"][~both] >= plain["p"][~both] - 1e-12).all()


@given(st.lists(grid, min_size=1, max_size=12))
def test_holm(p):
    np.testing.assert_allclose(holm(p), paper.section_4_2_holm(np.array(p)), atol=1e-12)


class AllCoins:
    """In the place of a generator: every possible row of coins, once."""

    def choice(self, values, shape):
        return np.array(list(product(values, repeat=shape[1])))


def fair_rows(seed, n):
    """As many labels 1 as 0, and features with segments."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.choice(["u", "v", "w"], n), "b": rng.integers(0, 4, n)})
    return rng.permutation(np.arange(n) % 2), X


def searched(y, X, f, seed, n_draws=19):
    """Segments of one column, every row a group of its own, so that draws turn signs as the joint test does."""
    options = {"groups": np.arange(len(y)), "max_features": 1, "min_rows": 5, "n_draws": n_draws, "rng": seed}
    search = search_segments(y, f, X, **options)
    return search, search.family.members(search.table.index, X)


@given(seeds, st.integers(20, 60).map(lambda k: 2 * k))
def test_gaps_of_a_search_are_those_of_the_joint_test(seed, n):
    """A score of 1/2 for as many ones as zeros: the variance that scores expect is the one that residuals show.

    Elsewhere the strong form takes the larger of the first and of the mean of both.
    """
    y, X = fair_rows(seed, n)
    search, member = searched(y, X, np.full(n, 0.5), seed)
    z, _ = paper.section_4_2_joint_test(y - 0.5, member, np.arange(n), 1, np.random.default_rng(seed))
    np.testing.assert_allclose(search.table["z"], z, atol=1e-6)


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_p_value_of_a_search_is_that_of_the_joint_test(seed):
    """All 16,384 coins against 4,999 draws; draws that equal the observed gap count in both."""
    n = 14
    y, X = fair_rows(seed, n)
    search, member = searched(y, X, np.full(n, 0.5), seed, 4999)
    z, largest = paper.section_4_2_joint_test(y - 0.5, member, np.arange(n), 1, AllCoins())
    observed = np.abs(z).max()
    assert len(largest) == 2**n
    assert search.p_value == pytest.approx(np.mean(largest >= observed - 1e-9), abs=4 * 0.5 / 5000**0.5)


# ---- routing ------------------------------------------------------------------------------------------------------


@st.composite
def pools(draw):
    """Signals of up to four models about some questions, often tied, and prices in order that may be equal."""
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    steps = st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=m, max_size=m)
    prices = np.cumsum(draw(steps), axis=0) / 2
    signal = np.array(draw(st.lists(st.lists(grid, min_size=n, max_size=n), min_size=m, max_size=m)))
    answers = np.arange(m * n).reshape(m, n)  # each its own, so that an answer says whose it is
    return signal, answers, prices if draw(st.booleans()) else np.sort(prices[:, 0])


def row_by_row(rule, signal, cost, knob):
    """Model and bill of each question."""
    table = np.broadcast_to(cost if cost.ndim == 2 else cost[:, None], signal.shape)
    return np.array([rule(column, prices, knob) for column, prices in zip(signal.T, table.T, strict=True)])


def same(routed, plain, answers):
    """Whether a strong rule is the plain one on every question."""
    assert routed.model.tolist() == plain[:, 0].tolist()
    np.testing.assert_allclose(routed.paid, plain[:, 1], atol=1e-12)
    assert routed.prediction.tolist() == answers[routed.model, np.arange(len(plain))].tolist()


@given(pools(), st.just(0.0) | grid)
def test_risk_cascade(pool, tau):
    R, answers, cost = pool
    strong = cascade(R, answers, cost, tau=tau)
    same(strong, row_by_row(lambda *row: paper.appendix_b_6(*row, smaller=np.less_equal), R, cost, tau), answers)
    as_printed = row_by_row(paper.appendix_b_6, R, cost, tau)
    if not (R == tau).any():
        same(strong, as_printed, answers)
    if tau == 0:  # nobody stops
        everything = np.broadcast_to(cost if cost.ndim == 2 else cost[:, None], R.shape).sum(axis=0)
        np.testing.assert_allclose(as_printed[:, 1], everything)


@given(pools(), st.integers(10, 20).map(lambda k: k / 20))
def test_confidence_cascade(pool, c):
    f, answers, cost = pool
    strong = confidence_cascade(f, answers, cost, threshold=c)
    same(strong, row_by_row(paper.appendix_c_5, f, cost, c), answers)


@given(pools(), st.integers(0, 40).map(lambda k: k / 2))
def test_router(pool, lambda_):
    Acc, answers, cost = pool
    same(
        route(Acc, answers, cost, willingness=lambda_),
        row_by_row(paper.section_4_3_router, Acc, cost, lambda_),
        answers,
    )


@given(seeds, st.integers(60, 300))
def test_tree_router_of_one_tree(seed, n):
    y, f, X = people(seed, n)
    correct = np.array([y == (f > 0.5), y == 1])
    for one in correct:  # of equally good splits scikit-learn takes one at random
        trees = [DecisionTreeRegressor(min_samples_leaf=15, random_state=k).fit(X, one).predict(X) for k in range(8)]
        assume(np.ptp(trees, axis=0).max() < 1e-8)
    strong = TreeRouter(n_halvings=0, rng=seed).fit(X, correct)
    plain = [paper.section_4_3_accuracy(one, X, X) for one in correct]
    np.testing.assert_allclose(strong.predict(X), plain, atol=1e-8)
