"""Squared means of regions and their laws: derivatives, the jackknife, coverage and alarms near what is promised."""

import itertools

import numpy as np
import pytest

from helpers.binning import cross_cells, group_sums
from helpers.grouping.null_moments import moments_if_alike
from helpers.grouping.region_statistics import cell_columns, region_statistics
from helpers.grouping.region_values import RegionValues
from helpers.grouping.result import combine
from tests.grouping.rows import pairs_of_different_groups


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
    part = region_statistics(r, region, w if weighted else None, g if clustered else None)
    own = np.bincount(g, w)
    units = w.sum() ** 2 / (own @ own)
    changes = influences(r, region, w, g)
    assert changes.sum() == pytest.approx(0, abs=1e-4)  # a common factor of all weights changes nothing
    found = part.signal_variance + 2 * part.noise_variance
    assert found == pytest.approx(changes @ changes * units * (units - 1) / (units - 2) ** 2, rel=1e-4)
    two = region_statistics(r, np.arange(n) % 6 // 3, w if weighted else None, g if clustered else None)
    changes = influences(r, np.arange(n) % 6 // 3, w, g)  # two regions, whose sizes are chance, too
    assert 1 <= (two.signal_variance + 2 * two.noise_variance) / (changes @ changes) < 1.25


@pytest.mark.parametrize("weighted", [False, True])
def test_the_variance_is_that_of_leaving_one_out(weighted):
    """The jackknife counts the noise of the squared means twice; without that it is our variance."""
    rng = np.random.default_rng(1)
    region = rng.integers(0, 4, 400)
    r = 0.3 * rng.normal(size=4)[region] + rng.normal(size=400)
    w = rng.uniform(0.5, 2, 400) if weighted else np.ones(400)
    part = region_statistics(r, region, w if weighted else None)
    left_out = [
        pairs_of_different_groups(*(x[np.arange(400) != i] for x in (r, region, w, np.arange(400)))) for i in range(400)
    ]
    jackknife = 399 / 400 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum()
    assert part.signal_variance + 2 * part.noise_variance == pytest.approx(jackknife, rel=0.02)
    assert part.variance == part.signal_variance + part.noise_variance


@pytest.mark.parametrize("rows", [2, 4, 15])
def test_the_noise_of_small_regions_is_not_understated_by_weights(rows):
    """Noise where n_j / (n_j - 1) is far from 1: not below the truth, not above the closed form."""
    region = np.repeat(np.arange(3000), rows)
    r = np.random.default_rng(0).normal(size=region.size)
    weighted = region_statistics(r, region, np.ones(r.size))
    plain = region_statistics(r, region)
    truth = 2 * 3000 * rows / (rows - 1) / r.size**2
    assert weighted.noise_variance == pytest.approx(plain.noise_variance)
    blocks = np.split(np.arange(r.size), 30)
    blocks = [region_statistics(r[rows], region[rows] - region[rows].min(), np.ones(rows.size)) for rows in blocks]
    se = np.std([part.noise_variance / 900 for part in blocks]) * np.sqrt(30)
    assert truth - 4 * se < weighted.noise_variance <= weighted.noise_ceiling
    assert se < 0.1 * weighted.noise_variance
    spread = np.mean([r[region == j].var(ddof=1) for j in range(100)])
    assert np.allclose(weighted.mean_variance[:100].mean(), spread)


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
            gl = combine([region_statistics(residual, region, w)], float("nan"))
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


@pytest.mark.parametrize("shared", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("spread", [False, True])
def test_known_moments_of_groups_are_those_of_all_labels_that_may_be_drawn(shared, spread):
    """Two rows a group, alike with the chance `shared`; a third moment has a closed form for all or none."""
    w, c = np.repeat([[1.0, 2, 1.5, 0.5, 1], [0.1, 0.3, 0.2, 0.2, 0.4]], 2, axis=1)
    group = np.arange(10) // 2
    region = np.array([0, 0, 0, 1, 0, 0, 1, 0, 1, 1] if spread else [0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    y = np.array(list(itertools.product([0, 1], repeat=10)))
    chance = np.where(y, c, 1 - c).reshape(-1, 5, 2)
    alike = np.where(y[:, ::2] == y[:, 1::2], chance[..., 0], 0)
    chance = (shared * alike + (1 - shared) * chance.prod(axis=2)).prod(axis=1)
    value = np.array([pairs_of_different_groups(r, region, w, group) for r in y - c])
    cell, cell_region, cell_group = cross_cells(region, group)
    own, _, *labels, _ = group_sums(cell, *cell_columns(w, y[5] - c))[1:]
    total, squares = group_sums(cell_region, own, own**2)[1:]
    pair_weight = RegionValues.of(total, squares, total).pair_weight
    variance, third = moments_if_alike(pair_weight, np.full(5, shared), cell_region, cell_group, *labels)
    assert variance == pytest.approx(chance @ value**2)
    if shared != 0.4 and not spread:
        assert third == pytest.approx(chance @ value**3)
