"""Calibration errors of Sem1, Sem2 and the oracle over questions whose answer probabilities are known."""

from dataclasses import dataclass, field

import numpy as np

from helpers.answer_biases import binomial_law, winner_law
from helpers.binning import assign_bins, uniform_edges
from helpers.checks import check_count


@dataclass(frozen=True)
class ExactCalibration:
    """Calibration errors of Sem1, Sem2 and the oracle over the questions of a population, exactly.

    Attributes
    ----------
    gaps1, gaps2, oracle_gaps : (B,) E[(correct - confidence) 1{confidence in bin}]
    confidence1, confidence2, oracle_confidence : mean confidences
    accuracy, oracle_accuracy : of the selected class and of the mode
    confidence_error1, confidence_error2 : E |confidence - c*|
    selection_error : chance that selected class and mode differ in correctness
    n, n_held_out : sizes of the two blocks
    """

    gaps1: np.ndarray = field(repr=False)
    gaps2: np.ndarray = field(repr=False)
    oracle_gaps: np.ndarray = field(repr=False)
    confidence1: float
    confidence2: float
    oracle_confidence: float
    accuracy: float
    oracle_accuracy: float
    confidence_error1: float
    confidence_error2: float
    selection_error: float
    n: int
    n_held_out: int

    @property
    def sem1(self):
        """Sem1-ECE."""
        return float(np.abs(self.gaps1).sum())

    @property
    def sem2(self):
        """Sem2-ECE with one split into n and n_held_out answers."""
        return float(np.abs(self.gaps2).sum())

    @property
    def oracle(self):
        """ECE of the oracle: confidence c*, answer the mode."""
        return float(np.abs(self.oracle_gaps).sum())

    def __str__(self):
        return (
            f"n = {self.n}: Sem1-ECE {self.sem1:.4f}, Sem2-ECE {self.sem2:.4f}, oracle {self.oracle:.4f}; "
            f"accuracy {self.accuracy:.3f}, of the mode {self.oracle_accuracy:.3f}"
        )


def exact_calibration(pi, correct, n, *, n_held_out=None, n_bins=10, ties="index"):
    """`ExactCalibration` of questions with answer probabilities `pi` and correctness `correct`, both (Q, K)."""
    n, n_bins = check_count(n, "n"), check_count(n_bins, "n_bins")
    m = n if n_held_out is None else check_count(n_held_out, "n_held_out")
    mode = pi.argmax(axis=1)[:, None]
    mode_right = np.take_along_axis(correct, mode, axis=1)
    rows, index = np.unique(pi, axis=0, return_inverse=True)
    index = index.ravel()
    number = np.bincount(index)[:, None]
    right = _sums(correct, index) / number
    flipped = _sums(correct != mode_right, index) / number
    law = winner_law(rows, n, ties=ties) * number[:, :, None] / len(pi)
    selected = law.sum(axis=2)
    law2 = selected[:, :, None] * binomial_law(rows, m)
    share1, share2 = np.arange(n + 1) / n, np.arange(m + 1) / m
    target = rows.max(axis=1)[:, None, None]
    return ExactCalibration(
        _binned((right[:, :, None] - share1) * law, n, n_bins),
        _binned((right[:, :, None] - share2) * law2, m, n_bins),
        oracle_gaps(pi, correct, n_bins),
        confidence1=float((law * share1).sum()),
        confidence2=float((selected * rows).sum()),
        oracle_confidence=float(pi.max(axis=1).mean()),
        accuracy=float((selected * right).sum()),
        oracle_accuracy=float(mode_right.mean()),
        confidence_error1=float((law * np.abs(share1 - target)).sum()),
        confidence_error2=float((law2 * np.abs(share2 - target)).sum()),
        selection_error=float((selected * flipped).sum()),
        n=n,
        n_held_out=m,
    )


def oracle_gaps(pi, correct, n_bins):
    """(B,) mean of (is the mode right - c*) in each bin of c*, times the share of questions there."""
    top = pi.max(axis=1)
    right = np.take_along_axis(correct, pi.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.bincount(assign_bins(top, uniform_edges(n_bins)), right - top, n_bins) / len(top)


def _sums(table, index):
    """Sums of the rows of a (Q, K) table that share an index."""
    total = np.zeros((index.max() + 1, table.shape[1]))
    np.add.at(total, index, table)
    return total


def _binned(contribution, n, n_bins):
    """(B,) sums of (R, K, n + 1) contributions by the bin of v / n; whole numbers, so values on edges are exact."""
    bins = np.minimum(np.arange(n + 1) * n_bins // n, n_bins - 1)
    return np.bincount(bins, contribution.sum(axis=(0, 1)), n_bins)
