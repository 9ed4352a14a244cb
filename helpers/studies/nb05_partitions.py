"""Notebook 05: the luck that a tree has sorted."""

import numpy as np

from helpers.binning import group_sums
from helpers.partition import HonestTree


def gaps_twice(population, n, seed):
    """Mean residual of each region of a tree, in the n people who chose the regions and in n strangers."""
    old, new = population(n, [seed, 12]), population(n, [seed, 13])
    tree = HonestTree(rng=seed).fit(old.X, old.y - old.p)
    regions = tree.apply(old.X), tree.apply(new.X)
    size = max(map(np.max, regions)) + 1
    (n_old, of_old), (n_new, of_new) = (
        group_sums(region, people.y - people.p, size=size) for region, people in zip(regions, (old, new), strict=True)
    )
    both = (n_old > 0) & (n_new > 0)
    return of_old[both] / n_old[both], of_new[both] / n_new[both]
