"""Experiments that are repeated: one study on many samples, and what its estimates do on average."""

import itertools
import reprlib

import numpy as np
import pandas as pd
from scipy.stats import sem

from helpers._parallel import in_order
from helpers.checks import MOST_DRAWS, check_column, check_count, check_rng
from helpers.grouping import grouping_loss

__all__ = ["each_estimator", "repeat", "summarise"]

NUMBERS = ("value", "se", "low", "high", "p_value", "plugin")


def repeat(study, cases, n_repeats, *, rng=None):
    """Run a study again and again, for every combination of cases.

    Workers are joblib's, chosen by the caller: ``joblib.parallel_config(n_jobs=2)`` for two processes on this machine,
    ``joblib.parallel_config("dask")`` for the cluster that is connected. Each run has its own spawned seed and one
    thread for matrix libraries: the table is the same for any workers. ValueError names the run that failed
    (RuntimeError where the study raised another error).

    Parameters
    ----------
    study : callable
        Function of one value of each case and of `rng` (Generator); returns a list of results, each a dict.
    cases : dict of str to list
        Values of each case; {} for a study without cases.
    n_repeats : int
        Runs of each combination.
    rng : int, list of int, Generator, optional
        Root of the seeds.

    Returns
    -------
    DataFrame
        One line for each result, with the columns of `cases`, `repeat` (0 .. n_repeats - 1) and those of the results.

    Examples
    --------
    >>> def toss(n, rng):
    ...     return [{"heads": int(rng.binomial(n, 0.5))}]
    >>> repeat(toss, {"n": [10, 1000]}, 2, rng=0)["heads"].tolist()
    [7, 6, 505, 500]
    """
    lines = [dict(zip(cases, values, strict=True)) for values in itertools.product(*cases.values())]
    tasks = [(line, k) for line in lines for k in range(check_count(n_repeats, "n_repeats", most=MOST_DRAWS))]
    seeds = check_rng(rng).spawn(len(tasks))
    runs = in_order(_one_run, ((study, *task, seed) for task, seed in zip(tasks, seeds, strict=True)))
    rows = [line | {"repeat": k} | result for (line, k), results in zip(tasks, runs, strict=True) for result in results]
    return pd.DataFrame(rows)


def _one_run(study, line, k, seed):
    """Results of one run; an error names it."""
    try:
        return list(study(**line, rng=seed))
    except Exception as error:
        place = ", ".join([*(f"{name} = {reprlib.repr(value)}" for name, value in line.items()), f"repeat {k}"])
        if isinstance(error, ValueError):
            raise ValueError(f"{place}: {error}") from error
        raise RuntimeError(f"{place}: {type(error).__name__}: {error}") from error


def each_estimator(draw, estimators):
    """A study for `repeat`: draw a sample of n rows, estimate its grouping loss with several estimators.

    Parameters
    ----------
    draw : callable
        Function (n, rng) that returns a `Sample`.
    estimators : dict of str to dict or callable
        Options of `grouping_loss`; an option that is a function is given the sample, and `p` replaces the stated
        score: {"p": lambda a: a.c} hands in the true c. Or a function (sample, rng) that returns a value.

    Returns
    -------
    callable
        Function (n, rng) that returns a list of results.

    Examples
    --------
    >>> from helpers.simulation import Sigmoid
    >>> study = each_estimator(Sigmoid().sample, {"cross-fitted": {}, "zero": lambda a, rng: 0.0})
    >>> repeat(study, {"n": [500]}, 1, rng=0)["estimator"].tolist()
    ['cross-fitted', 'zero']
    """

    def study(n, rng):
        sample = draw(n, rng)
        return [{"estimator": name} | _estimate(sample, estimator, rng) for name, estimator in estimators.items()]

    return study


def _estimate(sample, estimator, rng):
    if callable(estimator):
        return {"value": estimator(sample, rng)}
    options = {name: option(sample) if callable(option) else option for name, option in estimator.items()}
    estimate = grouping_loss(sample.y, options.pop("p", sample.p), sample.X, rng=rng, **options)
    return {name: getattr(estimate, name) for name in NUMBERS}


def summarise(frame, by, *, truth=None, alpha=0.05):
    """What repeated estimates do on average: one line for each combination of the columns `by`, as they appear.

    Parameters
    ----------
    frame : DataFrame
        With a column `value`, and if there are any `se` and `p_value`; NaN: this run gave no estimate.
    by : list of str
        Names of columns.
    truth : float, optional
        Number from which errors are measured.
    alpha : float, default 0.05
        A run with a p-value below it raises an alarm.

    Returns
    -------
    DataFrame
        `by`, `draws`, `value` (mean), `se` (standard error of this mean), `sd` (standard deviation), `stopped` (share
        of runs without an estimate); with a truth `rmse`; with `se` its mean `reported`; with `p_value` `alarms`
        (share) and `alarms_se` (its binomial standard error, never below that of the promised alpha).

    Examples
    --------
    >>> runs = pd.DataFrame({"n": [9, 9], "value": [0.1, 0.3], "p_value": [0.2, 0.01]})
    >>> summarise(runs, ["n"], truth=0.2)[["n", "value", "rmse", "alarms"]].to_dict("list")
    {'n': [9], 'value': [0.2], 'rmse': [0.0999...], 'alarms': [0.5]}
    """
    for name in [*by, "value"]:
        check_column(name, frame.columns, "frame")
    groups = frame.groupby(by, sort=False)
    value = groups["value"]
    result = pd.DataFrame({"draws": value.size(), "value": value.mean(), "sd": value.std()})
    result.insert(2, "se", result["sd"] / value.count() ** 0.5)
    if truth is not None:
        result["rmse"] = (value.var(ddof=0) + (result["value"] - truth) ** 2) ** 0.5
    if "se" in frame:
        result["reported"] = groups["se"].mean()
    if "p_value" in frame:
        alarm = (frame["p_value"] < alpha).astype(float).where(frame["p_value"].notna())
        alarm = frame.assign(alarm=alarm).groupby(by, sort=False)["alarm"]
        result["alarms"] = alarm.mean()
        variance = (result["alarms"] * (1 - result["alarms"])).clip(lower=alpha * (1 - alpha))
        result["alarms_se"] = (variance / alarm.count()) ** 0.5
    return result.assign(stopped=1 - value.count() / value.size()).reset_index()


def verdict(low, high, *, at_least=-np.inf, at_most=np.inf):
    """What a 95 % interval says about a statement "the value lies between `at_least` and `at_most`" (equal: a point).

    "agrees" if the interval lies inside, or holds the point; "differs" if it lies outside; else "cannot tell".

    >>> verdict(0.8, 0.9, at_most=1.0), verdict(0.9, 1.1, at_most=1.0), verdict(1.1, 1.2, at_most=1.0)
    ('agrees', 'cannot tell', 'differs')
    """
    if low > high:
        raise ValueError(f"low must not exceed high, but they are {low} and {high}.")
    if np.isnan([low, high]).any():
        return "cannot tell"
    if high < at_least or low > at_most:
        return "differs"
    return "agrees" if at_least <= low and high <= at_most or at_least == at_most else "cannot tell"


def comparison(what, stated, ours, se=0.0, *, ends=None, form="{:z.3f}", **allowed):
    """One line of the table "paper, ours, interval, verdict", as a dict.

    The interval is two standard errors `se` on either side, or `ends` that were found by another method; `allowed` are
    the bounds of the statement, as in `verdict`.

    >>> comparison("share found", "<= 1", 0.8, 0.05, at_most=1)["verdict"]
    'agrees'
    """
    ends = (ours - 2 * se, ours + 2 * se) if ends is None else ends
    row = {"what": what, "the paper": stated, "ours": form.format(ours)}
    return row | {"95 % interval": " to ".join(map(form.format, ends)), "verdict": verdict(*ends, **allowed)}


def improvement(error, n):
    """How much the mean error falls from the smallest to the largest number of rows, and the standard error of that.

    >>> fall, se = improvement([0.3, 0.5, 0.1, 0.1], np.array([10, 10, 90, 90]))
    >>> round(float(fall), 3), round(float(se), 3)
    (0.3, 0.1)
    """
    first, last = (np.asarray(error)[n == size] for size in (np.min(n), np.max(n)))
    return first.mean() - last.mean(), np.hypot(sem(first), sem(last))
