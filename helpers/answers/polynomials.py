"""Products of generating functions of counts, cut to the degrees that are read, and the rule for ties in them."""

import numpy as np

FEW_ROWS = 8  # up to here a loop over rows takes less time than a loop over degrees

CHUNK = 1024  # rows at a time: small enough to stay in the processor's cache


def tie_rule(ties, most):
    """Factors of earlier and of later classes that tie, and a weight, where at most `most` classes can tie."""
    # On average over ties, a class tied with s others counts 1 / (s + 1) = the integral of y^s from 0 to 1: every
    # class that ties with it brings the factor y, and Gauss-Legendre nodes integrate the polynomial in y exactly.
    if ties != "average":
        return [(0.0, 1.0, 1.0)]
    nodes, weights = np.polynomial.legendre.leggauss((most + 1) // 2)
    return [(y, y, w) for y, w in zip((nodes + 1) / 2, weights / 2, strict=True)]


def cut_product(a, b, size, low=0):
    """Products of polynomials in t (axis 0), a pair a column: coefficients `low` .. `size` - 1; those before are 0."""
    if a.shape[1] <= FEW_ROWS:
        return np.array([np.convolve(x, y)[:size] for x, y in zip(a.T, b.T, strict=True)]).T
    if len(a) < len(b):
        a, b = b, a
    product = np.zeros((min(len(a) + len(b) - 1, size), a.shape[1]))
    for x in range(min(len(b), size)):
        part = a[max(low - x, 0) : size - x]
        product[max(low, x) : len(a) + x] += part * b[x]
    return product
