"""Calibrated scores with an arbitrary link to the truth: two mirror-image inputs for each score."""

from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import norm

from helpers.checks import check_one_of
from helpers.simulation.populations import SLACK, Population, check_everywhere, integral, values_of


class Links(Population):
    """A calibrated score p(x) of one feature whose link to the true probability is yours to choose.

    x is standard normal or uniform on [-2, 2]; p = 1 - exp(-(0.9 x)**2) is the same at x and -x; q = h(p) for x > 0
    and g(p) for x < 0. With g = 2 p - h, E[Y | p] = p whatever the link h. With another g the two mirror-image inputs
    are drawn with shares (p - g)/(h - g) and (h - p)/(h - g), so that E[Y | p] = p again. Perez-Lebel et al. (2023),
    appendix B.1, equation 14; shifted shares: figure 10, right. Plain: `equation_14` and `appendix_b_1` of
    `helpers.papers.perezlebel2023`.

    Parameters
    ----------
    link : function
        Vectorised function h of p; with the default g, max(0, 2 p - 1) <= h(p) <= min(1, 2 p).
    other : function or None, default None
        Vectorised function g of p with g <= p <= h or h <= p <= g; None for 2 p - h.
    inputs : {"normal", "uniform"}, default "normal"
        Distribution of x before shares are shifted.
    accurate : bool, default False
        Require that h(p) and g(p) lie on the side of 1/2 on which p lies (1/2 itself is on both).

    Examples
    --------
    >>> worst = Links(lambda p: 0 * p + 0.5, other=lambda p: p > 0.5, accurate=True)
    >>> round(worst.grouping_loss, 4), worst.right_share([0.1, 0.25, 0.9]).round(2)
    (0.0356, array([0.2, 0.5, 0.2]))
    """

    def __init__(self, link, *, other=None, inputs="normal", accurate=False):
        check_one_of(inputs, "inputs", ("normal", "uniform"))
        self.link = link
        self.other = other
        self.inputs = inputs
        self.accurate = accurate
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
            right = np.where(g == p, g, h)  # nobody is at a value whose share is 0
            left = np.where(h == p, h, g)
            below = np.maximum(right, left) <= 0.5 + SLACK
            above = np.minimum(right, left) >= 0.5 - SLACK
            fine = np.where(p < 0.5, below, above)
            check_everywhere(fine, p, right, "link", "on p's side of 1/2, and the value at -x too")

    @staticmethod
    def stated(x):
        """Stated probability at each x, (n,); calibrated."""
        return 1 - np.exp(-((0.9 * np.asarray(x, dtype=float)) ** 2))

    calibrated = stated

    def truth(self, x):
        """True probability at each x, (n,)."""
        x = np.asarray(x, dtype=float)
        p = self.stated(x)
        h, g = self._both(p)
        return np.where(x > 0, h, np.where(x < 0, g, p))

    def right_share(self, p):
        """Share of the people with a score `p` who have x > 0, (n,); 1/2 unless `other` was given."""
        p = np.asarray(p, dtype=float)
        h, g = self._both(p)
        if self.other is None:
            return np.full(p.shape, 0.5)
        share = np.divide(p - g, h - g, out=np.full(p.shape, 0.5), where=h != g)
        return np.clip(share, 0, 1)

    def density(self, x):
        """Density of the inputs at each x, (n,)."""
        x = np.asarray(x, dtype=float)
        even = norm.pdf(x) if self.inputs == "normal" else np.where(np.abs(x) <= 2, 0.25, 0.0)
        right = self.right_share(self.stated(x))
        return 2 * even * np.where(x > 0, right, np.where(x < 0, 1 - right, 0.5))

    def _draw(self, n, rng):
        x = rng.normal(size=n) if self.inputs == "normal" else rng.uniform(-2, 2, n)
        if self.other is not None:
            x = np.where(rng.random(n) < self.right_share(self.stated(x)), np.abs(x), -np.abs(x))
        p = self.stated(x)
        return pd.DataFrame({"x": x}), p, self.truth(x), p

    @cached_property
    def grouping_loss(self):
        """E (q - c)**2; among the people with score p it is (h - p)(p - g)."""

        def variance(p):
            h, g = self._both(p)
            return (h - p) * (p - g)

        return self._mean_over_scores(variance)

    @cached_property
    def irreducible_loss(self):
        """E q (1 - q): p (1 - p) is what is left without the features, the grouping loss what they explain."""
        return self._mean_over_scores(lambda p: p * (1 - p)) - self.grouping_loss

    def _both(self, p):
        """True probabilities h at x > 0 and g at x < 0."""
        h = np.clip(self.link(p), 0, 1)
        if self.other is None:
            return h, np.clip(2 * p - h, 0, 1)
        return h, np.asarray(self.other(p), dtype=float)

    def _mean_over_scores(self, f):
        """E f(p); the score is the same at x and -x."""
        if self.inputs == "uniform":
            return integral(lambda x: 2 * 0.25 * f(self.stated(x)), np.linspace(0, 2.0, 65))
        return integral(lambda x: 2 * norm.pdf(x) * f(self.stated(x)), np.linspace(0, 9.0, 65))
