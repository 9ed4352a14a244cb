"""Equation 6 of Melo et al. (2026): the grouping loss that regions capture, without the noise of their means.

    value = sum_j p_j (r_j^2 - v_j / n_j)

for regions j with the share p_j of the rows, n_j rows, and residuals of mean r_j and variance v_j. Written with the sum
S_j of the residuals and the sum Q_j of their squares,

    r_j^2 - v_j / n_j = (S_j^2 - Q_j) / (n_j (n_j - 1)),

the mean product of two different rows. That form also holds where rows have weights (n_j becomes W_j, the sum of w, and
n_j (n_j - 1) becomes W_j^2 - sum w^2) and where they depend on one another (a group counts as one row of a region).
"""

from dataclasses import dataclass

import numpy as np

from helpers.binning import cross_cells, group_sums


def squared_mean(r, region, weight=None, groups=None):
    """Equation 6 of values r (n,) in regions 0 .. J-1; weights and integer group codes are optional."""
    return mean_product(r, r, region, weight, groups)


def mean_product(r, s, region, weight=None, groups=None):
    """Equation 6 with the products r_i s_k of two different rows in place of r_i r_k."""
    w = np.ones_like(r) if weight is None else weight
    wr, ws = w * r, w * s
    if groups is not None:
        cell, region, _ = cross_cells(region, groups)
        _, w, wr, ws = group_sums(cell, w, wr, ws)
    _, W, squares, R, S, Q = group_sums(region, w, w**2, wr, ws, wr * ws)
    return RegionValues.of(W, squares, R * S - Q).value


@dataclass(frozen=True)
class RegionValues:
    """Equation 6 region by region, (J,) each."""

    total: np.ndarray  # W_j
    pairs: np.ndarray  # W_j^2 - sum w^2, or n_j (n_j - 1)
    paired: np.ndarray  # whether it has two independent rows; others are left out
    share: np.ndarray  # p_j
    square: np.ndarray  # r_j^2 - v_j / n_j

    @classmethod
    def of(cls, total, squared_weights, products):
        """From sums over the rows of each region: of w, of w^2, of w_i r_i w_k r_k for different rows i and k."""
        pairs = total**2 - squared_weights
        paired = pairs > 1e-9 * total**2
        share = np.where(paired, total, 0) / total.sum()
        return cls(total, pairs, paired, share, quotient(products, pairs, paired))

    @property
    def value(self):
        """sum_j p_j (r_j^2 - v_j / n_j)."""
        return float(self.share @ self.square)

    @property
    def pair_weight(self):
        """With which a product of two rows enters the value, p_j / (n_j (n_j - 1))."""
        return quotient(self.share, self.pairs, self.paired)


def quotient(above, below, where=None):
    """above / below, and 0 where nothing is below or `where` is False."""
    return np.divide(above, below, out=np.zeros(np.shape(below)), where=below > 0 if where is None else where)
