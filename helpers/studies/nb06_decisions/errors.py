"""A study of the estimated risk where the truth is known, for `experiments.repeat`."""

import numpy as np
from scipy.stats import sem

from helpers.decisions import RiskEstimator, best_decision, excess_risk, expected_cost, oracle_risk


def estimation_errors(population, estimators, cost, n_new=4000):
    """A study for `repeat`: fit on n people with several estimators, compare the risks of others with the truth.

    alarm: whether a one-sided 5 % test says that those others pay less if c + r decides in place of p.
    """

    def study(n, rng):
        known = population(n, rng)
        new = population(n_new, rng)
        truth = oracle_risk(new.q, new.p, cost)
        lines = []
        for name, options in estimators.items():
            model = RiskEstimator(cost, rng=rng, **options).fit(known.X, known.y, known.p)
            corrected = model.corrected(new.X, new.p)
            risk = excess_risk(corrected, new.p, cost)
            paid = [expected_cost(best_decision(p, cost), new.y, cost) for p in (new.p, corrected)]
            saved = paid[0] - paid[1]
            line = {"estimator": name, "value": np.mean((risk - truth) ** 2) ** 0.5, "bias": np.mean(risk - truth)}
            line |= {"L2": np.mean((corrected - new.q) ** 2), "true": truth.mean(), "estimated": risk.mean()}
            line["alarm"] = bool(saved.any() and saved.mean() > 1.645 * sem(saved))
            lines.append(line)
        return lines

    return study
