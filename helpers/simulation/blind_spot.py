"""Calibrated scores that look along one direction, and a truth that also depends on another."""

from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm

from helpers.checks import check_numbers, check_vector
from helpers.simulation.populations import SLACK, Population, check_everywhere, integral, values_of


class BlindSpot(Population):
    """A calibrated score that looks along one direction, and a truth that also depends on another.

    X is normal with mean 0 in d >= 2 dimensions, p = link(weights . X), q = p + strength psi(direction . X) room(p).
    psi is odd and direction . X is independent of weights . X, so that E[Y | p] = p. `room` is min(p, 1 - p); with
    `accurate=True` also at most |p - 1/2|, so that deciding by p > 1/2 is optimal. ValueError names the first point at
    which a bound does not hold. Perez-Lebel et al. (2023), appendix B.2, equation 15.
    Plain: `helpers.papers.perezlebel2023.appendix_b_2`.

    Parameters
    ----------
    weights : array of float, shape (d,)
        The score's last layer.
    direction : array of float, shape (d,), or None, default None
        With weights . covariance . direction = 0, which makes the two independent (the paper asks for orthogonal
        eigenvectors, a special case); None for such a direction of standard deviation 1.
    covariance : array of float, shape (d, d), or None, default None
        Covariance of X, positive definite; None for the identity.
    link : function, default expit
        Vectorised, into [0, 1].
    psi : function or None, default None
        Vectorised and odd, into [-1, 1]; None for 2 expit(3 t) - 1.
    accurate : bool, default False
        Leave the decision by p > 1/2 optimal.
    strength : float, default 1.0
        In [0, 1]; at 0 the score is perfect (the null population).

    Examples
    --------
    >>> population = BlindSpot([1, -2, 0.5], accurate=True)
    >>> bool(abs(population.direction @ population.weights) < 1e-12), round(population.grouping_loss, 4)
    (True, 0.0098)
    """

    def __init__(self, weights, direction=None, *, covariance=None, link=expit, psi=None, accurate=False, strength=1.0):
        self.weights = check_vector(weights, "weights", finite=True)
        if self.weights.size < 2 or not self.weights.any():
            raise ValueError(f"weights must hold at least two numbers, not all zero, but they are {self.weights}.")
        self.covariance = _check_covariance(covariance, self.weights.size)
        self.direction = self._check_direction(direction)
        if not 0 <= float(check_numbers(strength, "strength")) <= 1:
            raise ValueError(f"strength must lie in [0, 1], but it is {strength}.")
        self.link = link
        self.psi = stretched_sigmoid if psi is None else psi
        self.accurate = accurate
        self.strength = strength
        self._along = self._deviation(self.weights)
        self._across = self._deviation(self.direction)
        grid = np.linspace(-9, 9, 2001)
        along = grid * self._along
        stated = values_of(link, "link", along, "weights . X")
        check_everywhere((stated >= 0) & (stated <= 1), along, stated, "link", "in [0, 1]")
        across = grid * self._across
        wave = values_of(self.psi, "psi", across, "direction . X")
        odd = (np.abs(wave) <= 1 + SLACK) & (np.abs(wave + wave[::-1]) <= SLACK)
        check_everywhere(odd, across, wave, "psi", "in [-1, 1] and odd, psi(-t) = -psi(t)")

    def _deviation(self, v):
        """Standard deviation of v . X."""
        return float(np.sqrt(v @ self.covariance @ v))

    def _check_direction(self, direction):
        """The direction as given, or one that the score does not see."""
        image = self.covariance @ self.weights
        if direction is None:
            axis = np.eye(self.weights.size)[np.argmin(np.abs(image))]
            blind = axis - (axis @ image) / (self.weights @ image) * self.weights
            return blind / np.sqrt(blind @ self.covariance @ blind)
        direction = check_vector(direction, "direction", finite=True)
        if direction.shape != self.weights.shape or not direction.any():
            raise ValueError(f"direction must hold {self.weights.size} numbers, not all zero, but it is {direction}.")
        if abs(direction @ image) > 1e-9 * np.linalg.norm(direction) * np.linalg.norm(image):
            raise ValueError(
                "direction must be independent of the score (weights . covariance . direction = 0), "
                f"but that product is {direction @ image:.4g}."
            )
        return direction

    def room(self, p):
        """Largest deviation that the true probability may have from `p`, (n,), in [0, 1/2]."""
        p = np.asarray(p, dtype=float)
        room = np.minimum(p, 1 - p)
        return np.minimum(room, np.abs(p - 0.5)) if self.accurate else room

    def stated(self, X):
        """Stated probability of each row of X, (n, d); calibrated."""
        return self.link(np.asarray(X, dtype=float) @ self.weights)

    calibrated = stated

    def truth(self, X):
        """True probability q of each row of X, (n, d)."""
        p = self.stated(X)
        wave = self.psi(np.asarray(X, dtype=float) @ self.direction)
        return p + self.strength * wave * self.room(p)

    def _draw(self, n, rng):
        X = rng.normal(size=(n, self.weights.size)) @ np.linalg.cholesky(self.covariance).T
        p = self.stated(X)
        names = [f"x{k}" for k in range(1, self.weights.size + 1)]
        return pd.DataFrame(X, columns=names), p, self.truth(X), p

    @cached_property
    def grouping_loss(self):
        """E (q - c)**2: how much psi moves, times how much room there is."""
        moved = _normal_mean(lambda z: self.psi(z * self._across) ** 2)
        return self.strength**2 * moved * self._mean_over_scores(lambda p: self.room(p) ** 2)

    @cached_property
    def irreducible_loss(self):
        """E q (1 - q): p (1 - p) is what is left without the features, the grouping loss what they explain."""
        return self._mean_over_scores(lambda p: p * (1 - p)) - self.grouping_loss

    def _mean_over_scores(self, f):
        """E f(p)."""
        return _normal_mean(lambda z: f(self.link(z * self._along)))


class Sigmoid(BlindSpot):
    """The blind spot in the plane: X = (x1, x2) normal with variances 10 and 1, p = expit(x1), psi of x2.

    Perez-Lebel et al. (2023), appendix B.2; figure 11, with `accurate=True` figure 12.

    Parameters
    ----------
    accurate : bool, default False
        Leave the decision by p > 1/2 optimal.
    strength : float, default 1.0
        In [0, 1]; at 0 the score is perfect (the null population).

    Examples
    --------
    >>> round(Sigmoid().grouping_loss, 8), round(Sigmoid(accurate=True).grouping_loss, 8)
    (0.02535948, 0.00768394)
    """

    def __init__(self, *, accurate=False, strength=1.0):
        super().__init__([1, 0], [0, 1], covariance=np.diag([10, 1]), accurate=accurate, strength=strength)


def stretched_sigmoid(t):
    """2 expit(3 t) - 1, the default psi."""
    return np.tanh(1.5 * t)


def _normal_mean(f):
    """E f(Z) for a standard normal Z."""
    return integral(lambda z: f(z) * norm.pdf(z), np.linspace(-12, 12, 97))


def _check_covariance(covariance, d):
    """A symmetric, positive definite (d, d) matrix."""
    covariance = np.eye(d) if covariance is None else check_numbers(covariance, "covariance")
    if covariance.shape != (d, d):
        raise ValueError(f"covariance must have shape ({d}, {d}), but its shape is {covariance.shape}.")
    if not np.allclose(covariance, covariance.T) or not (np.linalg.eigvalsh(covariance) > 0).all():
        raise ValueError("covariance must be symmetric and positive definite, but it is not.")
    return covariance
