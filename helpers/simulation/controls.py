"""Populations that mislead an estimator of the grouping loss, and regions whose content is known."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm, qmc

from helpers.checks import check_count, check_rng
from helpers.simulation.populations import Sample


@dataclass(frozen=True)
class GroupedSample(Sample):
    """A `Sample` whose rows belong to people, `groups` (n,) int."""

    groups: np.ndarray = field(default=None)


def _draw(X, q, p, rng):
    """Rows whose labels are drawn with probability q, scored by a calibrated p."""
    y = (rng.random(len(q)) < q).astype(int)
    return Sample(pd.DataFrame(X).add_prefix("x"), y, p=p, q=q, c=p)


def perfect(n, rng=None):
    """A perfect model, p = q, of two of five normal features: nothing is to be found.

    Parameters
    ----------
    n, rng : int, and int or Generator, optional
        Number of rows, and the source of randomness.

    Returns
    -------
    Sample
        Of n rows, grouping loss 0.

    Examples
    --------
    >>> perfect(100, rng=0).grouping_loss
    0.0
    """
    rng = check_rng(rng)
    X = rng.normal(size=(check_count(n, "n"), 5))
    q = expit(X[:, 0] + X[:, 1] / 2)
    return _draw(X, q, q, rng)


def xor_interaction(n, rng=None):
    """A score that is 0.15 too low where two features have the same sign and 0.15 too high where not.

    No single feature shows anything.

    Parameters
    ----------
    n, rng : int, and int or Generator, optional
        Number of rows, and the source of randomness.

    Returns
    -------
    Sample
        Of n rows, grouping loss 0.0225.

    Examples
    --------
    >>> round(xor_interaction(100, rng=0).grouping_loss, 6)
    0.0225
    """
    rng = check_rng(rng)
    X = rng.normal(size=(check_count(n, "n"), 4))
    p = 0.2 + 0.6 * norm.cdf(X[:, 2])
    return _draw(X, p + 0.15 * np.sign(X[:, 0] * X[:, 1]), p, rng)


def same_people(n_people, rng=None, *, each=4):
    """A score that is perfect given the features, and people who differ in ways that no feature shows.

    Parameters
    ----------
    n_people, rng : int, and int or Generator, optional
        Number of people, and the source of randomness.
    each : int, default 4
        Rows a person.

    Returns
    -------
    GroupedSample
        Of n_people * each rows; q is the person's own probability; c = p, the mean over people with the same features.

    Examples
    --------
    >>> same_people(2, rng=0, each=3).groups
    array([0, 0, 0, 1, 1, 1])
    """
    rng = check_rng(rng)
    person = np.repeat(np.arange(check_count(n_people, "n_people")), check_count(each, "each"))
    X = rng.normal(size=(n_people, 3))
    p = expit(X[:, 0])
    q = p + rng.choice([-1, 1], size=n_people) * 0.6 * np.minimum(p, 1 - p)
    return GroupedSample(**vars(_draw(X[person], q[person], p[person], rng)), groups=person)


def sobol_sample(population, rng=None, *, log2_rows=15):
    """Rows spread evenly over a `Sigmoid` population, for sums without noise.

    Parameters
    ----------
    population : Sigmoid
        Whose truth is read.
    rng : int, Generator or None, default None
        Scrambles the Sobol points.
    log2_rows : int, default 15
        Logarithm of the number of rows.

    Returns
    -------
    Sample
        Of 2**log2_rows rows; y is not drawn (all 0).

    Examples
    --------
    >>> from helpers.simulation import Sigmoid
    >>> round(sobol_sample(Sigmoid(), rng=0).grouping_loss, 3)  # 0.02536 in the population
    0.025
    """
    points = norm.ppf(qmc.Sobol(2, rng=check_rng(rng)).random_base2(log2_rows))
    X = pd.DataFrame(points * np.sqrt([10, 1]), columns=["x1", "x2"])
    p = expit(X["x1"].to_numpy())
    return Sample(X, np.zeros(len(X), int), p=p, q=population.truth(X), c=p)


def equal_parts(values, k):
    """Part in which each value lies when they are cut into `k` parts of the same size.

    Parameters
    ----------
    values, k : array of float, shape (n,), and int
        What is cut, and the number of parts.

    Returns
    -------
    array of int, shape (n,)
        In 0 .. k - 1.

    Examples
    --------
    >>> equal_parts([3.0, 1.0, 2.0, 4.0], 2)
    array([1, 0, 0, 1])
    """
    return pd.qcut(np.asarray(values), k, labels=False).astype(int)
