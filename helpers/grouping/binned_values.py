"""What regions inside bins of the score explain, what bins induce, and what regions owe to the scores: values alone.

Each is a sum over bins s with the share p_s of the rows and rate c_s, and over the regions j inside them with the share
p_j and rate mu_j. Products of two different rows (`helpers.grouping.region_values`) take the noise out of squares.
"""

from dataclasses import dataclass, replace

import numpy as np

from helpers.binning import group_sums
from helpers.grouping.region_values import mean_product, quotient, squared_mean


@dataclass(frozen=True)
class BinnedRows:
    """Evaluated rows; every region lies in one bin."""

    y: np.ndarray
    p: np.ndarray
    bin: np.ndarray
    region: np.ndarray
    first: np.ndarray  # two calibration curves from different labels
    second: np.ndarray
    in_first: np.ndarray  # whether the row's own label is behind the first
    weight: np.ndarray
    groups: np.ndarray | None  # codes
    own_share: float  # share of the two curves that rests on these rows: 1/2 if a fitting half made the first, else 1

    def take(self, selected):
        """The rows where `selected` is true."""
        columns = {name: column for name, column in vars(self).items() if isinstance(column, np.ndarray)}
        return replace(self, **{name: column[selected] for name, column in columns.items()})

    def mean_in(self, index, column):
        """Mean of a column in the bin or region of each row."""
        total, sums = (np.bincount(index, weight) for weight in (self.weight, self.weight * column))
        return quotient(sums, total)[index]


def plugin_loss(rows):
    """sum_j p_j (mu_j - c_s)^2, with the noise of the rates in it."""
    return float(
        np.average((rows.mean_in(rows.region, rows.y) - rows.mean_in(rows.bin, rows.y)) ** 2, weights=rows.weight)
    )


def explained_loss(rows):
    """Proposition 4.3 of Perez-Lebel et al.: sum_s p_s [sum_j p_j / p_s (mu_j - c_s)^2 - bias_s].

    bias_s = sum_j p_j / p_s mu_j (1 - mu_j) / (n_j - 1) - c_s (1 - c_s) / (n_s - 1), so that the sum is that of
    p_j (mu_j^2 - mu_j (1 - mu_j) / (n_j - 1)) over regions less the same over bins: labels are residuals of equation 6.
    """
    label = rows.y - rows.mean_in(rows.bin, rows.p)  # from here, less is lost to rounding
    return _beyond_bins(label, label, rows)


def expected_loss(rows):
    """What regions owe to the scores of their rows: 2 <Y, C> - <C, C>, the covariance of region means inside bins."""
    # A label, behind the first curve or the second, is held against the other one, and of the noise of the curves only
    # their product counts, which is zero on average.
    # derived in site/derivations/expected.md
    label = rows.y - rows.mean_in(rows.bin, rows.y)
    behind_first = np.where(rows.in_first, label, 0)
    behind_second = label - behind_first
    of_labels = _beyond_bins(behind_first, rows.second, rows) + _beyond_bins(behind_second, rows.first, rows)
    return 2 * of_labels - _beyond_bins(rows.first, rows.second, rows)


def induced_loss(rows):
    """sum_s p_s Var(C | bin s): that of a smooth calibration curve, from two curves whose noise is not the same."""
    return covariance_in_bins(rows, rows.first, rows.second)


def calibration_loss(rows):
    """sum_s p_s (c_s - mean score)^2, and what the bins hide of it: the variance of p - C inside them."""
    of_bins = squared_mean(rows.y - rows.p, rows.bin, rows.weight, rows.groups)
    return of_bins + covariance_in_bins(rows, rows.p - rows.first, rows.p - rows.second)


def covariance_in_bins(rows, u, v):
    """Mean covariance of two columns inside the bins."""
    return float(np.average((u - rows.mean_in(rows.bin, u)) * (v - rows.mean_in(rows.bin, v)), weights=rows.weight))


def _beyond_bins(u, v, rows):
    """<U, V>: mean product of two columns' region means around those of their bins, of different rows only."""
    of_regions, of_bins = (mean_product(u, v, index, rows.weight, rows.groups) for index in (rows.region, rows.bin))
    return of_regions - of_bins


def means(index, weight, *columns, size=None):
    """Rows of each bin or region, and weighted means of the columns there (NaN without rows)."""
    count, total, *sums = group_sums(index, weight, *(weight * column for column in columns), size=size)
    return count, *(np.divide(part, total, out=np.full(total.size, np.nan), where=total > 0) for part in sums)
