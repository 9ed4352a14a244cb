"""Calibration with two parameters: one test, and intervals that agree with it."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit
from scipy.stats import f as fisher
from scipy.stats import t as student

from helpers._result import Result
from helpers.calibration.calibrators import PlattCalibrator, clipped_logit, ends_beside, on_the_line
from helpers.calibration.reliability import checked_scores, design_effect
from helpers.resampling import exact_interval

DIRECTIONS = 64  # in which the edge of a region of parameters is looked at
MOST_SCORES = 2000  # quantiles that stand for the scores when their distance is averaged


@dataclass(frozen=True)
class CalibrationLine(Result):
    """Log-odds of the observed rate as a line in the stated log-odds, intercept + slope * z; calibrated: 0 and 1.

    Parameters
    ----------
    intercept, slope : float
        Estimates.
    covariance : array, shape (2, 2)
        Of intercept and slope; rows of one group count as dependent.
    freedom : float
        Independent rows or groups less one, for Student's and Fisher's distributions.
    p_value : float
        Of the joint test of intercept 0 and slope 1 (Wald).
    z : array
        Stated log-odds, or quantiles of them.
    ends : array, shape (0 to 2, 3)
        Of scores of 0 and of 1, which are not on the line: share of the weight, rate of the other label, effective
        number of rows.
    calibrator : PlattCalibrator
        The line as a map of scores.

    Examples
    --------
    See `calibration_line`.
    """

    intercept: float
    slope: float
    covariance: np.ndarray = field(repr=False)
    freedom: float
    p_value: float
    z: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    calibrator: PlattCalibrator = field(repr=False)

    @property
    def intercept_interval(self):
        """Ends of the 95 % interval of the intercept."""
        return self._ends(self.intercept, self.covariance[0, 0])

    @property
    def slope_interval(self):
        """Ends of the 95 % interval of the slope."""
        return self._ends(self.slope, self.covariance[1, 1])

    def _ends(self, value, variance):
        half_width = student.ppf(0.975, self.freedom) * np.sqrt(variance)
        return float(value - half_width), float(value + half_width)

    @property
    def distance(self):
        """Mean distance of the scores from their place on the line, or of 0 and 1 from their rates, in probability."""
        on_line = float(self._distances(np.array([[self.intercept, self.slope]]))[0])
        return self._share * on_line + float(self.ends[:, 0] @ self.ends[:, 1])

    def distance_interval(self, level=0.95):
        """Smallest and largest distance of the lines that the joint test at alpha = 1 - level does not reject.

        Where scores of 0 and 1 have rates of their own, the ends of their exact intervals are added.
        """
        radius = np.sqrt(2 * fisher.ppf(level, 2, self.freedom))
        angle = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        value, axis = np.linalg.eigh(self.covariance)  # singular where groups are alike
        edge = [self.intercept, self.slope] + radius * circle @ (axis * np.sqrt(value.clip(min=0))).T
        distances = self._distances(edge)
        low, high = (0.0 if self.p_value >= 1 - level else float(distances.min())), float(distances.max())
        if not len(self.ends):
            return low, high
        share, rate, rows = self.ends.T
        lowest, highest = exact_interval(rate * rows, rows, level)
        return float(self._share * low + share @ lowest), float(self._share * high + share @ highest)

    @property
    def _share(self):
        """Of the weight of scores on the line."""
        return 1 - float(self.ends[:, 0].sum())

    def _distances(self, lines):
        moved = expit(lines[:, :1] + lines[:, 1:] * self.z)
        return np.abs(moved - expit(self.z)).mean(axis=1)

    def __str__(self):
        intercept = "{:.2f}, {:.2f}".format(*self.intercept_interval)
        slope = "{:.2f}, {:.2f}".format(*self.slope_interval)
        p_value = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        return f"intercept {self.intercept:z.2f} [{intercept}], slope {self.slope:.2f} [{slope}]; {p_value}"


def calibration_line(y, p, *, sample_weight=None, groups=None):
    """Fit log-odds(observed) = intercept + slope * log-odds(stated), and test whether the scores lie on it already.

    The test has two degrees of freedom, so that it sees scores that are too high, too low, too extreme or too timid
    with fewer rows than a test of many bins; it is blind to what no line can describe. Where all scores of a 1 lie
    above those of a 0, no line fits best, and the test asks how likely the labels are by the scores (likelihood ratio).

    Parameters
    ----------
    y : array_like of 0/1, shape (n,)
        Labels of both classes.
    p : array_like, shape (n,)
        Stated probabilities of class 1, which must differ. Scores of 0 and 1 have no log-odds: line and test are those
        of the others, if these determine a line; else 0 and 1 are taken as 1e-6 and 1 - 1e-6.
    sample_weight, groups : array_like, shape (n,), optional
        Sampling weights; labels of people, hospitals, …; rows of one group count as dependent.

    Returns
    -------
    CalibrationLine
        With variances that hold for weights and groups (sandwich).

    References
    ----------
    Cox (1958), Two further applications of a model for binary regression.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> q = rng.uniform(0.1, 0.9, 2000)
    >>> line = calibration_line(rng.random(2000) < q, expit(2 * clipped_logit(q)))
    >>> line.slope_interval[0] < 0.5 < line.slope_interval[1], line.p_value < 0.001
    (True, True)
    """
    return line_of_rows(*checked_scores(y, p, sample_weight, groups, both=True))


def line_of_rows(y, p, weight, groups):
    """`calibration_line` of columns that were checked."""
    platt = PlattCalibrator().fit(p, y, weight)
    weight = np.ones(y.size) if weight is None else weight / weight.mean()
    line = on_the_line(p, y)
    ends = [_end(end, y, p, weight, groups) for end in ends_beside(line, p) if end.any()]
    y, p, weight = y[line], p[line], weight[line]
    groups = None if groups is None else groups[line]
    z = clipped_logit(p)
    c = platt.predict(p)
    x = np.column_stack([np.ones(y.size), z])
    curvature = (x * (weight * c * (1 - c))[:, None]).T @ x
    independent = weight.sum() ** 2 / (weight**2).sum()
    if groups is None:
        # the variance that the line itself states: with few events it is better known than the squares of residuals
        meat = (x * (weight**2 * c * (1 - c))[:, None]).T @ x
    else:
        score = x * (weight * (y - c))[:, None]
        sums = np.column_stack([np.bincount(groups, column) for column in score.T])
        independent = np.bincount(groups, weight).sum() ** 2 / (np.bincount(groups, weight) ** 2).sum()
        meat = sums.T @ sums * independent / max(independent - 1, 1)
    inverse = np.linalg.pinv(curvature, hermitian=True)
    covariance = inverse @ meat @ inverse
    off = np.array([platt.intercept_, platt.slope_ - 1])
    freedom = max(independent - 1, 1.0)
    if p[y == 0].max(initial=0) < p[y == 1].min(initial=1):  # no line fits best: how likely is what was seen?
        statistic = -2 * independent * np.average(np.log(np.abs(1 - y - p)), weights=weight)
    else:
        statistic = off @ np.linalg.pinv(covariance, hermitian=True) @ off
    shown = z if z.size <= MOST_SCORES else np.quantile(z, (np.arange(MOST_SCORES) + 0.5) / MOST_SCORES)
    p_value = float(fisher.sf(statistic / 2, 2, freedom))
    ends = np.reshape(ends, (-1, 3))
    return CalibrationLine(platt.intercept_, platt.slope_, covariance, freedom, p_value, shown, ends, platt)


def _end(rows, y, p, weight, groups):
    """Share of the weight, rate of the other label and effective number of rows that state 0, or that state 1."""
    off = np.abs(y - p.round())[rows]
    share = weight[rows].sum() / weight.sum()
    weight = weight[rows]
    rate = np.average(off, weights=weight)
    effective = weight.sum() ** 2 / (weight @ weight)
    if groups is not None:
        effective /= design_effect(groups[rows], weight * (off - rate))
    return share, rate, effective
