"""Several systems that answered the same questions: their measures with intervals, and paired differences.

Rows (or whole groups of them) are drawn again by counting how often each occurs, so that ties stay exact and all
systems see the same draw.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from helpers.binning import bins_between, uniform_edges
from helpers.calibration.reliability import curve_of_rows, error_of_curve
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
from helpers.resampling import Interval, resampled_rows
from helpers.scoring import BRIER, LOG
from helpers.selective.abstention import ecuas_of_answers, largest_of
from helpers.selective.metrics import PAPER_BINS, auc_of_blocks, check_exponents
from helpers.selective.risk_coverage import mean_risk, rejection_ratio

OF_THE_CONFIDENCE = ("ece", "auc", "ce", "brier", "prr")  # their labels are "was the answer right?"


@dataclass(frozen=True)
class _System:
    """One system, arranged so that its measures follow from how often each row occurs.

    rows : (n, m) one column for each measure that is a mean, infinite entries as 0
    certain, infinite : (k,) rows with such an entry, and (k, m) where it is
    gaps : (n, bins) correct - confidence, in the column of the row's bin
    order, start : rows by falling confidence, and where blocks of ties begin
    """

    correct: np.ndarray
    rows: np.ndarray
    certain: np.ndarray
    infinite: np.ndarray
    gaps: np.ndarray
    order: np.ndarray
    start: np.ndarray

    def measures(self, counts):
        """er, ece, auc, ce, brier, aurc, prr, ecuas, … of the rows, each taken `counts` times."""
        total = counts.sum()
        means = counts @ self.rows / total
        means[counts[self.certain] @ self.infinite > 0] = np.inf
        ece = np.abs(counts @ self.gaps).sum() / total
        weight = counts[self.order]
        wrong = np.add.reduceat(weight * (1 - self.correct[self.order]), self.start)
        weight = np.add.reduceat(weight, self.start)
        auc = auc_of_blocks(weight - wrong, wrong)
        area = mean_risk(weight, wrong)
        ratio = rejection_ratio(weight, wrong)
        return np.r_[means[0], ece, auc, means[1:3], area, ratio, means[3:]]


def _arrange(correct, confidence, exponents, largest):
    answers = correct, confidence
    rows = [1 - correct, LOG.row_divergence(*answers), BRIER.row_divergence(*answers)]
    rows = np.column_stack(rows + [ecuas_of_answers(*answers, n, largest) for n in exponents.values()])
    certain = np.flatnonzero(np.isinf(rows).any(axis=1))
    infinite = np.isinf(rows[certain]).astype(float)
    rows[np.isinf(rows)] = 0
    gaps = np.zeros((correct.size, PAPER_BINS))
    gaps[np.arange(correct.size), bins_between(confidence, uniform_edges(PAPER_BINS))] = correct - confidence
    order = np.argsort(-confidence)
    start = np.flatnonzero(np.diff(confidence[order], prepend=-1))
    return _System(correct, rows, certain, infinite, gaps, order, start)


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


@dataclass(frozen=True)
class _Draws:
    """Measures of each system on the data, {name: (m,)}, and on each resample, {name: (n_resamples, m)}."""

    metrics: list
    value: dict
    drawn: dict
    groups: np.ndarray | None
    level: float
    size: int

    def interval(self, value, draws):
        """Quantiles of the draws that exist, without interpolation where some are infinite."""
        draws = draws[~np.isnan(draws)]
        tails = (1 - self.level) / 2, (1 + self.level) / 2
        low = high = np.nan
        if draws.size and not np.isnan(value):
            low, high = np.quantile(draws, tails, method="linear" if np.isfinite(draws).all() else "inverted_cdf")
        return Interval(value, np.nan, float(low), float(high), self.level, self.size, draws)


def _draw(systems, n, n_classes, n_resamples, level, groups, rng):
    """`_Draws` of systems that were checked; ValueError for options that break a rule."""
    exponents = check_exponents(n)
    largest = largest_of(n_classes)
    groups = check_groups(groups)
    first = next(iter(systems.values()))[0]
    size = first.size
    check_same_length(systems=first, groups=groups)
    check_count(n_resamples, "n_resamples", least=20, most=MOST_DRAWS)
    level = check_level(level)
    arranged = {name: _arrange(*pair, exponents, largest) for name, pair in systems.items()}
    drawn = {name: [] for name in arranged}
    for rows in resampled_rows(size, n_resamples, groups=groups, rng=rng):
        counts = np.bincount(rows, minlength=size).astype(float)
        for name, system in arranged.items():
            drawn[name].append(system.measures(counts))
    return _Draws(
        ["er", "ece", "auc", "ce", "brier", "aurc", "prr", *(f"ecuas_{name}" for name in exponents)],
        {name: system.measures(np.ones(size)) for name, system in arranged.items()},
        {name: np.array(rows) for name, rows in drawn.items()},
        groups,
        level,
        size,
    )


def measure_systems(systems, *, n=(0, 1, 128), n_classes=None, n_resamples=1000, level=0.95, groups=None, rng=None):
    """Every measure of `confidence_metrics` for each system, with a bootstrap interval.

    Parameters
    ----------
    systems : dict
        Name: (correct, confidence), each (n_rows,), on the same rows.
    n : float or sequence of float, default (0, 1, 128)
        Exponents of ECUAS.
    n_classes : int, optional
        Number of classes K; None for many.
    n_resamples : int, default 1000
        Resamples, at least 20.
    level : float, default 0.95
        Coverage aimed at.
    groups : array_like, shape (n_rows,), optional
        Labels of people, documents, …; rows of one group are drawn together.
    rng : int, Generator or None, default None
        Source of the resamples.

    Returns
    -------
    DataFrame
        Columns system, metric, value, low, high. AUC and PRR: larger is better; all others: smaller. An ECE is biased
        upwards, and bootstrap intervals of it miss; its 95 % interval is that of `calibration_error`, and missing at
        other levels. Resamples of only right or only wrong answers have no AUC and no PRR, and are left out.

    Raises
    ------
    ValueError
        For a system that is no pair of 0/1 and [0, 1], systems of other lengths, bad options.

    References
    ----------
    Measures of Estienne, Ernst et al. (2026), table 2; the intervals are ours.

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
    draws = _draw(systems, n, n_classes, n_resamples, level, groups, rng)
    rows = []
    for name, values in draws.value.items():
        for j, metric in enumerate(draws.metrics):
            if metric == "ece":
                error = error_of_curve(curve_of_rows(*systems[name], PAPER_BINS, groups=draws.groups), rng=seed)
                ends = (error.low, error.high) if draws.level == 0.95 else (np.nan, np.nan)
            else:
                interval = draws.interval(values[j], draws.drawn[name][:, j])
                ends = interval.low, interval.high
            rows.append((name, metric, values[j], *ends))
    return pd.DataFrame(rows, columns=["system", "metric", "value", "low", "high"])


def compare_systems(
    systems, *, against=None, n=(0, 1, 128), n_classes=None, n_resamples=1000, level=0.95, groups=None, rng=None
):
    """Each system minus one of them, or each two, measure by measure, on the same resamples.

    Parameters
    ----------
    systems : dict
        Name: (correct, confidence), each (n_rows,), on the same rows; at least two.
    against : str, optional
        Name of the system that is subtracted; by default, every two are compared, the later one subtracted.
    n : float or sequence of float, default (0, 1, 128)
        Exponents of ECUAS.
    n_classes : int, optional
        Number of classes K; None for many.
    n_resamples : int, default 1000
        Resamples, at least 20.
    level : float, default 0.95
        Coverage aimed at.
    groups : array_like, shape (n_rows,), optional
        Labels of people, documents, …; rows of one group are drawn together.
    rng : int, Generator or None, default None
        Source of the resamples.

    Returns
    -------
    DataFrame
        Columns system, metric, difference (below 0: better than `against`, but for AUC and PRR worse), low, high,
        p_value (of "no difference", two-sided), comparable, remark, against (what was subtracted). `comparable` is
        False for the measures of the confidence alone (ECE, AUC, CE, Brier, PRR) if the two do not answer the same rows
        correctly: the confidences are then judged on different labels. The remark says so. Differences of ECE have no
        interval: each ECE has its own bias, and bootstrap intervals cover far too rarely. Two infinite measures have no
        difference.

    Raises
    ------
    ValueError
        As `measure_systems`, and for an `against` that is no system.

    References
    ----------
    Estienne, Ernst et al. (2026), section 4, on what must not be compared; the intervals are ours.

    Examples
    --------
    >>> right, sure, unsure = [1, 0, 1, 1] * 50, [0.6, 0.6, 0.9, 0.9] * 50, [0.6] * 200
    >>> table = compare_systems({"a": (right, sure), "b": (right, unsure)}, against="b", n=1, n_resamples=200, rng=0)
    >>> table.query("metric == 'ecuas_1'").iloc[0, 2:5].astype(float).round(3).tolist()
    [-0.075, -0.086, -0.065]
    """
    rng = check_rng(rng)
    systems = _check_systems(systems)
    if against is not None:
        check_one_of(against, "against", list(systems))
    if len(systems) < 2:
        raise ValueError(f"systems must hold at least two systems to compare, but there is only {against!r}.")
    draws = _draw(systems, n, n_classes, n_resamples, level, groups, rng)
    rows = []
    for name, other in _pairs(list(systems), against):
        differ = int((systems[name][0] != systems[other][0]).sum())
        with np.errstate(invalid="ignore"):
            value, drawn = (table[name] - table[other] for table in (draws.value, draws.drawn))
        for j, metric in enumerate(draws.metrics):
            comparable = not (differ and metric in OF_THE_CONFIDENCE)
            remark = "" if comparable else f"other labels: correctness differs in {differ:,} of {draws.size:,} rows"
            interval = draws.interval(value[j], drawn[:, j])
            ends = interval.low, interval.high, np.nan if np.isnan(value[j]) else interval.p_value
            if metric == "ece":
                ends = (np.nan,) * 3
                remark = remark or "no interval: the bias of an ECE depends on the system"
            elif np.isnan(value[j]):
                remark = remark or "no difference: undefined, or infinite in both"
            rows.append((name, metric, value[j], *ends, comparable, remark, other))
    columns = ["system", "metric", "difference", "low", "high", "p_value", "comparable", "remark", "against"]
    return pd.DataFrame(rows, columns=columns)


def _pairs(names, against):
    """Pairs (a system, what is subtracted): all others and `against`, or every two."""
    if against is None:
        return list(combinations(names, 2))
    return [(name, against) for name in names if name != against]
