"""Codes as scores and bins, by hand."""

import numpy as np

from helpers.grouping.features import count_codes, cut, normal_scores


def test_codes_are_counted_without_missing_ones():
    np.testing.assert_array_equal(count_codes(np.array([2, -1, 0, 2])), [1, 0, 2])


def test_scores_are_normal_quantiles_of_middle_ranks_and_interpolated_between():
    np.testing.assert_allclose(normal_scores(np.array([2, 0, 2])), [-0.674490, 0, 0.674490], atol=1e-6)


def test_few_codes_are_bins_of_their_own_and_many_share_quantiles():
    np.testing.assert_array_equal(cut(np.array([5, 0, 1])), [0, 1, 2])
    np.testing.assert_array_equal(cut(np.array([1, 1, 1, 1]), bins=2), [0, 0, 1, 1])
