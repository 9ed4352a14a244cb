"""Who is misjudged when there are several classes: one search over segments and classes, judged by one maximum."""

import numpy as np
import pandas as pd

from helpers.audit.null import NullModel, ResidualSums, bonus_of_singles, largest_gaps
from helpers.audit.search import ALPHA, canonical_order, checked_options
from helpers.audit.segments import SegmentFamily, fewest_rows
from helpers.audit.selection import MOST, TIE
from helpers.calibration.affine import calibrate_classes
from helpers.calibration.calibrators import clipped_logit
from helpers.checks import check_rng
from helpers.partition.class_rows import check_class_rows

COLUMNS = [
    "rule", "n", "share", "too_high", "too_low", "class", "stated", "observed", "gap", "low", "high", "other_gap", "z",
    "adjusted",
]  # fmt: skip


class _ClassNull(NullModel):
    """`NullModel` of one question about the class, whose draws share their labels with those of the others."""

    def __init__(self, k, rows, c, stated, family, seed):
        first, last = np.flatnonzero(rows.asked[k])[[0, -1]]  # classes that stand side by side
        self.y = rows.asked[k][rows.y]
        self.weight = rows.weights / rows.weights.mean()
        self.groups = rows.groups
        self.family = family
        self.c = c @ rows.asked[k]
        self._below = c[:, :first].sum(axis=1).astype(np.float32)[:, None]
        self._above = c[:, : last + 1].sum(axis=1).astype(np.float32)[:, None]
        self.tangent = _tangent(self.c, stated)
        self.seed = seed
        self._measure(rows.P @ rows.asked[k])
        self.sums = ResidualSums(self, self.c, self.tangent)
        self.variance = self.sums.variance
        if self.groups is not None:
            self._allow_for_groups()
        self.z = self.standardised(self.sums.residual)

    def _redrawn(self, block, rng):
        """Residuals in labels drawn from all scores: one number decides which class a row gets."""
        drawn = np.ascontiguousarray(rng.random((block, self.c.size), dtype=np.float32).T)
        return ((drawn >= self._below) & (drawn < self._above)) - self.c.astype(np.float32)[:, None]

    def draws(self, n_draws, rng):
        """As `NullModel.draws`, with the numbers that the other classes get, too."""
        return super().draws(n_draws, np.random.default_rng(self.seed))


class _AllClasses:
    """The segments of all classes (or steps) as one family of so many times as many."""

    def __init__(self, nulls):
        self._nulls = nulls

    def draws(self, n_draws, rng):
        """Standardised gaps of tables without misjudged segments, in blocks (Q * segments, draws)."""
        for blocks in zip(*(null.draws(n_draws, rng) for null in self._nulls), strict=True):
            yield np.concatenate(blocks)


def _tangent(c, calibrated):
    """Directions in which recalibrating one class moves its log-odds."""
    if not calibrated:
        return np.empty((c.size, 0))
    return np.column_stack([np.ones(c.size), clipped_logit(c)])


def audit_class_groups(
    y,
    P,
    X,
    *,
    ordered=False,
    calibrator="platt",
    max_features=2,
    min_rows=None,
    n_draws=300,
    sample_weight=None,
    groups=None,
    rng=None,
):
    """`audit_groups` of scores with a column for each class, as checked there."""
    rows = check_class_rows(y, P, X, sample_weight, groups, ordered)
    checked_options(calibrator, max_features, min_rows, n_draws, can=())
    min_rows = fewest_rows(rows.y.size) if min_rows is None else min_rows
    X = rows.X[sorted(rows.X.columns)]
    common = (rows.y == np.bincount(rows.y).argmax()).astype(float)
    family = SegmentFamily(X, common, min_rows, max_features)
    if not family.pairs.size:
        reasons = "; ".join(family.notes)
        raise ValueError(f"X must have a segment of min_rows = {min_rows:,} of {rows.y.size:,} rows, but {reasons}.")
    order = canonical_order(family, rows.groups, rows.y, rows.weights, *rows.P.T[::-1])
    family = family.take(order)
    rows = rows.take(order)
    c = rows.calibrated(calibrate_classes if calibrator == "platt" else None)
    seed = int(check_rng(rng).integers(2**31))
    # recalibrated scores may be as exact as those of one class against the rest are
    nulls = [_ClassNull(k, rows, c, calibrator != "none", family, seed) for k in range(len(rows.asked))]
    bonus = bonus_of_singles(family.pairs)
    strength = np.concatenate([np.abs(null.z) + bonus for null in nulls])
    largest, adjusted = largest_gaps(_AllClasses(nulls), strength, np.tile(bonus, len(nulls)), n_draws, None)
    fewer = max(int(np.ceil(ALPHA * (n_draws + 1))) - 2, 0)
    critical = float(np.sort(largest)[-1 - fewer])
    adjusted = adjusted.reshape(len(nulls), -1)
    return _table(rows, family, nulls, _selected(nulls, adjusted, critical, bonus), adjusted, critical - bonus)


def _selected(nulls, adjusted, critical, bonus):
    """(segment, class) to act on, the strongest first; a segment is named once, with its most misjudged class."""
    found = []
    candidate = adjusted < ALPHA
    z = np.array([null.z for null in nulls])
    while candidate.any() and len(found) < MOST:
        strength = np.where(candidate, np.abs(z) + bonus, -np.inf)
        if strength.max() <= critical:
            break
        k, segment = np.unravel_index(np.argmax(strength >= strength.max() - TIE), strength.shape)
        parents = nulls[k].family.parents(segment) if nulls[k].family.pairs[segment] else []
        for parent in parents:  # one condition is enough where the second adds little
            if strength[k, parent] > critical and abs(z[k, parent]) + 2 * bonus[parent] >= abs(z[k, segment]):
                segment = parent
                break
        found.append((int(segment), int(k)))
        candidate[:, segment] = False
        z = np.array([null.z_after([segment for segment, _ in found]) for null in nulls])
    return found


def _table(rows, family, nulls, found, adjusted, critical):
    """One row a group: the class that is surely off there, and the one that is most off to the other side."""
    gap = np.array([null.gap for null in nulls])
    rules = family.rules([segment for segment, _ in found])
    names = rows.asked_names
    lines = []
    for rule, (segment, k) in zip(rules, found, strict=True):
        null = nulls[k]
        (low,), (high,) = null.intervals(critical[[segment]], [segment])
        one = names[k]
        if rows.ordered:
            other, other_gap = f"above {rows.classes[k]}", -null.gap[segment]
        else:
            k_other = int((gap[:, segment].argmax if null.z[segment] < 0 else gap[:, segment].argmin)())
            other, other_gap = names[k_other], gap[k_other, segment]
        too_high, too_low = (one, other) if null.z[segment] < 0 else (other, one)
        lines.append([
            rule, null.n[segment], null.share[segment], too_high, too_low, one, null.stated[segment],
            null.observed[segment], null.gap[segment], low, high, other_gap, null.z[segment], adjusted[k, segment],
        ])  # fmt: skip
    return pd.DataFrame(lines, columns=COLUMNS)
