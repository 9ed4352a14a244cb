"""The binned lower bound of the grouping loss, put together from the parts of one problem or of one a class."""

from dataclasses import dataclass, field

import numpy as np
from scipy.stats import norm

from helpers.binning import bins_between, cross_cells, edges_for
from helpers.checks import (
    check_classes,
    check_effective,
    check_groups,
    check_labels,
    check_numbers,
    check_one_of,
    check_probabilities,
    check_regions,
    check_rng,
    check_same_length,
    check_simplex,
    check_weights,
)
from helpers.grouping.binned_statistics import STATISTICS, BinnedRows, bound_parts
from helpers.partition import BinnedTree, split_rows
from helpers.partition.checked import check_table
from helpers.partition.levels import most_pooled, said_of_pooled
from helpers.resampling import exact_interval
from helpers.scoring import BRIER, top_label

SUMS = (
    "plugin", "explained", "bias", "induced", "captured", "calibration_binned", "calibration_induced", "influence",
    "curve_variance", "n_regions", "n_single", "n_empty",
)  # fmt: skip

ARRAYS = ("count", "rate", "stated", "bin_count", "bin_rate", "bin_stated")


@dataclass(frozen=True)
class BinnedGroupingLoss:
    """Lower bound of the grouping loss from bins of the score and regions inside them; 0 is best.

    Parameters
    ----------
    value : float
        Estimate: explained - captured (`correction` "regions") or explained - induced ("bins"), in the unit of the rule
        (squared error of one class, or nats); may be slightly negative when there is nothing to find.
    se, low, high : float
        Standard error and 95 % interval of what these bins and regions capture; claim "at least `low`".
    explained : float
        Debiased variance of the region rates around the rate of their bin.
    plugin, bias : float
        The naive estimate and its upward bias; explained = plugin - bias.
    induced : float
        Grouping loss that the bins themselves create.
    captured : float
        The part of `explained` that comes from `induced`.
    calibration_loss, calibration_binned, calibration_induced : float
        Calibration loss of the score itself, the sum of that of the bins (debiased) and what the bins hide.
    n : int
        Rows evaluated.
    n_regions, n_single, n_empty : int
        Regions with two independent rows, with fewer, and regions of the partition without any row.
    left_out : float
        Share of the rows that were not evaluated, because their region has no second independent row.
    rule, correction : str
        What was asked for.
    edges : ndarray, shape (B + 1,)
        Of the bins.
    region_bin, count, rate, stated : ndarray, shape (J,)
        Bin, rows, observed rate and mean stated score of each region with a row.
    bin_count, bin_rate, bin_stated : ndarray, shape (B,)
        Of each bin, NaN where it is empty.
    partition : BinnedTree or None
        The fitted regions.
    parts : tuple of BinnedGroupingLoss
        One result a class in the classwise view, which sums them.

    Examples
    --------
    >>> y = [0, 0, 0, 1, 1, 1, 1, 0]
    >>> result = binned_grouping_loss_from_regions(y, np.full(8, 0.5), [0, 0, 0, 0, 1, 1, 1, 1], n_bins=1, rng=0)
    >>> result.rate, round(result.explained + result.bias, 4)
    (array([0.25, 0.75]), 0.0625)
    """

    value: float
    se: float
    low: float
    high: float
    explained: float
    plugin: float
    bias: float
    induced: float
    captured: float
    calibration_loss: float
    calibration_binned: float
    calibration_induced: float
    n: int
    n_regions: int
    n_single: int
    n_empty: int
    left_out: float
    rule: str
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
    parts: tuple = field(default=(), repr=False)

    @property
    def rate_low(self):
        """(J,) lower end of the 95 % Clopper-Pearson interval of each region's rate."""
        return self._rate_interval[0]

    @property
    def rate_high(self):
        """(J,) upper end of the same interval."""
        return self._rate_interval[1]

    @property
    def _rate_interval(self):
        return exact_interval(np.rint(self.count * self.rate), self.count)

    @property
    def taken_off(self):
        """Name of what the correction takes off `explained`."""
        return "captured" if self.correction == "regions" else "induced"

    def __str__(self):
        unit = "" if self.rule == BRIER.name else f" ({self.rule})"
        return (
            f"grouping loss{unit} at least {self.value:z.4f} [{self.low:z.4f}, {self.high:z.4f}] = explained "
            f"{self.explained:z.4f} - {self.taken_off} {getattr(self, self.taken_off):z.4f}, "
            f"n = {self.n:,} in {self.n_regions:,} regions{said_of_pooled(self.pooled)}"
        )

    @property
    def pooled(self):
        """Columns of which rare levels were one, a tuple of `helpers.partition.levels.Pooled`."""
        encoder = getattr(self.partition, "encoder_", None)
        return most_pooled([*(part.pooled for part in self.parts), encoder.pooled_ if encoder else ()])


def binned_result(parts, rule, correction, problems, evaluate, groups):
    """One problem's parts with their interval, or the sum over the classes with one result a class in `parts`."""
    numbers = dict(parts[0])
    if len(parts) > 1:
        numbers |= _summed(parts) | _summed_variances(parts, problems, evaluate)
        numbers["parts"] = tuple(binned_result([part], rule, correction, [], evaluate, groups) for part in parts)
    influence = numbers.pop("influence")
    curve, null, noise = (numbers.pop(f"{name}_variance") for name in ("curve", "null", "noise"))
    if groups is not None:
        influence = np.bincount(groups[evaluate], influence)
    growing = max(float(influence @ influence) - noise, 0.0)
    se = float(np.sqrt(growing + null + curve))
    value = numbers["explained"] - numbers["captured" if correction == "regions" else "induced"]
    low, high = _interval(value, se**2, growing, STATISTICS[rule].growth / numbers["n"])
    return BinnedGroupingLoss(
        value=value,
        se=se,
        low=float(low),
        high=float(high),
        calibration_loss=numbers["calibration_binned"] + numbers["calibration_induced"],
        rule=rule.name,
        correction=correction,
        **numbers,
    )


def _summed(parts):
    """Numbers of all classes together: sums, and their bins and regions one class after the other."""
    numbers = {name: sum(part[name] for part in parts) for name in SUMS}
    numbers |= {name: np.concatenate([part[name] for part in parts]) for name in ARRAYS}
    shifts = np.cumsum([0] + [part["bin_count"].size for part in parts[:-1]])
    bins = [part["region_bin"] + shift for part, shift in zip(parts, shifts, strict=True)]
    numbers["region_bin"] = np.concatenate(bins)
    numbers["left_out"] = float(np.mean([part["left_out"] for part in parts]))
    numbers["partition"] = None
    return numbers


def _interval(value, variance, growing, most):
    """95 % interval of a loss; `growing` is the part of its variance that grows with it, at most `most` times."""
    # The upper end is where the estimate is 1.96 of *its* standard errors away; the lower end uses the standard error
    # of the estimate, which is the safer of the two there.
    z = norm.ppf(0.975)
    slope = min(growing / value, most) if value > 0 else 0.0
    return value - z * np.sqrt(variance), value + z**2 * slope / 2 + z * np.sqrt(variance + (z * slope / 2) ** 2)


def _summed_variances(parts, problems, evaluate):
    """Null and noise variance of a sum over classes, at most."""
    # Squares of correlated residuals are correlated by the square of their correlation at most: that is where their
    # regions agree.
    residuals = np.array([(labels - scores)[evaluate] for labels, scores in problems])
    sd = np.sqrt((residuals**2).mean(axis=1))
    apart = np.outer(sd, sd)
    overlap = np.divide(residuals @ residuals.T / evaluate.size, apart, where=apart > 0, out=np.eye(len(parts)))
    names = ("null_variance", "noise_variance")
    sizes = {name: np.sqrt([max(part[name], 0.0) for part in parts]) for name in names}
    return {name: float(size @ overlap**2 @ size) for name, size in sizes.items()}


CORRECTIONS = ("regions", "bins")

VIEWS = ("top-label", "classwise")


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
    rule=BRIER,
    view=None,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """Lower bound of the grouping loss with bins: regions are chosen inside them on one half, evaluated on the other.

    explained = sum_s (n_s / n) [sum_j (n_j / n_s) (mu_j - c_s)^2 - bias_s], for bins s with rate c_s and their regions
    j with rate mu_j; `bias_s` removes the noise of the rates. Bins create grouping loss of their own, `induced`: the
    variance inside them of a smooth calibration curve, measured as the covariance of two curves from different rows, so
    that their noise does not count.

    - `correction="regions"` (default): value = explained - captured. From each region's rate is taken what the scores
      in it lead one to expect. The rest is zero for a perfect model, whatever the regions.
    - `correction="bins"`: value = explained - induced, as printed. All of the induced loss is taken off, also what
      the regions did not pick up: a perfect model gets -induced where regions do not follow the score.

    For the log score, rates enter through entropies. No estimator of an entropy from n labels is unbiased at every
    rate; the one used here (`debiased_entropy` in `helpers.grouping.binned_statistics`) is where regions do not differ.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels 0/1, or classes 0 .. K-1.
    p : array_like, shape (n,) or (n, K)
        Stated probabilities of class 1, or of each class.
    X : DataFrame or array_like, shape (n, d)
        Features, see `helpers.partition.encoder`.
    n_bins : int, default 15
        Bins of the score.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or with about equally many rows.
    estimator : {"tree", "stump", "kmeans"} or estimator, default "tree"
        What chooses the regions of a bin, see `BinnedTree`.
    region_ratio : int, default 12
        Rows of a bin for each region, on average.
    correction : {"regions", "bins"}, default "regions"
        What is taken off, see above.
    rule : ScoringRule, default BRIER
        `BRIER` (squared error of one class) or `LOG` (nats; without weights and groups).
    view : {"top-label", "classwise"}, optional
        For (n, K) scores "top-label" (default: is the predicted class right?) or "classwise" (sum over the classes).
    sample_weight : array_like, shape (n,), optional
        Sampling weights.
    groups : array_like, shape (n,), optional
        Labels of people, hospitals, …: never split, and no products within a group.
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
    regions, the noise-free induced term and the debiased log score are ours. Their unit is twice this one for a binary
    problem.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, p = rng.normal(size=(4000, 2)), rng.random(4000)
    >>> y = rng.random(4000) < p + np.sign(X[:, 0]) * np.minimum(p, 1 - p) / 2
    >>> print(binned_grouping_loss(y, p, X, rng=0))  # truth: 1/4 * E min(p, 1 - p)^2 = 0.0208
    grouping loss at least 0.0196 [0.0139, 0.0258] = explained 0.0195 - captured -0.0001, n = 1,995 in 147 regions
    """
    options = {"estimator": estimator, "n_bins": n_bins, "strategy": strategy, "region_ratio": region_ratio}
    BinnedTree(**options, rule=rule).check_parameters()
    check_one_of(correction, "correction", CORRECTIONS)
    problems = _problems(y, p, view)
    X = check_table(X)
    weight = _positive_weights(sample_weight)
    codes = check_groups(groups)
    check_same_length(y=problems[0][0], X=X, sample_weight=weight, groups=codes)
    check_effective(weight, codes)
    _check_rule(rule, weight, codes)
    rng = check_rng(rng)
    fit, evaluate = _halves(*problems[0], codes, rng)
    curve = STATISTICS[rule].curve
    parts = []
    for labels, scores in problems:
        tree = BinnedTree(**options, rule=rule, rng=rng)
        tree.fit(X.iloc[fit], labels[fit], scores[fit], None if codes is None else codes[fit])
        first, second = (curve(labels[half], scores[half], scores[evaluate]) for half in (fit, evaluate))
        rows = BinnedRows(
            y=labels[evaluate],
            p=scores[evaluate],
            bin=bins_between(scores[evaluate], tree.edges_),
            region=tree.apply(X.iloc[evaluate], scores[evaluate]),
            first=first,
            second=second,
            in_first=np.zeros(evaluate.size, dtype=bool),
            weight=None if weight is None else weight[evaluate],
            groups=None if codes is None else codes[evaluate],
            own_share=0.5,
        )
        parts.append(
            bound_parts(rows, rule, correction, tree.edges_.size - 1, tree.n_regions_)
            | {"edges": tree.edges_, "partition": tree}
        )
    return binned_result(parts, rule, correction, problems, evaluate, codes)


def binned_grouping_loss_from_regions(
    y,
    p,
    region,
    *,
    n_bins=15,
    strategy="uniform",
    correction="regions",
    rule=BRIER,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """The same lower bound for regions that are known: wards, kinds of pictures, or another program's partition.

    Every row is evaluated, so the regions must have been chosen without these labels. Each bin is crossed with each
    region.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels 0/1.
    p : array_like, shape (n,)
        Stated probabilities of class 1.
    region : array_like of int, shape (n,)
        Regions from 0.
    n_bins, strategy, correction, rule, sample_weight, groups : optional
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
    Perez-Lebel et al. (2023), proposition 4.3 and figure 13.

    Examples
    --------
    >>> y = [0, 0, 0, 1, 1, 1, 1, 0]
    >>> result = binned_grouping_loss_from_regions(y, np.full(8, 0.5), [0, 0, 0, 0, 1, 1, 1, 1], rng=0)
    >>> round(result.plugin, 4), round(result.bias, 4)
    (0.0625, 0.0268)
    """
    BinnedTree(n_bins=n_bins, strategy=strategy, rule=rule).check_parameters()
    check_one_of(correction, "correction", CORRECTIONS)
    y = check_labels(y)
    p = check_probabilities(p)
    region = check_regions(region)
    weight = _positive_weights(sample_weight)
    codes = check_groups(groups)
    check_same_length(y=y, p=p, region=region, sample_weight=weight, groups=codes)
    check_effective(weight, codes)
    _check_rule(rule, weight, codes)
    if y.size < 4:
        raise ValueError(f"y must have at least 4 rows, but it has {y.size}.")
    edges = edges_for(p, n_bins, strategy)
    bins = bins_between(p, edges)
    cell, cell_bin, _ = cross_cells(bins, region)
    halves = _halves(y, p, codes, check_rng(rng))
    first, second = (STATISTICS[rule].curve(y[half], p[half], p) for half in halves)
    rows = BinnedRows(
        y=y,
        p=p,
        bin=bins,
        region=cell,
        first=first,
        second=second,
        in_first=np.isin(np.arange(y.size), halves[0]),
        weight=weight,
        groups=codes,
        own_share=1.0,
    )
    part = bound_parts(rows, rule, correction, edges.size - 1, cell_bin.size) | {"edges": edges}
    return binned_result([part], rule, correction, [(y, p)], np.arange(y.size), codes)


def _problems(y, p, view):
    """The binary problems (labels, scores) behind a score: one, or one for each class."""
    p = check_numbers(p, "p")
    if p.ndim != 2:
        if view is not None:
            raise ValueError(f"view must be None for scores of one class, but it is {view!r}.")
        y = check_labels(y)
        p = check_probabilities(p)
        check_same_length(y=y, p=p)
        return [(y, p)]
    check_one_of("top-label" if view is None else view, "view", VIEWS)
    proba = check_simplex(p, "p")
    classes = check_classes(y, proba.shape[1])
    check_same_length(y=classes, p=proba)
    if view == "classwise":
        return [((classes == k).astype(float), proba[:, k]) for k in range(proba.shape[1])]
    return [top_label(classes, proba)]


def _positive_weights(sample_weight):
    """`check_weights`, and none is 0."""
    weight = check_weights(sample_weight)
    if weight is not None and not weight.all():
        first = int(np.argmin(weight))
        raise ValueError(f"sample_weight must be positive (leave out the other rows), but sample_weight[{first}] is 0.")
    return weight


def _check_rule(rule, weight, groups):
    """ValueError for weights or groups that the statistics of a rule do not know."""
    for name, given in (("sample_weight", weight), ("groups", groups)):
        if given is not None and not STATISTICS[rule].any_rows:
            raise ValueError(f"{name} must be None for the log score, whose correction counts independent rows.")


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
