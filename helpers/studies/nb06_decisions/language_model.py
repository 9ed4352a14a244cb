"""What decisions by a language model's scores cost, and what post-training saves (section 4.2 of Melo et al.)."""

import numpy as np
import pandas as pd

from helpers.calibration import PlattCalibrator
from helpers.decisions import best_decision, expected_cost
from helpers.resampling import paired_difference


def decide_by_scores(cases, score, cost, *, rng=None):
    """What scores save, as stated and recalibrated, on a random half of the cases; the other half teaches."""
    rng = np.random.default_rng(rng)
    teaches = rng.random(len(cases)) < 0.5
    y, p = (cases.loc[teaches, name].to_numpy() for name in ("label", score))
    outcome, stated = (cases.loc[~teaches, name].to_numpy() for name in ("label", score))
    versions = {"as stated": stated, "recalibrated": PlattCalibrator().fit(p, y).predict(stated)}

    def paid(probability):
        return expected_cost(best_decision(probability, cost), outcome, cost)

    same = paid(np.full(outcome.size, y.mean()))
    rows = []
    for name, probability in versions.items():
        saved = paired_difference(same, paid(probability), rng=rng)
        rows.append(
            {
                "scores": name,
                "cost": paid(probability).mean(),
                "saved": saved.value,
                "low": saved.low,
                "high": saved.high,
            }
        )
    return pd.DataFrame(rows)
