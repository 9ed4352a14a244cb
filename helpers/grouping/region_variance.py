"""How the value of equation 6 varies, as the residuals say: by the noise of the labels, and by the loss itself.

Of independent rows, everything is a sum of powers of weight times residual in a region: `powers[a, b]` is that of
w^a r^b. Of dependent rows, it is a sum over (region, group) cells, whose weight and residual are sums themselves.
"""

import numpy as np

from helpers.binning import group_sums
from helpers.grouping.null_moments import products_of_groups
from helpers.grouping.region_values import quotient


def variances(regions, squared_deviations, noise, influences):
    """Parts of the variance, by their names in `RegionStatistics`.

    `squared_deviations` from the mean of their region are sums over its rows or cells, (J,); `noise` is the variance of
    the value if regions do not differ, `influences` the sum of the squared influences of the rows or groups.
    """
    correction = bessel_correction(regions)
    ceiling = 2 * float(regions.pair_weight**2 * correction @ squared_deviations**2)
    return {
        "noise_variance": noise,
        "noise_ceiling": max(noise, ceiling),
        "signal_variance": influences - 2 * noise,  # the noise of the squared means is in it twice
        "unit_variance": 4 * float(correction @ squared_deviations) / regions.total.sum() ** 2,
    }


def bessel_correction(regions):
    """n_j / (n_j - 1), or what weights make of it, at most 2: (J,)."""
    return np.minimum(quotient(regions.total**2, regions.pairs, regions.paired), 2)


def influence_factors(regions, squared_weights):
    """Of a row's products with the other rows of its region in its influence, and of its own weight: (J,) each."""
    rows = quotient(regions.total**2, squared_weights, regions.paired)
    freedom = quotient(rows * (rows - 1), np.maximum(rows - 2, 1e-9) ** 2, regions.paired)  # that own means cost
    of_products = 2 * regions.pair_weight * np.sqrt(np.minimum(freedom, 2))
    return of_products, np.where(regions.paired, regions.square - regions.value, 0) / regions.total.sum()


def variances_of_rows(regions, mean, powers):
    """`variances` of independent rows, whose regions have these mean residuals."""
    squared_deviations = powers[2, 2] - 2 * mean * powers[2, 1] + mean**2 * powers[2, 0]
    squared_deviations = np.maximum(squared_deviations, 0)  # sum of w^2 (r - mean)^2
    fourth = sum(binomial * (-mean) ** (4 - b) * powers[4, b] for b, binomial in enumerate((1, 4, 6, 4, 1)))
    fourth = np.clip(fourth, 0, squared_deviations**2)
    noise = (regions.pair_weight * bessel_correction(regions)) ** 2 @ (squared_deviations**2 - fourth)
    return variances(regions, squared_deviations, 2 * float(noise), _squared_influences(regions, powers))


def _squared_influences(regions, powers):
    # A row's influence is the change of the value with its weight: c (w r (S - w r) - u w (W - w)) + l w, with u the
    # squared mean of its region without noise, c and l the two `influence_factors`; its square is a sum of powers.
    of_products, of_weight = influence_factors(regions, powers[2, 0])
    terms = {
        (1, 1): of_products * powers[1, 1],
        (2, 2): -of_products,
        (1, 0): of_weight - of_products * regions.square * regions.total,
        (2, 0): of_products * regions.square,
    }
    return float(sum(terms[i] @ (terms[k] * powers[i[0] + k[0], i[1] + k[1]]) for i in terms for k in terms))


def variances_of_cells(regions, mean, sums, squared_weights, cell_weight, cell_sum, cell_region, cell_group):
    """`variances` of dependent rows; `sums` and `squared_weights` are those of the cells of each region."""
    deviation = cell_sum - cell_weight * mean[cell_region]
    squared_deviations = group_sums(cell_region, deviation**2, size=mean.size)[1]
    entry = deviation * np.sqrt(regions.pair_weight * bessel_correction(regions))[cell_region]
    noise = 2 * products_of_groups(entry, cell_region, cell_group)
    of_products, of_weight = influence_factors(regions, squared_weights)
    products = cell_sum * (sums[cell_region] - cell_sum)
    products -= regions.square[cell_region] * cell_weight * (regions.total[cell_region] - cell_weight)
    influence = of_products[cell_region] * products + of_weight[cell_region] * cell_weight
    influences = float((np.bincount(cell_group, influence) ** 2).sum())
    return variances(regions, squared_deviations, noise, influences)
