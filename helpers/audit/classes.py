"""Who is misjudged when there are several classes: one search over segments and classes, judged by one maximum."""

import numpy as np
import pandas as pd

from helpers.audit.gaps import SegmentGaps
from helpers.audit.intervals import gap_intervals
from helpers.audit.joint import ALPHA, bonus_of_singles, joint_test
from helpers.audit.null import drawn_gaps
from helpers.audit.options import checked_options
from helpers.audit.segments import canonical_order, family_of
from helpers.audit.selection import MOST, TIE
from helpers.calibration.affine import calibrate_classes
from helpers.calibration.calibrators import clipped_logit
from helpers.checks import check_rng
from helpers.partition.class_rows import check_class_rows

COLUMNS = [
    "rule", "n", "share", "too_high", "too_low", "class", "stated", "observed", "gap", "low", "high", "other_gap",
    "other_stated", "other_observed", "z", "adjusted", "needs",
]  # fmt: skip


def _directions(c, calibrated):
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
    return class_groups_of_rows(rows, rng=rng, **checked_options(calibrator, max_features, min_rows, n_draws, can=()))


def class_groups_of_rows(rows, *, calibrator="platt", max_features=2, min_rows=None, n_draws=300, rng=None):
    """`audit_groups` of `helpers.partition.class_rows.ClassRows` and options that were checked."""
    common = (rows.y == np.bincount(rows.y).argmax()).astype(float)
    family = family_of(rows.X, common, min_rows, max_features)
    order = canonical_order(family, rows.groups, rows.y, rows.weights, *rows.P.T[::-1])
    family = family.take(order)
    rows = rows.take(order)
    c = rows.calibrated(calibrate_classes if calibrator == "platt" else None)
    seed = int(check_rng(rng).integers(2**31))
    classes = range(len(rows.asked))
    gaps = [_class_gaps(k, rows, c, calibrator != "none", family) for k in classes]
    draws = [drawn_gaps(gaps[k], n_draws, np.random.default_rng(seed), _redrawn(k, rows, c)) for k in classes]
    bonus = bonus_of_singles(family.pairs)
    # the segments of all classes are one family of so many times as many, and share the drawn labels
    z = np.concatenate([of_class.z for of_class in gaps])
    test = joint_test(z, np.tile(bonus, len(gaps)), (np.concatenate(blocks) for blocks in zip(*draws, strict=True)))
    adjusted = test.adjusted.reshape(len(gaps), -1)
    selected = _selected(gaps, adjusted, test.critical, bonus)
    return _table(rows, family, gaps, selected, adjusted, test.critical - bonus)


def _class_gaps(k, rows, c, calibrated, family):
    """`SegmentGaps` of one question about the class, as if its scores had been recalibrated against the rest."""
    of_class = c @ rows.asked[k]
    y = rows.asked[k][rows.y]
    weight = rows.weights / rows.weights.mean()
    Z = _directions(of_class, calibrated)
    return SegmentGaps(y, rows.P @ rows.asked[k], of_class, Z, weight, rows.groups, family)


def _redrawn(k, rows, c):
    """Function (block, rng) of residuals in labels drawn from all scores: one number decides which class a row gets."""
    first, last = np.flatnonzero(rows.asked[k])[[0, -1]]  # classes that stand side by side
    below = c[:, :first].sum(axis=1).astype(np.float32)[:, None]
    above = c[:, : last + 1].sum(axis=1).astype(np.float32)[:, None]
    of_class = (c @ rows.asked[k]).astype(np.float32)[:, None]

    def redrawn(block, rng):
        drawn = np.ascontiguousarray(rng.random((block, len(c)), dtype=np.float32).T)
        return ((drawn >= below) & (drawn < above)) - of_class

    return redrawn


def _selected(gaps, adjusted, critical, bonus):
    """(segment, class) to act on, the strongest first; a segment is named once, with its most misjudged class."""
    selected = []
    candidate = adjusted < ALPHA
    z = np.array([of_class.z for of_class in gaps])
    while candidate.any() and len(selected) < MOST:
        strength = np.where(candidate, np.abs(z) + bonus, -np.inf)
        if strength.max() <= critical:
            break
        k, segment = np.unravel_index(np.argmax(strength >= strength.max() - TIE), strength.shape)
        parents = gaps[k].family.parents(segment) if gaps[k].family.pairs[segment] else []
        for parent in parents:  # one condition is enough where the second adds little
            if strength[k, parent] > critical and abs(z[k, parent]) + 2 * bonus[parent] >= abs(z[k, segment]):
                segment = parent
                break
        selected.append((int(segment), int(k)))
        candidate[:, segment] = False
        z = np.array([of_class.z_after([segment for segment, _ in selected]) for of_class in gaps])
    return selected


def _table(rows, family, gaps, selected, adjusted, critical):
    """One row a group: the class that is significantly off, and the one that is most off to the other side."""
    gap = np.array([of_class.gap for of_class in gaps])
    rules = family.rules([segment for segment, _ in selected])
    names = rows.asked_names
    lines = []
    for rule, (segment, k) in zip(rules, selected, strict=True):
        own = gaps[k]
        (low,), (high,) = gap_intervals(own, critical[[segment]], [segment])
        one = names[k]
        if rows.ordered:
            other, other_gap = f"above {rows.classes[k]}", -own.gap[segment]
            other_rates = [1 - own.stated[segment], 1 - own.observed[segment]]
        else:
            k_other = int((gap[:, segment].argmax if own.z[segment] < 0 else gap[:, segment].argmin)())
            other, other_gap = names[k_other], gap[k_other, segment]
            other_rates = [gaps[k_other].stated[segment], gaps[k_other].observed[segment]]
        too_high, too_low = (one, other) if own.z[segment] < 0 else (other, one)
        lines.append([
            rule, own.n[segment], own.share[segment], too_high, too_low, one, own.stated[segment],
            own.observed[segment], own.gap[segment], low, high, other_gap, *other_rates, own.z[segment],
            adjusted[k, segment], tuple(one.column.name for one in family.conditions(segment)),
        ])  # fmt: skip
    return pd.DataFrame(lines, columns=COLUMNS)
