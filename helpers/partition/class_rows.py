"""Rows of several classes, checked: labels by name, a column of scores for each class, features, weights and groups."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from helpers.checks import check_effective, check_groups, check_same_length, check_simplex, check_weights, unequal
from helpers.partition.checked import Rows, check_table
from helpers.profile import profile_table
from helpers.profile.alerts import warn_of


def has_classes(p):
    """Whether scores have a column for each class; a table of rows of unequal length has not."""
    try:
        return np.ndim(p) == 2
    except ValueError:
        return False


@dataclass(frozen=True)
class ClassRows:
    """Checked rows: labels as codes of `classes`, scores (n, K), table, weights or None, group codes or None."""

    y: np.ndarray
    P: np.ndarray
    X: object
    weight: np.ndarray | None
    groups: np.ndarray | None
    classes: np.ndarray
    ordered: bool = False

    @property
    def asked(self):
        """Yes-or-no questions about the class, (Q, K): is it this one; of ordered classes, is it at most this one."""
        each = np.eye(self.classes.size)
        return np.tril(np.ones_like(each))[:-1] if self.ordered else each

    @property
    def asked_names(self):
        """Name of each question: the class, or "up to" the class."""
        return [f"up to {name}" for name in self.classes[:-1]] if self.ordered else list(self.classes)

    @property
    def weights(self):
        """Sampling weights, (n,): ones where none are given."""
        return np.ones(self.y.size) if self.weight is None else self.weight

    def one_of_two(self, label, p):
        """`Rows` of a yes-or-no question about the same people."""
        return Rows.of_all(label.astype(float), p, self.X, self.weight, self.groups)

    def take(self, order):
        """The same rows in another order."""
        weight = None if self.weight is None else self.weight[order]
        groups = None if self.groups is None else pd.factorize(self.groups[order])[0]
        columns = {"X": self.X.iloc[order], "weight": weight, "groups": groups}
        return replace(self, y=self.y[order], P=self.P[order], **columns)

    def calibrated(self, calibrate, fit=slice(None), at=slice(None)):
        """Scores of the rows `at`, by calibrate(P, y, weights, at) on the rows `fit`; as they are if it is None."""
        at = self.P[at]
        return at if calibrate is None else calibrate(self.P[fit], self.y[fit], self.weights[fit], at)


def check_class_scores(y, P, y_name="y", name="p"):
    """Codes of the labels, scores (n, K) and the classes, from a table whose columns are named by class.

    An array has the classes of `numpy.unique(y)` for columns, as `predict_proba` of scikit-learn has.

    >>> check_class_scores(["b", "a"], pd.DataFrame({"a": [0.2, 0.6], "b": [0.8, 0.4]}))[0]
    array([1, 0])
    """
    y = pd.Series(np.asarray(y).ravel())
    if y.isna().any():
        row = int(np.argmax(y.isna()))
        raise ValueError(f"{y_name} must name a class in every row, but {y_name}[{row}] is missing.")
    table = P if isinstance(P, pd.DataFrame) else None
    scores = check_simplex(P if table is None else table.to_numpy(), name)
    seen = pd.unique(y)
    if table is None:
        classes = np.sort(seen)
        if classes.size != scores.shape[1]:
            raise ValueError(
                f"{name} must have a column for each class of {y_name}, but it has {scores.shape[1]} for "
                f"{classes.size} classes that occur; pass a DataFrame whose columns are named by class."
            )
    else:
        classes = np.asarray(table.columns, object)
        words = [str(name) for name in classes]
        if not set(seen) <= set(classes) and set(map(str, seen)) <= set(words):
            y, classes = y.map(str), np.array(words, object)  # numbers that a file has read as words
        if len(set(classes)) < classes.size:
            twice = pd.Series(classes)[pd.Series(classes).duplicated()].iloc[0]
            raise ValueError(f"{name} must have one column for each class, but {twice} has two.")
    check_same_length(**{y_name: y, name: scores})
    code = pd.Index(classes).get_indexer(y)
    if (code < 0).any():
        row = int(np.argmax(code < 0))
        raise ValueError(
            f"{name} must have a column for each class of {y_name}, but {y_name}[{row}] is {y.iloc[row]} and the "
            f"columns are {', '.join(map(str, classes[:10]))}{', …' if classes.size > 10 else ''}."
        )
    absent = np.flatnonzero(np.bincount(code, minlength=classes.size) == 0)
    if absent.size:
        raise ValueError(
            f"{y_name} must hold every class of {name}, but {classes[absent[0]]} never occurs in {code.size:,} rows"
            f"{f' (nor do {absent.size - 1} others)' if absent.size > 1 else ''}; "
            "leave its column out and divide the others by their sum."
        )
    return code, scores, classes


def check_class_rows(y, P, X, sample_weight, groups, ordered=False):
    """`ClassRows` without rows of weight 0."""
    X = check_table(X)
    code, P, classes = check_class_scores(y, P)
    weight = check_weights(sample_weight)
    groups = check_groups(groups)
    check_same_length(y=code, X=X, sample_weight=weight, groups=groups)
    check_effective(weight, groups)
    if weight is not None and not weight.all():
        kept = weight > 0
        absent = np.setdiff1d(np.arange(classes.size), code[kept])
        if absent.size:
            raise ValueError(f"sample_weight must leave every class, but {classes[absent[0]]} has weight 0 only.")
        groups = None if groups is None else check_groups(groups[kept])
        code, P, X, weight = code[kept], P[kept], X.iloc[kept], weight[kept]
    is_right = P.argmax(axis=1) == code
    found = profile_table(is_right, P.max(axis=1), X, sample_weight=weight, groups=groups, scores=P)
    warn_of(found.of("copies", "near_copies", "same_rows", "cluster", "leak"))
    if found.copy is not None and groups is None:  # copies stay together
        groups = pd.factorize(found.copy)[0]
    return ClassRows(code, P, X, unequal(weight), groups, classes, ordered)


def with_class_scores(X, P, classes):
    """The table with a column of scores for each class; none has the name of another column."""
    columns = {}
    for k, name in enumerate(classes):
        name = f"stated probability of {name}"
        while name in X.columns:
            name += " (p)"
        columns[name] = P[:, k]
    return X.assign(**columns)
