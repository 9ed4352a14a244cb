"""Misjudged groups of a report: those that a joint search names, or the strongest hint of each column."""

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.audit import SegmentSearch
from helpers.audit.joint import ALPHA
from helpers.audit.rates import gap_errors
from helpers.audit.search import search_rows
from helpers.checks import check_rng
from helpers.practice.reports.rescored import QUANTILE
from helpers.practice.tables.scores import ScoreTable

DRAWS = 999
FEWER_DRAWS = 300
MANY_ROWS = 20_000
NEARLY = 0.95  # part of the largest certified gap from which another is as large
MOST_DRAWN = 12  # groups in a figure
SHARES = (0.1, 0.05, 0.02)  # of the cases, for which the report says what would have been found


@dataclass(frozen=True)
class MisjudgedGroups:
    """What a report says about groups."""

    search: SegmentSearch = field(repr=False)  # the search, of gaps that recalibration leaves
    # one row a group, that with the most cases times gap first: rule, n, share, stated, observed, gap = observed -
    # stated, low, high, calibrated, residual_gap = observed - calibrated, residual_low, residual_high, effect = share *
    # |residual_gap|, adjusted, part_of = rule of the largest named group that holds all of its cases and more, or "".
    # Where no group is named, the strongest segment of each column
    table: pd.DataFrame
    source: ScoreTable = field(repr=False)  # the table that was searched

    @property
    def significant(self):
        """Groups that are named: off by more than chance allows, also after recalibration."""
        return self.table[self.table.index.isin(self.search.selected.index)]

    @property
    def drawn(self):
        """The rows of `table` that a figure shows."""
        return self.table.head(MOST_DRAWN)

    @property
    def farthest(self):
        """The row of `drawn` whose scores are farthest off as stated, of those where they surely are; None without."""
        sure = self.drawn[(self.drawn["low"] > 0) | (self.drawn["high"] < 0)]
        return None if sure.empty else sure.loc[sure["gap"].abs().idxmax()]

    def to_add(self, groups):
        """Columns that tell some named groups apart, those of the largest sum of share * |residual gap| first."""
        effects = Counter()
        for row in groups.index:
            for condition in self.search.family.conditions(row):
                effects[condition.column.name] += float(self.table.loc[row, "effect"])
        return [name for name, _ in effects.most_common()]

    def over(self, groups, columns):
        """The columns of some that the conditions of each group name, a Series of lists."""
        named = [{condition.column.name for condition in self.search.family.conditions(row)} for row in groups.index]
        return pd.Series([[name for name in columns if name in names] for names in named], groups.index, dtype=object)

    @property
    def detectable(self):
        """Gaps that would have been found with 80 % probability, {share of the cases: gap}, where any would have."""
        if not self.search.chances.rows > 0:  # the scores tell who is who, so that chance has no variance
            return {}
        gaps = {share: self.search.detectable(share) for share in SHARES if share >= self.search.smallest}
        return {share: gap for share, gap in gaps.items() if gap < 0.999 * (1 - self.search.chances.mean)}

    def share(self, groups, signs=None):
        """Share of the cases that lie in some groups, which may overlap.

        With the sign of each group's gap, cases that lie in groups of both signs do not count: there the gaps may
        cancel.
        """
        members = self.search.family.members(groups.index, self.source.X).astype(bool)
        inside = members.any(axis=1)
        if signs is not None:
            inside &= ~(members[:, np.asarray(signs) > 0].any(axis=1) & members[:, np.asarray(signs) < 0].any(axis=1))
        return float(np.average(inside, weights=self.source.weight))

    def largest_gap(self, X):
        """The rule of the named group with the largest gap that holds each row, (n,) texts; "" for none."""
        significant = self.significant.sort_values("residual_gap", key=lambda gap: -gap.abs(), kind="stable")
        inside = self.search.family.members(significant.index, X)
        place = np.where(inside.any(axis=1), inside.argmax(axis=1) if len(significant) else 0, len(significant))
        return np.append(significant["rule"].to_numpy(object), "")[place]


def least_gaps(groups):
    """What the gap that recalibration leaves each group surely is at the least, or 0."""
    return np.maximum(groups["residual_low"], -groups["residual_high"]).clip(lower=0)


def _largest(groups, named, family, X):
    """Number of the group with the surely largest gap, where the named ones do not tell of it; or None.

    Of groups nearly as large, the simplest: of the fewest conditions, and of such the most cases. They tell of it if
    one of them is nearly as large, or holds it and has a gap that may be as large.
    """
    least = least_gaps(groups)
    if not least.max() > 0:
        return None
    close = groups[least >= NEARLY * least.max()]
    if close.index.isin(named).any():
        return None
    row = int(close.sort_values(["columns", "share", "rule"], ascending=[True, False, True]).index[0])
    holding = _holders([row, *named], family, X)[0, 1:]
    whole = groups.reindex([name for name, holds in zip(named, holding, strict=True) if holds])
    return row if (whole["residual_gap"].abs() < least[row]).all() else None


def _holders(rows, family, X):
    """Which segments hold all cases of others and more, (others, segments) bool."""
    members = family.members(rows, X).astype(float)
    both = members.T @ members
    count = np.diag(both)
    return (both == count[:, None]) & (count[:, None] < count)


def _parts(groups, family, X):
    """For each of some groups, the rule of the largest other one that holds all of its cases and more, or ""."""
    holders = _holders(groups.index, family, X)
    size = np.where(holders, groups["n"].to_numpy(), 0)
    return np.where(holders.any(axis=1), groups["rule"].to_numpy(object)[size.argmax(axis=1)], "")


def _beside_stated(groups, is_sure=True):
    """Segments of a search with their residual gaps (after recalibration) and gaps as stated, each with its interval.

    Of a gap beyond chance the sign is certain: the step-down test may see it where the intervals, of one step, do not.
    """
    residual_gap = groups["gap"]
    residual_low = groups["low"].mask(is_sure & (residual_gap > 0), groups["low"].clip(lower=0))
    residual_high = groups["high"].mask(is_sure & (residual_gap < 0), groups["high"].clip(upper=0))
    recalibration = groups["calibrated"] - groups["stated"]
    return groups.assign(
        residual_gap=residual_gap,
        residual_low=residual_low,
        residual_high=residual_high,
        effect=groups["share"] * residual_gap.abs(),
        gap=groups["observed"] - groups["stated"],
        low=residual_low + recalibration,
        high=residual_high + recalibration,
    )


def _no_narrower(groups, family, table):
    """Groups whose gaps as stated have intervals no narrower than those of each group alone.

    Recalibration by these cases leaves a group of most of them little gap, and little to be uncertain of. As stated it
    may be as far off as its own cases allow.
    """
    reach = [
        QUANTILE * gap_errors(table.y, table.p, inside, table.weights, groups=table.groups, size=2)["se"][1]
        for inside in family.members(groups.index, table.X).astype(int).T
    ]
    low = np.minimum(groups["low"], groups["gap"] - reach)
    return groups.assign(low=low, high=np.maximum(groups["high"], groups["gap"] + reach))


def _farther(search):
    """Rows of the named segments; of a segment and all other rows, which err as surely, the one stated farther off."""
    table = search.table
    far = (table["observed"] - table["stated"]).abs()
    rows = search.selected.index.tolist()
    for place, row in enumerate(rows):
        if table.loc[row, "columns"] > 1:
            continue
        column = search.family.conditions(row)[0].column
        singles = table.index[(table["columns"] == 1) & (table["adjusted"] < ALPHA) & (far > far[row])]
        own = [other for other in singles if search.family.conditions(other)[0].column is column]
        rest = table.loc[own]
        balance = rest["gap"] * rest["share"] + table.loc[row, "gap"] * table.loc[row, "share"]
        is_rest = (balance.abs() < 1e-6) & ((rest["share"] + table.loc[row, "share"] - 1).abs() < 1e-6)
        if is_rest.any() and is_rest.idxmax() not in rows:
            rows[place] = is_rest.idxmax()
    return rows


def find_misjudged(table, calibrator, *, n_draws=None, rng=None):
    """Search for groups that recalibration leaves misjudged."""
    rng = check_rng(rng)
    if n_draws is None:
        n_draws = DRAWS if table.n <= MANY_ROWS else FEWER_DRAWS
    try:
        search = search_rows(table, calibrator=calibrator, n_draws=n_draws, rng=rng)
    except ValueError:  # the table was checked, so there is nothing to search
        return None
    rows = _farther(search)
    known = list(dict.fromkeys([*rows, *search.selected.index]))
    largest = _largest(_beside_stated(search.significant), known, search.family, table.X)
    search = replace(search, selected=search.table.loc[rows if largest is None else [*rows, largest]])
    groups = search.selected
    if groups.empty:
        alone = search.table[search.table["columns"] == 1]
        column = [search.family.conditions(row)[0].column.name for row in alone.index]
        groups = alone[~pd.Series(column, index=alone.index).duplicated()]
    groups = _no_narrower(_beside_stated(groups, groups.index.isin(search.selected.index)), search.family, table)
    groups["part_of"] = "" if search.selected.empty else _parts(groups, search.family, table.X)
    return MisjudgedGroups(search, groups.sort_values("effect", ascending=False, kind="stable"), table)
