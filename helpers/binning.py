"""Bins of a score: edges, assignment and grouped sums.

Edges are part of a definition: bins are closed on the left, the last one on both sides, and equal-width edges are
`arange(B + 1) / B`, because `linspace` moves values such as 0.3 into the wrong bin.
"""

import numpy as np

from helpers.checks import check_count, check_numbers, check_probabilities

BLOCK = 32_768  # rows that stay in the cache


def uniform_edges(n_bins):
    """Edges of `n_bins` bins of equal width on [0, 1], (n_bins + 1,).

    >>> uniform_edges(4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    n_bins = check_count(n_bins, "n_bins")
    return np.arange(n_bins + 1) / n_bins


def quantile_edges(p, n_bins):
    """Edges of at most `n_bins` bins that hold about equally many of `p`; tied values share a bin, so there may be
    fewer. A value that would fill more than a bin gets a bin of its own.

    >>> quantile_edges([0.1, 0.2, 0.2, 0.9], 2)
    array([0. , 0.2, 1. ])
    >>> assign_bins([0, 0, 0, 0, 0.1, 0.2], quantile_edges([0, 0, 0, 0, 0.1, 0.2], 3))
    array([0, 0, 0, 0, 1, 1])
    """
    p, n_bins = np.sort(check_probabilities(p)), check_count(n_bins, "n_bins")
    inner, times = np.unique(p[np.arange(1, n_bins) * p.size // n_bins], return_counts=True)
    return np.unique(np.concatenate([[0.0], inner, np.nextafter(inner[times > 1], 2.0), [1.0]]))


def assign_bins(p, edges):
    """Bin of each score, (n,) int in 0 .. len(edges) - 2.

    >>> assign_bins([0.0, 0.3, 1.0], uniform_edges(10))
    array([0, 3, 9])
    """
    edges = check_numbers(edges, "edges")
    if edges.ndim != 1 or edges.size < 2 or not (np.diff(edges) > 0).all() or edges[0] > 0 or edges[-1] < 1:
        raise ValueError(f"edges must increase from 0 to 1, but they are {edges}.")
    return np.minimum(search_edges(edges, check_probabilities(p), side="right") - 1, edges.size - 2)


def search_edges(edges, values, *, side="left"):
    """`np.searchsorted(edges, values, side)`, for many values several times faster: a grid of equal cells says near
    which edges to look. Missing values get any place.

    >>> search_edges(np.array([0.0, 1.0]), np.array([-1.0, 0.0, 0.5, 3.0]))
    array([0, 0, 1, 2])
    """
    cells = 16 * edges.size
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = cells / (edges[-1] - edges[0]) if edges.size > 1 else 0.0
        if values.size < 1000 or not 0 < scale < np.inf:
            return np.searchsorted(edges, values, side)

        def cell(x):  # never falls as x grows: edges of an earlier cell are smaller than x, those of a later one larger
            place = x - edges[0]
            place *= scale
            np.fmax(place, 0, out=place)
            return np.fmin(place, cells, out=place).astype(np.int32)

        start = np.searchsorted(cell(edges), np.arange(cells + 1))
        most = np.diff(start, append=edges.size).max()
        if most > 6:
            return np.searchsorted(edges, values, side)
        padded = np.append(edges, np.nan)  # past the last edge nothing counts
        found = np.empty(values.size, np.intp)
        for first in range(0, values.size, BLOCK):
            part = values[first : first + BLOCK]
            place = start.take(cell(part))
            for _ in range(most):
                edge = padded.take(place)
                place += edge < part if side == "left" else edge <= part
            found[first : first + BLOCK] = place
    return found


def group_sums(region, *columns, size=None):
    """Row count and column sums for each region, in one pass.

    Parameters
    ----------
    region : (n,) int array, 0 .. J-1
    columns : (n,) float arrays
    size : J, when regions at the end may be empty

    Returns
    -------
    list of (J,) arrays: the count, then one sum for each column

    >>> group_sums([0, 0, 2], [1., 2., 5.])
    [array([2, 0, 1]), array([3., 0., 5.])]
    """
    size = np.max(region, initial=-1) + 1 if size is None else size
    return [np.bincount(region, minlength=size)] + [np.bincount(region, column, size) for column in columns]


def cross_cells(region, groups):
    """The cells in which regions and groups meet: the cell of each row, and the region and the group of each cell.

    Parameters
    ----------
    region, groups : (n,) int arrays from 0

    Returns
    -------
    three int arrays: (n,) cell of each row, (C,) region and (C,) group of each cell that holds a row

    >>> cross_cells(np.array([0, 1, 1, 0]), np.array([2, 0, 0, 2]))
    (array([0, 1, 1, 0]), array([0, 1]), array([2, 0]))
    """
    n_groups = groups.max() + 1
    keys, cell = np.unique(region.astype(np.int64) * n_groups + groups, return_inverse=True)
    return cell, *np.divmod(keys, n_groups)
