"""What learners see of coded rows: scores, bins, splines and kernels, by hand and by scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import block_diag
from scipy.spatial.distance import cdist
from scipy.special import ndtri
from sklearn.preprocessing import SplineTransformer

from helpers.grouping.features import Features, as_index, binned, count_codes, cut, normal_scores


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


def test_features_for_ridge_regressions_and_their_penalties():
    """Splines with products of pairs, a kernel of each width around rows of the fit, and ones at the end."""
    index = np.random.default_rng(0).integers(0, 30, (60, 2))
    features = Features(seed=3).fit(index)
    scores = features.scores(index)
    knots = ndtri([0.02, 0.2, 0.4, 0.6, 0.8, 0.98])[:, None]
    spline = SplineTransformer(knots=knots, include_bias=False, extrapolation="linear")
    curves = [spline.fit_transform(column[:, None]) for column in scores.T]
    a, b = scores.T
    one = np.ones((60, 1))
    splines, *kernels = features.smooth(index)
    assert splines == pytest.approx(np.hstack([*curves, scores, np.column_stack([a * a, a * b, b * b]), one]))
    centres = features.centres_
    assert sorted(map(tuple, centres)) == sorted(map(tuple, scores))  # fewer rows than centres: all of them
    none, *penalties = features.penalties()
    assert none is None
    for width, kernel, penalty in zip((0.1, 0.3), kernels, penalties, strict=True):
        between, among = (np.exp(-width * 5 / 2 * cdist(rows, centres) ** 2) for rows in (scores, centres))
        assert kernel == pytest.approx(np.hstack([between, 0.1 * scores, one]))
        assert penalty == pytest.approx(block_diag(among, np.eye(2)))


@pytest.mark.parametrize(
    ("columns", "gaps", "levels", "width"),
    [(16, 0, 0, 16 * 7 + 16 + 136 + 1), (16, 16, 0, 16 * 7 + 16 + 32 + 528 + 1), (16, 15, 3, 15 * 8 + 3 + 1),
     (17, 0, 0, 17 * 7 + 1), (51, 0, 0, 51 * 7 + 1), (52, 0, 0, 53)],
)  # fmt: skip
def test_many_columns_go_without_products_and_more_without_splines(columns, gaps, levels, width):
    index = np.random.default_rng(0).integers(0, 9, (40, columns))
    index[:, columns - 1] %= levels or 9
    index[0, :gaps] = -1
    assert next(Features((columns - 1,) if levels else ()).fit(index).smooth(index)).shape == (40, width)


def test_a_category_has_columns_where_it_tells_rows_apart():
    index = np.array([[0, 0, 0, -1], [0, 0, -1, -1], [0, 1, 0, -1]])
    assert [table.shape[1] for table in Features(categories=range(4)).fit(index).scores_] == [0, 2, 1, 0]
    many = Features(categories=(0,)).fit(np.arange(50)[:, None] % 30).scores_[0]
    assert many.sum(axis=1).tolist() == [1] * 20 + [0] * 11


def test_trees_see_bins_and_categories_in_the_order_of_their_targets():
    index = np.array([[0, 0], [1, 1], [2, 2], [2, 3], [0, -1], [1, 0]])
    target, weight = np.array([5.0, 0, 2, 3, 5, 1]), np.array([1.0, 1, 3, 1, 1, 3])
    features = Features(categories=(0,)).fit(index)
    levels, numbers = features.ordered(index, target, weight)
    assert levels[:3].tolist() == [2, 0, 1] and np.isnan(levels[-1])
    assert numbers[:4].tolist() == [0, 1, 2, 3] and np.isnan(numbers[-1])
    assert features.ordered(index, target, weight, bins=2)[1][:4].tolist() == [0, 1, 1, 1]
    assert binned(index, [levels, numbers])[:, 0].tolist()[:4] == [2, 0, 1, 1]
    assert np.array_equal(features.choosing(index, [levels, numbers], target, weight, np.arange(6) % 2),
                          binned(index, [levels, numbers]), equal_nan=True)  # fmt: skip


def test_a_row_of_a_category_of_many_levels_stands_where_other_folds_put_its_level():
    """Its own target moves a row's level in the table, but not its own place."""
    rng = np.random.default_rng(0)
    index = rng.integers(0, 30, (300, 1))
    fold = rng.integers(0, 3, 300)
    target = rng.normal(size=300)
    features = Features(categories=(0,)).fit(index)
    other = np.where(fold == 1, 9 * rng.normal(size=300), target)
    places = []
    for values in (target, other):
        tables = features.ordered(index, values, np.ones(300))
        places.append(features.choosing(index, tables, values, np.ones(300), fold)[:, 0])
    own = [pd.Series(place[fold == 1]).rank() for place in places]
    assert not np.array_equal(places[0][fold != 1], places[1][fold != 1])
    assert np.corrcoef(*own)[0, 1] > 0.9 > np.corrcoef(*(place[fold != 1] for place in places))[0, 1]
