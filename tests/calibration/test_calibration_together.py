"""What is called a calibrator passes scikit-learn's own checks.

They leave out estimators of one column (as `IsotonicRegression`), and draw tables of any numbers: so a subclass makes
scores of the first column, and labels of y. What it learns, keeps, copies and forgets is the calibrator's.
"""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from helpers.calibration import AffineCalibrator, IsotonicCalibrator, PlattCalibrator
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


class Affine(AffineCalibrator):
    """Of tables with any number of columns, which are mixed to one score for each class."""

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        names = LabelEncoder().fit(y)
        if names.classes_.size < 2:
            raise ValueError("y must hold more than one class.")
        self.mix_ = np.random.default_rng(0).normal(size=(X.shape[1], names.classes_.size))
        super().fit(X @ self.mix_, names.transform(y))
        self.classes_ = names.classes_
        return self

    def predict_proba(self, X):
        check_is_fitted(self)
        return super().predict_proba(validate_data(self, X, reset=False) @ self.mix_)

    def predict(self, X):
        likeliest = super().predict(X)
        return self.classes_[likeliest]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # a mixture is no classifier
        return tags


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")  # of y with a second dimension
@parametrize_with_checks([Platt(), Isotonic(), Unchanged(), Affine()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
