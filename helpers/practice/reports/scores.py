"""The report on a table of scores: `audit_scores` computes, `score_findings` concludes, score_words.ini says it."""

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd

from helpers import _progress
from helpers.checks import check_one_of, check_rng
from helpers.decisions import optimal_threshold
from helpers.decisions.costs import check_costs
from helpers.grouping import GroupingLoss
from helpers.practice.reports import control
from helpers.practice.reports.average import measure_average
from helpers.practice.reports.document import Report
from helpers.practice.reports.drift import measure_drifts
from helpers.practice.reports.files import WHAT, write_files
from helpers.practice.reports.findings import Severity, read_words
from helpers.practice.reports.intake import as_assumed, find_limitation, levels_to_show, relabelled
from helpers.practice.reports.misjudged import find_misjudged
from helpers.practice.reports.pair import compare_scores, pairs_in_order
from helpers.practice.reports.phrases import typically
from helpers.practice.reports.rescored import count_money, mean_of, parts_of_loss, repair_scores
from helpers.practice.reports.score_findings import find_all
from helpers.practice.reports.score_tables import ScoreTables
from helpers.practice.reports.several import check_classes_asked, measure_classes, repaired_answers
from helpers.practice.reports.single_cases import measure_loss
from helpers.practice.tables.scores import ScoreTable
from helpers.profile.alerts import Alert, no_table_warnings

GAP = "observed minus stated, in points\n(left: scores too high)"

GROUPS_SEED = 0  # of the draws that judge groups: two readers of a table read of the same ones, whatever their seed

SECTIONS = {  # what takes long, in the order in which the sections draw
    "average": "averages",
    "money": "recalibration, repair and costs",
    "pair": "the two scores",
    "loss": "grouping loss",
    "audit": "search for groups",
    "several": "all classes together",
}

RARE = 0.05  # rate of events below which axes of probabilities are logarithmic


@dataclass(frozen=True)
class ScoreReport(ScoreTables, Report):
    """What a table of scores says about them; what could not be looked at is None."""

    words = read_words(Path(__file__).with_name("score_words.ini"))
    least_advised = Severity.SERIOUS
    find = find_all
    file_names = tuple(WHAT)
    write = write_files

    table: ScoreTable = field(repr=False)  # as `ScoreTable.checked` gives it, with the names of the page
    cost: np.ndarray | None  # cost[decision, truth]
    class_cost: pd.DataFrame | None  # of several classes, cost.loc[decision, truth]
    ordered: bool  # whether the classes are steps of a scale
    checked: pd.DataFrame | None  # every level of the columns that the user named
    draws: dict = field(repr=False)  # source of randomness of each section
    options: dict = field(default_factory=dict, repr=False)  # what was asked for: cost, check, labels and rng
    labels: dict = field(default_factory=dict, repr=False)  # {column of the file: its name on the page}
    assumed_groups: Alert | None = None  # of rows that err alike, where the groups come from it

    @cached_property
    def over_time(self):
        """Columns in which new rows lie beyond those of the table, such as dates, by their names on the page."""
        later = self.scores.later
        names = [] if later is None else dict.fromkeys([later.column, *later.beyond])
        return [self.labels.get(name, name) for name in names]

    @property
    def own(self):
        """The table with the names of its file: a repair is for files like the user's."""
        names = {shown: name for name, shown in self.labels.items()}
        score = names.get(self.table.score, self.table.score)
        return replace(self.table, X=self.table.X.rename(columns=names), score=score)

    # ---- sections -----------------------------------------------------------------------------------------------

    @cached_property
    def limitation(self):
        """Why grouping loss and groups are missing, or ""."""
        return find_limitation(self.table)[0]

    @cached_property
    def average(self):
        """Stated beside observed, over cases with similar scores."""
        return measure_average(self.table, try_isotonic=not self.limitation, rng=self.draws["average"])

    @cached_property
    def order(self):
        """Share of pairs of a 1 and a 0 in the right order: area, area_low, area_high; None without pairs."""
        if np.ptp(self.table.y) == 0:
            return None
        return mean_of(self.table, "area", pairs_in_order(self.table.p, self.table.y, self.table.weights))

    @cached_property
    def drifts(self):
        """A `Drift` for each column of dates."""
        return measure_drifts(self.table)

    @cached_property
    def loss(self):
        """How far single cases are from the rate of their score."""
        return None if self.limitation else measure_loss(self.table, self.average.kind, rng=self.draws["loss"])

    @cached_property
    def audit(self):
        """For whom the scores are wrong, the `MisjudgedGroups`."""
        return None if self.limitation else find_misjudged(self.table, self.average.kind, rng=GROUPS_SEED)

    @cached_property
    def scores(self):
        """Recalibrated scores out of fold; with costs also repaired ones."""
        if self.several is not None:
            return repaired_answers(self.table, self.average.kind, self.several.repair, self.draws["scores"])
        can_repair = self.cost is not None and not self.limitation
        return repair_scores(self.own, self.average.kind, can_repair=can_repair, rng=self.draws["scores"])

    @cached_property
    def money(self):
        """What decisions cost by each score; None without costs."""
        return None if self.cost is None else count_money(self.own, self.scores, self.cost)

    @cached_property
    def pair(self):
        """The score beside an old one, each recalibrated as it needs; None with one score."""
        if self.table.before is None:
            return None
        rng = self.draws["pair"]
        old = measure_average(replace(self.table, p=self.table.before), try_isotonic=not self.limitation, rng=rng)
        return compare_scores(self.table, cost=self.cost, calibrators=(old.kind, self.average.kind), rng=rng)

    @cached_property
    def several(self):
        """All classes together, `SeveralClasses`; None where scores have no column for each."""
        if self.limitation:
            return None
        rng = self.draws["several"]
        return measure_classes(self.table, self.own, rng, ordered=self.ordered, cost=self.class_cost)

    @cached_property
    def calibrated(self):
        return self.average.calibrator.predict(self.table.p)

    @cached_property
    def loss_parts(self):
        return parts_of_loss(self.table, self.scores.recalibrated)

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
        return ["bins", "curve"] if self.audit is None else ["bins", "curve", "groups"]

    def draw(self, name):
        """Draw one of `figure_names`; the axes or figure."""
        from helpers.plotting import plot_groups, plot_reliability_close, reports

        check_one_of(name, "name", self.figure_names)
        if name == "groups":
            return plot_groups(self.audit.drawn, xlabel=GAP, in_order=True, most=len(self.audit.drawn))
        average = self.average
        rare = float(average.rates["observed"]) < RARE
        options = {"log": rare, "threshold": None if self.money is None else self.money.threshold}
        if name == "curve":
            return reports.plot_monotone(average.curve, self.table.p, **options)
        if average.is_off_by:
            options |= {"typical": average.size, "apart": typically(average.size, average.low, average.high)}
        return plot_reliability_close(average.error.curve, **options)

    def null_trials(self, rng):
        """The tests that could raise an alarm, {name: function of `rng`}, for `negative_control`."""
        if self.loss is None:
            return {}
        rows = control.control_rows(self, control.MOST_ROWS if self.by_tree else control.LEARNER_ROWS, rng)
        return {"grouping loss": partial(control.null_trial, self, rows)}

    def metrics(self):
        """Numbers, texts and lists by name, for metrics.json."""
        average = self.average
        numbers = {
            "n": self.table.n,
            "use": self.found[0].kind,
            "limitation": self.limitation,
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
            if self.several.money is not None:
                costs = self.several.money.costs["cost"]
                numbers |= {f"class_cost_{policy}": float(value) for policy, value in costs.items()}
        if self.money is not None:
            numbers["threshold"] = self.money.threshold
            for policy in ("stated", "recalibrated", "repaired"):
                numbers[f"cost_{policy}"] = float(self.money.costs.loc[policy, "cost"])
        if self.pair is not None:
            for name in ("difference", "low", "high"):
                numbers[f"pair_{name}"] = float(self.pair.table.loc["squared error", name])
        return numbers


@no_table_warnings()  # the page says them
def audit_scores(table, *, cost=None, class_cost=None, ordered=False, check=(), labels=None, rng=None, progress=None):
    """Audit a table of scores: calibration, grouping loss, misjudged groups, decisions.

    Parameters
    ----------
    table : ScoreTable
        From `read_table` or `helpers.practice.tables.read_scores`.
    cost : array_like or DataFrame, shape (2, 2), optional
        Cost of each decision under each truth, cost[decision, truth]; without costs no decision is judged. Of several
        classes the truth is whether the answer is right.
    class_cost : array_like, DataFrame, str or Path, shape (D, K), optional
        Of several classes, the cost of each of D decisions if the truth is each of K classes: columns are named by
        class, rows by decision (in a file, by its first column).
    ordered : bool, default False
        Whether the classes, in the order of their columns, are steps of a scale, as in `grouping_loss`.
    check : str or list of str, default ()
        Columns of which every level is shown, whatever its number of rows.
    labels : dict or str or Path, optional
        {column: its name on the page}, or a YAML file that holds it.
    rng : int, Generator or None, default None
        Source of randomness. The draws that judge groups are the same whatever it is: with more than a thousand of
        them, others move the limit by about one percent, and the page says which groups may hang on that.
        `helpers.audit.search_segments` draws others.
    progress : bool, optional
        Whether to say on stderr what is being done: on a terminal in a line that changes, elsewhere in a line each half
        minute. By default yes, but for notebooks, which would store it.

    Returns
    -------
    ScoreReport
        `headline` and `findings` (a table) say what was found, `steps` what to do, `show("groups")` shows a part of
        the page, `save(folder)` writes it, `metrics()` are its numbers. With fewer than 300 rows, 20 cases of the
        rarer label, 40 groups, or no features, it holds the calibration only; `limitation` says why.

    Raises
    ------
    ValueError
        For costs of another shape, of which a mistake costs no more than a right answer, or that leave nothing to
        decide, for `class_cost` or `ordered` of a table with one score, and for columns to check or labels of columns
        that the table does not have.

    Examples
    --------
    >>> from helpers.practice.reports import read_table
    >>> table = read_table("data/rand_scores.csv.gz", features=["chronic", "limited"], group="person")
    >>> audit = audit_scores(table, rng=0)
    >>> audit.certified, audit.limitation
    (True, '')
    """
    if cost is not None:
        cost = check_costs(cost)
        threshold = optimal_threshold(cost)  # more than two decisions are refused before anything is computed
        if not 0 < threshold < 1:
            best = "yes" if threshold <= 0 else "no"
            raise ValueError(f"cost must leave something to decide, but {best} is best whatever the score.")
    class_costs = check_classes_asked(table, class_cost, ordered)
    options = {"cost": None if cost is None else cost.tolist(), "check": check}
    if table.classes is not None:
        options["class_cost"] = None if class_costs is None else class_costs.to_dict("index")
        options["ordered"] = "yes" if ordered else "no"
    options["labels"] = Path(labels).name if isinstance(labels, str | Path) else labels
    options["rng"] = rng if isinstance(rng, int) else None
    rng = check_rng(rng)
    of_loss, of_repair, of_pair, of_classes = rng.spawn(4)  # no section's numbers depend on what others draw
    with _progress.told(len(SECTIONS) + 1, progress):
        _progress.step("columns")
        own, assumed_groups = as_assumed(table.checked())  # the only check: what follows computes
        table, labels, check = relabelled(own, labels, check)
        report = ScoreReport(
            table=table,
            cost=cost,
            class_cost=class_costs,
            ordered=ordered,
            checked=levels_to_show(table, check),
            draws={"average": rng, "loss": of_loss, "scores": of_repair, "pair": of_pair, "several": of_classes},
            options=options,
            labels=labels,
            assumed_groups=assumed_groups,
        )
        for section, words in SECTIONS.items():
            _progress.step(words)
            getattr(report, section)
        _ = report.found  # all is computed here, and not when somebody reads it
    return report
