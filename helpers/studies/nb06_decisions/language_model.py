"""What decisions by a language model's scores cost, and what post-training saves (section 4.2 of Melo et al.)."""

import numpy as np
import pandas as pd

from helpers.calibration import PlattCalibrator
from helpers.decisions import RiskEstimator, best_decision, expected_cost
from helpers.resampling import paired_difference


def decide_by_scores(cases, score, cost, told=(), *, rng=None):
    """What scores save, as stated, recalibrated and repaired, on a random half of the cases; the other half teaches.

    saved: on one decision for all cases, the better one at the rate of the half that teaches (95 % interval, cases
    drawn again). What the repaired score saves on the stated one: estimated (mean risk, before any outcome), realised.
    """
    rng = np.random.default_rng(rng)
    teaches = rng.random(len(cases)) < 0.5
    y, p = (cases.loc[teaches, name].to_numpy() for name in ("label", score))
    outcome, stated = (cases.loc[~teaches, name].to_numpy() for name in ("label", score))
    ways = {"as stated": stated, "recalibrated": PlattCalibrator().fit(p, y).predict(stated)}
    estimated = np.nan
    if len(told):
        told = list(told)
        model = RiskEstimator(cost, rng=rng).fit(y, p, cases.loc[teaches, told])
        ways["repaired"] = model.corrected(stated, cases.loc[~teaches, told])
        estimated = model.predict(stated, cases.loc[~teaches, told]).mean()

    def paid(probability):
        return expected_cost(best_decision(probability, cost), outcome, cost)

    same = paid(np.full(outcome.size, y.mean()))
    rows = []
    for way, probability in ways.items():
        saved = paired_difference(same, paid(probability), rng=rng)
        rows.append(
            {"way": way, "cost": paid(probability).mean(), "saved": saved.value, "low": saved.low, "high": saved.high}
        )
    if len(told):
        realised = paired_difference(paid(stated), paid(ways["repaired"]), rng=rng)
        rows[-1] |= {"estimated": estimated, "realised": realised.value}
        rows[-1] |= {"realised_low": realised.low, "realised_high": realised.high}
    return pd.DataFrame(rows)
