"""Residuals in regions, and the squared means of their residuals by brute force."""

import numpy as np
from hypothesis import strategies as st


def pairs_of_different_groups(r, region, w, g):
    """sum_j W_j / W times the weighted mean product of two rows of region j that belong to different groups."""
    value = 0.0
    for j in np.unique(region):
        rows = np.flatnonzero(region == j)
        apart = g[rows][:, None] != g[rows]
        pair = np.outer(w[rows], w[rows])[apart].sum()
        if pair > 0:
            value += w[rows].sum() / w.sum() * np.outer(w[rows] * r[rows], w[rows] * r[rows])[apart].sum() / pair
    return value


@st.composite
def residual_rows(draw):
    n = draw(st.integers(4, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    regions = draw(st.integers(1, 6))
    return rng.uniform(-1, 1, n), rng.integers(0, regions, n), rng.uniform(0.1, 3, n), rng.integers(0, 8, n)
