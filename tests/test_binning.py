"""Edges and ties are part of the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.binning import assign_bins, group_sums, quantile_edges, uniform_edges

scores = arrays(float, st.integers(1, 60), elements=st.floats(0, 1) | st.sampled_from([0, 0.1, 0.2, 0.3, 0.5, 1.0]))


def test_four_rows_by_hand():
    assert uniform_edges(4).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert assign_bins([0, 0.25, 0.7499, 1], uniform_edges(4)).tolist() == [0, 1, 2, 3]
    assert quantile_edges([0.1, 0.2, 0.3, 0.4], 2).tolist() == [0, 0.3, 1]
    count, sums = group_sums([3, 0, 0, 3], [1.0, 2.0, 3.0, 4.0], size=5)
    assert count.tolist() == [2, 0, 0, 2, 0] and sums.tolist() == [5, 0, 0, 5, 0]


@pytest.mark.parametrize("n_bins", [1, 2, 3, 5, 7, 10, 15, 20, 49, 50, 100, 1000])
def test_scores_on_the_grid_lie_in_the_bin_they_open(n_bins):
    """k / B opens bin k for every B, the last bin is closed on both sides: what linspace gets wrong."""
    grid = np.arange(n_bins + 1) / n_bins
    assert assign_bins(grid, uniform_edges(n_bins)).tolist() == [*range(n_bins), n_bins - 1]


@given(scores, st.integers(1, 40))
def test_every_score_lies_between_its_edges(p, n_bins):
    for edges in (uniform_edges(n_bins), quantile_edges(p, n_bins)):
        region = assign_bins(p, edges)
        assert ((region >= 0) & (region < edges.size - 1)).all()
        assert (edges[region] <= p).all() and ((p < edges[region + 1]) | (p == 1)).all()


@given(scores, st.integers(1, 40))
def test_tied_scores_share_a_bin_and_quantile_bins_keep_the_order(p, n_bins):
    region = assign_bins(p, quantile_edges(p, n_bins))
    order = np.argsort(p, kind="stable")
    assert (np.diff(region[order]) >= 0).all()
    assert np.unique(p).size >= np.unique(region).size <= n_bins


@pytest.mark.parametrize(("n", "n_bins"), [(100, 10), (97, 10), (15, 15), (1000, 7)])
def test_quantile_bins_hold_equally_many_distinct_scores(n, n_bins):
    p = np.random.default_rng(0).random(n)
    count = np.bincount(assign_bins(p, quantile_edges(p, n_bins)))
    assert count.size == n_bins and count.max() - count.min() <= 1


def test_two_tied_scores_get_two_quantile_bins():
    p = [0.2] * 5 + [0.8] * 5
    assert np.bincount(assign_bins(p, quantile_edges(p, 2))).tolist() == [5, 5]


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(-1e6, 1e6)), min_size=1, max_size=50))
def test_group_sums_keep_totals(rows):
    region = np.array([row[0] for row in rows])
    values = np.array([row[1] for row in rows])
    count, sums, squares = group_sums(region, values, values**2)
    assert count.sum() == region.size and count.size == region.max() + 1
    assert np.isclose(sums.sum(), values.sum(), atol=1e-3) and np.isclose(squares.sum(), (values**2).sum())
    for j in range(count.size):
        assert np.isclose(sums[j], values[region == j].sum(), atol=1e-6)


@pytest.mark.parametrize(
    "edges", [[0, 0.5], [0.1, 1], [0, 0.5, 0.5, 1], [1, 0], [0], [0, np.nan, 1], "ab", None, [[0, 1]]]
)
def test_edges_that_are_none(edges):
    with pytest.raises(ValueError, match="edges must"):
        assign_bins([0.5], edges)
