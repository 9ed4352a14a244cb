"""The formulas of Perez-Lebel et al. (2023) against loops over rows, hand-worked cases and exact enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import binom

from helpers.papers import perezlebel2023 as paper

each_d = pytest.mark.parametrize("d", [paper.equation_5_brier, paper.equation_5_log])
each_h = pytest.mark.parametrize("h", [paper.h_brier, paper.h_log])


@st.composite
def rows(draw):
    """A few cases with ties, truths at 0 and 1, bins that may be empty and regions that may hold one row."""
    n = draw(st.integers(1, 14))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    S = rng.integers(0, draw(st.sampled_from([2, 4, 20])) + 1, n) / 20
    Q = rng.integers(0, 5, n) / 4
    return Q, S, (S * draw(st.integers(1, 6))).astype(int), rng.integers(0, draw(st.integers(1, 3)), n)


@st.composite
def tables(draw):
    """The same with three classes, and bins and regions of each class."""
    n = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    S = rng.multinomial(4, rng.dirichlet([1, 1, 1], n)) / 4
    Q = rng.multinomial(3, [0.5, 0.3, 0.2], n) / 3
    return Q, S, (2 * S).astype(int), rng.integers(0, 2, (n, 3))


def mean_loop(U, *V):
    """E[U | V], row by row: the mean over the rows that agree in all labels."""
    U, V = np.asarray(U, float), [np.asarray(v).reshape(len(v), -1) for v in V]
    same = [np.all([(v == v[i]).all(axis=1) for v in V], axis=0) for i in range(len(U))]
    return np.array([sum(U[rows]) / rows.sum() for rows in same])


# ---- sections 2 and 3 --------------------------------------------------------------------------------------------


@given(tables())
def test_conditional_means_and_three_meanings_of_calibrated(table):
    Q, S, _, R = table
    assert paper.mean_given(Q, S, R[:, 0]) == pytest.approx(mean_loop(Q, S, R[:, 0]))
    assert paper.mean_given(Q[:, 0], R[:, 1]) == pytest.approx(mean_loop(Q[:, 0], R[:, 1]))
    assert paper.definition_3_1(Q, S) == pytest.approx(mean_loop(Q, S))
    by_class = paper.definition_3_2(Q, S)
    for k in range(3):
        assert by_class[:, k] == pytest.approx(mean_loop(Q[:, k], S[:, k]))
    top = [max(range(3), key=lambda k: s[k]) for s in S]  # the first of ties
    right, stated = paper.section_3_top_label(Q, S)
    assert right.tolist() == [q[k] for q, k in zip(Q, top, strict=True)]
    assert stated.tolist() == [max(s) for s in S]
    assert paper.definition_3_3(Q, S) == pytest.approx(mean_loop(right, stated))


def test_calibrated_in_one_sense_and_not_in_another():
    orders = np.array([*itertools.permutations((0.6, 0.3, 0.1))])
    even = np.array([1, -1, -1, 1, 1, -1])[:, None]
    push = np.where(orders == 0.6, 0.1, -0.05)
    Q = orders + even * push  # cancels for each class, and not for the row
    assert abs(paper.definition_3_2(Q, orders) - orders).max() < 1e-12
    assert abs(paper.definition_3_1(Q, orders) - orders).max() == pytest.approx(0.1)
    Q = np.where(orders == 0.6, orders, 0.4 - orders)  # the lower scores exchanged
    assert abs(paper.definition_3_3(Q, orders) - 0.6).max() < 1e-12
    assert abs(paper.definition_3_2(Q, orders) - orders).max() == pytest.approx(0.2)


def test_scores_by_hand():
    S, Y = [[0.2, 0.3, 0.5], [0.1, 0.9, 0.0]], [[0, 0, 1], [1, 0, 0]]
    assert paper.equation_4_log(S, Y) == pytest.approx([-np.log(0.5), -np.log(0.1)])
    assert paper.equation_4_brier(S, Y) == pytest.approx([0.04 + 0.09 + 0.25, 0.81 + 0.81])
    assert paper.equation_4_log([0.8, 0.8], [1, 0]) == pytest.approx([-np.log(0.8), -np.log(0.2)])
    assert paper.equation_4_brier([0.8, 0.8], [1, 0]) == pytest.approx([0.04, 0.64])
    assert paper.equation_4_log([0.0, 1.0], [1, 1]).tolist() == [np.inf, 0]
    assert paper.equation_5_log([[0.5, 0.5]], [[0.2, 0.8]]) == pytest.approx([0.2 * np.log(0.4) + 0.8 * np.log(1.6)])
    assert paper.equation_5_log([0.5], [0.2]) == pytest.approx([0.2 * np.log(0.4) + 0.8 * np.log(1.6)])
    assert paper.equation_5_log([0.0, 0.0], [0.1, 0.0]).tolist() == [np.inf, 0]
    assert paper.equation_5_brier([[0.5, 0.5]], [[0.2, 0.8]]) == pytest.approx([0.18])
    assert paper.equation_5_brier([0.5], [0.2]) == pytest.approx([0.09])


@each_d
@given(tables())
def test_divergences_are_regrets_and_expected_scores_weigh_the_outcomes(d, table):
    Q, S, _, _ = table
    phi = paper.equation_4_log if d is paper.equation_5_log else paper.equation_4_brier
    expected = [
        sum(q[k] * phi([s], [np.eye(3)[k]])[0] for k in range(3) if q[k] > 0) for q, s in zip(Q, S, strict=True)
    ]
    assert paper.section_3_2_expected(phi, S, Q) == pytest.approx(expected)
    assert paper.section_3_2_divergence(phi, S, Q) == pytest.approx(d(S, Q), abs=1e-12)
    assert (d(S, Q) >= -1e-12).all() and d(Q, Q) == pytest.approx(0, abs=1e-12)
    q, s = Q[:, 0], S[:, 0]
    two = q * np.where(q > 0, phi(s, np.ones(len(q))), 0) + (1 - q) * np.where(q < 1, phi(s, np.zeros(len(q))), 0)
    assert paper.section_3_2_expected(phi, s, q) == pytest.approx(two)
    assert paper.section_3_2_divergence(phi, s, q) == pytest.approx(d(s, q), abs=1e-12)


def total(d, S, Q):
    """E d(S, Y) with the labels drawn, without any calibrated score."""
    return sum((Q[:, k] * np.where(Q[:, k] > 0, d(S, 0 * Q + np.eye(3)[k]), 0)).mean() for k in range(3))


@each_d
@given(tables())
def test_equation_6_and_proposition_c_3_split_the_expected_loss(d, table):
    Q, S, _, _ = table
    joint, by_class = paper.equation_6(Q, S, d), paper.proposition_c_3(Q, S, d)
    assert sum(joint) == pytest.approx(total(d, S, Q)) and sum(by_class) == pytest.approx(total(d, S, Q))
    C = mean_loop(Q, S)
    assert joint[:2] == pytest.approx((d(S, C).mean(), d(C, Q).mean()), abs=1e-12)
    C = np.column_stack([mean_loop(Q[:, k], S[:, k]) for k in range(3)])
    terms = (
        (C * np.log(np.where(C > 0, C, 1) / np.where(S > 0, S, np.nan))) if d is paper.equation_5_log else (S - C) ** 2
    )
    impossible = (C > 0) & (S == 0)
    wanted = np.inf if impossible.any() and d is paper.equation_5_log else np.nansum(terms) / len(Q)
    assert by_class[0] == pytest.approx(wanted, abs=1e-12)
    assert min(*joint, *by_class) >= -1e-12


def test_equation_6_by_hand_counts_one_class_and_for_a_table_both():
    Q, S = np.array([0.3, 0.9, 0.4]), np.array([0.5, 0.5, 0.1])
    one = [(2 * 0.1**2 + 0.3**2) / 3, 2 * 0.3**2 / 3, (0.21 + 0.09 + 0.24) / 3]
    assert paper.equation_6(Q, S) == pytest.approx(one)
    both = paper.equation_6(np.column_stack([1 - Q, Q]), np.column_stack([1 - S, S]))
    assert both == pytest.approx(2 * np.array(one))
    logs = paper.equation_6(Q, S, paper.equation_5_log)
    assert logs == pytest.approx(paper.equation_6(np.c_[1 - Q, Q], np.c_[1 - S, S], paper.equation_5_log))
    assert logs[2] == pytest.approx(-np.mean(Q * np.log(Q) + (1 - Q) * np.log(1 - Q)))


# ---- sections 4.1 to 4.3 -----------------------------------------------------------------------------------------


@given(rows())
def test_the_f_variance_of_any_function(cases):
    Q, S, _, R = cases
    for f in (np.square, np.exp, np.abs):
        got = paper.definition_4_1(f, Q, S, R)
        assert got == pytest.approx(mean_loop(f(Q), S, R) - f(mean_loop(Q, S, R)), abs=1e-12)
    variance = [np.var(Q[S == s]) for s in S]
    assert paper.definition_4_1(np.square, Q, S) == pytest.approx(variance, abs=1e-12)
    assert paper.lemma_4_1(Q, S) == pytest.approx(np.mean(variance), abs=1e-12)


def test_negative_entropies_by_hand():
    assert paper.h_brier([0.2, 1.0]) == pytest.approx([-0.16, 0])
    assert paper.h_brier([[0.2, 0.3, 0.5]]) == pytest.approx([0.04 + 0.09 + 0.25 - 1])
    assert paper.h_log([0.2]) == pytest.approx([0.2 * np.log(0.2) + 0.8 * np.log(0.8)])
    assert paper.h_log([[0.2, 0.8]]) == pytest.approx([0.2 * np.log(0.2) + 0.8 * np.log(0.8)])
    assert paper.h_log([[0.2]]) == pytest.approx([0.2 * np.log(0.2)])  # a column alone
    for h, d in ((paper.h_brier, paper.equation_5_brier), (paper.h_log, paper.equation_5_log)):
        Q = np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])
        assert h(Q) == pytest.approx(-paper.section_3_2_expected(d, Q, Q))


@pytest.mark.parametrize(
    ("h", "d"), [(paper.h_brier, paper.equation_5_brier), (paper.h_log, paper.equation_5_log)], ids=["brier", "log"]
)
@given(rows())
def test_parts_explained_by_regions_and_induced_by_bins_are_divergences_of_means(h, d, cases):
    Q, S, B, R = cases
    C, C_B, by_score, by_bin = (mean_loop(Q, *given) for given in ((S,), (B,), (S, R), (B, R)))
    near = {"abs": 1e-12, "rel": 1e-9}
    assert paper.lemma_4_1(Q, S, h) == pytest.approx(d(C, Q).mean(), **near)
    split = d(C, by_score).mean(), d(by_score, Q).mean()
    assert paper.theorem_4_1(Q, S, R, h) == pytest.approx(split, **near)
    assert paper.equation_9(Q, S, R, h) == pytest.approx(split[0], **near)
    induced = d(C_B, C).mean()
    assert paper.proposition_4_1(Q, S, B, h) == pytest.approx((d(C_B, Q).mean(), d(C, Q).mean(), induced), **near)
    explained = d(C_B, by_bin).mean()
    assert paper.proposition_4_2(Q, S, B, R, h) == pytest.approx((explained, induced, d(by_bin, Q).mean()), **near)
    assert paper.equation_13(Q, S, B, R, h) == pytest.approx(explained - induced, **near)
    assert paper.proposition_c_1(C, B, h) == pytest.approx(induced, **near)
    S_B, rate = paper.definition_4_2(Q, S, B)
    assert S_B == pytest.approx(mean_loop(S, B)) and rate == pytest.approx(C_B)


@each_h
@given(rows())
def test_the_identities_and_bounds_of_section_4(h, cases):
    Q, S, B, R = cases
    loss, (explained, residual) = paper.lemma_4_1(Q, S, h), paper.theorem_4_1(Q, S, R, h)
    assert loss == pytest.approx(explained + residual, abs=1e-12) and loss >= explained - 1e-12 >= -2e-12
    binned, own, induced = paper.proposition_4_1(Q, S, B, h)
    assert own == pytest.approx(loss) and binned == pytest.approx(own + induced, abs=1e-12) and induced >= -1e-12
    explained, induced, residual = paper.proposition_4_2(Q, S, B, R, h)
    assert loss == pytest.approx(explained - induced + residual, abs=1e-12)
    assert paper.equation_13(Q, S, B, R, h) <= loss + 1e-12
    within, between = paper.lemma_c_1(h, Q, R, B)
    assert within + between == pytest.approx(paper.definition_4_1(h, Q, B), abs=1e-12)
    inside = paper.definition_4_1(h, Q, R, B)
    assert within == pytest.approx(mean_loop(inside, B), abs=1e-12)


def test_bins_are_closed_on_the_left_and_the_last_one_on_both_sides():
    edges = np.arange(11) / 10
    assert paper.section_4_3_bins(edges, 10).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]
    assert paper.section_4_3_bins(np.nextafter(edges[1:], 0), 10).tolist() == [*range(10)]
    assert paper.section_4_3_bins([0.5, 0.99]).tolist() == [7, 14]
    assert paper.section_4_3_bins([-0.1, 1.1], 10).tolist() == [-1, 9]  # nothing is checked


def test_exact_facts_of_equal_bins():
    S = (np.arange(480) + 0.5) / 480  # calibrated, evenly spread
    for N in (1, 2, 15):
        B, (at_most, uniform) = paper.section_4_3_bins(S, N), paper.lemma_c_3(N)
        induced = paper.proposition_4_1(S, S, B)[2]
        assert induced == pytest.approx(uniform * (1 - (N / 480) ** 2)) and induced < at_most
    heaps = np.array([0.75, 1.0])  # half at each end of the last of four bins
    B = paper.section_4_3_bins(heaps, 4)
    assert paper.definition_4_1(np.square, heaps, B) == pytest.approx(paper.lemma_c_3(4)[0])


# ---- from labels -----------------------------------------------------------------------------------------------------


def test_proposition_4_3_by_hand():
    """Two bins: one of eight rows in two regions, one of four rows in one region."""
    Y = [0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0]
    B, R = [0] * 8 + [3] * 4, [1] * 4 + [5] * 4 + [1] * 4
    plugin = 8 / 12 * 0.25**2
    noise = 0.25 * 0.75 / 3
    bias = 8 / 12 * (noise - 0.25 / 7) + 4 / 12 * (noise - noise)
    assert paper.proposition_4_3(Y, B, R) == pytest.approx((plugin, bias))
    unequal = paper.proposition_4_3([1, 1, 0, 0, 0, 0, 1], [0] * 7, [0, 0, 0, 1, 1, 1, 1])
    mu = np.array([2 / 3, 1 / 4])
    noise = (3 * mu[0] * (1 - mu[0]) / 2 + 4 * mu[1] * (1 - mu[1]) / 3) / 7 - 3 / 7 * 4 / 7 / 6
    assert unequal == pytest.approx((3 / 7 * (mu[0] - 3 / 7) ** 2 + 4 / 7 * (mu[1] - 3 / 7) ** 2, noise))


def test_a_region_of_one_row_leaves_the_printed_estimate_undefined():
    plugin, bias = paper.proposition_4_3([0, 1, 1, 1], [0] * 4, [0, 0, 0, 1])
    assert plugin == pytest.approx(3 / 4 * (2 / 3 - 3 / 4) ** 2 + 1 / 4 * (1 - 3 / 4) ** 2) and np.isnan(bias)


def plugin_of(rates, counts, n):
    return (counts * rates**2).sum() / n - ((counts * rates).sum() / n) ** 2


@pytest.mark.parametrize("mu", [(0.3, 0.3), (0.1, 0.6), (0.02, 0.98)])
def test_the_bias_of_the_plug_in_by_enumeration_of_all_samples(mu):
    """Appendix C.6 and lemma C.2, exactly: all sizes and labels of two regions of a bin of seven rows."""
    mu, p, n = np.array(mu), np.array([0.4, 0.6]), 7
    mean, left = 0.0, 0.0
    for n_0 in range(n + 1):
        size = np.array([n_0, n - n_0])
        for k_0, k_1 in itertools.product(range(size[0] + 1), range(size[1] + 1)):
            chance = binom.pmf(n_0, n, p[0]) * binom.pmf(k_0, size[0], mu[0]) * binom.pmf(k_1, size[1], mu[1])
            Y = np.r_[np.arange(size[0]) < k_0, np.arange(size[1]) < k_1].astype(float)
            plugin, bias = paper.proposition_4_3(Y, np.zeros(n), np.repeat([0, 1], size))
            assert plugin == pytest.approx(plugin_of(np.array([k_0, k_1]) / np.maximum(size, 1), size, n), abs=1e-12)
            mean += chance * plugin
            left += chance * (0 if np.isnan(bias) else plugin - bias - (p @ mu**2 - (p @ mu) ** 2))
    explained = p @ mu**2 - (p @ mu) ** 2
    assert mean == pytest.approx(explained + paper.appendix_c_6(mu, p, n))


def test_the_debiased_estimate_is_right_on_average_over_all_labels():
    """Sizes given: every labelling of two regions of three and four rows, weighted with its chance."""
    mu, size = np.array([0.2, 0.7]), np.array([3, 4])
    R, n = np.repeat([0, 1], size), 7
    estimate = 0.0
    for Y in itertools.product([0, 1], repeat=n):
        chance = np.prod(np.where(Y, mu[R], 1 - mu[R]))
        plugin, bias = paper.proposition_4_3(Y, np.zeros(n), R)
        estimate += chance * (plugin - bias)
    # With the sizes fixed the rate of the bin varies less than lemma C.2 says: by the regions' spread over n - 1.
    explained = size @ mu**2 / n - (size @ mu / n) ** 2
    assert estimate == pytest.approx(explained * n / (n - 1))


def test_the_bias_may_be_negative_and_never_below_a_quarter_of_one_over_n():
    assert paper.appendix_c_6([0.02, 0.98], [0.5, 0.5], 100) == pytest.approx((2 * 0.0196 - 0.25) / 100)
    assert paper.appendix_c_6([0.3] * 10, [0.1] * 10, 100) == pytest.approx(0.21 / 100 * (10 * (1 - 0.9**100) - 1))
    assert paper.appendix_c_6([0, 1], [0.5, 0.5], 10) == pytest.approx(-1 / 40)
    assert paper.appendix_c_6([0.2, 0.8], [0.25, 0.75], 2) == pytest.approx(
        (0.16 * (1 - 0.75**2) + 0.16 * (1 - 0.25**2)) / 2 - 0.65 * 0.35 / 2
    )


def test_lemma_c_2_by_enumeration():
    Q, n = np.array([0.1, 0.9, 0.9]), 3
    rates = {}
    for who in itertools.product(range(3), repeat=n):  # new people each time
        for Y in itertools.product([0, 1], repeat=n):
            chance = np.prod([Q[i] if y else 1 - Q[i] for i, y in zip(who, Y, strict=True)]) / 3**n
            rates[sum(Y) / n] = rates.get(sum(Y) / n, 0) + chance
    mean = sum(rate * chance for rate, chance in rates.items())
    variance = sum((rate - mean) ** 2 * chance for rate, chance in rates.items())
    assert paper.lemma_c_2(Q, n) == pytest.approx((mean, variance))


# ---- appendix B -----------------------------------------------------------------------------------------------------


def test_links_are_calibrated_if_they_balance():
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    S = 1 - np.exp(-((0.9 * x) ** 2))
    h = lambda s: np.minimum(2 * s, 1)  # noqa: E731
    Q = paper.equation_14(x, S, h, paper.appendix_b_1(h))
    assert Q == pytest.approx(
        np.where(x > 0, np.minimum(2 * S, 1), np.where(x < 0, np.maximum(2 * S - 1, 0), S)), abs=1e-12
    )
    assert paper.mean_given(Q, S) == pytest.approx(S)
    assert paper.equation_14(x, S + 0.1, np.zeros_like, np.ones_like).tolist() == pytest.approx([1, 1, 0.1, 0, 0])


def test_the_blind_spot_is_calibrated_and_may_keep_every_decision():
    X = np.array([[a, b] for a in (-1.5, -0.2, 0.4, 3.0) for b in (-1.0, 0.3, -0.3, 1.0)])
    S, Q = paper.appendix_b_2(X, [2, 0], [0, 1], np.sin)
    assert pytest.approx(expit(2 * X[:, 0])) == S
    assert pytest.approx(S + np.sin(X[:, 1]) * np.minimum(S, 1 - S)) == Q
    assert paper.mean_given(Q, S) == pytest.approx(S)
    _, near = paper.appendix_b_2(X, [2, 0], [0, 1], np.sin, accurate=True)
    assert pytest.approx(S + np.sin(X[:, 1]) * np.min([S, 1 - S, abs(S - 0.5)], axis=0)) == near
    assert ((near >= 0.5) == (S >= 0.5)).all() and ((Q >= 0.5) != (S >= 0.5)).any()
    psi, room = np.r_[0.5, -0.25, 1.0], np.array([0.2, 0.2, 0.4])
    assert paper.equation_15([0.2, 0.2, 0.6], psi, room) == pytest.approx([0.225, 0.225, 1.0])


def test_the_grouping_loss_of_figures_11_and_12():
    """X normal with variances 10 and 1, by a grid; the values were computed independently by quadrature."""
    a, b = np.linspace(-7, 7, 8001), np.linspace(-7, 7, 71)
    X = np.column_stack([np.repeat(a * 10**0.5, b.size), np.tile(b, a.size)])
    weight = np.exp(-(X**2 / [10, 1]).sum(axis=1) / 2)
    for accurate, wanted in ((False, 0.02535948084), (True, 0.007683939163)):
        S, Q = paper.appendix_b_2(X, [1, 0], [0, 1], lambda t: 2 * expit(3 * t) - 1, accurate=accurate)
        assert np.average((Q - S) ** 2, weights=weight) == pytest.approx(wanted, rel=1e-5)
    S, _ = paper.appendix_b_2(X, [1, 0], [0, 1], np.sin)
    assert np.average(S * (1 - S), weights=weight) == pytest.approx(0.1102946424, rel=1e-6)


# ---- appendices C.8 to C.10 ------------------------------------------------------------------------------------------


@given(rows())
def test_what_bins_do_to_both_losses(cases):
    Q, S, B, R = cases
    C, S_B, C_B = mean_loop(Q, S), mean_loop(S, B), mean_loop(Q, B)
    miss = S - C
    hidden = np.mean((miss - mean_loop(miss, B)) ** 2)
    binned, own, got = paper.proposition_c_2(Q, S, B)
    wanted = np.mean((S_B - C_B) ** 2), np.mean((S - C) ** 2), hidden
    assert (binned, own, got) == pytest.approx(wanted, abs=1e-12) and binned == pytest.approx(own - got, abs=1e-12)
    net, low, high = paper.theorem_c_1(Q, S, B)
    assert net == pytest.approx(paper.proposition_4_1(Q, S, B)[2] - hidden, abs=1e-12)
    bins, share = np.unique(B, return_counts=True)
    ends = np.zeros((2, 2))
    for b, n_b in zip(bins, share, strict=True):
        s, t, v = np.std(S[b == B]), np.std(C[b == B]), np.sqrt(max(C_B[b == B][0] * (1 - C_B[b == B][0]), 0))
        ends += n_b / len(S) * np.array([[-s * (2 * t + s), s * (2 * t - s)], [-s * (2 * v + s), s * (2 * v - s)]])
    assert (low, high) == pytest.approx(tuple(ends[0]), abs=1e-9)
    assert paper.corollary_c_1(Q, S, B) == pytest.approx(tuple(ends[1]), abs=1e-9)
    assert low - 1e-12 <= net <= high + 1e-12


@given(rows(), st.integers(1, 6))
def test_bounds_from_widths_and_floors_of_the_mean_squared_error(cases, N):
    Q, S, _, R = cases
    B = paper.section_4_3_bins(S, N)
    C_B = mean_loop(Q, B)
    mean_v = np.mean(np.sqrt(C_B * (1 - C_B)))
    low, high = paper.corollary_c_1_width(Q, B, N)
    assert (low, high) == pytest.approx((-mean_v / N - 1 / (2 * N) ** 2, mean_v / N))
    assert low <= paper.theorem_c_1(Q, S, B)[0] <= high + 1e-12
    floors = paper.corollary_c_2(Q, S, B, R, N)
    binned = np.mean((mean_loop(S, B) - C_B) ** 2) + np.mean((mean_loop(Q, B, R) - C_B) ** 2)
    highs = paper.theorem_c_1(Q, S, B)[2], paper.corollary_c_1(Q, S, B)[1], high
    assert floors == pytest.approx([binned - h for h in highs], abs=1e-12)
    assert max(floors) <= np.mean((S - Q) ** 2) + 1e-9 and floors[0] >= floors[1] - 1e-9 >= floors[2] - 2e-9


def test_the_bounds_of_theorem_c_1_are_attained_by_straight_curves():
    S, B = np.array([0.4, 0.5, 0.6]), np.zeros(3)
    for slope, end in ((-1, 1), (2, 2)):
        sides = paper.theorem_c_1(0.5 + slope * (S - 0.5), S, B)
        assert sides[0] == pytest.approx(sides[end]) == pytest.approx((2 * slope - 1) * np.var(S))
    low, high = paper.corollary_c_1([1, 0], np.array([0.0, 1.0]), [0, 0])
    assert (low, high) == pytest.approx((-0.75, 0.25))
    assert paper.corollary_c_1_width([1, 0], [0, 0], 1) == pytest.approx((-0.75, 0.5))
    # the upper width bound is attained where every rate is 0 or 1
    assert paper.theorem_c_1([1, 1], [0.5, 0.5], [0, 0])[0] == paper.corollary_c_1_width([1, 1], [0, 0], 1)[1] == 0


@each_h
@given(tables())
def test_class_by_class(h, table):
    Q, S, B, R = table

    def gap(u, *given):  # of a column alone
        h_k = (lambda p: p**2) if h is paper.h_brier else (lambda p: p * np.log(np.where(p > 0, p, 1)))
        return (mean_loop(h_k(u), *given) - h_k(mean_loop(u, *given))).mean()

    columns = [(Q[:, k], S[:, k], B[:, k], R[:, k]) for k in range(3)]
    loss = sum(gap(q, s) for q, s, b, r in columns)
    assert paper.lemma_c_4(Q, S, h) == pytest.approx(loss, abs=1e-12)
    found = paper.theorem_c_2(Q, S, B, R, h)
    split = [gap(mean_loop(q, s, r), s) for q, s, b, r in columns], [gap(q, s, r) for q, s, b, r in columns]
    assert found[0] == pytest.approx([sum(part) for part in split], abs=1e-12)
    induced = sum(gap(mean_loop(q, s), b) for q, s, b, r in columns)
    assert found[1] == pytest.approx([sum(gap(q, b) for q, s, b, r in columns), loss, induced], abs=1e-12)
    explained = sum(gap(mean_loop(q, b, r), b) for q, s, b, r in columns)
    residual = sum(gap(q, b, r) for q, s, b, r in columns)
    assert found[2] == pytest.approx([explained, induced, residual], abs=1e-12)


@each_h
@given(tables())
def test_recalibration_adds_what_it_merges(h, table):
    Q, S, _, _ = table
    merged = S.max(axis=1) > 0.6
    new, own, added = paper.lemma_c_5(Q, S, merged, h)
    assert (new, own) == pytest.approx((paper.lemma_4_1(Q, merged, h), paper.lemma_4_1(Q, S, h)), abs=1e-12)
    assert added == pytest.approx(paper.definition_4_1(h, mean_loop(Q, S), merged).mean(), abs=1e-12)
    assert new == pytest.approx(own + added, abs=1e-12)
    for S_new in (0.9 * S + 0.03, mean_loop(Q, S).round(9)):  # invertible, and exact
        assert paper.lemma_c_5(Q, S, S_new, h)[2] == pytest.approx(0, abs=1e-12)


def test_every_item_has_a_function_or_a_reason():
    names = {name.split(".")[-1] for name in paper.NOT_COMPUTED}
    assert not names & {name for name in vars(paper) if callable(getattr(paper, name))}
    assert all(reason.endswith(".") for reason in paper.NOT_COMPUTED.values())
