"""What an estimator of the grouping loss is tested on: populations that mislead it, regions whose content is known, and
a rival.
"""

import warnings
from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm, qmc

from helpers.binning import group_sums
from helpers.checks import check_count
from helpers.grouping import grouping_loss_from_regions
from helpers.partition import HonestTree
from helpers.simulation import Sample


@dataclass(frozen=True)
class GroupedSample(Sample):
    """A `Sample` whose rows belong to people: `groups` (n,) int."""

    groups: np.ndarray = field(default=None)


def _draw(X, q, p, rng):
    X = pd.DataFrame(X).add_prefix("x")
    return Sample(X, (rng.random(len(q)) < q).astype(int), p=p, q=q, c=p)


def perfect(n, rng=None):
    """`Sample` of a perfect model, p = q, of two of five normal features: nothing is to be found.

    >>> perfect(100, rng=0).grouping_loss
    0.0
    """
    rng = np.random.default_rng(rng)
    X = rng.normal(size=(check_count(n, "n"), 5))
    q = expit(X[:, 0] + X[:, 1] / 2)
    return _draw(X, q, q, rng)


def same_sign(n, rng=None):
    """`Sample` whose score is 0.15 too low where two features have the same sign and 0.15 too high where not, so that
    no single feature shows anything; grouping loss 0.0225.

    >>> round(same_sign(100, rng=0).grouping_loss, 6)
    0.0225
    """
    rng = np.random.default_rng(rng)
    X = rng.normal(size=(check_count(n, "n"), 4))
    p = 0.2 + 0.6 * norm.cdf(X[:, 2])
    return _draw(X, p + 0.15 * np.sign(X[:, 0] * X[:, 1]), p, rng)


def same_people(n_people, rng=None, *, each=4):
    """`GroupedSample`: a score that is perfect given the features, and people who differ in ways that no feature shows,
    with `each` rows a person. q is the person's own probability; c = p, the mean over people with the same features.

    >>> same_people(2, rng=0, each=3).groups
    array([0, 0, 0, 1, 1, 1])
    """
    rng = np.random.default_rng(rng)
    person = np.repeat(np.arange(check_count(n_people, "n_people")), check_count(each, "each"))
    X = rng.normal(size=(n_people, 3))
    p = expit(X[:, 0])
    q = p + rng.choice([-1, 1], size=n_people) * 0.6 * np.minimum(p, 1 - p)
    a = _draw(X[person], q[person], p[person], rng)
    return GroupedSample(a.X, a.y, a.p, a.q, a.c, groups=person)


def even_crowd(population, rng=None, *, log2_rows=15):
    """`Sample` of 2**log2_rows rows spread evenly over a `Sigmoid` population, for sums without noise; y is not drawn
    (all 0).
    """
    points = norm.ppf(qmc.Sobol(2, rng=np.random.default_rng(rng)).random_base2(log2_rows))
    X = pd.DataFrame(points * np.sqrt([10, 1]), columns=["x1", "x2"])
    p = expit(X["x1"].to_numpy())
    return Sample(X, np.zeros(len(X), int), p=p, q=population.truth(X), c=p)


def equal_parts(values, k):
    """Number, 0 .. k - 1, of the part in which each value lies when they are cut into `k` parts of the same size.

    >>> equal_parts([3.0, 1.0, 2.0, 4.0], 2)
    array([1, 0, 0, 1])
    """
    return pd.qcut(np.asarray(values), k, labels=False).astype(int)


def captured(region, missed):
    """Grouping loss that regions capture when `missed` = q - c is known: sum_j p_j r_j**2 (proposition 2).

    >>> captured([0, 0, 1, 1], [0.1, -0.1, 0.2, 0.2])
    0.02...
    """
    count, total = group_sums(region, missed)
    return float(np.sum(total**2 / np.maximum(count, 1)) / len(missed))


def exact_luck(region, q, c, n):
    """Exact means, over samples of n rows, of plug-in and equation (6) for given regions, when the truth is known.

    Returns a Series: `bound` (captured), `plug-in bias` (appendix A.2), `without nu` (the same, empty regions ignored)
    and `aim` (mean of equation 6, in which a region with a single row counts as nothing).
    """
    missed = np.subtract(q, c)
    size, total, square = group_sums(region, missed, q * (1 - q) + missed**2)
    share, mean = size / size.sum(), total / size
    variance, nu = square / size - mean**2, (1 - share) ** n
    pairs = share * (1 - (1 - share) ** (n - 1))
    sums = {"bound": share @ mean**2, "plug-in bias": (1 - nu) @ variance / n}
    return pd.Series(sums | {"without nu": variance.sum() / n, "aim": pairs @ mean**2})


def has_glest():
    """Whether the package `glest`, the binned estimator of Perez-Lebel et al. (2023), is installed."""
    return find_spec("glest") is not None


def binned_estimate(y, p, X, *, region=None, rng=None):
    """Grouping loss of one class by `glest` (which sums over both; this is half of it), in bins of the score.

    With `region` (n,) int the regions are given and the result is the plug-in; otherwise glest grows its own trees and
    corrects. NaN when it stops because a bin holds too few people.
    """
    from glest import GLEstimator

    X = X.apply(lambda x: x.cat.codes if x.dtype == "category" else x).astype(float).fillna(-1).to_numpy()
    seed = int(np.random.default_rng(rng).integers(2**31))
    options = {"random_state": seed} if region is None else {"partitioner": None}
    try:
        with warnings.catch_warnings(action="ignore"):
            found = GLEstimator(p, **options).fit(X, y, partition=region)
            return float(found.GL() if region is None else found.GL_uncorrected()) / 2
    except ValueError:
        return float("nan")


def coverage(region, crowd, n, rng=None):
    """Whether the interval of one sample of n rows of a crowd holds what given regions capture, as one result for
    `experiments.repeat`.
    """
    rng = np.random.default_rng(rng)
    rows, known = rng.integers(len(crowd.q), size=n), captured(region, crowd.q - crowd.c)
    found = grouping_loss_from_regions((rng.random(n) < crowd.q[rows]) - crowd.c[rows], region[rows])
    covered = found.low <= known <= found.high
    return [{"captured": known, "covered": covered, "low end too high": found.low > known}]


def tree_distances(population, crowd, n, leaf, rng=None):
    """One honest tree (n rows choose, n judge, at least `leaf` a region) and its distances from the truth, one result
    for `experiments.repeat`.

    `J` regions; `value`: equation 6; `stone`: mean square of the region means over the crowd, the step between lemma 1
    (to the grouping loss) and lemma 2 (to `value`); `L2`: mean square distance of the region means from q - c.
    """
    rng = np.random.default_rng(rng)
    a, b = population.sample(n, rng), population.sample(n, rng)
    tree = HonestTree(min_samples_leaf=leaf, rng=rng).fit(a.X, a.y - a.c).estimate(b.X, b.y - b.c)
    value = grouping_loss_from_regions(b.y - b.c, tree.apply(b.X)).value
    guess, truth = tree.predict(crowd.X), crowd.grouping_loss
    stone, far = np.mean(guess**2), np.mean((guess - crowd.q + crowd.c) ** 2)
    row = {"J": tree.n_regions_, "J / n": tree.n_regions_ / n, "J / sqrt n": tree.n_regions_ / n**0.5, "L2": far}
    row |= {"lemma 1": abs(stone - truth), "lemma 2": abs(stone - value), "error": abs(value - truth)}
    return [row | {"stone": stone, "value": value}]
