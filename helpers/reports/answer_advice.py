"""Which answers to use and which questions to leave to others: decided, priced and certified by one confidence."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from helpers.calibration import PlattCalibrator
from helpers.calibration.calibrators import CLIP
from helpers.reports.votes import bootstrap_means
from helpers.resampling import exact_interval
from helpers.selective import CertifiedPrecision
from helpers.selective.certified import certify_rows

N_FOLDS = 10

PROMISES = (0.95, 0.9, 0.8, 0.7, 0.5)  # shares of right answers whose certificates are shown together

SAME = 1e-9  # shares of votes that differ by less are equal


@dataclass(frozen=True)
class Advice:
    """What one confidence says about using the answers.

    Parameters
    ----------
    source : str
        The confidence: agreement ("sem1"), or "stated" where that surely is the better one.
    recalibrated : bool
        Whether the threshold takes into account that the confidence is not the share of right answers.
    threshold : float
        Confidence from which on an answer is expected to cost less than a refusal; 0 for always, infinite for never.
    kept : DataFrame
        Rows "chosen", "all" and "none": answered, wrong and cost, with intervals, and what the choice saves.
    certificate : CertifiedPrecision
        From which confidence on enough answers are surely right.
    promises : DataFrame
        What can be certified for other shares of right answers: precision, certified, threshold, coverage.
    used : (Q,) bool array
        Questions that are answered, each judged by the questions of other folds.
    left_out : int
        Graded questions without this confidence.

    Examples
    --------
    >>> from helpers.reports import audit_answers
    >>> from helpers.tables import read_answers
    >>> audit_answers(read_answers(), n_resamples=100, rng=0).advice.source
    'stated'
    """

    source: str
    recalibrated: bool
    threshold: float
    kept: pd.DataFrame = field(repr=False)
    certificate: CertifiedPrecision
    promises: pd.DataFrame = field(repr=False)
    used: np.ndarray = field(repr=False)
    left_out: int = 0

    @property
    def chosen(self):
        """Row of `kept` for the questions from the threshold on."""
        return self.kept.set_index("answer").loc["chosen"]

    @property
    def pays(self):
        """Whether to leave out unsure questions surely is cheaper than answering all or none."""
        return bool(self.chosen["saved_low"] > 0)

    @property
    def plain_way(self):
        """The cheaper of answering "all" and "none"."""
        costs = self.kept.set_index("answer")["cost"]
        return "all" if costs["all"] <= costs["none"] else "none"


def pays_from(confidence, right, wrong, reject_cost):
    """Lowest confidence at which Platt's curve says that an answer costs less than a refusal.

    confidence, right, wrong : (m,) values of the confidence, and how many answers with it were right and wrong
    0 where all answers pay, infinite where none does; so too where the confidence tells nothing apart.
    """
    total = right + wrong
    seen = total > 0
    rate = right.sum() / total.sum()
    everywhere = 0.0 if rate >= 1 - reject_cost else np.inf
    x = np.r_[confidence[seen], confidence[seen]]
    weight = np.r_[right[seen], wrong[seen]]
    y = np.repeat([1.0, 0.0], seen.sum())
    if not 0 < rate < 1 or np.ptp(x[weight > 0]) < 1e-6:
        return everywhere
    try:
        curve = PlattCalibrator().fit_rows(x, y, weight)
    except ValueError:  # a constant score, up to its clipping
        return everywhere
    if curve.slope_ <= 0:
        return everywhere
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


def advise(source, confidence, correct, fold, *, recalibrate, reject_cost, precision, n_resamples, rng):
    """`Advice` by a confidence (Q,), NaN where there is none, on questions that are right (1), wrong (0) or unknown.

    Each question is judged by the questions of other folds, `fold` (Q,).
    """
    known = correct >= 0
    rows = known & np.isfinite(confidence)
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
    kept = keep_answers(y, used[rows], reject_cost, n_resamples, rng)
    tried = {share: certify_rows(y, p, share, 0.95) for share in sorted({*PROMISES, precision}, reverse=True)}
    columns = ["precision", "certified", "threshold", "coverage"]
    promises = pd.DataFrame([[getattr(made, name) for name in columns] for made in tried.values()], columns=columns)
    return Advice(source, recalibrate, threshold, kept, tried[precision], promises, used, int((known & ~rows).sum()))


def keep_answers(correct, chosen, reject_cost, n_resamples, rng):
    """Table: what is answered and what it costs if some questions are refused, all answered, or none.

    Columns: answer ("chosen", "all", "none"), answered (share), wrong (share among these, NaN if there are none) with
    wrong_low and wrong_high (exact), cost (a wrong answer costs 1, a refusal `reject_cost`), and saved (the cost of the
    cheaper one of all and none, less this cost), each with _low and _high.
    """
    accepted = {"chosen": chosen, "all": np.ones(correct.size, bool), "none": np.zeros(correct.size, bool)}
    values = np.column_stack([np.where(rows, 1 - correct, reject_cost) for rows in accepted.values()])
    cost = values.mean(axis=0)
    plain = 1 if cost[1] <= cost[2] else 2
    both = np.column_stack([values, values[:, [plain]] - values])
    low, high = np.quantile(bootstrap_means(both, n_resamples, rng), [0.025, 0.975], axis=0)
    lines = []
    for k, (name, rows) in enumerate(accepted.items()):
        n_wrong = int((correct[rows] == 0).sum())
        n_answered = int(rows.sum())
        share = n_wrong / n_answered if n_answered else float("nan")
        saved = both[:, 3 + k].mean()
        line = (name, rows.mean(), share, *exact_interval(n_wrong, n_answered))
        lines.append((*line, cost[k], low[k], high[k], saved, low[3 + k], high[3 + k]))
    measures = [f"{name}{end}" for name in ("wrong", "cost", "saved") for end in ("", "_low", "_high")]
    return pd.DataFrame(lines, columns=["answer", "answered", *measures])
