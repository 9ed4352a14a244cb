"""The second and third central moments of equation 6 if every score is right, as sums over rows or over cells.

They need no second column: |r| is the score c or 1 - c, so that the variance of the label, c (1 - c), is |r| (1 - |r|).
"""

import numpy as np
from scipy.sparse import csr_array

from helpers.binning import group_sums
from helpers.grouping.region_values import quotient


def null_moments(pair_weight, variance, squares, cubes, third, third_squares):
    """Both moments from sums over the rows of each region: of `label_moments`."""
    # The value is a sum over pairs of different rows. Its square has the product of the variances of each pair twice;
    # its cube that of the third moments four times, and that of the variances of three different rows eight.
    # derived in site/derivations/null_law.md
    pairs = np.maximum(variance**2 - squares, 0)
    triples = np.maximum(variance**3 - 3 * variance * squares + 2 * cubes, 0)
    skewed = np.maximum(third**2 - third_squares, 0)  # of pairs: below 0 by rounding, or where c is on both sides
    return 2 * float(pair_weight**2 @ pairs), float(pair_weight**3 @ (8 * triples + 4 * skewed))


def null_moments_of_cells(pair_weight, region, group, residual, variance, third, sd, own):
    """Both moments of dependent rows, from sums over the rows of each (region, group) cell: of `cell_columns`."""
    # Two labels of a group are correlated as strongly as the residuals of all groups' pairs of rows are on average, or
    # as those of their own group, whichever has the larger variance: a few large groups may be more alike than others.
    # Both look at pairs within groups, the value at pairs of different groups, so that rare events which happen to
    # coincide do not raise the variance with the value.
    whole = np.bincount(group, sd) ** 2
    pairs = np.maximum(whole - np.bincount(group, variance), 0)
    products = np.bincount(group, residual) ** 2 - np.bincount(group, own)
    several = pairs > 1e-9 * whole
    average = np.clip(quotient(products[several].sum(), pairs[several].sum()), 0, 1)
    labels = (region, group, variance, third, sd)
    moments = moments_if_alike(pair_weight, np.full(pairs.size, average), *labels)
    if not several.any():
        return moments
    each = np.maximum(quotient(products, pairs, several), 0)
    return max(moments[0], moments_if_alike(pair_weight, each, *labels)[0]), moments[1]


def moments_if_alike(pair_weight, correlation, region, group, variance, third, sd):
    """Both moments of dependent rows if the labels of each group have this correlation."""
    correlation = correlation[group]
    within = (1 - correlation) * variance + correlation * sd**2
    # third moments grow with the square of what it does to variances, as those of equal labels do
    third = third * (quotient(within, variance)) ** 2
    common = correlation * sd**2
    columns = (within, within**2, within**3, third, third**2, common, common**2)
    *sums, squares, fourths = group_sums(region, *columns, size=pair_weight.size)[1:]
    null_variance, null_third = null_moments(pair_weight, *sums)
    if correlation.any():  # of the sums of one group in two regions
        across = products_of_groups(np.sqrt(common * pair_weight[region]), region, group)
        across -= float(pair_weight**2 @ (squares**2 - fourths))
        null_variance += 2 * max(across, 0.0)
    return null_variance, null_third


def products_of_groups(entry, region, group):
    """Sum over pairs of different groups of the squared inner product of their rows in the (group, region) matrix."""
    matrix = csr_array((entry, (group, region)))
    if (np.bincount(group) ** 2.0).sum() < (np.bincount(region) ** 2.0).sum():  # the product with fewer terms
        matrix = matrix.T
    own = np.bincount(group, entry**2)
    return max(float(((matrix @ matrix.T).data ** 2).sum() - (own**2).sum()), 0.0)


def label_moments(weight, residual):
    """Variance of each weighted label if its score is right, its square and cube, third central moment, its square."""
    size = np.abs(residual)
    spread = np.maximum(size * (1 - size), 0)
    variance = weight**2 * spread
    third = weight * weight**2 * (np.sign(residual) * spread * (2 * size - 1))
    return variance, variance**2, variance * variance**2, third, third**2
