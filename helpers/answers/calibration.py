"""Calibration error of the confidences that sampled answers give, one source beside the other."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

from helpers._result import Result
from helpers.answers.confidence import (
    check_counts,
    check_enough,
    entropy_of,
    largest_share,
    mean_held_out_share,
    top_two,
)
from helpers.answers.splits import block_sizes, chances_to_win, first_blocks, held_out_shares, random_blocks
from helpers.binning import bins_between, edges_for
from helpers.calibration.reliability import curve_of_rows, error_and_null, error_of_curve
from helpers.checks import (
    check_count,
    check_groups,
    check_numbers,
    check_one_of,
    check_probabilities,
    check_rng,
    check_same_length,
    check_vector,
)
from helpers.resampling import interval_of_draws, paired_difference, resampled_means

SOURCES = ("sem1", "sem2", "stated")

MARGINS = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class SemanticCalibration(Result):
    """Calibration of several confidences of the same answers; every question counts once.

    Parameters
    ----------
    errors : dict
        Source -> `helpers.calibration.CalibrationError`, with its reliability curve.
    summary : DataFrame
        A row a source: ece with low and high, null (what is seen of these confidences if each is the chance of a right
        answer), p_value, debiased, mean confidence, accuracy of the answers, overconfidence (their difference), n.
        `null` takes the confidences as given: a perfect model that is asked five times shows far more, because the
        shares of few answers err. Only more answers to each question help.
    differences : DataFrame
        A row a pair of sources and a quantity: first less second with low, high, p_value (paired bootstrap over
        questions), n; "confidence" is the mean, "ece" the error, "ece at low margins" that of the questions whose
        margin is below 1 / sqrt(number of answers).
    by_margin : DataFrame
        A row a range of the observed margin: n, accuracy, and confidence, ece and null of each source.
    per_question : DataFrame
        The graded questions: question, n_answers, the sources, correct (a fraction where several classes are the
        most frequent), margin, standardized_margin, entropy.
    n_ungraded : int
        Questions left out because it is not known whether the answer is right.
    answer, n_bins, closed : options
        As given to `sem_ece`.

    Examples
    --------
    >>> measured = sem_ece([[3, 1], [2, 2], [4, 0]], [1, 0, 1], sources="sem1", n_resamples=20, rng=0)
    >>> measured.by_margin["ece_sem1"].tolist()
    [0.5, 0.25, 0.0]
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
        errors = "; ".join(
            f"{name} {error.value:.4f} [{error.low:.4f}, {error.high:.4f}], calibrated {error.null:.4f}"
            for name, error in self.errors.items()
        )
        return (
            f"ECE of {errors}; n = {len(self.per_question):,} questions, {self.n_ungraded:,} without a grade left out"
        )


def sem_ece(
    grouped_or_counts, correct=None, *, stated=None, sources=None, n_bins=10, strategy="uniform", closed="left",
    n_select=None, answer="all", ties="average", margins=MARGINS, groups=None, n_resamples=1000, rng=None,
):  # fmt: skip
    """Expected calibration error of Sem1, Sem2 and stated confidences, with what true confidences would show.

    Wang et al. (2026), section 4, algorithm 1, figure 3 and appendix E; null value and interval are those of
    `helpers.calibration.calibration_error`. Measured in simulations with 10 bins, the 95 % intervals of an error hold
    it in 89 to 95 % of the draws of 400 questions, and in 95 % with 2,000. Strata and confidences come from the same
    answers: within a range of the observed margin both are shifted by the same luck. ValueError for a question with a
    single answer (Sem2 needs two), or fewer than two graded questions.
    Plain: `helpers.papers.semece2026.section_3_ece`, `helpers.papers.semece2026.algorithm_1`.

    Parameters
    ----------
    grouped_or_counts : GroupedAnswers, AnswerSample or array of int, shape (Q, C)
        Answers to Q questions: grouped, a sample of an `AnswerPopulation`, or counts of classes.
    correct : array, shape (Q, C) or (Q,), or None, default None
        With counts, whether each class is right, or whether the most frequent is (where several are, the one that you
        chose); 1, 0, and -1 or NaN for unknown.
    stated : array of float, shape (Q,), or None, default None
        With counts, stated confidences in [0, 1] or NaN.
    sources : list of str or None, default None
        Of "sem1", "sem2", "stated"; None for all there are.
    n_bins : int, default 10
        Bins of an error.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or of as many questions each.
    closed : {"left", "right"}, default "left"
        "left" puts a confidence on an edge into the upper bin, "right" into the lower; shares of N answers lie on edges
        often, so try both.
    n_select : int or None, default None
        Answers that select in Sem2; None for half of them.
    answer : {"all", "block"}, default "all"
        What is graded and how it is measured. "all": the most frequent of all N answers, Sem1 on all N, Sem2 the mean
        over all splits (the paper's experiments, without the noise of its ten splits). "block": the most frequent of
        the first n_select answers, Sem1 on these, Sem2 on the others (its algorithm 1 and its theorems); counts without
        an order are split at random.
    ties : {"average", "first"}, default "average"
        Where classes are equally frequent: "average", each of them is the answer equally often, so that a question
        counts as right by the share of right ones among these (a fraction), or "first", the earlier column is the
        answer.
    margins : array of float or None, default (0, 0.1, 0.2, 0.4, 0.6, 0.8, 1)
        Edges from 0 to 1 of the ranges in `by_margin`, or None for none.
    groups, n_resamples, rng : optional
        As in `helpers.resampling.bootstrap_interval`; groups are questions that belong together.

    Returns
    -------
    SemanticCalibration
        Errors in units of probability, 0 is best. In `.differences`, intervals of differences of two errors ("ece") are
        rough: each has a bias of its own, and where the sources fill the bins differently they cover too little.

    Examples
    --------
    >>> counts = np.random.default_rng(0).multinomial(20, [0.7, 0.3], size=300)
    >>> measured = sem_ece(counts, np.tile([1, 0], (300, 1)), n_resamples=50, rng=0)
    >>> measured.summary[["source", "accuracy", "n"]].round(2).values.tolist()
    [['sem1', 0.96, 300], ['sem2', 0.96, 300]]
    """
    rng = check_rng(rng)
    check_one_of(answer, "answer", ("all", "block"))
    check_one_of(closed, "closed", ("left", "right"))
    check_one_of(ties, "ties", ("average", "first"))
    check_one_of(strategy, "strategy", ("uniform", "quantile"))
    check_count(n_bins, "n_bins")
    margins = _check_margins(margins)
    groups = check_groups(groups)
    answers = _read(grouped_or_counts, correct, stated)
    check_same_length(counts=answers.counts, groups=groups)
    sources = _which(sources, answers.stated)
    if "sem2" in sources or answer == "block":
        check_enough(answers.counts, 2)
    table = _per_question(answers, sources, answer, n_select, ties, rng)
    graded = table["correct"].to_numpy() >= 0
    if graded.sum() < 2:
        raise ValueError(f"correct must be known for two questions at least, but it is for {graded.sum()}.")
    table = table[graded].reset_index(drop=True)
    groups = None if groups is None else groups[graded]
    size = table.pop("size").to_numpy()
    low_margin = table["margin"].to_numpy() < 1 / np.sqrt(size)
    binning = _Binning(n_bins, strategy, closed, rng)
    errors = {name: binning.error(table, name, groups) for name in sources}
    return SemanticCalibration(
        errors=errors,
        summary=pd.DataFrame([_summary_row(table, name, error) for name, error in errors.items()]),
        differences=_differences(table, sources, low_margin, binning, groups, n_resamples),
        by_margin=_strata(table, sources, margins, binning, groups),
        per_question=table,
        n_ungraded=int((~graded).sum()),
        answer=answer,
        n_bins=n_bins,
        closed=closed,
    )


def _per_question(answers, sources, answer, n_select, ties, rng):
    """`SemanticCalibration.per_question` of all questions, with the number of answers that measure Sem1 (size)."""
    counts = answers.counts
    n_answers = counts.sum(axis=1)
    confidence = {"stated": answers.stated}
    if answer == "all":
        size = n_answers
        chosen = chances_to_win(counts, ties)
        confidence["sem1"] = largest_share(counts)
        if "sem2" in sources:
            confidence["sem2"] = np.round(mean_held_out_share(counts, n_select, ties), 12)
    else:
        size = block_sizes(n_answers, n_select)
        block = _selecting_block(answers, size, rng)
        chosen = chances_to_win(block, ties)
        confidence["sem1"] = largest_share(block)
        confidence["sem2"] = held_out_shares(counts, block, chosen)
    margin, mass = top_two(counts)
    return pd.DataFrame({
        "question": answers.questions,
        "n_answers": n_answers,
        **{name: confidence[name] for name in sources},
        "correct": _grade(answers.correct, chosen, answer),
        "margin": margin,
        "standardized_margin": margin / np.sqrt(mass / size),
        "entropy": entropy_of(counts),
        "size": size,
    })  # fmt: skip


def _check_margins(margins):
    """Edges that increase from 0 to 1, or None."""
    if margins is None:
        return None
    margins = check_vector(margins, "margins", finite=True)
    if margins.size < 2 or margins[0] != 0 or margins[-1] != 1 or not (np.diff(margins) > 0).all():
        raise ValueError(f"margins must increase from 0 to 1, but they are {margins}.")
    return margins


@dataclass(frozen=True)
class _Answers:
    """What is known of Q questions; `order` and `stated` are None where there is none."""

    counts: np.ndarray
    order: np.ndarray | None
    correct: np.ndarray
    stated: np.ndarray | None
    questions: np.ndarray


def _read(given, correct, stated):
    """`_Answers` of grouped answers, of a sample of a population, or of counts with what is known of them."""
    order = getattr(given, "order", None)
    if isinstance(order, np.ndarray):
        if correct is not None or stated is not None:
            raise ValueError("correct and stated must be None with grouped answers, which hold both.")
        stated = getattr(given, "confidence", np.array(np.nan))
        return _Answers(
            counts=given.counts,
            order=order if order.shape[1] else None,
            correct=given.correct,
            stated=stated if np.isfinite(stated).any() else None,
            questions=getattr(given, "questions", np.arange(len(order))),
        )
    counts = check_counts(given)
    if correct is None:
        raise ValueError("correct must say which classes are right where counts are given, but it is None.")
    correct = _check_correct(correct, counts)
    if stated is not None:
        stated = check_probabilities(stated, "stated", missing=True)
        check_same_length(counts=counts, stated=stated)
    return _Answers(counts, None, correct, stated, np.arange(len(counts)))


def _check_correct(correct, counts):
    """1, 0 or -1 for each class or each question."""
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
    return correct


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


def _selecting_block(answers, size, rng):
    """Counts of the (Q,) `size` answers that select: the first ones, or random ones where the order is not known."""
    if answers.order is None:
        return random_blocks(answers.counts, size, rng=rng)[0]
    return first_blocks(answers.order, size, answers.counts.shape[1])


def _grade(correct, chosen, answer):
    """(Q,) chance that the answer is right, or -1 where it is not known; `chosen` is the chance of each class."""
    if correct.ndim == 2:
        return chance_right(correct, chosen)
    if answer == "block":
        raise ValueError('correct must have a column for each class with answer="block", but it has one dimension.')
    return correct.astype(float)


def chance_right(correct, chosen):
    """(Q,) chance that an answer is right, -1 if it may be a class of which that is not known.

    `correct`: 1, 0 or -1 for each class; `chosen`: `chances_to_win`.

    >>> chance_right(np.array([[1, 0, 0], [1, 0, -1]]), np.array([[0.5, 0.5, 0], [0.5, 0, 0.5]]))
    array([ 0.5, -1. ])
    """
    is_known = ((correct >= 0) | (chosen == 0)).all(axis=1)
    chance = (np.maximum(correct, 0) * chosen).sum(axis=1).round(12)  # six sixths are one
    return np.where(is_known, chance, -1.0)


@dataclass(frozen=True)
class _Binning:
    """How the confidences of a table are put into bins, and the errors that follow."""

    n_bins: int
    strategy: str
    closed: str
    rng: np.random.Generator

    def placed(self, confidence):
        """Confidences, moved by the smallest step where bins are closed on the right."""
        return confidence if self.closed == "left" else np.nextafter(confidence, 0.0)

    def error(self, table, name, groups=None, measure=error_of_curve):
        """CalibrationError of one source, over the questions that have it (or another `measure` of their curve)."""
        stated = table[name].notna().to_numpy()
        correct = table["correct"].to_numpy()[stated]
        confidence = self.placed(table[name].to_numpy()[stated])
        if groups is not None:
            groups = groups[stated]
            if np.unique(groups).size < 2:
                groups = None
        curve = curve_of_rows(correct, confidence, self.n_bins, self.strategy, groups=groups)
        return measure(curve, rng=self.rng)

    def spread(self, table, name):
        """(Q, B) residual of each question in the column of its bin: means over a resample are the gaps there."""
        confidence = self.placed(table[name].to_numpy())
        edges = edges_for(confidence, self.n_bins, self.strategy)
        inside = bins_between(confidence, edges)[:, None] == np.arange(edges.size - 1)
        return inside * (table["correct"].to_numpy() - confidence)[:, None]


def _summary_row(table, name, error):
    """One row of `summary`."""
    stated = table[table[name].notna()]
    confidence = stated[name].mean()
    accuracy = stated["correct"].mean()
    return {
        "source": name, "ece": error.value, "low": error.low, "high": error.high, "null": error.null,
        "p_value": error.p_value, "debiased": error.debiased, "confidence": confidence, "accuracy": accuracy,
        "overconfidence": confidence - accuracy, "n": len(stated),
    }  # fmt: skip


def _differences(table, sources, low_margin, binning, groups, n_resamples):
    """Paired differences of each two sources over the questions that have both."""
    rows = []
    for first, second in combinations(sources, 2):
        both = table[[first, second]].notna().all(axis=1).to_numpy()
        for what, kept in (("confidence", both), ("ece", both), ("ece at low margins", both & low_margin)):
            part = table[kept]
            labels = None if groups is None else groups[kept]
            row = {"what": what, "first": first, "second": second}
            if len(part) < 2 or (labels is not None and np.unique(labels).size < 5):  # as `bootstrap_interval` asks
                rows.append(row | dict.fromkeys(("difference", "low", "high", "p_value"), np.nan) | {"n": len(part)})
                continue
            options = {"n_resamples": n_resamples, "groups": labels, "rng": binning.rng}
            if what == "confidence":
                gap = paired_difference(part[first].to_numpy(), part[second].to_numpy(), **options)
            else:
                spreads = [binning.spread(part, name) for name in (first, second)]
                sign = np.repeat([1.0, -1.0], [spread.shape[1] for spread in spreads])
                residual = np.hstack(spreads)
                draws = np.abs(resampled_means(residual, **options)) @ sign
                gap = interval_of_draws(float(np.abs(residual.mean(axis=0)) @ sign), draws, len(part))
            row |= {"difference": gap.value, "low": gap.low, "high": gap.high, "p_value": gap.p_value, "n": len(part)}
            rows.append(row)
    return pd.DataFrame(rows, columns=["what", "first", "second", "difference", "low", "high", "p_value", "n"])


def _strata(table, sources, margins, binning, groups):
    """Rows of `by_margin`; ranges without a question are left out."""
    if margins is None:
        return pd.DataFrame()
    stratum = bins_between(table["margin"].to_numpy(), margins)
    rows = []
    for k in np.unique(stratum):
        part = table[stratum == k]
        labels = None if groups is None else groups[stratum == k]
        row = {"margin_from": margins[k], "margin_to": margins[k + 1], "n": len(part)}
        row["accuracy"] = part["correct"].mean()
        for name in sources:
            if part[name].notna().any():
                error, null = binning.error(part, name, labels, error_and_null)
                row |= {f"confidence_{name}": part[name].mean(), f"ece_{name}": error, f"null_{name}": null}
        rows.append(row)
    return pd.DataFrame(rows)
