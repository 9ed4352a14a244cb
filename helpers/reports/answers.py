"""What the audit of a file of sampled answers has found, with what cannot be said left empty, and its page and files.

`answer_audit.audit_answers` computes, `answer_findings` draws the conclusions, answer_words.ini holds the words.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd

from helpers.answers import SemanticCalibration
from helpers.calibration import calibration_error
from helpers.reports.answer_costs import cost_table
from helpers.reports.answer_findings import find_all, share_right
from helpers.reports.answer_kinds import FIGURES, KINDS, PARTS, TITLE
from helpers.reports.answer_numbers import SAME, Promises, QuestionGroups, closest_votes, describe, sure_but_wrong
from helpers.reports.answer_pair import AnswerPair
from helpers.reports.document import Report, check_free
from helpers.reports.files import without_formulas
from helpers.reports.findings import Severity, steps_of
from helpers.reports.phrases import NAMES, percent, points
from helpers.selective import risk_coverage_curve
from helpers.tables import AnswerTable

LEAST_QUESTIONS = 30  # with a known answer; below, only the share of right answers is told

WHAT = {
    "answers.csv": "A row a question: its most frequent answer, how many answers agree, confidences, whether it is "
    "right (1, 0), whether it may be used with the promise (use_certified) and, with costs, by these (use_by_cost); "
    "columns of the file about whole questions. Notebook 13 reads it: label right, score agreement",
    "findings.json": "The findings of this page for programs",
}


@dataclass(frozen=True)
class AnswerReport(Report):
    """What a file of sampled answers says about how far its confidences can be believed.

    Parameters
    ----------
    table : AnswerTable
        What was audited.
    options : dict
        What was asked for: costs (None where none are given), precision, resamples, rng and the second system.
    sources : dict
        {name: (Q,) confidence}: sem1, sem2 and, where there are enough, stated (NaN where none).
    correct : (Q,) int array
        Whether the most frequent answer is right: 1, 0, or -1 where that is unknown.
    sizes : DataFrame
        Votes of fewer answers, see `helpers.reports.votes.compare_votes`.
    calibration : SemanticCalibration or None
        Calibration error of each source; it and all that follows is None where there is an obstacle.
    over : DataFrame or None
        Mean confidence less share of right answers of each source.
    stated_gain : tuple or None
        (difference, low, high) of the AURC of stated confidence and agreement.
    promises : Promises or None
        Which answers may be used with a promise, by each confidence.
    groups : QuestionGroups or None
        Groups of questions in which the best confidence is off; None where there are no columns for it.
    cut : float or None
        Lowest value of the best confidence at which an answer pays, where costs are given; infinite if none does.
    prices : DataFrame or None
        What answering costs then, see `helpers.reports.answer_costs.price_answers`.
    pair : AnswerPair or None
        The paired differences from a second system.

    Examples
    --------
    >>> from helpers.reports import audit_answers
    >>> from helpers.tables import read_answers
    >>> report = audit_answers(read_answers(), n_resamples=100, rng=0)
    >>> report.promises.source, report.most, report.headline.partition(",")[0]
    ('stated', 25, 'Yes')
    """

    title: ClassVar[str] = TITLE
    kinds: ClassVar[dict] = KINDS
    parts: ClassVar[dict] = PARTS
    figures: ClassVar[dict] = FIGURES

    table: AnswerTable = field(repr=False)
    options: dict = field(repr=False)
    sources: dict = field(repr=False)
    correct: np.ndarray = field(repr=False)
    sizes: pd.DataFrame | None = field(default=None, repr=False)
    calibration: SemanticCalibration | None = field(default=None, repr=False)
    over: pd.DataFrame | None = field(default=None, repr=False)
    stated_gain: tuple | None = None
    promises: Promises | None = field(default=None, repr=False)
    groups: QuestionGroups | None = field(default=None, repr=False)
    cut: float | None = None
    prices: pd.DataFrame | None = field(default=None, repr=False)
    pair: AnswerPair | None = field(default=None, repr=False)

    def find(self):
        """List the findings, in no order.

        Returns
        -------
        list of Finding
            See `helpers.reports.answer_findings`.
        """
        return find_all(self)

    @property
    def steps(self):
        """What to do, in order: what forbids any use, then how to use the answers, then the rest."""
        ordered = sorted(self.found, key=lambda one: (one.severity < Severity.GRAVE, KINDS[one.kind].part != "use"))
        return steps_of(ordered, KINDS)

    @property
    def known(self):
        """(Q,) bool: questions for which it is known whether the most frequent answer is right."""
        return self.correct >= 0

    @property
    def obstacle(self):
        """Why nothing is said about right and wrong beyond their share, in one sentence; "" if there is enough."""
        n_known = int(self.known.sum())
        if not n_known:
            return "The file does not say which answers are right."
        if n_known < LEAST_QUESTIONS:
            few = "one question" if n_known == 1 else f"{n_known:,} questions"
            return f"The right answer is known for only {few}; at least {LEAST_QUESTIONS} are needed."
        return ""

    @property
    def accuracy(self):
        """(value, low, high): share of right answers, over the questions with a known one; None where there is none."""
        share = share_right(self.correct)
        return (float(share["value"]), share["low"], share["high"]) if share["n"] else None

    @property
    def gap(self):
        """(Q,) agreement less held-out agreement: 0 where every half of the answers chooses the same one."""
        return np.round(np.maximum(self.sources["sem1"] - self.sources["sem2"], 0), 9)  # equal counts, equal gaps

    @property
    def best_source(self):
        """The confidence that certifies most; where none does, stated confidence if it surely orders better."""
        if self.promises is not None and self.promises.source:
            return self.promises.source
        return "stated" if self.stated_gain is not None and self.stated_gain[2] < 0 else "sem1"

    @property
    def closest(self):
        """Rows of the ten closest votes."""
        return closest_votes(self.gap)

    @property
    def wrong(self):
        """Rows of the ten wrong answers of the highest confidence, the best one; none where too few are known."""
        return [] if self.obstacle else sure_but_wrong(self.correct, self.sources[self.best_source])

    @property
    def most(self):
        """Number of answers of the largest vote."""
        return int(self.sizes["size"].iloc[-1])

    # ---- figures ------------------------------------------------------------------------------------------------

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
        Axes
            Of the figure.
        """
        from helpers.plotting import plot_confidences, plot_kept, plot_votes

        if name == "reliability":
            return plot_confidences(self.reliability_curves)
        if name == "samples":
            return plot_votes(self.sizes)
        used = self.promises.used & self.known
        promised = (used.sum() / self.promises.certificate.n, 1 - share_right(self.correct[used])["value"])
        limit = None if self.options["price"] else self.options["reject_cost"]  # holds where samples cost nothing
        return plot_kept(self.kept_curves, {NAMES[self.promises.source]: promised} if used.any() else {}, limit)

    @property
    def reliability_curves(self):
        """{name of a confidence: ReliabilityCurve}."""
        return {NAMES[name]: error.curve for name, error in self.calibration.errors.items()}

    @property
    def kept_curves(self):
        """{name of a confidence: RiskCoverageCurve} of those by which promises are sought."""
        curves = {}
        for name in self.promises.certificates:
            rows = self.known & np.isfinite(self.sources[name])
            curves[NAMES[name]] = risk_coverage_curve(self.correct[rows], self.sources[name][rows])
        return curves

    # ---- tables, None where there is nothing to show -------------------------------------------------------------

    @property
    def promise_table(self):
        """What can be promised, for several shares of right answers."""
        return None if self.obstacle else self.promises.table

    @property
    def cost_table(self):
        """What giving answers costs, if costs are given."""
        return None if self.prices is None else cost_table(self.prices)

    @property
    def pair_table(self):
        """Two systems side by side, with paired intervals."""
        return None if self.pair is None else self.pair.table

    @property
    def hard_table(self):
        """The closest votes, with their answers."""
        gaps = [points(gap, 0.002) for gap in self.gap[self.closest]]
        return describe(self.table.grouped, self.closest).assign(**{"gap in points": gaps}) if gaps else None

    @property
    def wrong_table(self):
        """The wrong answers of the highest confidence, by the best one."""
        confidence = [percent(value) for value in self.sources[self.best_source][self.wrong]] if len(self.wrong) else []
        named = {NAMES[self.best_source]: confidence}
        return describe(self.table.grouped, self.wrong).assign(**named) if confidence else None

    @property
    def parameter_table(self):
        """What this report was made from."""
        source = self.table
        rows = {
            "file": f"{source.name}, SHA-256 {source.sha256 or 'unknown'}",
            "rule for equal answers": source.rule,
            **{f"column of {role}": name for role, name in source.columns.items()},
            "columns of groups": ", ".join(source.features.columns) or "none",
            **{name: "not given" if value is None else f"{value}" for name, value in self.options.items()},
        }
        return pd.DataFrame({"value": list(rows.values())}, index=pd.Index(rows, name="parameter"))

    # ---- files and numbers --------------------------------------------------------------------------------------

    @property
    def answer_rows(self):
        """The table of answers.csv."""
        grouped = self.table.grouped
        chosen = grouped.counts.argmax(axis=1)
        columns = {
            "question": grouped.questions,
            "answer": [names[k] for names, k in zip(grouped.labels, chosen, strict=True)],
            "n_agree": grouped.counts.max(axis=1),
            "n_answers": grouped.n_answers,
            "agreement": self.sources["sem1"],
            "held_out_agreement": self.sources["sem2"],
            "stated": grouped.confidence,
            "right": pd.Series(self.correct, dtype="Int64").mask(~self.known),
        }
        if self.promises is not None:
            columns["use_certified"] = np.where(self.promises.used, "yes", "no")
        if self.cut is not None:
            columns["use_by_cost"] = np.where(self.sources[self.best_source] >= self.cut - SAME, "yes", "no")
        features = self.table.features.astype(dict.fromkeys(self.table.features.select_dtypes("category"), object))
        own = features.rename(columns={name: f"{name} (file)" for name in features.columns if name in columns})
        return pd.concat([pd.DataFrame(columns), own.reset_index(drop=True)], axis=1)

    def save_files(self, folder, *, overwrite=False):
        """Write answers.csv (a row a question) and findings.json.

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
        folder = check_free(folder, WHAT, overwrite)
        without_formulas(self.answer_rows).to_csv(folder / "answers.csv", index=False, float_format="%.6g")
        self.write_findings(folder)
        return pd.DataFrame({"File": list(WHAT), "What it holds": list(WHAT.values())}).set_index("File")

    def metrics(self):
        """Collect names and numbers for metrics.json.

        Returns
        -------
        dict of str to float, int, str or list
            What a program wants to compare between runs; findings.json holds the rest.
        """
        table = self.table
        numbers = {"n_questions": table.n_questions, "n_answers": table.n_answers, "n_known": int(self.known.sum())}
        numbers |= {"n_stated": int(table.stated.sum()), "obstacle": self.obstacle, "answer": self.headline}
        if self.accuracy is not None:
            numbers |= dict(zip(("accuracy", "accuracy_low", "accuracy_high"), self.accuracy, strict=True))
        numbers |= {f"{name}_mean": float(np.nanmean(confidence)) for name, confidence in self.sources.items()}
        if not self.obstacle:
            for row in self.calibration.summary.itertuples():
                numbers |= {f"{row.source}_calibration_ece": row.ece, f"{row.source}_calibration_p_value": row.p_value}
                numbers[f"{row.source}_overconfidence"] = row.overconfidence
            certificate = self.promises.certificate
            numbers |= {"best_confidence": self.best_source, "certified": certificate.certified}
            numbers["certified_answered"] = certificate.coverage
            numbers["groups"] = [one.subject for one in self.found if one.kind in ("group_less", "group_more")]
        if self.prices is not None:
            numbers |= {f"cost_{name}": cost for name, cost in self.prices["cost"].items()}
        if self.pair is not None:
            for name, row in self.pair.measures[["difference", "low", "high"]].iterrows():
                numbers |= dict(zip((f"pair_{name}", f"pair_{name}_low", f"pair_{name}_high"), row, strict=True))
        return numbers

    def null_trials(self, rng):
        """Find the tests that could raise an alarm, for `negative_control`.

        Parameters
        ----------
        rng : int, Generator or None
            Not needed here.

        Returns
        -------
        dict of str to callable
            For each confidence a test of perfect answers, a function of `rng`.
        """
        if self.calibration is None:
            return {}
        return {name: partial(_null_trial, p[self.known & np.isfinite(p)]) for name, p in self.sources.items()}


def _null_trial(p, *, rng):
    """The test of calibration on answers that are right exactly as often as the confidence says."""
    error = calibration_error(rng.random(p.size) < p, p, n_bins=10, rng=rng)
    return {"n": p.size, "value": error.value, "alarm": bool(error.p_value < 0.05)}
