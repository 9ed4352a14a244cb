"""The binned lower bound: identities by brute force, quadrature truth within standard errors, silence when there is
nothing, and the edges where bins or regions run out of rows.
"""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import binomtest

from helpers.calibration import running_curve
from helpers.grouping import binned_grouping_loss, binned_grouping_loss_from_regions
from helpers.grouping.binned import _halves
from helpers.grouping.binned_variance import null_variance
from helpers.simulation import BlindSpot, Links, Sigmoid

SEEDS = 30


def error(values, truth=0.0):
    """Distance of the mean from the truth in standard errors; 0 if every value is the truth itself."""
    values = np.asarray(values) - truth
    spread = values.std(ddof=1)
    return (
        values.mean() / (spread / np.sqrt(values.size)) if spread > 1e-12 else float(np.sign(np.round(values[0], 12)))
    )


def close(errors):
    """Many distances at once: one in twenty may lie beyond two standard errors, none beyond three."""
    errors = np.abs(errors)
    return errors.max() < 3 and (errors < 2).mean() >= 0.9


def each(draw, fit, seeds=SEEDS):
    """Results for as many samples; `draw(seed)` gives y, p and what tells regions."""
    return [fit(*draw(seed), rng=seed) for seed in range(seeds)]


def values(results, name="value"):
    return [getattr(result, name) for result in results]


# ---- by hand and by brute force ---------------------------------------------------------------------------------


def test_eight_rows_by_hand():
    y = [0, 0, 0, 1, 1, 1, 1, 0]
    region = [0, 0, 0, 0, 1, 1, 1, 1]
    one = binned_grouping_loss_from_regions(y, np.full(8, 0.5), region, rng=0)
    assert one.plugin == pytest.approx(0.25**2)
    assert one.bias == pytest.approx((0.25 * 0.75 / 3 + 0.75 * 0.25 / 3) / 2 - 0.25 / 7)
    assert abs(one.expected) < 1e-12 and one.induced == 0.0 and one.value == pytest.approx(one.plugin - one.bias)
    assert one.rate.tolist() == [0.25, 0.75] and one.count.tolist() == [4, 4] and one.stated.tolist() == [0.5, 0.5]
    assert one.bin_count.sum() == one.bin_count.max() == 8 and np.isnan(one.bin_rate).sum() == 14
    assert one.calibration_loss == pytest.approx(-0.25 / 7)  # (y - p)(y' - p) over pairs


def brute(y, p, region, n_bins, weight=None, groups=None):
    """Proposition 4.3, bin by bin and region by region, with products of different people only.

    Rates are counted from the mean score of their bin: without weights that changes nothing.
    """
    w = np.ones(y.size) if weight is None else weight
    g = np.arange(y.size) if groups is None else groups
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    kept = np.zeros(y.size, bool)
    for b in range(n_bins):
        for j in np.unique(region):
            rows = (bins == b) & (region == j)
            kept |= rows & (np.unique(g[rows]).size >= 2)
    y, w, g, bins, region, p = (column[kept] for column in (y, w, g, bins, region, p))
    off = y - (np.bincount(bins, w * p) / np.maximum(np.bincount(bins, w), 1e-300))[bins]

    def square(rows):
        pairs = np.outer(w[rows], w[rows]) * (g[rows][:, None] != g[rows])
        return (pairs * np.outer(off[rows], off[rows])).sum() / pairs.sum()

    explained = plugin = 0.0
    for b in np.unique(bins):
        inside = bins == b
        rate = np.average(y[inside], weights=w[inside])
        explained -= w[inside].sum() * square(inside)
        for j in np.unique(region[inside]):
            rows = inside & (region == j)
            explained += w[rows].sum() * square(rows)
            plugin += w[rows].sum() * (np.average(y[rows], weights=w[rows]) - rate) ** 2
    return explained / w.sum(), plugin / w.sum(), 1 - kept.mean()


@st.composite
def few_rows(draw):
    n = draw(st.integers(8, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    p = np.round(rng.random(n), draw(st.sampled_from([1, 9])))
    return rng.integers(0, 2, n).astype(float), p, rng.integers(0, draw(st.integers(1, 5)), n), rng


@given(few_rows(), st.integers(1, 5), st.booleans(), st.booleans())
def test_explained_is_what_it_says(rows, n_bins, weighted, clustered):
    y, p, region, rng = rows
    weight = rng.uniform(0.2, 3, y.size) if weighted else None
    groups = rng.integers(0, max(y.size // 2, 6), y.size) if clustered else None
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    cell = bins * 5 + region
    unit = np.arange(y.size) if groups is None else groups
    assume(max(np.unique(unit[cell == k]).size for k in cell) > 1)
    if clustered:  # both classes in both random halves
        assume(min(np.unique(groups[y == k]).size for k in (0, 1)) > 4)
    ours = binned_grouping_loss_from_regions(y, p, region, n_bins=n_bins, sample_weight=weight, groups=groups, rng=0)
    explained, plugin, left_out = brute(y, p, region, n_bins, weight, groups)
    assert ours.explained == pytest.approx(explained, abs=1e-12) and ours.plugin == pytest.approx(plugin, abs=1e-12)
    assert ours.bias == pytest.approx(plugin - explained, abs=1e-12)
    assert ours.value == pytest.approx(ours.explained - ours.expected, abs=1e-12)
    assert np.isnan(ours.se) or ours.low <= ours.value <= ours.high
    if weight is None:
        assert ours.left_out == pytest.approx(left_out)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_what_rests_on_two_curves_from_all_pairs_and_standard_errors_by_derivatives(weighted, clustered):
    """A label meets the curve that other labels made; a row moves the value by its weight, a curve by its label."""
    n = 300
    rng = np.random.default_rng(5)
    p, region = rng.random(n), rng.integers(0, 2, n)
    y = (rng.random(n) < np.clip(p**2 + 0.3 * region, 0, 1)).astype(float)
    w = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    g = np.arange(n) // 2 if clustered else np.arange(n)
    groups = g if clustered else None
    options = {"n_bins": 2, "sample_weight": w if weighted else None, "groups": groups, "rng": 0}
    found = binned_grouping_loss_from_regions(y, p, region, **options)
    printed = binned_grouping_loss_from_regions(y, p, region, **options, correction="bins")
    halves = _halves(y, p, groups, np.random.default_rng(0))
    f, s = (running_curve(y[half], p[half], p) for half in halves)
    in_first = np.isin(np.arange(n), halves[0])
    bins = (p >= 0.5).astype(int)
    cells = 2 * bins + region

    def of_pairs(product, index, pairs):
        pairs = pairs * (index[:, None] == index)
        sums, all_pairs = (np.bincount(index, w * (w * pairs * each).sum(axis=1)) for each in (product, 1))
        return np.average((sums / all_pairs)[index], weights=w)

    def mean(column, index, w=w):
        return (np.bincount(index, w * column) / np.bincount(index, w))[index]

    def covariance(a, b):
        return np.average((a - mean(a, bins)) * (b - mean(b, bins)), weights=w)

    apart = g[:, None] != g
    product = 2 * (y - mean(y, bins))[:, None] * np.where(in_first[:, None], s, f) - np.outer(f, s)
    assert found.expected == pytest.approx(of_pairs(product, cells, apart) - of_pairs(product, bins, apart))
    assert found.induced == pytest.approx(covariance(f, s))
    missed = of_pairs(np.outer(y - p, y - p), bins, apart)
    assert found.calibration_loss == pytest.approx(missed + covariance(p - f, p - s))
    assert printed.value == pytest.approx(printed.explained - found.induced)
    assert "expected" in str(found) and "induced" in str(printed) and "array(" not in repr(found)
    if not weighted:
        assert np.bincount(found.region_bin, found.count * found.rate) == pytest.approx(
            found.bin_count * found.bin_rate
        )
    middle = (f + s) / 2

    def beyond(w, curve):
        return np.average((mean(y - curve, cells, w) - mean(y - curve, bins, w)) ** 2, weights=w)

    def less(w):
        square = (mean(y, cells, w) - mean(y, bins, w)) ** 2 - (middle - mean(middle, bins, w)) ** 2
        return np.average(square, weights=w)

    def influences(value, *given):
        return np.array([value(w * (1 + 1e-6 * unit), *given) - value(w, *given) for unit in np.eye(n)]) * 1e6

    of_regions = np.where(in_first, influences(beyond, s), influences(beyond, f))
    of_bins = influences(less) - 2 * (middle - mean(middle, bins)) * (y - middle) * w / w.sum()
    for one, changes in ((found, of_regions), (printed, of_bins)):
        assert one.se == pytest.approx(np.sqrt((np.bincount(g, changes) ** 2).sum()), rel=0.03)


def test_clopper_pearson():
    rng = np.random.default_rng(0)
    region = np.repeat(np.arange(6), [2, 3, 5, 20, 60, 110])
    y = (rng.random(200) < region / 5).astype(float)
    result = binned_grouping_loss_from_regions(y, np.full(200, 0.4), region, rng=0)
    for j, (count, rate) in enumerate(zip(result.count, result.rate, strict=True)):
        exact = binomtest(round(count * rate), int(count)).proportion_ci(method="exact")
        assert (result.rate_low[j], result.rate_high[j]) == pytest.approx((exact.low, exact.high))
    assert result.rate_low[0] == 0 and result.rate_high[-1] == 1


def explained_of_all(y, index):
    """Sums over regions of n (mean^2 - variance / n), for many rows of labels."""
    total = 0.0
    for region in np.unique(index):
        part = y[:, index == region]
        total = total + part.shape[1] * part.mean(axis=1) ** 2 - part.var(axis=1, ddof=1)
    return total


def test_the_variance_where_regions_do_not_differ_is_that_of_all_labels_that_may_be_drawn():
    region = np.array([0, 0, 1, 1, 1, 2, 2, 2])
    alike = np.zeros(8, int)
    y = np.array(list(itertools.product([0.0, 1.0], repeat=8)))  # all equally likely at a rate of 1/2
    estimates = (explained_of_all(y, region) - explained_of_all(y, alike)) / 8
    rows = SimpleNamespace(weight=np.ones(8), region=region, bin=alike)
    assert null_variance(rows, np.array([0.25])) == pytest.approx(estimates.var())


# ---- quadrature truth -----------------------------------------------------------------------------------------------


def wave(p):
    return p + 0.8 * np.minimum(p, 1 - p) * np.sin(9 * p)


ONE = {
    "worst link": Links(lambda p: np.minimum(1, 2 * p)),
    "wave": Links(wave, inputs="uniform"),
    "uneven shares": Links(lambda p: np.minimum(1, p + 0.2), other=lambda p: 0.7 * p),
    "nothing": Links(lambda p: p),
}
BLIND = BlindSpot([1, 0], [0, 1], link=lambda t: 0.1 + 0.8 * expit(1.7 * t))  # stays away from 0 and 1


def cut(x, k):
    return np.searchsorted(np.linspace(-1.5, 1.5, k - 1), x) if k > 2 else (x > 0).astype(int)


def parts(p, q, weight, n_bins, region):
    """explained, induced, and what is left when the scores' own share is subtracted, for calibrated p."""
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    cell = np.unique(bins * 1000 + region, return_inverse=True)[1]
    mass = np.bincount(cell, weight)
    truth = np.bincount(cell, weight * q) / mass
    stated = np.bincount(cell, weight * p) / mass
    of_bin = np.bincount(bins, weight)
    rate = np.bincount(bins, weight * p) / np.where(of_bin > 0, of_bin, 1)
    around = np.zeros(mass.size)
    around[cell] = rate[bins]
    induced = weight @ (rate[bins] - p) ** 2
    return mass @ (truth - around) ** 2, induced, mass @ (truth - stated) ** 2


def known_link(name, n_bins, k):
    population = ONE[name]
    x = np.linspace(-6, 6, 100_000) if population.inputs == "normal" else np.linspace(-2, 2, 100_000)
    weight = population.density(x)
    x = x[weight > 0]
    weight = weight[weight > 0] / weight.sum()
    return parts(population.stated(x), population.truth(x), weight, n_bins, cut(x, k))


def known_blind(n_bins, k):
    a, b = (np.linspace(-5, 5, m) for m in (4000, 100))
    X = np.column_stack([np.repeat(a, b.size), np.tile(b, a.size)])
    weight = np.exp(-(X**2).sum(axis=1) / 2)
    return parts(BLIND.stated(X), BLIND.truth(X), weight / weight.sum(), n_bins, cut(X[:, 1], k))


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE)
def test_known_regions_find_what_quadrature_says(name):
    """Both corrections, from few wide bins with many regions to many bins with few regions."""
    samples = [ONE[name].sample(1000, seed) for seed in range(50)]
    errors = []
    for n_bins, k in ((1, 3), (2, 9), (15, 4)):
        explained, induced, left = known_link(name, n_bins, k)
        results = [
            binned_grouping_loss_from_regions(s.y, s.p, cut(s.X["x"].to_numpy(), k), n_bins=n_bins, rng=seed)
            for seed, s in enumerate(samples)
        ]
        errors += [error(values(results), left), error(values(results, "explained"), explained)]
        net = np.subtract(values(results, "explained"), values(results, "induced"))
        errors += [error(values(results, "induced"), induced), error(net, explained - induced)]
    assert close(errors)


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["regions", "bins"])
def test_intervals_cover(correction):
    def draw(seed):
        s = BLIND.sample(1000, seed)
        return s.y, s.p, cut(s.X["x2"].to_numpy(), 2)

    options = {"n_bins": 8, "correction": correction}
    explained, induced, left = known_blind(8, 2)
    truth = left if correction == "regions" else explained - induced
    results = each(draw, lambda *rows, rng: binned_grouping_loss_from_regions(*rows, **options, rng=rng), 80)
    above, below = (
        np.mean(side) for side in ([one.low > truth for one in results], [one.high < truth for one in results])
    )
    assert above <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / 80)  # the side on which a claim is made
    assert above + below <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)  # small values have small standard errors: skew


@pytest.mark.slow
@pytest.mark.parametrize("population", [Sigmoid(), ONE["worst link"]], ids=["sigmoid", "link"])
def test_it_is_a_lower_bound_and_not_an_empty_one(population):
    def draw(seed):
        s = population.sample(1500, seed)
        return s.y, s.p, s.X

    results = each(draw, lambda *rows, rng: binned_grouping_loss(*rows, rng=rng))
    for found in (values(results), np.subtract(values(results, "explained"), values(results, "induced"))):
        assert error(found, population.grouping_loss) < 2 < error(found, population.grouping_loss / 3)
    assert np.mean([one.low <= population.grouping_loss for one in results]) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("given", "n_bins"), [("regions", 3), ("features", 15)])
def test_the_calibration_loss_of_the_score_before_binning(given, n_bins):
    """Stated p = q^1.5, so c(p) = q; the integral is over q uniform in [0.1, 0.9]."""
    q = 0.1 + 0.8 * (np.arange(100_000) + 0.5) / 100_000
    truth = np.mean((q - q**1.5) ** 2)

    def draw(seed):
        rng = np.random.default_rng(seed)
        q = rng.uniform(0.1, 0.9, 1500)
        side = rng.integers(0, 2, 1500)
        return rng.random(1500) < q, q**1.5, side if given == "regions" else side[:, None]

    fit = binned_grouping_loss_from_regions if given == "regions" else binned_grouping_loss
    results = each(draw, lambda *rows, rng: fit(*rows, n_bins=n_bins, rng=rng))
    assert abs(error(values(results, "calibration_loss"), truth)) < 2


# ---- nothing to find ------------------------------------------------------------------------------------------------

NULL = [
    (600, {"region_ratio": 30, "n_bins": 6}),
    (200, {"estimator": "stump"}),
    (500, {"estimator": "kmeans", "n_bins": 5}),
    (1000, {"strategy": "quantile", "n_bins": 6}),
    (5000, {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "options"), NULL, ids=str)
def test_a_perfect_score_gets_nothing(n, options):
    def draw(seed):
        s = Sigmoid(strength=0).sample(n, seed)
        return s.y, s.p, s.X

    results = each(draw, lambda *rows, rng: binned_grouping_loss(*rows, rng=rng, **options))
    assert abs(error(values(results))) < 2
    if n == 5000:
        assert np.mean([one.low > 0 for one in results]) <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("n_bins", [2, 15])
def test_known_regions_that_are_ranges_of_the_score(n_bins):
    """Everything they explain, they owe to the score; the curves share labels with the rates, which must not show."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        p = rng.random(300)
        return rng.random(300) < p, p, (p * 12).astype(int)

    results = each(draw, lambda *rows, rng: binned_grouping_loss_from_regions(*rows, n_bins=n_bins, rng=rng), 120)
    assert abs(error(values(results))) < 2.5


# ---- invariances ----------------------------------------------------------------------------------------------------


def invariant(a, b, names):
    return all(getattr(a, name) == pytest.approx(getattr(b, name), abs=1e-12, nan_ok=True) for name in names)


def test_row_order_with_ties():
    """Which rows make which curve is drawn, so only what rests on a curve may change; with one score it does not."""
    rng = np.random.default_rng(0)
    p = np.round(rng.random(500), 1)
    region = rng.integers(0, 3, 500)
    y = rng.random(500) < p
    order = rng.permutation(500)
    names = ["plugin", "explained", "bias", "n", "left_out", "count", "rate", "stated", "bin_rate"]
    for scores in (p, np.full(500, 0.4)):
        a, b = (
            binned_grouping_loss_from_regions(y[rows], scores[rows], region[rows], rng=0)
            for rows in (np.arange(500), order)
        )
        assert invariant(a, b, names) and a.value == pytest.approx(b.value, abs=a.se)
    assert invariant(a, b, ["value", "explained", "expected", "induced"])


# ---- where bins and regions run out of rows -------------------------------------------------------------------------


@pytest.mark.parametrize("correction", ["regions", "bins"])
def test_one_region_a_bin_measures_nothing_which_is_not_zero(correction):
    rng = np.random.default_rng(0)
    p = rng.random(600)
    y = rng.random(600) < p**2
    options = {"correction": correction, "rng": 0}
    table = rng.normal(size=(600, 2))
    for found in (
        binned_grouping_loss_from_regions(y, p, np.zeros(600, int), **options),
        binned_grouping_loss(y, p, np.ones((600, 1)), **options),
        binned_grouping_loss(y, p, table, region_ratio=600, n_splits=3, **options),
    ):
        assert np.isnan([found.se, found.low, found.high]).all() and found.n_regions == 15
        assert abs(found.explained) < 1e-12 and "nothing was measured" in str(found) and "0.0000" not in str(found)
    one_bin_of_two = binned_grouping_loss_from_regions(y, p, (p > 0.7).astype(int), n_bins=15, **options)
    assert one_bin_of_two.n_regions == 16 and one_bin_of_two.low < one_bin_of_two.high


def test_the_middle_of_several_splits_moves_less_with_the_seed():
    rng = np.random.default_rng(0)
    X, p = rng.normal(size=(800, 2)), rng.random(800)
    y = rng.random(800) < p + np.sign(X[:, 0]) * np.minimum(p, 1 - p) / 2
    one, five = (
        [binned_grouping_loss(y, p, X, n_splits=n_splits, rng=seed) for seed in range(12)] for n_splits in (1, 5)
    )
    assert np.std([loss.value for loss in five]) < 0.7 * np.std([loss.value for loss in one])
    assert all(loss.splits.size == 5 and np.median(loss.splits) == loss.value for loss in five)
    assert all(loss.low < loss.value < loss.high for loss in five) and "the middle of 5 splits" in str(five[0])
    assert five[0].rate.size == five[0].n_regions and one[0].splits.size == 0


def test_one_row_regions_are_counted_and_left_out():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    region = rng.integers(0, 2, 300)
    y = rng.random(300) < p
    alone = np.r_[region, 2 + np.arange(30)]
    result = binned_grouping_loss_from_regions(np.r_[y, np.ones(30)], np.r_[p, rng.random(30)], alone, n_bins=4, rng=0)
    plain = binned_grouping_loss_from_regions(y, p, region, n_bins=4, rng=0)
    assert result.n_single == 30 and result.n == 300 and result.left_out == pytest.approx(30 / 330)
    assert invariant(result, plain, ["explained", "plugin", "bias", "count", "rate", "bin_rate"])
    se = binned_grouping_loss_from_regions(y, p, region, n_bins=4, rng=0, groups=rng.permutation(300)).se
    assert se == pytest.approx(plain.se, rel=0.05)  # noise counts once
    with pytest.raises(ValueError, match="region must"):
        binned_grouping_loss_from_regions(y, p, np.arange(300), rng=0)
    with pytest.raises(ValueError, match="groups must"):
        binned_grouping_loss_from_regions(y, p, np.arange(300) % 6, groups=np.arange(300) % 6, rng=0)


def test_four_rows_are_enough_for_known_regions_and_three_are_not():
    p = np.array([0.1, 0.2, 0.3, 0.4])
    X = np.arange(4.0)[:, None]
    for y in ([0, 1, 0, 1], [0, 0, 0, 1]):
        assert np.isfinite(binned_grouping_loss_from_regions(y, p, [0, 0, 1, 1], n_bins=1, rng=0).value)
    for call in (
        lambda: binned_grouping_loss([0, 1, 0], p[:3], X[:3], rng=0),
        lambda: binned_grouping_loss_from_regions([0, 1, 0], p[:3], [0, 0, 0], rng=0),
    ):
        with pytest.raises(ValueError, match="y must"):
            call()
