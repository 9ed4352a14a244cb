"""One test for all segments: each gap beside the largest of all in drawn tables."""

from dataclasses import dataclass

import numpy as np

ALPHA = 0.05  # of the whole search
ROUNDING = 1e-4  # of a strength: drawn ones are summed in single precision, and equal ones count as ties


@dataclass(frozen=True)
class JointTest:
    """Result of a test of all segments."""

    strength: np.ndarray  # (segments,) |z_S|, and the bonus of a segment of one column
    largest: np.ndarray  # (draws,) strength of the strongest segment of each drawn table
    adjusted: np.ndarray  # (segments,) step-down p-values
    critical: float  # strength above which an adjusted p-value is below ALPHA

    @property
    def p_value(self):
        """How often a drawn table has a segment as strong as the strongest: (1 + number) / (1 + draws)."""
        return float((1 + (self.largest >= self.strength.max() - ROUNDING).sum()) / (1 + self.largest.size))


def joint_test(z, bonus, drawn):
    """`JointTest` of standardised gaps (segments,) beside those of tables drawn without misjudged segments.

    `drawn` are blocks (segments, draws); `bonus` (segments,) is granted to the table and to every drawn one.
    """
    strength = np.abs(z) + bonus
    largest, adjusted = largest_gaps(drawn, strength, bonus)
    beyond = max(int(np.ceil(ALPHA * (largest.size + 1))) - 2, 0)  # draws that may be stronger at a p-value below ALPHA
    return JointTest(strength, largest, adjusted, float(np.sort(largest)[-1 - beyond]) + ROUNDING)


def largest_gaps(drawn, strength, bonus):
    """Largest strength in each drawn table, and step-down adjusted p-values (Westfall, Young 1993, algorithm 2.8)."""
    weakest_first = np.argsort(strength, kind="stable")
    exceeded = np.zeros(strength.size)
    largest = []
    for block in drawn:
        block = (np.abs(block) + bonus[:, None].astype(block.dtype))[weakest_first]
        np.maximum.accumulate(block, axis=0, out=block)
        exceeded += (block >= strength[weakest_first, None] - ROUNDING).sum(axis=1)
        largest.append(block[-1])
    largest = np.concatenate(largest)
    p_value = (exceeded + 1) / (largest.size + 1)
    adjusted = np.empty(strength.size)
    adjusted[weakest_first] = np.maximum.accumulate(p_value[::-1])[::-1]
    return largest, adjusted


def bonus_of_singles(pairs):
    """Standard errors that a segment of one column is granted, since there are fewer of them."""
    n_pairs = int(pairs.sum())
    n_singles = pairs.size - n_pairs
    if not n_pairs or n_singles < 2:
        return np.zeros(pairs.size)
    # one half of what the largest of so many normal values is larger: sqrt(2 log m)
    ahead = np.sqrt(2 * np.log(max(n_pairs, n_singles))) - np.sqrt(2 * np.log(n_singles))
    return np.where(pairs, 0.0, ahead / 2)
