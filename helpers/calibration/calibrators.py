"""Maps from stated scores to calibrated ones, and the errors of scores (from `helpers.calibration.reliability`).

Calibrators are regressors of scikit-learn with one column, as `IsotonicRegression`: `fit(p, y)`, `predict(p)`. Platt's
works on log-odds, where the identity is inside the family: a logistic regression on the raw probability cannot leave a
perfect model alone.
"""

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.isotonic import IsotonicRegression
from sklearn.utils.validation import check_is_fitted

from helpers.checks import check_labels, check_one_of, check_probabilities, check_same_length, check_weights

CLIP = 1e-6
LEAST_SPAN = 1e-9  # of log-odds that differ


def clipped_logit(p):
    """Log-odds of scores after clipping to [1e-6, 1 - 1e-6]."""
    return logit(np.clip(p, CLIP, 1 - CLIP))


def is_certain(p):
    """Whether a score states 0 or 1, within 1e-6: it has no log-odds."""
    return (p < CLIP) | (p > 1 - CLIP)


def on_the_line(p, y):
    """Rows that a line in log-odds is fitted to: those with log-odds, or all where these determine no line."""
    inner = ~is_certain(p)
    x = clipped_logit(p[inner])
    has_line = inner.any() and np.ptp(x) >= LEAST_SPAN and np.ptp(y[inner]) > 0
    return inner if has_line else np.ones_like(inner)


def ends_beside(line, p):
    """Rows of stated 0 and rows of stated 1 that are not on the line."""
    return ~line & (p < 0.5), ~line & (p > 0.5)


def platt_directions(p, y):
    """Directions in which the fit of `PlattCalibrator` can move the log-odds of the rows, (n, 2 to 4)."""
    line = on_the_line(p, y)
    columns = [line, np.where(line, clipped_logit(p), 0.0)]
    columns += [end for end in ends_beside(line, p) if end.any()]
    return np.column_stack(columns).astype(float)


class _Calibrator(RegressorMixin, BaseEstimator):
    """Base of all calibrators: columns are checked here; `_learn` and `_map` get checked ones."""

    _both = True  # whether labels of both classes are needed

    def fit(self, p, y, sample_weight=None):
        """Learn the map from (n,) scores and labels 0/1, with sampling weights if they are given. Returns self."""
        p = check_probabilities(p)
        y = check_labels(y, both=self._both)
        weight = check_weights(sample_weight)
        check_same_length(p=p, y=y, sample_weight=weight)
        return self._learn(p, y, weight)

    def predict(self, p):
        """Calibrated probabilities of class 1, (n,), for scores in [0, 1]."""
        check_is_fitted(self)
        return self._map(check_probabilities(p))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


class PlattCalibrator(_Calibrator):
    """Platt scaling on log-odds: c(p) = expit(intercept + slope * logit(p)), maximum likelihood without a penalty.

    Scores of 0 and of 1 have no log-odds: wherever they were cut, a few of them would turn the line. Each of the two
    has a level of its own: the rate of labels 1 among its rows and one row more, to which the nearest end of the line
    gives its chance. Where no other scores determine a line, they are cut to 1e-6 and 1 - 1e-6.

    Attributes
    ----------
    slope_ : float
        1 (with intercept 0) leaves the scores alone, below 1 means that the scores were too extreme.
    intercept_ : float
        In log-odds.
    certain_scores_ : ndarray, shape (2,)
        Calibrated scores of stated 0 and 1; NaN where they are on the line.
    n_clipped_ : int
        Rows of the fit outside [1e-6, 1 - 1e-6].
    separated_ : bool
        True where one score threshold separates the classes, so that no maximum likelihood exists; Platt's smoothed
        labels (N1 + 1) / (N1 + 2) and 1 / (N0 + 2) are then used.

    References
    ----------
    Platt (1999), here on the logit. Plain: `helpers.papers.melo2026.section_3_3_platt`.

    Examples
    --------
    >>> p = np.repeat([0.2, 0.8], 10)
    >>> y = np.r_[np.ones(2), np.zeros(8), np.ones(8), np.zeros(2)]
    >>> PlattCalibrator().fit(p, y).predict([0.2, 0.5]).round(6)
    array([0.2, 0.5])
    """

    def _learn(self, p, y, weight):
        self.n_clipped_ = int(is_certain(p).sum())
        if weight is not None:
            p, y, weight = (column[weight > 0] for column in (p, y, weight))
        x = clipped_logit(p)
        if np.ptp(x) < LEAST_SPAN:
            raise ValueError(
                f"p must take at least two different values within [{CLIP:g}, 1 - {CLIP:g}], "
                f'but all {p.size:,} are {p[0]:g}; a constant score has no curve to fit: use calibrator="none".'
            )
        if np.ptp(y) == 0:
            raise ValueError("sample_weight must leave rows of both classes, but one class has weight 0 everywhere.")
        weight = np.ones_like(x) if weight is None else weight / weight.mean()
        line = on_the_line(p, y)
        ends = ends_beside(line, p)
        sums = [(weight[end].sum(), weight[end] @ y[end]) for end in ends]
        x, y, weight = x[line], y[line], weight[line]
        ones, zeros = x[y == 1], x[y == 0]
        self.separated_ = bool(ones.min() >= zeros.max() or ones.max() <= zeros.min())
        if self.separated_:
            y = np.where(y == 1, (ones.size + 1) / (ones.size + 2), 1 / (zeros.size + 2))
        self.intercept_, self.slope_ = _newton(x, y, weight)
        self.certain_scores_ = certain_scores(sums, expit(self.intercept_ + self.slope_ * np.array([x.min(), x.max()])))
        return self

    def rises(self, p):
        """Whether calibrated scores rise with the scores `p`, taken together."""
        return bool(np.cov(p, self._map(p))[0, 1] > 0)

    def _map(self, p):
        c = expit(self.intercept_ + self.slope_ * clipped_logit(p))
        for end, level in zip((p < CLIP, p > 1 - CLIP), self.certain_scores_, strict=True):
            if end.any() and not np.isnan(level):
                c[end] = level
        return c


def certain_scores(sums, chances):
    """Levels of stated 0 and 1 from (rows, labels 1) of each and the line's chances at its ends; NaN without rows."""
    return np.array(
        [(hits + chance) / (n + 1) if n else np.nan for (n, hits), chance in zip(sums, chances, strict=True)]
    )


def _newton(x, y, weight):
    """Intercept and slope of a weighted logistic regression of `y` on `x`."""
    center = np.average(x, weights=weight)
    scale = x.std()
    z = (x - center) / scale
    beta = newton(lambda beta: logistic_terms(beta, z, y, weight), level_start(np.average(y, weights=weight)))
    return ten_digits(beta[0] - beta[1] * center / scale), ten_digits(beta[1] / scale)


def logistic_terms(beta, z, y, weight):
    """Weighted logistic loss of labels `y` at `beta` = (intercept, slope), its slopes (2,) and its curvature (2, 2)."""
    eta = beta[0] + beta[1] * z
    decay = np.exp(-np.abs(eta))  # once, for both the probabilities and the loss
    c = np.where(eta < 0, decay, 1.0) / (1 + decay)
    residual = weight * (c - y)
    curvature = weight * c * (1 - c)
    mixed = curvature @ z
    loss = np.dot(weight, np.maximum(eta, 0) + np.log1p(decay) - y * eta)
    slope = np.array([residual.sum(), residual @ z])
    return loss, slope, np.array([[curvature.sum(), mixed], [mixed, curvature @ (z * z)]])


def level_start(rate):
    """Intercept and slope from which `newton` starts: every score means the mean label `rate`."""
    return np.array([logit(np.clip(rate, 1e-9, 1 - 1e-9)), 0.0])


def newton(terms, start, *, tol=1e-10):
    """Parameters of least loss, which is convex: Newton's method, with steps that are halved while the loss rises."""
    # `terms` gives sums over rows (loss, slopes, curvature), so that the same steps are taken where rows come in chunks
    theta = start
    loss, slope, curvature = terms(theta)
    for _ in range(200):
        step = np.linalg.solve(curvature, -slope)
        # the end: a step would lower the loss by less than this share of 1 + loss
        if -slope @ step < tol * (1 + abs(loss)):
            break
        proposed = terms(theta + step)
        while proposed[0] > loss and np.abs(step).max() > 1e-6:  # below, the loss has no more digits
            step = step / 2
            proposed = terms(theta + step)
        theta = theta + step
        loss, slope, curvature = proposed
    return theta


def ten_digits(value):
    """The next digits depend on the matrix library, and a tree grown on the residuals may break ties by them."""
    return float(f"{value:.10g}")


class IsotonicCalibrator(_Calibrator):
    """The non-decreasing step function closest to the labels; scores outside the fitted range get the end values.

    Attributes
    ----------
    isotonic_ : IsotonicRegression
        The fitted step function of scikit-learn.

    Examples
    --------
    >>> IsotonicCalibrator().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]).predict([0.25, 0.9])
    array([0.5, 1. ])
    """

    def _learn(self, p, y, weight):
        self.isotonic_ = IsotonicRegression(out_of_bounds="clip").fit(p, y, weight)
        return self

    def _map(self, p):
        return self.isotonic_.predict(p)


class NoCalibrator(_Calibrator):
    """Leaves scores as they are; what `make_calibrator("none")` gives."""

    _both = False

    def _learn(self, p, y, weight):
        return self

    def _map(self, p):
        return p

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


CALIBRATORS = {"platt": PlattCalibrator, "isotonic": IsotonicCalibrator, "none": NoCalibrator}


def make_calibrator(name):
    """Unfitted calibrator of a name, as options called `calibrator` have it; "none" leaves scores as they are."""
    check_one_of(name, "calibrator", tuple(CALIBRATORS))
    return CALIBRATORS[name]()


def calibrate_rows(name, p, y, weight, at):
    """Scores `at`, calibrated by columns p, y and weight (or None): for rows that were checked."""
    return CALIBRATORS[name]()._learn(p, y, weight)._map(at)
