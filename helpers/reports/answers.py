"""What the audit of a file of sampled answers has found, with what cannot be said left empty.

`answer_audit.audit_answers` computes, the template `answers.md.j2` says it in sentences.
"""

from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pandas as pd

from helpers.answers import SemanticCalibration
from helpers.calibration import calibration_error
from helpers.reports.answer_advice import Advice
from helpers.reports.answer_files import DEFAULTS, print_parameters, save_report
from helpers.reports.answer_numbers import (
    NO_GAP,
    hardest,
    print_differences,
    print_kept,
    print_promises,
    print_questions,
    print_strata,
    sure_but_wrong,
)
from helpers.reports.answer_pair import AnswerPair
from helpers.reports.answer_plans import find_families, list_plans, print_plans
from helpers.reports.phrases import NAMES, measured, percent, points, short, with_span
from helpers.reports.votes import VoteCurve, print_votes
from helpers.selective import risk_coverage_curve
from helpers.tables import AnswerTable


@dataclass(frozen=True)
class AnswerReport:
    """What a file of sampled answers says about how far its confidences can be believed.

    Parameters
    ----------
    table : AnswerTable
        What was audited.
    reject_cost, price : float
        Cost of a refusal and price of an answer, in units of a wrong answer.
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
    costs, differences : DataFrame or None
        Of the sources over the questions that have all of them: ECUAS and AURC, and their differences from sem1.
    advice : Advice or None
        Which answers to use and which questions to leave to others, by the one confidence that all advice rests on.
    questions : DataFrame
        A row a question: confidences, gap (Sem1 less Sem2), correct.
    strata : DataFrame
        A row for questions without a gap, with a smaller and with a larger one.
    votes : VoteCurve
        Votes of fewer answers.
    sizes : DataFrame
        The votes with their prices, see `helpers.reports.votes.price_votes`.
    pair : AnswerPair or None
        The paired differences from a second system.
    options : dict
        What was asked for: terms, resamples and rng.

    Examples
    --------
    >>> from helpers.reports import audit_answers
    >>> from helpers.tables import read_answers
    >>> report = audit_answers(read_answers(), n_resamples=100, rng=0)
    >>> report.best_source, report.most, report.advice.certificate.certified
    ('stated', 25, True)
    """

    table: AnswerTable = field(repr=False)
    reject_cost: float
    price: float
    sources: dict = field(repr=False)
    correct: np.ndarray = field(repr=False)
    accuracy: tuple | None
    obstacle: str
    calibration: SemanticCalibration | None = field(repr=False)
    over: pd.DataFrame | None = field(repr=False)
    costs: pd.DataFrame | None = field(repr=False)
    differences: pd.DataFrame | None = field(repr=False)
    advice: Advice | None = field(repr=False)
    questions: pd.DataFrame = field(repr=False)
    strata: pd.DataFrame = field(repr=False)
    votes: VoteCurve = field(repr=False)
    sizes: pd.DataFrame = field(repr=False)
    pair: AnswerPair | None = field(default=None, repr=False)
    options: dict = field(default_factory=dict, repr=False)

    def __str__(self):
        from helpers.reports.text import summary

        return "\n".join(f"{question} {answer}" for question, answer in summary(self)["Answer"].items())

    @property
    def known(self):
        """(Q,) bool: questions for which it is known whether the most frequent answer is right."""
        return self.correct >= 0

    @property
    def biased(self):
        """Sources whose mean confidence surely differs from the share of right answers."""
        rows = self.over[(self.over["low"] > 0) | (self.over["high"] < 0)]
        return rows["source"].tolist()

    @property
    def miscalibrated(self):
        """Sources whose calibration error is beyond chance."""
        return [name for name, error in self.calibration.errors.items() if error.p_value < 0.05]

    @property
    def credible(self):
        """Sources that nothing speaks against."""
        return [name for name in self.sources if name not in self.biased + self.miscalibrated]

    @property
    def best_source(self):
        """Confidence that all advice rests on: agreement, unless the stated one surely has a lower ECUAS (n = 1)."""
        return self.advice.source

    @property
    def infinitely_dear(self):
        """(source, questions answered wrong at a confidence of 1) where ECUAS with n = 0 is infinite, or None."""
        rows = self.costs[(self.costs["metric"] == "ecuas_0") & np.isinf(self.costs["value"])]
        if rows.empty:
            return None
        source = rows["system"].iloc[0]
        return source, int(((self.sources[source] == 1) & (self.correct == 0)).sum())

    @property
    def n_with_gap(self):
        """Questions with a gap between the two agreements."""
        return int((self.questions["gap"] > NO_GAP).sum())

    @property
    def one_gap(self):
        """Whether questions with a gap make one row of `strata`, not two."""
        return len(self.strata) == 2

    @property
    def contrast(self):
        """Rows of `strata` without a gap and with the largest; None where one is missing or has few known answers."""
        rows = self.strata.set_index("stratum")
        if "no gap" not in rows.index or rows["n_known"].min() < 5:
            return None
        return rows.loc["no gap"], rows.iloc[-1]

    @property
    def hardest_names(self):
        """The three questions with the largest gaps, as short texts."""
        rows = self.questions.sort_values("gap", ascending=False, kind="stable")
        return [f"“{short(name, 60)}”" for name in rows["question"][rows["gap"] > NO_GAP][:3]]

    @property
    def wrong_names(self):
        """The three wrong answers of the highest confidence, as short texts of their questions."""
        rows = sure_but_wrong(self.questions, self.sources[self.advice.source], self.table.grouped, 3)
        return [f"“{short(name, 60)}”" for name in rows["question"]]

    @cached_property
    def families(self):
        """What questions that begin alike do to the intervals, see `answer_plans.find_families`; None for nothing."""
        return find_families(self.table.grouped.questions, self.correct)

    @property
    def n_agreed_wrong(self):
        """Questions answered wrong by all answers alike."""
        grouped = self.table.grouped
        agreed = grouped.counts.max(axis=1) == grouped.n_answers
        return int((agreed & (self.correct == 0)).sum())

    @property
    def most(self):
        """Number of answers of the largest vote."""
        return int(self.sizes["size"].iloc[-1])

    @property
    def cheapest(self):
        """Row of `sizes` with the smallest total, or None without right answers."""
        return None if self.obstacle else self.sizes.loc[self.sizes["total"].idxmin()]

    @property
    def cheapest_size(self):
        """Number of answers of the cheapest vote, or None without right answers."""
        return None if self.obstacle else int(self.cheapest["size"])

    @property
    def as_cheap(self):
        """Sizes whose total cannot be told from the cheapest."""
        return [] if self.obstacle else self.sizes.loc[self.sizes["above_low"] <= 0, "size"].tolist()

    @property
    def worth_asking(self):
        """Whether the cheapest vote costs less than leaving every question to somebody else."""
        return not self.obstacle and bool(self.cheapest["total"] < self.reject_cost - 1e-9)

    @property
    def verdict(self):
        """Whether the cheapest vote beats handing over everything: "surely", "perhaps" or "no"; "" where unknown."""
        if self.obstacle:
            return ""
        if not self.worth_asking:
            return "no"
        return "surely" if self.cheapest["total_high"] < self.reject_cost else "perhaps"

    @property
    def also_cheap(self):
        """Other sizes that cannot be told from the cheapest, and that answer some questions."""
        answering = self.sizes.loc[self.sizes["refused"] < 1 - 1e-9, "size"]
        return [size for size in self.as_cheap if size != self.cheapest_size and size in set(answering)]

    @property
    def votes_of_all(self):
        """How many of all samples must agree at the threshold of the advice; 0 where that is no number of votes."""
        n_answers = self.table.grouped.n_answers
        if self.advice.source != "sem1" or n_answers.min() < n_answers.max() or not 0 < self.advice.threshold <= 1:
            return 0
        return round(self.advice.threshold * self.most)

    @property
    def default_costs(self):
        """Whether both costs are the defaults."""
        return self.reject_cost == DEFAULTS["reject_cost"] and self.price == DEFAULTS["price"]

    @property
    def next_saving(self):
        """(size, saved by each sample) where samples beyond the cheapest vote save most; None beyond the largest."""
        later = self.sizes[self.sizes["size"] > self.cheapest_size]
        if later.empty:
            return None
        saved = (self.cheapest["cost"] - later["cost"]) / (later["size"] - self.cheapest_size)
        return int(later.loc[saved.idxmax(), "size"]), saved.max()

    @property
    def reliability_curves(self):
        """{name of a confidence: ReliabilityCurve} for the figure."""
        return {NAMES[name]: error.curve for name, error in self.calibration.errors.items()}

    @property
    def kept_curves(self):
        """{name of a confidence: RiskCoverageCurve} for the figure, without held-out agreement, which orders alike."""
        return {NAMES[name]: self.curve(name) for name in self.sources if name != "sem2"}

    @property
    def kept_points(self):
        """{name of a confidence: (share answered, share wrong among these)} of the advised cut, on its curve."""
        curve = self.curve(self.advice.source)
        confidence = self.sources[self.advice.source]
        used = np.mean(confidence[self.known & np.isfinite(confidence)] >= self.advice.threshold - 1e-9)
        if not used:
            return {}
        place = np.abs(curve.coverage - used).argmin()
        return {NAMES[self.advice.source]: (curve.coverage[place], curve.risk[place])}

    @property
    def calibration_table(self):
        """Stated and right, calibration error as measured, of a perfect source, and without chance, in points."""
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
    def cost_table(self):
        """ECUAS and AURC of each confidence, with intervals."""
        rows = {"ecuas_0": "ECUAS, n = 0", "ecuas_1": "ECUAS, n = 1", "ecuas_inf": "ECUAS, n = ∞", "aurc": "AURC"}
        columns = {}
        for name in self.sources:
            costs = self.costs[self.costs["system"] == name].set_index("metric")
            columns[NAMES[name]] = [measured(*costs.loc[metric, ["value", "low", "high"]]) for metric in rows]
        return pd.DataFrame(columns, index=list(rows.values())).rename_axis("cost, smaller is better")

    @property
    def difference_table(self):
        """Each other confidence compared with plain agreement on the same questions."""
        return print_differences(self)

    @property
    def strata_table(self):
        """Questions by their gap between the two agreements, with the share of right answers."""
        return print_strata(self.strata)

    @property
    def hard_table(self):
        """The ten questions with the largest gaps, with their answers."""
        table = hardest(self.questions, self.table.grouped)
        return print_questions(table, "gap in points", lambda gap: points(gap, 0.002))

    @property
    def wrong_table(self):
        """The ten wrong answers of the highest confidence, by the one that all advice rests on."""
        table = sure_but_wrong(self.questions, self.sources[self.advice.source], self.table.grouped)
        return print_questions(table, NAMES[self.advice.source], percent)

    @property
    def plan_table(self):
        """Ways to use the model, or not, with all their costs."""
        return print_plans(list_plans(self))

    @property
    def kept_table(self):
        """What is answered and what it costs, by the confidence that all advice rests on and without any."""
        return print_kept(self.advice)

    @property
    def promise_table(self):
        """What can be certified, for several shares of right answers."""
        return print_promises(self.advice)

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
        """Votes of fewer answers: how often right, how often refused, what they cost."""
        return print_votes(self.sizes)

    def save(self, folder, *, overwrite=False, control=False, rng=0):
        """Write the page (report.html), a row a question (answers.csv) and, for two systems, systems.csv.

        Parameters
        ----------
        folder : str or Path
            Where to; made if it is not there.
        overwrite : bool, default False
            Whether files of these names may be replaced.
        control : bool, default False
            Whether the page repeats the test where there is nothing to find (`negative_control`).
        rng : int, Generator or None, default 0
            Source of the control.

        Returns
        -------
        Path
            The page.

        Raises
        ------
        ValueError
            If a file is there already; nothing is written then.
        """
        return save_report(self, folder, overwrite, control, rng)

    def curve(self, name):
        """Order the questions by one source and count the wrong answers among the surest.

        Parameters
        ----------
        name : str
            A key of `sources`.

        Returns
        -------
        RiskCoverageCurve
            Over the questions that are graded and have this confidence.
        """
        rows = self.known & np.isfinite(self.sources[name])
        return risk_coverage_curve(self.correct[rows], self.sources[name][rows])

    def difference(self, source, metric):
        """Look up how far a source lies from plain agreement.

        Parameters
        ----------
        source : str
            "sem2" or "stated".
        metric : str
            Such as "ecuas_1" or "aurc".

        Returns
        -------
        Series
            Row of `differences` with difference, low, high.
        """
        rows = self.differences
        return rows[(rows["system"] == source) & (rows["metric"] == metric)].iloc[0]

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
        numbers["n_unreadable"] = int(table.grouped.unparsed.sum())
        if self.accuracy is not None:
            numbers |= dict(zip(("accuracy", "accuracy_low", "accuracy_high"), self.accuracy, strict=True))
        numbers |= {f"{name}_mean": float(np.nanmean(confidence)) for name, confidence in self.sources.items()}
        numbers["gap_mean"] = float(self.questions["gap"].mean())
        if not self.obstacle:
            numbers |= self._metrics_of_sources()
            numbers |= {"samples_cheapest": self.cheapest_size, "samples_as_cheap": self.as_cheap}
            numbers |= {"verdict": self.verdict, "samples_least": int(self.cheapest["least"])}
            numbers["families_wider"] = self.families["wider"] if self.families else None
        columns = ["size", "same"] if self.obstacle else ["size", "same", "right", "cost", "ecuas", "total"]
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
        for row in self.advice.kept.itertuples():
            numbers[f"{row.answer}_answered"] = row.answered
            numbers[f"{row.answer}_wrong_among_answered"] = None if np.isnan(row.wrong) else row.wrong
            numbers[f"{row.answer}_cost"] = row.cost
        certificate = self.advice.certificate
        numbers |= {"advice_by": self.advice.source, "certified": certificate.certified}
        numbers |= {"certified_answered": certificate.coverage}
        if self.pair is not None:
            for row in self.pair.measures.itertuples():
                numbers |= {f"pair_{row.measure}": row.difference, f"pair_{row.measure}_low": row.low}
                numbers[f"pair_{row.measure}_high"] = row.high
        return numbers


def _null_trial(p, *, rng):
    """The test of calibration on answers that are right exactly as often as the confidence says."""
    error = calibration_error(rng.random(p.size) < p, p, n_bins=10, rng=rng)
    return {"n": p.size, "value": error.value, "alarm": bool(error.p_value < 0.05)}
