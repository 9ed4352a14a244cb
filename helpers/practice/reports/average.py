"""Whether scores are right on average: one verdict from four tests, from which every section of the report speaks."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.audit.rates import table_of_gaps
from helpers.binning import bins_between, edges_for
from helpers.calibration import IsotonicCalibrator, PlattCalibrator
from helpers.calibration.calibrators import clipped_logit
from helpers.calibration.line import CalibrationLine, line_of_rows
from helpers.calibration.monotone import MonotoneCurve, monotone_of_rows
from helpers.calibration.reliability import CalibrationError, curve_of_rows, error_of_curve
from helpers.grouping.crossfit import loss_of_regions

ALPHA = 0.05  # of the four tests together
SHARE = 0.4  # of the level: for the line
SHARE_OF_OTHERS = 0.2  # for the bins, for the band around the curve, and for the test that no line fits
LINE = SHARE * ALPHA
OTHERS = SHARE_OF_OTHERS * ALPHA
SMALL = 0.02  # gap or typical distance (in probability) that somebody would notice; less for rare labels
BINS = 15  # in which a curve that fits leaves nothing
LEAST_APART = 20  # rows whose score differs from the commonest one, so that any half of them has some
COMMON = 0.1  # rate of the rarer label below which what counts as small shrinks with it


@dataclass(frozen=True)
class Average:
    """Scores beside what happened, over cases with similar scores."""

    rates: pd.Series  # over all rows: stated, observed, gap, low, high
    error: CalibrationError  # binned calibration error, with the value of a perfect model
    line: CalibrationLine | None  # two-parameter calibration; None for a constant score
    # isotonic curve with a band for all scores at once, at the level that the verdict grants it (99 %)
    curve: MonotoneCurve = field(repr=False)
    bend_p_value: float  # of the test that a line fits; 1 where it was not tested
    residual_p_value: float  # of the test that the chosen curve fits
    residual_high: float  # upper end (97.5 %) of the mean squared distance that it leaves in bins of the score
    kind: str  # "platt", or "isotonic" where two parameters do not fit
    calibrator: PlattCalibrator | IsotonicCalibrator = field(repr=False)  # fitted on all rows

    @property
    def p_value(self):
        """Of "right on average", by four tests (the line; bins, the band, that a line fits): adjusted (Bonferroni)."""
        line = 1.0 if self.line is None else self.line.p_value
        others = min(self.error.p_value, self.curve.p_value, self.bend_p_value)
        return float(min(line / SHARE, others / SHARE_OF_OTHERS, 1.0))

    @property
    def is_miscalibrated(self):
        """Whether the scores are surely not right on average."""
        return self.p_value < ALPHA

    @property
    def no_curve_fits(self):
        """Whether no rising curve fits: somewhere, higher scores surely go with fewer events."""
        return self.residual_p_value < (ALPHA if self.kind == "isotonic" else OTHERS) or not self.curve.is_monotone

    @property
    def by_line(self):
        """Whether the line, and not the bins, tells how far the scores are off."""
        is_off = self.line is not None and self.line.p_value < LINE
        return is_off and (self.kind == "platt" or self.error.low == 0)

    @property
    def size(self):
        """Distance of stated from observed rates among cases with similar scores, in probability."""
        return self.line.distance if self.by_line else self.error.debiased

    @property
    def low(self):
        """Lower end of the interval of `size`; 0 where scores are off at a place or in a shape that it does not see."""
        return self.line.distance_interval(1 - LINE)[0] if self.by_line else self.error.low

    @property
    def high(self):
        """Upper end: what chance alone shows cannot be ruled out."""
        return self.line.distance_interval(1 - LINE)[1] if self.by_line else max(self.error.high, self.error.null)

    @property
    def se(self):
        return max((self.high - self.low) / 4, 1e-6)

    @property
    def is_off_by(self):
        """Whether the scores are surely not right on average, and `size` says by how much."""
        return self.is_miscalibrated and self.low > 0

    @property
    def scale(self):
        """Factor, at most 1, by which differences count as small where the rarer label is rarer than one in ten."""
        observed = float(self.rates["observed"])
        return max(min(min(observed, 1 - observed) / COMMON, 1.0), 1e-3)

    @property
    def is_worth_mending(self):
        """Whether recalibration would surely move the scores, and by as much as two points (less for rare labels)."""
        return self.is_off_by and self.size >= SMALL * self.scale

    @property
    def direction(self):
        """ "low" or "high" where scores that are off are so taken together, else ""."""
        if not self.is_miscalibrated:
            return ""
        return "low" if self.rates["low"] > 0 else "high" if self.rates["high"] < 0 else ""

    @property
    def has_log_odds(self):
        """Whether recalibration is Platt's, and scores of 0 and 1, which have no log-odds, are none or apart."""
        return self.kind == "platt" and (not self.calibrator.n_clipped_ or bool(self.levels))

    @property
    def levels(self):
        """[(0 or 1, its calibrated score)] where recalibration is Platt's and they are not on its line."""
        if self.kind != "platt":
            return []
        levels = enumerate(self.calibrator.certain_scores_.tolist())
        return [(stated, level) for stated, level in levels if not np.isnan(level)]

    @property
    def slope(self):
        """Slope of the line where scores that are off are surely too extreme or too timid; else None."""
        if not (self.has_log_odds and self.by_line):
            return None
        low, high = self.line.slope_interval
        return None if low <= 1 <= high else self.line.slope


def measure_average(table, *, try_isotonic=True, rng=None):
    """Test and fit the scores of a table; `try_isotonic`: whether an isotonic curve is tried."""
    y = table.y
    rates = table_of_gaps(y, table.p, np.zeros(table.n, int), table.weights, groups=table.groups).iloc[0]
    events = min(int(y.sum()), table.n - int(y.sum()))
    n_bins = int(np.clip(events // 5, 2, 15))
    error = error_of_curve(curve_of_rows(y, table.p, n_bins, "quantile", table.weight, table.groups), rng=rng)
    curve = monotone_of_rows(y, table.p, table.weight, table.groups, 1 - OTHERS)
    _, count = np.unique(clipped_logit(table.p).round(9), return_counts=True)
    if table.n - count.max() < LEAST_APART:  # as good as a constant score, which has no line
        return Average(rates, error, None, curve, 1.0, 1.0, 0.0, "isotonic", _isotonic(table))
    line = line_of_rows(y, table.p, table.weight, table.groups)
    platt = line.calibrator
    residual = residual_of_score(table, platt) if try_isotonic else (1.0, 0.0)
    bend = residual[0] if platt.rises(table.p) else 1.0
    if bend < OTHERS:
        isotonic = _isotonic(table)
        return Average(rates, error, line, curve, bend, *residual_of_score(table, isotonic), "isotonic", isotonic)
    return Average(rates, error, line, curve, bend, *residual, "platt", platt)


def residual_of_score(table, calibrator):
    """What a calibrator leaves in bins of the score: it is miscalibration, and would be read as grouping loss."""
    c = calibrator.predict(table.p)
    parts = [
        loss_of_regions(table.y - c, region, table.weight, table.groups)
        for region in (bins_between(table.p, edges_for(table.p, BINS, "quantile")), bins_of_variance(table.p, c, BINS))
    ]
    least = min(parts, key=lambda part: part.p_value)
    return min(2 * least.p_value, 1.0), least.high


def bins_of_variance(p, c, n_bins):
    """Bins of scores in which the sums of c (1 - c) are as equal as ties allow, (n,) numbers."""
    _, place = np.unique(p, return_inverse=True)
    variance = np.bincount(place, c * (1 - c))
    middle = np.cumsum(variance) - variance / 2
    return np.minimum(middle / max(variance.sum(), 1e-300) * n_bins, n_bins - 1).astype(int)[place]


def _isotonic(table):
    return IsotonicCalibrator().fit(table.p, table.y, table.weight)
