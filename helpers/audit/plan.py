"""Before a table is collected: how many rows an audit needs to find a group whose scores are off."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

from helpers._result import Result
from helpers.audit.joint import ALPHA
from helpers.audit.power import Chances
from helpers.audit.segments import fewest_rows
from helpers.checks import check_broadcast, check_count, check_level, check_numbers, raise_first

LEAST_SHARE = 0.005  # of the rows: `fewest_rows` of many
MOST_ROWS = 1e12
# Segments of a number and of a category that are as good as independent, fitted to the critical values of searches in
# tables of noise: its half-lines and ranges overlap. More than ten columns are cut into fewer.
OF_NUMBER, OF_NUMBER_IN_MANY, OF_CATEGORY = 25, 18, 5


@dataclass(frozen=True)
class AuditPlan(Result):
    """How many rows an audit needs.

    Parameters
    ----------
    table : DataFrame
        One row a case: share, gap, rows (of the whole table), in_group (of them).
    power : float
        Probability with which the audit finds the group.
    rate : float
        Rate of the label.
    critical : float
        Standardised gap from which a segment of two columns is significant among all that are looked at.
    design_effect : float
        How many times as many rows are needed since they depend on each other.

    Examples
    --------
    See `plan_audit`.
    """

    table: pd.DataFrame = field(repr=False)
    power: float
    rate: float
    critical: float
    design_effect: float = 1.0

    def __str__(self):
        lines = [
            f"{row.rows:,} rows find a gap of {100 * row.gap:+.3g} points in {row.share:.3g} of them ({row.in_group:,})"
            for row in self.table.itertuples()
        ]
        dependent = f", design effect {self.design_effect:.2f}" if self.design_effect > 1 else ""
        return "\n".join([*lines, f"power {100 * self.power:.0f} % at a rate of {self.rate:.3g}{dependent}"])


def plan_audit(
    rate, share, gap, *, power=0.8, brier=None, n_numbers=5, n_categories=3, group_size=1.0, icc=0.0
):  # fmt: skip
    """How many rows `audit_groups` and a report need to find a group of some size whose scores are off by some gap.

    The gap z_S of the group has mean z_critical + norm.ppf(power) standard errors in a table of so many rows. Among all
    segments of one and two columns the critical value is that of the largest of about m independent ones,
    norm.isf(0.05 / 2 / m), where a number counts as 25 segments and a category as 5, and pairs of columns as products.
    What recalibration takes of the gap, and the skewness of rare labels, are accounted for as in
    `SegmentSearch.detectable`, which answers the question backwards for a table that is there. How many rows the group
    gets is left to chance.

    The group is one that two columns tell, as in "women above 70"; one that a single column tells needs fewer rows. It
    is found if its adjusted p-value is below 5 %: of groups that overlap, `selected` may hold another.

    Parameters
    ----------
    rate : float
        Rate of label 1, in (0, 1).
    share : float or array_like
        Share of the rows that the group holds, at least 0.005: smaller ones are not looked at.
    gap : float or array_like
        Observed rate of the group less what its scores say, the scores of all others being right; with `share`, each
        beside each as numpy broadcasts.
    power : float, default 0.8
        Probability of finding the group.
    brier : float, optional
        Brier score of the scores once they are recalibrated; rate * (1 - rate), of scores that know nothing, by
        default, which needs the most rows.
    n_numbers, n_categories : int, default 5 and 3
        Columns that the search looks at: numbers, and categories of about five levels.
    group_size, icc : float, default 1 and 0
        Rows of one person, hospital, … and the intraclass correlation of their residuals y - p: rows are needed
        1 + (group_size - 1) * icc times, the design effect. The person is given as `groups` to the audit.

    Returns
    -------
    AuditPlan
        `table` has a row for each share and gap, in the order of the broadcast arrays.

    Raises
    ------
    ValueError
        For numbers outside their bounds, and a gap by which rate + gap is no probability.

    References
    ----------
    Kish (1965), Survey sampling, for the design effect. `ours.audit_plan` in the ledger, and whole audits of five
    populations (tests/audit/test_plan.py): the group is found in 80 %, within three points; where three in a hundred
    labels are 1, in about 87 %, so that fewer rows would do.

    Examples
    --------
    >>> print(plan_audit(0.3, share=0.1, gap=[0.1, 0.15]))
    7,189 rows find a gap of +10 points in 0.1 of them (719)
    3,281 rows find a gap of +15 points in 0.1 of them (329)
    power 80 % at a rate of 0.3
    """
    rate, power = check_level(rate, "rate"), check_level(power, "power")
    share, gap = _checked_cases(rate, share, gap)
    brier = rate * (1 - rate) if brier is None else _one_between(brier, "brier", 0, rate * (1 - rate))
    counts = [check_count(n_numbers, "n_numbers", least=0), check_count(n_categories, "n_categories", least=0)]
    if not any(counts):
        raise ValueError("n_numbers or n_categories must be at least 1: a search needs a column, but both are 0.")
    group_size = _one_between(group_size, "group_size", 1, np.inf)
    design_effect = 1 + (group_size - 1) * _one_between(icc, "icc", 0, 1)
    chances = Chances(rate, brier, 1.0, skewed=group_size == 1, planned=True)
    critical = critical_value(*counts)
    rows = [
        _rows(chances, *case, critical, power, design_effect)
        for case in zip(share.ravel(), gap.ravel(), strict=True)
    ]  # fmt: skip
    table = pd.DataFrame({"share": share.ravel(), "gap": gap.ravel(), "rows": np.array(rows, np.int64)})
    table["in_group"] = np.ceil(table["share"] * table["rows"] - 1e-9).astype(np.int64)
    return AuditPlan(table, power, rate, critical, design_effect)


def critical_value(n_numbers, n_categories):
    """Standardised gap from which a segment of two columns is significant, among those of so many columns.

    >>> round(critical_value(5, 3), 2)
    4.53
    """
    of_number = OF_NUMBER if n_numbers + n_categories <= 10 else OF_NUMBER_IN_MANY
    segments = np.repeat([of_number, OF_CATEGORY], [n_numbers, n_categories])
    n_pairs = (segments.sum() ** 2 - (segments**2).sum()) / 2
    return float(norm.isf(ALPHA / 2 / (segments.sum() + n_pairs)))


def _rows(chances, share, gap, critical, power, design_effect):
    """Rows that one case needs."""
    if gap < 0:  # fewer ones than stated are more zeros
        chances = replace(chances, mean=1 - chances.mean)

    def lacking(log_rows):
        return replace(chances, rows=np.exp(log_rows)).beyond(abs(gap), share, critical) - norm.ppf(power)

    rows = np.exp(brentq(lacking, 0.0, np.log(MOST_ROWS))) if lacking(0.0) < 0 else 1.0
    least = fewest_rows(1) / min(share, 1 - share)  # so that the group is looked at
    return int(np.ceil(max(rows * design_effect, least) - 1e-9))


def _checked_cases(rate, share, gap):
    """Shares and gaps, an array each of one shape; ValueError for one that no search finds."""
    share, gap = check_numbers(share, "share"), check_numbers(gap, "gap")
    outside = ~((share >= LEAST_SHARE) & (share < 1))
    if outside.any():
        raise_first("share", f"be at least {LEAST_SHARE} and below 1", share, outside)
    outside = ~((rate + gap >= 0) & (rate + gap <= 1) & (gap != 0))
    if outside.any():
        raise_first("gap", f"not be 0, and keep rate + gap in [0, 1] for rate = {rate:g}", gap, outside)
    return check_broadcast(share=share, gap=gap)


def _one_between(value, name, low, high):
    """One number in [low, high]."""
    number = check_numbers(value, name)
    if number.ndim or not low <= number <= high:
        raise ValueError(f"{name} must be one number from {low:g} to {high:g}, but it is {value!r}.")
    return float(number)
