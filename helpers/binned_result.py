"""The result of the binned lower bound, put together from the parts of one problem or of one a class."""

from dataclasses import dataclass, field

import numpy as np
from scipy.stats import beta, norm

from helpers.binned_partition import BinnedTree
from helpers.scoring import BRIER

SUMS = ("plugin", "explained", "bias", "induced", "captured", "calibration_binned", "calibration_induced")
ARRAYS = ("count", "rate", "stated", "bin_count", "bin_rate", "bin_stated")


@dataclass(frozen=True)
class BinnedGroupingLoss:
    """Lower bound of the grouping loss from bins of the score and regions inside them; 0 is best.

    value : explained - captured (`correction` "regions") or explained - induced ("bins"), in the unit of the rule
        (squared error of one class, or nats); may be slightly negative when there is nothing to find
    se, low, high : standard error and 95 % interval of what these bins and regions capture; claim "at least `low`"
    explained : debiased variance of the region rates around the rate of their bin
    plugin, bias : the naive estimate and its upward bias; explained = plugin - bias
    induced : grouping loss that the bins themselves create; captured : the part of `explained` that comes from it
    calibration_loss : of the score itself = calibration_binned (debiased) + calibration_induced (what bins hide)
    n : rows evaluated; left_out : share of the rows that were not, because their region has no second independent row
    n_single, n_empty : such regions with a row, and regions of the partition without any; n_regions : the others
    edges : (B + 1,) of the bins
    region_bin, count, rate, stated : (J,) bin, rows, observed rate and mean stated score of each region with a row
    bin_count, bin_rate, bin_stated : (B,) of each bin, NaN where it is empty
    partition : the fitted `BinnedTree`, or None; parts : one result a class in the classwise view, which sums them
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
        return self._rate_bound(0.025, 0.0)

    @property
    def rate_high(self):
        """(J,) upper end of the same interval."""
        return self._rate_bound(0.975, 1.0)

    def _rate_bound(self, level, shift):
        hits = np.rint(self.count * self.rate)
        lower = beta.ppf(level, hits + shift, self.count - hits + 1 - shift)
        return np.where(np.isnan(lower), 0.0 if shift == 0 else 1.0, lower)

    @property
    def taken_off(self):
        """Name of what the correction takes off `explained`."""
        return "captured" if self.correction == "regions" else "induced"

    @property
    def n_bins_used(self):
        """Bins with an evaluated row."""
        return int((self.bin_count > 0).sum())

    def __str__(self):
        unit = "" if self.rule == BRIER.name else f" ({self.rule})"
        return (
            f"grouping loss{unit} at least {self.value:z.4f} [{self.low:z.4f}, {self.high:z.4f}] = explained "
            f"{self.explained:z.4f} - {self.taken_off} {getattr(self, self.taken_off):z.4f}, "
            f"n = {self.n:,} in {self.n_regions:,} regions"
        )


def binned_result(parts, rule, correction, problems, evaluate, groups):
    """One problem's parts with their interval, or the sum over the classes with one result a class in `parts`."""
    whole = dict(parts[0])
    if len(parts) > 1:
        shifts = np.cumsum([0] + [part["bin_count"].size for part in parts])
        whole |= {name: sum(part[name] for part in parts) for name in (*SUMS, "influence", "curve_variance")}
        whole |= {name: sum(part[name] for part in parts) for name in ("n_regions", "n_single", "n_empty")}
        whole |= {name: np.concatenate([part[name] for part in parts]) for name in ARRAYS}
        bins = [part["region_bin"] + shift for part, shift in zip(parts, shifts, strict=False)]
        whole |= {"region_bin": np.concatenate(bins), **_summed_variances(parts, problems, evaluate)}
        whole |= {"left_out": float(np.mean([part["left_out"] for part in parts])), "partition": None}
        whole |= {"parts": tuple(binned_result([part], rule, correction, [], evaluate, groups) for part in parts)}
    influence = whole.pop("influence")
    extra, null, noise = (whole.pop(f"{name}_variance") for name in ("curve", "null", "noise"))
    if groups is not None:
        influence = np.bincount(groups[evaluate], influence)
    growing = max(float(influence @ influence) - noise, 0.0)
    se = np.sqrt(growing + null + extra)
    value = whole["explained"] - whole["captured" if correction == "regions" else "induced"]
    low, high = _interval(value, se**2, growing, (1 if rule is BRIER else 2) / whole["n"])
    loss = whole["calibration_binned"] + whole["calibration_induced"]
    ends = {"value": value, "se": float(se), "low": float(low), "high": float(high), "calibration_loss": loss}
    return BinnedGroupingLoss(**ends, **whole, rule=rule.name, correction=correction)


def _interval(value, variance, growing, most):
    """95 % interval of a loss whose variance grows with it; `growing` is that part, in proportion to the loss, at most
    `most` times the loss. The upper end is where the estimate is 1.96 of *its* standard errors away; the lower end uses
    the standard error of the estimate, which is the safer of the two there.
    """
    z, slope = norm.ppf(0.975), min(growing / value, most) if value > 0 else 0.0
    return value - z * np.sqrt(variance), value + z**2 * slope / 2 + z * np.sqrt(variance + (z * slope / 2) ** 2)


def _summed_variances(parts, problems, evaluate):
    """Null and noise variance of a sum over classes: squares of correlated residuals are correlated by the square of
    their correlation, at most (that is when their regions agree).
    """
    residuals = np.array([(labels - scores)[evaluate] for labels, scores in problems])
    spread = np.sqrt((residuals**2).mean(axis=1))
    apart = np.outer(spread, spread)
    overlap = np.divide(residuals @ residuals.T / evaluate.size, apart, where=apart > 0, out=np.eye(len(parts)))
    names = ("null_variance", "noise_variance")
    sizes = {name: np.sqrt([max(part[name], 0.0) for part in parts]) for name in names}
    return {name: float(size @ overlap**2 @ size) for name, size in sizes.items()}
