"""The grouping loss: identities by brute force, truth within standard errors, and silence where there is nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from joblib import Parallel, delayed, parallel_config
from scipy.special import expit, logit

from helpers import _parallel
from helpers.calibration import PlattCalibrator
from helpers.grouping import captured_loss, grouping_loss, grouping_loss_from_regions
from helpers.grouping.inversion import LossLaw
from helpers.grouping.region_statistics import region_statistics
from helpers.partition.checked import with_score_column
from helpers.simulation import Links, Sigmoid
from tests.grouping.rows import pairs_of_different_groups, residual_rows

NUMBERS = ("value", "se", "low", "high", "p_value", "plugin", "bias", "left_out")


def same(a, b, names=NUMBERS, tol=1e-9):
    return all(getattr(a, name) == pytest.approx(getattr(b, name), abs=tol) for name in names)


# ---- hand-made cases and identities ----------------------------------------------------------------------------


def test_four_rows_by_hand():
    gl = grouping_loss_from_regions([0.6, 0.2, -0.5, -0.5], [0, 0, 1, 1])
    assert gl.value == pytest.approx(0.5 * 0.6 * 0.2 + 0.5 * 0.25)
    assert gl.plugin == pytest.approx(0.5 * 0.4**2 + 0.5 * 0.5**2)
    law = LossLaw.of([region_statistics(np.array([0.6, 0.2, -0.5, -0.5]), np.array([0, 0, 1, 1]))])
    assert (gl.se**2, gl.null_se**2) == pytest.approx((law.variance(gl.value), law.null_variance))
    assert gl.mean.tolist() == pytest.approx([0.4, -0.5]) and gl.count.tolist() == [2, 2]
    assert gl.variance.tolist() == pytest.approx([0.08, 0.0]) and np.isnan(gl.calibration_loss)
    lonely = grouping_loss_from_regions([0.6, 0.2, 0.9, 0.9], [0, 0, 1, 3])
    assert lonely.value == pytest.approx(0.5 * 0.12) and lonely.left_out == 0.5 and lonely.n_regions == 1
    assert lonely.count.tolist() == [2, 1, 0, 1] and np.isnan(lonely.variance[1:]).all()
    weighted = grouping_loss_from_regions([0.6, 0.2, -0.5, -0.5], [0, 0, 1, 1], sample_weight=[1, 3, 2, 2])
    assert weighted.value == pytest.approx(0.5 * 0.12 + 0.5 * 0.25)
    clustered = region_statistics(np.array([0.6, 0.2, 0.4, -0.5]), np.zeros(4, int), groups=np.array([0, 0, 1, 1]))
    assert clustered.value == pytest.approx((0.6 + 0.2) * (0.4 - 0.5) / 4)


@given(residual_rows())
def test_equation_6_against_all_pairs_and_interval_and_test_of_one_law(rows):
    """Also with weights and groups; p < 0.025 exactly where the lower end is above 0."""
    r, region, w, g = rows
    one, own = np.ones(r.size), np.arange(r.size)
    for weight, groups in ((None, None), (w, None), (None, g), (w, g)):
        weights, unit = one if weight is None else weight, own if groups is None else groups
        try:
            gl = grouping_loss_from_regions(r, region, sample_weight=weight, groups=groups)
        except ValueError as error:
            assert "two independent rows" in str(error) or str(error).startswith(("groups must", "sample_weight must"))
            continue
        assert gl.value == pytest.approx(pairs_of_different_groups(r, region, weights, unit), abs=1e-10)
        plugin = sum(
            weights[rows].sum() / weights.sum() * np.average(r[rows], weights=weights[rows]) ** 2
            for rows in (region == j for j in np.unique(region)) if np.unique(unit[rows]).size > 1
        )  # fmt: skip
        assert gl.plugin == pytest.approx(plugin) and gl.value == pytest.approx(gl.plugin - gl.bias) and gl.se >= 0
        assert (gl.low > 0) == (gl.p_value < 0.025) and 0 <= gl.p_value <= 1
        assert gl.low <= gl.value <= gl.high + 1e-12 or (gl.value < 0 and gl.high == 0)


# ---- invariances -----------------------------------------------------------------------------------------------


@given(residual_rows(), st.randoms(use_true_random=False))
def test_row_order_scale_of_weights_names_of_groups_and_signs_do_not_matter(rows, random):
    r, region, w, g = rows
    assume(np.bincount(region).max() > 2 and np.unique(g).size > 2)
    order = random.sample(range(r.size), r.size)
    try:
        gl = grouping_loss_from_regions(r, region, sample_weight=w, groups=g)
    except ValueError:
        assume(False)
    moved = grouping_loss_from_regions(r[order], region[order], sample_weight=w[order], groups=g[order])
    named = grouping_loss_from_regions(r, region, sample_weight=1e-200 * w, groups=[f"person {-i}" for i in g])
    turned = grouping_loss_from_regions(-r, region.max() - region, sample_weight=w, groups=g)
    assert same(gl, moved) and same(gl, named) and same(gl, turned)


@given(residual_rows())
def test_unit_weights_and_singleton_groups_are_no_weights_and_no_groups(rows):
    r, region, _, _ = rows
    assume(np.bincount(region).max() > 1 and r.size > 4)
    plain = grouping_loss_from_regions(r, region)
    weighted = grouping_loss_from_regions(r, region, sample_weight=np.full(r.size, 7.0))
    grouped = grouping_loss_from_regions(r, region, groups=np.arange(r.size))
    assert same(plain, weighted) and same(plain, grouped)
    assert np.allclose(plain.mean, weighted.mean) and np.allclose(plain.variance, weighted.variance, equal_nan=True)


@pytest.fixture(scope="module")
def sample():
    return Sigmoid().sample(600, rng=0)


def test_an_affine_change_of_the_log_odds_changes_nothing(sample):
    """The grouping loss does not change under an invertible recalibration, and Platt's map undoes an affine one."""
    plain = grouping_loss(sample.y, sample.p, sample.X, rng=0)
    other = grouping_loss(sample.y, expit(0.5 * logit(sample.p) + 1), sample.X, rng=0)
    assert same(plain, other, tol=1e-6) and other.calibration_loss > 3 * plain.calibration_loss


def test_rows_of_weight_zero_are_absent(sample):
    weight = np.random.default_rng(0).uniform(0.5, 2, 600) * (np.arange(600) % 3 > 0)
    rows = weight > 0
    for groups in (None, np.arange(600) // 4):
        masked = grouping_loss(sample.y, sample.p, sample.X, sample_weight=weight, groups=groups, rng=0)
        some = {"sample_weight": weight[rows], "groups": None if groups is None else groups[rows]}
        absent = grouping_loss(sample.y[rows], sample.p[rows], sample.X[rows], **some, rng=0)
        assert str(masked) == str(absent) and masked.n == 400
    y, p, w = sample.y[rows], sample.p[rows], weight[rows]
    c = PlattCalibrator().fit(p, y, w).predict(p)
    assert masked.calibration_loss == pytest.approx(np.average((p - c) ** 2, weights=w))
    assert masked.recalibration_gain == pytest.approx(np.average((p - y) ** 2 - (c - y) ** 2, weights=w))


def test_relabelled_groups_categories_and_a_column_called_like_the_score(sample):
    person = np.random.default_rng(0).permutation(np.arange(600) // 3)
    named = pd.Series(person).map({i: f"{hash((i, 1)) % 1000}-{i}" for i in range(200)})
    cut = pd.cut(sample.X["x2"], 5, labels=list("abcde"))
    X = sample.X[["x1"]].assign(**{"stated probability": cut.astype(str)})
    renamed = X.assign(**{"stated probability": X["stated probability"].map(dict(zip("abcde", "vxwzy", strict=True)))})
    first = grouping_loss(sample.y, sample.p, X, groups=person, rng=0)
    assert same(first, grouping_loss(sample.y, sample.p, renamed, groups=named, rng=0))
    names = {column.name for column in first.trees[0].encoder_.columns_}
    assert names == {"x1", "stated probability", "stated probability (p)"}


def test_regions_are_chosen_by_what_the_scores_miss():
    rng = np.random.default_rng(0)
    x = rng.random((600, 2))
    y = rng.random(600) < np.where(x[:, 1] > 0.5, 0.9, 0.5) * x[:, 0]
    for method in ("crossfit", "paper"):
        trees = grouping_loss(y, 0.7 * x[:, 0], x, method=method, max_depth=1, rng=0).trees
        assert {tree.encoder_.columns_[tree.tree_.feature[0]].name for tree in trees} == {"x1"}


# ---- reproducibility under any number of workers ---------------------------------------------------------------


def test_any_number_of_workers_gives_the_same_answer(sample, monkeypatch):
    alone = grouping_loss(sample.y, sample.p, sample.X, rng=0)
    monkeypatch.setattr(_parallel, "PARALLEL_FROM", 0)
    arguments = (sample.y, sample.p, sample.X)
    answers = [grouping_loss(*arguments, rng=0)]
    for backend, workers in [("threading", 1), ("threading", 2), ("loky", 1), ("loky", 2)]:
        with parallel_config(backend=backend, n_jobs=workers):
            answers.append(grouping_loss(*arguments, rng=0))
    answers += Parallel(2, backend="threading")(delayed(grouping_loss)(*arguments, rng=0) for _ in range(2))
    assert all(str(answer) == str(alone) and answer.value == alone.value for answer in answers)


# ---- truth, in standard errors ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", ["crossfit", "paper"])
def test_weights_reach_every_step_of_the_estimator(method):
    """One in ten of the first kind is drawn, all of the second: the loss of all people is found with weights only."""
    rng = np.random.default_rng(8)
    repeats = 25
    values = []
    truth = 0.5 * 0.3**2
    for seed in range(repeats):
        kind = rng.random(6000) < 0.5
        chance = np.where(kind, 0.1, 1.0)
        taken = rng.random(6000) < chance
        kind = kind[taken]
        chance = chance[taken]
        y = rng.random(kind.size) < np.where(kind, 0.8, 0.5)
        p = np.full(kind.size, 0.5)
        X = kind[:, None] * 1.0
        options = dict(method=method, calibrator="none", max_depth=1, rng=seed)
        weighted = grouping_loss(y, p, X, sample_weight=1 / chance, **options)
        values.append((weighted.value, grouping_loss(y, p, X, **options).value, weighted.low <= truth <= weighted.high))
    weighted, plain, covered = np.array(values).T
    standard_error = weighted.std() / np.sqrt(repeats)
    assert abs(weighted.mean() - truth) < 4 * standard_error
    assert truth - plain.mean() > 10 * standard_error
    assert covered.mean() > 0.94 - 4 * np.sqrt(0.06 * 0.94 / repeats)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "calibrator", "bias"), [("crossfit", "platt", 0.001), ("paper", "none", 0)])
def test_a_perfect_model_has_no_grouping_loss(method, calibrator, bias):
    """60 draws of 600 rows: a calibrator fitted on the evaluated rows may lower the value a little, never raise it."""
    repeats = 60
    draws = []
    for seed in range(repeats):
        s = Sigmoid(strength=0).sample(600, rng=seed)
        gl = grouping_loss(s.y, s.p, s.X, method=method, calibrator=calibrator, rng=seed)
        draws.append((gl.value, gl.p_value < 0.05, gl.low > 0))
    value, alarm, low = np.array(draws).T
    se = value.std() / np.sqrt(repeats)
    assert -4 * se - bias < value.mean() < 4 * se
    assert alarm.mean() < 0.06 + 4 * np.sqrt(0.06 * 0.94 / repeats)
    assert low.mean() < 0.025 + 4 * np.sqrt(0.025 * 0.975 / repeats)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["crossfit", "paper"])
@pytest.mark.parametrize(
    "population",
    [Sigmoid(), Links(lambda p: np.where(p < 0.5, 1.6 * p, 1.6 * p - 0.6), inputs="uniform")],
    ids=["sigmoid", "links"],
)
def test_a_known_loss_is_bounded_from_below_and_mostly_found(method, population):
    repeats = 12
    truth = population.grouping_loss
    losses = []
    for seed in range(repeats):
        s = population.sample(6000, rng=seed)
        losses.append(grouping_loss(s.y, s.p, s.X, method=method, calibrator="none", rng=seed))
    value = np.array([loss.value for loss in losses])
    se = value.std(ddof=1) / np.sqrt(repeats)
    assert value.mean() < truth + 4 * se and value.mean() > 0.75 * truth
    assert np.mean([loss.low <= truth for loss in losses]) == 1 and max(loss.p_value for loss in losses) < 0.001


@pytest.mark.slow
def test_the_interval_covers_what_the_two_partitions_capture():
    """Captured loss of the fitted regions, from 4,000 fresh rows with known q; both ends, and the test beside them."""
    fresh = Sigmoid().sample(4000, rng=10**6)
    table = with_score_column(fresh.X, fresh.p)
    misses = []
    for seed in range(60):
        s = Sigmoid().sample(600, rng=seed)
        loss = grouping_loss(s.y, s.p, s.X, rng=seed)
        truth = np.mean([captured_loss(tree.apply(table), fresh.q - fresh.c) for tree in loss.trees])
        misses.append((loss.low > truth, loss.high < truth, (loss.low > 0) != (loss.p_value < 0.025)))
    above, below, contradictions = np.mean(misses, axis=0)
    assert max(above, below) < 0.025 + 3 * np.sqrt(0.025 * 0.975 / 60) and contradictions == 0


# ---- the result ------------------------------------------------------------------------------------------------


def test_the_result_is_consistent_with_its_trees_and_prints_one_line(sample):
    gl = grouping_loss(sample.y, sample.p, sample.X, rng=0)
    assert gl.value == pytest.approx(gl.plugin - gl.bias)
    assert gl.n == 600 and gl.count.sum() == 600 and len(gl.trees) == 2
    assert gl.value in grouping_loss(sample.y, sample.p, sample.X, n_splits=3, rng=0).splits
    for k, tree in enumerate(gl.trees):
        assert np.array_equal(tree.count_, gl.count[gl.part == k])
        assert np.allclose(tree.value_, gl.mean[gl.part == k])
        assert len(tree.rules()) == (gl.part == k).sum()
    with pytest.raises(AttributeError):
        gl.value = 0
    assert not any(word in repr(gl) for word in ("array(", "HonestTree"))


def test_the_paper_uses_tenths_and_features_only():
    s = Sigmoid().sample(1000, rng=0)
    gl = grouping_loss(s.y, s.p, s.X, method="paper", rng=0)
    assert gl.n == 500 and len(gl.trees) == 1 and gl.trees[0].tree_.n_node_samples[0] == 400
    assert sorted(column.name for column in gl.trees[0].encoder_.columns_) == ["x1", "x2"]
    assert grouping_loss(s.y[:60], s.p[:60], s.X[:60], rng=0).n == 60
    with pytest.raises(ValueError, match="at least 4"):
        grouping_loss(s.y[:59], s.p[:59], s.X[:59], rng=0)


# ---- tables and weights that tried to break it -----------------------------------------------------------------

N = 240


def test_one_group_in_a_part_is_not_a_loss_of_zero():
    rng = np.random.default_rng(0)
    p = rng.random(N)
    y = rng.random(N) < p
    for groups in (np.arange(N) % 2, np.r_[np.zeros(N - 1), 1]):
        with pytest.raises(ValueError, match="groups must"):
            grouping_loss(y, p, p[:, None], groups=groups, rng=0)
    giant = grouping_loss(y, p, p[:, None], groups=np.maximum(np.arange(N) - N // 2, 0), rng=0)
    assert np.isfinite(giant.value) and giant.n == N


def test_what_recalibration_gains_and_the_loss_are_below_the_epistemic_loss_where_the_calibrator_does_not_fit():
    """A squared score: Platt scaling misfits, so (p - c)**2 counts a part of the epistemic loss twice."""
    sums, corrected = [], []
    for k in range(12):
        a = Sigmoid().sample(8000, rng=[5, k])
        found = grouping_loss(a.y, a.p**2, a.X, rng=k)
        epistemic = np.mean((a.q - a.p**2) ** 2)
        sums.append(found.calibration_loss + found.value - epistemic)
        corrected.append(found.recalibration_gain + found.value - epistemic)
    error = np.std(sums, ddof=1) / 12**0.5
    assert np.mean(sums) > 4 * error
    assert np.mean(corrected) < 0
    unmoved = grouping_loss(a.y, a.p, a.X, calibrator="none", rng=0)
    assert np.isnan(unmoved.recalibration_gain)
