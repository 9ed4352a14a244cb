"""Populations do what they say: reference values, calibration, and rates of the drawn labels."""

import numpy as np
import pytest

from helpers.scoring import decompose
from helpers.simulation import FinitePopulation, Links, Sigmoid
from tests.simulation.known import ACCURATE, POPULATIONS, STEEP, WORST

each_population = pytest.mark.parametrize("population", POPULATIONS.values(), ids=POPULATIONS)


def test_reference_values():
    population = Sigmoid()
    assert population.grouping_loss == pytest.approx(0.02535948084, abs=1e-10)
    assert population.irreducible_loss == pytest.approx(0.0849351616, abs=1e-9)
    assert population.grouping_loss + population.irreducible_loss == pytest.approx(0.1102946424, abs=1e-9)
    assert Sigmoid(accurate=True).grouping_loss == pytest.approx(0.007683939163, abs=1e-10)
    assert Sigmoid(strength=0.5).grouping_loss == pytest.approx(0.02535948084 / 4, abs=1e-10)
    assert Links(lambda p: p).grouping_loss == 0


def test_four_rows_by_hand():
    q = Sigmoid().truth([[0, 0], [0, 50], [0, -50], [np.log(3), 50]])
    assert np.allclose(q, [0.5, 1, 0, 1])
    x = np.sqrt(np.log(2)) / 0.9
    assert np.allclose(STEEP.truth([x, -x, 0]), [1, 0, 0]) and np.allclose(STEEP.stated([x, -x, 0]), [0.5, 0.5, 0])


@pytest.mark.slow
@each_population
def test_labels_follow_q_the_score_is_calibrated_and_the_losses_are_means(population):
    """40,000 rows, each mean within 4 standard errors, overall and in ten bins of the score."""
    s = population.sample(40_000, rng=0)
    assert ((s.q >= 0) & (s.q <= 1)).all() and set(np.unique(s.y)) <= {0, 1} and np.array_equal(s.p, s.c)
    loss = (s.q - s.c) ** 2
    assert abs(loss.mean() - population.grouping_loss) <= 4 * loss.std() / 200
    assert s.grouping_loss == pytest.approx(loss.mean())
    region = np.minimum((s.p * 10).astype(int), 9)
    size = np.maximum(np.bincount(region, minlength=10), 1)
    for residual, variance in ((s.y - s.q, s.q * (1 - s.q)), (s.q - s.c, loss)):
        z = np.bincount(region, residual, 10) / np.sqrt(np.bincount(region, variance, 10) + 1e-12 * size)
        assert np.abs(z).max() < 4.5  # ten bins at once
    assert decompose(s.q, s.p, s.c).calibration == 0
    brier = (s.p - s.y) ** 2
    assert abs(brier.mean() - population.grouping_loss - population.irreducible_loss) <= 4 * brier.std() / 200
    assert population.irreducible_loss >= -1e-12


@each_population
def test_stated_true_and_calibrated_are_functions_of_the_features(population):
    s = population.sample(500, rng=2)
    X = s.X["x"] if list(s.X) == ["x"] else s.X
    for found, drawn in ((population.stated(X), s.p), (population.truth(X), s.q), (population.calibrated(X), s.c)):
        assert np.allclose(found, drawn, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ACCURATE)
def test_accurate_populations_never_change_the_decision(name):
    s = POPULATIONS[name].sample(20_000, rng=0)
    tie = np.abs(s.q - 0.5) < 1e-12  # either decision is as good
    assert np.array_equal(s.p[~tie] >= 0.5, s.q[~tie] >= 0.5)
    assert s.accuracy_lost < 1e-12


EACH_KIND = {"sigmoid": Sigmoid(), "links": STEEP, "tilted": WORST, "cells": FinitePopulation([0.2, 0.7], [0.3, 0.6])}


@pytest.mark.parametrize("population", EACH_KIND.values(), ids=EACH_KIND)
def test_same_seed_same_rows_and_global_state_untouched(population):
    np.random.seed(0)  # noqa: NPY002 the state that must not move
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    a, b, c = (population.sample(50, rng=rng) for rng in (3, np.random.default_rng(3), 4))
    assert a.X.equals(b.X) and np.array_equal(a.y, b.y) and not a.X.equals(c.X)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    for n in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="n must"):
            population.sample(n)
