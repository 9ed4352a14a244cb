"""Bins of a score: edges, assignment and grouped sums.

Edges are part of a definition: bins are closed on the left, the last one on both sides, and equal-width edges are
`arange(B + 1) / B`, because `linspace` moves values such as 0.3 into the wrong bin.
"""

import numpy as np

from helpers.checks import check_count, check_numbers, check_probabilities

__all__ = ["assign_bins", "group_sums", "quantile_edges", "uniform_edges"]


def uniform_edges(n_bins):
    """Edges of bins of equal width on [0, 1].

    Parameters
    ----------
    n_bins : int
        Number of bins B.

    Returns
    -------
    ndarray, shape (B + 1,)
        0, 1 / B, …, 1.

    Examples
    --------
    >>> uniform_edges(4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    return edges_for(None, check_count(n_bins, "n_bins"), "uniform")


def quantile_edges(p, n_bins):
    """Edges of bins that hold about equally many scores.

    Tied values share a bin, so there may be fewer bins. A value that would fill more than a bin gets a bin of its own.

    Parameters
    ----------
    p, n_bins : array_like, shape (n,), and int
        Scores in [0, 1], and the largest number of bins.

    Returns
    -------
    ndarray, shape (B + 1,)
        Increasing from 0 to 1.

    Examples
    --------
    >>> quantile_edges([0.1, 0.2, 0.2, 0.9], 2)
    array([0. , 0.2, 1. ])
    """
    return edges_for(check_probabilities(p), check_count(n_bins, "n_bins"), "quantile")


def edges_for(p, n_bins, strategy):
    """`uniform_edges` or `quantile_edges` by name, of scores and a number that were checked."""
    if strategy == "uniform":
        return np.arange(n_bins + 1) / n_bins
    p = np.sort(p)
    inner, times = np.unique(p[np.arange(1, n_bins) * p.size // n_bins], return_counts=True)
    return np.unique(np.concatenate([[0.0], inner, np.nextafter(inner[times > 1], 2.0), [1.0]]))


def assign_bins(p, edges):
    """Bin of each score. Plain, of equal width: `helpers.papers.perezlebel2023.section_4_3_bins`.

    Parameters
    ----------
    p, edges : array_like, shape (n,) and (B + 1,)
        Scores in [0, 1], and edges that increase from 0 to 1.

    Returns
    -------
    ndarray of int, shape (n,)
        0 .. B - 1.

    Examples
    --------
    >>> assign_bins([0.0, 0.3, 1.0], uniform_edges(10))
    array([0, 3, 9])
    """
    edges = check_numbers(edges, "edges")
    if edges.ndim != 1 or edges.size < 2 or not (np.diff(edges) > 0).all() or edges[0] > 0 or edges[-1] < 1:
        raise ValueError(f"edges must increase from 0 to 1, but they are {edges}.")
    return bins_between(check_probabilities(p), edges)


def bins_between(p, edges):
    """`assign_bins` of scores and edges that were checked."""
    return np.minimum(np.searchsorted(edges, p, side="right") - 1, edges.size - 2)


def group_sums(region, *columns, size=None):
    """Row count and column sums for each region, in one pass.

    Parameters
    ----------
    region, *columns : array_like, shape (n,)
        Regions 0 .. J-1, and what is summed.
    size : int, optional
        J, when regions at the end may be empty.

    Returns
    -------
    list of ndarray, shape (J,)
        The count, then one sum for each column.

    Examples
    --------
    >>> group_sums([0, 0, 2], [1., 2., 5.])
    [array([2, 0, 1]), array([3., 0., 5.])]
    """
    size = np.max(region, initial=-1) + 1 if size is None else size
    return [np.bincount(region, minlength=size)] + [np.bincount(region, column, size) for column in columns]


def cross_cells(region, groups):
    """Cell of each row where two codings from 0 meet, and region and group of each cell that holds a row.

    >>> cross_cells(np.array([0, 1, 1, 0]), np.array([2, 0, 0, 2]))
    (array([0, 1, 1, 0]), array([0, 1]), array([2, 0]))
    """
    n_groups = groups.max() + 1
    keys, cell = np.unique(region.astype(np.int64) * n_groups + groups, return_inverse=True)
    return cell, *np.divmod(keys, n_groups)
