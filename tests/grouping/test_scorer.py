"""The grouping loss as a scorer of scikit-learn."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from helpers.grouping import grouping_loss, neg_grouping_loss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 2))
Y = RNG.random(600) < np.where(X[:, 0] > 0, 0.9, 0.3)


def test_it_is_minus_the_loss_of_the_second_class():
    words = np.where(Y, "yes", "no")
    model = LogisticRegression().fit(X, words)
    expected = -grouping_loss(y=Y, p=model.predict_proba(X)[:, 1], X=X, rng=0).value
    assert neg_grouping_loss(model, X, words) == expected
    other = partial(neg_grouping_loss, calibrator="none", rng=1)
    assert other(model, X, words) != expected


def test_a_grid_search_chooses_the_model_with_less_loss():
    grid = {"C": [1e-6, 1.0]}
    scoring = partial(neg_grouping_loss, calibrator="none")
    search = GridSearchCV(LogisticRegression(), grid, scoring=scoring, cv=2, error_score="raise").fit(X, Y)
    assert search.best_params_ == {"C": 1.0}


def test_three_classes_are_refused():
    data = load_iris()
    model = LogisticRegression(max_iter=1000).fit(data.data, data.target)
    with pytest.raises(ValueError, match="estimator .* has 3"):
        neg_grouping_loss(model, data.data, data.target)
