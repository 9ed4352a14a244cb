"""Bins and regions when the truth is known: brute force, the paper's identities, its bounds, and bad inputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.binning import assign_bins, uniform_edges
from helpers.grouping import exact_decomposition, induced_bounds, sweep_bins
from helpers.grouping.truth import NUMBERS
from helpers.scoring import BRIER, LOG, decompose
from helpers.simulation import Sigmoid

each_rule = pytest.mark.parametrize("rule", [BRIER, LOG], ids=repr)
LOSSES = (
    "calibration_loss", "grouping_loss", "calibration_binned", "grouping_binned", "induced", "explained", "residual",
    "explained_unbinned", "residual_unbinned",
)  # fmt: skip


@st.composite
def populations(draw, most=30):
    """Rows of a finite population: scores with ties, truths, regions, shares, and a number of bins."""
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    steps = draw(st.sampled_from([4, 20, 1000]))
    p = rng.integers(0, steps + 1, n) / steps
    q = rng.integers(0, 11, n) / 10
    return p, q, rng.integers(0, draw(st.integers(1, 4)), n), rng.uniform(0.1, 3, n), draw(st.integers(1, 12))


def mean(values, weight):
    return float(np.average(values, weights=weight))


def cell_means(values, weight, *labels):
    """For each row the mean of `values` over the rows with the same labels, from all pairs of rows."""
    same = np.all([label[:, None] == label for label in labels], axis=0) * weight
    return np.minimum(same @ values / same.sum(axis=1), 1)  # rounding may go above 1


# ---- by hand and by brute force --------------------------------------------------------------------------------


def test_figure_2_by_hand():
    """One score, 0.7; two regions with 0.6 and 0.8, and inside each a spread of 0.1 around it."""
    known = exact_decomposition([0.5, 0.7, 0.7, 0.9], [0.7] * 4, [0, 0, 1, 1], n_bins=10)
    assert known.grouping_loss == pytest.approx(0.02) and known.calibration_loss == pytest.approx(0)
    assert known.explained_unbinned == pytest.approx(0.01) == known.explained
    assert known.residual_unbinned == pytest.approx(0.01) == known.residual
    assert known.induced == pytest.approx(0) and known.lower_bound == pytest.approx(0.01)
    assert (known.left_edge[0], known.right_edge[0], known.share[0]) == (0.7, 0.8, pytest.approx(1))
    assert str(known) == "grouping loss 0.0200 = explained 0.0100 - induced 0.0000 + residual 0.0100, 1 bin"


def test_a_perfect_score_in_one_wide_bin_by_hand():
    known = exact_decomposition([0.6, 0.8], [0.6, 0.8], n_bins=2)
    assert (known.grouping_loss, known.calibration_loss) == pytest.approx((0, 0))
    assert known.grouping_binned == known.induced == pytest.approx(0.01)
    assert known.stated == pytest.approx([0.7]) == known.rate
    assert known.stated_variance == pytest.approx([0.01]) == known.covariance == known.rate_variance
    split = exact_decomposition([0.6, 0.8], [0.6, 0.8], [0, 1], n_bins=2)
    assert split.explained == pytest.approx(0.01) == split.expected
    assert split.lower_bound == pytest.approx(0) == split.lower_bound_regions
    assert known.lower_bound == pytest.approx(-0.01) and known.lower_bound_regions == 0


@each_rule
@given(populations())
def test_every_loss_against_a_loop(rule, population):
    p, q, region, w, n_bins = population
    known = exact_decomposition(q, p, region, n_bins=n_bins, rule=rule, sample_weight=w)
    bins = assign_bins(p, uniform_edges(n_bins))
    c, p_bin, c_bin = cell_means(q, w, p), cell_means(p, w, bins), cell_means(q, w, bins)
    by_bin, by_score = cell_means(q, w, bins, region), cell_means(q, w, p, region)
    expected = {
        "calibration_loss": (c, p), "grouping_loss": (q, c), "calibration_binned": (c_bin, p_bin),
        "grouping_binned": (q, c_bin), "induced": (c, c_bin), "explained": (by_bin, c_bin), "residual": (q, by_bin),
        "explained_unbinned": (by_score, c), "residual_unbinned": (q, by_score),
    }  # fmt: skip
    expected = {name: mean(rule.divergence(*pair), w) for name, pair in expected.items()}
    assert {name: getattr(known, name) for name in LOSSES} == pytest.approx(expected, abs=1e-12)
    beyond = mean(rule.divergence(by_bin, cell_means(c, w, bins, region)), w)
    assert known.lower_bound_regions == pytest.approx(beyond, abs=1e-12)
    assert known.lower_bound <= known.explained_unbinned + 1e-12
    assert known.calibration_binned <= known.calibration_loss + 1e-12  # proposition C.2, and for the log score ours
    used = np.unique(bins)
    assert known.share == pytest.approx(np.bincount(bins, w)[used] / w.sum())
    assert np.array_equal(
        np.column_stack([known.left_edge, known.right_edge]) * n_bins, np.column_stack([used, used + 1])
    )
    around = [(p - p_bin) ** 2, (c - c_bin) ** 2, (p - p_bin) * (c - c_bin)]
    for one, found in zip(around, (known.stated_variance, known.rate_variance, known.covariance), strict=True):
        assert found == pytest.approx([mean(one[bins == b], w[bins == b]) for b in used], abs=1e-12)


def test_the_log_score_is_infinite_where_it_must_be_and_bins_hide_it():
    known = exact_decomposition([0.1, 0.1], [0.0, 0.2], n_bins=2, rule=LOG)
    assert known.calibration_loss == np.inf and known.calibration_binned == pytest.approx(0, abs=1e-15)
    assert known.calibration_induced == np.inf and known.grouping_loss == 0


# ---- the paper's statements hold exactly -----------------------------------------------------------------------


@given(populations())
def test_proposition_c_2_and_the_sum_of_theorem_c_1(population):
    p, q, region, w, n_bins = population
    known = exact_decomposition(q, p, region, n_bins=n_bins, sample_weight=w)
    c = cell_means(q, w, p)
    bins = assign_bins(p, uniform_edges(n_bins))
    hidden = mean((p - c - cell_means(p - c, w, bins)) ** 2, w)
    assert known.calibration_induced == pytest.approx(hidden, abs=1e-12)
    formula = known.share @ (2 * known.covariance - known.stated_variance)
    assert known.net_induced == pytest.approx(formula, abs=1e-12)
    assert abs(known.net_induced) <= max(known.induced, known.calibration_induced) + 1e-12  # remark 1
    assert known.calibration_loss + known.grouping_loss == pytest.approx(mean((p - q) ** 2, w), abs=1e-12)


@given(populations())
def test_all_printed_bounds_hold_and_are_nested(population):
    p, q, region, w, n_bins = population
    known = exact_decomposition(q, p, region, n_bins=n_bins, sample_weight=w)
    bounds = induced_bounds(known)
    assert (bounds["low"] - 1e-12 <= known.net_induced).all() and (known.net_induced <= bounds["high"] + 1e-12).all()
    assert (bounds["floor"] <= known.calibration_loss + known.grouping_loss + 1e-12).all()
    assert bounds.loc["theorem C.1", "floor"] >= known.calibration_binned + known.lower_bound - 1e-12
    printed = bounds.loc[["theorem C.1", "corollary C.1", "width only"]]
    assert (printed["high"].diff().dropna() >= -1e-12).all() and (printed["low"].diff().dropna() <= 1e-12).all()
    sharp = bounds.loc["width only, sharp", "high"]
    loose = bounds.loc["width only", "high"]
    assert bounds.loc["corollary C.1", "high"] - 1e-12 <= sharp <= loose + 1e-12
    assert (known.stated_variance <= (known.right_edge - known.left_edge) ** 2 / 4 + 1e-15).all()  # lemma C.3
    assert (known.rate_variance <= known.rate * (1 - known.rate) + 1e-15).all()


# ---- exact facts about equal bins ------------------------------------------------------------------------------


@pytest.mark.parametrize(("truth", "sum_", "bound"), [([1, 0], -0.75, "low"), ([0, 1], 0.25, "high")])
def test_the_width_bounds_are_attained_except_the_printed_upper_one(truth, sum_, bound):
    known = exact_decomposition(truth, [0, 1], n_bins=1)
    ends = induced_bounds(known)[bound]
    assert known.net_induced == pytest.approx(sum_) == ends["width only, sharp"] == ends["corollary C.1"]
    assert ends["width only"] == pytest.approx(0.5 if bound == "high" else -0.75)


# ---- continuous scores -----------------------------------------------------------------------------------------


def test_a_sample_of_a_continuous_score_needs_its_c():
    """20,000 rows without two equal scores: with c the population's loss within 4 standard errors, without it none."""
    population = Sigmoid()
    s = population.sample(20_000, rng=0)
    side = (s.X["x2"] > 0).to_numpy(int)
    known = exact_decomposition(s.q, s.p, side, c=s.c)
    loss = (s.q - s.c) ** 2
    assert abs(known.grouping_loss - population.grouping_loss) < 4 * loss.std() / len(loss) ** 0.5
    cross = 2 * (s.q - s.c) * (s.c - known.rate[assign_bins(s.p, uniform_edges(15))])
    noise = 4 * cross.std() / len(cross) ** 0.5
    assert abs(known.grouping_binned - known.grouping_loss - known.induced) < noise
    assert np.isnan([known.explained_unbinned, known.residual_unbinned]).all()
    assert exact_decomposition(s.q, s.p, side).grouping_loss == pytest.approx(0, abs=1e-15)


# ---- K classes -------------------------------------------------------------------------------------------------


@st.composite
def tables(draw):
    """Rows of a K-class population, with a partition of its own for each class."""
    n = draw(st.integers(1, 20))
    k = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    p, q = (rng.multinomial(10, np.full(k, 1 / k), n) / 10 for _ in "pq")
    return p, q, rng.integers(0, 3, (n, k)), rng.uniform(0.1, 3, n), draw(st.integers(1, 9))


@each_rule
@given(tables())
def test_theorem_c_2_class_by_class_and_in_sum(rule, rows):
    p, q, region, w, n_bins = rows
    known = exact_decomposition(q, p, region, n_bins=n_bins, rule=rule, sample_weight=w)
    for parts in (known, *known.classes):
        assert parts.grouping_loss == pytest.approx(parts.explained_unbinned + parts.residual_unbinned, abs=1e-12)
        assert parts.grouping_binned == pytest.approx(parts.grouping_loss + parts.induced, abs=1e-12)
        assert parts.grouping_loss == pytest.approx(parts.lower_bound + parts.residual, abs=1e-12)
        assert min(getattr(parts, name) for name in LOSSES) >= -1e-15
    assert known.grouping_loss == pytest.approx(sum(one.grouping_loss for one in known.classes), abs=1e-12)
    one_partition = exact_decomposition(q, p, region[:, 0].tolist(), n_bins=n_bins, rule=rule, sample_weight=w)
    assert one_partition.classes[0].residual == known.classes[0].residual
    if rule is BRIER:
        alone = exact_decomposition(q[:, 0], p[:, 0], region[:, 0], n_bins=n_bins, sample_weight=w)
        assert [getattr(known.classes[0], name) for name in LOSSES] == pytest.approx(
            [getattr(alone, name) for name in LOSSES], abs=1e-12
        )
        bounds = induced_bounds(known)
        assert (bounds["low"] - 1e-12 <= known.net_induced).all()
        assert (known.net_induced <= bounds["high"] + 1e-12).all()


@each_rule
@given(tables())
def test_classwise_losses_are_those_of_decompose(rule, rows):
    p, q, _, w, _ = rows
    known = exact_decomposition(q, p, rule=rule, sample_weight=w)
    parts = decompose(q, p, rule=rule, view="classwise", sample_weight=w)
    assert known.grouping_loss == pytest.approx(parts.grouping, abs=1e-12)
    assert known.calibration_loss == pytest.approx(parts.calibration, abs=1e-12)


def test_a_sweep_holds_what_known_parts_says():
    p = np.array([0.1, 0.1, 0.8])
    q = np.array([0.0, 0.3, 0.9])
    region = [0, 1, 1]
    found = sweep_bins(q, {"as it is": p, "squared": p**2}, region, n_bins=[1, 3], rule=LOG)
    assert found.index.tolist() == [(name, n) for name in ("as it is", "squared") for n in (1, 3)]
    known = exact_decomposition(q, p**2, region, n_bins=3, rule=LOG)
    assert found.loc[("squared", 3)].to_dict() == {name: getattr(known, name) for name in NUMBERS}


# ---- bad inputs ------------------------------------------------------------------------------------------------

GOOD = {"p": [0.2, 0.7, 0.7], "q": [0.1, 0.6, 0.8]}  # other columns: tests/test_bad_input.py
TABLE = [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_bins": 0}, "n_bins must"),
        ({"rule": "brier"}, "rule must"),
        *(
            ({"region": bad}, "region must")
            for bad in ([0, 0.5, 1], [-1, 0, 1], [], 0, list("abc"), [[0], [0, 1], [1]])
        ),
        ({"p": TABLE}, "q must"),
        ({"p": TABLE, "q": [[0.2, 0.3, 0.5]] * 3}, "q must"),
        ({"p": TABLE, "q": TABLE, "c": [0.1] * 3}, "c must"),
        ({"p": TABLE, "q": TABLE, "region": np.zeros((3, 3), int)}, "region must"),
        ({"p": TABLE, "q": TABLE, "region": np.zeros((3, 2))}, "region must"),
        ({"p": TABLE, "q": TABLE, "region": np.zeros((2, 2), int)}, "region must have the same length|same length"),
        ({"p": [[0.2, 0.9]] * 3, "q": TABLE}, "p must"),
    ],
)
def test_options_and_tables_that_break_a_rule(options, sentence):
    columns = {"p": GOOD["p"], "q": GOOD["q"]} | options
    with pytest.raises(ValueError, match=sentence):
        exact_decomposition(columns.pop("q"), columns.pop("p"), columns.pop("region", None), **columns)


@pytest.mark.parametrize("known", [exact_decomposition(GOOD["q"], GOOD["p"], rule=LOG), None, "text", [0.1]])
def test_bounds_are_for_the_brier_score(known):
    with pytest.raises(ValueError, match="known must"):
        induced_bounds(known)
