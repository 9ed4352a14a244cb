"""A file of sampled answers audited from end to end: the numbers of notebook 14."""

from functools import partial

import numpy as np
import pandas as pd

from helpers.answers import sem_ece
from helpers.answers.confidence import largest_share, mean_held_out_share
from helpers.checks import check_rng
from helpers.reports.answer_advice import N_FOLDS, SAME, advise, limits_of_others, pays_from
from helpers.reports.answer_numbers import gap_strata, over_confidence
from helpers.reports.answer_pair import compare_pair
from helpers.reports.answers import AnswerReport
from helpers.reports.intake import check_terms
from helpers.reports.votes import price_votes, vote_curve
from helpers.resampling import exact_interval
from helpers.selective import compare_systems, measure_systems

LEAST_QUESTIONS = 30  # with a known answer; below, only the share of right answers is told

LEAST_STATED = 30

EXPONENTS = (0, 1, np.inf)  # of ECUAS


def audit_answers(
    table, *, against=None, names=("first", "second"), reject_cost=0.2, price=0.002, precision=0.9, n_resamples=1000,
    rng=None,
):  # fmt: skip
    """Audit a file of sampled answers: confidences, which answers to use, hard questions, votes of fewer samples.

    Parameters
    ----------
    table : AnswerTable
        From `helpers.tables.read_answers`.
    against : AnswerTable, optional
        Answers of a second system to the same questions, to be compared question by question.
    names : tuple of str, default ("first", "second")
        What the report calls the two systems.
    reject_cost : float, default 0.2
        Cost of leaving a question to somebody else, where a wrong answer costs 1.
    price : float, default 0.002
        Price of one sampled answer, in the same unit.
    precision : float, default 0.9
        Share of right answers to certify among those that are used.
    n_resamples : int, default 1000
        Resamples behind the intervals.
    rng : int, Generator or None, default None
        Source of randomness.

    Returns
    -------
    AnswerReport
        With fewer than 30 questions with a known right answer it holds the agreement of the answers only; `obstacle`
        says why.

    Raises
    ------
    ValueError
        As `check_terms`, and for a second system that shares fewer than two graded questions.

    Examples
    --------
    >>> from helpers.tables import read_answers
    >>> report = audit_answers(read_answers(), n_resamples=100, rng=0)
    >>> round(report.accuracy[0], 2), report.obstacle
    (0.76, '')
    """
    check_terms(reject_cost, price, n_resamples, precision)
    rng_given = rng if isinstance(rng, int) else None
    streams = check_rng(rng).spawn(8)
    grouped = table.grouped
    agreement, correct = agreement_of(table)
    known = correct >= 0
    sources = {"sem1": agreement, "sem2": np.round(mean_held_out_share(grouped.counts, None, "lot"), 12)}
    if _enough_stated(table.stated, known):
        sources["stated"] = grouped.confidence
    n_right = int((correct == 1).sum())
    n_known = int(known.sum())
    accuracy = (n_right / n_known, *exact_interval(n_right, n_known)) if n_known else None
    obstacle = _find_obstacle(n_known)
    fold = streams[6].permutation(known.size) % N_FOLDS
    seed = int(streams[4].integers(2**62))  # the same resamples of questions price all samples and fewer
    calibration = over = costs = differences = advice = find_limit = accepted = None
    if not obstacle:
        calibration = sem_ece(grouped, sources=list(sources), ties="lot", n_resamples=n_resamples, rng=streams[0])
        over = over_confidence(sources, correct, n_resamples, streams[5])
        rows = known & np.isfinite(list(sources.values())).all(axis=0)
        systems = {name: (correct[rows], confidence[rows]) for name, confidence in sources.items()}
        options = {"n": EXPONENTS, "n_resamples": n_resamples}
        costs = measure_systems(systems, rng=streams[1], **options)
        differences = compare_systems(systems, against="sem1", rng=streams[1].spawn(1)[0], **options)
        source = _best_source(differences)
        off = over.set_index("source").loc[source]
        recalibrate = bool(calibration.errors[source].p_value < 0.05 or off["low"] > 0 or off["high"] < 0)
        terms = {"reject_cost": reject_cost, "precision": precision, "n_resamples": n_resamples}
        advice = advise(source, sources[source], correct, fold, recalibrate=recalibrate, rng=seed, **terms)
        find_limit = partial(pays_from, reject_cost=reject_cost) if recalibrate else None
    pair = None
    if against is not None and not obstacle:
        used = advice.used if advice.source == "sem1" else None
        pair = _compare(names, (table, against), (fold, used), reject_cost, n_resamples, streams[7])
    questions = pd.DataFrame({"question": grouped.questions} | sources | {"correct": correct})
    questions["gap"] = np.round(np.maximum(sources["sem1"] - sources["sem2"], 0), 9)  # equal counts, equal gaps
    voting = np.full(known.shape, True) if obstacle else grouped.graded & known
    truth = None if obstacle else grouped.correct[voting]
    if advice is not None and advice.source == "stated":
        voting &= np.isfinite(sources["stated"])
        truth = grouped.correct[voting]
        accepted = advice.used[voting]
    limits = {"find_limit": find_limit, "accepted": accepted, "fold": fold[voting]}
    votes = vote_curve(grouped.counts[voting], truth, reject_cost=reject_cost, rng=streams[3], **limits)
    sizes = price_votes(votes, price, n_resamples=n_resamples, rng=seed)
    asked = {"reject_cost": reject_cost, "price": price, "precision": precision}
    asked |= {"n_resamples": n_resamples, "rng": rng_given, "against": "" if against is None else against.name}
    return AnswerReport(
        table, reject_cost, price, sources, correct, accuracy, obstacle, calibration, over, costs, differences, advice,
        questions, gap_strata(questions), votes, sizes, pair, asked,
    )  # fmt: skip


def agreement_of(table):
    """(Q,) agreement of the answers, and whether the most frequent one is right (1), wrong (0) or unknown (-1)."""
    counts = table.grouped.counts
    correct = np.take_along_axis(table.grouped.correct, counts.argmax(axis=1)[:, None], axis=1)[:, 0]
    return largest_share(counts), correct


def _compare(names, tables, first, reject_cost, n_resamples, rng):
    """`AnswerPair` of two tables, each handing over where the recalibrated agreement of its other folds says that it
    pays; `first` holds the folds of the first table and, where they are known, its questions that are answered.
    """
    agreement, correct = zip(*map(agreement_of, tables), strict=True)
    folds = [first[0], rng.spawn(1)[0].permutation(correct[1].size) % N_FOLDS]
    accepted = [np.zeros(y.size, bool) for y in correct]
    for used, p, y, fold in zip(accepted, agreement, correct, folds, strict=True):
        rows = np.flatnonzero(y >= 0)
        used[rows] = p[rows] >= limits_of_others(p[rows], y[rows] * 1.0, fold[rows], reject_cost) - SAME
    if first[1] is not None:
        accepted[0] = first[1]
    return compare_pair(names, tables, agreement, correct, accepted, reject_cost, n_resamples, rng)


def _best_source(differences):
    """ "stated" where its ECUAS (n = 1) surely is lower than that of plain agreement, else "sem1"."""
    rows = differences[(differences["metric"] == "ecuas_1") & (differences["system"] == "stated")]
    return "stated" if (rows["high"] < 0).any() else "sem1"


def _enough_stated(stated, known):
    """Whether stated confidences are a source: stated for half of the questions at least, and for 30 of them."""
    rows = known if known.any() else np.ones(known.shape, bool)
    return bool(stated[rows].mean() >= 0.5 and (stated & rows).sum() >= min(LEAST_STATED, rows.sum()))


def _find_obstacle(n_known):
    """Why nothing is said about right and wrong beyond their share, in one sentence; "" if there is enough."""
    if not n_known:
        return "The file does not say which answers are right."
    if n_known < LEAST_QUESTIONS:
        few = "one question" if n_known == 1 else f"{n_known:,} questions"
        return f"The right answer is known for only {few}; at least {LEAST_QUESTIONS} are needed."
    return ""
