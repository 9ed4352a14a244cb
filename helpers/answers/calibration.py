"""Calibration error of the confidences that sampled answers give, one source beside the other."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers.confidence import (
    block_sizes,
    check_counts,
    first_blocks,
    held_out_shares,
    random_blocks,
    sem1,
    sem2,
    semantic_entropy,
    standardized_margin,
    top_two_margin,
)
from helpers.binning import assign_bins, quantile_edges, uniform_edges
from helpers.calibration import calibration_error
from helpers.checks import check_count, check_groups, check_numbers, check_one_of, check_same_length, check_vector
from helpers.resampling import bootstrap_interval

SOURCES = ("sem1", "sem2", "stated")

MARGINS = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class SemanticCalibration:
    """Calibration of several confidences of the same answers; every question counts once.

    errors : source -> `reliability.CalibrationError`, with its reliability curve
    summary : a row a source: ece with low and high, null (what a calibrated source of this size would show), p_value,
        debiased, mean confidence, accuracy of the answers, overconfidence (their difference), n
    differences : a row a pair of sources and a quantity: first less second with low, high, p_value (paired bootstrap
        over questions), n; "confidence" is the mean, "ece" the error, "ece at low margins" that of the questions whose
        margin is below 1 / sqrt(number of answers)
    by_margin : a row a range of the observed margin: n, accuracy, and confidence, ece and null of each source
    per_question : question, n_answers, the sources, correct, margin, standardized_margin, entropy; graded questions
    n_ungraded : questions left out because it is not known whether the answer is right
    """

    errors: dict = field(repr=False)
    summary: pd.DataFrame = field(repr=False)
    differences: pd.DataFrame = field(repr=False)
    by_margin: pd.DataFrame = field(repr=False)
    per_question: pd.DataFrame = field(repr=False)
    n_ungraded: int
    answer: str
    n_bins: int
    closed: str

    def __str__(self):
        found = "; ".join(
            f"{name} {error.value:.4f} [{error.low:.4f}, {error.high:.4f}], calibrated {error.null:.4f}"
            for name, error in self.errors.items()
        )
        return f"ECE of {found}; n = {len(self.per_question):,} questions, {self.n_ungraded:,} without a grade left out"


def sem_ece(
    grouped_or_counts, correct=None, *, stated=None, sources=None, n_bins=10, strategy="uniform", closed="left",
    n_select=None, answer="all", ties="order", margins=MARGINS, groups=None, n_resamples=1000, rng=None,
):  # fmt: skip
    """Expected calibration error of Sem1, Sem2 and stated confidences, with what chance alone would show.

    Parameters
    ----------
    grouped_or_counts : `GroupedAnswers`, a sample of an `AnswerPopulation`, or (Q, C) counts
    correct : with counts, (Q, C) whether each class is right, or (Q,) whether the most frequent is; 1, 0, and -1 or NaN
        for unknown
    stated : with counts, (Q,) stated confidences in [0, 1] or NaN, or None
    sources : of "sem1", "sem2", "stated"; None for all there are
    n_bins, strategy : "uniform" bins of equal width, or "quantile"
    closed : "left" puts a confidence on an edge into the upper bin, "right" into the lower; shares of N answers lie on
        edges often, so try both
    n_select : answers that select in Sem2; by default half of them
    answer : what is graded and how it is measured. "all": the most frequent of all N answers, Sem1 on all N, Sem2 the
        mean over all splits (the paper's experiments, without the noise of its ten splits). "block": the most frequent
        of the first n_select answers, Sem1 on these, Sem2 on the others (its algorithm 1 and its theorems); counts
        without an order are split at random
    ties : "order" or "lot", for Sem2 with answer="all", see `semantic_confidence.sem2`
    margins : edges from 0 to 1 of the ranges in `by_margin`, or None for none
    groups : (Q,) labels of questions that belong together, or None
    n_resamples, rng : of the paired bootstrap

    Returns
    -------
    SemanticCalibration; errors in units of probability, 0 is best. Measured in simulations with 10 bins, the 95 %
    intervals of an error hold it in 89 to 95 % of the draws of 400 questions, and in 95 % with 2,000. Strata and
    confidences come from the same answers: within a range of the observed margin both are shifted by the same luck.

    Raises
    ------
    ValueError for a question with a single answer (Sem2 needs two), fewer than two graded questions, shapes that
    differ, or a source that the data do not have.

    Source: Wang et al. (2026), section 4, algorithm 1, figure 3 and appendix E; the calibration error with its null
    value and interval is `reliability.calibration_error`.

    >>> counts = np.random.default_rng(0).multinomial(20, [0.7, 0.3], size=300)
    >>> found = sem_ece(counts, np.tile([1, 0], (300, 1)), n_resamples=50, rng=0)
    >>> found.summary[["source", "accuracy", "n"]].round(2).values.tolist()
    [['sem1', 0.98, 300], ['sem2', 0.98, 300]]
    """
    rng = np.random.default_rng(rng)
    check_one_of(answer, "answer", ("all", "block"))
    check_one_of(closed, "closed", ("left", "right"))
    check_one_of(ties, "ties", ("order", "lot"))
    check_one_of(strategy, "strategy", ("uniform", "quantile"))
    check_count(n_bins, "n_bins")
    margins = None if margins is None else check_vector(margins, "margins", finite=True)
    if margins is not None and (
        margins.size < 2 or margins[0] != 0 or margins[-1] != 1 or not (np.diff(margins) > 0).all()
    ):
        raise ValueError(f"margins must increase from 0 to 1, but they are {margins}.")
    groups = check_groups(groups)
    counts, order, correct, stated, names = _read(grouped_or_counts, correct, stated)
    check_same_length(counts=counts, groups=groups)
    sources = _which(sources, stated)
    n_answers = counts.sum(axis=1)
    if answer == "all":
        chosen, size = counts.argmax(axis=1), n_answers
        confidence = {"sem1": sem1(counts)}
        if "sem2" in sources:
            confidence["sem2"] = np.round(sem2(counts, n_select, ties=ties), 12)
    else:
        size = block_sizes(check_counts(counts, least=2).sum(axis=1), n_select)
        given = None if order is None else first_blocks(order, size, counts.shape[1])
        block = random_blocks(counts, size, rng=rng)[0] if given is None else given
        chosen, confidence = block.argmax(axis=1), {"sem1": sem1(block), "sem2": held_out_shares(counts, block)}
    confidence["stated"] = stated
    grade = _grade(correct, chosen, answer)
    table = pd.DataFrame({"question": names, "n_answers": n_answers} | {name: confidence[name] for name in sources})
    table["correct"], table["margin"] = grade, top_two_margin(counts)
    table["standardized_margin"], table["entropy"] = standardized_margin(counts, size), semantic_entropy(counts)
    kept = grade >= 0
    if kept.sum() < 2:
        raise ValueError(f"correct must be known for two questions at least, but it is for {kept.sum()}.")
    table, groups = table[kept].reset_index(drop=True), None if groups is None else groups[kept]
    low = table["margin"].to_numpy() < 1 / np.sqrt(size[kept])
    rule = _Rule(n_bins, strategy, closed, rng)
    errors = {name: rule.error(table, name, groups) for name in sources}
    return SemanticCalibration(
        errors,
        pd.DataFrame([_line(table, name, error) for name, error in errors.items()]),
        _differences(table, sources, low, rule, groups, n_resamples),
        _strata(table, sources, margins, rule, groups),
        table,
        int((~kept).sum()),
        answer,
        n_bins,
        closed,
    )


def _read(given, correct, stated):
    """Counts, order or None, correctness, stated confidences or None, names of the questions."""
    order = getattr(given, "order", None)
    if isinstance(order, np.ndarray):
        if correct is not None or stated is not None:
            raise ValueError("correct and stated must be None with grouped answers, which hold both.")
        stated = getattr(given, "confidence", np.array(np.nan))
        names = getattr(given, "questions", np.arange(len(order)))
        stated = stated if np.isfinite(stated).any() else None
        return given.counts, order if order.shape[1] else None, given.correct, stated, names
    counts = check_counts(given)
    if correct is None:
        raise ValueError("correct must say which classes are right where counts are given, but it is None.")
    correct = check_numbers(correct, "correct")
    if correct.shape not in (counts.shape, counts.shape[:1]):
        raise ValueError(
            f"correct must have the shape of counts, {counts.shape}, or one entry a question, but its shape is "
            f"{correct.shape}."
        )
    correct = np.where(np.isnan(correct), -1, correct)
    wrong = ~np.isin(correct, (-1, 0, 1))
    if wrong.any():
        raise ValueError(
            f"correct must be 0, 1, or -1 or NaN for unknown, but it holds {correct[wrong][0]:g} "
            f"(and {wrong.sum() - 1:,} more such entries)."
        )
    if stated is not None:
        stated = check_numbers(stated, "stated")
        check_same_length(counts=counts, stated=np.atleast_1d(stated))
        bad = ~(np.isnan(stated) | ((stated >= 0) & (stated <= 1)))
        if stated.ndim != 1 or bad.any():
            raise ValueError(
                f"stated must be one confidence in [0, 1] or NaN for each question, but {bad.sum():,} are not."
            )
    return counts, None, correct, stated, np.arange(len(counts))


def _which(sources, stated):
    """The sources asked for, in the order of SOURCES."""
    if sources is None:
        return [name for name in SOURCES if name != "stated" or stated is not None]
    sources = [sources] if isinstance(sources, str) else list(sources)
    for name in sources:
        check_one_of(name, "sources", SOURCES)
    if not sources or ("stated" in sources and stated is None):
        raise ValueError(f"sources must name what the data hold, but it is {sources!r} and no confidence is stated.")
    return [name for name in SOURCES if name in sources]


def _grade(correct, chosen, answer):
    """(Q,) 1, 0 or -1: whether the chosen class is right."""
    if correct.ndim == 2:
        return np.take_along_axis(correct, chosen[:, None], axis=1)[:, 0].astype(int)
    if answer == "block":
        raise ValueError('correct must have a column for each class with answer="block", but it has one dimension.')
    return correct.astype(int)


@dataclass(frozen=True)
class _Rule:
    """How confidences are binned."""

    n_bins: int
    strategy: str
    closed: str
    rng: np.random.Generator

    def place(self, p):
        """`p`, moved by the smallest step where bins are closed on the right."""
        return p if self.closed == "left" else np.nextafter(p, 0.0)

    def error(self, table, name, groups=None):
        """CalibrationError of one source, over the questions that have it."""
        p, y = table[name].to_numpy(), table["correct"].to_numpy()
        there = ~np.isnan(p)
        groups = None if groups is None else groups[there]
        groups = None if groups is None or np.unique(groups).size < 2 else groups
        options = {"n_bins": self.n_bins, "strategy": self.strategy, "groups": groups, "rng": self.rng}
        return calibration_error(y[there], self.place(p[there]), **options)

    def binned(self, table, name):
        """(Q,) bin and residual, from which the error of any resample follows."""
        p = self.place(table[name].to_numpy())
        edges = uniform_edges(self.n_bins) if self.strategy == "uniform" else quantile_edges(p, self.n_bins)
        return assign_bins(p, edges), table["correct"].to_numpy() - p


def _line(table, name, error):
    """One row of `summary`."""
    there = table[table[name].notna()]
    mean, accuracy = there[name].mean(), there["correct"].mean()
    return {
        "source": name, "ece": error.value, "low": error.low, "high": error.high, "null": error.null,
        "p_value": error.p_value, "debiased": error.debiased, "confidence": mean, "accuracy": accuracy,
        "overconfidence": mean - accuracy, "n": len(there),
    }  # fmt: skip


def _ece_gap(bin_a, residual_a, bin_b, residual_b):
    a, b = np.bincount(bin_a, residual_a), np.bincount(bin_b, residual_b)
    return (np.abs(a).sum() - np.abs(b).sum()) / len(bin_a)


def _differences(table, sources, low, rule, groups, n_resamples):
    """Paired differences of each two sources over the questions that have both."""
    rows = []
    for first, second in [(a, b) for k, a in enumerate(sources) for b in sources[k + 1 :]]:
        both = table[[first, second]].notna().all(axis=1).to_numpy()
        for what, rows_in in (("confidence", both), ("ece", both), ("ece at low margins", both & low)):
            part, labels = table[rows_in], None if groups is None else groups[rows_in]
            line = {"first": first, "second": second, "what": what, "difference": np.nan}
            line |= {"low": np.nan, "high": np.nan, "p_value": np.nan, "n": len(part)}
            if len(part) >= 2 and (labels is None or np.unique(labels).size > 1):
                options = {"n_resamples": n_resamples, "groups": labels, "rng": rule.rng}
                if what == "confidence":
                    found = bootstrap_interval(np.mean, part[first].to_numpy() - part[second].to_numpy(), **options)
                else:
                    found = bootstrap_interval(
                        _ece_gap, *rule.binned(part, first), *rule.binned(part, second), **options
                    )
                line |= {"difference": found.value, "low": found.low, "high": found.high, "p_value": found.p_value}
            rows.append(line)
    return pd.DataFrame(rows, columns=["what", "first", "second", "difference", "low", "high", "p_value", "n"])


def _strata(table, sources, margins, rule, groups):
    """Rows of `by_margin`; ranges without a question are left out."""
    if margins is None:
        return pd.DataFrame()
    stratum, rows = assign_bins(table["margin"].to_numpy(), margins), []
    for k in np.unique(stratum):
        part, labels = table[stratum == k], None if groups is None else groups[stratum == k]
        line = {"margin_from": margins[k], "margin_to": margins[k + 1], "n": len(part)}
        line["accuracy"] = part["correct"].mean()
        for name in (name for name in sources if part[name].notna().any()):
            error = rule.error(part, name, labels)
            line |= {f"confidence_{name}": part[name].mean(), f"ece_{name}": error.value, f"null_{name}": error.null}
        rows.append(line)
    return pd.DataFrame(rows)
