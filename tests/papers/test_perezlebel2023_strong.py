"""What the package computes without weights, groups and repetition is what Perez-Lebel et al. (2023) print."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.binning import assign_bins, uniform_edges
from helpers.calibration import reliability_curve, running_curve
from helpers.grouping import (
    binned_grouping_loss,
    binned_grouping_loss_from_regions,
    exact_decomposition,
    induced_bounds,
    sweep_bins,
)
from helpers.grouping.binned import _halves
from helpers.papers import perezlebel2023 as paper
from helpers.scoring import BRIER, LOG, decompose, top_label
from helpers.simulation import BlindSpot, FinitePopulation, Links, Sigmoid

NEAR = {"rel": 1e-9, "abs": 1e-12}
D = {BRIER: paper.equation_5_brier, LOG: paper.equation_5_log}
PHI = {BRIER: paper.equation_4_brier, LOG: paper.equation_4_log}
H = {BRIER: paper.h_brier, LOG: paper.h_log}
each_rule = pytest.mark.parametrize("rule", [BRIER, LOG], ids=repr)


def seeded(draw):
    return np.random.default_rng(draw(st.integers(0, 10**6)))


@st.composite
def rows(draw):
    """Truths, scores with ties, regions that may be empty or hold one row, a number of bins: few rows, often one."""
    n, rng = draw(st.integers(1, 30)), seeded(draw)
    S = rng.integers(0, draw(st.sampled_from([1, 4, 20])) + 1, n) / 20
    Q = rng.integers(0, 5, n) / 4
    return Q, S, 2 * rng.integers(0, draw(st.integers(1, 4)), n), draw(st.integers(1, 12))


@st.composite
def tables(draw):
    """The same with two to four classes; a class may never occur, and scores of nought are frequent."""
    n, K, rng = draw(st.integers(1, 20)), draw(st.integers(2, 4)), seeded(draw)
    S = rng.multinomial(4, rng.dirichlet(np.ones(K)), n) / 4
    Q = rng.multinomial(3, rng.dirichlet(np.ones(K)), n) / 3
    return Q, S, rng.integers(0, 3, (n, K)), draw(st.integers(1, 6))


@st.composite
def labelled(draw):
    """Labels, also of one class only, scores with ties, regions, a number of bins."""
    n, rng = draw(st.integers(4, 60)), seeded(draw)
    p = np.round(rng.random(n), draw(st.sampled_from([1, 9])))
    y = (rng.random(n) < draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))).astype(int)
    return y, p, rng.integers(0, draw(st.integers(1, 5)), n), draw(st.integers(1, 5)), draw(st.integers(0, 99))


# ---- helpers.scoring ---------------------------------------------------------------------------------------------


@each_rule
@given(rows(), tables())
def test_scores_divergences_and_variances(rule, binary, several):
    (Q, S, _, _), (Q_K, S_K, _, _) = binary, several
    y, k = (Q > 0.4).astype(int), Q_K.argmax(axis=1)
    assert rule.score(y, S) == pytest.approx(PHI[rule](S, y), **NEAR)
    assert rule.score(k, S_K) == pytest.approx(PHI[rule](S_K, np.eye(S_K.shape[1])[k]), **NEAR)
    for q, s in ((Q, S), (Q_K, S_K)):
        assert rule.divergence(q, s) == pytest.approx(D[rule](s, q), **NEAR)
        assert rule.entropy(q) == pytest.approx(-H[rule](q), **NEAR)
        assert rule.variance(q) == pytest.approx(paper.definition_4_1(H[rule], q, np.zeros(len(q)))[0], **NEAR)


@given(tables())
def test_the_top_label(table):
    Q, S, _, _ = table
    k = Q.argmax(axis=1)
    for ours, plain in zip(top_label(k, S), paper.section_3_top_label(np.eye(S.shape[1])[k], S), strict=True):
        assert ours.tolist() == plain.tolist()


def parts(found):
    return found.calibration, found.grouping, found.irreducible


@each_rule
@given(rows(), tables())
def test_three_parts_of_every_view(rule, binary, several):
    (Q, S, _, _), (Q_K, S_K, _, _) = binary, several
    d, h = D[rule], H[rule]
    assert parts(decompose(Q, S, rule=rule)) == pytest.approx(paper.equation_6(Q, S, d), **NEAR)
    joint, top, by_class = (decompose(Q_K, S_K, rule=rule, view=view) for view in ("joint", "top-label", "classwise"))
    assert parts(joint) == pytest.approx(paper.equation_6(Q_K, S_K, d), **NEAR)
    assert parts(top) == pytest.approx(paper.equation_6(*paper.section_3_top_label(Q_K, S_K), d), **NEAR)
    assert parts(by_class) == pytest.approx(paper.proposition_c_3(Q_K, S_K, d), **NEAR)
    assert joint.grouping == pytest.approx(paper.lemma_4_1(Q_K, S_K, h), **NEAR)
    assert by_class.grouping == pytest.approx(paper.lemma_c_4(Q_K, S_K, h), **NEAR)


@given(rows())
def test_a_calibrated_score_of_ones_own_is_the_c_of_the_definitions(cases):
    Q, S, _, _ = cases
    given_c = decompose(Q, S, paper.mean_given(Q, S))
    assert parts(given_c) == pytest.approx(paper.equation_6(Q, S), **NEAR)


# ---- helpers.binning, helpers.calibration, helpers.simulation ------------------------------------------------------


@given(rows())
def test_bins_and_what_is_stated_and_observed_in_them(cases):
    Q, S, _, N = cases
    B = assign_bins(S, uniform_edges(N))
    assert B.tolist() == paper.section_4_3_bins(S, N).tolist()
    y = (Q > 0.4).astype(int)
    curve = reliability_curve(y, S, n_bins=N)
    S_B, C_B = paper.definition_4_2(y, S, B)
    first = np.unique(B, return_index=True)[1]
    assert curve.stated == pytest.approx(S_B[first], **NEAR) and curve.observed == pytest.approx(C_B[first], **NEAR)
    binned = curve.weight @ (curve.observed - curve.stated) ** 2  # the l2 error of corollary C.2, not debiased
    assert binned == pytest.approx(paper.proposition_c_2(y, S, B)[0], **NEAR)


@given(rows())
def test_a_finite_population_knows_its_parts(cases):
    Q, S, _, _ = cases
    town = FinitePopulation(S, Q)
    assert town.c == pytest.approx(paper.mean_given(Q, S), **NEAR)
    found = town.calibration_loss, town.grouping_loss, town.irreducible_loss
    assert found == pytest.approx(paper.equation_6(Q, S), **NEAR)


@given(st.integers(0, 999))
def test_constructed_populations_have_the_printed_truths(seed):
    rng = np.random.default_rng(seed)
    x = np.append(rng.normal(size=20), 0.0)
    turn, other = rng.uniform(-1, 1), rng.uniform(0, 1)
    bent = lambda p: p + turn * np.minimum(p, 1 - p)  # noqa: E731
    one = Links(bent)
    S = one.stated(x)
    plain = paper.equation_14(x, S, bent, paper.appendix_b_1(bent))
    assert one.truth(x) == pytest.approx(plain, **NEAR)
    up, down = (lambda p: p + other * (1 - p)), (lambda p: p * other / 2)
    assert Links(up, other=down).truth(x) == pytest.approx(paper.equation_14(x, S, up, down), **NEAR)
    X = rng.normal(size=(20, 3))
    for accurate in (False, True):
        blind = BlindSpot(rng.normal(size=3), psi=np.sin, accurate=accurate)
        S, Q = paper.appendix_b_2(X, blind.weights, blind.direction, np.sin, accurate=accurate)
        assert blind.stated(X) == pytest.approx(S, **NEAR) and blind.truth(X) == pytest.approx(Q, **NEAR)
        plane = Sigmoid(accurate=accurate)
        _, Q = paper.appendix_b_2(X[:, :2], [1, 0], [0, 1], lambda t: np.tanh(1.5 * t), accurate=accurate)
        assert plane.truth(X[:, :2]) == pytest.approx(Q, **NEAR)


# ---- helpers.grouping.truth ----------------------------------------------------------------------------------------


@each_rule
@given(rows())
def test_known_parts_of_one_probability(rule, cases):
    Q, S, R, N = cases
    h, B = H[rule], paper.section_4_3_bins(S, N)
    known = exact_decomposition(Q, S, R, n_bins=N, rule=rule)
    unbinned = known.explained_unbinned, known.residual_unbinned
    assert unbinned == pytest.approx(paper.theorem_4_1(Q, S, R, h), **NEAR)
    assert known.explained_unbinned == pytest.approx(paper.equation_9(Q, S, R, h), **NEAR)
    bins = known.grouping_binned, known.grouping_loss, known.induced
    assert bins == pytest.approx(paper.proposition_4_1(Q, S, B, h), **NEAR)
    bound = known.explained, known.induced, known.residual
    assert bound == pytest.approx(paper.proposition_4_2(Q, S, B, R, h), **NEAR)
    assert known.lower_bound == pytest.approx(paper.equation_13(Q, S, B, R, h), **NEAR)
    S_B, C_B = paper.definition_4_2(Q, S, B)
    first = np.unique(B, return_index=True)[1]
    assert known.stated == pytest.approx(S_B[first], **NEAR) and known.rate == pytest.approx(C_B[first], **NEAR)
    assert known.calibration_loss == pytest.approx(paper.equation_6(Q, S, D[rule])[0], **NEAR)
    assert known.calibration_binned == pytest.approx(D[rule](S_B, C_B).mean(), **NEAR)


@given(rows())
def test_known_parts_and_bounds_of_appendix_c_8(cases):
    Q, S, R, N = cases
    B = paper.section_4_3_bins(S, N)
    known = exact_decomposition(Q, S, R, n_bins=N)
    calibration = known.calibration_binned, known.calibration_loss, known.calibration_induced
    assert calibration == pytest.approx(paper.proposition_c_2(Q, S, B), **NEAR)
    net, low, high = paper.theorem_c_1(Q, S, B)
    assert known.net_induced == pytest.approx(net, **NEAR)
    bounds = induced_bounds(known)
    printed = [(low, high), paper.corollary_c_1(Q, S, B), paper.corollary_c_1_width(Q, B, N)]
    names = ["theorem C.1", "corollary C.1", "width only"]
    near = {"abs": 1e-7}  # roots of variances that are 0 but for rounding
    assert bounds.loc[names, ["low", "high"]].to_numpy() == pytest.approx(np.array(printed), **near)
    assert bounds.loc[names, "floor"].to_numpy() == pytest.approx(paper.corollary_c_2(Q, S, B, R, N), **near)
    assert known.stated_variance.max() <= paper.lemma_c_3(N)[0] + 1e-15


@each_rule
@given(tables())
def test_known_parts_class_by_class(rule, table):
    Q, S, R, N = table
    B = np.column_stack([paper.section_4_3_bins(column, N) for column in S.T])
    known = exact_decomposition(Q, S, R, n_bins=N, rule=rule)
    found = (
        (known.explained_unbinned, known.residual_unbinned),
        (known.grouping_binned, known.grouping_loss, known.induced),
        (known.explained, known.induced, known.residual),
    )
    for ours, plain in zip(found, paper.theorem_c_2(Q, S, B, R, H[rule]), strict=True):
        assert ours == pytest.approx(plain, **NEAR)
    line = sweep_bins(Q, {"a": S}, R, n_bins=[N], rule=rule).loc[("a", N)]
    assert line["lower_bound"] == pytest.approx(known.lower_bound, abs=1e-15)
    if rule is BRIER:
        assert known.grouping_loss == pytest.approx(decompose(Q, S, view="classwise").grouping, **NEAR)


# ---- helpers.grouping.binned -----------------------------------------------------------------------------------------


@given(labelled())
def test_the_estimate_from_regions_is_proposition_4_3_without_regions_of_one_row(sample):
    y, p, R, N, seed = sample
    B = paper.section_4_3_bins(p, N)
    kept = np.array([((B == b) & (R == j)).sum() > 1 for b, j in zip(B, R, strict=True)])
    assume(kept.any())  # else the input is refused, see the next test
    found = binned_grouping_loss_from_regions(y, p, R, n_bins=N, correction="bins", rng=seed)
    plugin, bias = paper.proposition_4_3(y[kept], B[kept], R[kept])
    assert (found.plugin, found.bias, found.explained) == pytest.approx((plugin, bias, plugin - bias), **NEAR)
    assert found.left_out == pytest.approx(1 - kept.mean(), **NEAR)
    first, second = (running_curve(y[half], p[half], p) for half in _halves(y, p, None, np.random.default_rng(seed)))
    middle, apart = (paper.proposition_c_1(c[kept], B[kept]) for c in ((first + second) / 2, (first - second) / 2))
    assert found.induced == pytest.approx(middle - apart, **NEAR)  # of two curves, without the noise of either
    assert found.value == pytest.approx(plugin - bias - found.induced, **NEAR)
    if not kept.all():
        assert np.isnan(paper.proposition_4_3(y, B, R)[1])


def test_regions_of_one_row_only_are_refused_where_the_printed_formula_is_undefined():
    y, p, R = np.array([0, 1, 1, 0]), np.full(4, 0.5), np.arange(4)
    assert np.isnan(paper.proposition_4_3(y, np.zeros(4), R)[1])
    with pytest.raises(ValueError, match="region must leave two independent rows"):
        binned_grouping_loss_from_regions(y, p, R, rng=0)


@pytest.mark.parametrize("estimator", ["tree", "stump", "kmeans"])
@pytest.mark.parametrize("seed", range(3))
def test_the_whole_recipe_ends_in_proposition_4_3(estimator, seed):
    """The labels of its evaluated half, rebuilt from the size and the rate of each region."""
    rng = np.random.default_rng(seed)
    p, X = np.round(rng.random(120), 1), rng.normal(size=(120, 2))
    y = rng.random(120) < p
    options = {"n_bins": 3, "region_ratio": 6, "estimator": estimator, "correction": "bins", "rng": seed}
    found = binned_grouping_loss(y, p, X, **options)
    ill = np.rint(found.count * found.rate).astype(int)
    Y = np.concatenate([np.arange(n_j) < k_j for n_j, k_j in zip(found.count, ill, strict=True)])
    region = np.repeat(np.arange(found.count.size), found.count)
    plugin, bias = paper.proposition_4_3(Y, found.region_bin[region], region)
    assert (found.plugin, found.bias) == pytest.approx((plugin, bias), **NEAR) and found.n == Y.size
    assert found.value == pytest.approx(plugin - bias - found.induced, **NEAR)
