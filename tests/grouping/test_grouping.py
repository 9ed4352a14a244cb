"""The grouping loss: identities by brute force, truth within standard errors, and silence where there is nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from joblib import Parallel, delayed, parallel_config
from scipy.special import expit, logit

from helpers import _parallel
from helpers.grouping import captured, grouping_loss, grouping_loss_from_regions
from helpers.grouping.crossfit import combine
from helpers.grouping.inversion import LossLaw, skewed_quantile
from helpers.grouping.region_statistics import squared_means
from helpers.partition.checked import with_score_column
from helpers.simulation import Links, Sigmoid

NUMBERS = ("value", "se", "low", "high", "p_value", "plugin", "bias", "left_out")


def same(a, b, names=NUMBERS, tol=1e-9):
    return all(getattr(a, name) == pytest.approx(getattr(b, name), abs=tol) for name in names)


def pairs_of_different_groups(r, region, w, g):
    """sum_j W_j / W times the weighted mean product of two rows of region j that belong to different groups."""
    value = 0.0
    for j in np.unique(region):
        rows = np.flatnonzero(region == j)
        apart = g[rows][:, None] != g[rows]
        pair = np.outer(w[rows], w[rows])[apart].sum()
        if pair > 0:
            value += w[rows].sum() / w.sum() * np.outer(w[rows] * r[rows], w[rows] * r[rows])[apart].sum() / pair
    return value


@st.composite
def residual_rows(draw):
    n = draw(st.integers(4, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    regions = draw(st.integers(1, 6))
    return rng.uniform(-1, 1, n), rng.integers(0, regions, n), rng.uniform(0.1, 3, n), rng.integers(0, 8, n)


# ---- hand-made cases and identities ----------------------------------------------------------------------------


def test_four_rows_by_hand():
    gl = grouping_loss_from_regions([0.6, 0.2, -0.5, -0.5], [0, 0, 1, 1])
    assert gl.value == pytest.approx(0.5 * 0.6 * 0.2 + 0.5 * 0.25)
    assert gl.plugin == pytest.approx(0.5 * 0.4**2 + 0.5 * 0.5**2)
    assert gl.mean.tolist() == pytest.approx([0.4, -0.5]) and gl.count.tolist() == [2, 2]
    assert gl.variance.tolist() == pytest.approx([0.08, 0.0]) and np.isnan(gl.calibration_loss)
    lonely = grouping_loss_from_regions([0.6, 0.2, 0.9, 0.9], [0, 0, 1, 3])
    assert lonely.value == pytest.approx(0.5 * 0.12) and lonely.left_out == 0.5 and lonely.n_regions == 1
    assert lonely.count.tolist() == [2, 1, 0, 1] and np.isnan(lonely.variance[1:]).all()
    weighted = grouping_loss_from_regions([0.6, 0.2, -0.5, -0.5], [0, 0, 1, 1], sample_weight=[1, 3, 2, 2])
    assert weighted.value == pytest.approx(0.5 * 0.12 + 0.5 * 0.25)
    clustered = squared_means(np.array([0.6, 0.2, 0.4, -0.5]), np.zeros(4, int), groups=np.array([0, 0, 1, 1]))
    assert clustered.value == pytest.approx((0.6 + 0.2) * (0.4 - 0.5) / 4)


@given(residual_rows())
def test_equation_6_as_printed(rows):
    r, region, _, _ = rows
    assume(np.bincount(region).max() > 1)
    paper = plugin = 0.0
    for j in np.unique(region):
        own = r[region == j]
        if own.size > 1:
            paper += own.size / r.size * (own.mean() ** 2 - own.var(ddof=1) / own.size)
            plugin += own.size / r.size * own.mean() ** 2
    gl = grouping_loss_from_regions(r, region)
    assert gl.value == pytest.approx(paper, abs=1e-12) and gl.plugin == pytest.approx(plugin, abs=1e-12)
    assert gl.value == pytest.approx(gl.plugin - gl.bias, abs=1e-12)
    assert gl.value == pytest.approx(
        pairs_of_different_groups(r, region, np.ones(r.size), np.arange(r.size)), abs=1e-12
    )


def influences(r, region, w, g):
    """Change of the value with the weight of each group, a numerical derivative, and the loss of freedom by region."""
    value = pairs_of_different_groups(r, region, w, g)
    step = 1e-6
    changes = []
    for group in np.unique(g):
        moved = pairs_of_different_groups(r, region, np.where(g == group, w * (1 + step), w), g)
        changes.append((moved - value) / step)
    return np.array(changes)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_influences_are_the_derivatives_of_the_value(weighted, clustered):
    """In one region of many units the loss of freedom is known: (m (m - 1)) / (m - 2)^2 of the squares."""
    rng = np.random.default_rng(weighted + 2 * clustered)
    n = 120
    r = 0.2 + rng.normal(size=n)
    w = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    g = np.arange(n) // 3 if clustered else np.arange(n)
    region = np.zeros(n, int)
    part = squared_means(r, region, w if weighted else None, g if clustered else None)
    own = np.bincount(g, w)
    units = w.sum() ** 2 / (own @ own)
    changes = influences(r, region, w, g)
    assert changes.sum() == pytest.approx(0, abs=1e-4)  # a common factor of all weights changes nothing
    found = part.signal_variance + 2 * part.noise_variance
    assert found == pytest.approx(changes @ changes * units * (units - 1) / (units - 2) ** 2, rel=1e-4)
    two = squared_means(r, np.arange(n) % 6 // 3, w if weighted else None, g if clustered else None)
    changes = influences(r, np.arange(n) % 6 // 3, w, g)  # two regions, whose sizes are chance, too
    assert 1 <= (two.signal_variance + 2 * two.noise_variance) / (changes @ changes) < 1.25


@pytest.mark.parametrize("weighted", [False, True])
def test_the_variance_is_that_of_leaving_one_out(weighted):
    """The jackknife counts the noise of the squared means twice; without that it is our variance."""
    rng = np.random.default_rng(1)
    region = rng.integers(0, 4, 400)
    r = 0.3 * rng.normal(size=4)[region] + rng.normal(size=400)
    w = rng.uniform(0.5, 2, 400) if weighted else np.ones(400)
    part = squared_means(r, region, w if weighted else None)
    left_out = [
        pairs_of_different_groups(*(x[np.arange(400) != i] for x in (r, region, w, np.arange(400)))) for i in range(400)
    ]
    jackknife = 399 / 400 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum()
    assert part.signal_variance + 2 * part.noise_variance == pytest.approx(jackknife, rel=0.02)
    assert part.variance == part.signal_variance + part.noise_variance


@given(residual_rows())
def test_the_interval_and_the_test_are_one_law(rows):
    """p < 0.025 exactly where the lower end is above 0; the ends are where the law at the end puts the value."""
    r, region, w, g = rows
    for weight, groups in ((None, None), (w, None), (None, g), (w, g)):
        try:
            gl = grouping_loss_from_regions(r, region, sample_weight=weight, groups=groups)
        except ValueError:
            continue
        assert (gl.low > 0) == (gl.p_value < 0.025)
        assert gl.low <= gl.value <= gl.high + 1e-12 or (gl.value < 0 and gl.high == 0)
        assert gl.high >= 0


def test_the_law_by_hand():
    law = LossLaw(null_variance=4e-6, null_third=8e-9, ceiling=5e-6, slope=1e-3)
    assert law.variance(0.01) == pytest.approx(1.4e-5)
    assert law.skewness(0.0) == pytest.approx(8e-9 / 8e-9)
    low, high = law.interval(0.02)
    skewness = [law.skewness(low), min(law.skewness(high), 0.25)]
    grown = 1e-3 * high * np.sqrt(high / 0.02)
    assert 0.02 == pytest.approx(low + skewed_quantile(0.975, skewness[0]) * np.sqrt(4e-6 + 1e-3 * low))
    assert 0.02 == pytest.approx(high + skewed_quantile(0.025, skewness[1]) * np.sqrt(5e-6 + grown))
    edge = skewed_quantile(0.975, 1.0) * 0.002
    assert law.p_value(edge) == pytest.approx(0.025) and law.interval(edge)[0] == pytest.approx(0, abs=1e-12)
    assert law.interval(-1.0)[1] == 0 and law.interval(0.0)[0] == pytest.approx(-edge)
    draws = (np.random.default_rng(0).chisquare(8, 200_000) - 8) / 4  # skewness 1
    assert np.quantile(draws, [0.025, 0.975]) == pytest.approx(
        [skewed_quantile(q, 1.0) for q in (0.025, 0.975)], abs=0.03
    )


@given(residual_rows())
def test_weights_and_groups_against_all_pairs(rows):
    r, region, w, g = rows
    for weight, groups in ((w, None), (None, g), (w, g)):
        expected = pairs_of_different_groups(
            r, region, np.ones(r.size) if weight is None else weight, np.arange(r.size) if groups is None else groups
        )
        try:
            gl = grouping_loss_from_regions(r, region, sample_weight=weight, groups=groups)
        except ValueError as error:
            assert "two independent rows" in str(error) or str(error).startswith(("groups must", "sample_weight must"))
            continue
        assert gl.value == pytest.approx(expected, abs=1e-10)
        assert gl.value == pytest.approx(gl.plugin - gl.bias) and gl.se >= 0 and 0 <= gl.p_value <= 1


# ---- invariances -----------------------------------------------------------------------------------------------


def test_weights_that_leave_one_of_many_groups_are_refused():
    groups = np.arange(400) // 4
    weight = np.where(groups == 7, 1000.0, 1.0)
    with pytest.raises(ValueError, match="sample_weight"):
        grouping_loss_from_regions(np.linspace(-1, 1, 400), np.arange(400) % 2, sample_weight=weight, groups=groups)


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


@pytest.mark.parametrize("rows", [2, 4, 15])
def test_the_noise_of_small_regions_is_not_understated_by_weights(rows):
    """Noise where n_j / (n_j - 1) is far from 1: not below the truth, not above the closed form."""
    region = np.repeat(np.arange(3000), rows)
    r = np.random.default_rng(0).normal(size=region.size)
    weighted = squared_means(r, region, np.ones(r.size))
    plain = squared_means(r, region)
    truth = 2 * 3000 * rows / (rows - 1) / r.size**2
    assert weighted.noise_variance == pytest.approx(plain.noise_variance)
    blocks = np.split(np.arange(r.size), 30)
    blocks = [squared_means(r[rows], region[rows] - region[rows].min(), np.ones(rows.size)) for rows in blocks]
    se = np.std([part.noise_variance / 900 for part in blocks]) * np.sqrt(30)
    assert truth - 4 * se < weighted.noise_variance <= weighted.noise_ceiling
    assert se < 0.1 * weighted.noise_variance
    spread = np.mean([r[region == j].var(ddof=1) for j in range(100)])
    assert np.allclose(weighted.mean_variance[:100].mean(), spread)


@pytest.fixture(scope="module")
def sample():
    return Sigmoid().sample(600, rng=0)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "calibrator"), [("crossfit", "platt"), ("paper", "isotonic")])
def test_same_answer_for_the_same_rows_in_another_form(sample, method, calibrator):
    X = sample.X
    y = sample.y
    p = sample.p
    options = dict(method=method, calibrator=calibrator, rng=3)
    plain = grouping_loss(y, p, X, **options)
    shuffled = np.random.default_rng(0).permutation(600)
    forms = [
        (y.tolist(), p.tolist(), X.to_numpy().tolist(), {}),
        (y.astype(bool), pd.Series(p, index=shuffled), X.set_axis(shuffled), {}),
        (y.astype(np.float32), p, X.astype("Float64").set_axis([0] * 600), {}),
        (pd.Series(y, dtype="Int64"), p, X.astype(object), {}),
        (y, p, np.asfortranarray(X), {}),
        (y, p, X, {"sample_weight": np.full(600, 1e-300)}),
        (y, p, X, {"sample_weight": np.full(600, 1e300)}),
        (y, p, X, {"groups": np.arange(600)}),
        (y, p, X, {"groups": [f"person {i}" for i in shuffled]}),
    ]
    for other_y, other_p, other_X, more in forms:
        other = grouping_loss(other_y, other_p, other_X, **options, **more)
        assert same(plain, other, ("value", "plugin", "bias", "n", "n_regions")), more


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
        absent = grouping_loss(
            sample.y[rows],
            sample.p[rows],
            sample.X[rows],
            sample_weight=weight[rows],
            groups=None if groups is None else groups[rows],
            rng=0,
        )
        assert str(masked) == str(absent) and masked.n == 400


def test_inputs_and_global_state_stay_untouched(sample):
    X = sample.X.assign(job=np.where(sample.p > 0.5, "cook", None), score=1)
    before = X.copy(deep=True)
    y = sample.y.copy()
    p = sample.p.copy()
    weight = np.ones(600)
    groups = np.arange(600) // 2
    np.random.seed(1)  # noqa: NPY002 the state that must not move
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    generator = np.random.default_rng(5)
    first = grouping_loss(y, p, X, sample_weight=weight, groups=groups, rng=5)
    assert same(first, grouping_loss(y, p, X, sample_weight=weight, groups=groups, rng=generator))
    pd.testing.assert_frame_equal(X, before)
    assert np.array_equal(y, sample.y) and np.array_equal(p, sample.p) and (weight == 1).all()
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002
    assert not same(first, grouping_loss(y, p, X, sample_weight=weight, groups=groups, rng=6))


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

PARTITIONS = [(10, 500, 0.0), (400, 6000, 0.0), (10, 500, 0.1), (100, 2000, 0.15)]


@pytest.mark.slow
@pytest.mark.parametrize(("n_regions", "n", "spread"), PARTITIONS)
def test_fixed_partitions_mean_coverage_and_false_alarms(n_regions, n, spread):
    """200 draws: unbiased to 4 standard errors; 95 % intervals cover; alarms where the null holds are near 5 %."""
    rng = np.random.default_rng(n_regions + int(100 * spread))
    repeats = 200
    share = rng.dirichlet(np.full(n_regions, 3))
    base = rng.uniform(0.1, 0.9, n_regions)
    q = np.clip(base + spread * rng.standard_normal(n_regions), 0.02, 0.98)
    truth = share @ (q - base) ** 2
    rows = []
    for _ in range(repeats):
        region = rng.choice(n_regions, n, p=share)
        residual = (rng.random(n) < q[region]) - base[region]
        weight = rng.uniform(0.3, 2, n)
        for w in (None, weight):
            gl = combine([squared_means(residual, region, w)], float("nan"))
            rows.append((gl.value, gl.low > truth, gl.high < truth, gl.p_value))
    value, above, below, p_value = np.array(rows).reshape(repeats, 2, 4).transpose(2, 0, 1)
    lonely = share @ (1 - share) ** (n - 1)  # a region with one row is left out
    assert (np.abs(value.mean(axis=0) - truth) < 4 * value.std(axis=0) / np.sqrt(repeats) + lonely * truth).all()
    for missed in (above, below):
        assert (missed.mean(axis=0) < 0.025 + 3 * np.sqrt(0.025 * 0.975 / repeats)).all()
    if spread == 0:
        alarms = (p_value < 0.05).mean(axis=0)
        assert (alarms < 0.065 + 4 * np.sqrt(0.05 * 0.95 / repeats)).all() and (alarms > 0.02).all()
    else:
        assert (p_value < 0.05).mean() > 0.5


LABELS = {
    "rare": (0.02, False, False),
    "balanced": (0.5, False, False),
    "rare with weights": (0.02, True, False),
    "rare people": (0.03, True, True),
}


def labels_of(c, person, rng):
    """Labels of probability c; in half of the people of several rows, all rows take one uniform number."""
    if person is None:
        return rng.random(c.size) < c
    alike = rng.random(person.max() + 1)[person] < 0.3
    return np.where(alike, rng.random(person.max() + 1)[person], rng.random(c.size)) < c


@pytest.mark.slow
@pytest.mark.parametrize("kind", LABELS)
def test_right_scores_have_the_law_that_the_test_expects(kind):
    """Variance and third moment of the value as computed from the scores, and alarms near 5 %, also for rare events."""
    rate, weighted, clustered = LABELS[kind]
    rng = np.random.default_rng(len(kind))
    repeats = 300
    n = 1200
    region = rng.integers(0, 50, n)
    c = rate * rng.uniform(0.5, 1.5, n)
    weight = rng.uniform(0.3, 2, n) if weighted else None
    person = np.arange(n) // 3 if clustered else None
    parts = [squared_means(labels_of(c, person, rng) - c, region, weight, person) for _ in range(repeats)]
    value = np.array([part.value for part in parts])
    assert abs(value.mean()) < 4 * value.std() / np.sqrt(repeats)
    for moment, expected in ((value**2, "null_variance"), (value**3, "null_third")):
        difference = moment - [getattr(part, expected) for part in parts]
        assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(repeats)
    alarms = np.mean([combine([part], float("nan")).p_value < 0.05 for part in parts])
    assert abs(alarms - 0.05) < 3 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.slow
def test_people_with_several_rows_alarm_without_groups_and_not_with_them():
    """X knows the person, not the risk: pairs within a person look like structure."""
    rng = np.random.default_rng(4)
    repeats = 60
    alarms = []
    for seed in range(repeats):
        person = np.repeat(np.arange(150), 5)
        q = np.clip(0.5 + 0.25 * rng.standard_normal(150), 0.05, 0.95)[person]
        X = rng.normal(size=(150, 3))[person]
        y = rng.random(750) < q
        p = np.full(750, 0.5)
        rows = grouping_loss(y, p, X, calibrator="none", rng=seed)
        people = grouping_loss(y, p, X, calibrator="none", groups=person, rng=seed)
        alarms.append((rows.p_value < 0.05, people.p_value < 0.05, people.value, people.low > 0))
    by_rows, by_people, mean, low = np.mean(alarms, axis=0)
    assert by_rows > 0.5
    assert by_people < 0.06 + 4 * np.sqrt(0.06 * 0.94 / repeats) and low < 0.05 + 4 * np.sqrt(0.05 * 0.95 / repeats)
    assert abs(mean) < 4 * np.std([row[2] for row in alarms]) / np.sqrt(repeats)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_clustered_rows_are_unbiased_and_covered(weighted):
    rng = np.random.default_rng(9)
    repeats = 200
    effect = np.tile([0.1, -0.15, 0.0, 0.05, -0.05], 5)
    truth = np.mean(effect**2)
    rows = []
    for _ in range(repeats):
        person = np.repeat(np.arange(300), 4)
        region = rng.integers(0, 25, 300)[person]
        r = effect[region] + 0.2 * rng.standard_normal(300)[person] + 0.4 * rng.standard_normal(1200)
        weight = rng.uniform(0.5, 2, 1200) if weighted else None
        gl = combine([squared_means(r, region, weight, person)], float("nan"))
        rows.append((gl.value, gl.low <= truth <= gl.high, squared_means(r, region, weight).value))
    value, covered, ignoring = np.array(rows).T
    assert abs(value.mean() - truth) < 4 * value.std() / np.sqrt(repeats)
    assert covered.mean() > 0.95 - 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert ignoring.mean() - truth > 4 * ignoring.std() / np.sqrt(repeats)


@pytest.mark.parametrize("weighted", [False, True])
def test_people_spread_over_regions_are_counted_once(weighted):
    """Everybody is in many regions with the same shift: the standard error must see people, not cells."""
    rng = np.random.default_rng(3)
    repeats = 300
    rows = []
    for _ in range(repeats):
        person = np.repeat(np.arange(100), 8)
        region = rng.integers(0, 5, 800)
        r = 0.2 + 0.3 * rng.standard_normal(100)[person] + 0.2 * rng.standard_normal(800)
        part = squared_means(r, region, rng.uniform(0.5, 2, 800) if weighted else None, person)
        gl = combine([part], float("nan"))
        rows.append((gl.value, gl.se, gl.low <= 0.04 <= gl.high))
    value, se, covered = np.array(rows).T
    assert abs(value.mean() - 0.04) < 4 * value.std() / np.sqrt(repeats)
    assert np.sqrt(np.mean(se**2)) > value.std() * (1 - 4 / np.sqrt(2 * repeats))
    assert covered.mean() > 0.95 - 3 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["crossfit", "paper"])
def test_weights_reach_every_step_of_the_estimator(method):
    """One in ten of the first kind is drawn, all of the second: the loss of all people is found with weights only."""
    rng = np.random.default_rng(8)
    repeats = 40
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
@pytest.mark.parametrize(("calibrator", "bias"), [("platt", 0.001), ("isotonic", 0.001), ("none", 0.0)])
def test_a_perfect_model_has_no_grouping_loss(calibrator, bias):
    """80 draws of 600 rows: a calibrator fitted on the evaluated rows may lower the value a little, never raise it."""
    population = Sigmoid(strength=0)
    repeats = 80
    draws = []
    for seed in range(repeats):
        s = population.sample(600, rng=seed)
        gl = grouping_loss(s.y, s.p, s.X, calibrator=calibrator, rng=seed)
        draws.append((gl.value, gl.p_value < 0.05, gl.low > 0))
    value, alarm, low = np.array(draws).T
    se = value.std() / np.sqrt(repeats)
    assert -4 * se - bias < value.mean() < 4 * se
    assert alarm.mean() < 0.06 + 4 * np.sqrt(0.06 * 0.94 / repeats)
    assert low.mean() < 0.025 + 4 * np.sqrt(0.025 * 0.975 / repeats)


@pytest.mark.slow
def test_the_paper_without_a_calibrator_is_unbiased_under_the_null():
    population = Sigmoid(strength=0)
    repeats = 120
    samples = [population.sample(600, rng=seed) for seed in range(repeats)]
    losses = [grouping_loss(s.y, s.p, s.X, method="paper", calibrator="none", rng=0) for s in samples]
    value = np.array([loss.value for loss in losses])
    assert abs(value.mean()) < 4 * value.std() / np.sqrt(repeats)
    assert all(loss.n == 300 and np.isnan(loss.calibration_loss) for loss in losses)


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
    """Captured loss of the fitted regions, from 8,000 fresh rows with known q; both ends, and the test beside them."""
    population = Sigmoid()
    repeats = 80
    fresh = population.sample(8000, rng=10**6)
    table = with_score_column(fresh.X, fresh.p)
    misses = []
    for seed in range(repeats):
        s = population.sample(1000, rng=seed)
        loss = grouping_loss(s.y, s.p, s.X, rng=seed)
        truth = np.mean([captured(tree.apply(table), fresh.q - fresh.c) for tree in loss.trees])
        misses.append((loss.low > truth, loss.high < truth, (loss.low > 0) != (loss.p_value < 0.025)))
    above, below, contradictions = np.mean(misses, axis=0)
    chance = 3 * np.sqrt(0.025 * 0.975 / repeats)
    assert above < 0.025 + chance and below < 0.025 + chance and contradictions == 0


def test_rare_and_skewed_residuals_are_covered():
    """Regions where three in a hundred have an event: value +- 1.96 se ends too low, the interval does not."""
    rng = np.random.default_rng(5)
    repeats = 400
    q = np.where(np.arange(40) < 10, 0.1, 0.01)
    c = 0.0325
    truth = np.mean((q - c) ** 2)
    rows = []
    for _ in range(repeats):
        region = rng.integers(0, 40, 2000)
        gl = grouping_loss_from_regions((rng.random(2000) < q[region]) - c, region)
        rows.append((gl.low > truth, gl.high < truth, gl.value + 1.96 * gl.se < truth))
    above, below, plain_below = np.mean(rows, axis=0)
    chance = 3 * np.sqrt(0.025 * 0.975 / repeats)
    assert above < 0.025 + chance and below < 0.025 + chance < plain_below


# ---- the result ------------------------------------------------------------------------------------------------


def test_the_result_is_consistent_with_its_trees_and_prints_one_line(sample):
    gl = grouping_loss(sample.y, sample.p, sample.X, rng=0)
    assert gl.value == pytest.approx(gl.plugin - gl.bias)
    assert gl.n == 600 and gl.count.sum() == 600 and len(gl.trees) == 2
    for k, tree in enumerate(gl.trees):
        assert np.array_equal(tree.count_, gl.count[gl.part == k])
        assert np.allclose(tree.value_, gl.mean[gl.part == k])
        assert len(tree.rules()) == (gl.part == k).sum()
    assert str(gl) == (
        f"grouping loss {gl.value:.4f} [{gl.low:.4f}, {gl.high:.4f}], n = 600 in {gl.n_regions} regions; p < 0.001"
    )
    with pytest.raises(AttributeError):
        gl.value = 0


def test_the_paper_uses_tenths_and_features_only():
    s = Sigmoid().sample(1000, rng=0)
    gl = grouping_loss(s.y, s.p, s.X, method="paper", rng=0)
    assert gl.n == 500 and len(gl.trees) == 1 and gl.trees[0].tree_.n_node_samples[0] == 400
    assert sorted(column.name for column in gl.trees[0].encoder_.columns_) == ["x1", "x2"]


# ---- tables and weights that tried to break it -----------------------------------------------------------------

N = 240
HARD = {
    "missing everywhere": pd.DataFrame({"a": np.full(N, np.nan)}),
    "missing text": pd.DataFrame({"a": [None] * N}),
    "constant": pd.DataFrame({"a": np.ones(N)}),
    "one category": pd.DataFrame({"a": ["x"] * N}),
    "a category each": pd.DataFrame({"a": [f"c{i}" for i in range(N)]}),
    "unused levels": pd.DataFrame({"a": pd.Categorical(["u", "v"] * (N // 2), categories=list("zvu"))}),
    "mixed objects": pd.DataFrame({"a": [1, "a", None, 2.5] * (N // 4)}),
    "huge numbers": pd.DataFrame({"a": [2**70 + i for i in range(N)]}),
    "extreme floats": pd.DataFrame({"a": np.arange(N) * 1e300, "b": np.arange(N) * 5e-324}),
    "time zones": pd.DataFrame({"a": pd.date_range("2020", periods=N, tz="Asia/Tokyo")}),
    "durations": pd.DataFrame({"a": pd.to_timedelta(np.arange(N), unit="h")}),
    "intervals": pd.DataFrame({"a": pd.cut(np.arange(N), 4)}),
    "sparse": pd.DataFrame({"a": pd.arrays.SparseArray(np.arange(N) % 5)}),
    "duplicated index": pd.DataFrame({"a": np.arange(N)}, index=[0] * N),
    "two-level names": pd.DataFrame(np.eye(N)[:, :2], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])),
}


@pytest.mark.parametrize("table", HARD.values(), ids=HARD)
def test_hard_tables_give_finite_answers_and_rules(table):
    rng = np.random.default_rng(0)
    p = rng.random(N)
    gl = grouping_loss(rng.random(N) < p, p, table, rng=0)
    assert np.isfinite([gl.value, gl.se, gl.low, gl.high, gl.p_value]).all()
    assert all(all(tree.rules()) for tree in gl.trees)


@pytest.mark.parametrize(
    "weight",
    [10.0 ** np.random.default_rng(0).uniform(-1, 1, N), np.where(np.arange(N) % 3, 1e-8, 1e8), np.arange(N) / N],
    ids=["two powers of ten", "two sizes", "a zero"],
)
def test_hard_weights_give_finite_answers(weight):
    rng = np.random.default_rng(0)
    p = rng.random(N)
    for groups in (None, np.arange(N) // 2):
        gl = grouping_loss(rng.random(N) < p, p, p[:, None], sample_weight=weight, groups=groups, rng=0)
        assert np.isfinite([gl.value, gl.se, gl.low, gl.high, gl.p_value]).all() and 0 <= gl.left_out <= 1


@pytest.mark.parametrize("p", [np.tile([0.0, 1.0], N // 2), np.repeat([0.0, 0.3, 1.0], N // 3)], ids=["sure", "steps"])
@pytest.mark.parametrize("calibrator", ["platt", "isotonic", "none"])
def test_scores_of_exactly_zero_and_one(p, calibrator):
    rng = np.random.default_rng(0)
    for y in (p > 0.5, rng.random(N) < 0.5):
        gl = grouping_loss(y, p, rng.normal(size=(N, 2)), calibrator=calibrator, rng=0)
        assert np.isfinite([gl.value, gl.se, gl.p_value]).all()


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
