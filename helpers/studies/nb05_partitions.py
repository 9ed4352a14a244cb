"""Notebook 05: the luck that a tree has sorted."""

from helpers.binning import group_sums
from helpers.partition import HonestTree


def gaps_twice(population, n, seed):
    """Mean residual of each region of a tree, in the n people who chose the regions and in n strangers."""
    old, new = population(n, [seed, 12]), population(n, [seed, 13])
    tree = HonestTree(rng=seed).fit(old.X, old.y - old.p)
    regions = tree.apply(old.X), tree.apply(new.X)
    sums = [group_sums(region, people.y - people.p) for region, people in zip(regions, (old, new), strict=True)]
    both = (sums[0][0] > 0)[: sums[1][0].size] & (sums[1][0] > 0)[: sums[0][0].size]
    return tuple(total[: both.size][both] / count[: both.size][both] for count, total in sums)
