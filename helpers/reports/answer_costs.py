"""What answering costs, if the costs are given: from which confidence on an answer costs less than a hand-over."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from helpers.calibration import PlattCalibrator
from helpers.calibration.calibrators import CLIP
from helpers.reports.answer_numbers import bootstrap_means
from helpers.reports.phrases import cost_with_span, percent, shares
from helpers.resampling import exact_interval

SAME = 1e-9  # shares of votes that differ by less are equal


@dataclass(frozen=True)
class AnswerCosts:
    """What it costs to answer, where a wrong answer costs 1.

    source : the confidence that chooses
    threshold : from which on an answer is expected to cost less than a refusal; 0 for always, infinite for never
    table : rows "chosen", "all", "none" and, with a price of a sample, "one": answered, wrong (share among these), cost
        with samples, with intervals, and what "chosen" saves beside the cheaper one of "all" and "none"
    used : (Q,) bool, questions that are answered, each judged by the questions of other folds
    """

    source: str
    threshold: float
    table: pd.DataFrame = field(repr=False)
    used: np.ndarray = field(repr=False)

    @property
    def chosen(self):
        """Row of the table for the questions from the threshold on."""
        return self.table.loc["chosen"]

    @property
    def pays(self):
        """Whether to leave out unsure questions surely is cheaper than answering all or none."""
        return bool(self.chosen["saved_low"] > 0)

    @property
    def plain(self):
        """The cheaper of answering "all" and "none"."""
        return "all" if self.table.loc["all", "cost"] <= self.table.loc["none", "cost"] else "none"


def rising_curve(confidence, right, wrong):
    """Platt's curve through a confidence that was right and wrong so often (m,); None where none of them rises."""
    total = right + wrong
    seen = total > 0
    x = np.r_[confidence[seen], confidence[seen]]
    weight = np.r_[right[seen], wrong[seen]]
    y = np.repeat([1.0, 0.0], seen.sum())
    if not 0 < right.sum() < total.sum() or np.ptp(x[weight > 0]) < 1e-6:
        return None
    try:
        curve = PlattCalibrator().fit(x, y, weight)
    except ValueError:  # a constant score, up to its clipping
        return None
    return curve if curve.slope_ > 0 else None


def recalibrated(confidence, correct, fold):
    """(m,) confidence put through the rising curve of the other folds, or the share that is right in these."""
    chance = np.empty(correct.size)
    for k in np.unique(fold):
        others = fold != k
        curve = rising_curve(confidence[others], correct[others], 1 - correct[others])
        chance[~others] = correct[others].mean() if curve is None else curve.predict(confidence[~others])
    return chance


def pays_from(confidence, right, wrong, reject_cost):
    """Lowest confidence at which the rising curve says that an answer costs less than a refusal.

    confidence, right, wrong : (m,) values of the confidence, and how many answers with it were right and wrong
    0 where all answers pay, infinite where none does; so too where the confidence tells nothing apart.
    """
    curve = rising_curve(confidence, right, wrong)
    if curve is None:
        return 0.0 if right.sum() / (right + wrong).sum() >= 1 - reject_cost else np.inf
    limit = (logit(1 - reject_cost) - curve.intercept_) / curve.slope_
    if abs(limit) > logit(1 - CLIP):  # beyond all confidences: the curve ends before
        return np.inf if limit > 0 else 0.0
    return float(expit(limit))


def limits_of_others(confidence, correct, fold, reject_cost):
    """(m,) `pays_from` for each question by the questions of other folds."""
    limit = np.empty(correct.size)
    for k in np.unique(fold):
        others = fold != k
        limit[~others] = pays_from(confidence[others], correct[others], 1 - correct[others], reject_cost)
    return limit


def price_answers(source, confidence, correct, fold, one, *, recalibrate, reject_cost, samples, n_resamples, rng):
    """`AnswerCosts` by a confidence (Q,), NaN where there is none, of questions that are right (1), wrong (0) or not
    graded (-1).

    Each question is judged by the questions of other folds, `fold` (Q,). `samples` is what all samples of a question
    cost, `one` (cost, low, high) of giving the answer of a single one, or None.
    """
    rows = (correct >= 0) & np.isfinite(confidence)
    p = confidence[rows]
    y = correct[rows].astype(float)
    threshold = 1 - reject_cost
    limit = np.full(y.size, threshold)
    if recalibrate:
        threshold = pays_from(p, y, 1 - y, reject_cost)
        limit = limits_of_others(p, y, fold[rows], reject_cost)
    if 0 < threshold < np.inf:
        threshold = float(p[p >= threshold - SAME].min(initial=np.inf))  # the lowest that occurs and pays
        threshold = 0.0 if threshold == p.min() else threshold
    used = np.zeros(correct.size, bool)
    used[rows] = p >= limit - SAME
    table = keep_answers(y, used[rows], reject_cost, samples, n_resamples, rng)
    if one is not None:
        cost = dict(zip(("cost", "cost_low", "cost_high"), one[0], strict=True))
        wrong = dict(zip(("wrong", "wrong_low", "wrong_high"), one[1], strict=True))
        table.loc["one"] = pd.Series({"answered": 1.0} | wrong | cost)
    return AnswerCosts(source, threshold, table, used)


def keep_answers(correct, chosen, reject_cost, samples, n_resamples, rng):
    """Table: what is answered and what it costs if some questions are refused ("chosen"), "all" answered, or "none".

    Columns: answered (share), wrong (share among these, NaN if there are none) with wrong_low and wrong_high (exact),
    cost (a wrong answer costs 1, a refusal `reject_cost`, samples of a question that is looked at `samples`), and saved
    (the cost of the cheaper one of all and none, less this cost), each with _low and _high.
    """
    accepted = {"chosen": chosen, "all": np.ones(correct.size, bool), "none": np.zeros(correct.size, bool)}
    values = np.column_stack([np.where(rows, 1 - correct, reject_cost) for rows in accepted.values()])
    values[:, :2] += samples
    cost = values.mean(axis=0)
    plain = 1 if cost[1] <= cost[2] else 2
    both = np.column_stack([values, values[:, [plain]] - values])
    low, high = np.quantile(bootstrap_means(both, n_resamples, rng), [0.025, 0.975], axis=0)
    lines = []
    for k, rows in enumerate(accepted.values()):
        n_wrong = int((correct[rows] == 0).sum())
        n_answered = int(rows.sum())
        share = n_wrong / n_answered if n_answered else float("nan")
        saved = both[:, 3 + k].mean()
        line = (rows.mean(), share, *exact_interval(n_wrong, n_answered))
        lines.append((*line, cost[k], low[k], high[k], saved, low[3 + k], high[3 + k]))
    measures = [f"{name}{end}" for name in ("wrong", "cost", "saved") for end in ("", "_low", "_high")]
    return pd.DataFrame(lines, index=pd.Index(accepted, name="answer"), columns=["answered", *measures])


def print_costs(costs, most):
    """The table of `AnswerCosts` as texts, of 100 questions."""
    words = {
        "chosen": f"all {most} samples, only answers that are sure enough",
        "all": f"all {most} samples, every answer",
        "one": "one sample, its answer",
        "none": "hand over every question",
    }
    lines = {}
    for name in [name for name in words if name in costs.table.index]:
        row = costs.table.loc[name]
        lines[words[name]] = {
            "cost of 100": cost_with_span(row.cost, row.cost_low, row.cost_high),
            "answered": percent(row.answered),
            "wrong among answers": shares(row.wrong, row.wrong_low, row.wrong_high),
        }
    return pd.DataFrame(lines).T.rename_axis("give")
