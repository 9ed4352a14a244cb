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
from helpers.reports.answer_costs import AnswerCosts
from helpers.reports.answer_findings import find_all
from helpers.reports.answer_kinds import FIGURES, KINDS, PARTS, TITLE
from helpers.reports.answer_numbers import (
    MEASURES,
    SAME,
    Promises,
    QuestionGroups,
    closest_votes,
    describe,
    gap_strata,
    sure_but_wrong,
)
from helpers.reports.answer_pair import AnswerPair
from helpers.reports.document import Report, check_free
from helpers.reports.files import without_formulas
from helpers.reports.findings import Severity, steps_of
from helpers.reports.phrases import NAMES, measured, percent, points, short, with_span
from helpers.resampling import exact_interval
from helpers.selective import risk_coverage_curve
from helpers.tables import AnswerTable

LEAST_QUESTIONS = 30  # with a known answer; below, only the share of right answers is told
MOST_NAMED = 3  # questions in a sentence

DEFAULTS = {"reject_cost": None, "price": None, "precision": 0.9, "n_resamples": 1000, "rng": None, "against": ""}

WHAT = {
    "answers.csv": "A row a question: its most frequent answer, how many answers agree, confidences, whether it is "
    "right (1, 0), whether it may be used with the promise (use_certified) and, with costs, by these (use_by_cost); "
    "columns of the file about whole questions. Notebook 13 reads it: label right, score agreement",
    "findings.json": "The findings of this page for programs",
    "systems.csv": "The two systems side by side: a row a measure, with the paired difference and its interval",
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
    pair : AnswerPair or None
        The paired differences from a second system.

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
    options: dict = field(repr=False)
    sources: dict = field(repr=False)
    correct: np.ndarray = field(repr=False)
    sizes: pd.DataFrame | None = field(default=None, repr=False)
    calibration: SemanticCalibration | None = field(default=None, repr=False)
    over: pd.DataFrame | None = field(default=None, repr=False)
    costs: pd.DataFrame | None = field(default=None, repr=False)
    stated_gain: tuple | None = None
    promises: Promises | None = field(default=None, repr=False)
    prices: AnswerCosts | None = field(default=None, repr=False)
    groups: QuestionGroups | None = field(default=None, repr=False)
    pair: AnswerPair | None = field(default=None, repr=False)

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
        ordered = sorted(self.found, key=lambda one: (one.severity < Severity.GRAVE, KINDS[one.kind].part != "use"))
        return steps_of(ordered, KINDS)

    # ---- what follows from the numbers --------------------------------------------------------------------------

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
        """(value, low, high) over the questions with a known answer; None where there is none."""
        n_right = int((self.correct == 1).sum())
        n_known = int(self.known.sum())
        return (n_right / n_known, *exact_interval(n_right, n_known)) if n_known else None

    @property
    def gap(self):
        """(Q,) agreement less held-out agreement: 0 where every half of the answers chooses the same one."""
        return np.round(np.maximum(self.sources["sem1"] - self.sources["sem2"], 0), 9)  # equal counts, equal gaps

    @property
    def strata(self):
        """A row for questions without a gap, with a smaller and with a larger one."""
        return gap_strata(self.gap, self.correct)

    @property
    def best_source(self):
        """The confidence that certifies most; where none does, the one that is worth more, both recalibrated."""
        if self.promises is not None and self.promises.source:
            return self.promises.source
        return "stated" if self.stated_gain is not None and self.stated_gain[2] < 0 else "sem1"

    @property
    def wrong(self):
        """Rows of the wrong answers of the highest confidence, the best one; none where too few are known."""
        return [] if self.obstacle else sure_but_wrong(self.correct, self.sources[self.best_source])

    @property
    def wrong_names(self):
        """The questions of the first of these, as short texts."""
        return [self._name(row) for row in self.wrong[:MOST_NAMED]]

    @property
    def closest_names(self):
        """The questions of the closest votes, as short texts."""
        return [self._name(row) for row in closest_votes(self.gap, MOST_NAMED)]

    def _name(self, row):
        return f"“{short(self.table.grouped.questions[row], 60)}”"

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
        Figure or Axes
            The new figure.
        """
        from helpers.plotting import plot_confidences, plot_kept, plot_votes

        if name == "reliability":
            return plot_confidences(self.reliability_curves)
        if name == "kept":
            limit = None if self.options["price"] else self.options["reject_cost"]  # holds where samples cost nothing
            return plot_kept(self.kept_curves, self.kept_points, limit)
        return plot_votes(self.sizes)

    @property
    def ends(self):
        """What the figure of votes begins and ends with: shares right or, without right answers, the same."""
        values = self.sizes["same" if self.obstacle else "right"]
        return values.iloc[0], values.iloc[-1]

    @property
    def reliability_curves(self):
        """{name of a confidence: ReliabilityCurve}."""
        return {NAMES[name]: error.curve for name, error in self.calibration.errors.items()}

    @property
    def kept_curves(self):
        """{name of a confidence: RiskCoverageCurve}, without held-out agreement, which orders alike."""
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

    # ---- tables, None where there is nothing to show -------------------------------------------------------------

    @property
    def promise_table(self):
        """What can be promised, for several shares of right answers."""
        return None if self.obstacle else self.promises.table

    @property
    def cost_table(self):
        """What giving answers costs, if costs are given."""
        return None if self.prices is None else self.prices.table(self.most)

    @property
    def pair_table(self):
        """Two systems side by side, with paired intervals."""
        return None if self.pair is None else self.pair.table

    @property
    def hard_table(self):
        """The ten closest votes, with their answers."""
        rows = closest_votes(self.gap)
        gaps = [points(gap, 0.002) for gap in self.gap[rows]]
        return describe(self.table.grouped, rows).assign(**{"gap in points": gaps}) if len(rows) else None

    @property
    def wrong_table(self):
        """The ten wrong answers of the highest confidence, by the best one."""
        if not len(self.wrong):
            return None
        source = self.best_source
        confidence = [percent(value) for value in self.sources[source][self.wrong]]
        return describe(self.table.grouped, self.wrong).assign(**{NAMES[source]: confidence})

    @property
    def measure_table(self):
        """Calibration error (in points: as measured, of a perfect source, without chance), ECUAS and AURC of each."""
        if self.obstacle:
            return None
        columns = {}
        for row in self.calibration.summary.itertuples():
            upper = max(row.high, row.null)
            se = max((upper - row.low) / 4, 1e-6)
            costs = self.costs[self.costs["system"] == row.source].set_index("metric")
            columns[NAMES[row.source]] = {
                "calibration error": points(row.ece, se),
                "of a perfect one": points(row.null, se),
                "without chance": with_span(row.debiased, row.low, upper, se),
            } | {text: measured(*costs.loc[name, ["value", "low", "high"]]) for name, text in MEASURES.items()}
        return pd.DataFrame(columns).rename_axis("smaller is better")

    @property
    def parameter_table(self):
        """What this report was made from, with defaults marked."""
        source = self.table
        rows = {
            "file": f"{source.name}, SHA-256 {source.sha256 or 'unknown'}",
            "questions": f"{source.n_questions:,}",
            "answers": f"{source.n_answers:,}",
            "rule for equal answers": source.rule,
            **{f"column of {role}": name for role, name in source.columns.items()},
            "columns of groups": ", ".join(source.features.columns) or "none",
        }
        for name, value in self.options.items():
            text = "not given" if value in (None, "") else f"{value}"
            rows[name] = f"{text} (default)" if value == DEFAULTS[name] else text
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
        if self.prices is not None:
            pays = self.sources[self.prices.source] >= self.prices.threshold - SAME
            columns["use_by_cost"] = np.where(pays, "yes", "no")
        features = self.table.features.astype(dict.fromkeys(self.table.features.select_dtypes("category"), object))
        own = features.rename(columns={name: f"{name} (file)" for name in features.columns if name in columns})
        return pd.concat([pd.DataFrame(columns), own.reset_index(drop=True)], axis=1)

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
        tables = {"answers.csv": self.answer_rows}
        if self.pair is not None:
            names = dict(zip(("first", "second"), self.pair.names, strict=True))
            tables["systems.csv"] = self.pair.measures.rename_axis("measure").reset_index().rename(columns=names)
        folder = check_free(folder, [*tables, "findings.json"], overwrite)
        for name, rows in tables.items():
            without_formulas(rows).to_csv(folder / name, index=False, float_format="%.6g")
        self.write_findings(folder)
        files = [name for name in WHAT if name in tables or name == "findings.json"]
        return pd.DataFrame({"File": files, "What it holds": [WHAT[name] for name in files]}).set_index("File")

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
        numbers["gap_mean"] = float(self.gap.mean())
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
            if row.metric in MEASURES:
                name = f"{row.system}_{row.metric}"
                numbers |= {name: row.value, f"{name}_low": row.low, f"{name}_high": row.high}
        if self.prices is not None:
            for row in self.prices.rows.itertuples():
                numbers[f"{row.Index}_answered"] = row.answered
                numbers[f"{row.Index}_wrong_among_answered"] = None if np.isnan(row.wrong) else row.wrong
                numbers[f"{row.Index}_cost"] = row.cost
        certificate = self.promises.certificate
        numbers |= {"advice_by": self.best_source, "certified": certificate.certified}
        numbers |= {"certified_answered": certificate.coverage}
        numbers["groups"] = [one.subject for one in self.found if one.kind in ("group_less", "group_more")]
        if self.pair is not None:
            for row in self.pair.measures.itertuples():
                numbers |= {f"pair_{row.Index}": row.difference, f"pair_{row.Index}_low": row.low}
                numbers[f"pair_{row.Index}_high"] = row.high
        return numbers

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
        return {name: partial(_null_trial, p[self.known & np.isfinite(p)]) for name, p in self.sources.items()}


def _null_trial(p, *, rng):
    """The test of calibration on answers that are right exactly as often as the confidence says."""
    error = calibration_error(rng.random(p.size) < p, p, n_bins=10, rng=rng)
    return {"n": p.size, "value": error.value, "alarm": bool(error.p_value < 0.05)}
