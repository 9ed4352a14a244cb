"""Parts of the report on sampled answers: refusals at one price, means with intervals, questions by their gap."""

import numpy as np
import pandas as pd

from helpers.reports.answer_votes import bootstrap_means
from helpers.resampling import exact_interval
from helpers.selective import chow_cost

NO_GAP = 1e-9

STRATA = ("no gap", "smaller gap", "larger gap")


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


def keep_answers(systems, reject_cost, n_resamples, rng):
    """Table: what is answered if a question is refused where 1 - confidence is above `reject_cost`.

    One row for each system {name: (correct, confidence)}, then "all" (nothing is refused) and "none". Columns:
    source, answered (share), wrong (share among these, NaN if there are none) with wrong_low and wrong_high (exact),
    cost (a wrong answer costs 1, a refusal `reject_cost`) with cost_low and cost_high.
    """
    correct = next(iter(systems.values()))[0]
    accepted = {name: (1 - p <= reject_cost) | (p >= 1 - reject_cost) for name, (_, p) in systems.items()}
    accepted |= {"all": np.ones(correct.size, bool), "none": np.zeros(correct.size, bool)}
    paid = {name: chow_cost(*pair, reject_cost) for name, pair in systems.items()}
    paid |= {"all": 1.0 - correct, "none": np.full(correct.size, float(reject_cost))}
    values = np.column_stack(list(paid.values()))
    low, high = np.quantile(bootstrap_means(values, n_resamples, rng), [0.025, 0.975], axis=0)
    lines = []
    for k, (name, rows) in enumerate(accepted.items()):
        wrong, n = int((correct[rows] == 0).sum()), int(rows.sum())
        share = wrong / n if n else float("nan")
        lines.append((name, rows.mean(), share, *exact_interval(wrong, n), values[:, k].mean(), low[k], high[k]))
    columns = ["source", "answered", "wrong", "wrong_low", "wrong_high", "cost", "cost_low", "cost_high"]
    return pd.DataFrame(lines, columns=columns)


def gap_strata(questions):
    """Table: questions without a gap between Sem1 and Sem2, and those with one in two halves of about equal size.

    Without a gap every half of the answers chooses the same one. Gaps that are all equal make one row. Columns:
    stratum, n, gap (mean), sem1 (mean), n_known, right, low, high (exact 95 % interval, NaN where nothing is known).
    """
    gap = questions["gap"].to_numpy()
    some = gap > NO_GAP
    middle = np.median(gap[some]) if some.any() else 0.0
    place = np.where(some, np.where(gap > middle, 2, 1), 0)
    names = STRATA if (place == 2).any() else (STRATA[0], "a gap")
    lines = []
    for k, name in enumerate(names):
        part = questions[place == k]
        if not len(part):
            continue
        known = part["correct"][part["correct"] >= 0]
        right = known.mean() if len(known) else float("nan")
        ends = exact_interval(int(known.sum()), len(known))
        lines.append((name, len(part), part["gap"].mean(), part["sem1"].mean(), len(known), right, *ends))
    return pd.DataFrame(lines, columns=["stratum", "n", "gap", "sem1", "n_known", "right", "low", "high"])


def hardest(questions, grouped, most=10):
    """Table of the questions with the largest gaps: question, answers (with their counts), reference, gap, sem1,
    correct; `reference` is the right class, "" where unknown, None where nobody named it. Questions without a gap are
    left out.
    """
    order = np.argsort(-questions["gap"].to_numpy(), kind="stable")[:most]
    order = order[questions["gap"].to_numpy()[order] > NO_GAP]
    lines = []
    for row in order:
        counts, names = grouped.counts[row], grouped.labels[row]
        classes = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
        pairs = [(names[k], int(counts[k])) for k in classes if names[k] is not None]
        lost = int(sum(counts[k] for k in classes if names[k] is None))
        pairs += [("unreadable", lost)] * bool(lost)
        right = [names[k] for k in classes if grouped.correct[row, k] == 1]
        known = (grouped.correct[row, classes] >= 0).all()
        one = questions.iloc[row]
        reference = right[0] if right else None if known else ""
        lines.append((one["question"], pairs, reference, one["gap"], one["sem1"], int(one["correct"])))
    return pd.DataFrame(lines, columns=["question", "answers", "reference", "gap", "sem1", "correct"])
