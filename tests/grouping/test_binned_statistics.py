"""What the binned bound computes of its rows, against all that could have happened."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from helpers.grouping.binned_statistics import _null_variance


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
