"""What answering costs, if the costs are given: from which confidence on an answer costs less than a hand-over."""

import numpy as np
import pandas as pd

from helpers.calibration import PlattCalibrator
from helpers.reports.phrases import cost_with_span, percent
from helpers.resampling import percentile_ends, resampled_means

N_FOLDS = 10
POLICIES = {  # name of a row: its words
    "cut": "where an answer is expected to pay",
    "certified": "with the promise",
    "all": "every answer",
    "none": "none: hand over every question",
}


def chance_right(confidence, correct):
    """Function from a confidence to the chance that its answer is right: Platt's curve if it rises, else a constant."""
    if 0 < correct.sum() < correct.size and np.ptp(confidence) > 1e-6:
        curve = PlattCalibrator().fit(confidence, correct)
        if curve.slope_ > 0:
            return curve.predict
    return lambda given: np.full(given.shape, correct.mean())


def price_answers(confidence, correct, used, *, reject_cost, samples, n_resamples, rng):
    """(lowest confidence that pays, infinite if none does; costs of each of `POLICIES`) of right and wrong answers.

    A wrong answer costs 1, a hand-over `reject_cost`, all samples of a question `samples`. Whether an answer pays is
    judged by the curve of other questions. What is saved is beside the cheaper one of "all" and "none".
    """
    y = correct.astype(float)
    fold = np.random.default_rng(rng).permutation(y.size) % N_FOLDS
    chance = np.empty(y.size)
    for k in range(N_FOLDS):
        chance[fold == k] = chance_right(confidence[fold != k], y[fold != k])(confidence[fold == k])
    cut = chance >= 1 - reject_cost
    answered = pd.DataFrame({"cut": cut, "certified": used, "all": True, "none": False}, index=range(y.size))
    costs = answered.apply(lambda rows: np.where(rows, 1 - y, reject_cost))
    costs[["cut", "certified", "all"]] += samples
    plain = costs[["all", "none"]].mean().idxmin()
    saved = -costs.sub(costs[plain], axis=0)
    table = pd.DataFrame({
        "answered": answered.mean(),
        "wrong": [1 - y[rows].mean() if rows.any() else np.nan for rows in answered.to_numpy().T],
    })  # fmt: skip
    for name, values in {"cost": costs, "saved": saved}.items():
        ends = percentile_ends(resampled_means(values.to_numpy(), n_resamples, rng=rng))
        table[[name, f"{name}_low", f"{name}_high"]] = np.column_stack([values.mean(), *ends])
    pays = chance_right(confidence, y)(confidence) >= 1 - reject_cost
    return float(confidence[pays].min(initial=np.inf)), table


def cost_table(prices):
    """A table of costs as texts, of 100 questions."""
    rows = {
        POLICIES[row.Index]: {
            "cost of 100": cost_with_span(row.cost, row.cost_low, row.cost_high),
            "answered": percent(row.answered),
            "wrong among answers": "–" if np.isnan(row.wrong) else percent(row.wrong),
        }
        for row in prices.itertuples()
        if row.answered or row.Index != "certified"
    }
    return pd.DataFrame(rows).T.rename_axis("answer")
