"""Sums of scores that are given row by row (for `helpers.chunks.sums`)."""

from dataclasses import dataclass

import numpy as np

from helpers.checks import check_same_length, check_vector
from helpers.chunks.cells import Cells, Sums, some


@dataclass(frozen=True, eq=False)
class ScoreSums(Sums):
    """Sums of scores s (Brier, log score, costs, …), enough for their means and intervals."""

    _same = ("names",)
    names: tuple  # of the k scores
    count: int  # rows with a weight
    weights: np.ndarray  # (2,) sums of w and w^2
    moments: np.ndarray  # (3, k) sums of w s, w^2 s and w^2 s^2
    cells: Cells | None = None  # sums of w and w s of each group, if there are groups

    @classmethod
    def of(cls, scores, *, sample_weight=None, groups=None):
        """Sums of some rows; `scores` is a dict of (n,) columns, which may hold infinity; n = 0 is neutral."""
        columns = {name: some(column, check_vector, name) for name, column in scores.items()}
        check_same_length(**(columns | {"sample_weight": sample_weight, "groups": groups}))
        table = np.array(list(columns.values()))
        w = np.ones(table.shape[1]) if sample_weight is None else sample_weight
        weighted = np.multiply(w, table, out=np.zeros_like(table), where=w > 0)
        moments = np.array([weighted.sum(axis=1), (w * weighted).sum(axis=1), (weighted**2).sum(axis=1)])
        cells = None if groups is None else Cells.of(np.zeros(w.size, np.int64), groups, w, *weighted)
        return cls(tuple(scores), int((w > 0).sum()), np.array([w.sum(), (w * w).sum()]), moments, cells)

    @property
    def mean(self):
        """Weighted mean of each score; ValueError without rows."""
        return dict(zip(self.names, self._means().tolist(), strict=True))

    def _means(self):
        if not self.weights[0] > 0:
            raise ValueError("sums must hold at least one row with a weight, but they hold none.")
        return self.moments[0] / self.weights[0]

    @property
    def se(self):
        """Standard error of each mean; NaN where the mean is infinite."""
        mean = self._means()
        total, squares = self.weights
        with np.errstate(invalid="ignore"):
            if self.cells is None:
                variance = self.moments[2] - 2 * mean * self.moments[1] + mean**2 * squares
            else:
                weight, *sums = self.cells.sums
                variance = ((np.array(sums) - mean[:, None] * weight) ** 2).sum(axis=1)
            se = np.sqrt(np.maximum(variance, 0)) / total
        return dict(zip(self.names, se.tolist(), strict=True))

    def __str__(self):
        rows = ((name, mean, 1.96 * self.se[name]) for name, mean in self.mean.items())
        spans = [
            f"{name} {mean:.4f} [{mean - half_width:.4f}, {mean + half_width:.4f}]" for name, mean, half_width in rows
        ]
        return f"{', '.join(spans)}, n = {self.count:,}"
