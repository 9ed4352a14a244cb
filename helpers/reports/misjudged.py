"""Misjudged groups of a report: those that a joint search names, or the strongest hint of each column."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from helpers.audit import SegmentSearch
from helpers.audit.search import LEVEL, search_rows
from helpers.audit.segments import PARTS

DRAWS = 999

FEWER_DRAWS = 300

MANY_ROWS = 20_000

MOST_POINTS = 12  # levels of a column in a figure

SHARES = (0.1, 0.05, 0.02)  # of the cases, for which the report says what would have been found


@dataclass(frozen=True)
class MisjudgedGroups:
    """What a report says about groups.

    Parameters
    ----------
    search : SegmentSearch
        The search, of gaps that recalibration leaves.
    table : DataFrame
        One row a group, most overstated first: rule, n, share, stated, observed, gap = observed - stated, low, high,
        calibrated, left = observed - calibrated, adjusted. Where no group is named, the strongest segment of each
        column.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"sex": rng.choice(["female", "male"], 1000)})
    >>> y = (rng.random(1000) < np.where(X["sex"] == "female", 0.6, 0.4)).astype(int)
    >>> from helpers.tables import ScoreTable
    >>> table = ScoreTable("people", "y", "p", y, np.full(1000, 0.5), X)
    >>> find_misjudged(table.checked(), "platt", rng=0).sure[["rule", "stated"]].values.tolist()
    [['sex is female', 0.5]]
    """

    search: SegmentSearch = field(repr=False)
    table: pd.DataFrame

    @property
    def sure(self):
        """Groups that are named: off by more than chance allows, also after recalibration."""
        return self.table[self.table.index.isin(self.search.named.index)]

    @property
    def features(self):
        """Columns that tell the named groups (or else the hints) apart, those of the strongest first."""
        rows = self.search.named.index if len(self.search.named) else self.table.index
        names = [condition.column.name for row in rows for condition in self.search.family.conditions(row)]
        return list(dict.fromkeys(names))

    @property
    def detectable(self):
        """Gaps that would have been found with 80 % probability, {share of the cases: gap}, where any would have."""
        gaps = {share: self.search.detectable(share) for share in SHARES if share >= self.search.smallest}
        return {share: gap for share, gap in gaps.items() if gap < 0.999 * (1 - self.search.chances.mean)}

    def along_features(self, most=6):
        """Rates along each column, the one with the strongest segment first.

        Parameters
        ----------
        most : int, default 6
            Columns.

        Returns
        -------
        dict of str to DataFrame
            A row a level or range of the column, in its order: level (words), n, stated, calibrated, observed, low,
            high (ends for `observed`; the intervals of all columns hold together).
        """
        table = self.search.table
        family = self.search.family
        panels = {}
        for row in table.index[table["columns"] == 1]:  # the strongest first
            column = family.conditions(row)[0].column
            if column.name not in panels and len(panels) < most:
                panels[column.name] = _along(table, family, column)
        return {name: panel for name, panel in panels.items() if len(panel) > 1}

    def inside(self, X, groups):
        """Whether each row lies in one of some groups, (n,) bool."""
        return self.search.family.members(groups.index, X).any(axis=1)

    def shift(self, X):
        """What to add to recalibrated scores, (n,): the gap left of the strongest named group that holds the row."""
        named = self.search.named
        inside = self.search.family.members(named.index, X)
        gaps = np.append(named["gap"].to_numpy(), 0.0)
        return gaps[np.where(inside.any(axis=1), inside.argmax(axis=1) if len(named) else 0, len(named))]


def _along(table, family, column):
    """The segments that part a column: levels of a category, single values of a number, or its fifths."""
    singles = {row: family.conditions(row)[0] for row in table.index[table["columns"] == 1]}
    own = {row: condition for row, condition in singles.items() if condition.column is column}
    points = [
        row for row, condition in own.items() if condition.first == condition.last or condition.common is not None
    ]
    if column.kind != "category" and not (column.exact and len(points) <= MOST_POINTS):
        size = column.levels.size
        ends = np.unique(np.arange(PARTS + 1) * size // PARTS)
        parts = set(zip(ends[:-1].tolist(), (ends[1:] - 1).tolist(), strict=True))
        points = [row for row, condition in own.items() if (condition.first, condition.last) in parts]
    points += [row for row, condition in own.items() if condition.first > condition.last and condition.common is None]
    if column.kind == "category":
        points = sorted(points, key=lambda row: -table.loc[row, "n"])[:MOST_POINTS]
    else:
        points = sorted(points, key=lambda row: (own[row].first > own[row].last, own[row].first))
    rows = table.loc[points]
    return pd.DataFrame({
        "level": [_level(own[row].words, column.name) for row in points],
        "n": rows["n"],
        "stated": rows["stated"],
        "calibrated": rows["calibrated"],
        "observed": rows["observed"],
        "low": rows["low"] + rows["calibrated"],
        "high": rows["high"] + rows["calibrated"],
    })  # fmt: skip


def _farther(search):
    """Rows of the named segments; of a segment and all other rows, which err as surely, the one stated farther off."""
    table = search.table
    far = (table["observed"] - table["stated"]).abs()
    rows = search.named.index.tolist()
    for place, row in enumerate(rows):
        if table.loc[row, "columns"] > 1:
            continue
        column = search.family.conditions(row)[0].column
        singles = table.index[(table["columns"] == 1) & (table["adjusted"] < LEVEL) & (far > far[row])]
        own = [other for other in singles if search.family.conditions(other)[0].column is column]
        rest = table.loc[own]
        balance = rest["gap"] * rest["share"] + table.loc[row, "gap"] * table.loc[row, "share"]
        is_rest = (balance.abs() < 1e-6) & ((rest["share"] + table.loc[row, "share"] - 1).abs() < 1e-6)
        if is_rest.any() and is_rest.idxmax() not in rows:
            rows[place] = is_rest.idxmax()
    return rows


def _level(words, name):
    """A condition beside the name of its column: "9.8 to 18.2" for "9.8 < age <= 18.2"."""
    return words.replace(f" < {name} <= ", " to ").removeprefix(f"{name} ").removeprefix("is ")


def find_misjudged(table, calibrator, *, n_draws=None, rng=None):
    """Search for groups that recalibration leaves misjudged.

    Parameters
    ----------
    table : ScoreTable
        A checked one.
    calibrator : {"platt", "isotonic"}
        What the scores may need.
    n_draws : int, optional
        Tables drawn; by default 999, and 300 for more than 20,000 rows: with more of them the same groups are named
        under another seed.
    rng : int, Generator or None, default None
        Source of the draws.

    Returns
    -------
    MisjudgedGroups or None
        What to say about groups; None if no column has one of enough cases.
    """
    if n_draws is None:
        n_draws = DRAWS if table.n <= MANY_ROWS else FEWER_DRAWS
    try:
        search = search_rows(table, calibrator=calibrator, n_draws=n_draws, rng=rng)
    except ValueError:  # the table was checked, so there is nothing to search
        return None
    search = replace(search, named=search.table.loc[_farther(search)])
    table = search.named
    if table.empty:
        alone = search.table[search.table["columns"] == 1]
        column = [search.family.conditions(row)[0].column.name for row in alone.index]
        table = alone[~pd.Series(column, index=alone.index).duplicated()]
    recalibration = table["calibrated"] - table["stated"]
    return MisjudgedGroups(
        search,
        table.assign(
            left=table["gap"],
            gap=table["observed"] - table["stated"],
            low=table["low"] + recalibration,
            high=table["high"] + recalibration,
        ).sort_values("gap", kind="stable"),
    )
