"""Notebook 09: a system that may abstain, where the truth is known."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import beta

from helpers.checks import check_count
from helpers.selective import ecuas


@lru_cache(maxsize=1)
def _quadrature():
    return np.polynomial.legendre.leggauss(400)


@dataclass(frozen=True)
class Department:
    """Cases with K possible answers; the system's answer is right with a chance that differs from case to case."""

    n_classes: int = 4
    a: float = 5.0
    b: float = 1.2

    @property
    def accuracy(self):
        """Mean chance of a right answer."""
        return float(self._chance(self.a / (self.a + self.b)))

    def _chance(self, t):
        return 1 / self.n_classes + (1 - 1 / self.n_classes) * t

    def sample(self, n, rng=None):
        """Whether each of n answers is right, and the true chance that it is."""
        rng = np.random.default_rng(rng)
        chance = self._chance(rng.beta(self.a, self.b, check_count(n, "n")))
        return (rng.random(n) < chance).astype(int), chance

    def powered(self, chance, power):
        """Confidence in the same answer if all K probabilities are raised to a power (a temperature of 1 / power)."""
        chance = np.asarray(chance)
        with np.errstate(divide="ignore"):
            odds = ((1 - chance) / (self.n_classes - 1) / chance) ** power
        return 1 / (1 + (self.n_classes - 1) * odds)

    def expected_ecuas(self, power=1.0, *, n=1):
        """Exact mean ECUAS_n of whoever states `powered(chance, power)`, by quadrature (to about 1e-6)."""
        nodes, weights = _quadrature()
        t = (nodes + 1) / 2
        chance = self._chance(t)
        weights = weights * beta(self.a, self.b).pdf(t)
        stated = self.powered(chance, power)
        wrong, right = (ecuas(np.full(t.size, k), stated, n=n, n_classes=self.n_classes) for k in (0, 1))
        return float(weights @ (chance * right + (1 - chance) * wrong) / weights.sum())
