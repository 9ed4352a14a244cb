"""Parts of the report on sampled answers: means with intervals, questions by their gap, tables in words."""

import numpy as np
import pandas as pd

from helpers.reports.phrases import NAMES, bracketed, hundred, percent, points, shares, short
from helpers.reports.votes import bootstrap_means
from helpers.resampling import exact_interval

NO_GAP = 1e-9

STRATA = {
    "no gap": "every half chooses the same",
    "smaller gap": "smaller gap",
    "larger gap": "larger gap",
    "a gap": "halves may choose differently",
}


def over_confidence(sources, correct, n_resamples, rng):
    """Table: how far the mean confidence of each source lies above the share of right answers, with an interval.

    Columns: source, n, confidence, right, over, low, high; over the questions that have the source.
    """
    lines = []
    for name, confidence in sources.items():
        rows = (correct >= 0) & np.isfinite(confidence)
        gap = confidence[rows] - correct[rows]
        low, high = np.quantile(bootstrap_means(gap[:, None], n_resamples, rng), [0.025, 0.975])
        lines.append((name, rows.sum(), confidence[rows].mean(), correct[rows].mean(), gap.mean(), low, high))
    return pd.DataFrame(lines, columns=["source", "n", "confidence", "right", "over", "low", "high"])


def print_kept(advice):
    """`Advice.kept` as texts."""
    words = {"chosen": f"only with enough {NAMES[advice.source]}", "all": "everything", "none": "nothing"}
    lines = {}
    for row in advice.kept.itertuples():
        interval = bracketed(hundred(row.cost_low), hundred(row.cost_high))
        lines[words[row.answer]] = {
            "answered": percent(row.answered),
            "wrong among these": shares(row.wrong, row.wrong_low, row.wrong_high),
            "cost of 100 questions": f"{hundred(row.cost)} {interval}",
        }
    return pd.DataFrame(lines).T.rename_axis("answer")


def print_promises(advice):
    """`Advice.promises` as texts."""
    name = f"answer from {NAMES[advice.source]}"
    lines = {}
    for row in advice.promises.itertuples():
        found = [percent(row.threshold), percent(row.coverage)] if row.certified else ["cannot be certified", "–"]
        lines[f"at least {percent(row.precision)}"] = {name: found[0], "share of the questions": found[1]}
    return pd.DataFrame(lines).T.rename_axis("right answers")


def gap_strata(questions):
    """Table: questions without a gap between Sem1 and Sem2, and those with one in two halves of about equal size.

    Without a gap every half of the answers chooses the same one. Gaps that are all equal make one row. Columns:
    stratum, n, gap (mean), sem1 (mean), n_known, right, low, high (exact 95 % interval, NaN where nothing is known).
    """
    gap = questions["gap"].to_numpy()
    with_gap = gap > NO_GAP
    middle = np.median(gap[with_gap]) if with_gap.any() else 0.0
    place = np.where(with_gap, np.where(gap > middle, 2, 1), 0)
    names = ("no gap", "smaller gap", "larger gap") if (place == 2).any() else ("no gap", "a gap")
    lines = []
    for k, name in enumerate(names):
        rows = questions[place == k]
        if rows.empty:
            continue
        known = rows["correct"][rows["correct"] >= 0]
        right = known.mean() if len(known) else float("nan")
        interval = exact_interval(int(known.sum()), len(known))
        lines.append((name, len(rows), rows["gap"].mean(), rows["sem1"].mean(), len(known), right, *interval))
    return pd.DataFrame(lines, columns=["stratum", "n", "gap", "sem1", "n_known", "right", "low", "high"])


def print_strata(strata):
    """`gap_strata` as texts."""
    lines = {}
    for row in strata.itertuples():
        lines[STRATA[row.stratum]] = {
            "questions": f"{row.n:,}",
            "gap in points": points(row.gap, 0.002),
            "agreement": percent(row.sem1),
            "right": shares(row.right, row.low, row.high),
        }
    return pd.DataFrame(lines).T.rename_axis("halves of the answers")


def hardest(questions, grouped, most=10):
    """Table of the questions with the largest gaps: question, answers (with their counts), reference, gap.

    `reference` is the right class, "" where unknown, None where nobody named it. Questions without a gap are left out.
    """
    gap = questions["gap"].to_numpy()
    order = np.argsort(-gap, kind="stable")[:most]
    lines = []
    for row in order[gap[order] > NO_GAP]:
        counts = grouped.counts[row]
        names = grouped.labels[row]
        classes = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
        answers = [(names[k], int(counts[k])) for k in classes if names[k] is not None]
        n_unread = int(sum(counts[k] for k in classes if names[k] is None))
        if n_unread:
            answers.append(("unreadable", n_unread))
        right = [names[k] for k in classes if grouped.correct[row, k] == 1]
        is_graded = (grouped.correct[row, classes] >= 0).all()
        reference = right[0] if right else None if is_graded else ""
        lines.append((questions["question"].iloc[row], answers, reference, gap[row]))
    return pd.DataFrame(lines, columns=["question", "answers", "reference", "gap"], dtype=object)


def print_hardest(questions, grouped):
    """`hardest` as texts."""
    lines = []
    for row in hardest(questions, grouped).itertuples():
        shown = ", ".join(f"{short(name, 24)} ({count})" for name, count in row.answers[:5])
        n_more = len(row.answers) - 5
        reference = "not known" if row.reference == "" else "never given" if pd.isna(row.reference) else row.reference
        lines.append({
            "question": short(row.question),
            "answers, how often": f"{shown} and {n_more} more" if n_more > 0 else shown,
            "right answer": short(reference, 24),
            "gap in points": points(row.gap, 0.002),
        })  # fmt: skip
    return pd.DataFrame(lines)
