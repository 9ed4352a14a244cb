"""Studies of the estimated risk where the truth is known, for `experiments.repeat`."""

import numpy as np
from scipy.stats import sem

from helpers.decisions import RiskEstimator, best_decision, excess_risk, expected_cost, oracle_risk


def estimation_errors(population, ways, cost, *, n_new=4000):
    """A study: fit on n people, compare estimated and true risk of `n_new` others.

    Parameters
    ----------
    population : function (n, rng) that returns a `Sample`; ways : {name: options of `RiskEstimator`}; cost : (2, 2)

    Returns
    -------
    function (n, rng) that returns for each way a dict: estimator, value (root mean squared error of the risk), L2 (mean
    squared error of c + r), bias (mean estimated minus mean true risk), true (mean true risk)

    >>> from helpers.simulation import Sigmoid
    >>> study = estimation_errors(Sigmoid().sample, {"ours": {}}, [[0, 1], [1, 0]])
    >>> sorted(study(400, np.random.default_rng(0))[0])
    ['L2', 'bias', 'estimator', 'true', 'value']
    """

    def study(n, rng):
        a, new, found = population(n, rng), population(n_new, rng), []
        truth = oracle_risk(new.q, new.p, cost)
        for way, options in ways.items():
            guess = RiskEstimator(cost, rng=rng, **options).fit(a.y, a.p, a.X).corrected(new.p, new.X)
            off = excess_risk(guess, new.p, cost) - truth
            line = {"estimator": way, "value": np.mean(off**2) ** 0.5, "L2": np.mean((guess - new.q) ** 2)}
            found.append(line | {"bias": off.mean(), "true": truth.mean()})
        return found

    return study


def acting_on_it(population, ways, cost, *, n_new=2000, level_z=1.645):
    """A study: fit on n people, then let `n_new` others be decided by c + r instead of p, and count what they pay.

    Returns a function (n, rng) as `estimation_errors` does; its dicts hold estimator, invented (mean estimated risk)
    and alarm (whether a one-sided 5 % test says that acting on the estimate pays).
    """

    def study(n, rng):
        a, new, found = population(n, rng), population(n_new, rng), []
        for way, options in ways.items():
            guess = RiskEstimator(cost, rng=rng, **options).fit(a.y, a.p, a.X).corrected(new.p, new.X)
            stated, corrected = (expected_cost(best_decision(score, cost), new.y, cost) for score in (new.p, guess))
            saved = stated - corrected
            alarm = bool(saved.mean() > level_z * sem(saved)) if saved.any() else False
            found.append({"estimator": way, "invented": excess_risk(guess, new.p, cost).mean(), "alarm": alarm})
        return found

    return study
