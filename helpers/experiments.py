"""Experiments that are repeated: one study on many samples, and what its estimates do on average."""

import itertools
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from helpers.checks import check_count, nearest_name
from helpers.grouping import GroupingLoss

NUMBERS = ("value", "se", "low", "high", "p_value")


def repeat(study, cases, n_repeats, *, rng=None):
    """Run a study again and again, for every combination of cases; a table with one line for each result.

    Every run has its own spawned seed, so the table is the same for any number of workers. Runs go one after the other
    unless the caller chooses workers: ``with joblib.parallel_config(n_jobs=2): ...``.

    Parameters
    ----------
    study : function of one value of each case and of `rng` (Generator); returns a list of results, each a dict
    cases : {name: list of values}; {} for a study without cases
    n_repeats : runs of each combination
    rng : int, list of int, Generator or None

    Returns
    -------
    DataFrame with the columns of `cases`, `repeat` (0 .. n_repeats - 1) and those of the results

    >>> def toss(n, rng):
    ...     return [{"heads": int(rng.binomial(n, 0.5))}]
    >>> repeat(toss, {"n": [10, 1000]}, 2, rng=0)
          n  repeat  heads
    0    10       0      7
    1    10       1      6
    2  1000       0    505
    3  1000       1    500
    """
    lines = [dict(zip(cases, values, strict=True)) for values in itertools.product(*cases.values())]
    tasks = [(line, k) for line in lines for k in range(check_count(n_repeats, "n_repeats"))]
    seeds = np.random.default_rng(rng).spawn(len(tasks))
    results = Parallel()(delayed(study)(**line, rng=seed) for (line, _), seed in zip(tasks, seeds, strict=True))
    rows = [line | {"repeat": k} | one for (line, k), found in zip(tasks, results, strict=True) for one in found]
    return pd.DataFrame(rows)


def by_estimator(found):
    """Results for `repeat`, one for each estimator of the same sample.

    `found` is {name: `GroupingLoss`, or the value alone}; numbers that an estimator does not give are NaN.

    >>> by_estimator({"plug-in": 0.02})
    [{'estimator': 'plug-in', 'value': 0.02, 'se': nan, 'low': nan, 'high': nan, 'p_value': nan}]
    """
    rows = []
    for name, one in found.items():
        known = {key: getattr(one, key) for key in NUMBERS} if isinstance(one, GroupingLoss) else {"value": one}
        rows.append({"estimator": name} | dict.fromkeys(NUMBERS, np.nan) | known)
    return rows


def summarise(frame, by, *, truth=None, level=0.05):
    """What repeated estimates do on average: one line for each combination of the columns `by`, in order of appearance.

    Parameters
    ----------
    frame : DataFrame with a column `value`, and if there are any `se` and `p_value`; NaN: this run gave no estimate
    by : name or list of names of columns
    truth : number, or name of a column, from which errors are measured
    level : a run with a p-value below it raises an alarm

    Returns
    -------
    DataFrame with `by`, `draws`, `value` (mean), `error` (twice its standard error), `spread` (standard deviation),
    `stopped` (share of runs without an estimate); with a truth `rmse`; with `se` its mean `reported`; with `p_value`
    `alarms` (share) and `alarms_error` (twice its binomial standard error, never below that of the promised level)

    Raises
    ------
    ValueError for a column that is not there

    >>> runs = pd.DataFrame({"n": [9, 9], "value": [0.1, 0.3], "p_value": [0.2, 0.01]})
    >>> summarise(runs, "n", truth=0.2)[["n", "value", "rmse", "alarms"]]
       n  value  rmse  alarms
    0  9    0.2   0.1     0.5
    """
    by = [by] if isinstance(by, str) else list(by)
    for name in [*by, "value", *([truth] if isinstance(truth, str) else [])]:
        if name not in frame:
            raise ValueError(f"frame must have a column {name!r}; {nearest_name(name, list(frame), 'column')}.")
    frame = frame.assign(stopped=frame["value"].isna())
    if truth is not None:
        frame["squared"] = (frame["value"] - (frame[truth] if isinstance(truth, str) else truth)) ** 2
    if "p_value" in frame:
        frame["alarm"] = (frame["p_value"] < level).where(frame["p_value"].notna())
    groups = frame.groupby(by, sort=False)
    value = groups["value"]
    result = pd.DataFrame({"draws": value.size(), "value": value.mean(), "spread": value.std()})
    result.insert(2, "error", 2 * result["spread"] / value.count() ** 0.5)
    if truth is not None:
        result["rmse"] = groups["squared"].mean() ** 0.5
    if "se" in frame:
        result["reported"] = groups["se"].mean()
    if "p_value" in frame:
        result["alarms"] = groups["alarm"].mean().astype(float)
        variance = (result["alarms"] * (1 - result["alarms"])).clip(lower=level * (1 - level))
        result["alarms_error"] = 2 * (variance / groups["alarm"].count()) ** 0.5
    return result.assign(stopped=groups["stopped"].mean()).reset_index()


def verdict(low, high, *, at_least=-np.inf, at_most=np.inf):
    """What a 95 % interval says about a statement "the value lies between `at_least` and `at_most`" (equal: a point).

    "agrees" if the interval lies inside, or holds the point; "differs" if it lies outside; else, also for an interval
    of NaN, "cannot tell".

    >>> verdict(0.8, 0.9, at_most=1.0), verdict(0.9, 1.1, at_most=1.0), verdict(1.1, 1.2, at_most=1.0)
    ('agrees', 'cannot tell', 'differs')
    >>> verdict(-0.1, 0.2, at_least=0, at_most=0)
    'agrees'
    """
    if low > high:
        raise ValueError(f"low must not exceed high, but they are {low} and {high}.")
    if np.isnan([low, high]).any():
        return "cannot tell"
    if high < at_least or low > at_most:
        return "differs"
    inside = at_least <= low and high <= at_most
    return "agrees" if inside or at_least == at_most else "cannot tell"


def has_glest():
    """Whether the package `glest`, the binned estimator of Perez-Lebel et al. (2023), is installed."""
    return find_spec("glest") is not None


def binned_estimate(y, p, X, *, region=None, rng=None):
    """What `glest` reports: the grouping loss summed over BOTH classes, in bins of the score.

    With `region` (n,) 0/1 the regions are given and the plug-in is returned; otherwise glest grows its own trees and
    corrects. NaN when it stops because a bin holds too few people.
    """
    from glest import GLEstimator

    X = X.apply(lambda x: x.cat.codes if x.dtype == "category" else x).astype(float).fillna(-1).to_numpy()
    try:
        with warnings.catch_warnings(action="ignore"):
            if region is not None:
                return float(GLEstimator(p, partitioner=None).fit(X, y, partition=region).GL_uncorrected())
            seed = int(np.random.default_rng(rng).integers(2**31))
            return float(GLEstimator(p, random_state=seed).fit(X, y).GL())
    except ValueError:
        return float("nan")
