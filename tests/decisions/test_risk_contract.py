"""`RiskEstimator` passes scikit-learn's own checks, given labels in place of any numbers."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers.decisions import RiskEstimator

EVEN = [[0, 1], [1, 0]]


class Risk(RiskEstimator):
    """Of any numbers y that the checks draw: those above their mean are class 1."""

    def fit(self, X, y, p=None, sample_weight=None, groups=None):
        numbers = np.asarray(y)
        if numbers.dtype.kind in "iuf" or y is not None and numbers.dtype.kind == "O":
            numbers = numbers.astype(float)
            y = numbers > numbers.mean() if numbers.size and np.isfinite(numbers).all() else y
        return super().fit(X, y, p, sample_weight, groups)


HALVES = "rows of the fit are halved at random: by their numbers, not their weights"
FAILS = {f"check_sample_weight_equivalence_on_{kind}_data": HALVES for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")  # of y with a second dimension
@parametrize_with_checks(
    [Risk(EVEN, residual="tree", min_samples_leaf=1, n_halvings=1, rng=0)], expected_failed_checks=lambda _: FAILS
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
