"""What all trees share that are valued on other rows (public through `helpers.partition.honest_tree`), and the check
of a sample: labels, stated scores, features, weights and groups.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from helpers.binning import group_sums
from helpers.checks import (
    check_effective,
    check_groups,
    check_labels,
    check_probabilities,
    check_same_length,
    check_vector,
    check_weights,
)
from helpers.partition.encoder import check_table


class ValuedRegions(BaseEstimator):
    """A partition with `n_regions_` and `apply(X)`, whose values are estimated on rows that did not choose it.

    Attributes
    ----------
    value_ : ndarray, shape (J,)
        Mean residuals of the rows given to `estimate`.
    count_ : ndarray of int, shape (J,)
        Their numbers.
    """

    def estimate(self, X, residual, sample_weight=None):
        """Give each region the mean residual of these rows, which must not be those of `fit`; empty regions get
        0. Returns self.
        """
        X, residual, weight, _ = checked_rows(X, residual, sample_weight)
        return self.estimate_regions(self.apply(X), residual, weight)

    def estimate_regions(self, region, residual, sample_weight=None):
        """`estimate` where `apply` has already told the region of each row. Returns self."""
        weight = np.ones_like(residual) if sample_weight is None else sample_weight
        self.count_, total, sums = group_sums(region, weight, weight * residual, size=self.n_regions_)
        self.value_ = np.divide(sums, total, out=np.zeros(self.n_regions_), where=total > 0)
        return self

    def predict(self, X):
        """Mean residual of each row's region, (n,)."""
        self._check_fitted("value_", "estimate")
        return self.value_[self.apply(X)]

    def _check_fitted(self, attribute, method):
        if not hasattr(self, attribute):
            raise NotFittedError(f"This {type(self).__name__} has no regions with values yet: call {method} first.")


def checked_rows(X, residual, weight, groups=None):
    """Clean table, residuals, weights and group codes of one length."""
    X = check_table(X)
    residual = check_vector(residual, "residual", finite=True)
    weight = check_weights(weight)
    check_same_length(X=X, residual=residual, sample_weight=weight, groups=groups)
    return X, residual, weight, codes_of_groups(groups)


def codes_of_groups(groups):
    """`check_groups` where one group alone may choose regions as rows without groups do."""
    return None if groups is None or pd.Series(groups).nunique(dropna=False) < 2 else check_groups(groups)


def check_sample(y, p, X, sample_weight, groups, *, both=True):
    """Labels, stated probabilities, table, weights or None and group codes or None of one length; ValueError for a
    column that breaks a rule, and, where labels must be of `both` kinds, for labels of one.
    """
    y = check_labels(y, both=both)
    p = check_probabilities(p)
    X = check_table(X)
    weight = check_weights(sample_weight)
    groups = check_groups(groups)
    check_same_length(y=y, p=p, X=X, sample_weight=weight, groups=groups)
    check_effective(weight, groups)
    return y, p, X, weight, groups


@dataclass(frozen=True)
class Rows:
    """Labels, stated scores, table, weights or None and group codes or None of rows that were checked; `kept` tells
    which of the rows given they are.
    """

    y: np.ndarray
    p: np.ndarray
    X: object
    weight: np.ndarray | None
    groups: np.ndarray | None
    kept: np.ndarray

    @property
    def weights(self):
        """Sampling weights, (n,): ones where none are given."""
        return np.ones(self.y.size) if self.weight is None else self.weight

    @classmethod
    def of_all(cls, y, p, X, weight, groups):
        """Rows of which none was left out."""
        return cls(y, p, X, weight, groups, np.ones(y.size, bool))


def check_rows(y, p, X, sample_weight, groups):
    """`Rows` without those of weight 0, which were not sampled; ValueError for columns that break a rule."""
    y, p, X, weight, codes = check_sample(y, p, X, sample_weight, groups)
    if weight is None or weight.all():
        return Rows.of_all(y, p, X, weight, codes)
    kept = weight > 0
    try:
        codes = None if codes is None else check_groups(codes[kept])
        return Rows(check_labels(y[kept], both=True), p[kept], X.iloc[kept], weight[kept], codes, kept)
    except ValueError as error:
        raise ValueError(f"sample_weight must leave enough rows with a weight: {error}") from None
