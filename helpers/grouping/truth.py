"""What bins and regions do to the losses of a score when the truth is known: exact sums over a finite population.

The estimators of `helpers.grouping` see labels only. These functions see the true probability of every row, so they say
what an estimator should find: no noise, no split, no correction.
"""

from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd

from helpers._result import Result
from helpers.binning import bins_between, cross_cells, group_sums, uniform_edges
from helpers.checks import (
    check_count,
    check_numbers,
    check_one_of,
    check_probabilities,
    check_regions,
    check_same_length,
    check_simplex,
    check_vector,
    check_weights,
)
from helpers.scoring import BRIER, LOG


@dataclass(frozen=True)
class ExactDecomposition(Result):
    """Losses of a score, of its binned version, and of regions, all in the unit of the rule; smaller is better.

    Parameters
    ----------
    calibration_loss, grouping_loss : float
        E d(p, c) and E d(c, q) of the score itself. Every loss is >= 0.
    calibration_binned, grouping_binned : float
        The same if every score is replaced by the mean of its bin.
    induced : float
        What binning adds to the grouping loss, E V_h[c | bin].
    explained, residual : float
        Split of `grouping_binned` by the regions inside the bins.
    expected : float
        Part of `explained` that the scores in the regions lead one to expect; explained - expected =
        E d(E[c | bin, region], E[q | bin, region]).
    explained_unbinned, residual_unbinned : float
        Split of `grouping_loss` by the regions among rows with one score; NaN when `c` was handed in, because a
        continuous score has no two such rows.
    rule : ScoringRule
        `BRIER` or `LOG`.
    share, left_edge, right_edge, stated, rate : ndarray, shape (B,)
        Per bin with rows: share of the population, edges, mean score, mean truth.
    stated_variance, rate_variance, covariance : ndarray, shape (B,)
        Per bin: variance of p, variance of c, their covariance.
    classes : tuple of ExactDecomposition
        One for each class of a K-class score, of which everything above is the sum (the bins: one class after the
        other); empty for a binary score.

    Examples
    --------
    See `exact_decomposition`.
    """

    calibration_loss: float
    grouping_loss: float
    calibration_binned: float
    grouping_binned: float
    induced: float
    explained: float
    residual: float
    expected: float
    explained_unbinned: float
    residual_unbinned: float
    rule: object
    share: np.ndarray = field(repr=False)
    left_edge: np.ndarray = field(repr=False)
    right_edge: np.ndarray = field(repr=False)
    stated: np.ndarray = field(repr=False)
    rate: np.ndarray = field(repr=False)
    stated_variance: np.ndarray = field(repr=False)
    rate_variance: np.ndarray = field(repr=False)
    covariance: np.ndarray = field(repr=False)
    classes: tuple = field(default=(), repr=False)

    @property
    def lower_bound(self):
        """Explained minus induced, at most `grouping_loss`; negative when the regions explain less than bins induce."""
        return self.explained - self.induced

    @property
    def lower_bound_regions(self):
        """Explained minus expected, at most `grouping_loss` and never negative (ours): a perfect score gets 0."""
        return self.explained - self.expected

    @property
    def calibration_induced(self):
        """What bins hide of the calibration loss, never negative (NaN if both are infinite); with `BRIER` it is
        E V[p - c | bin].
        """
        return self.calibration_loss - self.calibration_binned

    @property
    def net_induced(self):
        """What binning adds to calibration and grouping loss together: `induced` - `calibration_induced`."""
        return self.induced - self.calibration_induced

    def __str__(self):
        return (
            f"grouping loss {self.grouping_loss:.4f} = explained {self.explained:.4f} - induced {self.induced:.4f}"
            f" + residual {self.residual:.4f}, {self.share.size} {'bin' if self.share.size == 1 else 'bins'}"
        )


def exact_decomposition(q, p, region=None, *, n_bins=15, c=None, rule=BRIER, sample_weight=None):
    """Exact losses of a score with and without bins, and what a partition explains of them, when the truth is known.

    Theorem 4.1:      GL     = E V_h[E[q|p, region] | p] + E V_h[q | p, region]      explained + residual, unbinned
    Proposition 4.1:  GL_bin = GL + E V_h[c | bin]                                   + induced
    Proposition 4.2:  GL     = explained - induced + residual >= explained - induced

    Parameters
    ----------
    q : array_like, shape (n,) or (n, K)
        True probabilities of class 1, or rows that sum to 1: class by class, summed.
    p : array_like, of the same shape
        Stated probabilities.
    region : array_like of int, shape (n,) or (n, K), optional
        Regions from 0; for a table also one partition for each class. None: one region.
    n_bins : int, default 15
        Bins of equal width.
    c : array_like, shape (n,), optional
        E[q | p] of a continuous score. None: the mean of q over the rows with the same p, which is exact when the rows
        are the population, and calls every miss calibration loss when no two rows share a score.
    rule : ScoringRule, default BRIER
        `BRIER` or `LOG`.
    sample_weight : array_like, shape (n,), optional
        Shares of the rows, in any unit.

    Returns
    -------
    ExactDecomposition
        With `c` handed in, rows are a sample of scores and the identities hold up to its noise.

    References
    ----------
    Perez-Lebel et al. (2023), theorem 4.1, definition 4.2, propositions 4.1, 4.2 and C.2, theorem C.2. Plain:
    `theorem_4_1`, `equation_9`, `definition_4_2`, `proposition_4_1`, `proposition_4_2`, `equation_13`,
    `proposition_c_2`, `theorem_c_1` and `theorem_c_2` of `helpers.papers.perezlebel2023`.

    Examples
    --------
    >>> known = exact_decomposition(q=[0.5, 0.7, 0.8, 1.0], p=[0.6, 0.6, 0.9, 0.9], region=[0, 1, 0, 1], n_bins=2)
    >>> print(known)
    grouping loss 0.0100 = explained 0.0100 - induced 0.0225 + residual 0.0225, 1 bin
    """
    check_one_of(rule, "rule", (BRIER, LOG))
    q, p, region, c, weight = _checked(q, p, region, c, sample_weight)
    options = (weight, check_count(n_bins, "n_bins"), rule)
    if p.ndim == 1:
        return _one_class(q, p, region, c, *options, rule.entropy, rule.divergence)
    classes = tuple(
        _one_class(*columns, None, *options, rule.class_entropy, rule.class_bregman)
        for columns in zip(q.T, p.T, region.T, strict=True)
    )
    names = [f.name for f in fields(ExactDecomposition) if f.name not in ("rule", "classes")]
    merged = {name: [getattr(known, name) for known in classes] for name in names}
    merged = {k: float(sum(v)) if isinstance(v[0], float) else np.concatenate(v) for k, v in merged.items()}
    return ExactDecomposition(**merged, rule=rule, classes=classes)


def _checked(q, p, region, c, weight):
    """Clean columns without the rows of weight 0, regions in the shape of `p`, weights that sum to 1."""
    table = check_numbers(p, "p").ndim == 2
    check = check_simplex if table else check_probabilities
    p = check(p, "p")
    q = check(q, "q")
    weight = check_weights(weight)
    if table and c is not None:
        raise ValueError("c must be None for a table of K classes: it is computed class by class.")
    c = c if c is None else check_probabilities(c, "c")
    if p.shape[1:] != q.shape[1:]:
        raise ValueError(f"q must have the shape of p, {p.shape}, but its shape is {q.shape}.")
    if region is None:
        region = np.zeros(p.shape, int)
    elif table and getattr(region, "ndim", 1) == 2:
        if region.shape[1] != p.shape[1]:
            raise ValueError(f"region must have {p.shape[1]} columns, one a class, but its shape is {region.shape}.")
        region = np.column_stack([check_regions(column) for column in np.asarray(region).T])
    else:
        region = check_regions(region)
    check_same_length(p=p, q=q, region=region, c=c, sample_weight=weight)
    region = np.broadcast_to(region.reshape(len(p), -1), p.shape) if table else region
    weight = np.ones(len(p)) if weight is None else weight
    kept = weight > 0
    return q[kept], p[kept], region[kept], c if c is None else c[kept], weight[kept] / weight.sum()


def _one_class(q, p, region, c, weight, n_bins, rule, entropy, divergence):
    """`ExactDecomposition` of one probability, with the rule's `entropy` and `divergence` for it."""
    edges = uniform_edges(n_bins)
    used, bin_of = np.unique(bins_between(p, edges), return_inverse=True)
    level = np.unique(p, return_inverse=True)[1]
    known = c is None
    within, means = _spread(entropy, q, weight, level)
    c = means[level] if known else c
    grouping = within if known else float(weight @ divergence(q, c))
    residual_unbinned, cell_means = _split(entropy, q, weight, level, region)
    explained_unbinned = _spread(entropy, cell_means, weight, level)[0]
    residual, cell_means = _split(entropy, q, weight, bin_of, region)
    explained = _spread(entropy, cell_means, weight, bin_of)[0]
    expected_means = _split(entropy, c, weight, bin_of, region)[1]
    share, stated, rate = group_sums(bin_of, weight, weight * p, weight * c)[1:]
    stated = np.minimum(stated / share, 1)
    rate = np.minimum(rate / share, 1)
    off_p = p - stated[bin_of]
    off_c = c - rate[bin_of]
    products = group_sums(bin_of, weight * off_p**2, weight * off_c**2, weight * off_p * off_c)[1:]
    return ExactDecomposition(
        calibration_loss=float(weight @ divergence(c, p)),
        grouping_loss=grouping,
        calibration_binned=float(share @ divergence(rate, stated)),
        grouping_binned=_spread(entropy, q, weight, bin_of)[0],
        induced=_spread(entropy, c, weight, bin_of)[0],
        explained=explained,
        residual=residual,
        expected=explained - float(weight @ divergence(cell_means, expected_means)),
        explained_unbinned=explained_unbinned if known else float("nan"),
        residual_unbinned=residual_unbinned if known else float("nan"),
        rule=rule,
        share=share,
        left_edge=edges[used],
        right_edge=edges[used + 1],
        stated=stated,
        rate=rate,
        **dict(zip(("stated_variance", "rate_variance", "covariance"), products / share, strict=True)),
    )


def _spread(entropy, values, weight, cell):
    """E V_h[values | cell], and the mean of each cell: entropy of the mean minus mean entropy, the Jensen gap."""
    mass, total, mean_entropy = group_sums(cell, weight, weight * values, weight * entropy(values))[1:]
    means = np.minimum(total / mass, 1)  # rounding may go above 1
    return float(np.maximum(mass * entropy(means) - mean_entropy, 0).sum()), means


def _split(entropy, q, weight, level, region):
    """E V_h[q | level and region], and for each row the mean of q in its cell."""
    cell = cross_cells(level, region)[0]
    residual, means = _spread(entropy, q, weight, cell)
    return residual, means[cell]


NUMBERS = (
    "calibration_loss", "calibration_binned", "calibration_induced", "grouping_loss", "grouping_binned", "induced",
    "explained", "residual", "expected", "explained_unbinned", "residual_unbinned", "lower_bound",
    "lower_bound_regions", "net_induced",
)  # fmt: skip


def sweep_bins(q, scores, region=None, *, n_bins, **options):
    """Every number of `exact_decomposition` for several scores and numbers of bins.

    Parameters
    ----------
    q : array_like, shape (n,) or (n, K)
        True probabilities.
    scores : dict of str to array_like
        Stated probabilities of each score, of the shape of `q`.
    region : array_like of int, optional
        As in `exact_decomposition`.
    n_bins : list of int
        Numbers of bins.
    **options : optional
        As in `exact_decomposition`.

    Returns
    -------
    DataFrame
        One line for each (score, bins), one column for each number.

    Examples
    --------
    >>> sweep_bins([0.2, 0.4], {"perfect": [0.2, 0.4]}, n_bins=[1, 4])["induced"].round(4).to_dict()
    {('perfect', 1): 0.01, ('perfect', 4): 0.0}
    """
    lines = {}
    for name, p in scores.items():
        for n in n_bins:
            known = exact_decomposition(q, p, region, n_bins=n, **options)
            lines[name, n] = {number: getattr(known, number) for number in NUMBERS}
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis(["score", "bins"])


def induced_bounds(known):
    """Bounds of what binning adds to calibration and grouping loss together, and what they leave of E (p - q)**2.

    `known.net_induced` = E [2 Cov(p, c | bin) - V(p | bin)]. With s and t the standard deviations of p and c in a bin,
    v = sqrt(rate (1 - rate)) >= t, and w the width of the bin (s <= w / 2), its share of each bin lies in

    - theorem C.1: s (-2 t - s) .. s (2 t - s)        needs the calibration curve inside the bins
    - corollary C.1: s (-2 v - s) .. s (2 v - s)      needs scores and bin rates
    - width only: -w v - w**2 / 4 .. w v              as printed for w = 1 / N
    - width only, sharp: .. w v - w**2 / 4 (v**2 where v < w / 2): ours, attained by scores at both ends of a bin

    Parameters
    ----------
    known : ExactDecomposition
        Of the Brier score, in the unit of one class; sums over the classes of a K-class score.

    Returns
    -------
    DataFrame
        A line for each bound: `low` and `high` of `net_induced`, and `floor` of the mean squared error
        E (p - q)**2 = calibration_binned + explained - high (corollary C.2).

    References
    ----------
    Perez-Lebel et al. (2023), theorem C.1, corollaries C.1 and C.2, lemma C.3. Plain: `theorem_c_1`, `corollary_c_1`,
    `corollary_c_1_width` and `corollary_c_2` of `helpers.papers.perezlebel2023`.

    Examples
    --------
    >>> known = exact_decomposition(q=[0.0, 1.0], p=[0.0, 1.0], n_bins=1)
    >>> induced_bounds(known).round(2)[["low", "high"]].to_numpy().tolist()
    [[-0.75, 0.25], [-0.75, 0.25], [-0.75, 0.5], [-0.75, 0.25]]
    """
    if not isinstance(known, ExactDecomposition) or known.rule is not BRIER:
        raise ValueError(f"known must be the exact_decomposition of the Brier score, but it is {str(known)[:80]!r}.")
    s = np.sqrt(known.stated_variance)
    t = np.sqrt(known.rate_variance)
    v = np.sqrt(known.rate * (1 - known.rate))
    w = known.right_edge - known.left_edge
    ends = {
        "theorem C.1": (-s * (2 * t + s), s * (2 * t - s)),
        "corollary C.1": (-s * (2 * v + s), s * (2 * v - s)),
        "width only": (-w * v - w**2 / 4, w * v),
        "width only, sharp": (-w * v - w**2 / 4, np.where(v >= w / 2, w * v - w**2 / 4, v**2)),
    }
    lines = {name: {"low": known.share @ low, "high": known.share @ high} for name, (low, high) in ends.items()}
    bounds = pd.DataFrame.from_dict(lines, orient="index").rename_axis("bound")
    return bounds.assign(floor=known.calibration_binned + known.explained - bounds["high"])


def captured_loss(region, residual):
    """Grouping loss that regions capture when the truth is known: sum_j p_j r_j**2.

    Parameters
    ----------
    region : array_like of int, shape (n,)
        Region of each row.
    residual : array_like, shape (n,)
        True probability less calibrated score, q - c.

    Returns
    -------
    float
        In squared error.

    References
    ----------
    Melo et al. (2026), proposition 2. Plain: `helpers.papers.melo2026.proposition_2`.

    Examples
    --------
    >>> captured_loss([0, 0, 1, 1], [0.1, -0.1, 0.2, 0.2])
    0.02...
    """
    region = check_regions(region)
    residual = check_vector(residual, "residual", finite=True)
    check_same_length(region=region, residual=residual)
    count, total = group_sums(region, residual)
    return float(np.sum(total**2 / np.maximum(count, 1)) / len(residual))
