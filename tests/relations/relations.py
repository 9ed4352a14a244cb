"""Changes of the rows that say the same, or nothing."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd
from relation_sample import garbage, joined


@dataclass(frozen=True)
class Relation:
    """A change of the rows, and how what is said of them has to follow.

    Parameters
    ----------
    change : callable
        (sample, rng) -> the sample before and after, and for each row after it which one it was, -1 for none.
    needs : set of str
        What an estimator has to take.
    flips : bool
        Whether class 1 is the other one afterwards.
    """

    change: Callable
    needs: frozenset = frozenset()
    flips: bool = False


def same_rows(change):
    """A change that leaves every row in its place."""
    return lambda sample, rng: (sample, change(sample, rng), np.arange(sample.y.size))


def another_order(sample, rng):
    order = rng.permutation(sample.y.size)
    return sample, sample.take(order), order


def columns_in_another_order(sample, rng):
    return replace(sample, X=sample.X[rng.permutation(sample.X.columns)])


def with_column(values):
    def change(sample, rng):
        table = sample.X.copy()
        table.insert(int(rng.integers(table.shape[1])), "further", values(sample.y.size, rng))
        return replace(sample, X=table)

    return change


def copies(sample, rng):
    order = np.repeat(np.arange(sample.y.size), 3)
    return sample, replace(sample.take(order), groups=order), order


def copies_of_weights(sample, rng):
    weight = rng.integers(1, 4, sample.y.size)
    order = np.repeat(np.arange(sample.y.size), weight)
    return replace(sample, weight=weight.astype(float)), sample.take(order), order


def rows_of_weight_0(sample, rng):
    n = sample.y.size
    before = replace(sample, weight=rng.integers(1, 4, n).astype(float))
    after = joined(before, garbage(n // 2, rng))
    place = np.sort(rng.choice(after.y.size, n, replace=False))  # the rows keep their order
    order = np.empty(after.y.size, int)
    order[place] = np.arange(n)
    order[np.setdiff1d(np.arange(order.size), place)] = np.arange(n, order.size)
    return before, after.take(order), np.where(order < n, order, -1)


def equal_weights(sample, rng):
    return replace(sample, weight=np.full(sample.y.size, float(rng.integers(2, 9))))


def each_row_a_group(sample, rng):
    return replace(sample, groups=rng.permutation(sample.y.size))


def other_names_of_groups(sample, rng):
    before = replace(sample, groups=rng.integers(0, 60, sample.y.size))
    return before, replace(before, groups=[f"family {g}" for g in before.groups]), np.arange(sample.y.size)


def classes_in_another_order(sample, rng):
    order = rng.permutation(3)
    return replace(sample, P=sample.P.iloc[:, order], counts=sample.counts[:, order])


def other_class_is_1(sample, rng):
    return replace(sample, y=1 - sample.y, p=1 - sample.p, other=1 - sample.other, q=1 - sample.q)


def held_otherwise(sample, rng):
    """Lists, truth values, series with an index of their own, categories, nullable numbers."""
    index = rng.permutation(sample.y.size) * 3 + 7
    table = sample.X.astype({"age": "Int32", "income": "Float64", "town": "category"}).set_index(index)
    return replace(
        sample,
        y=pd.Series(sample.y == 1, index=index[::-1]),
        p=sample.p.tolist(),
        other=pd.Series(sample.other),
        q=sample.q.tolist(),
        X=table,
        region=sample.region.astype(np.int8),
        P=sample.P.set_index(index),
        counts=sample.counts.astype(float),
    )


def read_only(sample, rng):
    """Nothing may be written into the columns."""
    for field in fields(sample):
        column = getattr(sample, field.name)
        if isinstance(column, np.ndarray):
            column.setflags(write=False)
    return sample


def empty(n, rng):
    return np.full(n, np.nan)


def constant(n, rng):
    return np.full(n, "the same")


def noise(n, rng):
    return rng.normal(size=n)


TABLE, WEIGHT, GROUPS = frozenset({"X"}), frozenset({"weight"}), frozenset({"groups"})

RELATIONS = {
    "row order": Relation(another_order),
    "column order": Relation(same_rows(columns_in_another_order), TABLE),
    "empty column": Relation(same_rows(with_column(empty)), TABLE),
    "constant column": Relation(same_rows(with_column(constant)), TABLE),
    "noise column": Relation(same_rows(with_column(noise)), TABLE),
    "copies as groups": Relation(copies, GROUPS),
    "names of groups": Relation(other_names_of_groups, GROUPS),
    "groups of one row": Relation(same_rows(each_row_a_group), GROUPS),
    "weight 0": Relation(rows_of_weight_0, WEIGHT),
    "equal weights": Relation(same_rows(equal_weights), WEIGHT),
    "frequencies": Relation(copies_of_weights, frozenset({"frequency"})),
    "class order": Relation(same_rows(classes_in_another_order), frozenset({"classes"})),
    "other class is 1": Relation(same_rows(other_class_is_1), frozenset({"label"}), flips=True),
    "held otherwise": Relation(same_rows(held_otherwise)),
    "read only": Relation(same_rows(read_only)),
}
