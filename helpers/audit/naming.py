"""Of many overlapping segments beyond chance, the few to act on."""

import numpy as np

MOST = 8  # segments to name
TIE = 1e-9  # segments of the same rows are equally strong, but for the order in which their rows were added up


def name_segments(null, sure, critical, bonus):
    """Numbers of the segments to name, in the order in which they were named.

    The strongest segment is named; the scores are moved so that they are right in it, all segments are tested again,
    and the strongest that is still beyond chance is named next. Of a segment of two columns and the segments of one
    column that hold it, the latter is named if the second condition adds no more strength than there are more segments
    of two columns to choose from.
    """
    named = []
    z = null.z
    candidate = np.zeros(z.size, bool)
    candidate[sure] = True
    while candidate.any() and len(named) < MOST:
        strength = np.where(candidate, np.abs(z) + bonus, -np.inf)
        if strength.max() <= critical:
            break
        named.append(_simplest(null, z, strength, critical, bonus))
        candidate[named[-1]] = False
        z = null.z_after(named)
    return named


def _simplest(null, z, strength, critical, bonus):
    """The strongest segment, or one of its conditions alone if that is nearly as strong; the smaller of two halves."""
    best = int(np.argmax(strength >= strength.max() - TIE))
    if null.family.pairs[best]:
        enough = [
            parent
            for parent in null.family.parents(best)
            if strength[parent] > critical and abs(z[parent]) + 2 * bonus[parent] >= abs(z[best])
        ]
        best = max(enough, key=lambda parent: round(strength[parent] / TIE), default=best)
    residual = null.sums.residual
    opposite = (strength > critical) & (null.n + null.n[best] == null.y.size)
    opposite &= np.abs(residual + residual[best]) <= 1e-9 * np.abs(residual[best])  # the same gap, seen from outside
    return int(np.argmax(opposite)) if opposite.any() and null.n[best] > null.y.size / 2 else best
