"""What is called a calibrator passes scikit-learn's own checks.

They leave out estimators of one column (as `IsotonicRegression`), and draw tables of any numbers: so a subclass makes
scores of the first column, and labels of y. What it learns, keeps, copies and forgets is the calibrator's.
"""

import pytest
from scipy.special import expit
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data

from helpers.calibration import IsotonicCalibrator, PlattCalibrator
from helpers.calibration.calibrators import NoCalibrator


class OfTables:
    def fit(self, X, y, sample_weight=None):
        X, y = validate_data(self, X, y, y_numeric=True)
        return super().fit(expit(X[:, 0] / 100), y > y.mean(), sample_weight)

    def predict(self, X):
        return super().predict(expit(validate_data(self, X, reset=False)[:, 0] / 100))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        tags.regressor_tags.poor_score = True  # one column of many
        return tags


class Platt(OfTables, PlattCalibrator):
    pass


class Isotonic(OfTables, IsotonicCalibrator):
    pass


class Unchanged(OfTables, NoCalibrator):
    pass


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")  # of y with a second dimension
@parametrize_with_checks([Platt(), Isotonic(), Unchanged()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
