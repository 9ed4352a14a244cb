"""Of many overlapping significant segments, the few to act on."""

import numpy as np

MOST = 8  # segments to select
TIE = 1e-9  # segments of the same rows are equally strong, but for the order in which their rows were added up


def select_segments(gaps, significant, critical, bonus):
    """Numbers of the segments to act on, in the order in which they were selected."""
    # The strongest segment is selected; the scores are moved so that they are right in it, all segments are tested
    # again, and the strongest that is still significant is selected next. Moving the scores of some moves those of the
    # others the other way: a segment whose gap has changed its sign by that is no finding.
    selected = []
    z = gaps.z
    candidate = np.zeros(z.size, bool)
    candidate[significant] = True
    while candidate.any() and len(selected) < MOST:
        strength = np.where(candidate & (z * gaps.z > 0), np.abs(z) + bonus, -np.inf)
        if strength.max() <= critical:
            break
        # Of a segment of two columns and those of one that hold it, the latter is selected if the second condition adds
        # no more strength than there are more segments of two columns to choose from.
        selected.append(_simplest(gaps, z, strength, critical, bonus))
        candidate[selected[-1]] = False
        z = gaps.z_after(selected)
    return selected


def _simplest(gaps, z, strength, critical, bonus):
    """The strongest segment, or one of its conditions alone if that is nearly as strong; the smaller of two halves."""
    best = int(np.argmax(strength >= strength.max() - TIE))
    if gaps.family.pairs[best]:
        enough = [
            parent
            for parent in gaps.family.parents(best)
            if strength[parent] > critical and z[parent] * np.sign(z[best]) + 2 * bonus[parent] >= abs(z[best])
        ]
        best = max(enough, key=lambda parent: round(strength[parent] / TIE), default=best)
    residual = gaps.sums.residual
    opposite = (strength > critical) & (gaps.n + gaps.n[best] == gaps.y.size)
    opposite &= np.abs(residual + residual[best]) <= 1e-9 * np.abs(residual[best])  # the same gap, seen from outside
    return int(np.argmax(opposite)) if opposite.any() and gaps.n[best] > gaps.y.size / 2 else best
