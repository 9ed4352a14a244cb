"""What to do after an audit of answers, and what to keep in mind: sentences chosen by the findings."""

import pandas as pd

from helpers.reports.answer_numbers import NO_GAP
from helpers.reports.answers_phrases import NAMES, hundred, short
from helpers.reports.phrases import listed, many, percent, points

SURE = 0.05

FEW = 100


def next_steps(report):
    """What to do, in order: a list of (what, how)."""
    table, steps = report.table, []
    lost = table.grouped.unparsed.sum() / table.n_answers
    if lost > 0.05:
        steps += [("Look at the answers that could not be read.", _UNREADABLE.format(share=percent(lost)))]
    if report.obstacle:
        return [*steps, ("Add right answers to the file, and audit again.", f"{report.obstacle} {_REFERENCE}")]
    steps += _about_confidence(report)
    steps += _about_refusals(report)
    steps += _about_samples(report)
    hard = report.questions.sort_values("gap", ascending=False, kind="stable")
    names = [short(name, 24) for name in hard["question"][hard["gap"] > NO_GAP][:3]]
    if names:
        steps += [("Read the hardest questions.", f"Start with {listed(names)}: what do their answers mix up?")]
    return steps or [("Use the answers as they are, and audit again when things change.", _NOTHING)]


_UNREADABLE = (
    "{share} of them count as wrong and as agreeing with nobody. If they hold answers, another rule may read them; if "
    "not, ask the model for a fixed form."
)

_REFERENCE = "A file of the same form with the right answers of a few hundred questions is enough."

_NOTHING = "That nothing was found with these questions does not mean that there is nothing."

_NO_VOTE = "At this cost of a refusal and this price of an answer, no number of answers saves anything."

_RECALIBRATE = (
    "Fit a curve (helpers.calibration.PlattCalibrator) on other questions with known answers, and check it on these."
)


def _about_confidence(report):
    off = [name for name, error in report.calibration.errors.items() if error.p_value < SURE]
    best = best_source(report)
    steps = []
    if best != "sem1":
        found = report.differences.query("system == @best and metric == 'ecuas_1'").iloc[0]
        how = f"Its ECUAS (n = 1) is lower by {-found['difference']:.3f} ({-found['high']:.3f} to {-found['low']:.3f})."
        steps += [(f"Quote {NAMES[best]} instead of agreement.", how)]
    if best in off:
        over = report.over.set_index("source").loc[best]
        size = f"{points(abs(over['over']), (over['high'] - over['low']) / 4)} points"
        sure = over["low"] > 0 or over["high"] < 0
        how = f"It is too {'high' if over['over'] > 0 else 'low'} by {size} on average. " if sure else ""
        steps += [(f"Recalibrate {NAMES[best]} before it is quoted.", how + _RECALIBRATE)]
    return steps


def best_source(report):
    """Plain agreement, unless another confidence surely has a lower ECUAS (n = 1); then the lowest of these."""
    rows = report.differences[report.differences["metric"] == "ecuas_1"]
    better = rows[rows["high"] < 0]
    return "sem1" if better.empty else str(better.loc[better["difference"].idxmin(), "system"])


def _about_refusals(report):
    rows = report.kept.set_index("source")
    best = rows.loc[list(report.sources), "cost"].idxmin()
    if rows.loc[best, "cost"] >= rows.loc[["all", "none"], "cost"].min():
        return []
    what = f"Leave questions below {percent(1 - report.reject_cost)} to somebody else."
    least = min(rows.loc["all", "cost"], rows.loc["none", "cost"])
    how = (
        f"By {NAMES[best]} this answers {percent(rows.loc[best, 'answered'])} and costs "
        f"{hundred(rows.loc[best, 'cost'])} wrong answers in 100 questions; without it at least {hundred(least)}."
    )
    return [(what, how)]


def _about_samples(report):
    if not report.worth_asking:
        return [("Leave these questions to somebody else, or use a better model.", _NO_VOTE)]
    most, size = int(report.sizes["size"].iloc[-1]), int(report.cheapest["size"])
    if size == most:
        how = f"With all {most} the total is lowest, so that the best number may lie beyond."
        return [("Try more answers to each question.", how)] if report.price > 0 else []
    saved = report.sizes["total"].iloc[-1] - report.cheapest["total"]
    how = f"At this price that saves {hundred(saved)} wrong answers in 100 questions. Check it on new questions."
    return [(f"Sample {size} answers instead of {most}.", how)]


def steps_table(report):
    """The next steps with the way to do them. A table."""
    return pd.DataFrame(next_steps(report), columns=["What", "How"]).set_index("What")


def warnings_of(report):
    """What a reader must know about this very file before quoting the report. Paragraphs; at least one."""
    table, said = report.table, []
    n_known, n = int(report.known.sum()), table.n_questions
    if 0 < n_known < FEW:
        said += [f"{many(n_known, 'question')} with a known answer are few. Take every number here as a rough one."]
    if 0 < n_known < n:
        said += [
            f"The right answer is known for {n_known:,} of {n:,} questions. If these are not a fair choice, what holds "
            "for them need not hold for the others."
        ]
    sizes = table.grouped.n_answers
    if sizes.min() < 10:
        few = int((sizes < 10).sum())
        words = "1 question has" if few == 1 else f"{few:,} questions have"
        said += [
            f"{words} fewer than 10 answers: their agreement can take few values, and halves of them choose badly."
        ]
    if "stated" in report.sources and table.stated.sum() < n:
        said += [
            f"A confidence is stated for {table.stated.sum():,} of {n:,} questions; the others are left out there."
        ]
    if table.stated.any() and "stated" not in report.sources:
        said += [f"Stated confidences are left out: they are there for {table.stated.sum():,} of {n:,} questions only."]
    if len(report.votes.rows) < n_known:
        left = n_known - len(report.votes.rows)
        said += [f"{many(left, 'question')} with too few answers or grades took no part in the votes."]
    agreed = table.grouped.counts.max(axis=1) == sizes
    wrong = int((agreed & (report.correct == 0)).sum())
    if wrong:
        verb = "is" if wrong == 1 else "are"
        said += [f"{many(wrong, 'question')} {verb} answered wrong by all answers alike: no further sample shows that."]
    return said or ["Nothing about this file in particular. In general:"]
