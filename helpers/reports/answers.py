"""What the audit of a file of sampled answers has found, with what cannot be said left empty.

`answer_audit.audit_answers` computes, `answer_findings` draws the conclusions, `answer_kinds` holds the words.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd

from helpers.answers import SemanticCalibration
from helpers.calibration import calibration_error
from helpers.reports.answer_costs import AnswerCosts, print_costs
from helpers.reports.answer_files import print_parameters, save_files
from helpers.reports.answer_findings import find_all
from helpers.reports.answer_groups import QuestionGroups, print_groups
from helpers.reports.answer_kinds import FIGURES, KINDS, PARTS, TITLE
from helpers.reports.answer_numbers import hardest, print_questions, print_strata, sure_but_wrong
from helpers.reports.answer_pair import AnswerPair
from helpers.reports.answer_promises import Promises, print_promises
from helpers.reports.document import Report
from helpers.reports.findings import Severity, steps_of
from helpers.reports.phrases import NAMES, measured, percent, points, short, with_span
from helpers.reports.votes import print_votes
from helpers.selective import risk_coverage_curve
from helpers.tables import AnswerTable


@dataclass(frozen=True)
class AnswerReport(Report):
    """What a file of sampled answers says about how far its confidences can be believed.

    Parameters
    ----------
    table : AnswerTable
        What was audited.
    reject_cost : float or None
        Cost of a refusal, in units of a wrong answer; None where no costs are given.
    sources : dict
        {name: (Q,) confidence}: sem1, sem2 and, where there are enough, stated (NaN where none).
    correct : (Q,) int array
        Whether the most frequent answer is right: 1, 0, or -1 where that is unknown.
    accuracy : tuple or None
        (value, low, high) over the questions with a known answer.
    obstacle : str
        Why what follows is missing, or "".
    calibration : SemanticCalibration or None
        Calibration error of each source.
    over : DataFrame or None
        Mean confidence less share of right answers of each source.
    costs : DataFrame or None
        ECUAS and AURC of the sources over the questions that have all of them.
    stated_gain : tuple or None
        (difference, low, high) of the ECUAS (n = 1) of stated confidence and agreement, both recalibrated.
    promises : Promises or None
        Which answers may be used with a promise, by each confidence.
    prices : AnswerCosts or None
        What answering costs, where costs are given.
    groups : QuestionGroups or None
        Groups of questions in which the best confidence is off; None where there are no columns for it.
    questions : DataFrame
        A row a question: confidences, gap (Sem1 less Sem2), correct.
    strata : DataFrame
        A row for questions without a gap, with a smaller and with a larger one.
    sizes : DataFrame
        Votes of fewer answers, see `helpers.reports.votes.compare_votes`.
    pair : AnswerPair or None
        The paired differences from a second system.
    options : dict
        What was asked for: terms, resamples and rng.

    Examples
    --------
    >>> from helpers.reports import audit_answers
    >>> from helpers.tables import read_answers
    >>> report = audit_answers(read_answers(), n_resamples=100, rng=0)
    >>> report.best_source, report.most, report.findings["kind"].iloc[0]
    ('stated', 25, 'too_high')
    """

    title: ClassVar[str] = TITLE
    kinds: ClassVar[dict] = KINDS
    parts: ClassVar[dict] = PARTS
    figures: ClassVar[dict] = FIGURES

    table: AnswerTable = field(repr=False)
    reject_cost: float | None
    sources: dict = field(repr=False)
    correct: np.ndarray = field(repr=False)
    accuracy: tuple | None
    obstacle: str
    calibration: SemanticCalibration | None = field(repr=False)
    over: pd.DataFrame | None = field(repr=False)
    costs: pd.DataFrame | None = field(repr=False)
    stated_gain: tuple | None
    promises: Promises | None = field(repr=False)
    prices: AnswerCosts | None = field(repr=False)
    groups: QuestionGroups | None = field(repr=False)
    questions: pd.DataFrame = field(repr=False)
    strata: pd.DataFrame = field(repr=False)
    sizes: pd.DataFrame = field(repr=False)
    pair: AnswerPair | None = field(default=None, repr=False)
    options: dict = field(default_factory=dict, repr=False)

    def find(self):
        """Draw the conclusions.

        Returns
        -------
        list of Finding
            In no order.
        """
        return find_all(self)

    @property
    def steps(self):
        """What to do, in order: what forbids any use, then how to use the answers, then the rest."""
        first = sorted(self.found, key=lambda one: (one.severity < Severity.GRAVE, KINDS[one.kind].part != "use"))
        return steps_of(first, KINDS)

    @property
    def known(self):
        """(Q,) bool: questions for which it is known whether the most frequent answer is right."""
        return self.correct >= 0

    @property
    def best_source(self):
        """The confidence that certifies most; where none does, the one that is worth more, both recalibrated."""
        if self.promises is not None and self.promises.source:
            return self.promises.source
        return "stated" if self.stated_gain is not None and self.stated_gain[2] < 0 else "sem1"

    @property
    def wrong_names(self):
        """The three wrong answers of the highest confidence, as short texts of their questions."""
        if self.obstacle:
            return []
        rows = sure_but_wrong(self.questions, self.sources[self.best_source], self.table.grouped, 3)
        return [f"“{short(name, 60)}”" for name in rows["question"]]

    @property
    def most(self):
        """Number of answers of the largest vote."""
        return int(self.sizes["size"].iloc[-1])

    @property
    def ends(self):
        """What the figure of votes begins and ends with: shares right or, without right answers, the same."""
        values = self.sizes["same" if self.obstacle else "right"]
        return values.iloc[0], values.iloc[-1]

    @property
    def figure_names(self):
        """Names of the figures that there are."""
        return ["samples"] if self.obstacle else ["reliability", "kept", "samples"]

    def draw(self, name):
        """Draw a figure.

        Parameters
        ----------
        name : str
            One of `figure_names`.

        Returns
        -------
        Figure or Axes
            The new figure.
        """
        from helpers.plotting import plot_confidences, plot_kept, plot_votes

        if name == "reliability":
            return plot_confidences(self.reliability_curves)
        if name == "kept":
            limit = None if self.options.get("price") else self.reject_cost  # which holds where samples cost nothing
            return plot_kept(self.kept_curves, self.kept_points, limit)
        return plot_votes(self.sizes)

    @property
    def reliability_curves(self):
        """{name of a confidence: ReliabilityCurve} for the figure."""
        return {NAMES[name]: error.curve for name, error in self.calibration.errors.items()}

    @property
    def kept_curves(self):
        """{name of a confidence: RiskCoverageCurve} for the figure, without held-out agreement, which orders alike."""
        curves = {}
        for name in [name for name in self.sources if name != "sem2"]:
            rows = self.known & np.isfinite(self.sources[name])
            curves[NAMES[name]] = risk_coverage_curve(self.correct[rows], self.sources[name][rows])
        return curves

    @property
    def kept_points(self):
        """{name of a confidence: (share answered, share wrong among these)} of the answers with a promise."""
        used = self.promises.used & self.known
        if not used.any():
            return {}
        share = used.sum() / self.promises.certificate.n
        return {NAMES[self.promises.source]: (share, 1 - self.correct[used].mean())}

    @property
    def wrong_of_half(self):
        """{name of a confidence: share wrong among the surest half of the answers}."""
        curves = self.kept_curves.items()
        return {name: curve.risk[(curve.coverage >= 0.5).argmax()] for name, curve in curves}

    @property
    def calibration_table(self):
        """Stated and right, calibration error as measured, of a perfect source, and without chance, in points."""
        if self.obstacle:
            return None
        lines = []
        for row in self.calibration.summary.itertuples():
            upper = max(row.high, row.null)
            se = max((upper - row.low) / 4, 1e-6)
            lines.append({
                "confidence": NAMES[row.source],
                "mean": percent(row.confidence),
                "right": percent(row.accuracy),
                "calibration error": points(row.ece, se),
                "of a perfect one": points(row.null, se),
                "without chance": with_span(row.debiased, row.low, upper, se),
            })  # fmt: skip
        return pd.DataFrame(lines).set_index("confidence")

    @property
    def ecuas_table(self):
        """ECUAS and AURC of each confidence, with intervals."""
        if self.obstacle:
            return None
        rows = {"ecuas_0": "ECUAS, n = 0", "ecuas_1": "ECUAS, n = 1", "ecuas_inf": "ECUAS, n = ∞", "aurc": "AURC"}
        columns = {}
        for name in self.sources:
            costs = self.costs[self.costs["system"] == name].set_index("metric")
            columns[NAMES[name]] = [measured(*costs.loc[metric, ["value", "low", "high"]]) for metric in rows]
        return pd.DataFrame(columns, index=list(rows.values())).rename_axis("smaller is better")

    @property
    def strata_table(self):
        """Questions by their gap between the two agreements, with the share of right answers."""
        return print_strata(self.strata)

    @property
    def hard_table(self):
        """The ten questions with the largest gaps, with their answers; None without a gap."""
        table = hardest(self.questions, self.table.grouped)
        return None if table.empty else print_questions(table, "gap in points", lambda gap: points(gap, 0.002))

    @property
    def wrong_table(self):
        """The ten wrong answers of the highest confidence, by the best one; None where nothing is known or wrong."""
        if not self.wrong_names:
            return None
        table = sure_but_wrong(self.questions, self.sources[self.best_source], self.table.grouped)
        return print_questions(table, NAMES[self.best_source], percent)

    @property
    def promise_table(self):
        """What can be promised, for several shares of right answers."""
        return None if self.obstacle else print_promises(self.promises)

    @property
    def price_table(self):
        """What giving answers costs; None without costs."""
        return None if self.prices is None else print_costs(self.prices, self.most)

    @property
    def group_table(self):
        """Groups of questions in which the best confidence is off; None where none is named."""
        table = None if self.groups is None else self.groups.table
        return None if table is None or table.empty else print_groups(table)

    @property
    def pair_table(self):
        """Two systems side by side, with paired intervals; None for one system."""
        return None if self.pair is None else self.pair.table

    @property
    def parameter_table(self):
        """What this report was made from, with defaults marked."""
        return print_parameters(self)

    @property
    def sample_table(self):
        """Votes of fewer answers: how often they say the same as all, and how often they are right."""
        return print_votes(self.sizes)

    def save_files(self, folder, *, overwrite=False):
        """Write findings.json, answers.csv (a row a question) and, for two systems, systems.csv.

        Parameters
        ----------
        folder : str or Path
            Where to; made if it is not there.
        overwrite : bool, default False
            Whether files of these names may be replaced.

        Returns
        -------
        DataFrame
            A row a file: `File` (the index) and what it holds.

        Raises
        ------
        ValueError
            If a file is there already.
        """
        return save_files(self, folder, overwrite)

    def null_trials(self, rng):
        """Find the tests that could raise an alarm: {name: function of `rng`}, for `negative_control`.

        Parameters
        ----------
        rng : Generator
            Not used: every graded question takes part.

        Returns
        -------
        dict
            One test for each source; empty without a calibration.
        """
        if self.calibration is None:
            return {}
        return {
            name: partial(_null_trial, confidence[self.known & np.isfinite(confidence)])
            for name, confidence in self.sources.items()
        }

    def metrics(self):
        """Collect names and numbers for metrics.json.

        Returns
        -------
        dict
            Numbers, texts and lists by name.
        """
        table = self.table
        numbers = {"n_questions": table.n_questions, "n_answers": table.n_answers}
        numbers |= {"n_known": int(self.known.sum()), "n_stated": int(table.stated.sum()), "obstacle": self.obstacle}
        numbers |= {"n_unreadable": int(table.grouped.unparsed.sum()), "answer": self.headline}
        if self.accuracy is not None:
            numbers |= dict(zip(("accuracy", "accuracy_low", "accuracy_high"), self.accuracy, strict=True))
        numbers |= {f"{name}_mean": float(np.nanmean(confidence)) for name, confidence in self.sources.items()}
        numbers["gap_mean"] = float(self.questions["gap"].mean())
        if not self.obstacle:
            numbers |= self._metrics_of_sources()
        columns = ["size", "same"] if self.obstacle else ["size", "same", "right"]
        return numbers | {f"samples_{name}": self.sizes[name].tolist() for name in columns}

    def _metrics_of_sources(self):
        numbers = {}
        for row in self.calibration.summary.to_dict("records"):
            name = row["source"]
            for key in ("ece", "low", "high", "null", "p_value", "n"):
                numbers[f"{name}_calibration_{key}"] = row[key]
            numbers[f"{name}_overconfidence"] = row["overconfidence"]
        for row in self.costs.itertuples():
            if row.metric == "aurc" or row.metric.startswith("ecuas"):
                name = f"{row.system}_{row.metric}"
                numbers |= {name: row.value, f"{name}_low": row.low, f"{name}_high": row.high}
        if self.prices is not None:
            for row in self.prices.table.itertuples():
                numbers[f"{row.Index}_answered"] = row.answered
                numbers[f"{row.Index}_wrong_among_answered"] = None if np.isnan(row.wrong) else row.wrong
                numbers[f"{row.Index}_cost"] = row.cost
        certificate = self.promises.certificate
        numbers |= {"advice_by": self.best_source, "certified": certificate.certified}
        numbers |= {"certified_answered": certificate.coverage}
        found = self.findings
        numbers["groups"] = found.loc[found["kind"].isin(["group_less", "group_more"]), "subject"].tolist()
        if self.pair is not None:
            for row in self.pair.measures.itertuples():
                numbers |= {f"pair_{row.measure}": row.difference, f"pair_{row.measure}_low": row.low}
                numbers[f"pair_{row.measure}_high"] = row.high
        return numbers


def _null_trial(p, *, rng):
    """The test of calibration on answers that are right exactly as often as the confidence says."""
    error = calibration_error(rng.random(p.size) < p, p, n_bins=10, rng=rng)
    return {"n": p.size, "value": error.value, "alarm": bool(error.p_value < 0.05)}
