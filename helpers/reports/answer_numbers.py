"""Parts of the report on sampled answers: means with intervals, questions by their gap, tables in words."""

import numpy as np
import pandas as pd

from helpers.reports.phrases import percent, points, shares, short
from helpers.resampling import exact_interval, resampled_means

NO_GAP = 1e-9
STRATA = {
    "no gap": "every half chooses the same",
    "smaller gap": "smaller gap",
    "larger gap": "larger gap",
    "a gap": "halves may choose differently",
}


def bootstrap_means(values, n_resamples, rng):
    """(n_resamples, S) means of the columns of (Q, S) values over questions drawn with replacement."""
    return resampled_means(values, n_resamples, rng=rng)


def over_confidence(sources, correct, n_resamples, rng):
    """Table: how far the mean confidence of each source lies above the share of right answers, with an interval.

    Columns: source, n, confidence, right, over, low, high; over the questions that have the source. And its mean where
    the answer is right (if_right) and where it is wrong (if_wrong), with the interval of their difference (apart_low,
    apart_high); NaN where all are right or all wrong.
    """
    lines = []
    for name, confidence in sources.items():
        rows = (correct >= 0) & np.isfinite(confidence)
        gap = confidence[rows] - correct[rows]
        y = correct[rows]
        values = np.column_stack([gap, y, y * confidence[rows], (1 - y) * confidence[rows]])
        drawn = bootstrap_means(values, n_resamples, rng)
        low, high = np.quantile(drawn[:, 0], [0.025, 0.975])
        line = (name, rows.sum(), confidence[rows].mean(), y.mean(), gap.mean(), low, high)
        apart = [float("nan")] * 4
        if 0 < y.mean() < 1:
            drawn = drawn[(drawn[:, 1] > 0) & (drawn[:, 1] < 1)]
            difference = drawn[:, 2] / drawn[:, 1] - drawn[:, 3] / (1 - drawn[:, 1])
            means = [confidence[rows][y == one].mean() for one in (1, 0)]
            apart = [*means, *np.quantile(difference, [0.025, 0.975])]
        lines.append((*line, *apart))
    columns = ["source", "n", "confidence", "right", "over", "low", "high", "if_right", "if_wrong"]
    return pd.DataFrame(lines, columns=[*columns, "apart_low", "apart_high"])


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
    rows = order[gap[order] > NO_GAP]
    return _answers_of(rows, questions, grouped).assign(gap=gap[rows])


def sure_but_wrong(questions, confidence, grouped, most=10):
    """Table of the wrong answers with the highest confidence: question, answers, reference (as `hardest`), confidence.

    Of wrong answers with the same confidence the first ones are shown.
    """
    wrong = np.flatnonzero((questions["correct"].to_numpy() == 0) & np.isfinite(confidence))
    rows = wrong[np.argsort(-confidence[wrong], kind="stable")[:most]]
    return _answers_of(rows, questions, grouped).assign(confidence=confidence[rows])


def _answers_of(rows, questions, grouped):
    """Table of some questions with their answers, the most frequent ones first."""
    lines = []
    for row in rows:
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
        lines.append((questions["question"].iloc[row], answers, reference))
    return pd.DataFrame(lines, columns=["question", "answers", "reference"], dtype=object)


def print_questions(table, name, as_text):
    """`hardest` or `sure_but_wrong` as texts, with the last column under a name and as a text."""
    lines = []
    for row in table.itertuples(index=False):
        shown = ", ".join(f"{short(answer, 24)} ({count})" for answer, count in row.answers[:5])
        n_more = len(row.answers) - 5
        reference = "not known" if row.reference == "" else "never given" if pd.isna(row.reference) else row.reference
        lines.append({
            "question": short(row.question, 60),
            "answers, how often": f"{shown} and {n_more} more" if n_more > 0 else shown,
            "right answer": short(reference, 24),
            name: as_text(row[-1]),
        })  # fmt: skip
    return pd.DataFrame(lines)
