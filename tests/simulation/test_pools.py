"""The pool of black boxes: its numbers are exact sums, its knobs do what they say, its samples obey it."""

import numpy as np
import pytest
from refusals import refuses

from helpers.simulation import FinitePopulation, model_pool

POOL = model_pool(sizes=[1, 8, 70], slope=[0.6, 1.0, 1.8], shift=[0.3, 0, -0.2], rng=0)


def test_the_table_is_what_each_model_sees():
    best = POOL.share @ np.maximum(POOL.q, 1 - POOL.q)  # accuracy of deciding by the truth
    for k, line in POOL.models.iterrows():
        seen = FinitePopulation(POOL.p[k], POOL.q, POOL.share)  # computes c anew, from the rows that share a score
        assert np.allclose(seen.c, POOL.c[k], atol=1e-12)
        assert line["grouping_loss"] == pytest.approx(seen.grouping_loss, abs=1e-12)
        assert line["calibration_loss"] == pytest.approx(seen.calibration_loss, abs=1e-12)
        assert line["accuracy"] == pytest.approx(best - seen.accuracy_lost, abs=1e-12)
    assert POOL.share.sum() == pytest.approx(1) and (POOL.share > 0).all()
    assert list(POOL.price) == [1, 8, 70]


def test_calibration_error_is_the_slope_and_the_shift():
    plain = model_pool(sizes=[1, 8, 70], rng=0)
    assert np.array_equal(plain.p, plain.c) and (plain.models["calibration_loss"] == 0).all()
    assert np.allclose(plain.c, POOL.c)  # the knobs of the statement do not touch what is known
    odds = np.log(POOL.p / (1 - POOL.p)), np.log(POOL.c / (1 - POOL.c))
    assert np.allclose(odds[0], np.array([[0.3], [0], [-0.2]]) + np.array([[0.6], [1.0], [1.8]]) * odds[1])


def test_grouping_error_is_what_it_says():
    losses = [model_pool(sizes=[1], grouping_error=e, rng=1).models["grouping_loss"][0] for e in (0, 0.5, 1, 2)]
    assert losses[0] == 0 and (np.diff(losses) > 0.005).all()
    grown = model_pool(rng=1).models
    assert grown["grouping_loss"].is_monotonic_decreasing and grown["accuracy"].iloc[-1] > grown["accuracy"].iloc[0]


def test_a_biased_group_is_misjudged_and_by_the_small_model_only():
    pool = model_pool(sizes=[1, 70], grouping_error=0, group_bias={("job", "farm"): [2.0, 0.0]}, rng=2)
    farm = (pool.X["job"] == "farm").to_numpy()
    gap = [(pool.share * (pool.c[k] - pool.q))[farm].sum() / pool.share[farm].sum() for k in (0, 1)]
    assert gap[0] > 0.1 and gap[1] == 0  # told too high
    assert pool.models["grouping_loss"][1] == 0


def test_models_share_the_errors_they_are_told_to_share():
    def agreement(shared):
        pool = model_pool(sizes=[1, 2], grouping_error=1.0, shared=shared, rng=3)
        return np.corrcoef(pool.c[0] - pool.q, pool.c[1] - pool.q)[0, 1]

    assert agreement(1.0) == pytest.approx(1) and agreement(0.0) < agreement(0.5) < 0.9


def test_samples_obey_the_population():
    n = 40_000
    sample = POOL.sample(n, rng=4)
    assert sample.p.shape == sample.c.shape == (3, n) and len(sample.X) == n
    assert abs(sample.y.mean() - POOL.share @ POOL.q) < 4 * 0.5 / np.sqrt(n)
    for k in range(3):
        right = (sample.prediction[k] == sample.y).mean()
        assert abs(right - POOL.models["accuracy"][k]) < 4 * 0.5 / np.sqrt(n)
    z = (sample.y - sample.q).sum() / np.sqrt((sample.q * (1 - sample.q)).sum())
    assert abs(z) < 4
    again = POOL.sample(n, rng=4)
    assert np.array_equal(again.y, sample.y) and again.X.equals(sample.X)


test_bad_knobs_are_named = refuses(
    ({"sizes": [3, 1]}, "sizes must"),
    ({"grouping_error": [1, 2]}, "grouping_error must"),
    ({"shared": 1.5}, "shared must"),
    ({"group_bias": {("job", "pirate"): 1}}, "group_bias must .*'job'"),
    ({"group_bias": {("job", "farm"): [1, 2]}}, "group_bias must"),
    of=model_pool,
)
