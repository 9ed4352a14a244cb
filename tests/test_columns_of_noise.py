"""A column that says nothing moves no estimate by more than its standard error, whatever it holds."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.audit import search_segments, tree_groups
from helpers.decisions import RiskEstimator, cost_matrix
from helpers.grouping import binned_grouping_loss, grouping_loss, stacked_grouping_loss
from helpers.practice.chunks import fit_partition
from helpers.practice.repair import Recalibrator

N = 2000

EVEN = cost_matrix(false_alarm=1, miss=1)


def table(seed):
    """Scores that miss what four of six numbers say."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N, 6)), columns=list("abcdef"))
    p = expit(rng.normal(size=N) / 2)
    return (rng.random(N) < expit(logit(p) + X[list("abcd")].sum(axis=1))).astype(float), p, X


NOISE = {
    "50 levels": lambda rng: np.char.add("level ", rng.integers(0, 50, N).astype(str)),
    "unique text": lambda rng: np.char.add("person ", rng.permutation(N).astype(str)),
}


def of_segments(y, p, X, seed):
    """The largest gap named, and how far its interval reaches."""
    named = search_segments(y, p, X, n_draws=59, rng=seed).selected.iloc[0]
    return named["gap"], (named["high"] - named["low"]) / 4


def of_risk(y, p, X, seed):
    """What deciding by the corrected probabilities saves."""
    corrected = RiskEstimator(EVEN, rng=seed).fit_corrected(X, y, p)
    saved = (p > 0.5) * (1 - 2 * y) - (corrected > 0.5) * (1 - 2 * y)
    return saved.mean(), saved.std() / N**0.5


def of_repair(y, p, X, seed):
    repair = Recalibrator(n_folds=2, rng=seed).fit(X, y, p)
    assert repair.p_value_ < 1e-6
    return repair.gain_, repair.gain_se_


def of_loss(estimate, **options):
    def value_and_se(y, p, X, seed):
        loss = estimate(y, p, X, rng=seed, **options)
        return loss.value, loss.se

    return value_and_se


ESTIMATES = {  # and the seeds over which they are averaged
    "exact": (of_loss(grouping_loss), 4),
    "binned": (of_loss(binned_grouping_loss), 4),
    "risk by trees": (of_risk, 2),
    "segments": (of_segments, 1),
    "stacked": (of_loss(stacked_grouping_loss, n_folds=3), 1),
    "repair": (of_repair, 1),
}

SLOW = ("segments", "stacked", "repair")


@cache
def estimated(name, noise=None):
    """Mean value and standard error of an estimate, with a column of noise or without one."""
    estimate, n_seeds = ESTIMATES[name]
    results = []
    for seed in range(n_seeds):
        y, p, X = table(seed)
        if noise is not None:
            X["noise"] = NOISE[noise](np.random.default_rng(seed + 100))
        results.append(estimate(y, p, X, seed))
    return np.mean(results, axis=0)


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("name", [name for name in ESTIMATES if name not in SLOW])
def test_no_estimate_moves_by_more_than_its_standard_error(name, noise):
    value, se = estimated(name)
    assert value > 2 * se
    assert abs(estimated(name, noise)[0] - value) < se


@pytest.mark.nightly
@pytest.mark.parametrize("name", SLOW)
def test_nor_do_those_that_take_long(name):
    value, se = estimated(name)
    assert value > 2 * se
    assert abs(estimated(name, "unique text")[0] - value) < se


def test_results_say_which_levels_were_pooled():
    y, p, X = table(0)
    X["person"] = NOISE["unique text"](np.random.default_rng(0))
    results = [
        grouping_loss(y, p, X, rng=0),
        binned_grouping_loss(y, p, X, rng=0),
        stacked_grouping_loss(y[:400], p[:400], X[:400], n_folds=2, rng=0),
        tree_groups(y, p, X, rng=0),
    ]
    for result in results:
        ((name, n_pooled, n_levels),) = result.pooled
        assert name == "person" and n_pooled == n_levels in (N // 2, N, 400)
        assert str(result).endswith(f" (levels of person pooled: {n_pooled:,} of {n_levels:,})")
    partition = fit_partition(X.assign(label=y, score=p), rng=0)
    assert str(partition).endswith("(levels of person pooled: 2,000 of 2,000)")
    risk = RiskEstimator(EVEN, rng=0).fit(X, y, p)
    assert risk.pooled_ == (("person", N // 2, N // 2),)
    assert grouping_loss(y, p, X[["a"]], rng=0).pooled == ()
