"""What all sums of `helpers.practice.chunks.sums` share: `+`, (region, group) cells, columns without rows."""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from helpers.binning import cross_cells
from helpers.checks import check_enough_groups, check_vector, raise_first

LARGEST = 1e40  # sixth powers of weights are summed


class Sums:
    """`+` for dataclasses: fields of `_same` must agree, of those of `_least` the smaller is kept, others are added."""

    _same = ()
    _least = ()

    def __add__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        merged = {}
        for name in (field.name for field in fields(self)):
            mine = getattr(self, name)
            theirs = getattr(other, name)
            if (mine is None) != (theirs is None) or np.shape(mine) != np.shape(theirs):
                raise ValueError(
                    f"sums can be added when both have the same regions or bins, weights and groups, "
                    f"but their {name} differ."
                )
            if name in self._same:
                if not np.array_equal(mine, theirs):
                    raise ValueError(f"sums can be added when their {name} agree, but they are {mine} and {theirs}.")
                merged[name] = mine
            elif name in self._least:
                merged[name] = np.minimum(mine, theirs)
            else:
                merged[name] = None if mine is None else mine + theirs
        return type(self)(**merged)

    def __radd__(self, other):
        return self if isinstance(other, int) and other == 0 else NotImplemented


@dataclass(frozen=True, eq=False)
class Cells(Sums):
    """Sums of the rows in each (region, group) cell, for rows of one group that are not independent."""

    labels: np.ndarray  # (G,) groups, sorted
    region: np.ndarray  # (C,) of each cell; `group` counts along `labels`
    group: np.ndarray
    sums: np.ndarray  # (k, C)

    @classmethod
    def of(cls, region, groups, *columns):
        """Cells of (n,) regions and group labels (numbers or text), with the sums of (n,) columns."""
        labels, codes = np.unique(group_labels(groups), return_inverse=True)
        return cls._crossed(labels, region, codes, np.reshape(columns, (len(columns), len(region))))

    @classmethod
    def _crossed(cls, labels, region, codes, columns):
        if not len(codes):
            return cls(labels, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((len(columns), 0)))
        cell, of_region, of_group = cross_cells(region, codes)
        return cls(labels, of_region, of_group, np.array([np.bincount(cell, column) for column in columns]))

    def check(self):
        """ValueError for fewer groups than an interval needs."""
        check_enough_groups(self.labels)

    def __add__(self, other):
        if not self.labels.size or not other.labels.size:
            return self if self.labels.size else other
        if (self.labels.dtype.kind == "U") != (other.labels.dtype.kind == "U"):
            raise ValueError("groups must be all numbers or all text, but some parts hold numbers and others text.")
        labels, codes = np.unique(np.r_[self.labels, other.labels], return_inverse=True)
        codes = np.r_[codes[: self.labels.size][self.group], codes[self.labels.size :][other.group]]
        return self._crossed(labels, np.r_[self.region, other.region], codes, np.hstack([self.sums, other.sums]))


def some(values, check, *args, **options):
    """`check(values)`, but no rows are welcome, too."""
    return check(values, *args, **options) if np.size(values) else np.zeros(0)


def is_weight(weight):
    """Whether the powers of each weight that are summed are numbers."""
    return (weight == 0) | ((weight >= 1 / LARGEST) & (weight <= LARGEST))


def raw_weights(weight):
    """Weights on their own scale, because other parts may hold larger ones; all may be 0 here."""
    if weight is None:
        return None
    weight = some(weight, check_vector, "sample_weight")
    bad = ~is_weight(weight)
    if bad.any():
        raise_first("sample_weight", f"be 0 or lie in [{1 / LARGEST:g}, {LARGEST:g}]", weight, bad)
    return weight


def group_labels(groups):
    """Labels as an array of numbers or of text that can be sorted and stored; ValueError for a missing or other one."""
    labels = pd.Series(groups).infer_objects()
    if labels.isna().any():
        raise ValueError(f"groups must not be missing, but groups[{int(np.argmax(labels.isna()))}] is.")
    if pd.api.types.is_numeric_dtype(labels.dtype) or not len(labels):
        return labels.to_numpy()
    odd = ~labels.map(lambda label: isinstance(label, str)).to_numpy(bool)
    numbers = pd.to_numeric(labels.astype(object), errors="coerce")  # of the decimals of databases
    if odd.all() and numbers.notna().all():
        return numbers.to_numpy()
    if odd.any():
        first = int(np.argmax(odd))
        raise ValueError(
            f"groups must be all numbers or all text, but groups[{first}] is a {type(labels.iloc[first]).__name__}."
        )
    return labels.to_numpy(str)
