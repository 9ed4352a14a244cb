"""The numbers of notebook 13: a table of scores audited from end to end, with what cannot be said left empty.

`audit_scores` computes, `helpers.reports.scores_text` puts the result into sentences.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.audit import GroupAudit, find_groups, measure_groups
from helpers.binning import assign_bins, quantile_edges
from helpers.calibration import IsotonicCalibrator, PlattCalibrator, calibration_error, clipped_logit
from helpers.calibration.reliability import CalibrationError
from helpers.checks import check_cost_matrix
from helpers.decisions import optimal_threshold
from helpers.grouping import GroupingLoss, grouping_loss, grouping_loss_from_regions
from helpers.reports.intake import LEAST_GROUPS, find_obstacle
from helpers.tables import ScoreTable

POWER = 1.645 + 0.84  # standard errors: found with 80 % by a one-sided test at 5 %


@dataclass(frozen=True)
class Decisions:
    """Saying yes from `threshold` on, in shares of the cases: yes by the stated scores, decisions that recalibration
    turns, and decisions that the remaining gaps of misjudged groups turn after that, from no to yes and back.
    """

    threshold: float
    yes: float
    recalibrated: float
    to_yes: float
    to_no: float


@dataclass(frozen=True)
class ScoreReport:
    """What a table of scores says about them.

    average : stated, observed, gap, low, high over all rows
    error : calibration error of the stated scores, with the value of a perfect model
    calibrator : fitted on all rows; `kind` "platt", or "isotonic" where two parameters do not fit
    calibrated : (n,) recalibrated scores
    obstacle : why grouping loss and groups are missing, or ""
    loss, audit : grouping loss and misjudged groups, or None
    decisions : at the threshold of `cost`
    """

    table: ScoreTable = field(repr=False)
    cost: np.ndarray
    average: pd.Series
    error: CalibrationError
    kind: str
    calibrator: PlattCalibrator | IsotonicCalibrator
    calibrated: np.ndarray = field(repr=False)
    obstacle: str
    loss: GroupingLoss | None
    audit: GroupAudit | None
    decisions: Decisions

    @property
    def certified(self):
        """Whether a grouping loss above zero is certain: test at 5 %, interval above zero."""
        return self.loss is not None and bool(self.loss.p_value < 0.05 and self.loss.low > 0)

    @property
    def detectable(self):
        """Grouping loss that is found with 80 % probability, if the regions can tell it; NaN without regions."""
        return float("nan") if self.loss is None else POWER * self.loss.null_se

    def metrics(self):
        """Names and numbers for metrics.json."""
        error, loss, audit = self.error, self.loss, self.audit
        found = {"n": self.table.n, "n_features": len(self.table.features), "obstacle": self.obstacle}
        found |= {name: float(self.average[name]) for name in ("stated", "observed", "gap")}
        found |= {"gap_low": float(self.average["low"]), "gap_high": float(self.average["high"])}
        for name in ("value", "debiased", "low", "high", "null", "p_value", "n_bins"):
            found[f"calibration_error_{name}".removesuffix("_value" * (name == "value"))] = getattr(error, name)
        found["calibrator"] = self.kind
        if self.kind == "platt":
            found |= {"platt_intercept": self.calibrator.intercept_, "platt_slope": self.calibrator.slope_}
        if loss is not None:
            found |= {"grouping_loss": loss.value, "grouping_loss_certified": self.certified}
            for name in ("se", "low", "high", "p_value", "plugin", "n_regions", "left_out"):
                found[f"grouping_loss_{name}"] = getattr(loss, name)
            found["grouping_loss_detectable"] = self.detectable
        if audit is not None:
            for name in ("rule", "n", "stated", "observed", "gap", "low", "high", "adjusted"):
                found[f"groups_{name}"] = audit.table[name].tolist()
        found |= {"threshold": self.decisions.threshold, "decisions_yes": self.decisions.yes}
        found["decisions_recalibrated"] = self.decisions.recalibrated
        return found | {"decisions_to_yes": self.decisions.to_yes, "decisions_to_no": self.decisions.to_no}


def fit_calibrator(table, *, may_bend=True):
    """(kind, calibrator fitted on all rows): "platt", or "isotonic" where Platt's curve surely does not fit.

    The test takes bins of the score as regions: what is left in them after Platt scaling is miscalibration, and would
    be read as grouping loss.
    """

    def isotonic():
        return "isotonic", IsotonicCalibrator().fit(table.p, table.y, table.weight)

    if np.ptp(clipped_logit(table.p)) < 1e-9:  # a constant score, which has no Platt curve
        return isotonic()
    platt = PlattCalibrator().fit(table.p, table.y, table.weight)
    if not may_bend or platt.slope_ <= 0:
        return "platt", platt
    bins = assign_bins(table.p, quantile_edges(table.p, 15))
    left = grouping_loss_from_regions(
        table.y - platt.predict(table.p), bins, sample_weight=table.weight, groups=table.groups
    )
    return isotonic() if left.p_value < 0.01 else ("platt", platt)


def audit_scores(table, *, cost=((0, 1), (1, 0)), rng=None):
    """Audit a table of scores: calibration, grouping loss, misjudged groups, decisions.

    Parameters
    ----------
    table : ScoreTable, from `read_table` or `helpers.tables.read_scores`
    cost : 2 x 2, cost[i, j] of predicting i when the truth is j
    rng : int, Generator or None

    Returns
    -------
    ScoreReport. With fewer than 300 rows, 20 cases of the rarer label, 40 groups, or no features, it holds the
    calibration only; `obstacle` says why.

    Raises
    ------
    ValueError for a cost matrix in which a mistake is not dearer than a right answer.

    >>> from helpers.reports import read_table
    >>> audit = audit_scores(read_table("data/rand_scores.csv.gz"), rng=0)
    >>> audit.certified, audit.obstacle
    (True, '')
    """
    cost, rng = check_cost_matrix(cost), np.random.default_rng(rng)
    y, p, clustered = table.y, table.p, {"sample_weight": table.weight, "groups": table.groups}
    average = measure_groups(y, p, np.zeros(table.n, int), **clustered).iloc[0]
    events = min(int(y.sum()), table.n - int(y.sum()))
    n_bins = int(np.clip(events // 5, 2, 15))
    error = calibration_error(y, p, n_bins=n_bins, strategy="quantile", rng=rng, **clustered)
    obstacle = find_obstacle(table)
    kind, calibrator = fit_calibrator(table, may_bend=not obstacle)
    calibrated = calibrator.predict(p)
    loss = audit = None
    if not obstacle:
        loss = grouping_loss(y, p, table.X, calibrator=kind, rng=rng, **clustered)
        audit = find_groups(y, p, table.X, calibrated=calibrated, rng=rng, **clustered)
    decisions = compare_decisions(table, calibrated, audit, cost)
    return ScoreReport(table, cost, average, error, kind, calibrator, calibrated, obstacle, loss, audit, decisions)


def compare_decisions(table, calibrated, audit, cost):
    """`Decisions` at the optimal threshold: by the stated scores, by the calibrated ones, and by these with the gaps
    that recalibration leaves in misjudged groups added.
    """
    cost = check_cost_matrix(cost)
    threshold = optimal_threshold(cost)
    stated, before = table.p >= threshold, calibrated >= threshold
    after = before
    if audit is not None and len(audit.remaining):
        left = np.zeros(len(audit.table) + 1)  # the last entry is for rows of no measured group
        left[audit.remaining.index] = audit.remaining["left"]
        after = np.clip(calibrated + left[audit.apply(table.X)], 0, 1) >= threshold
    turned = (stated, stated != before, after & ~before, before & ~after)
    return Decisions(threshold, *(float(np.average(rows, weights=table.weight)) for rows in turned))


@dataclass(frozen=True)
class Control:
    """The audit of labels drawn from the calibrated scores, where there is nothing to find.

    draws, n : tables made, rows of each; value, se : mean grouping loss and its standard error over the draws
    alarms, named : draws in which the null test fell below 5 %, and in which a group was called sure
    """

    draws: int
    n: int
    value: float
    se: float
    alarms: int
    named: int


def negative_control(report, *, draws=20, most=10_000, rng=None):
    """Run the same audit on labels drawn from the calibrated scores, `draws` times, on at most `most` of the rows (more
    if it takes more to hold 50 cases of the rarer label); None where the report has no grouping loss.
    """
    if report.loss is None:
        return None
    table, c, rng = report.table, report.calibrated, np.random.default_rng(rng)
    most = max(most, int(50 / max(min(c.mean(), 1 - c.mean()), 1e-6)))
    unit = np.arange(table.n) if table.groups is None else table.groups
    order = rng.permutation(unit.max() + 1)
    reach = np.cumsum(np.bincount(unit)[order])
    chosen = np.zeros(order.size, bool)
    chosen[order[: max(int(np.searchsorted(reach, most, "right")), min(order.size, LEAST_GROUPS))]] = True
    rows = np.flatnonzero(chosen[unit])
    X, p, c = table.X.iloc[rows], table.p[rows], c[rows]
    clustered = {
        "sample_weight": None if table.weight is None else table.weight[rows],
        "groups": None if table.groups is None else table.groups[rows],
    }
    values, alarms, named = [], 0, 0
    for one in rng.spawn(draws):
        y = (one.random(rows.size) < c).astype(float)
        loss = grouping_loss(y, p, X, calibrator=report.kind, rng=one, **clustered)
        values.append(loss.value)
        alarms += loss.p_value < 0.05
        named += len(find_groups(y, c, X, rng=one, **clustered).sure) > 0
    se = float(np.std(values, ddof=1) / np.sqrt(draws))
    return Control(draws, rows.size, float(np.mean(values)), se, int(alarms), int(named))
