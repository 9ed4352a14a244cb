"""The binned lower bound of the grouping loss: what regions inside bins of the score say about rows that did not choose
them.
"""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from helpers._result import Result
from helpers.binning import bins_between, cross_cells, edges_for
from helpers.calibration import running_curve
from helpers.checks import (
    check_count,
    check_effective,
    check_groups,
    check_labels,
    check_one_of,
    check_probabilities,
    check_regions,
    check_rng,
    check_same_length,
    check_weights,
    sampled_rows,
)
from helpers.grouping.binned_values import (
    BinnedRows,
    calibration_loss,
    expected_loss,
    explained_loss,
    induced_loss,
    means,
    plugin_loss,
)
from helpers.grouping.binned_variance import se_and_interval
from helpers.grouping.inversion import TAIL
from helpers.grouping.splits import repeat_splits, splits_note
from helpers.partition import BinnedTree, split_rows
from helpers.partition.checked import check_rows
from helpers.partition.levels import pooled_note
from helpers.resampling import exact_interval

CORRECTIONS = ("regions", "bins")


@dataclass(frozen=True)
class BinnedGroupingLoss(Result):
    """Lower bound of the grouping loss from bins of the score and regions inside them, in squared error; 0 is best.

    Parameters
    ----------
    value : float
        Estimate: explained - expected (`correction` "regions") or explained - induced ("bins"); may be slightly
        negative when there is nothing to find.
    se, low, high : float
        Standard error and 95 % interval of what these bins and regions capture; claim "at least `low`". NaN where
        every bin is one region: then nothing was measured, and the value says nothing of the loss.
    explained : float
        Debiased variance of the region rates around the rate of their bin.
    plugin, bias : float
        The naive estimate and its upward bias; explained = plugin - bias.
    induced : float
        Grouping loss that the bins themselves create.
    expected : float
        The part of `explained` that the scores in the regions lead one to expect.
    calibration_loss : float
        Of the score itself, debiased: that of the bins and what they hide.
    n : int
        Rows evaluated.
    n_regions, n_single : int
        Regions with two independent rows, and with fewer.
    left_out : float
        Share of the rows that were not evaluated, because their region has no second independent row.
    correction : str
        What was asked for.
    edges : ndarray, shape (B + 1,)
        Of the bins.
    region_bin, count, rate, stated : ndarray, shape (J,)
        Bin, rows, observed rate and mean stated score of each region with two independent rows.
    bin_count, bin_rate, bin_stated : ndarray, shape (B,)
        Of each bin, NaN where it is empty.
    partition : BinnedTree or None
        The fitted regions.
    splits : ndarray, shape (S,)
        Values of repeated splits (`n_splits`), of which the middle one is `value`; empty without repetition.

    Examples
    --------
    See `binned_grouping_loss_from_regions`.
    """

    value: float
    se: float
    low: float
    high: float
    explained: float
    plugin: float
    bias: float
    induced: float
    expected: float
    calibration_loss: float
    n: int
    n_regions: int
    n_single: int
    left_out: float
    correction: str
    edges: np.ndarray = field(repr=False)
    region_bin: np.ndarray = field(repr=False)
    count: np.ndarray = field(repr=False)
    rate: np.ndarray = field(repr=False)
    stated: np.ndarray = field(repr=False)
    bin_count: np.ndarray = field(repr=False)
    bin_rate: np.ndarray = field(repr=False)
    bin_stated: np.ndarray = field(repr=False)
    partition: BinnedTree | None = field(default=None, repr=False)
    splits: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def rate_low(self):
        """(J,) lower end of the 95 % Clopper-Pearson interval of each region's rate."""
        return exact_interval(np.rint(self.count * self.rate), self.count)[0]

    @property
    def rate_high(self):
        """(J,) upper end of the same interval."""
        return exact_interval(np.rint(self.count * self.rate), self.count)[1]

    @property
    def pooled(self):
        """Columns of which rare levels were one, a tuple of `helpers.partition.levels.Pooled`."""
        encoder = getattr(self.partition, "encoder_", None)
        return encoder.pooled_ if encoder else ()

    def __str__(self):
        if np.isnan(self.se):
            return (
                "lower bound of the grouping loss: nothing was measured, because every bin is one region "
                f"(n = {self.n:,} in {self.n_regions:,}); try fewer bins, more rows or other features"
            )
        subtracted = "expected" if self.correction == "regions" else "induced"
        return (
            f"lower bound of the grouping loss {self.value:z.4f} [{self.low:z.4f}, {self.high:z.4f}] = explained "
            f"{self.explained:z.4f} - {subtracted} {getattr(self, subtracted):z.4f}, "
            f"n = {self.n:,} in {self.n_regions:,} regions{splits_note(self.splits)}{pooled_note(self.pooled)}"
        )


def binned_grouping_loss(
    y,
    p,
    X,
    *,
    n_bins=15,
    strategy="uniform",
    estimator="tree",
    region_ratio=12,
    correction="regions",
    n_splits=1,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Lower bound of the grouping loss with bins: regions are chosen inside them on one half, evaluated on the other.

    explained = sum_s (n_s / n) [sum_j (n_j / n_s) (mu_j - c_s)^2 - bias_s], for bins s with rate c_s and their regions
    j with rate mu_j; `bias_s` removes the noise of the rates. Bins create grouping loss of their own, `induced`: the
    variance inside them of a smooth calibration curve, measured as the covariance of two curves from different rows, so
    that their noise does not count.

    - `correction="regions"` (default): value = explained - expected. From each region's rate is taken what the scores
      in it lead one to expect. The rest is zero for a perfect model, whatever the regions.
    - `correction="bins"`: value = explained - induced, as printed. All of the induced loss is subtracted, also what
      the regions did not pick up: a perfect model gets -induced where regions do not follow the score.

    Of several classes, ask whether the answer is right: `binned_grouping_loss(*helpers.scoring.top_label(y, P), X)`.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    X : DataFrame or array_like, shape (n, d)
        Features, see `helpers.partition.encoder`.
    n_bins : int, default 15
        Bins of the score.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or with about equally many rows.
    estimator : {"tree", "stump", "kmeans"}, default "tree"
        What chooses the regions of a bin, see `BinnedTree`.
    region_ratio : int, default 12
        Rows of a bin for each region, on average.
    correction : {"regions", "bins"}, default "regions"
        What is subtracted, see above.
    n_splits : int, default 1
        Random halves of the rows (`helpers.grouping.splits`): the value in the middle, with an interval that holds for
        all of them together. Takes as many times as long. Over 16 seeds on three tables (1,500 to 10,000 rows) the
        value of one split spread by 0.7 to 1.2 of its standard error, that of nine by 0.3 to 0.7.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, …: never split, and no products within a group.
    rng : int, Generator, optional
        Decides the halves and the trees.

    Returns
    -------
    BinnedGroupingLoss
        Smaller is better.

    Raises
    ------
    ValueError
        For inputs that break a rule, or if no region has two independent rows.

    References
    ----------
    Perez-Lebel et al. (2023), equation 13, propositions 4.3 and C.1, theorem C.2; the interval, the correction by
    regions and the noise-free induced term are ours. Their unit is twice this one for a binary problem. Plain:
    `proposition_4_3` and `proposition_c_1` of `helpers.papers.perezlebel2023`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, p = rng.normal(size=(4000, 2)), rng.random(4000)
    >>> y = rng.random(4000) < p + np.sign(X[:, 0]) * np.minimum(p, 1 - p) / 2
    >>> print(binned_grouping_loss(y, p, X, rng=0))  # truth: 1/4 * E min(p, 1 - p)^2 = 0.0208
    lower bound of the grouping loss 0.0196 [0.0139, 0.0258] = explained 0.0195 - expected -0.0001,
    n = 1,995 in 147 regions
    """
    options = {"estimator": estimator, "n_bins": n_bins, "strategy": strategy, "region_ratio": region_ratio}
    tree = BinnedTree(**options)
    tree.check_parameters()
    check_one_of(correction, "correction", CORRECTIONS)
    check_count(n_splits, "n_splits")
    rows = check_rows(y, p, X, sample_weight, groups, both=False)
    return repeat_splits(partial(_bound_of_split, rows, tree, correction), n_splits, rng)


def _bound_of_split(sample, tree, correction, rng, tail):
    """The lower bound by one random split; `tree` is unfitted."""
    y, p, codes = sample.y, sample.p, sample.groups
    fit, evaluate = _halves(y, p, codes, rng)
    tree = replace(tree, rng=rng)
    tree.fit(sample.X.iloc[fit], y[fit], p[fit], None if codes is None else codes[fit])
    first, second = (running_curve(y[half], p[half], p[evaluate]) for half in (fit, evaluate))
    rows = BinnedRows(
        y=y[evaluate],
        p=p[evaluate],
        bin=bins_between(p[evaluate], tree.edges_),
        region=tree.apply(sample.X.iloc[evaluate], p[evaluate]),
        first=first,
        second=second,
        in_first=np.zeros(evaluate.size, dtype=bool),
        weight=sample.weights[evaluate],
        groups=None if codes is None else codes[evaluate],
        own_share=0.5,
    )
    return _bound(rows, correction, tree.edges_, tree.n_regions_, tree, tail)


def binned_grouping_loss_from_regions(
    y,
    p,
    region,
    *,
    n_bins=15,
    strategy="uniform",
    correction="regions",
    sample_weight=None,
    groups=None,
    rng=None,
):
    """The same lower bound for regions that are known: wards, kinds of pictures, or another program's partition.

    Every row is evaluated, so the regions must have been chosen without these labels. Each bin is crossed with each
    region.

    Parameters
    ----------
    y, p : array_like, shape (n,)
        Labels 0/1; stated probabilities of class 1.
    region : array_like of int, shape (n,)
        Regions from 0.
    n_bins, strategy, correction, sample_weight, groups : optional
        As in `binned_grouping_loss`.
    rng : int, Generator, optional
        Decides which rows make which of the two calibration curves.

    Returns
    -------
    BinnedGroupingLoss
        Smaller is better.

    Raises
    ------
    ValueError
        For inputs that break a rule, or if no region of a bin has two independent rows.

    References
    ----------
    Perez-Lebel et al. (2023), proposition 4.3 and figure 13. Plain: `helpers.papers.perezlebel2023.proposition_4_3`.

    Examples
    --------
    >>> y = [0, 0, 0, 1, 1, 1, 1, 0]
    >>> result = binned_grouping_loss_from_regions(y, np.full(8, 0.5), [0, 0, 0, 0, 1, 1, 1, 1], rng=0)
    >>> round(result.plugin, 4), round(result.bias, 4)
    (0.0625, 0.0268)
    """
    BinnedTree(n_bins=n_bins, strategy=strategy).check_parameters()
    check_one_of(correction, "correction", CORRECTIONS)
    y = check_labels(y)
    p = check_probabilities(p)
    region = check_regions(region)
    weight = check_weights(sample_weight)
    codes = check_groups(groups)
    check_same_length(y=y, p=p, region=region, sample_weight=weight, groups=codes)
    check_effective(weight, codes)
    weight, codes, y, p, region = sampled_rows(weight, codes, y, p, region)
    halves = _halves(y, p, codes, check_rng(rng))
    first, second = (running_curve(y[half], p[half], p) for half in halves)
    edges = edges_for(p, n_bins, strategy)
    bins = bins_between(p, edges)
    cell, cell_bin, _ = cross_cells(bins, region)
    rows = BinnedRows(
        y=y,
        p=p,
        bin=bins,
        region=cell,
        first=first,
        second=second,
        in_first=np.isin(np.arange(y.size), halves[0]),
        weight=np.ones(y.size) if weight is None else weight,
        groups=codes,
        own_share=1.0,
    )
    return _bound(rows, correction, edges, cell_bin.size)


def _bound(every, correction, edges, n_regions, partition=None, tail=TAIL):
    """The bound with its parts, its interval, and what stands in each region and bin."""
    rows, independent = _rows_in_pairs(every, n_regions)
    plugin = plugin_loss(rows)
    explained = explained_loss(rows)
    induced = induced_loss(rows)
    expected = expected_loss(rows)
    value = explained - (expected if correction == "regions" else induced)
    se, low, high = se_and_interval(rows, value, correction, independent, tail)
    tables = _of_regions_and_bins(rows, n_regions, edges.size - 1)
    n_used = tables["count"].size
    if n_used == (tables["bin_count"] > 0).sum():  # of regions that are whole bins, nothing but noise would vary
        se = low = high = np.nan
    return BinnedGroupingLoss(
        value=value,
        se=se,
        low=float(low),
        high=float(high),
        explained=explained,
        plugin=plugin,
        bias=plugin - explained,
        induced=induced,
        expected=expected,
        calibration_loss=calibration_loss(rows),
        n=rows.y.size,
        n_regions=n_used,
        n_single=int((independent > 0).sum()) - n_used,
        left_out=1 - float(rows.weight.sum() / every.weight.sum()),
        correction=correction,
        edges=edges,
        partition=partition,
        **tables,
    )


def _rows_in_pairs(every, n_regions):
    """The rows of regions with two independent rows or more, and how many independent rows each region has."""
    unit = every.region if every.groups is None else cross_cells(every.region, every.groups)[1]
    independent = np.bincount(unit, minlength=n_regions)
    paired = independent[every.region] >= 2
    if not paired.any():
        name = "X or region" if every.groups is None else "groups"
        raise ValueError(f"{name} must leave two independent rows in at least one region, but no region has them.")
    return every.take(paired), independent


def _of_regions_and_bins(rows, n_regions, n_bins):
    """Rows, rate and mean score of each region that is used, with its bin, and of each bin."""
    bin_count, bin_rate, bin_stated = means(rows.bin, rows.weight, rows.y, rows.p, size=n_bins)
    count, rate, stated, of_bin = means(rows.region, rows.weight, rows.y, rows.p, rows.bin, size=n_regions)
    used = count > 0
    of_regions = {"count": count, "rate": rate, "stated": stated, "region_bin": np.rint(of_bin)}
    of_regions = {name: column[used] for name, column in of_regions.items()}
    of_regions["region_bin"] = of_regions["region_bin"].astype(int)
    return of_regions | {"bin_count": bin_count, "bin_rate": bin_rate, "bin_stated": bin_stated}


def _halves(y, p, groups, rng):
    """Row numbers of two random halves with the same scores; groups stay whole."""
    if y.size < 4:
        raise ValueError(f"y must have at least 4 rows, but it has {y.size}.")
    if groups is not None:
        return split_rows(y, groups, (0.5,), rng)
    # rows are paired in the order of p, and each pair is split
    order = np.lexsort((rng.random(y.size), p))
    pairs = (y.size + 1) // 2
    second = np.empty(y.size, dtype=bool)
    flip = rng.random(pairs) < 0.5
    second[order] = np.column_stack([flip, ~flip]).ravel()[: y.size]
    return np.flatnonzero(~second), np.flatnonzero(second)
