"""What answering costs, if the costs are given: from which confidence on an answer costs less than a hand-over."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from helpers.calibration import PlattCalibrator
from helpers.calibration.calibrators import CLIP
from helpers.reports.answer_numbers import SAME
from helpers.reports.phrases import cost_with_span, percent, shares
from helpers.resampling import exact_interval, percentile_ends, resampled_means


@dataclass(frozen=True)
class AnswerCosts:
    """What it costs to answer, where a wrong answer costs 1.

    source : the confidence that chooses
    threshold : from which on an answer is expected to cost less than a refusal; 0 for always, infinite for never
    rows : table with the rows "chosen", "all", "none" and, with a price of a sample, "one": answered, wrong (share
        among these), cost with samples, with intervals, and saved (beside the cheaper one of "all" and "none")
    """

    source: str
    threshold: float
    rows: pd.DataFrame = field(repr=False)

    @property
    def pays(self):
        """Whether to leave out unsure questions significantly costs less than answering all or none."""
        return bool(self.rows.loc["chosen", "saved_low"] > 0 and 0 < self.threshold < np.inf)

    @property
    def plain(self):
        """The cheaper of answering "all" and "none"."""
        return "all" if self.rows.loc["all", "cost"] <= self.rows.loc["none", "cost"] else "none"

    def table(self, most):
        """The rows as texts, of 100 questions with `most` samples each."""
        words = {
            "chosen": f"all {most} samples, only answers that are sure enough",
            "all": f"all {most} samples, every answer",
            "one": "one sample, its answer",
            "none": "hand over every question",
        }
        lines = {}
        for name in [name for name in words if name in self.rows.index]:
            row = self.rows.loc[name]
            lines[words[name]] = {
                "cost of 100": cost_with_span(row.cost, row.cost_low, row.cost_high),
                "answered": percent(row.answered),
                "wrong among answers": shares(row.wrong, row.wrong_low, row.wrong_high),
            }
        return pd.DataFrame(lines).T.rename_axis("give")


def rising_curve(confidence, correct):
    """Platt's curve through a confidence that was right (1) or wrong (0); None where none of them rises."""
    if not 0 < correct.sum() < correct.size or np.ptp(confidence) < 1e-6:
        return None
    try:
        curve = PlattCalibrator().fit(confidence, correct)
    except ValueError:  # a constant score, up to its clipping
        return None
    return curve if curve.slope_ > 0 else None


def recalibrated(confidence, correct, fold):
    """(m,) confidence put through the rising curve of the other folds, or the share that is right in these."""
    chance = np.empty(correct.size)
    for k in np.unique(fold):
        others = fold != k
        curve = rising_curve(confidence[others], correct[others])
        chance[~others] = correct[others].mean() if curve is None else curve.predict(confidence[~others])
    return chance


def pays_from(confidence, correct, reject_cost):
    """Lowest confidence at which the rising curve says that an answer costs less than a refusal.

    0 where all answers pay, infinite where none does; so too where the confidence does not separate right from wrong.
    """
    curve = rising_curve(confidence, correct)
    if curve is None:
        return 0.0 if correct.mean() >= 1 - reject_cost else np.inf
    limit = (logit(1 - reject_cost) - curve.intercept_) / curve.slope_
    if abs(limit) > logit(1 - CLIP):  # beyond all confidences: the curve ends before
        return np.inf if limit > 0 else 0.0
    return float(expit(limit))


def worth_giving(confidence, correct, fold, reject_cost):
    """(m,) bool: whether an answer pays, each judged by `pays_from` of the questions of other folds."""
    limit = np.empty(correct.size)
    for k in np.unique(fold):
        others = fold != k
        limit[~others] = pays_from(confidence[others], correct[others], reject_cost)
    return confidence >= limit - SAME


def price_answers(source, confidence, correct, fold, *, recalibrate, reject_cost, samples, n_resamples, rng):
    """`AnswerCosts` by a confidence (Q,), NaN where there is none, of right (1), wrong (0) and ungraded (-1) questions.

    Each question is judged by the questions of other folds, `fold` (Q,). `samples` is what all samples of a question
    cost.
    """
    rows = (correct >= 0) & np.isfinite(confidence)
    p = confidence[rows]
    y = correct[rows].astype(float)
    threshold = 1 - reject_cost
    chosen = p >= threshold - SAME
    if recalibrate:
        threshold = pays_from(p, y, reject_cost)
        chosen = worth_giving(p, y, fold[rows], reject_cost)
    if 0 < threshold < np.inf:
        threshold = float(p[p >= threshold - SAME].min(initial=np.inf))  # the lowest that occurs and pays
        threshold = 0.0 if threshold == p.min() else threshold
    return AnswerCosts(source, threshold, compare_costs(y, chosen, reject_cost, samples, n_resamples, rng))


def compare_costs(correct, chosen, reject_cost, samples, n_resamples, rng):
    """`AnswerCosts.rows` if the `chosen` questions (m,) are answered, "all" or "none".

    A wrong answer costs 1, a refusal `reject_cost`, the samples of a question that is looked at `samples`.
    """
    accepted = {"chosen": chosen, "all": np.ones(correct.size, bool), "none": np.zeros(correct.size, bool)}
    costs = pd.DataFrame({name: np.where(rows, 1 - correct, reject_cost) for name, rows in accepted.items()})
    costs[["chosen", "all"]] += samples
    plain = "all" if costs["all"].mean() <= costs["none"].mean() else "none"
    saved = costs[[plain]].to_numpy() - costs
    drawn = resampled_means(np.column_stack([costs, saved]), n_resamples, rng=rng)
    low, high = percentile_ends(drawn)
    lines = {}
    for k, (name, rows) in enumerate(accepted.items()):
        wrong = 1 - correct[rows]
        share = wrong.mean() if rows.any() else np.nan
        ends = exact_interval(int(wrong.sum()), wrong.size)
        lines[name] = {"answered": rows.mean(), "wrong": share, "wrong_low": ends[0], "wrong_high": ends[1]}
        lines[name] |= {"cost": costs[name].mean(), "cost_low": low[k], "cost_high": high[k]}
        lines[name] |= {"saved": saved[name].mean(), "saved_low": low[k + 3], "saved_high": high[k + 3]}
    return pd.DataFrame.from_dict(lines, orient="index")
