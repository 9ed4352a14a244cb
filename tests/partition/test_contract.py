"""What is called an estimator passes scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers.partition import HonestTree
from helpers.partition.encoder import TableEncoder

WEIGHTS = "levels and quantiles are those of all rows: weights order the categories only"
FAILS = {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")}


def exceptions(estimator):
    return FAILS if isinstance(estimator, TableEncoder) else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")  # of y with a second dimension
@parametrize_with_checks([HonestTree(), TableEncoder()], expected_failed_checks=exceptions)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
