"""Several systems that answered the same questions: their measures with intervals, and paired differences.

Rows (or whole groups of them) are drawn again by counting how often each occurs, so that ties stay exact and all
systems see the same draw.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from helpers.checks import (
    MOST_DRAWS,
    check_count,
    check_groups,
    check_labels,
    check_level,
    check_one_of,
    check_probabilities,
    check_rng,
    check_same_length,
)
from helpers.resampling import Interval, percentile_ends, resampled_counts
from helpers.selective.metrics import MeasuredAnswers, metrics_of


def _check_systems(systems):
    if not hasattr(systems, "items") or not systems:
        raise ValueError("systems must be a dict of name: (correct, confidence), with at least one system.")
    checked = {}
    for name, pair in systems.items():
        label = f"systems[{name!r}]"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"{label} must be a pair (correct, confidence), but it is a {type(pair).__name__}.")
        checked[name] = check_labels(pair[0], f"{label}[0]"), check_probabilities(pair[1], f"{label}[1]")
    columns = {f"systems[{name!r}][{i}]": pair[i] for name, pair in checked.items() for i in (0, 1)}
    check_same_length(**columns)
    return checked


def _draw(systems, metrics, n_resamples, groups, rng):
    """Measures of each system that was checked: {name: {metric: value}}, and {name: a row a resample}."""
    first = next(iter(systems.values()))[0]
    check_same_length(systems=first, groups=groups)
    check_count(n_resamples, "n_resamples", least=20, most=MOST_DRAWS)
    answers = {name: MeasuredAnswers(metrics, *pair) for name, pair in systems.items()}
    drawn = {name: [] for name in answers}
    for counts in resampled_counts(first.size, n_resamples, groups=groups, rng=rng):
        for name, system in answers.items():
            drawn[name].append(system.measure(counts))
    values = {name: pd.Series(system.measure()) for name, system in answers.items()}
    return values, {name: pd.DataFrame(rows) for name, rows in drawn.items()}


def _interval(value, draws, level, size):
    """Quantiles of the draws that exist, without interpolation where some are infinite."""
    draws = draws[~np.isnan(draws)]
    low = high = np.nan
    if draws.size and not np.isnan(value):
        low, high = percentile_ends(draws, level, method="linear" if np.isfinite(draws).all() else "inverted_cdf")
    return Interval(value, np.nan, float(low), float(high), level, size, draws)


def measure_systems(systems, *, n=(0, 1, 128), n_classes=None, n_resamples=1000, level=0.95, groups=None, rng=None):
    """Every measure of `confidence_metrics` for each system, with a bootstrap interval.

    Measures of Estienne, Ernst et al. (2026), table 2; the intervals are ours.

    Parameters
    ----------
    systems : dict
        Name: (correct, confidence), each (n_rows,), on the same rows.
    n, n_classes : optional
        Exponents of ECUAS, and the number of classes K, None for many.
    n_resamples, level, groups, rng : optional
        As in `helpers.resampling.bootstrap_interval`; rows of one group are drawn together.

    Returns
    -------
    DataFrame
        Columns system, metric, value, low, high; `METRICS` says which way is good. An ECE is biased upwards, and
        bootstrap intervals of it miss; its 95 % interval is that of `calibration_error`, and missing at other levels.
        Resamples of only right or only wrong answers have no AUC and no PRR, and are left out.

    Examples
    --------
    >>> systems = {"a": ([1, 0, 1, 1] * 50, [0.6, 0.6, 0.9, 0.9] * 50)}
    >>> table = measure_systems(systems, n=1, n_resamples=200, rng=0)
    >>> table.query("metric in ('er', 'aurc')").round(2).to_numpy().tolist()
    [['a', 'er', 0.25, 0.2, 0.31], ['a', 'aurc', 0.08, 0.05, 0.11]]
    """
    rng = check_rng(rng)
    seed = int(rng.integers(2**32))  # the same noise for each system, in any order
    systems = _check_systems(systems)
    level = check_level(level)
    groups = check_groups(groups)
    metrics = metrics_of(n, n_classes)
    values, drawn = _draw(systems, metrics, n_resamples, groups, rng)
    rows = []
    for system, answers in systems.items():
        for name, metric in metrics.items():
            value = values[system][name]
            if metric.interval is None:
                interval = _interval(value, drawn[system][name].to_numpy(), level, len(answers[0]))
                ends = interval.low, interval.high
            else:
                ends = metric.interval(*answers, groups, seed) if level == 0.95 else (np.nan, np.nan)
            rows.append((system, name, value, *ends))
    return pd.DataFrame(rows, columns=["system", "metric", "value", "low", "high"])


def compare_systems(
    systems, *, against=None, n=(0, 1, 128), n_classes=None, n_resamples=1000, level=0.95, groups=None, rng=None
):
    """Each system minus one of them, or each two, measure by measure, on the same resamples.

    What must not be compared: Estienne, Ernst et al. (2026), section 4; the intervals are ours.

    Parameters
    ----------
    systems : dict
        Name: (correct, confidence), each (n_rows,), on the same rows; at least two.
    against : str, optional
        Name of the system that is subtracted; by default, every two are compared, the later one subtracted.
    n, n_classes, n_resamples, level, groups, rng : optional
        As in `measure_systems`.

    Returns
    -------
    DataFrame
        Columns system, metric, difference (below 0: better than `against`, but for AUC and PRR worse), low, high,
        p_value (of "no difference", two-sided), comparable, remark, against (what was subtracted). `comparable` is
        False for the measures of the confidence alone (ECE, AUC, CE, Brier, PRR) if the two do not answer the same rows
        correctly: the confidences are then judged on different labels. Differences of ECE have no interval, because
        each has its own bias. Two infinite measures have no difference.

    Examples
    --------
    >>> right, sure, unsure = [1, 0, 1, 1] * 50, [0.6, 0.6, 0.9, 0.9] * 50, [0.6] * 200
    >>> table = compare_systems({"a": (right, sure), "b": (right, unsure)}, against="b", n=1, n_resamples=200, rng=0)
    >>> table.query("metric == 'ecuas_1'").iloc[0, 2:5].astype(float).round(4).tolist()
    [-0.075, -0.0855, -0.0645]
    """
    rng = check_rng(rng)
    systems = _check_systems(systems)
    if against is not None:
        check_one_of(against, "against", list(systems))
    if len(systems) < 2:
        raise ValueError(f"systems must hold at least two systems to compare, but there is only {against!r}.")
    level = check_level(level)
    metrics = metrics_of(n, n_classes)
    values, drawn = _draw(systems, metrics, n_resamples, check_groups(groups), rng)
    rows = []
    for system, other in _pairs(list(systems), against):
        size = systems[system][0].size
        differ = int((systems[system][0] != systems[other][0]).sum())
        with np.errstate(invalid="ignore"):
            difference, draws = (table[system] - table[other] for table in (values, drawn))
        for name, metric in metrics.items():
            value = difference[name]
            comparable = not (differ and metric.needs_same_answers)
            interval = _interval(value, draws[name].to_numpy(), level, size)
            ends = interval.low, interval.high, np.nan if np.isnan(value) else interval.p_value
            if metric.interval is not None:
                ends = (np.nan,) * 3
            remark = (
                _remark(metric, value)
                if comparable
                else f"other labels: correctness differs in {differ:,} of {size:,} rows"
            )
            rows.append((system, name, value, *ends, comparable, remark, other))
    columns = ["system", "metric", "difference", "low", "high", "p_value", "comparable", "remark", "against"]
    return pd.DataFrame(rows, columns=columns)


def _remark(metric, difference):
    """What must be known of a difference between comparable measures, "" if nothing."""
    if metric.interval is not None:
        return f"no interval: the bias of an {metric.label} depends on the system"
    return "no difference: undefined, or infinite in both" if np.isnan(difference) else ""


def _pairs(names, against):
    """Pairs (a system, what is subtracted): all others and `against`, or every two."""
    if against is None:
        return list(combinations(names, 2))
    return [(name, against) for name in names if name != against]
