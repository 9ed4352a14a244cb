"""What is called an estimator passes scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers.partition import HistogramTree, HonestTree


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")  # of y with a second dimension
@parametrize_with_checks([HonestTree(), HistogramTree()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
