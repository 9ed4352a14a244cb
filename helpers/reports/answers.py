"""The numbers of notebook 14: a file of sampled answers audited from end to end, with what cannot be said left empty.

`audit_answers` computes, `helpers.reports.answers_text` puts the result into sentences.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers import SemanticCalibration, sem1, sem2, sem_ece
from helpers.calibration import calibration_error
from helpers.checks import check_count, check_numbers
from helpers.reports.answer_numbers import gap_strata, keep_answers, over_confidence
from helpers.reports.answer_votes import VoteCurve, price_votes, vote_curve
from helpers.resampling import exact_interval
from helpers.selective import compare_systems, measure_systems, risk_coverage_curve
from helpers.tables import AnswerTable

LEAST_QUESTIONS = 30  # with a known answer; below, only the share of right answers is told

LEAST_STATED = 30

EXPONENTS = (0, 1, np.inf)  # of ECUAS


def check_terms(reject_cost=0.2, price=0.002, n_resamples=1000):
    """ValueError unless 0 < reject_cost < 1, price >= 0 and finite, and n_resamples is a whole number from 100 on.

    >>> check_terms(reject_cost=20)
    Traceback (most recent call last):
    ValueError: reject_cost must lie between 0 and 1 (a wrong answer costs 1), but it is 20.
    """
    if not 0 < check_numbers(reject_cost, "reject_cost") < 1:
        raise ValueError(f"reject_cost must lie between 0 and 1 (a wrong answer costs 1), but it is {reject_cost}.")
    if not 0 <= check_numbers(price, "price") < np.inf:
        raise ValueError(f"price must be at least 0 and finite (a wrong answer costs 1), but it is {price}.")
    check_count(n_resamples, "n_resamples", least=100)


@dataclass(frozen=True)
class AnswerReport:
    """What a file of sampled answers says about how far its confidences can be believed.

    sources : {name: (Q,) confidence}: sem1, sem2 and, where there are enough, stated (NaN where none)
    correct : (Q,) whether the most frequent answer is right: 1, 0, or -1 where that is unknown
    accuracy : (value, low, high) over the questions with a known answer, or None
    obstacle : why what follows is missing, or ""
    calibration, over : errors and mean confidence less share right of each source; None where `obstacle` says why
    costs, differences, kept : of the sources over the questions that have all of them, or None
    questions : a row a question: confidences, gap (Sem1 less Sem2), correct
    strata : a row for questions whose answers all agree, with a smaller and with a larger gap
    votes, sizes : votes of fewer answers, and their table with prices, see `_answer_votes.price_votes`
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
    kept: pd.DataFrame | None = field(repr=False)
    questions: pd.DataFrame = field(repr=False)
    strata: pd.DataFrame = field(repr=False)
    votes: VoteCurve = field(repr=False)
    sizes: pd.DataFrame = field(repr=False)

    @property
    def known(self):
        """(Q,) bool: questions for which it is known whether the most frequent answer is right."""
        return self.correct >= 0

    @property
    def cheapest(self):
        """Row of `sizes` with the smallest total, or None without right answers."""
        return None if self.obstacle else self.sizes.loc[self.sizes["total"].idxmin()]

    @property
    def as_cheap(self):
        """Sizes whose total cannot be told from the cheapest."""
        return [] if self.obstacle else self.sizes.loc[self.sizes["above_low"] <= 0, "size"].tolist()

    @property
    def worth_asking(self):
        """Whether the cheapest vote costs less than leaving every question to somebody else."""
        return not self.obstacle and bool(self.cheapest["total"] < self.reject_cost)

    def curve(self, name):
        """RiskCoverageCurve of one source."""
        rows = self.known & np.isfinite(self.sources[name])
        return risk_coverage_curve(self.correct[rows], self.sources[name][rows])

    def metrics(self):
        """Names and numbers for metrics.json."""
        table, found = self.table, {"n_questions": self.table.n_questions, "n_answers": self.table.n_answers}
        found |= {"n_known": int(self.known.sum()), "n_stated": int(table.stated.sum()), "obstacle": self.obstacle}
        found |= {"n_unreadable": int(table.grouped.unparsed.sum())}
        if self.accuracy is not None:
            found |= dict(zip(("accuracy", "accuracy_low", "accuracy_high"), self.accuracy, strict=True))
        for name, confidence in self.sources.items():
            found[f"{name}_mean"] = float(np.nanmean(confidence))
        found["gap_mean"] = float(self.questions["gap"].mean())
        if not self.obstacle:
            for row in self.calibration.summary.to_dict("records"):
                name = row.pop("source")
                found |= {
                    f"{name}_calibration_{key}": row[key] for key in ("ece", "low", "high", "null", "p_value", "n")
                }
                found[f"{name}_overconfidence"] = row["overconfidence"]
            for row in self.costs.itertuples():
                if row.metric == "aurc" or row.metric.startswith("ecuas"):
                    found |= {f"{row.system}_{row.metric}": row.value}
                    found |= {f"{row.system}_{row.metric}_low": row.low, f"{row.system}_{row.metric}_high": row.high}
            for row in self.kept.itertuples():
                wrong = None if np.isnan(row.wrong) else row.wrong
                found |= {f"{row.source}_answered": row.answered, f"{row.source}_wrong_among_answered": wrong}
                found |= {f"{row.source}_cost": row.cost}
            found |= {"samples_cheapest": int(self.cheapest["size"]), "samples_as_cheap": self.as_cheap}
        found |= {f"samples_{name}": self.sizes[name].tolist() for name in ("size", "same")}
        if not self.obstacle:
            found |= {f"samples_{name}": self.sizes[name].tolist() for name in ("right", "cost", "ecuas", "total")}
        return found


def audit_answers(table, *, reject_cost=0.2, price=0.002, n_resamples=1000, rng=None):
    """Audit a file of sampled answers: confidences, calibration, hard questions, costs, and votes of fewer samples.

    Parameters
    ----------
    table : AnswerTable, from `read_answers`
    reject_cost : cost of leaving a question to somebody else, where a wrong answer costs 1
    price : of one sampled answer, in the same unit
    n_resamples : resamples behind the intervals
    rng : int, Generator or None

    Returns
    -------
    AnswerReport. With fewer than 30 questions with a known right answer it holds the agreement of the answers only;
    `obstacle` says why.

    Raises
    ------
    ValueError as `check_terms`.

    >>> from helpers.tables import read_answers
    >>> report = audit_answers(read_answers(), n_resamples=100, rng=0)
    >>> round(report.accuracy[0], 2), report.obstacle
    (0.76, '')
    """
    check_terms(reject_cost, price, n_resamples)
    streams = np.random.default_rng(rng).spawn(6)
    grouped = table.grouped
    sources = {"sem1": sem1(grouped.counts), "sem2": np.round(sem2(grouped.counts, ties="lot"), 12)}
    chosen = grouped.counts.argmax(axis=1)
    correct = np.take_along_axis(grouped.correct, chosen[:, None], axis=1)[:, 0]
    known = correct >= 0
    if _enough_stated(table.stated, known):
        sources["stated"] = grouped.confidence
    right, n_known = int((correct == 1).sum()), int(known.sum())
    accuracy = (right / n_known, *exact_interval(right, n_known)) if n_known else None
    obstacle = find_obstacle(n_known)
    calibration = over = costs = differences = kept = None
    if not obstacle:
        names = list(sources)
        calibration = sem_ece(grouped, sources=names, ties="lot", n_resamples=n_resamples, rng=streams[0])
        over = over_confidence(sources, correct, n_resamples, streams[5])
        rows = known & np.isfinite(list(sources.values())).all(axis=0)
        systems = {name: (correct[rows], confidence[rows]) for name, confidence in sources.items()}
        options = {"n": EXPONENTS, "n_resamples": n_resamples}
        costs = measure_systems(systems, rng=streams[1], **options)
        differences = compare_systems(systems, against="sem1", rng=streams[1].spawn(1)[0], **options)
        kept = keep_answers(systems, reject_cost, n_resamples, streams[2])
    questions = pd.DataFrame({"question": grouped.questions} | sources | {"correct": correct})
    questions["gap"] = np.round(np.maximum(sources["sem1"] - sources["sem2"], 0), 9)  # equal counts, equal gaps
    truth = None if obstacle else grouped.correct
    votes = _votes(grouped, known, truth, reject_cost, streams[3])
    sizes = price_votes(votes, price, n_resamples=n_resamples, rng=streams[4])
    return AnswerReport(
        table, reject_cost, price, sources, correct, accuracy, obstacle, calibration, over, costs, differences, kept,
        questions, gap_strata(questions), votes, sizes,
    )  # fmt: skip


def _enough_stated(stated, known):
    """Whether stated confidences are a source: stated for half of the questions at least, and for 30 of them."""
    rows = known if known.any() else np.ones(known.shape, bool)
    return bool(stated[rows].mean() >= 0.5 and (stated & rows).sum() >= min(LEAST_STATED, rows.sum()))


def _votes(grouped, known, truth, reject_cost, rng):
    rows = np.ones(known.shape, bool) if truth is None else grouped.graded & known
    return vote_curve(grouped.counts[rows], None if truth is None else truth[rows], reject_cost=reject_cost, rng=rng)


def find_obstacle(n_known):
    """Why nothing is said about right and wrong beyond their share, in one sentence; "" if there is enough."""
    if not n_known:
        return "The file does not say which answers are right."
    if n_known < LEAST_QUESTIONS:
        few = "one question" if n_known == 1 else f"{n_known:,} questions"
        return f"The right answer is known for only {few}; at least {LEAST_QUESTIONS} are needed."
    return ""


@dataclass(frozen=True)
class Control:
    """The calibration test on answers that are right exactly as often as a source says, where there is nothing to find.

    draws : files made; alarms : {source: draws in which the test fell below 5 %}
    """

    draws: int
    alarms: dict


def negative_control(report, *, draws=20, rng=None):
    """Draw right and wrong from the confidences themselves and test these for calibration, `draws` times a source; None
    where the report has no calibration.
    """
    if report.calibration is None:
        return None
    rng, alarms = np.random.default_rng(rng), {}
    for name, confidence in report.sources.items():
        p = confidence[report.known & np.isfinite(confidence)]
        tests = [calibration_error(one.random(p.size) < p, p, n_bins=10, rng=one) for one in rng.spawn(draws)]
        alarms[name] = sum(test.p_value < 0.05 for test in tests)
    return Control(draws, alarms)
