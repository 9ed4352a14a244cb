"""The stacked grouping loss: its identities by brute force, nothing learned from the judged rows, truth, silence."""

import numpy as np
import pytest
from refusals import refuses
from scipy.stats import norm

from helpers.calibration import IsotonicCalibrator
from helpers.grouping import features as label_free
from helpers.grouping import stacked as module
from helpers.grouping import stacked_grouping_loss
from helpers.grouping.learners import combine_out_of_fold
from helpers.grouping.region_statistics import region_statistics
from helpers.simulation import Sigmoid


@pytest.fixture(scope="module")
def sample():
    return Sigmoid().sample(300, rng=0)


@pytest.fixture
def lines(monkeypatch):
    """Two cheap learners in the place of the eleven: straight lines in all columns and in the first."""

    def predicted(features, index, residual, variance, bin_of_row, weight, fold, _inner):
        scores = np.column_stack([np.ones(len(index)), features.scores(index)])
        columns = np.empty((len(index), 2))
        for j, r in enumerate(residual.T):
            rows = fold == j
            root = np.sqrt(weight * variance[:, j])[~rows]
            for k, last in enumerate((None, 2)):
                target = root * r[~rows] / variance[~rows, j]
                line = np.linalg.lstsq(root[:, None] * scores[~rows, :last], target)[0]
                columns[rows, k] = scores[rows, :last] @ line
        return columns

    monkeypatch.setattr(module, "predict_out_of_fold", predicted)
    monkeypatch.setattr(module, "NAMES", ("lines", "line"))
    monkeypatch.setattr(label_free, "CLUSTERS", ())


# ---- hand-made cases and identities ----------------------------------------------------------------------------


def judged(r, g, w=None, groups=None, plain=None, kept=None, rest=(0.0, 0.0)):
    r = np.array(r, float)
    g = np.array(g, float)
    w = np.ones(r.size) if w is None else np.array(w, float)
    kept = np.ones(r.size, bool) if kept is None else kept
    return module._judged(r, g, g if plain is None else plain, rest, w, groups, 0.0, np.ones(2), kept)


def test_four_rows_by_hand():
    gl = judged([0.5, 0.5, -0.5, 0.5], [0.5, 0.1, -0.1, 0.0])
    terms = np.array([0.25, 0.09, 0.09, 0.0])
    assert gl.value == pytest.approx(terms.mean()) and gl.se == pytest.approx(terms.std(ddof=1) / 2)
    assert gl.null_se == pytest.approx(np.sqrt(2 * (0.25**2 + 2 * 0.05**2)) / 4)
    assert gl.p_value == pytest.approx(norm.sf(0.35 / np.sqrt(2 * 0.0675)))
    assert gl.high == pytest.approx(gl.value + 1.959964 * gl.se)
    assert gl.value - 1.959964 * gl.se > 0 and gl.low == 0 and gl.p_value > 0.025  # the test says no
    weighted = judged([0.5, 0.5, -0.5, 0.5], [0.5, 0.1, -0.1, 0.0], w=[1, 0, 0, 3])
    assert weighted.value == pytest.approx(0.25 / 4)
    twins = judged([0.5, 0.5, -0.5, 0.5], [0.5, 0.1, -0.1, 0.0], groups=np.array([0, 0, 1, 1]))
    assert twins.value == gl.value and twins.se == pytest.approx(np.abs(0.34 - 0.09) / 4)
    assert judged([0.5, -0.5], [0.0, 0.0]).p_value == 1.0
    masked = judged([0.5, 1], [0.5, 0], kept=np.array([False, True, True]))
    assert np.isnan(masked.residual).tolist() == [True, False, False]
    more = judged([0.5, 0.5, -0.5, 0.5], [0.5, 0.1, -0.1, 0.0], rest=(0.01, 0.0004))
    assert more.value == pytest.approx(gl.value + 0.01) and more.se == pytest.approx(np.hypot(gl.se, 0.02))


def test_the_interval_and_the_test_agree():
    """On random rows, weights and groups; where the test's own bound is larger, it is the lower end."""
    rng = np.random.default_rng(2)
    taken = np.zeros(3, int)
    for _ in range(300):
        n = int(rng.integers(4, 60))
        strength = rng.choice([0.0, 0.3, 1.0])
        plain = rng.normal(size=n)
        r = strength * plain + rng.normal(size=n)
        g = rng.uniform(0, 2) * plain
        w = rng.uniform(0.2, 2, n)
        groups = rng.integers(0, 5, n) if rng.random() < 0.3 else None
        gl = judged(r, g, w=w, plain=plain, groups=groups)
        assert (gl.low > 0) == (gl.p_value < 0.025) and gl.low <= gl.value and gl.high >= max(gl.low, 0)
        tested = np.average(plain * r, weights=w) - 1.959964 * gl.null_se
        bound = max(tested, 0) ** 2 / np.average(plain**2, weights=w)
        plain_low = gl.direct - 1.959964 * gl.se
        assert gl.low == pytest.approx(max(plain_low, bound) if bound > 0 else min(plain_low, 0), rel=1e-5)
        taken += [bound == 0, bound > max(plain_low, 0), plain_low > bound > 0]
    assert (taken > 10).all()  # all three happen


def test_the_stack_written_out(sample, lines, monkeypatch):
    """Each fold is judged by a calibrator and learners of the others; regions find a part of what they leave."""
    y, p = sample.y, sample.p
    w = np.random.default_rng(0).uniform(0.5, 2, 300)
    predict, grow, seen = module.predict_out_of_fold, module.regions_out_of_fold, []
    monkeypatch.setattr(module, "predict_out_of_fold", lambda *a: seen.extend([*a, predict(*a)]) or seen[-1])
    monkeypatch.setattr(module, "regions_out_of_fold", lambda *a: seen.extend([a[-1], grow(*a)]) or seen[-1])
    options = {"calibrator": "isotonic", "n_folds": 3, "sample_weight": 7 * w, "rng": 0}
    found = stacked_grouping_loss(y, p, sample.X, **options)
    _, _, residual, variance, bin_of_row, weight, fold, _, columns, least, region = tuple(seen)
    c = np.column_stack(
        [IsotonicCalibrator().fit(p[fold != j], y[fold != j], w[fold != j]).predict(p) for j in range(3)]
    )
    assert residual == pytest.approx(y[:, None] - c) and variance == pytest.approx(np.maximum(c * (1 - c), 1e-3))
    assert np.bincount(bin_of_row).size == 16 and set(np.bincount(bin_of_row)) == {18, 19} and least == 30
    assert weight == pytest.approx(w / w.mean()) and np.bincount(fold).tolist() == [100] * 3
    own = np.arange(300), fold
    r = y - IsotonicCalibrator().fit(p, y, w).predict(p)
    g, parts = combine_out_of_fold(variance[own][:, None] * columns, r, weight, fold)
    g = np.clip(g, -c[own], 1 - c[own])
    assert found.residual == pytest.approx(g) and found.weights == pytest.approx(parts.mean(axis=0))
    assert found.direct == pytest.approx(np.average(2 * g * r - g**2, weights=w))
    assert found.rest == pytest.approx(module._rest(r - g, region, fold, w, None)[0])
    assert found.value == pytest.approx(max(found.direct + found.rest, found.low)) and "with 2 of 2" in str(found)
    assert found.value in stacked_grouping_loss(y, p, sample.X, **options, n_splits=3).splits
    assert found.calibration_loss == pytest.approx(np.average((p - y + r) ** 2, weights=w))


@pytest.mark.slow
def test_nothing_about_a_row_comes_from_its_own_fold(sample):
    """Other labels in a fold: the predictions for its rows stay, digit by digit, those for other rows change."""
    table = sample.X.assign(job=np.where(sample.X.iloc[:, 0] > 0, "cook", "smith"), s=sample.p)
    fold = np.arange(300) % 5
    one = np.ones(300)
    first = module._out_of_fold(sample.y, sample.p, table, one, fold, "platt", 0)[:3]
    for rows, stays in ((fold == 2, True), (fold != 2, False)):
        y = np.where(rows, np.random.default_rng(0).permutation(sample.y), sample.y).astype(float)
        other = module._out_of_fold(y, sample.p, table, one, fold, "platt", 0)[:3]
        for a, b in zip(first, other, strict=True):
            assert np.array_equal(a[fold == 2], b[fold == 2]) == stays
            assert not np.array_equal(a[fold != 2], b[fold != 2])


def test_the_rest_is_the_mean_product_of_two_rows_of_a_region_and_fold():
    left = np.array([0.5, 0.5, -0.5, 0.5, 0.2, -0.4])
    region = np.array([0, 0, 0, 1, 1, 1])
    fold = np.array([0, 0, 1, 0, 1, 1])
    value, variance = module._rest(left, region, fold, None, None)
    assert value == pytest.approx(2 / 6 * 0.25 + 2 / 6 * -0.08)
    halves = [region_statistics(left[fold == j], region[fold == j]).variance for j in (0, 1)]
    assert variance == pytest.approx(sum(halves) / 4) and variance > 0
    apart = module._rest(left, region, fold, None, np.array([0, 0, 1, 2, 3, 4]))[0]
    assert apart == pytest.approx(2 / 6 * -0.08)
    weighted = module._rest(left, region, fold, np.array([3.0, 3, 1, 1, 1, 1]), None)[0]
    assert weighted == pytest.approx(6 / 10 * 0.25 + 2 / 10 * -0.08)


# ---- invariances -----------------------------------------------------------------------------------------------


def test_predictions_never_lead_out_of_the_range_of_probabilities(lines):
    p = np.random.default_rng(0).uniform(0.05, 0.95, 200)
    found = stacked_grouping_loss(p > 0.5, p, np.column_stack([p, p**3]), calibrator="none", rng=0).residual
    assert (found >= -p).all() and (found <= 1 - p).all() and (found == -p).any() and (found == 1 - p).any()


def test_rows_of_weight_zero_are_absent(sample, lines):
    weight = np.where(np.arange(300) % 3, 2.0, 0)
    rows = np.arange(300) % 3 > 0
    masked = stacked_grouping_loss(sample.y, sample.p, sample.X, sample_weight=weight, rng=0)
    absent = stacked_grouping_loss(sample.y[rows], sample.p[rows], sample.X[rows], rng=0)
    exact = [getattr(masked, name) == pytest.approx(getattr(absent, name)) for name in ("value", "rest", "null_se")]
    assert all(exact) and masked.n == absent.n == 200
    assert masked.se == pytest.approx(absent.se, rel=0.02)  # weighted regions have a variance formula of their own
    assert np.array_equal(np.isnan(masked.residual), ~rows)
    assert masked.residual[rows] == pytest.approx(absent.residual)


# ---- truth, in standard errors ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("strength", "repeats"), [(0.0, 60), (0.5, 20)])
def test_bound_interval_and_false_alarms(lines, strength, repeats):
    """Lines as learners: unbiased for what is captured, not above the truth, at most 5 % alarms."""
    rng = np.random.default_rng(11)
    rows = []
    for seed in range(repeats):
        X = rng.uniform(-1, 1, size=(400, 4))
        c = rng.uniform(0.2, 0.8, 400)
        d = strength * X[:, 0] * np.minimum(c, 1 - c)
        y = rng.random(400) < c + d
        gl = stacked_grouping_loss(y, c, X, calibrator="none", rng=seed)
        captured = np.mean(2 * gl.residual * d - gl.residual**2)
        missed = np.mean((gl.residual - d) ** 2)
        rows.append((gl.value, gl.direct - captured, gl.rest - missed, gl.low, gl.p_value, missed))
    value, error, above, low, p_value, missed = np.array(rows).T
    truth = strength**2 / 3 * 0.13  # E min(c, 1 - c)^2 = 2 / 0.6 * (0.5^3 - 0.2^3) / 3
    assert abs(error.mean()) < 4 * error.std() / np.sqrt(repeats) + 1e-4
    assert -missed.mean() < above.mean() < 4 * above.std() / np.sqrt(repeats)  # the rest: something of what is missed
    assert value.mean() < truth + 4 * value.std() / np.sqrt(repeats)
    assert (low > truth).mean() < 0.025 + 4 * np.sqrt(0.025 * 0.975 / repeats)
    if strength:
        assert (p_value < 0.05).mean() > 0.6 and value.mean() > truth / 2
    else:
        assert (p_value < 0.05).mean() < 0.05 + 4 * np.sqrt(0.05 * 0.95 / repeats)


# ---- bad input -------------------------------------------------------------------------------------------------

Y = np.arange(80) % 2
P = np.linspace(0.1, 0.9, 80)
X = np.arange(160.0).reshape(80, 2)


test_bad_input = refuses(
    ({"y": np.zeros(80)}, "both classes"),
    ({"y": np.arange(80) == 0}, "outside each of 5 random folds"),
    ({"y": Y[:40], "p": P[:40], "X": X[:40]}, "at least 60 rows"),
    ({"calibrator": "plat"}, "did you mean 'platt'"),
    ({"n_folds": 1}, "n_folds must"),
    ({"sample_weight": np.r_[np.ones(20), np.zeros(60)]}, "at least 60 rows"),
    of=lambda **change: stacked_grouping_loss(**{"y": Y, "p": P, "X": X} | change),
)
