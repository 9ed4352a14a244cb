"""What the binned bound computes of its rows, against all that could have happened."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from helpers.grouping.binned_statistics import _null_variance, debiased_entropy
from helpers.scoring import LOG


def explained(y, index):
    """Sums over regions of n (mean^2 - variance / n), for many rows of labels."""
    total = 0.0
    for region in np.unique(index):
        part = y[:, index == region]
        total = total + part.shape[1] * part.mean(axis=1) ** 2 - part.var(axis=1, ddof=1)
    return total


def test_the_variance_where_regions_do_not_differ_is_that_of_all_labels_that_may_be_drawn():
    region = np.array([0, 0, 1, 1, 1, 2, 2, 2])
    alike = np.zeros(8, int)
    y = np.array(list(product([0.0, 1.0], repeat=8)))  # all equally likely at a rate of 1/2
    estimates = (explained(y, region) - explained(y, alike)) / 8
    rows = SimpleNamespace(y=y[0], region=region, bin=alike)
    assert _null_variance(rows, np.array([0.25])) == pytest.approx(estimates.var())


def expected_entropy(n, q, rate):
    """Exact mean of the estimate and of the plug-in over the binomial distribution."""
    hits = np.arange(n + 1)
    weight = binom.pmf(hits, n, q)
    return weight @ debiased_entropy(hits, np.full(n + 1, n), np.full(n + 1, rate)), weight @ LOG.entropy(hits / n)


@pytest.mark.parametrize("n", [2, 3, 5, 12, 50, 400])
def test_the_entropy_is_unbiased_at_the_rate_it_is_told(n):
    for q in (0.01, 0.1, 0.3, 0.5, 0.9, 0.999):
        truth = float(LOG.entropy([q])[0])
        ours, plugin = expected_entropy(n, q, q)
        assert ours == pytest.approx(truth, rel=1e-3)
        assert abs(ours - truth) < abs(plugin - truth) / 50


@pytest.mark.parametrize("n", [2, 3, 5, 12, 100])
def test_elsewhere_it_is_off_by_little(n):
    """By less than the plug-in lacks where rates are not extreme: 1 / (2 n)."""
    bound = 0.4 / n if n == 2 else 1 / (3 * n)
    for q in (0.001, 0.02, 0.1, 0.2, 0.5, 0.8):
        for rate in (0.0, 0.001, 0.1, 0.5, 0.95, 1.0):
            assert abs(expected_entropy(n, q, rate)[0] - LOG.entropy([q])[0]) <= bound
