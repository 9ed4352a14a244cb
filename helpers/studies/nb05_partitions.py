"""What an estimator of the grouping loss is tested on: populations that mislead it, regions whose content is known, and
a rival; figures of repeated estimates.
"""

import warnings

import numpy as np
import pandas as pd

from helpers.binning import group_sums
from helpers.grouping import captured, grouping_loss_from_regions
from helpers.partition import HonestTree
from helpers.plotting import BLUE, GREEN, LINES, ORANGE, panels, plot_convergence
from helpers.plotting.style import axes_for


def binned_estimate(y, p, X, *, region=None, rng=None):
    """Grouping loss of one class by `glest` (which sums over both; this is half of it); NaN where a bin is too small.

    With given regions it is the plug-in; otherwise glest grows its own trees and corrects.
    """
    from glest import GLEstimator

    X = X.apply(lambda x: x.cat.codes if x.dtype == "category" else x).astype(float).fillna(-1).to_numpy()
    seed = int(np.random.default_rng(rng).integers(2**31))
    options = {"random_state": seed} if region is None else {"partitioner": None}
    try:
        with warnings.catch_warnings(action="ignore"):
            estimator = GLEstimator(p, **options).fit(X, y, partition=region)
            return float(estimator.GL() if region is None else estimator.GL_uncorrected()) / 2
    except ValueError:
        return float("nan")


def coverage(region, crowd, n, rng=None):
    """Whether the interval of one sample of n holds what given regions capture in the crowd, for `experiments.repeat`.

    plain: whether value +- 1.96 standard errors would; agree: the lower end is above 0 where p < 0.025 and only there.
    """
    rng = np.random.default_rng(rng)
    rows = rng.integers(len(crowd.q), size=n)
    known = captured(region, crowd.q - crowd.c)
    estimate = grouping_loss_from_regions((rng.random(n) < crowd.q[rows]) - crowd.c[rows], region[rows])
    row = {"captured": known, "covered": estimate.low <= known <= estimate.high}
    row |= {"plain": abs(estimate.value - known) <= 1.96 * estimate.se, "low end too high": estimate.low > known}
    return [row | {"agree": (estimate.low > 0) == (estimate.p_value < 0.025)}]


def tree_distances(population, crowd, n, leaf, rng=None):
    """One honest tree (n rows choose, n value it) and its distances from the truth, for `experiments.repeat`."""
    rng = np.random.default_rng(rng)
    a = population.sample(n, rng)
    b = population.sample(n, rng)
    tree = HonestTree(min_samples_leaf=leaf, rng=rng).fit(a.X, a.y - a.c).estimate(b.X, b.y - b.c)
    value = grouping_loss_from_regions(b.y - b.c, tree.apply(b.X)).value
    guess = tree.predict(crowd.X)
    truth = crowd.grouping_loss
    stone = np.mean(guess**2)
    far = np.mean((guess - crowd.q + crowd.c) ** 2)
    row = {"J": tree.n_regions_, "J / n": tree.n_regions_ / n, "J / sqrt n": tree.n_regions_ / n**0.5, "L2": far}
    row |= {"lemma 1": abs(stone - truth), "lemma 2": abs(stone - value), "error": abs(value - truth)}
    return [row | {"stone": stone, "value": value}]


def plot_race(table, truth):
    """Mean estimates with bars (columns value, se) beside root mean squared errors (rmse)."""
    fig, (left, right) = panels(2, figsize=(11, 4.6))
    plot_convergence(table, truth, left).set_title("mean estimate, \u00b1 2 standard errors")
    plot_convergence(table, None, right, y="rmse", se=None, ylabel="root mean squared error", ymin=0)
    for ax in (left, right):
        ax.get_legend().remove()
    fig.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return fig


def plot_draws(draws, truth):
    """Histograms of repeated estimates, {estimator: (n_draws,)}; their means and the truth as vertical lines."""
    ax = axes_for()
    everything = np.concatenate([np.asarray(values) for values in draws.values()])
    edges = np.linspace(everything.min(), everything.max(), 41)
    for (name, values), color, line in zip(draws.items(), (ORANGE, BLUE, GREEN), LINES, strict=False):
        ax.hist(values, edges, histtype="stepfilled", color=color, alpha=0.25)
        ax.hist(values, edges, histtype="step", color=color, linestyle=line, linewidth=1.6, label=name)
        ax.axvline(np.mean(values), ymax=0.94, color=color, linestyle=line, linewidth=1.6)
    ax.axvline(truth, color="black", linestyle=":", linewidth=1.6, label="truth")
    ax.set(xlabel="estimated grouping loss", ylabel="draws")
    ax.legend()
    return ax


def exact_luck(region, q, c, n):
    """Means, over samples of n rows, of plug-in and equation 6 for given regions of a population of known q and c."""
    missed = np.subtract(q, c)
    size, total, square = group_sums(region, missed, q * (1 - q) + missed**2)
    share = size / size.sum()
    mean = total / size
    variance = square / size - mean**2
    nu = (1 - share) ** n  # of regions without a row, as in appendix A.2
    pairs = share * (1 - (1 - share) ** (n - 1))  # in equation 6 a region with a single row counts as nothing
    sums = {"bound": share @ mean**2, "plug-in bias": (1 - nu) @ variance / n}
    return pd.Series(sums | {"without nu": variance.sum() / n, "aim": pairs @ mean**2})
