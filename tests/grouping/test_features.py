"""Codes as scores and bins, by hand."""

import numpy as np
import pytest
from scipy.special import ndtri

from helpers.grouping.features import Features, as_index, count_codes, cut, normal_scores


def test_codes_are_counted_without_missing_ones():
    np.testing.assert_array_equal(count_codes(np.array([2, -1, 0, 2])), [1, 0, 2])


def test_scores_are_normal_quantiles_of_middle_ranks_and_interpolated_between():
    np.testing.assert_allclose(normal_scores(np.array([2, 0, 2])), [-0.674490, 0, 0.674490], atol=1e-6)


def test_few_codes_are_bins_of_their_own_and_many_share_quantiles():
    np.testing.assert_array_equal(cut(np.array([5, 0, 1])), [0, 1, 2])
    np.testing.assert_array_equal(cut(np.array([1, 1, 1, 1]), bins=2), [0, 0, 1, 1])


def test_scores_by_hand():
    index = as_index(np.array([[0, 0, np.nan, 2], [0, 1, 0, 2], [0, 2, 1, 0], [0, 3, 1, np.nan]]))
    scores = Features(categories=(3,)).fit(index).scores(index)
    assert scores[:, 0] == pytest.approx(ndtri([0.125, 0.375, 0.625, 0.875]))  # the first column is constant
    assert scores[:, 1] == pytest.approx([0, ndtri(1 / 6), ndtri(2 / 3), ndtri(2 / 3)])
    assert scores[:, 2].tolist() == [1, 0, 0, 0]
    assert scores[:, 3:].tolist() == [[1, 0], [1, 0], [0, 1], [0, 0]]  # levels 2 and 0, the frequent one first
    new = Features().fit(index[:, 1:2]).index([[9.0], [np.nan]])
    assert new.tolist() == [[3], [-1]]
