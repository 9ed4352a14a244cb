"""A family of black boxes of growing size that answer the same questions, with known truth.

A stand-in for language models asked about people, as in Melo et al. (2026): nobody's data, nobody's model. What it
shares with them is what cascades and audits need: models that grow better and more expensive, state confidences that
are too high or too low, are wrong about the same groups, and never all about the same people.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from helpers.checks import check_count, check_numbers, check_rng, check_vector

_LEVELS = {
    "age": np.arange(20, 70, 5),
    "schooling": ["none", "school", "vocational", "college", "master"],
    "job": ["care", "craft", "farm", "office", "sales", "science", "teaching", "transport"],
    "hours": np.arange(10, 60, 10),
    "region": ["east", "north", "south", "west"],
}

_PAIRS = (("age", "schooling"), ("job", "hours"), ("age", "job"), ("schooling", "hours"), ("region", "job"))


@dataclass(frozen=True)
class PoolSample:
    """Rows of a pool's population, about which all m models answer."""

    X: pd.DataFrame  # (n, d) features
    y: np.ndarray  # (n,) labels
    q: np.ndarray  # (n,) true probabilities
    p: np.ndarray  # (m, n) stated probabilities of each model
    c: np.ndarray  # (m, n) calibrated ones

    @property
    def prediction(self):
        """Decisions of the models by p >= 1/2, (m, n) int."""
        return (self.p >= 0.5).astype(int)


@dataclass(frozen=True)
class ModelPool:
    """Black boxes of growing size on one finite population: everything about them is an exact sum."""

    models: pd.DataFrame  # a line a model: size, price, accuracy, calibration_loss, grouping_loss (squared error)
    X: pd.DataFrame = field(repr=False)  # (k, d) the kinds of people
    share: np.ndarray = field(repr=False)  # (k,) of the population
    q: np.ndarray = field(repr=False)  # (k,) true probability
    p: np.ndarray = field(repr=False)  # (m, k) stated probability of each model for each kind
    c: np.ndarray = field(repr=False)  # (m, k) calibrated probability

    @property
    def price(self):
        """Price of asking each model once, (m,)."""
        return self.models["price"].to_numpy()

    def sample(self, n, rng=None):
        """`PoolSample` of n people: `X`, `y`, `q` of each, and `p`, `c` and `prediction`, (m, n), of all models."""
        rng = check_rng(rng)
        kind = rng.choice(self.q.size, check_count(n, "n"), p=self.share)
        y = (rng.random(n) < self.q[kind]).astype(int)
        X = self.X.iloc[kind].reset_index(drop=True)
        return PoolSample(X, y, q=self.q[kind], p=self.p[:, kind], c=self.c[:, kind])


def model_pool(
    sizes=(1, 3, 8, 14, 27, 47, 70),
    *,
    grouping_error=None,
    slope=1.0,
    shift=0.0,
    group_bias=None,
    shared=0.5,
    signal=1.5,
    base_rate=0.5,
    n_levels=200,
    price=None,
    rng=None,
):
    """A pool of black boxes of growing size whose calibration and grouping errors are set by hand.

    The truth q is a logistic function of five features with interactions. Model k sees log-odds of q plus an error: a
    function of the features, so that groups are misjudged, partly the same one in all models. It knows only which of
    `n_levels` levels that falls into; c is the exact rate in each level, and it states
    p = expit(shift + slope * logit(c)). In place of the 27 language models of Melo et al. (2026), table 1.

    Parameters
    ----------
    sizes : array of float, shape (m,), default (1, 3, 8, 14, 27, 47, 70)
        Ascending, for example billions of parameters.
    grouping_error : float or array of float, shape (m,), or None, default None
        Standard deviation of the error in log-odds, at least 0; None for 1.5 (size / smallest size) ** -0.25. At 0 (and
        without bias) c = q: no grouping loss.
    slope, shift : float or array of float, shape (m,), default 1.0 and 0.0
        Of the stated log-odds. With 1 and no shift calibrated; a slope above 1 is over-confident.
    group_bias : dict or None, default None
        (column, level) -> error in log-odds for this group, one number or (m,).
    shared : float, default 0.5
        Share of the error's variance that all models have in common, in [0, 1].
    signal : float, default 1.5
        Standard deviation of the true log-odds: the larger, the less is left to chance.
    base_rate : float, default 0.5
        Rate of y = 1, roughly.
    n_levels : int, default 200
        Distinct scores of a model.
    price : array of float, shape (m,), or None, default None
        Of asking once; None for the size.
    rng : int, Generator or None, default None
        Decides truth and errors.

    Returns
    -------
    ModelPool
        Table `models` with the losses of each, `price` (m,), and `sample(n, rng)`.

    Examples
    --------
    >>> pool = model_pool(sizes=[1, 10], grouping_error=[1, 0], rng=0)
    >>> pool.models["grouping_loss"].round(3).tolist()
    [0.024, 0.0]
    """
    rng = check_rng(rng)
    sizes = check_vector(sizes, "sizes", finite=True)
    if not (sizes > 0).all() or not (np.diff(sizes) > 0).all():
        raise ValueError(f"sizes must be positive and ascending, but they are {sizes.tolist()}.")
    m = sizes.size
    error = 1.5 * (sizes / sizes[0]) ** -0.25 if grouping_error is None else grouping_error
    error = _each(error, "grouping_error", m, least=0)
    slope = _each(slope, "slope", m, least=1e-9)
    shift = _each(shift, "shift", m)
    price = sizes if price is None else _each(price, "price", m, least=0)
    shared = _each(shared, "shared", 1, least=0, most=1)[0]
    signal = _each(signal, "signal", 1, least=0)[0]
    base_rate = _each(base_rate, "base_rate", 1, least=0.01, most=0.99)[0]
    check_count(n_levels, "n_levels", least=2)
    X, codes, share = _people(rng)
    truth = logit(base_rate) + signal * _surface(codes, share, rng)
    common = _surface(codes, share, rng)
    own = np.array([_surface(codes, share, rng) for _ in range(m)])
    seen = truth + error[:, None] * (np.sqrt(shared) * common + np.sqrt(1 - shared) * own)
    bias = _biases(X, group_bias or {}, m)
    q = expit(truth)
    exact = (error == 0) & ~bias.any(axis=1)
    seen = seen + bias
    c = np.array([q if exact[k] else _level_means(seen[k], q, share, n_levels) for k in range(m)])
    calibrated = (slope == 1) & (shift == 0)
    p = np.where(calibrated[:, None], c, expit(shift[:, None] + slope[:, None] * logit(c)))
    models = pd.DataFrame({"size": sizes, "price": price})
    models["accuracy"] = np.where(p >= 0.5, q, 1 - q) @ share
    models["calibration_loss"] = (p - c) ** 2 @ share
    models["grouping_loss"] = (q - c) ** 2 @ share
    return ModelPool(models, X, share, q, p, c)


def _each(value, name, m, *, least=-np.inf, most=np.inf):
    """(m,) floats within bounds from one number or m of them."""
    array = check_numbers(value, name)
    if array.shape not in ((), (m,)):
        raise ValueError(f"{name} must be one number or one for each of {m} models, but its shape is {array.shape}.")
    if not (np.isfinite(array) & (array >= least) & (array <= most)).all():
        raise ValueError(f"{name} must be finite and lie in [{least:g}, {most:g}], but it is {array.tolist()}.")
    return np.broadcast_to(array, m).copy()


def _people(rng):
    """Every combination of the features, number of the level in each column, and its share of the population."""
    grid = pd.MultiIndex.from_product(_LEVELS.values(), names=list(_LEVELS)).to_frame(index=False)
    for name in ("schooling", "job", "region"):
        grid[name] = pd.Categorical(grid[name], _LEVELS[name], ordered=name == "schooling")
    codes = {name: _codes(grid, name) for name in _LEVELS}
    weight = np.ones(len(grid))
    for name, levels in _LEVELS.items():
        weight *= rng.dirichlet(np.full(len(levels), 8.0))[codes[name]]
    return grid, codes, weight / weight.sum()


def _codes(X, name):
    """Number of the level of each row in one column."""
    return pd.Index(_LEVELS[name]).get_indexer(X[name].astype(object))


def _surface(codes, share, rng):
    """A random function of the features, main effects and interactions, with mean 0 and variance 1."""
    value = sum(rng.normal(size=len(_LEVELS[name]))[code] for name, code in codes.items())
    for a, b in _PAIRS:
        value = value + rng.normal(scale=0.7, size=(len(_LEVELS[a]), len(_LEVELS[b])))[codes[a], codes[b]]
    value = value - share @ value
    return value / np.sqrt(share @ value**2)


def _biases(X, group_bias, m):
    """(m, k) error in log-odds of each model about each kind of people."""
    bias = np.zeros((m, len(X)))
    for group, value in group_bias.items():
        column, level = group if isinstance(group, tuple) and len(group) == 2 else (group, None)
        inside = (X[column] == level).to_numpy() if column in X else np.zeros(len(X), bool)
        if not inside.any():
            known = {name: np.asarray(levels).tolist() for name, levels in _LEVELS.items()}
            raise ValueError(f"group_bias must name (column, level) of {known}, but one is {group!r}.")
        bias[:, inside] += _each(value, "group_bias", m)[:, None]
    return bias


def _level_means(seen, q, share, n_levels):
    """Mean of q among the kinds of people that fall into the same of `n_levels` levels of `seen`, equally many each."""
    order = np.argsort(seen, kind="stable")
    level = np.empty(seen.size, int)
    middle = np.cumsum(share[order]) - share[order] / 2
    level[order] = np.minimum((middle * n_levels).astype(int), n_levels - 1)
    mass = np.bincount(level, share, n_levels)
    total = np.bincount(level, share * q, n_levels)
    return np.divide(total, mass, out=np.zeros(n_levels), where=mass > 0)[level]
