"""The grouping loss as it is reported: the mean of the parts that were evaluated, with its interval and its test."""

from dataclasses import dataclass, field

import numpy as np

from helpers._result import Result
from helpers.grouping.fitted_scores import NO_FIT
from helpers.grouping.inversion import TAIL, LossLaw
from helpers.grouping.splits import splits_note
from helpers.partition.levels import most_pooled, pooled_note


@dataclass(frozen=True)
class GroupingLoss(Result):
    """Debiased lower bound of the grouping loss, in squared error (0 is best), with what stands behind it.

    Parameters
    ----------
    value, se : float
        Estimate, which may be slightly negative when there is nothing to find, and its standard error.
    low, high : float
        95 % interval of what these regions capture: the mean over the trees of sum_j P(region j) E[q - c | region j]^2,
        c the calibrated score that all the population would give. Claim "at least `low`".
    p_value, null_se : float
        One-sided test of "no grouping loss", below 0.025 exactly where `low` is above 0; standard error of the value if
        that were so.
    plugin, bias : float
        The naive estimate and its upward bias; value = plugin - bias.
    calibration_loss : float
        Mean (p - c)**2 of the fitted calibrator; NaN without one. Where the calibrator does not fit, its sum with
        `value` is no lower bound of the epistemic loss E (p - q)**2: add `recalibration_gain` instead.
    n, n_regions : int
        Rows that were evaluated, and regions with at least two independent rows.
    left_out : float
        Share of the rows elsewhere.
    count, mean, variance : ndarray, shape (J,)
        Rows, mean residual and its variance in each region, in the order of the parts evaluated.
    part : ndarray of int, shape (J,)
        Which of `trees` chose the region.
    trees : tuple
        The trees that chose the regions.
    splits : ndarray, shape (S,)
        Values of repeated splits (`n_splits`), of which the middle one is `value`; empty without repetition.
    recalibration_gain : float
        Mean (p - y)**2 - (c - y)**2, what the calibrator takes from the Brier score; NaN without one. With `value` a
        lower bound of the epistemic loss whether the calibrator fits or not, because
        E (p - q)**2 = E[(p - y)**2 - (c - y)**2] + E (c - q)**2 for any c. Measured on rows that the calibrator has
        seen, so "isotonic", which bends more, gains a little too much.
    by_class : DataFrame or None
        Of scores with a column for each class: a row a class with the share of its labels (observed), its mean score
        (stated) and its part of the value. All values are then sums over the classes, and `mean` has shape (J, K).

    Examples
    --------
    >>> from helpers.grouping import grouping_loss_from_regions
    >>> print(grouping_loss_from_regions([0.5, 0.5, -0.5, -0.5], [0, 0, 1, 1]))
    grouping loss 0.2500 [-0.0965, 0.5965], n = 4 in 2 regions; p = 0.079
    """

    value: float
    se: float
    low: float
    high: float
    p_value: float
    null_se: float
    plugin: float
    bias: float
    calibration_loss: float
    n: int
    n_regions: int
    left_out: float
    count: np.ndarray = field(repr=False)
    mean: np.ndarray = field(repr=False)
    variance: np.ndarray = field(repr=False)
    part: np.ndarray = field(repr=False)
    trees: tuple = field(default=(), repr=False)
    splits: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    recalibration_gain: float = float("nan")
    by_class: object = field(default=None, repr=False)

    def __str__(self):
        p_value = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        return (
            f"grouping loss {self.value:.4f} [{self.low:.4f}, {self.high:.4f}], "
            f"n = {self.n:,} in {self.n_regions:,} regions; {p_value}{splits_note(self.splits)}"
            f"{pooled_note(self.pooled)}"
        )

    @property
    def pooled(self):
        """Columns of which rare levels were one, a tuple of `helpers.partition.levels.Pooled`."""
        return most_pooled(tree.encoder_.pooled_ for tree in self.trees)


def combine(parts, calibration_loss, trees=(), tail=TAIL, fit=NO_FIT, gain=float("nan")):
    """Mean of independent parts as a `GroupingLoss`; `tail` is left on each side of its interval."""
    k = len(parts)
    value = float(np.mean([part.value for part in parts]))
    plugin = float(np.mean([part.plugin for part in parts]))
    law = LossLaw.of(parts, fit)
    low, high = law.interval(value, tail)
    n = sum(part.n for part in parts)
    return GroupingLoss(
        value=value,
        se=float(np.sqrt(law.variance(max(value, 0.0)))),
        low=low,
        high=high,
        p_value=law.p_value(value),
        null_se=float(np.sqrt(law.null_variance)),
        plugin=plugin,
        bias=plugin - value,
        calibration_loss=calibration_loss,
        n=n,
        n_regions=sum(part.n_regions for part in parts),
        left_out=sum(part.left_out * part.n for part in parts) / n,
        count=np.concatenate([part.count for part in parts]),
        mean=np.concatenate([part.mean for part in parts]),
        variance=np.concatenate([part.mean_variance for part in parts]),
        part=np.repeat(np.arange(k), [part.count.size for part in parts]),
        trees=tuple(trees),
        recalibration_gain=gain,
    )
