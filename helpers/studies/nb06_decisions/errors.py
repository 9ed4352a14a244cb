"""Studies of the estimated risk where the truth is known, for `experiments.repeat`."""

import numpy as np
from scipy.stats import sem

from helpers.decisions import RiskEstimator, best_decision, excess_risk, expected_cost, oracle_risk


def estimation_errors(population, estimators, cost):
    """A study for `repeat`: fit on n people with several estimators, compare estimated and true risk of 4000 others."""

    def study(n, rng):
        new, corrected = _corrected_by_each(population, estimators, cost, n, 4000, rng)
        truth = oracle_risk(new.q, new.p, cost)
        lines = []
        for name, c_r in corrected.items():
            error = excess_risk(c_r, new.p, cost) - truth
            line = {"estimator": name, "value": np.mean(error**2) ** 0.5, "L2": np.mean((c_r - new.q) ** 2)}
            lines.append(line | {"bias": error.mean(), "true": truth.mean()})
        return lines

    return study


def acting_on_it(population, estimators, cost):
    """A study for `repeat`: fit on n people, let 2000 others be decided by c + r instead of p, and count what they pay.

    invented: mean estimated risk; alarm: whether a one-sided 5 % test says that acting on the estimate pays.
    """

    def study(n, rng):
        new, corrected = _corrected_by_each(population, estimators, cost, n, 2000, rng)
        lines = []
        for name, c_r in corrected.items():
            by_score = expected_cost(best_decision(new.p, cost), new.y, cost)
            by_correction = expected_cost(best_decision(c_r, cost), new.y, cost)
            saved = by_score - by_correction
            alarm = bool(saved.mean() > 1.645 * sem(saved)) if saved.any() else False
            lines.append({"estimator": name, "invented": excess_risk(c_r, new.p, cost).mean(), "alarm": alarm})
        return lines

    return study


def _corrected_by_each(population, estimators, cost, n, n_new, rng):
    """New people, and what each estimator, fitted to n others, says of them: {name: c + r}."""
    known = population(n, rng)
    new = population(n_new, rng)
    corrected = {}
    for name, options in estimators.items():
        model = RiskEstimator(cost, rng=rng, **options).fit(known.X, known.y, known.p)
        corrected[name] = model.corrected(new.X, new.p)
    return new, corrected
