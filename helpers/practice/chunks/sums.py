"""Sums that can be added: what the estimators need to know of any number of rows, in memory that does not grow.

`Sums.of(rows)` of each part, added up with `+` or `sum`, say what `Sums.of(all rows)` says: to 1e-12, for any parts in
any order. The sums of no rows change nothing. Everything here is frozen and can be pickled.

Rows of one group (a person, a hospital) may lie in several parts: sums of each (region, group) cell are kept then, and
memory grows with the number of these cells, not with that of the rows.
"""

from dataclasses import dataclass

import numpy as np

from helpers.binning import assign_bins, group_sums
from helpers.calibration.reliability import cluster_effects, curve_from_sums, error_of_curve
from helpers.checks import (
    MOST_DRAWS,
    check_count,
    check_effective_number,
    check_labels,
    check_numbers,
    check_probabilities,
    check_rng,
    check_same_length,
    check_vector,
)
from helpers.grouping.region_statistics import (
    POWERS,
    UNWEIGHTED,
    cell_columns,
    evaluate_cells,
    evaluate_rows,
    region_columns,
    row_columns,
)
from helpers.grouping.result import combine
from helpers.practice.chunks.cells import Cells, Sums, raw_weights, some


@dataclass(frozen=True, eq=False)
class RegionSums(Sums):
    """Sums of residuals r in each region, enough for the grouping loss, its interval and its test."""

    count: np.ndarray  # (J,) rows
    moments: np.ndarray  # (k, J) sums of `row_columns`; with groups, of `region_columns`
    cells: Cells | None = None  # sums of `cell_columns` in each (region, group) cell, if there are groups

    @classmethod
    def of(cls, residual, region, n_regions, *, sample_weight=None, groups=None):
        """Sums of some checked rows, which did not choose the regions; n = 0 is neutral."""
        cells = None
        columns = row_columns(sample_weight, residual)
        if groups is not None:
            w = np.ones_like(residual) if sample_weight is None else sample_weight
            columns = region_columns(w, residual)
            cells = Cells.of(region, groups, *cell_columns(w, residual))
        count, *moments = group_sums(region, *columns, size=n_regions)
        return cls(count, np.array(moments), cells)

    def statistics(self):
        """What all rows say, before it becomes a `GroupingLoss`."""
        if self.cells is not None:
            cells = self.cells
            return evaluate_cells(self.count, self.moments, cells.region, cells.group, cells.sums)
        return evaluate_rows(self.count, self.moments)

    def grouping_loss(self, *, calibration_loss=float("nan")):
        """Grouping loss that these regions capture, as `grouping_loss_from_regions` gives it for all rows at once."""
        pairs = "region must leave two independent rows in at least one region, but no region has them."
        weighted = len(self.moments) != UNWEIGHTED
        if not self.count.any() or (weighted and not self.moments[0].any()):
            raise ValueError(pairs)
        if self.cells is not None:
            self.cells.check()
        elif weighted:
            w, squares = self.moments[[POWERS.index((1, 0)), POWERS.index((2, 0))]].sum(axis=1)
            check_effective_number(w**2 / squares, self.count.sum())
        part = self.statistics()
        if not part.n_regions:
            raise ValueError(pairs)
        return combine([part], calibration_loss)


@dataclass(frozen=True, eq=False)
class ReliabilitySums(Sums):
    """Sums of labels y and scores p in bins of the score, enough for the reliability curve and the calibration error.

    Parameters
    ----------
    edges : ndarray, shape (B + 1,)
        Of the bins.
    count : ndarray, shape (B,)
        Rows with a weight.
    moments : ndarray, shape (k, B)
        Sums of w, w^2, w p, w y; with groups also of w^2 (y - p) and w^2 (y - p)^2.
    cells : Cells or None
        Sums of w and w (y - p) in each (bin, group) cell.

    Examples
    --------
    >>> edges = [0, 0.5, 1]
    >>> halves = [ReliabilitySums.of([0, 1], [0.1, 0.9], edges), ReliabilitySums.of([1, 1], [0.1, 0.9], edges)]
    >>> sum(halves).curve().observed
    array([0.5, 1. ])
    """

    _same = ("edges",)
    edges: np.ndarray
    count: np.ndarray
    moments: np.ndarray
    cells: Cells | None = None

    @classmethod
    def of(cls, y, p, edges, *, sample_weight=None, groups=None):
        """Sums of some rows: (n,) labels 0/1 and probabilities, edges that all parts share; n = 0 is neutral."""
        y = some(y, check_labels)
        p = some(p, check_probabilities)
        weight = raw_weights(sample_weight)
        check_same_length(y=y, p=p, sample_weight=weight, groups=groups)
        edges = check_numbers(edges, "edges")
        bins = assign_bins(p, edges) if p.size else np.zeros(0, np.int64)
        w = np.ones_like(p) if weight is None else weight
        count = np.bincount(bins[w > 0], minlength=edges.size - 1)
        columns = [w, w * w, w * p, w * y]
        if groups is not None:
            columns += [w**2 * (y - p), (w * (y - p)) ** 2]
        moments = np.array(group_sums(bins, *columns, size=edges.size - 1)[1:])
        return cls(edges, count, moments, None if groups is None else Cells.of(bins, groups, w, w * (y - p)))

    def curve(self):
        """Reliability curve of all rows.

        Returns
        -------
        ReliabilityCurve
            As `reliability_curve` gives it for all rows at once.

        Raises
        ------
        ValueError
            Without rows.
        """
        if not self.count.any():
            raise ValueError("sums must hold at least one row with a weight, but they hold none.")
        if self.cells is not None:
            self.cells.check()
        w, squares = self.moments[:2].sum(axis=1)
        check_effective_number(w**2 / squares, self.count.sum())
        return curve_from_sums(self.edges, self.count, *self.moments[:4], self.cells and self._clusters)

    def _clusters(self, gap):
        _, squares, _, _, first, second = self.moments
        own = float((second - 2 * gap * first + gap**2 * squares).sum())
        weight, excess = self.cells.sums
        sums = excess - gap[self.cells.region] * weight
        return cluster_effects(self.cells.region, self.cells.group, sums, own if own > 1e-14 * squares.sum() else 0.0)


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


@dataclass(frozen=True, eq=False)
class EvaluationSums(Sums):
    """What a partition and a calibrator from a sample say about other rows.

    Parameters
    ----------
    regions : RegionSums
        Residuals in the regions.
    reliability : ReliabilitySums
        Labels and scores in bins of the score.
    scores : ScoreSums
        Proper scores, and those of one's own.

    Examples
    --------
    >>> sums = RegionSums.of(np.array([0.5, -0.5]), [0, 1], 2), ReliabilitySums.of([0, 1], [0.1, 0.9], [0, 0.5, 1])
    >>> EvaluationSums(*sums, ScoreSums.of({"brier": [0.01, 0.01]})).n
    2
    """

    regions: RegionSums
    reliability: ReliabilitySums
    scores: ScoreSums

    @property
    def n(self):
        """Number of rows."""
        return int(self.regions.count.sum())

    def grouping_loss(self):
        """Grouping loss captured by the regions, in squared error.

        Returns
        -------
        GroupingLoss
            0 is best.
        """
        return self.regions.grouping_loss(calibration_loss=self.scores.mean.get("calibration loss", float("nan")))

    def calibration_error(self, *, n_simulations=1000, rng=None):
        """Calibration error of the stated scores.

        Parameters
        ----------
        n_simulations : int, default 1000
            Draws of a calibrated model, at least 100.
        rng : int, Generator, optional
            Decides them.

        Returns
        -------
        CalibrationError
            As `helpers.calibration.calibration_error` gives it for all rows at once (same bins, same `rng`).
        """
        check_count(n_simulations, "n_simulations", least=100, most=MOST_DRAWS)
        return error_of_curve(self.reliability.curve(), n_simulations, check_rng(rng))

    def __str__(self):
        return str(self.grouping_loss()) if self.n else "no rows"
