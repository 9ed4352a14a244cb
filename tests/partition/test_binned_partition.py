"""Regions inside bins: every estimator keeps to its bin, its size, its seed and its columns."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from sklearn.exceptions import NotFittedError

from helpers.binning import assign_bins
from helpers.partition import BinnedTree

N = 1200
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
P = RNG.random(N)
Y = (RNG.random(N) < np.clip(P + 0.4 * np.sign(X[:, 0]) * np.minimum(P, 1 - P), 0, 1)).astype(int)
EVERY = pytest.mark.parametrize("estimator", ["tree", "stump", "kmeans"])


def halves(estimator, n_bins=5, **options):
    """Partition fitted on the first half, and the regions of the second."""
    half = N // 2
    tree = BinnedTree(estimator, n_bins=n_bins, rng=0, **options).fit(X[:half], Y[:half], P[:half])
    return tree, tree.apply(X[half:], P[half:])


@EVERY
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_a_region_lies_in_one_bin(estimator, strategy):
    tree, region = halves(estimator, strategy=strategy)
    assert tree.bin_of_region_.shape == (tree.n_regions_,) and (np.diff(tree.bin_of_region_) >= 0).all()
    assert set(tree.bin_of_region_) == set(range(tree.edges_.size - 1))
    assert region.dtype == np.int64 and (tree.bin_of_region_[region] == assign_bins(P[N // 2 :], tree.edges_)).all()
    assert tree.n_regions_ > 5  # every one of them divides


@pytest.mark.parametrize("ratio", [1, 12, 10**6])
def test_a_tree_keeps_its_region_ratio(ratio):
    tree = BinnedTree(n_bins=4, region_ratio=ratio, rng=0).fit(X, Y, P)
    rows = np.bincount(assign_bins(P, tree.edges_))
    leaves = np.bincount(tree.bin_of_region_)
    sizes = np.bincount(tree.apply(X, P), minlength=tree.n_regions_)
    assert (leaves <= np.maximum(rows // ratio, 2)).all() and (sizes >= min(max(ratio // 2, 1), rows.min())).all()
    assert (ratio > N) == (leaves == 1).all()


def test_a_stump_halves_a_bin_and_kmeans_clusters_it():
    tree = BinnedTree("stump", n_bins=4, rng=0).fit(X, Y, P)
    sizes = np.bincount(tree.apply(X, P)).reshape(4, 2)
    assert (np.abs(sizes[:, 0] - sizes[:, 1]) <= 1).all()
    apart = np.c_[np.where(np.arange(N) % 3, 5.0, -5.0), X]
    clusters = BinnedTree("kmeans", n_bins=4, rng=0).fit(apart, Y, P).apply(apart, P)
    assert np.unique(np.c_[clusters, np.arange(N) % 3 > 0], axis=0).shape == (8, 2)


def test_a_tree_splits_where_the_labels_differ():
    high = X[:, 0] > np.median(X[:, 0])
    for estimator in ("tree", "stump"):
        tree = BinnedTree(estimator, n_bins=1, rng=0).fit(X, high, P)
        assert tree.n_regions_ == 2 and (tree.apply(X, P) == high).all()


def test_a_stump_finds_the_median_of_many_rows_and_says_no_to_ties():
    rng = np.random.default_rng(1)
    many = rng.normal(size=(40_000, 1))
    p = rng.random(40_000)
    y = rng.random(40_000) < p
    tree = BinnedTree("stump", n_bins=2, rng=0).fit(many, y, p)
    assert np.ptp(np.bincount(tree.apply(many, p)).reshape(2, 2), axis=1).max() <= 1
    assert BinnedTree("stump", n_bins=2, rng=0).fit(many > 1, y, p).n_regions_ == 2


def test_row_order_does_not_matter():
    ties = np.round(P, 1)
    order = np.random.default_rng(1).permutation(N)
    regions, again = (
        BinnedTree("stump", rng=0).fit(X[rows], Y[rows], ties[rows]).apply(X, ties) for rows in (np.arange(N), order)
    )  # "tree" meets splits that are equally good
    assert (regions == again).all() and regions.max() > 15


@EVERY
def test_thin_bins_stay_whole(estimator):
    p = np.r_[np.full(N - 2, 0.1), 0.95, 0.96]  # bins without rows, and one with two
    tree = BinnedTree(estimator, n_bins=10, rng=0).fit(X, Y, p)
    assert (np.bincount(tree.bin_of_region_)[[0, *range(2, 9)]] == 1).all() and tree.n_regions_ > 10
    somewhere = tree.apply(X[:10], (np.arange(10) + 0.5) / 10)  # rows where fitting saw none
    assert (tree.bin_of_region_[somewhere] == np.arange(10)).all()
    constant = BinnedTree(estimator, n_bins=3, rng=0).fit(np.ones((N, 1)), Y, P)
    assert constant.n_regions_ == 3


def table(n=N):
    frame = pd.DataFrame({"a": X[:n, 0], "b": np.where(X[:n, 1] > 0, "u", "v")})
    frame["c"] = pd.Categorical(np.where(X[:n, 2] > 1, "k", "l"))
    return frame.assign(a=frame["a"].mask(np.arange(n) % 7 == 0), b=frame["b"].mask(np.arange(n) % 5 == 0))


@pytest.mark.parametrize("estimator", ["tree", "stump"])
def test_text_categories_and_gaps_are_welcome(estimator):
    frame = table()
    before = frame.copy()
    tree = BinnedTree(estimator, n_bins=3, rng=0).fit(frame, Y, P)
    assert tree.n_regions_ > 3 and frame.equals(before)
    new = frame.assign(b="never seen")
    assert (tree.bin_of_region_[tree.apply(new, P)] == assign_bins(P, tree.edges_)).all()


def test_kmeans_names_the_column_that_it_cannot_use():
    frame = table()
    with pytest.raises(ValueError, match="X must .*'kmeans'"):
        BinnedTree("kmeans").fit(frame, Y, P)
    with pytest.raises(ValueError, match="X must .*'b'"):
        BinnedTree("kmeans").fit(frame[["b"]], Y, P)


@EVERY
def test_columns_are_known_by_name(estimator):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    tree = BinnedTree(estimator, n_bins=3, rng=0).fit(frame, Y, P)
    regions = tree.apply(frame, P)
    assert (tree.apply(frame[["c", "a", "b"]].assign(other=1), P) == regions).all()
    with pytest.raises(ValueError, match="X must .*'b'"):
        tree.apply(frame[["a", "c"]], P)


test_parameters_that_break_a_rule = refuses(
    ({"estimator": "trees"}, "estimator must .*did you mean 'tree'"),
    ({"n_bins": 0}, "n_bins must"),
    ({"strategy": "equal"}, "strategy must"),
    ({"region_ratio": 0}, "region_ratio must"),
    ({"region_ratio": 2.5}, "region_ratio must"),
    ({"estimator": None}, "estimator must"),
    of=lambda **options: BinnedTree(**options).fit(X, Y, P),
)


def test_options_are_kept_and_pickles_answer_alike():
    tree = BinnedTree("stump", n_bins=4, rng=1)
    assert replace(tree, rng=2).strategy == "uniform" and "BinnedTree(estimator='stump', n_bins=4" in repr(tree)
    with pytest.raises(NotFittedError):
        tree.apply(X, P)
    fitted = tree.fit(X, Y, P)
    assert (pickle.loads(pickle.dumps(fitted)).apply(X, P) == fitted.apply(X, P)).all()


@EVERY
def test_new_rows_of_one_bin_have_the_regions_they_have_among_all(estimator):
    tree = BinnedTree(estimator, n_bins=4, rng=0).fit(X, Y, P)
    low = P < 0.25
    assert np.array_equal(tree.apply(X[low], P[low]), tree.apply(X, P)[low])


@pytest.mark.parametrize("estimator", ["stump", "kmeans"])
def test_a_bin_of_two_different_rows_is_divided_and_a_bin_of_one_is_not(estimator):
    tree = BinnedTree(estimator, n_bins=2, rng=0).fit([[0.0], [1.0], [2.0]], [0, 1, 1], [0.2, 0.2, 0.9])
    assert tree.bin_of_region_.tolist() == [0, 0, 1]
