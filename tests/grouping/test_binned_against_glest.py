"""The peer, glest 0.0.1, on shared partitions: twice our numbers, because it sums over two classes."""

import warnings

import numpy as np
import pytest

from helpers.grouping import binned_grouping_loss


def test_regions_that_we_choose_and_they_evaluate():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the imports of glest
        glest = pytest.importorskip("glest.helpers", reason="the peer is in the test extra: pip install glest==0.0.1")
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 3))
    p = rng.random(3000)
    y = rng.random(3000) < np.clip(p + 0.4 * np.sign(X[:, 0]) * np.minimum(p, 1 - p), 0, 1)
    ours = binned_grouping_loss(y, p, X, rng=0)
    place = np.arange(ours.n_regions) - np.searchsorted(ours.region_bin, ours.region_bin)
    rate, count = np.zeros((2, 15, place.max() + 1))
    rate[ours.region_bin, place] = ours.rate
    count[ours.region_bin, place] = ours.count
    assert ours.plugin == pytest.approx(glest.compute_GL_uncorrected(rate, count) / 2, abs=1e-12)
    assert ours.bias == pytest.approx(glest.compute_GL_bias(rate, count) / 2, abs=1e-12)
