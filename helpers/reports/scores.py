"""The numbers of notebook 13: a table of scores audited from end to end, with what cannot be said left empty.

`audit_scores` computes, the template `scores.md.j2` says it in sentences.
"""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from helpers.decisions import optimal_threshold
from helpers.decisions.costs import check_costs
from helpers.grouping import GroupingLoss
from helpers.grouping.crossfit import loss_of_rows
from helpers.reports.average import Average, measure_average
from helpers.reports.intake import (
    LEAST_GROUPS,
    LEAST_ROWS,
    find_obstacle,
    levels_to_show,
    likely_groups,
    repeated_rows,
)
from helpers.reports.misjudged import MisjudgedGroups, find_misjudged
from helpers.reports.phrases import NBSP, many, measured, percent, points, root, root_error, span, squared
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
    cost : (2, 2) array or None
        Costs, cost[decision, truth].
    average : Average
        Stated beside observed, over cases with similar scores.
    calibrated : (n,) array
        Recalibrated scores.
    obstacle : str
        Why grouping loss and groups are missing, or "".
    loss : GroupingLoss or None
        Grouping loss.
    audit : MisjudgedGroups or None
        Misjudged groups.
    checked : DataFrame or None
        Every level of the columns that the user named.
    decisions : Decisions or None
        Decisions at the threshold of `cost`; None without costs.
    options : dict
        What was asked for: cost, check and rng.

    Examples
    --------
    >>> from helpers.reports import read_table
    >>> report = audit_scores(read_table("data/rand_scores.csv.gz", features=["chronic"]), rng=0)
    >>> report.reliability_table.loc["of a perfect model", "remark"]
    'same cases, same 14 bins: chance alone'
    """

    table: ScoreTable = field(repr=False)
    cost: np.ndarray | None
    average: Average
    calibrated: np.ndarray = field(repr=False)
    obstacle: str
    loss: GroupingLoss | None
    audit: MisjudgedGroups | None
    checked: pd.DataFrame | None
    decisions: Decisions | None
    options: dict = field(default_factory=dict, repr=False)

    def __str__(self):
        from helpers.reports.text import summary

        return "\n".join(f"{question} {answer}" for question, answer in summary(self)["Answer"].items())

    @property
    def certified(self):
        """Whether a grouping loss above zero is certain: test at 5 %, interval above zero."""
        return self.loss is not None and bool(self.loss.p_value < 0.05 and self.loss.low > 0)

    @property
    def detectable(self):
        """Grouping loss that is found with 80 % probability, if the regions can tell it; NaN without regions."""
        return float("nan") if self.loss is None else POWER * self.loss.null_se

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
        differ = np.ptp(self.table.p) > 0
        return differ and bool(np.corrcoef(self.table.p, self.table.y)[0, 1] * np.sqrt(self.table.n) < -4)

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
        error = self.average.error
        upper = max(error.high, error.null)  # what chance alone shows cannot be ruled out
        spread = max((upper - error.low) / 4, 1e-6)
        bins = many(error.n_bins, "bin")
        rows = {
            "as measured": (points(error.value, spread), "contains chance"),
            "of a perfect model": (points(error.null, spread), f"same cases, same {bins}: chance alone"),
            "without chance": (points(error.debiased, spread), f"95 % interval {span(error.low, upper, spread)}"),
        }
        frame = pd.DataFrame(rows.values(), index=list(rows), columns=["points", "remark"])
        return frame.rename_axis("calibration error")

    @property
    def line_table(self):
        """Intercept and slope of the two-parameter calibration with their intervals; None for a constant score."""
        line = self.average.line
        if line is None:
            return None
        rows = {
            "intercept": (measured(line.intercept, *line.intercept_interval), "0", "above 0: stated too low"),
            "slope": (measured(line.slope, *line.slope_interval), "1", "below 1: too extreme, above 1: too timid"),
        }
        columns = ["estimate (95 % interval)", "of a calibrated model", "meaning"]
        return pd.DataFrame(rows.values(), index=list(rows), columns=columns).rename_axis("in log-odds")

    @property
    def checked_table(self):
        """Every level of the columns that the user named, in words; None without such columns."""
        if self.checked is None:
            return None
        return pd.DataFrame([
            {
                "cases where": row.rule,
                "cases": f"{row.n:,}",
                "stated": percent(row.stated),
                "observed": percent(row.observed),
                "gap in points": _gap(row),
                "remark": row.remark,
            }
            for row in self.checked.itertuples()
        ])  # fmt: skip

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
            rows.append({
                "cases where": row.rule,
                "share": percent(row.share),
                "stated": percent(row.stated),
                "observed": percent(row.observed),
                "gap in points": _gap(row),
                "after recalibration": points(row.left, (row.high - row.low) / 4, sign=True),
                "beyond chance": "yes" if row.Index in self.audit.sure.index else "no",
            })  # fmt: skip
        return pd.DataFrame(rows)

    @property
    def parameter_table(self):
        """What this report was made from, with defaults marked."""
        table = self.table
        asked = {
            name: "" if value is None or not np.size(value) else f"{value}" for name, value in self.options.items()
        }
        rows = {
            "table": f"{table.name}, SHA-256 {table.sha256 or 'unknown'}",
            "cases": f"{table.n:,}",
            "label": table.label,
            "score": table.score,
            "features": ", ".join(table.features),
            "weight": "" if table.weight is None else "given",
            "group": "" if table.groups is None else "given",
            **asked,
        }
        values = [value or "not given (default)" for value in rows.values()]
        return pd.DataFrame({"value": values}, index=pd.Index(rows, name="parameter"))

    def figures(self):
        """Draw the figures of the page.

        Returns
        -------
        dict of str to Axes
            "reliability" and, where groups were sought, "groups".
        """
        from helpers.plotting import plot_groups, plot_reliability_close

        axes = {"reliability": plot_reliability_close(self.average.error.curve, self.table.p)}
        return axes if self.audit is None else axes | {"groups": plot_groups(self.audit.table)}

    def save(self, folder, *, overwrite=False, control=False, rng=0):
        """Write the page (report.html), a row a case (scores.csv), a row a group (groups.csv) and a repair.

        Parameters
        ----------
        folder : str or Path
            Where to; made if it is not there.
        overwrite : bool, default False
            Whether files of these names may be replaced.
        control : bool, default False
            Whether the page repeats the audit where there is nothing to find (`negative_control`).
        rng : int, Generator or None, default 0
            Source of the folds of the repair, and of the control.

        Returns
        -------
        Path
            The page.

        Raises
        ------
        ValueError
            If a file is there already; nothing is written then.
        """
        from helpers.reports.control import negative_control
        from helpers.reports.files import check_free, save_files
        from helpers.reports.page import page_of

        rng = np.random.default_rng(rng)
        path = check_free(folder, ["report.html"], overwrite) / "report.html"
        files = save_files(self, folder, overwrite=overwrite, rng=rng)
        path.write_text(page_of(self, files, negative_control(self, rng=rng) if control else None), encoding="utf-8")
        return path

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
        error = self.average.error
        line = self.average.line
        loss = self.loss
        numbers = {"n": self.table.n, "n_features": len(self.table.features), "obstacle": self.obstacle}
        numbers |= {name: float(self.average.rates[name]) for name in ("stated", "observed", "gap")}
        numbers |= {f"gap_{name}": float(self.average.rates[name]) for name in ("low", "high")}
        numbers |= {"off_on_average": self.average.is_off, "off_on_average_p_value": self.average.p_value}
        numbers |= {"off_on_average_size": self.average.size}
        numbers["calibration_error"] = error.value
        for name in ("debiased", "low", "high", "null", "p_value", "n_bins"):
            numbers[f"calibration_error_{name}"] = getattr(error, name)
        numbers["calibrator"] = self.average.kind
        if line is not None:
            numbers |= {"platt_intercept": line.intercept, "platt_slope": line.slope, "platt_p_value": line.p_value}
        if loss is not None:
            numbers |= {"grouping_loss": loss.value, "grouping_loss_certified": self.certified}
            for name in ("se", "low", "high", "p_value", "plugin", "n_regions", "left_out"):
                numbers[f"grouping_loss_{name}"] = getattr(loss, name)
            numbers["grouping_loss_detectable"] = self.detectable
        if self.audit is not None:
            for name in ("rule", "n", "stated", "observed", "gap", "low", "high", "adjusted"):
                numbers[f"groups_{name}"] = self.audit.table[name].tolist()
        if self.decisions is not None:
            numbers["threshold"] = self.decisions.threshold
            for name in ("yes", "recalibrated", "to_yes", "to_no"):
                numbers[f"decisions_{name}"] = getattr(self.decisions, name)
        return numbers


def _gap(row):
    """The gap of a row of a table with its interval, in points."""
    se = (row.high - row.low) / 4
    return f"{points(row.gap, se, sign=True)} ({span(row.low, row.high, se, sign=True)})".replace(" ", NBSP)


def audit_scores(table, *, cost=None, check=(), rng=None):
    """Audit a table of scores: calibration, grouping loss, misjudged groups, decisions.

    Parameters
    ----------
    table : ScoreTable
        From `read_table` or `helpers.tables.read_scores`.
    cost : array_like or DataFrame, shape (2, 2), optional
        Cost of each decision under each truth, cost[decision, truth]; without costs no decision is judged.
    check : str or list of str, default ()
        Columns of which every level is shown, whatever its number of rows.
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
        For costs of another shape, or of which a mistake is not dearer than a right answer, and for columns to check
        that the table does not have.

    Examples
    --------
    >>> from helpers.reports import read_table
    >>> audit = audit_scores(read_table("data/rand_scores.csv.gz"), rng=0)
    >>> audit.certified, audit.obstacle
    (True, '')
    """
    if cost is not None:
        cost = check_costs(cost)
        threshold = optimal_threshold(cost)  # more than two decisions are refused before anything is computed
    rng_given = rng if isinstance(rng, int) else None
    rng = np.random.default_rng(rng)
    table = table.checked()  # the only check: what follows computes
    levels = levels_to_show(table, check)
    obstacle = find_obstacle(table)
    average = measure_average(table, may_bend=not obstacle, rng=rng)
    calibrated = average.calibrator.predict_rows(table.p)
    loss = audit = None
    if not obstacle:
        loss = loss_of_rows(table, calibrator=average.kind, rng=rng)
        audit = find_misjudged(table, average.kind, rng=rng)
    decisions = None if cost is None else compare_decisions(table, calibrated, audit, threshold)
    options = {"cost": None if cost is None else cost.tolist(), "check": check, "rng": rng_given}
    return ScoreReport(table, cost, average, calibrated, obstacle, loss, audit, levels, decisions, options)


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
    loss = loss_of_rows(table, calibrator=report.average.kind, rng=rng)
    audit = find_misjudged(replace(table, p=c), report.average.kind, n_draws=CONTROL_DRAWS, rng=rng)
    return {"n": rows.size, "value": loss.value, "alarm": bool(loss.p_value < 0.05), "named": len(audit.sure) > 0}
