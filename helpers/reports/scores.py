"""The report on a table of scores: `audit_scores` computes, `score_findings` concludes, score_words.ini says it."""

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.checks import check_one_of, check_rng
from helpers.decisions import optimal_threshold
from helpers.decisions.costs import check_costs
from helpers.grouping import GroupingLoss, StackedGroupingLoss
from helpers.reports.average import Average, measure_average
from helpers.reports.document import Report
from helpers.reports.drift import measure_drifts
from helpers.reports.intake import find_obstacle, levels_to_show, relabelled
from helpers.reports.misjudged import MisjudgedGroups, find_misjudged
from helpers.reports.money import Money, count_money
from helpers.reports.pair import Comparison, compare_scores, pairs_in_order
from helpers.reports.rescored import Repaired, mean_of, parts_of_loss, repair_scores
from helpers.reports.score_findings import find_all
from helpers.reports.score_page import FIGURES, KINDS, PARTS, TITLE
from helpers.reports.score_tables import ScoreTables
from helpers.reports.several import SeveralClasses, measure_classes
from helpers.reports.single_cases import measure_loss
from helpers.tables import ScoreTable

GAP = "observed less stated, in points (left: scores too high, right: too low)"

RARE = 0.05  # rate of events below which axes of probabilities are logarithmic


@dataclass(frozen=True)
class ScoreReport(ScoreTables, Report):
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
    loss : StackedGroupingLoss, GroupingLoss or None
        Grouping loss: by several learners up to 20,000 cases, by a tree above.
    audit : MisjudgedGroups or None
        Misjudged groups.
    checked : DataFrame or None
        Every level of the columns that the user named.
    order : dict or None
        Share of pairs of a 1 and a 0 in which the 1 has the higher score, with its interval: area, area_low, area_high.
    drifts : list of Drift
        Stated beside observed along each column of dates.
    scores : Repaired
        Recalibrated scores out of fold; repaired ones with costs.
    loss_parts : dict
        Parts of the squared error, from `parts_of_loss`.
    money : Money or None
        Costs; None without costs.
    pair : Comparison or None
        The score beside an old one; None with one score.
    options : dict
        What was asked for: cost, check, labels and rng.
    labels : dict
        {column of the file: its name on the page}, for features.
    several : SeveralClasses or None
        Loss and groups of all classes together, where scores have a column for each class.

    Examples
    --------
    >>> from helpers.reports import read_table
    >>> table = read_table("data/rand_scores.csv.gz", features=["chronic"]).checked().take(range(600))
    >>> report = audit_scores(table, rng=0)
    >>> report.headline
    'Yes, as they are: 600 cases show nothing serious against it.'
    """

    table: ScoreTable = field(repr=False)
    cost: np.ndarray | None
    average: Average
    calibrated: np.ndarray = field(repr=False)
    obstacle: str
    loss: StackedGroupingLoss | GroupingLoss | None
    audit: MisjudgedGroups | None
    checked: pd.DataFrame | None
    order: dict | None
    drifts: list
    scores: Repaired = field(repr=False)
    loss_parts: dict = field(repr=False)
    money: Money | None
    pair: Comparison | None
    options: dict = field(default_factory=dict, repr=False)
    labels: dict = field(default_factory=dict, repr=False)
    several: SeveralClasses | None = None

    title = TITLE
    kinds = KINDS
    parts = PARTS
    figures = FIGURES

    @cached_property
    def found(self):
        """The findings as a list: the use first, then the gravest, then in the order of the page."""
        return sorted(find_all(self), key=lambda one: (self.kinds[one.kind].part != "use", -one.severity))

    @property
    def certified(self):
        """Whether a grouping loss above zero is certain: test at 5 %, interval above zero.

        Where no rising curve fits, the interval must lie above what the best of them leaves to the score alone.
        """
        least = self.average.residual_high if self.average.no_curve_fits else 0.0
        return self.loss is not None and bool(self.loss.p_value < 0.05 and self.loss.low > least)

    @property
    def by_tree(self):
        """Whether the grouping loss is that of a tree, and not that of several learners."""
        return isinstance(self.loss, GroupingLoss)

    @property
    def figure_names(self):
        """Names of the figures that there are: "curve", "bins" and, where groups were sought, "groups"."""
        return ["curve", "bins"] if self.audit is None else ["curve", "bins", "groups"]

    def draw(self, name):
        """Draw a figure of the page.

        Parameters
        ----------
        name : str
            One of `figure_names`.

        Returns
        -------
        Axes or Figure
            What was drawn on.
        """
        from helpers.plotting import plot_groups, plot_reliability_close, reports

        check_one_of(name, "name", self.figure_names)
        rare = float(self.average.rates["observed"]) < RARE
        if name == "curve":
            threshold = None if self.money is None else self.money.threshold
            return reports.plot_monotone(self.average.curve, self.table.p, log=rare, threshold=threshold)
        if name == "bins":
            return plot_reliability_close(self.average.error.curve, self.table.p)
        return plot_groups(self.audit.table, xlabel=GAP, in_order=True)

    def save_files(self, folder, *, overwrite=False, rng=0):
        """Write findings.json, a row a case (scores.csv), a row a group (groups.csv) and a repair, as there are.

        Parameters
        ----------
        folder : str or Path
            Where to; made if it is not there.
        overwrite : bool, default False
            Whether files of these names may be replaced.
        rng : int, Generator or None, default 0
            Source of the folds of the repair.

        Returns
        -------
        DataFrame
            A row a file: `File` (the index) and what it holds.

        Raises
        ------
        ValueError
            If a file is there already.

        Examples
        --------
        >>> import tempfile
        >>> from helpers.reports import read_table
        >>> table = read_table("data/rand_scores.csv.gz", features=["chronic"]).checked().take(range(600))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     audit_scores(table, rng=0).save_files(folder).index.tolist()
        ['findings.json', 'scores.csv', 'groups.csv', 'repair.joblib']
        """
        from helpers.reports.files import write_files

        return write_files(self, folder, overwrite=overwrite, rng=check_rng(rng))

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
        from helpers.reports.control import LEARNER_ROWS, MOST_ROWS, control_rows, null_trial

        if self.loss is None:
            return {}
        rows = control_rows(self, MOST_ROWS if self.by_tree else LEARNER_ROWS, rng)
        return {"grouping loss": partial(null_trial, self, rows)}

    def metrics(self):
        """Collect names and numbers for metrics.json.

        Returns
        -------
        dict
            Numbers, texts and lists by name.
        """
        average = self.average
        numbers = {
            "n": self.table.n,
            "use": self.found[0].kind,
            "obstacle": self.obstacle,
            **{name: float(average.rates[name]) for name in ("stated", "observed", "gap")},
            "off_on_average": average.is_miscalibrated,
            "off_on_average_p_value": average.p_value,
            "off_on_average_size": average.size,
            "calibration_error": average.error.value,
            "calibration_error_debiased": average.error.debiased,
            "calibrator": average.kind,
        }
        if self.loss is not None:
            numbers |= {f"grouping_loss_{name}": getattr(self.loss, name) for name in ("se", "low", "high", "p_value")}
            numbers |= {"grouping_loss": self.loss.value, "grouping_loss_certified": self.certified}
        if self.audit is not None:
            for name in ("rule", "n", "stated", "observed", "gap", "low", "high", "adjusted"):
                numbers[f"groups_{name}"] = self.audit.table[name].tolist()
        if self.several is not None:
            loss = self.several.loss
            numbers |= {f"classes_{name}": getattr(loss, name) for name in ("value", "low", "high", "p_value")}
            numbers["classes_rule"] = self.several.groups["rule"].tolist()
        if self.money is not None:
            numbers["threshold"] = self.money.threshold
            for policy in ("stated", "recalibrated", "repaired"):
                numbers[f"cost_{policy}"] = float(self.money.costs.loc[policy, "cost"])
        if self.pair is not None:
            for name in ("difference", "low", "high"):
                numbers[f"pair_{name}"] = float(self.pair.table.loc["squared error", name])
        return numbers


def audit_scores(table, *, cost=None, check=(), labels=None, rng=None):
    """Audit a table of scores: calibration, grouping loss, misjudged groups, decisions.

    Parameters
    ----------
    table : ScoreTable
        From `read_table` or `helpers.tables.read_scores`.
    cost : array_like or DataFrame, shape (2, 2), optional
        Cost of each decision under each truth, cost[decision, truth]; without costs no decision is judged.
    check : str or list of str, default ()
        Columns of which every level is shown, whatever its number of rows.
    labels : dict or str or Path, optional
        {column: its name on the page}, or a YAML file that holds it.
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
        For costs of another shape, of which a mistake costs no more than a right answer, or that leave nothing to
        decide, and for columns to check or labels of columns that the table does not have.

    Examples
    --------
    >>> from helpers.reports import read_table
    >>> table = read_table("data/rand_scores.csv.gz", features=["chronic", "limited"], group="person")
    >>> audit = audit_scores(table, rng=0)
    >>> audit.certified, audit.obstacle
    (True, '')
    """
    if cost is not None:
        cost = check_costs(cost)
        threshold = optimal_threshold(cost)  # more than two decisions are refused before anything is computed
        if not 0 < threshold < 1:
            best = "yes" if threshold <= 0 else "no"
            raise ValueError(f"cost must leave something to decide, but {best} is best whatever the score.")
    options = {"cost": None if cost is None else cost.tolist(), "check": check}
    options["labels"] = Path(labels).name if isinstance(labels, str | Path) else labels
    options["rng"] = rng if isinstance(rng, int) else None
    rng = check_rng(rng)
    table = table.checked()  # the only check: what follows computes
    own = table
    table, labels, check = relabelled(table, labels, check)
    levels = levels_to_show(table, check)
    obstacle = find_obstacle(table)
    average = measure_average(table, may_bend=not obstacle, rng=rng)
    calibrated = average.calibrator.predict(table.p)
    loss = audit = None
    if not obstacle:
        (of_loss,) = rng.spawn(1)  # so that what follows does not depend on the estimator
        loss = measure_loss(table, average.kind, rng=of_loss)
        audit = find_misjudged(table, average.kind, rng=rng)
    scores = repair_scores(own, average.kind, can_repair=cost is not None and not obstacle, rng=rng)
    return ScoreReport(
        table=table,
        cost=cost,
        average=average,
        calibrated=calibrated,
        obstacle=obstacle,
        loss=loss,
        audit=audit,
        checked=levels,
        order=order_of(table),
        drifts=measure_drifts(table),
        scores=scores,
        loss_parts=parts_of_loss(table, scores.recalibrated),
        money=None if cost is None else count_money(table, scores, cost),
        pair=_compared(table, cost, average.kind, obstacle, rng),
        options=options,
        labels=labels,
        several=None if obstacle else measure_classes(table, rng),
    )


def order_of(table):
    """Share of pairs of a 1 and a 0 in which the 1 has the higher score, with its interval; None without pairs."""
    if np.ptp(table.y) == 0:
        return None
    mean = mean_of(table)
    return mean("area", pairs_in_order(table.p, table.y, mean))


def _compared(table, cost, kind, obstacle, rng):
    """The score beside the old one, each recalibrated as it needs; None with one score."""
    if table.before is None:
        return None
    old = replace(table, p=table.before)
    kinds = (measure_average(old, may_bend=not obstacle, rng=rng).kind, kind)
    return compare_scores(table, cost=cost, calibrators=kinds, rng=rng)
