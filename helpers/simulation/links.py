"""Calibrated scores with an arbitrary link to the truth: two mirror-image inputs for each score."""

from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import norm

from helpers.checks import check_count, check_one_of
from helpers.simulation.populations import SLACK, Sample, check_everywhere, integral, values_of


class Links:
    """A calibrated score p(x) of one feature whose link to the true probability is yours to choose.

    x is standard normal or uniform on [-2, 2]; p = 1 - exp(-(0.9 x)**2) is the same at x and -x; q = h(p) for x > 0
    and g(p) for x < 0. With g = 2 p - h, E[Y | p] = p whatever the link h. With another g the two mirror-image inputs
    are drawn with shares (p - g)/(h - g) and (h - p)/(h - g), so that E[Y | p] = p again.

    Parameters
    ----------
    link : vectorised function h of p; with the default g, max(0, 2 p - 1) <= h(p) <= min(1, 2 p)
    other : vectorised function g of p with g <= p <= h or h <= p <= g; None for 2 p - h
    inputs : "normal" or "uniform", the distribution of x before shares are shifted
    accurate : require that h(p) and g(p) lie on the side of 1/2 on which p lies (1/2 itself is on both)

    Attributes
    ----------
    grouping_loss, irreducible_loss : by quadrature, squared error

    Raises
    ------
    ValueError where a link leaves its bounds; the first offending p is named.

    Source: Perez-Lebel et al. (2023), appendix B.1, equation 14; shifted shares: figure 10, right.

    >>> Links(lambda p: p).grouping_loss
    0.0
    >>> round(Links(lambda p: np.minimum(1, 2 * p), inputs="uniform").grouping_loss, 4)
    0.0612
    >>> worst = Links(lambda p: 0 * p + 0.5, other=lambda p: p > 0.5, accurate=True)
    >>> round(worst.grouping_loss, 4), worst.right_share([0.1, 0.25, 0.9]).round(2)
    (0.0356, array([0.2, 0.5, 0.2]))
    """

    def __init__(self, link, *, other=None, inputs="normal", accurate=False):
        check_one_of(inputs, "inputs", ("normal", "uniform"))
        self.link, self.other, self.inputs, self.accurate = link, other, inputs, accurate
        p = np.linspace(0, 1, 10_001)
        h = values_of(link, "link", p)
        g = 2 * p - h if other is None else values_of(other, "other", p)
        if other is None:
            fine = np.abs(h - p) <= np.minimum(p, 1 - p) + SLACK
            check_everywhere(fine, p, h, "link", "between max(0, 2 p - 1) and min(1, 2 p)")
        else:
            check_everywhere((h >= 0) & (h <= 1), p, h, "link", "in [0, 1]")
            fine = (g >= 0) & (g <= 1) & ((h - p) * (p - g) >= 0) & ((h != g) | (h == p))
            check_everywhere(fine, p, g, "other", "in [0, 1], with p between it and link(p)")
        if accurate:
            h, g = np.where(g == p, g, h), np.where(h == p, h, g)  # nobody is at a value whose share is 0
            fine = np.where(p < 0.5, np.maximum(h, g) <= 0.5 + SLACK, np.minimum(h, g) >= 0.5 - SLACK)
            check_everywhere(fine, p, h, "link", "on p's side of 1/2, and the value at -x too")

    @staticmethod
    def stated(x):
        """Stated probability at `x`, (n,)."""
        return 1 - np.exp(-((0.9 * np.asarray(x, dtype=float)) ** 2))

    calibrated = stated

    def truth(self, x):
        """True probability at `x`, (n,)."""
        x = np.asarray(x, dtype=float)
        p = self.stated(x)
        h, g = self._both(p)
        return np.where(x > 0, h, np.where(x < 0, g, p))

    def right_share(self, p):
        """Share of the people with score `p` who have x > 0, (n,); 1/2 unless `other` was given."""
        p = np.asarray(p, dtype=float)
        h, g = self._both(p)
        if self.other is None:
            return np.full(p.shape, 0.5)
        share = np.divide(p - g, h - g, out=np.full(p.shape, 0.5), where=h != g)
        return np.clip(share, 0, 1)

    def density(self, x):
        """Density of the inputs at `x`, (n,)."""
        x = np.asarray(x, dtype=float)
        even = norm.pdf(x) if self.inputs == "normal" else np.where(np.abs(x) <= 2, 0.25, 0.0)
        right = self.right_share(self.stated(x))
        return 2 * even * np.where(x > 0, right, np.where(x < 0, 1 - right, 0.5))

    def sample(self, n, rng=None):
        """`Sample` of n rows."""
        rng = np.random.default_rng(rng)
        x = rng.normal(size=check_count(n, "n")) if self.inputs == "normal" else rng.uniform(-2, 2, n)
        if self.other is not None:
            x = np.where(rng.random(n) < self.right_share(self.stated(x)), np.abs(x), -np.abs(x))
        p, q = self.stated(x), self.truth(x)
        return Sample(pd.DataFrame({"x": x}), (rng.random(n) < q).astype(int), p, q, p)

    @cached_property
    def grouping_loss(self):
        """E (q - c)**2; among the people with score p it is (h - p)(p - g)."""

        def spread(p):
            h, g = self._both(p)
            return (h - p) * (p - g)

        return self._mean_over_scores(spread)

    @cached_property
    def irreducible_loss(self):
        """E q (1 - q): p (1 - p) is what is left without the features, the grouping loss what they explain."""
        return self._mean_over_scores(lambda p: p * (1 - p)) - self.grouping_loss

    def _both(self, p):
        h = np.clip(self.link(p), 0, 1)
        return h, np.clip(2 * p - h, 0, 1) if self.other is None else np.asarray(self.other(p), dtype=float)

    def _mean_over_scores(self, f):
        top, density = (9.0, norm.pdf) if self.inputs == "normal" else (2.0, lambda x: 0.25)
        return integral(lambda x: 2 * density(x) * f(self.stated(x)), np.linspace(0, top, 65))
