"""A file of sampled answers audited from end to end: the numbers of notebook 14."""

from dataclasses import replace

import numpy as np

from helpers.answers import sem_ece
from helpers.answers.confidence import largest_share, mean_held_out_share
from helpers.checks import check_rng
from helpers.reports.answer_costs import price_answers
from helpers.reports.answer_numbers import find_groups, over_confidence, promise
from helpers.reports.answer_pair import compare_pair
from helpers.reports.answers import AnswerReport
from helpers.reports.intake import check_terms
from helpers.reports.votes import compare_votes
from helpers.selective import compare_systems

LEAST_STATED = 30  # questions


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
    >>> report.best_source, report.findings["kind"].iloc[0], report.obstacle
    ('stated', 'too_high', '')
    """
    check_terms(reject_cost, price, n_resamples, precision)
    streams = check_rng(rng).spawn(7)
    grouped = table.grouped
    agreement, correct = agreement_of(table)
    known = correct >= 0
    sources = {"sem1": agreement, "sem2": np.round(mean_held_out_share(grouped.counts, None, "lot"), 12)}
    if _enough_stated(table.stated, known):
        sources["stated"] = grouped.confidence
    options = {"reject_cost": reject_cost or None, "price": price or None, "precision": precision}
    options |= {"n_resamples": n_resamples, "rng": rng if isinstance(rng, int) else None}
    options["against"] = None if against is None else against.name
    resamples = {"n_resamples": n_resamples, "rng": int(streams[4].integers(2**62))}
    report = AnswerReport(table, options, sources, correct)
    if report.obstacle:
        return replace(report, sizes=compare_votes(grouped.counts, None, votes_rng=streams[3], **resamples))
    voting = grouped.graded & known
    report = replace(
        report,
        sizes=compare_votes(grouped.counts[voting], grouped.correct[voting], votes_rng=streams[3], **resamples),
        calibration=sem_ece(grouped, sources=list(sources), ties="lot", n_resamples=n_resamples, rng=streams[0]),
        over=over_confidence(sources, correct, n_resamples, streams[5]),
        stated_gain=_stated_gain(sources, correct, n_resamples, streams[1]),
        promises=promise({name: sources[name] for name in sources if name != "sem2"}, correct, precision),
    )
    chosen = sources[report.best_source]
    groups = find_groups(table.features, correct, chosen, report.promises.used, streams[2])
    report = replace(report, groups=groups)
    if reject_cost:
        rows = known & np.isfinite(chosen)
        terms = {"reject_cost": reject_cost, "samples": (price or 0) * report.most, **resamples}
        cut, prices = price_answers(chosen[rows], correct[rows], report.promises.used[rows], **terms)
        report = replace(report, cut=cut, prices=prices)
    if against is not None:
        both = zip(*map(agreement_of, (table, against)), strict=True)
        report = replace(report, pair=compare_pair(names, (table, against), *both, n_resamples, streams[6]))
    return report


def _stated_gain(sources, correct, n_resamples, rng):
    """(difference, low, high) of the AURC of stated confidence and agreement; None without stated confidence."""
    if "stated" not in sources:
        return None
    rows = (correct >= 0) & np.isfinite(sources["stated"])
    systems = {name: (correct[rows], sources[name][rows]) for name in ("sem1", "stated")}
    table = compare_systems(systems, against="sem1", n=1, n_resamples=n_resamples, rng=rng).set_index("metric")
    return tuple(float(table.loc["aurc", name]) for name in ("difference", "low", "high"))


def agreement_of(table):
    """(Q,) agreement of the answers, and whether the most frequent one is right (1), wrong (0) or unknown (-1)."""
    counts = table.grouped.counts
    correct = np.take_along_axis(table.grouped.correct, counts.argmax(axis=1)[:, None], axis=1)[:, 0]
    return largest_share(counts), correct


def _enough_stated(stated, known):
    """Whether stated confidences are a source: stated for half of the questions at least, and for 30 of them."""
    rows = known if known.any() else np.ones(known.shape, bool)
    return bool(stated[rows].mean() >= 0.5 and (stated & rows).sum() >= min(LEAST_STATED, rows.sum()))
