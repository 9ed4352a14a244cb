"""Populations with known truth on which estimators of the grouping loss compete.

Each is a function (n, rng) -> X (n, d), c (n,), q (n,) with E[q | c] = c; `draw` adds labels and the stated score,
`truth` the grouping loss E (q - c)**2 of one fixed sample of two million rows (error below 0.2 %).
"""

from functools import lru_cache

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

_FIXED = np.random.default_rng(20240607)
CENTRES = _FIXED.normal(size=(40, 8))
SIGNS = _FIXED.permutation(np.repeat([-1.0, 1.0], 20))
DIRECTION = _FIXED.normal(size=10)
DIRECTION /= np.linalg.norm(DIRECTION)
LEVELS = _FIXED.normal(size=12)
LEVELS = (LEVELS - LEVELS.mean()) / LEVELS.std()


def room(c):
    """How far q can lie from c on both sides."""
    return np.minimum(c, 1 - c)


def two_features(n, rng, strength):
    """A smooth function of two of five features."""
    X = rng.normal(size=(n, 5))
    c = expit(1.5 * X[:, 0])
    return X, c, c + strength * np.tanh(1.5 * (X[:, 1] + X[:, 2]) / 2**0.5) * room(c)


def sharp(n, rng):
    """The product of two signs: no feature alone says anything."""
    X = rng.normal(size=(n, 5))
    c = expit(1.5 * X[:, 0])
    return X, c, c + 0.8 * np.sign(X[:, 1]) * np.sign(X[:, 2]) * room(c)


def fifty_features(n, rng):
    """A smooth function of a weighted sum of ten of fifty features."""
    X = rng.normal(size=(n, 50))
    c = expit(1.5 * X[:, 0])
    return X, c, c + 0.9 * np.tanh(1.5 * (X[:, 1:11] @ DIRECTION)) * room(c)


def rare_events(n, rng):
    """About three ones in a hundred rows."""
    X = rng.normal(size=(n, 8))
    c = expit(-4 + X[:, 0])
    return X, c, c + 0.9 * np.sign(X[:, 1]) * np.tanh(2 * np.abs(X[:, 1])) * room(c)


def forty_clusters(n, rng):
    """Forty clouds in eight dimensions, each with a sign of its own, and two features more."""
    k = rng.integers(40, size=n)
    X = np.column_stack([rng.normal(size=n), CENTRES[k] + 0.5 * rng.normal(size=(n, 8)), rng.normal(size=n)])
    c = expit(1.5 * X[:, 0])
    return X, c, c + 0.8 * SIGNS[k] * room(c)


def levels_and_steps(n, rng):
    """Skewed numbers, a code of twelve levels, a deviation that is not scaled by the room."""
    g = rng.integers(12, size=n)
    z = rng.normal(size=(n, 6))
    u = rng.uniform(size=(n, 2))
    c = 0.2 + 0.6 * rng.beta(2, 2, size=n)
    s = np.where(u[:, 0] > 0.6, np.sign(z[:, 0]), 0.5 * LEVELS[g] / np.abs(LEVELS).max())
    q = c + 0.18 * np.clip(s, -1, 1) * np.where(z[:, 1] > 0, 1, 0.3)
    return np.column_stack([c, g, np.exp(z), u]), c, q


def rings(n, rng):
    """Rings in two heavy-tailed features and an interaction of three others."""
    X = rng.standard_t(5, size=(n, 6))
    rng.random(n)
    c = expit(1.2 * X[:, 0])
    q = c + 0.8 * (np.cos(2.2 * np.hypot(X[:, 1], X[:, 2])) - ring_mean()) * room(c) / 1.3
    return X, c, np.clip(q + 0.25 * room(c) * np.tanh(X[:, 3] * X[:, 0]) * np.sign(X[:, 4]), 0, 1)


@lru_cache
def ring_mean():
    t = np.random.default_rng(5).standard_t(5, size=(4_000_000, 2))
    return float(np.cos(2.2 * np.hypot(t[:, 0], t[:, 1])).mean())


def stripes(n, rng):
    """Stripes of one number, turned round by a binary feature and weakened by another number."""
    X = np.column_stack([rng.uniform(size=(n, 3)), rng.integers(2, size=(n, 2)), rng.normal(size=n)])
    c = rng.uniform(0.1, 0.9, size=n)
    weaker = np.where(X[:, 1] > 0.3, 1.0, 0.2)
    wave = np.sign(np.sin(3 * np.pi * X[:, 0])) * (2 * X[:, 3] - 1)
    return X, c, c + 0.7 * wave * weaker * room(c)


def pocket(n, rng):
    """A line in three of twenty features and a pocket of eight in a hundred rows."""
    X = rng.normal(size=(n, 20))
    c = expit(-1.5 + 1.2 * X[:, 0])
    inside = (X[:, 4] > 1) & (X[:, 5] > 0)
    line = np.clip(0.25 * (X[:, 1] + X[:, 2] - X[:, 3]), -0.6, 0.6)
    return X, c, c + (line + 0.35 * (inside - norm.sf(1) / 2)) * room(c)


FIVE = {
    "smooth": lambda n, rng: two_features(n, rng, 0.9),
    "sharp": sharp,
    "high": fifty_features,
    "rare": rare_events,
    "clusters": forty_clusters,
}
SEVEN = FIVE | {
    "weak": lambda n, rng: two_features(n, rng, 0.3),
    "null": lambda n, rng: two_features(n, rng, 0.0),
}
HELD_OUT = {"heldA": levels_and_steps, "heldB": rings, "heldC": stripes, "heldD": pocket}
ALL = SEVEN | HELD_OUT
TITLES = {
    "smooth": "smooth", "sharp": "sharp interaction", "high": "50 features", "rare": "rare events",
    "clusters": "40 clusters", "weak": "weak", "null": "null", "heldA": "levels and steps", "heldB": "rings",
    "heldC": "stripes", "heldD": "line and pocket",
}  # fmt: skip


def draw(name, n, seed):
    """X, y, p of one sample; the held-out scores are not calibrated (an affine map of the log-odds is)."""
    rng = np.random.default_rng([seed, sum(map(ord, name)), n])
    X, c, q = ALL[name](n, rng)
    y = (rng.random(n) < q).astype(int)
    return X, y, expit((logit(c) + 0.3) * 1.5) if name in HELD_OUT else c


@lru_cache
def truth(name):
    """E (q - c)**2."""
    rng = np.random.default_rng(77)
    total = 0.0
    for _ in range(8):
        _, c, q = ALL[name](250_000, rng)
        total += np.mean((q - c) ** 2)
    return float(total / 8)
