"""A file of sampled answers audited from end to end: the numbers of notebook 14."""

from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.answers import sem_ece
from helpers.answers.confidence import largest_share, mean_held_out_share
from helpers.checks import check_rng
from helpers.reports.answer_costs import SAME, limits_of_others, price_answers, recalibrated
from helpers.reports.answer_findings import ALPHA
from helpers.reports.answer_groups import find_groups
from helpers.reports.answer_numbers import bootstrap_means, gap_strata, over_confidence
from helpers.reports.answer_pair import compare_pair
from helpers.reports.answer_promises import promise
from helpers.reports.answers import AnswerReport
from helpers.reports.intake import check_terms
from helpers.reports.votes import compare_votes
from helpers.resampling import exact_interval
from helpers.selective import measure_systems
from helpers.selective.abstention import closed_form

LEAST_QUESTIONS = 30  # with a known answer; below, only the share of right answers is told
LEAST_STATED = 30
N_FOLDS = 10
EXPONENTS = (0, 1, np.inf)  # of ECUAS


def audit_answers(
    table, *, against=None, names=("first", "second"), reject_cost=None, price=None, precision=0.9, n_resamples=1000,
    rng=None,
):  # fmt: skip
    """Audit a file of sampled answers: confidences, which answers to use, close votes, what more samples change.

    Parameters
    ----------
    table : AnswerTable
        From `helpers.tables.read_answers`.
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
    reject_cost = reject_cost or None
    price = price or None
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
    seed = int(streams[4].integers(2**62))
    voting = np.full(known.shape, True) if obstacle else grouped.graded & known
    truth = None if obstacle else grouped.correct[voting]
    resamples = {"n_resamples": n_resamples, "rng": seed}
    sizes = compare_votes(grouped.counts[voting], truth, votes_rng=streams[3], **resamples)
    calibration = over = costs = stated_gain = promises = prices = groups = None
    if not obstacle:
        calibration = sem_ece(grouped, sources=list(sources), ties="lot", n_resamples=n_resamples, rng=streams[0])
        over = over_confidence(sources, correct, n_resamples, streams[5])
        systems = _on_common_rows(sources, correct)
        options = {"n": EXPONENTS, "n_resamples": n_resamples}
        costs = measure_systems(systems, rng=streams[1], **options)
        stated_gain = _stated_gain(sources, correct, fold, n_resamples, streams[2])
        promises = promise({name: sources[name] for name in sources if name != "sem2"}, correct, precision)
    pair = None
    if against is not None and not obstacle:
        pair = _compare(names, (table, against), fold, reject_cost, n_resamples, streams[7])
    questions = pd.DataFrame({"question": grouped.questions} | sources | {"correct": correct})
    questions["gap"] = np.round(np.maximum(sources["sem1"] - sources["sem2"], 0), 9)  # equal counts, equal gaps
    asked = {"reject_cost": reject_cost, "price": price, "precision": precision}
    asked |= {"n_resamples": n_resamples, "rng": rng_given, "against": "" if against is None else against.name}
    report = AnswerReport(
        table, reject_cost, sources, correct, accuracy, obstacle, calibration, over, costs, stated_gain,
        promises, prices, groups, questions, gap_strata(questions), sizes, pair, asked,
    )  # fmt: skip
    if obstacle:
        return report
    source = report.best_source
    if reject_cost is not None:
        prices = price_answers(
            source, sources[source], correct, fold, _single_answer(sizes, price), reject_cost=reject_cost,
            samples=(price or 0) * report.most, recalibrate=_is_off(calibration, over, source), **resamples,
        )  # fmt: skip
    groups = find_groups(table.features, correct, sources[source], promises.used, streams[2].spawn(1)[0])
    return replace(report, prices=prices, groups=groups)


def _on_common_rows(sources, correct):
    """{source: (correct, confidence)} of the graded questions that have all of some confidences."""
    rows = (correct >= 0) & np.isfinite(list(sources.values())).all(axis=0)
    return {name: (correct[rows], confidence[rows]) for name, confidence in sources.items()}


def _stated_gain(sources, correct, fold, n_resamples, rng):
    """(difference, low, high) of the ECUAS (n = 1) of stated confidence and agreement, each put through a rising curve
    of the other folds, because heights can be mended and the order counts; None without stated confidence.
    """
    if "stated" not in sources:
        return None
    rows = (correct >= 0) & np.isfinite(sources["stated"])
    y = correct[rows].astype(float)
    doubts = [1 - recalibrated(sources[name][rows], y, fold[rows]) for name in ("stated", "sem1")]
    stated, agreement = (closed_form(1 - y, doubt, n=1, largest=1) for doubt in doubts)
    difference = (stated - agreement)[:, None]
    low, high = np.quantile(bootstrap_means(difference, n_resamples, rng), [0.025, 0.975])
    return float(difference.mean()), float(low), float(high)


def _is_off(calibration, over, source):
    """Whether the height of a confidence is off by more than chance."""
    row = over.set_index("source").loc[source]
    return bool(calibration.errors[source].p_value < ALPHA or row["low"] > 0 or row["high"] < 0)


def _single_answer(sizes, price):
    """(cost, share wrong) of giving the answer of a single sample, each with its interval; None without a price."""
    if price is None:
        return None
    wrong = 1 - sizes.iloc[0][["right", "right_high", "right_low"]].to_numpy(float)
    return wrong + price, wrong


def agreement_of(table):
    """(Q,) agreement of the answers, and whether the most frequent one is right (1), wrong (0) or unknown (-1)."""
    counts = table.grouped.counts
    correct = np.take_along_axis(table.grouped.correct, counts.argmax(axis=1)[:, None], axis=1)[:, 0]
    return largest_share(counts), correct


def _compare(names, tables, fold, reject_cost, n_resamples, rng):
    """`AnswerPair` of two tables; with costs, each hands over where the recalibrated agreement of its other folds says
    that it pays. `fold` holds the folds of the first table.
    """
    agreement, correct = zip(*map(agreement_of, tables), strict=True)
    accepted = None
    if reject_cost is not None:
        folds = [fold, rng.spawn(1)[0].permutation(correct[1].size) % N_FOLDS]
        accepted = [np.zeros(y.size, bool) for y in correct]
        for used, p, y, parts in zip(accepted, agreement, correct, folds, strict=True):
            rows = np.flatnonzero(y >= 0)
            used[rows] = p[rows] >= limits_of_others(p[rows], y[rows] * 1.0, parts[rows], reject_cost) - SAME
    return compare_pair(names, tables, agreement, correct, accepted, reject_cost, n_resamples, rng)


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
