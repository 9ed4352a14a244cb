"""The family of segments that a search looks at, and sums over all of them at once.

A segment is one condition on one column, or two on two columns: a level of a category, a missing value, a half-line
(x <= cut, x > cut) at one of twenty quantiles (fewer in wide tables), a range between fifths. Each column is cut into
cells (its codes), so that a segment of two columns is a block of a table of cells: sums over rows are taken once for
each table, sums over segments are matrix products.
"""

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import sparse

from helpers.partition.checked import CheckedTable
from helpers.partition.column_notes import notes_on_column
from helpers.partition.columns import words_of
from helpers.partition.encoder import TableEncoder
from helpers.partition.kinds import as_numbers, text_as_values

CUTS = {10: 20, 20: 10, 10**9: 5}  # quantiles at which numbers are cut in a table of up to so many columns
PARTS = 5  # ranges of a number start and end at fifths of its cells
MOST_LEVELS = 200  # of a category, the largest
MOST_PAIRED = 60  # columns of which pairs are taken: time and memory grow with their square
PAIRED = 50  # rows of a group up to which its pairs of rows are counted one by one
BLOCK = 100_000  # rows whose pairs are made at once
GROUPS = 16  # larger ones that are added up at once
GIVEN_AWAY = 0.01  # of the cases of the rarer label: a column that predicts all but these gives the outcome away


def fewest_rows(n):
    """Rows that a segment needs by default: 20, or half a percent of n if that is more."""
    return max(20, n // 200)


def family_of(X, y, min_rows, max_features):
    """`SegmentFamily` of a table in any order of its columns; ValueError without a segment of `min_rows` rows."""
    min_rows = fewest_rows(y.size) if min_rows is None else min_rows
    family = SegmentFamily(X[sorted(X.columns)], y, min_rows, max_features)
    if not family.pairs.size:
        reasons = "; ".join(family.notes)
        raise ValueError(f"X must have a segment of min_rows = {min_rows:,} of {y.size:,} rows, but {reasons}.")
    return family


def canonical_order(family, groups, *columns):
    """An order of the rows that does not depend on the one in which they came, nor on columns without segments."""
    # tables are drawn row by row: in this order, the rows get the same draws however they came
    keys = [*columns[:-1], *(column.code for column in family.columns), columns[-1]]
    if groups is not None:
        # of rows that are alike in all this, those whose groups hold the same rows stand side by side
        alike = pd.util.hash_pandas_object(pd.DataFrame(dict(enumerate(keys))), index=False).to_numpy()
        held = np.zeros(groups.max() + 1, np.uint64)
        np.add.at(held, groups, alike)
        keys.insert(0, held[groups])
    return np.lexsort(keys)


@dataclass(frozen=True)
class Condition:
    """One condition on one column: codes `first` to `last`, or the missing values (first > last), or rare levels."""

    column: object = field(repr=False)
    first: int
    last: int
    common: np.ndarray | None = field(default=None, repr=False)  # levels of a category, none of which it is

    @cached_property
    def words(self):
        """The condition in the words of a rule."""
        if self.common is not None:
            return f"{self.column.name} is none of the {self.common.size:,} larger levels"
        return words_of(self.column, self.first, self.last, False)

    def holds(self, X):
        """Whether each row of a table meets the condition, (n,) bool; a level that is new meets none."""
        code = self.column.encode(CheckedTable(X))
        if self.common is not None:
            return (code >= 0) & ~np.isin(code, np.flatnonzero(np.isin(self.column.levels, self.common)))
        if self.first > self.last:
            return text_as_values(X[self.column.name]).isna().to_numpy()
        return (code >= self.first) & (code <= self.last)


@dataclass(frozen=True)
class _Column:
    """A column cut into cells, with its conditions."""

    code: np.ndarray  # (n,) cell of each row
    members: np.ndarray  # (conditions, cells) 1 where the cell belongs to the condition
    conditions: list

    @property
    def n_cells(self):
        return self.members.shape[1]

    def of_pairs(self, one, other):
        """The column of pairs of rows: a pair meets a condition if both of its rows do."""
        one, other = self.code[one], self.code[other]
        pair = np.minimum(one, other) * self.n_cells + np.maximum(one, other)
        occurring = np.flatnonzero(np.bincount(pair))
        members = self.members[:, occurring // self.n_cells] * self.members[:, occurring % self.n_cells]
        meets = members.any(axis=0)
        place = np.zeros(self.n_cells**2, np.int32)  # one cell, the first, for all pairs that meet no condition
        place[occurring[meets]] = 1 + np.arange(meets.sum())
        return _Column(place[pair], np.pad(members[:, meets], ((0, 0), (1, 0))), self.conditions)


class SegmentFamily:
    """All segments of one and two columns that hold enough rows."""

    def __init__(self, X, y, min_rows, max_features):
        self.X = X
        self.notes = [note for name in X for note in notes_on_column(name, X[name])]
        self.warnings = []
        self.given_away = []
        self.columns = []
        self._tables = []
        cuts = next(cuts for most, cuts in CUTS.items() if X.shape[1] <= most)
        encoder = TableEncoder(cuts, rare=1)
        codes = encoder.fit_transform(CheckedTable(X))
        for j in np.argsort(encoder.order_):
            column = encoder.columns_[j]
            cut = self._cut(column, X[column.name], codes[:, j], y, min_rows)
            if cut is not None:
                self.columns.append(cut)
        places = [np.empty((0, 4), int)]
        for j, column in enumerate(self.columns):
            self._tables.append((j, None, None))
            places += [[(j, k, -1, -1) for k in range(len(column.conditions))]]
        for first, second in self._pairs(max_features):
            kept = self._cross(first, second, min_rows)
            places += [np.column_stack([np.full(len(kept), first), kept[:, 0], np.full(len(kept), second), kept[:, 1]])]
        self._places = np.concatenate(places)
        self.pairs = self._places[:, 2] >= 0

    def _warn(self, text):
        self.notes.append(text)
        self.warnings.append(text)

    def _pairs(self, max_features):
        """Numbers of the columns that are crossed, pair by pair."""
        given = self.X.shape[1]
        if max_features < 2:
            return []
        if given > MOST_PAIRED:
            self._warn(f"{given:,} columns were searched one by one: pairs are taken of at most {MOST_PAIRED}")
            return []
        return combinations(range(len(self.columns)), 2)

    def _cut(self, column, values, code, y, min_rows):
        """The cells and conditions of a column; None (with a note) if there is nothing to look at."""
        missing = np.isnan(code)
        size = column.levels.size
        code = np.where(missing, size, code).astype(np.int32)
        conditions = _conditions_of_category if column.kind == "category" else _conditions_of_number
        code, members, conditions, n_rare = conditions(column, code, min_rows)
        count = np.bincount(code, minlength=members.shape[1])
        if size == 1 and (count == y.size).any() or missing.all():
            self.notes.append(f"{column.name} is constant")
            return None
        if _gives_away(column, values, code, y):
            self.given_away.append(column.name)
            self._warn(f"{column.name} gives the outcome away: it was left out")
            return None
        rows = members @ count
        keep = (rows >= min_rows) & (y.size - rows >= min_rows)
        if not keep.any():
            self.notes.append(f"{column.name} has no segment of {min_rows:,} rows")
            return None
        if n_rare:
            self.notes.append(f"{n_rare:,} levels of {column.name} with few rows were taken together")
        kept = [condition for condition, is_kept in zip(conditions, keep, strict=True) if is_kept]
        return _Column(code.astype(np.int32), members[keep], kept)

    def _cross(self, first, second, min_rows):
        """Add the segments of two columns that are neither small nor the rows of one condition alone, (kept, 2)."""
        one, other = self.columns[first], self.columns[second]
        cell, size = _cells(one, other)
        count = np.bincount(cell, minlength=size).reshape(one.n_cells, other.n_cells)
        rows = one.members @ count @ other.members.T
        alone = np.minimum.outer(one.members @ count.sum(axis=1), other.members @ count.sum(axis=0))
        keep = (rows >= min_rows) & (rows < alone)
        if keep.any():
            self._tables.append((first, second, keep))
        return np.argwhere(keep)

    def take(self, rows):
        """The same segments of some rows, or of all in another order."""
        family = copy(self)
        family.X = self.X.iloc[rows]
        family.columns = [replace(column, code=column.code[rows]) for column in self.columns]
        return family

    def sums(self, columns, rows=slice(None)):
        """Sums of columns over the rows of each segment, or over those of some rows that lie in it."""
        return self._sums(self.columns, columns, rows)

    def _sums(self, of, columns, rows=slice(None)):
        """`sums` where the columns of the table are those of `of`."""
        n, m = columns.shape
        ones = np.ones(n, columns.dtype)
        starts = np.arange(n + 1, dtype=np.int32)
        parts = []
        for first, second, keep in self._tables:
            first, second = of[first], None if second is None else of[second]
            cell, size = _cells(first, second, rows)  # made anew each time: kept, the pairs would fill the memory
            indicator = sparse.csc_matrix((ones, cell, starts), shape=(size, n))  # rows are read in their order
            sums = indicator @ columns
            members = first.members.astype(columns.dtype, copy=False)
            if second is None:
                parts.append(members @ sums)
                continue
            sums = members @ sums.reshape(first.n_cells, second.n_cells * m)
            sums = sums.reshape(len(members), second.n_cells, m)
            parts.append((second.members.astype(columns.dtype, copy=False) @ sums)[keep])
        return np.concatenate(parts)

    def squares_by_group(self, values, groups):
        """Sum over groups of rows of the square of what their values add up to in each segment."""
        # the square of a sum is that of its terms, and twice the products of its pairs; of large groups, of which there
        # are few, the sums themselves are taken
        size = np.bincount(groups)
        is_large = size > PAIRED
        squares = self.sums(np.where(is_large[groups], 0.0, values**2)[:, None])[:, 0]
        for rows in _blocks(np.flatnonzero(~is_large[groups]), groups):
            one, other = _pairs_of_rows(rows, groups)
            of = [column.of_pairs(one, other) for column in self.columns]
            squares += 2 * self._sums(of, (values[one] * values[other])[:, None])[:, 0]
        large = np.flatnonzero(is_large)
        for first in range(0, large.size, GROUPS):
            some = large[first : first + GROUPS]
            rows = np.flatnonzero(np.isin(groups, some))
            own = groups[rows, None] == some  # a column for each group
            squares += (self.sums(own * values[rows, None], rows) ** 2).sum(axis=1)
        return squares

    def conditions(self, segment):
        """The one or two conditions of a segment."""
        first, j, second, k = self._places[segment].tolist()
        conditions = [self.columns[first].conditions[j]]
        return conditions if second < 0 else [*conditions, self.columns[second].conditions[k]]

    def rules(self, segments=slice(None)):
        """Segments in words, all by default."""
        of = [column.conditions for column in self.columns]
        return [
            of[first][j].words if second < 0 else f"{of[first][j].words} and {of[second][k].words}"
            for first, j, second, k in self._places[segments].tolist()
        ]

    def parents(self, segment):
        """Numbers of the two segments of one column that hold a condition of a segment of two."""
        start = np.cumsum([0] + [len(column.conditions) for column in self.columns])
        first, j, second, k = self._places[segment].tolist()
        return [int(start[first] + j), int(start[second] + k)]

    def members(self, segments, X):
        """Which rows of a table lie in some segments, (n, segments) bool."""
        inside = np.ones((len(X), len(segments)), bool)
        for k, segment in enumerate(segments):
            for condition in self.conditions(segment):
                inside[:, k] &= condition.holds(X)
        return inside


def _cells(first, second, rows=slice(None)):
    """Cell of each row in the table of one or two columns, and the number of cells."""
    if second is None:
        return first.code[rows], first.n_cells
    return first.code[rows] * np.int32(second.n_cells) + second.code[rows], first.n_cells * second.n_cells


def _blocks(rows, groups):
    """Rows of whole groups, about 100,000 at once."""
    rows = rows[np.argsort(groups[rows], kind="stable")]
    first = np.flatnonzero(np.diff(groups[rows], prepend=-1))  # row of each group
    last = np.searchsorted(first, np.arange(BLOCK, rows.size, BLOCK))
    return np.split(rows, first[last[last < first.size]])


def _pairs_of_rows(rows, groups):
    """All pairs of rows of one group: the first rows and the second ones; rows stand group by group."""
    pairs = [np.empty((2, 0), int)]
    for lag in range(1, PAIRED):
        pair = np.array([rows[:-lag], rows[lag:]])
        pairs.append(pair[:, groups[pair[0]] == groups[pair[1]]])
    return np.concatenate(pairs, axis=1)


def _conditions_of_category(column, code, min_rows):
    """Cells, members, conditions and the number of rare levels: each common level, and all rare ones together."""
    count = np.bincount(code, minlength=column.levels.size)[: column.levels.size]
    ranked = np.argsort(-count, kind="stable")[:MOST_LEVELS]
    common = np.sort(ranked[count[ranked] >= min_rows])
    n_rare = column.levels.size - common.size
    cell = np.full(column.levels.size + 1, common.size)
    cell[common] = np.arange(common.size)
    conditions = [Condition(column, level, level) for level in common]
    if n_rare == 1:
        level = int(np.setdiff1d(np.arange(column.levels.size), common)[0])
        conditions.append(Condition(column, level, level))
        n_rare = 0
    else:
        conditions.append(Condition(column, 0, -1, column.levels[common]))
    return cell[code], np.eye(common.size + 1, dtype=np.float32), conditions, n_rare


def _conditions_of_number(column, code, min_rows):
    """Cells, members, conditions and 0: half-lines, ranges, single values, missing or not."""
    size = column.levels.size
    spans = [(0, cut) for cut in range(size - 1)] + [(cut + 1, size - 1) for cut in range(size - 1)]
    ends = np.unique(np.arange(PARTS + 1) * size // PARTS)
    spans += [(int(low), int(high) - 1) for low, high in combinations(ends, 2)]
    if column.exact:
        spans += [(value, value) for value in range(size)]
    has_missing = bool((code == size).any())
    spans = list(dict.fromkeys(spans))
    members = np.zeros((len(spans) + has_missing, size + 1), np.float32)
    for row, (first, last) in zip(members, spans, strict=False):
        row[first : last + 1] = 1
    if has_missing:
        spans.append((1, 0))
        members[-1, size] = 1
    return code, members, [Condition(column, *span) for span in spans], 0


def _gives_away(column, values, code, y):
    """Whether the cells of a column, or one cut through its numbers, predict nearly all cases of the rarer label."""
    count = np.bincount(code)
    ones = np.bincount(code, y)
    if np.minimum(ones, count - ones).sum() <= GIVEN_AWAY * min(y.sum(), y.size - y.sum()):
        return True
    if column.kind in ("category", "ordered"):
        return False
    numbers = as_numbers(text_as_values(values))
    of_ones = numbers[(y == 1) & ~np.isnan(numbers)]
    of_zeros = numbers[(y == 0) & ~np.isnan(numbers)]
    if not of_ones.size or not of_zeros.size:
        return False
    return bool(of_ones.min() > of_zeros.max() or of_zeros.min() > of_ones.max())
