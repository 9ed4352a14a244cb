"""The value that a search judges: the standardised gap of each segment, z_S = G_S / sigma_S.

In the letters of site/derivations/search_null.md: labels y, recalibrated scores c, weights w, v = c (1 - c), and in the
columns of Z the directions in which the fit of the calibrator moves the log-odds. The fit takes a part of every gap:

    G_S       = sum_(i in S) w_i (y_i - c_i) - a_S' H^-1 Z' w (y - c),    a_S = sum_(i in S) w_i v_i z_i
    sigma_S^2 = sum_i w_i^2 v_i (1[i in S] - a_S' H^-1 z_i)^2,            H   = sum_i w_i v_i z_i z_i'

Around it: `recalibration` (c and Z), `skewness` (of rare events), `dependence` (of rows in groups), `null` (drawn
tables), `joint` (one test for all), `intervals`, `power` (what could be found).
"""

from dataclasses import dataclass

import numpy as np

from helpers.audit.dependence import variance_with_groups
from helpers.audit.recalibration import refitted
from helpers.audit.skewness import symmetric

LEAST_VARIANCE = 1e-12  # of a gap: scores of 0 and 1 leave none
LEAST_PART = 1e-3  # of its variance: a segment of which the fit leaves less is not judged


@dataclass(frozen=True)
class FittedSums:
    """Sums over the segments after the fit of a calibrator, (segments,), and what they are made of."""

    residual: np.ndarray  # G_S
    variance: np.ndarray  # sigma_S^2; infinite where the segment is not judged
    third: np.ndarray  # third moment of G_S
    cubes: np.ndarray  # sum of w^3 in S, reduced by the fit as the third moment is
    a: np.ndarray  # (segments, q)
    inverse: np.ndarray  # (q, q) H^-1
    growth: np.ndarray  # (segments, q) slope of log sigma_S^2 along each direction
    Z: np.ndarray  # (n, q)
    w: np.ndarray  # (n,)

    @property
    def usable(self):
        """Whether the fit leaves enough of a segment to judge it."""
        return np.isfinite(self.variance)


def fitted_sums(y, c, Z, w, family):
    """`FittedSums` of scores c whose fit can move them along Z: G_S and sigma_S^2 as the module has them."""
    v = c * (1 - c)
    bend = 1 - 2 * c
    wvZ = Z * (w * v)[:, None]
    wwvZ = wvZ * w[:, None]
    G, variance, third, cubes, a, b, bent = segment_sums(
        family, w * (y - c), w**2 * v, w**3 * v * bend, w**3, wvZ, wwvZ, wwvZ * bend[:, None]
    )
    inverse = np.linalg.pinv(Z.T @ wvZ, hermitian=True)
    step = a @ inverse
    after = variance - 2 * (step * b).sum(axis=1) + ((step @ (Z.T @ wwvZ)) * step).sum(axis=1)
    part = after / np.maximum(variance, 1e-300)
    return FittedSums(
        residual=G - a @ (inverse @ (Z * w[:, None]).T @ (y - c)),
        variance=np.where(part > LEAST_PART, np.maximum(after, LEAST_VARIANCE), np.inf),
        third=third * part * (2 * part - 1),
        cubes=cubes * part * (2 * part - 1),
        a=a,
        inverse=inverse,
        growth=bent / np.maximum(variance, 1e-300)[:, None],
        Z=Z,
        w=w,
    )


def segment_sums(family, *columns):
    """Sums of columns, (n,) or (n, q), over the rows of each segment, all in one pass."""
    sums = family.sums(np.column_stack(columns))
    ends = np.cumsum([1 if column.ndim == 1 else column.shape[1] for column in columns])
    parts = np.split(sums, ends[:-1], axis=1)
    return [part[:, 0] if column.ndim == 1 else part for part, column in zip(parts, columns, strict=True)]


class SegmentGaps:
    """Rates and standardised gaps of all segments of a family, arrays (segments,); weights have mean 1."""

    def __init__(self, y, p, c, Z, weight, groups, family):
        self.y = y
        self.c = c
        self.Z = Z
        self.weight = weight
        self.groups = groups
        self.family = family
        n, self.total, *rates = segment_sums(family, np.ones_like(p), weight, weight * p, weight * c, weight * y)
        self.n = n.astype(int)
        self.share = self.total / weight.sum()
        self.stated, self.calibrated, self.observed = (rate / self.total for rate in rates)
        self.gap = self.observed - self.calibrated
        self.sums = fitted_sums(y, c, Z, weight, family)
        self.variance = self.sums.variance if groups is None else variance_with_groups(y, c, self.sums, groups, family)
        self.z = self.standardised(self.sums.residual)

    @property
    def independent(self):
        """Whether no rows depend on each other."""
        return self.groups is None

    def standardised(self, residual, growth=1.0):
        """z_S of sums G_S, (segments, ...), corrected for skewness; `growth` is a factor of the variance."""
        shape = (-1,) + (1,) * (residual.ndim - 1)
        z = residual / np.sqrt(self.variance.reshape(shape).astype(residual.dtype) * growth)
        return symmetric(z, (self.sums.third / self.variance**1.5).reshape(shape)) if self.independent else z

    def z_after(self, segments):
        """z_S that are left once the scores are right on average in some segments, too."""
        Z = np.column_stack([self.Z, self.family.members(segments, self.family.X)])
        sums = fitted_sums(self.y, refitted(self.y, self.c, Z, self.weight), Z, self.weight, self.family)
        usable = sums.usable & self.sums.usable
        variance = np.where(usable, sums.variance, np.inf)
        inflation = np.where(usable, self.variance, 1.0) / np.where(usable, self.sums.variance, 1.0)
        z = sums.residual / np.sqrt(variance * inflation)
        return symmetric(z, sums.third / variance**1.5) if self.independent else z
