"""The report on sampled answers: `audit_answers` computes, `answer_findings` concludes, answer_words.ini says it."""

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.isotonic import IsotonicRegression

from helpers import _progress
from helpers.answers import SemanticCalibration, sem_ece
from helpers.answers.calibration import chance_right
from helpers.answers.confidence import largest_share, mean_held_out_share
from helpers.answers.splits import chances_to_win
from helpers.calibration import calibration_error
from helpers.checks import check_rng
from helpers.practice.reports import answer_numbers as numbers
from helpers.practice.reports.answer_findings import about_confidence, about_held, find_all, share_right
from helpers.practice.reports.answer_numbers import AnswerPair, QuestionGroups
from helpers.practice.reports.answer_rules import CostRule, Promises, columns_of, limits_of, price_rule, promise
from helpers.practice.reports.document import Report
from helpers.practice.reports.files import write_table
from helpers.practice.reports.findings import read_words
from helpers.practice.reports.intake import check_terms
from helpers.practice.reports.phrases import NAMES, percent, points
from helpers.practice.tables.answers import AnswerTable
from helpers.profile.clusters import find_clusters
from helpers.profile.columns import coded
from helpers.selective import compare_systems
from helpers.selective.risk_coverage import curve_of_answers

LEAST_QUESTIONS = 30  # with a known answer; below, only the share of right answers is reported

N_STEPS = 4  # that `audit_answers` tells

LEAST_STATED = 30  # questions with a stated confidence

WHAT = {
    "answers.csv": "A row a question: its most frequent answer, how many answers agree, confidences, whether it is "
    "right (1, 0), whether it is used by the rules of this page: with the promise (use_certified) and, with costs, by "
    "these (use_by_cost); columns about whole questions: of the file, words in the question and kind of answer. Where "
    "n_tied answers are equally frequent, all are listed, right is empty, right_of_tied is the share of right ones. "
    "Notebook 13 reads it: label right, score agreement",
    "findings.json": "The findings of this page for programs",
}


@dataclass(frozen=True)
class AnswerReport(Report):
    """What a file of sampled answers says; with a limitation, all after `draws` is None."""

    words = read_words(Path(__file__).with_name("answer_words.ini"))
    find = find_all
    file_names = tuple(WHAT)

    table: AnswerTable = field(repr=False)
    options: dict = field(repr=False)  # what was asked for
    sources: dict = field(repr=False)  # {name: (Q,) confidence}: sem1, sem2 and, where enough are, stated (NaN: none)
    # whether the most frequent answer is right: 1, 0, a fraction where several are the most frequent, -1 for unknown
    correct: np.ndarray = field(repr=False)
    draws: dict = field(repr=False)  # seeds of `unstable` and `sizes`, computed when somebody asks
    calibration: SemanticCalibration | None = field(default=None, repr=False)
    over: pd.DataFrame | None = field(default=None, repr=False)  # see `over_confidence`
    stated_gain: tuple | None = None  # (difference, low, high) of the AURC of stated confidence and agreement
    promises: Promises | None = field(default=None, repr=False)
    groups: QuestionGroups | None = field(default=None, repr=False)
    cost_rule: CostRule | None = field(default=None, repr=False)
    pair: AnswerPair | None = field(default=None, repr=False)

    @property
    def known(self):
        """(Q,) bool: questions for which it is known whether the most frequent answer is right."""
        return self.correct >= 0

    @property
    def n_tied(self):
        """(Q,) how many answers are the most frequent ones: 1 where there is no tie."""
        return (chances_to_win(self.table.grouped.counts) > 0).sum(axis=1)

    @property
    def limitation(self):
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
    def dependence(self):
        """Alerts for columns of which questions with one value are right or wrong together; the widest first."""
        known = self.known
        y = np.floor(self.correct[known])
        if self.limitation or self.table.features.empty or np.ptp(y) == 0:
            return []
        agreement = self.sources["sem1"][known]
        c = IsotonicRegression(y_min=0, y_max=1).fit(agreement, y).predict(agreement)
        return find_clusters(coded(self.table.features[known]), y, c, None)

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

    @cached_property
    def columns(self):
        """Columns by which groups of questions are told apart, see `columns_of`."""
        return columns_of(self.table)

    @property
    def used(self):
        """(Q,) bool: answers that the page says to use, with a promise or else by costs; all where it has no rule."""
        if self.promises is not None and self.promises.source:
            return self.promises.best.used
        has_rule = self.cost_rule is not None and self.cost_rule.used.any()
        return self.cost_rule.used if has_rule else np.ones(self.known.shape, bool)

    @property
    def closest(self):
        """Rows of the ten closest votes."""
        return numbers.closest_votes(self.gap)

    @property
    def wrong(self):
        """Rows of the ten wrong answers of the highest confidence among the used; none where too few are known."""
        if self.limitation:
            return []
        return numbers.sure_but_wrong(np.where(self.used, self.correct, -1), self.sources[self.best_source])

    @property
    def voting(self):
        """(Q,) bool: questions whose votes of fewer answers are compared."""
        return np.full(self.known.shape, True) if self.limitation else self.table.grouped.graded & self.known

    @property
    def most(self):
        return numbers.common_size(self.table.grouped.counts[self.voting].sum(axis=1))

    @cached_property
    def unstable(self):
        """(Q,) see `chance_of_another`."""
        return numbers.chance_of_another(self.table.grouped.counts, self.draws["another"])

    @cached_property
    def sizes(self):
        """Votes of fewer answers, see `compare_votes`."""
        grouped = self.table.grouped
        correct = None if self.limitation else grouped.correct[self.voting]
        return numbers.compare_votes(grouped.counts[self.voting], correct, **self.draws["votes"])

    # ---- figures ------------------------------------------------------------------------------------------------

    @property
    def figure_names(self):
        return ["samples"] if self.limitation else ["reliability", "kept", "samples"]

    def draw(self, name):
        """Draw one of `figure_names`; the axes."""
        from helpers.plotting import plot_confidences, plot_kept, plot_votes

        if name == "reliability":
            return plot_confidences(self.reliability_curves)
        if name == "samples":
            return plot_votes(self.sizes)
        best = self.promises.best
        used = best.used & self.known
        promised = (best.coverage, 1 - share_right(self.correct[used])["value"])
        limit = None if self.options["price"] else self.options["reject_cost"]  # holds where samples cost nothing
        return plot_kept(self.kept_curves, {NAMES[best.source]: promised} if used.any() else {}, limit)

    @property
    def reliability_curves(self):
        """{name of a confidence: ReliabilityCurve}; held-out agreement would show what agreement shows."""
        return {NAMES[name]: error.curve for name, error in self.calibration.errors.items() if name != "sem2"}

    @property
    def kept_curves(self):
        """{name of a confidence: RiskCoverageCurve} of those by which promises are sought."""
        curves = {}
        for name in self.promises.asked:
            rows = self.known & np.isfinite(self.sources[name])
            curves[NAMES[name]] = curve_of_answers(self.correct[rows], self.sources[name][rows])
        return curves

    @property
    def wrong_of_half(self):
        """{name of a confidence: share of wrong answers in the half of the questions of which it is surest}."""
        return {name: float(curve.risk[(curve.coverage >= 0.5).argmax()]) for name, curve in self.kept_curves.items()}

    @property
    def surely_off(self):
        """The findings on drawn confidences that are surely too high or too low on average."""
        findings = self.findings[self.findings["subject"].isin(self.reliability_curves)]
        is_off = findings["kind"].isin(["too_high", "too_low", "off"])
        return findings[is_off & ((findings["low"] > 0) | (findings["high"] < 0))]

    # ---- tables, None where there is nothing to show -------------------------------------------------------------

    @property
    def hard_table(self):
        """The closest votes, with their answers."""
        gaps = [points(gap, 0.002) for gap in self.gap[self.closest]]
        return numbers.describe(self.table.grouped, self.closest).assign(**{"gap in points": gaps}) if gaps else None

    @property
    def wrong_table(self):
        """The wrong answers of the highest confidence, by the best one."""
        if not len(self.wrong):
            return None
        confidence = [percent(value) for value in self.sources[self.best_source][self.wrong]]
        return numbers.describe(self.table.grouped, self.wrong).assign(**{NAMES[self.best_source]: confidence})

    @property
    def parameter_table(self):
        source = self.table
        rows = {
            "file": f"{source.name}, SHA-256 {source.sha256 or 'unknown'}",
            "rule for equal answers": source.rule,
            **{f"column of {role}": name for role, name in source.columns.items()},
            "columns of groups": ", ".join(self.columns) or "none",
            **{name: "not given" if value is None else f"{value}" for name, value in self.options.items()},
        }
        return pd.DataFrame({"value": list(rows.values())}, index=pd.Index(rows, name="parameter"))

    # ---- files and numbers --------------------------------------------------------------------------------------

    def write(self, folder, rng):
        """Write the files beside the page: {name: what it holds}."""
        write_table(self.answer_rows, folder / "answers.csv")
        return WHAT

    @property
    def answer_rows(self):
        grouped = self.table.grouped
        is_first = chances_to_win(grouped.counts) > 0
        firsts = [sorted(str(names[k]) for k in np.flatnonzero(row) if names[k] is not None)
                  for names, row in zip(grouped.labels, is_first, strict=True)]  # fmt: skip
        columns = {
            "question": grouped.questions,
            "answer": [" | ".join(names) if names else None for names in firsts],
            "n_tied": self.n_tied,
            "n_agree": grouped.counts.max(axis=1),
            "n_answers": grouped.n_answers,
            "agreement": self.sources["sem1"],
            "held_out_agreement": self.sources["sem2"],
            "stated": grouped.confidence,
            "right": pd.Series(self.correct).mask(~self.known | (self.n_tied > 1)).astype("Int64"),
        }
        if (self.n_tied > 1).any():
            columns["right_of_tied"] = pd.Series(self.correct).where(self.known & (self.n_tied > 1))
        if self.promises is not None:
            columns["use_certified"] = np.where(self.promises.best.used, "yes", "no")
        if self.cost_rule is not None:
            columns["use_by_cost"] = np.where(self.cost_rule.used, "yes", "no")
        features = self.columns.astype(dict.fromkeys(self.columns.select_dtypes("category"), object))
        own = features.rename(columns={name: f"{name} (file)" for name in features.columns if name in columns})
        return pd.concat([pd.DataFrame(columns), own.reset_index(drop=True)], axis=1)

    def metrics(self):
        """Numbers, texts and lists by name, for metrics.json; findings.json holds the rest."""
        table = self.table
        found = {"n_questions": table.n_questions, "n_answers": table.n_answers, "n_known": int(self.known.sum())}
        found |= {"n_stated": int(table.stated.sum()), "limitation": self.limitation, "answer": self.headline}
        if self.accuracy is not None:
            found |= dict(zip(("accuracy", "accuracy_low", "accuracy_high"), self.accuracy, strict=True))
        found |= {f"{name}_mean": float(np.nanmean(confidence)) for name, confidence in self.sources.items()}
        if not self.limitation:
            for row in self.calibration.summary.itertuples():
                found |= {f"{row.source}_calibration_ece": row.ece, f"{row.source}_calibration_p_value": row.p_value}
                found[f"{row.source}_overconfidence"] = row.overconfidence
            best = self.promises.best
            found |= {"best_confidence": self.best_source, "certified": best.certified}
            found["certified_answered"] = best.coverage
            found["groups"] = [one.subject for one in self.found if one.kind in ("group_less", "group_more")]
        if self.cost_rule is not None:
            found |= {f"cost_{name}": cost for name, cost in self.cost_rule.prices["cost"].items()}
        if self.pair is not None:
            for name, row in self.pair.measures[["difference", "low", "high"]].iterrows():
                found |= dict(zip((f"pair_{name}", f"pair_{name}_low", f"pair_{name}_high"), row, strict=True))
        return found

    def null_trials(self, rng):
        """The tests that could raise an alarm, for `negative_control`: of each confidence, a function of `rng`."""
        if self.calibration is None:
            return {}
        return {name: partial(_null_trial, p[self.known & np.isfinite(p)]) for name, p in self.sources.items()}


def _null_trial(p, *, rng):
    """Whether a confidence can be believed, for answers that are right exactly as often as it says."""
    correct = (rng.random(p.size) < p).astype(int)
    error = calibration_error(correct, p, n_bins=10, rng=rng)
    over = numbers.over_confidence({"sem1": p}, correct, 1000, rng)
    found = next(about_confidence(over, {"sem1": error.p_value}))
    alarm = found.kind != "believed"
    return {"n": p.size, "of": p.size, "estimate": "calibration error", "value": error.value, "alarm": alarm}


def audit_answers(
    table, *, against=None, names=("first", "second"), reject_cost=None, price=None, precision=0.9, n_resamples=1000,
    rng=None, progress=None,
):  # fmt: skip
    """Audit a file of sampled answers: confidences, which answers to use, close votes, what more samples change.

    Parameters
    ----------
    table : AnswerTable
        From `helpers.practice.tables.read_answers`.
    against : AnswerTable, optional
        Answers of a second system to the same questions, to be compared question by question.
    names : tuple of str, default ("first", "second")
        What the report calls the two systems.
    reject_cost : float, optional
        Cost of leaving a question to somebody else, where a wrong answer costs 1; then the report has a table of costs.
    price : float, optional
        Price of one sampled answer, in the same unit, in addition.
    precision : float, default 0.9
        Share of right answers to certify among those that are used.
    n_resamples : int, default 1000
        Resamples behind the intervals.
    rng : int, Generator or None, default None
        Source of randomness.
    progress : bool, optional
        Whether to say on stderr what is being done, as in `audit_scores`.

    Returns
    -------
    AnswerReport
        Read as that of `audit_scores`. With fewer than 30 questions with a known right answer it holds the agreement
        of the answers only; `limitation` says why.

    Raises
    ------
    ValueError
        For a term outside its bounds, a price without `reject_cost`, and a second system that shares fewer than two
        graded questions.

    Examples
    --------
    >>> from helpers.practice.tables import read_answers
    >>> report = audit_answers(read_answers(), n_resamples=100, rng=0)
    >>> report.best_source, report.findings["kind"].iloc[0], report.limitation
    ('stated', 'use_some', '')
    """
    check_terms(reject_cost, price, n_resamples, precision)
    with _progress.told(N_STEPS, progress):
        return _audited(table, against, names, reject_cost, price, precision, n_resamples, rng)


def _audited(table, against, names, reject_cost, price, precision, n_resamples, rng):
    """The report of `audit_answers`, whose arguments these are."""
    streams = check_rng(rng).spawn(8)
    grouped = table.grouped
    agreement, correct = agreement_of(table)
    known = correct >= 0
    sources = {"sem1": agreement, "sem2": np.round(mean_held_out_share(grouped.counts, None, "average"), 12)}
    if _enough_stated(table.stated, known):
        sources["stated"] = grouped.confidence
    options = {"reject_cost": reject_cost or None, "price": price or None, "precision": precision}
    options |= {"n_resamples": n_resamples, "rng": rng if isinstance(rng, int) else None}
    options["against"] = None if against is None else against.name
    resamples = {"n_resamples": n_resamples, "rng": int(streams[4].integers(2**62))}
    another, votes = (streams[k].bit_generator.seed_seq for k in (7, 3))
    draws = {"another": another, "votes": {"votes_rng": votes, **resamples}}
    report = AnswerReport(table, options, sources, correct, draws)
    if report.limitation:
        return report
    tied = report.n_tied > 1
    clear = np.where(tied, -1, correct)  # of ties it is not known, for what needs right or wrong
    single = {name: np.where(tied & np.isfinite(p), 0.0, p) for name, p in sources.items() if name != "sem2"}
    _progress.step("calibration and promises")
    report = replace(
        report,
        calibration=sem_ece(grouped, sources=list(sources), ties="average", n_resamples=n_resamples, rng=streams[0]),
        over=numbers.over_confidence(sources, correct, n_resamples, streams[5]),
        stated_gain=_stated_gain(sources, clear, n_resamples, streams[1]),
    )
    limits = limits_of(report.columns, correct)
    report = replace(report, promises=promise(single, correct, precision, limits))
    _progress.step("search for groups")
    groups = numbers.find_groups(report.columns, clear, sources[report.best_source], streams[2])
    report = replace(report, groups=groups, promises=report.promises.without(groups))
    _progress.step("costs")
    if reject_cost:
        terms = {"reject_cost": reject_cost, "samples": (price or 0) * report.most, **resamples}
        certified = report.promises.best.used
        report = replace(report, cost_rule=price_rule(single, correct, certified, limits, groups, **terms))
    _progress.step("comparison")
    if against is not None:
        both = zip(*map(agreement_of, (table, against)), strict=True)
        pair = numbers.compare_pair(names, (table, against), *both, n_resamples, streams[6])
        tables = zip(names, (table, against), strict=True)
        misread = tuple(name for name, one in tables if about_held(one.reading) is not None)
        report = replace(report, pair=replace(pair, misread=misread))
    return report


def _stated_gain(sources, correct, n_resamples, rng):
    """(difference, low, high) of the AURC of stated confidence and agreement; None without stated confidence."""
    if "stated" not in sources:
        return None
    rows = (correct >= 0) & np.isfinite(sources["stated"])
    if rows.sum() < LEAST_STATED:
        return None
    systems = {name: (correct[rows], sources[name][rows]) for name in ("sem1", "stated")}
    table = compare_systems(systems, against="sem1", n=1, n_resamples=n_resamples, rng=rng).set_index("metric")
    return tuple(float(table.loc["aurc", name]) for name in ("difference", "low", "high"))


def agreement_of(table):
    """(Q,) agreement of the answers, and the chance that the most frequent one is right, -1 for unknown."""
    counts = table.grouped.counts
    return largest_share(counts), chance_right(table.grouped.correct, chances_to_win(counts))


def _enough_stated(stated, known):
    """Whether stated confidences are a source: stated for half of the questions at least, and for 30 of them."""
    rows = known if known.any() else np.ones(known.shape, bool)
    return bool(stated[rows].mean() >= 0.5 and (stated & rows).sum() >= min(LEAST_STATED, rows.sum()))
