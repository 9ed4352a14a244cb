"""A file of sampled answers audited from end to end: the numbers of notebook 14."""

from dataclasses import replace

import numpy as np

from helpers.answers import sem_ece
from helpers.answers.confidence import largest_share, mean_held_out_share
from helpers.checks import check_rng
from helpers.reports.answer_costs import price_answers, recalibrated, worth_giving
from helpers.reports.answer_findings import ALPHA
from helpers.reports.answer_numbers import EXPONENTS, find_groups, over_confidence, promise
from helpers.reports.answer_pair import compare_pair
from helpers.reports.answers import AnswerReport
from helpers.reports.intake import check_terms
from helpers.reports.votes import compare_votes
from helpers.resampling import percentile_ends, resampled_means
from helpers.selective import measure_systems
from helpers.selective.abstention import closed_form

LEAST_STATED = 30  # questions
N_FOLDS = 10


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
    streams = check_rng(rng).spawn(8)
    grouped = table.grouped
    agreement, correct = agreement_of(table)
    known = correct >= 0
    sources = {"sem1": agreement, "sem2": np.round(mean_held_out_share(grouped.counts, None, "lot"), 12)}
    if _enough_stated(table.stated, known):
        sources["stated"] = grouped.confidence
    options = {"reject_cost": reject_cost or None, "price": price or None, "precision": precision}
    options |= {"n_resamples": n_resamples, "rng": rng if isinstance(rng, int) else None}
    options["against"] = "" if against is None else against.name
    fold = streams[6].permutation(known.size) % N_FOLDS
    resamples = {"n_resamples": n_resamples, "rng": int(streams[4].integers(2**62))}
    report = AnswerReport(table, options, sources, correct)
    if report.obstacle:
        return replace(report, sizes=compare_votes(grouped.counts, None, votes_rng=streams[3], **resamples))
    voting = grouped.graded & known
    over = over_confidence(sources, correct, n_resamples, streams[5])
    report = replace(
        report,
        sizes=compare_votes(grouped.counts[voting], grouped.correct[voting], votes_rng=streams[3], **resamples),
        calibration=sem_ece(grouped, sources=list(sources), ties="lot", n_resamples=n_resamples, rng=streams[0]),
        over=over,
        costs=measure_systems(_on_common_rows(sources, correct), n=EXPONENTS, n_resamples=n_resamples, rng=streams[1]),
        stated_gain=_stated_gain(sources, correct, fold, n_resamples, streams[2]),
        promises=promise({name: sources[name] for name in sources if name != "sem2"}, correct, precision),
    )
    source = report.best_source
    prices = pair = None
    if reject_cost:
        row = over.set_index("source").loc[source]
        is_wrong = report.calibration.errors[source].p_value < ALPHA or row["low"] > 0 or row["high"] < 0
        terms = {"reject_cost": reject_cost, "samples": (price or 0) * report.most, "recalibrate": is_wrong}
        prices = price_answers(source, sources[source], correct, fold, **terms, **resamples)
    if price:
        wrong, low, high = 1 - report.sizes.iloc[0][["right", "right_high", "right_low"]].to_numpy(float)
        single = {"answered": 1, "wrong": wrong, "wrong_low": low, "wrong_high": high}
        single |= {"cost": wrong + price, "cost_low": low + price, "cost_high": high + price}
        prices.rows.loc["one"] = single
    if against is not None:
        pair = _compare(names, (table, against), fold, reject_cost, n_resamples, streams[7])
    groups = find_groups(table.features, correct, sources[source], report.promises.used, streams[2].spawn(1)[0])
    return replace(report, prices=prices, groups=groups, pair=pair)


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
    difference = stated - agreement
    low, high = percentile_ends(resampled_means(difference, n_resamples, rng=rng))
    return float(difference.mean()), float(low), float(high)


def agreement_of(table):
    """(Q,) agreement of the answers, and whether the most frequent one is right (1), wrong (0) or unknown (-1)."""
    counts = table.grouped.counts
    correct = np.take_along_axis(table.grouped.correct, counts.argmax(axis=1)[:, None], axis=1)[:, 0]
    return largest_share(counts), correct


def _compare(names, tables, fold, reject_cost, n_resamples, rng):
    """`AnswerPair` of two tables; with costs, each hands over where its recalibrated agreement says that it pays.

    `fold` holds the folds of the first table.
    """
    agreement, correct = zip(*map(agreement_of, tables), strict=True)
    accepted = None
    if reject_cost:
        folds = [fold, rng.spawn(1)[0].permutation(correct[1].size) % N_FOLDS]
        accepted = [np.zeros(y.size, bool) for y in correct]
        for chosen, p, y, parts in zip(accepted, agreement, correct, folds, strict=True):
            rows = y >= 0
            chosen[rows] = worth_giving(p[rows], y[rows].astype(float), parts[rows], reject_cost)
    return compare_pair(names, tables, agreement, correct, accepted, reject_cost or None, n_resamples, rng)


def _enough_stated(stated, known):
    """Whether stated confidences are a source: stated for half of the questions at least, and for 30 of them."""
    rows = known if known.any() else np.ones(known.shape, bool)
    return bool(stated[rows].mean() >= 0.5 and (stated & rows).sum() >= min(LEAST_STATED, rows.sum()))
