"""The numbers of notebook 13: a table of scores audited from end to end, with what cannot be said left empty.

`audit_scores` computes, the template `scores.md.j2` says it in sentences.
"""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from helpers.audit.rates import table_of_gaps
from helpers.binning import bins_between, edges_for
from helpers.calibration import IsotonicCalibrator, PlattCalibrator, clipped_logit
from helpers.calibration.reliability import CalibrationError, curve_of_rows, error_of_curve
from helpers.decisions import optimal_threshold
from helpers.decisions.costs import check_costs
from helpers.grouping import GroupingLoss
from helpers.grouping.crossfit import loss_of_regions, loss_of_rows
from helpers.reports.intake import LEAST_GROUPS, LEAST_ROWS, find_obstacle, likely_groups, repeated_rows
from helpers.reports.misjudged import MisjudgedGroups, find_misjudged
from helpers.reports.phrases import NBSP, many, percent, points, root, root_error, span, squared
from helpers.tables import ScoreTable

POWER = 1.645 + 0.84  # standard errors: found with 80 % by a one-sided test at 5 %

CONTROL_DRAWS = 59  # of the search for groups in a control

CONTROL_ROWS = 10_000  # of a control, so that twenty take no longer than the audit itself


@dataclass(frozen=True)
class Decisions:
    """Saying yes from a threshold on, in shares of the cases.

    Parameters
    ----------
    threshold : float
        Probability from which yes pays.
    yes : float
        Share of yes by the stated scores.
    recalibrated : float
        Share of decisions that recalibration turns.
    to_yes, to_no : float
        Shares that the gaps of misjudged groups turn after that, from no to yes and back.

    Examples
    --------
    >>> Decisions(0.5, yes=0.75, recalibrated=0.25, to_yes=0.0, to_no=0.0).yes
    0.75
    """

    threshold: float
    yes: float
    recalibrated: float
    to_yes: float
    to_no: float


@dataclass(frozen=True)
class ScoreReport:
    """What a table of scores says about them.

    Parameters
    ----------
    table : ScoreTable
        What was audited: as `ScoreTable.checked` gives it.
    cost : (2, 2) array
        Costs, cost[decision, truth].
    average : Series
        Over all rows: stated, observed, gap, low, high.
    error : CalibrationError
        Calibration error of the stated scores, with the value of a perfect model.
    kind : str
        "platt", or "isotonic" where two parameters do not fit.
    calibrator : PlattCalibrator or IsotonicCalibrator
        Fitted on all rows.
    calibrated : (n,) array
        Recalibrated scores.
    obstacle : str
        Why grouping loss and groups are missing, or "".
    loss : GroupingLoss or None
        Grouping loss.
    audit : MisjudgedGroups or None
        Misjudged groups.
    decisions : Decisions
        Decisions at the threshold of `cost`.

    Examples
    --------
    >>> from helpers.reports import read_table
    >>> report = audit_scores(read_table("data/rand_scores.csv.gz", features=["chronic"]), rng=0)
    >>> report.reliability_table.loc["of a perfect model", "remark"]
    'same cases, same 14 bins: chance alone'
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
    audit: MisjudgedGroups | None
    decisions: Decisions

    @property
    def certified(self):
        """Whether a grouping loss above zero is certain: test at 5 %, interval above zero."""
        return self.loss is not None and bool(self.loss.p_value < 0.05 and self.loss.low > 0)

    @property
    def detectable(self):
        """Grouping loss that is found with 80 % probability, if the regions can tell it; NaN without regions."""
        return float("nan") if self.loss is None else POWER * self.loss.null_se

    @property
    def upper(self):
        """Upper end of the calibration error that may be told: what chance alone shows cannot be ruled out."""
        return max(self.error.high, self.error.null)

    @property
    def spread(self):
        """Standard error of the calibration error, from its interval."""
        return max((self.upper - self.error.low) / 4, 1e-6)

    @property
    def n_outside(self):
        """Dots of the reliability diagram outside the band of a calibrated model."""
        curve = self.error.curve
        return int(((curve.observed < curve.band_low) | (curve.observed > curve.band_high)).sum())

    @property
    def has_log_odds(self):
        """Whether recalibration is Platt's, and no score is 0 or 1, which have no log-odds."""
        return self.kind == "platt" and not self.calibrator.n_clipped_

    @property
    def slope(self):
        """Platt's slope where the scores are off, and not by a shift alone; else None."""
        if not self.has_log_odds or self.error.p_value >= 0.05 or abs(self.calibrator.slope_ - 1) <= 0.1:
            return None
        return self.calibrator.slope_

    @property
    def too_low(self):
        """Groups whose scores are surely too low, also after recalibration, the worst first."""
        sure = self.audit.sure
        return sure[sure["left"] > 0][::-1]

    @property
    def too_high(self):
        """Groups whose scores are surely too high, also after recalibration, the worst first."""
        sure = self.audit.sure
        return sure[sure["left"] < 0]

    @property
    def reversed(self):
        """Whether high scores surely go with fewer events."""
        return bool(np.corrcoef(self.table.p, self.table.y)[0, 1] * np.sqrt(self.table.n) < -4)

    @property
    def repeats(self):
        """Share of the rows that repeat the row before more often than by chance; 0 where groups are known."""
        return repeated_rows(self.table) if self.table.groups is None else 0.0

    @property
    def likely_groups(self):
        """Features whose names suggest people or places; none where groups are known."""
        return likely_groups(self.table) if self.table.groups is None else []

    @property
    def is_small(self):
        """Whether the table has too few cases for more than rough numbers."""
        return self.table.n < LEAST_ROWS

    @property
    def only_decisions(self):
        """Whether all scores are 0 or 1."""
        return bool(((self.table.p == 0) | (self.table.p == 1)).all())

    @property
    def reliability_table(self):
        """Calibration error as measured, of a perfect model, and without chance, in points."""
        error = self.error
        bins = many(error.n_bins, "bin")
        interval = span(error.low, self.upper, self.spread)
        rows = {
            "as measured": (points(error.value, self.spread), "contains chance"),
            "of a perfect model": (points(error.null, self.spread), f"same cases, same {bins}: chance alone"),
            "without chance": (points(error.debiased, self.spread), f"95 % interval {interval}"),
        }
        frame = pd.DataFrame(rows.values(), index=list(rows), columns=["points", "remark"])
        return frame.rename_axis("calibration error")

    @property
    def loss_table(self):
        """Grouping loss in squared error and as a typical distance, beside a perfect model; None without a loss."""
        loss = self.loss
        if loss is None:
            return None
        ends = {"estimate": loss.value, "95 % interval from": loss.low, "to": loss.high}
        squares = [squared(x, loss.se) if name == "estimate" or x > 0 else "0" for name, x in ends.items()]
        distances = [points(root(x), root_error(loss.value, loss.se)) for x in ends.values()]
        frame = pd.DataFrame([squares, distances], ["squared error", "typical distance in points"], columns=list(ends))
        frame["of a perfect model"] = "0"
        return frame.rename_axis("grouping loss")

    @property
    def group_table(self):
        """The groups with stated and observed rates; None without groups."""
        if self.audit is None:
            return None
        rows = []
        for row in self.audit.table.itertuples():
            se = (row.high - row.low) / 4
            gap = f"{points(row.gap, se, sign=True)} ({span(row.low, row.high, se, sign=True)})"
            rows.append({
                "cases where": row.rule,
                "share": percent(row.share),
                "stated": percent(row.stated),
                "observed": percent(row.observed),
                "gap in points": gap.replace(" ", NBSP),
                "after recalibration": points(row.left, se, sign=True),
                "beyond chance": "yes" if row.Index in self.audit.sure.index else "no",
            })  # fmt: skip
        return pd.DataFrame(rows)

    def share_of(self, groups):
        """Share of the cases that lie in some groups, which may overlap.

        Parameters
        ----------
        groups : DataFrame
            Rows of `audit.table`.

        Returns
        -------
        float
            In [0, 1].
        """
        return float(np.average(self.audit.inside(self.table.X, groups), weights=self.table.weight))

    def null_trials(self, rng):
        """Find the tests that could raise an alarm: {name: function of `rng`}, for `negative_control`.

        Parameters
        ----------
        rng : Generator
            Chooses the rows that the trials use.

        Returns
        -------
        dict
            Empty without a grouping loss.
        """
        if self.loss is None:
            return {}
        return {"grouping loss": partial(_null_trial, self, control_rows(self, CONTROL_ROWS, rng))}

    def metrics(self):
        """Collect names and numbers for metrics.json.

        Returns
        -------
        dict
            Numbers, texts and lists by name.
        """
        error = self.error
        loss = self.loss
        numbers = {"n": self.table.n, "n_features": len(self.table.features), "obstacle": self.obstacle}
        numbers |= {name: float(self.average[name]) for name in ("stated", "observed", "gap")}
        numbers |= {"gap_low": float(self.average["low"]), "gap_high": float(self.average["high"])}
        numbers["calibration_error"] = error.value
        for name in ("debiased", "low", "high", "null", "p_value", "n_bins"):
            numbers[f"calibration_error_{name}"] = getattr(error, name)
        numbers["calibrator"] = self.kind
        if self.kind == "platt":
            numbers |= {"platt_intercept": self.calibrator.intercept_, "platt_slope": self.calibrator.slope_}
        if loss is not None:
            numbers |= {"grouping_loss": loss.value, "grouping_loss_certified": self.certified}
            for name in ("se", "low", "high", "p_value", "plugin", "n_regions", "left_out"):
                numbers[f"grouping_loss_{name}"] = getattr(loss, name)
            numbers["grouping_loss_detectable"] = self.detectable
        if self.audit is not None:
            for name in ("rule", "n", "stated", "observed", "gap", "low", "high", "adjusted"):
                numbers[f"groups_{name}"] = self.audit.table[name].tolist()
        numbers |= {"threshold": self.decisions.threshold, "decisions_yes": self.decisions.yes}
        numbers["decisions_recalibrated"] = self.decisions.recalibrated
        return numbers | {"decisions_to_yes": self.decisions.to_yes, "decisions_to_no": self.decisions.to_no}


def audit_scores(table, *, cost=((0, 1), (1, 0)), rng=None):
    """Audit a table of scores: calibration, grouping loss, misjudged groups, decisions.

    Parameters
    ----------
    table : ScoreTable
        From `read_table` or `helpers.tables.read_scores`.
    cost : array_like or DataFrame, shape (2, 2), default ((0, 1), (1, 0))
        Cost of each decision under each truth, cost[decision, truth].
    rng : int, Generator or None, default None
        Source of randomness.

    Returns
    -------
    ScoreReport
        With fewer than 300 rows, 20 cases of the rarer label, 40 groups, or no features, it holds the calibration
        only; `obstacle` says why.

    Raises
    ------
    ValueError
        For costs of another shape, or of which a mistake is not dearer than a right answer.

    Examples
    --------
    >>> from helpers.reports import read_table
    >>> audit = audit_scores(read_table("data/rand_scores.csv.gz"), rng=0)
    >>> audit.certified, audit.obstacle
    (True, '')
    """
    cost = check_costs(cost)
    threshold = optimal_threshold(cost)  # more than two decisions are refused before anything is computed
    rng = np.random.default_rng(rng)
    table = table.checked()  # the only check: what follows computes
    y = table.y
    p = table.p
    weight = np.ones_like(y) if table.weight is None else table.weight
    average = table_of_gaps(y, p, np.zeros(table.n, int), weight, groups=table.groups).iloc[0]
    events = min(int(y.sum()), table.n - int(y.sum()))
    n_bins = int(np.clip(events // 5, 2, 15))
    error = error_of_curve(curve_of_rows(y, p, n_bins, "quantile", table.weight, table.groups), rng=rng)
    obstacle = find_obstacle(table)
    kind, calibrator = fit_calibrator(table, may_bend=not obstacle)
    calibrated = calibrator.predict_rows(p)
    loss = audit = None
    if not obstacle:
        loss = loss_of_rows(table, calibrator=kind, rng=rng)
        audit = find_misjudged(table, kind, rng=rng)
    decisions = compare_decisions(table, calibrated, audit, threshold)
    return ScoreReport(table, cost, average, error, kind, calibrator, calibrated, obstacle, loss, audit, decisions)


def fit_calibrator(table, *, may_bend=True):
    """(kind, calibrator fitted on all rows): "platt", or "isotonic" where Platt's curve surely does not fit.

    The test takes bins of the score as regions: what is left in them after Platt scaling is miscalibration, and would
    be read as grouping loss.
    """
    if np.ptp(clipped_logit(table.p)) < 1e-9:  # a constant score, which has no Platt curve
        return "isotonic", _isotonic(table)
    platt = PlattCalibrator().fit_rows(table.p, table.y, table.weight)
    if not may_bend or platt.slope_ <= 0:
        return "platt", platt
    bins = bins_between(table.p, edges_for(table.p, 15, "quantile"))
    rest = loss_of_regions(table.y - platt.predict_rows(table.p), bins, table.weight, table.groups)
    return ("isotonic", _isotonic(table)) if rest.p_value < 0.01 else ("platt", platt)


def _isotonic(table):
    return IsotonicCalibrator().fit_rows(table.p, table.y, table.weight)


def compare_decisions(table, calibrated, audit, threshold):
    """`Decisions` at a threshold: by the stated scores, by the calibrated ones, and by these with the gaps that
    recalibration leaves in misjudged groups added.
    """
    stated = table.p >= threshold
    before = calibrated >= threshold
    after = before
    if audit is not None and len(audit.sure):
        after = np.clip(calibrated + audit.shift(table.X), 0, 1) >= threshold
    turned = (stated, stated != before, after & ~before, before & ~after)
    return Decisions(threshold, *(float(np.average(rows, weights=table.weight)) for rows in turned))


def control_rows(report, most, rng):
    """Rows of whole groups for a control: at most `most` of them, or more if it takes more to hold 50 cases of the
    rarer label and 40 groups.
    """
    table = report.table
    rate = report.calibrated.mean()
    most = max(most, int(50 / max(min(rate, 1 - rate), 1e-6)))
    unit = np.arange(table.n) if table.groups is None else table.groups
    order = rng.permutation(unit.max() + 1)
    reach = np.cumsum(np.bincount(unit)[order])
    n_units = max(int(np.searchsorted(reach, most, "right")), min(order.size, LEAST_GROUPS))
    chosen = np.zeros(order.size, bool)
    chosen[order[:n_units]] = True
    return np.flatnonzero(chosen[unit])


def _null_trial(report, rows, *, rng):
    """The audit of labels drawn from the calibrated scores of some rows."""
    c = report.calibrated[rows]
    table = replace(report.table.take(rows), y=(rng.random(rows.size) < c).astype(float))
    loss = loss_of_rows(table, calibrator=report.kind, rng=rng)
    audit = find_misjudged(replace(table, p=c), report.kind, n_draws=CONTROL_DRAWS, rng=rng)
    return {"n": rows.size, "value": loss.value, "alarm": bool(loss.p_value < 0.05), "named": len(audit.sure) > 0}
