"""Which decisions of a report change: by recalibration, and by what the misjudged groups need beyond it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Decisions:
    """Saying yes from a threshold on, in shares of the cases."""

    threshold: float  # probability from which yes pays
    yes: float  # share of yes by the stated scores
    recalibrated: float  # share of decisions that recalibration turns
    # to_yes, to_no: shares that turn after that where scores are moved until every misjudged group is right, from no
    # to yes and back
    to_yes: float
    to_no: float


def compare_decisions(table, calibrated, audit, threshold):
    """`Decisions` at a threshold: by the stated scores, by the calibrated ones, and by these moved until they are right
    in every misjudged group.
    """
    stated = table.p >= threshold
    before = calibrated >= threshold
    after = before
    if audit is not None and len(audit.sure):
        after = audit.moved(calibrated) >= threshold
    turned = (stated, stated != before, after & ~before, before & ~after)
    return Decisions(threshold, *(float(np.average(rows, weights=table.weight)) for rows in turned))
