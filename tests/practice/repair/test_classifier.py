"""`RepairedClassifier`: scikit-learn's contract, truth and silence, groups and weights, pipelines and searches."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import (
    GridSearchCV,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers.practice.repair import RepairedClassifier
from helpers.practice.repair import recalibrator as module


@pytest.mark.filterwarnings("ignore:A repair needs at least")  # most of these tables have fewer rows
@parametrize_with_checks([RepairedClassifier(LogisticRegression(), random_state=0)])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


class Bends:
    """A cheap learner in the place of all: lines and squares of the codes."""

    def __init__(self, *options, **named):
        pass

    def set_params(self, **named):
        return self

    @staticmethod
    def terms(codes):
        return np.column_stack([codes, codes.astype(float) ** 2])

    def fit(self, _features, codes, target, weight, _fold):
        self.line = LinearRegression().fit(self.terms(codes), target, weight)
        return self

    def predict(self, _features, codes):
        return self.line.predict(self.terms(codes))[:, None]


@pytest.fixture
def bends(monkeypatch):
    monkeypatch.setattr(module, "Learners", Bends)
    monkeypatch.setattr(module, "REPAIR_NAMES", ("bends",))


def bent(n, rng, bend=1.5):
    """Labels whose log-odds bend along the first of two features, which a logistic regression cannot say."""
    x = rng.normal(size=(n, 2))
    q = expit(x[:, 1] + bend * (x[:, 0] ** 2 - 1))
    return x, (rng.random(n) < q).astype(int), q


def rms(a, b):
    return np.mean((a - b) ** 2) ** 0.5


def test_the_truth_is_nearer_than_by_calibration_alone():
    X, y, _ = bent(900, np.random.default_rng(0))
    new, _, q = bent(2000, np.random.default_rng(1))
    repaired = RepairedClassifier(LogisticRegression(), random_state=0).fit(X, y)
    calibrated = CalibratedClassifierCV(LogisticRegression(), ensemble=False).fit(X, y)
    assert repaired.repair_.changed_
    assert rms(repaired.predict_proba(new)[:, 1], q) < 0.5 * rms(calibrated.predict_proba(new)[:, 1], q)


@pytest.mark.slow
def test_silence_where_the_classifier_is_right(bends):
    """The out-of-fold probabilities of a right model are no perfect ones, and still nothing may be found in them."""
    changed = []
    for k in range(40):
        X, y, _ = bent(300, np.random.default_rng([3, k]), bend=0)
        model = RepairedClassifier(LogisticRegression(C=np.inf), random_state=k).fit(X, y)
        changed.append(model.repair_.changed_)
        if not model.repair_.changed_:
            stated = model.estimator_.predict_proba(X)[:, 1]
            assert model.predict_proba(X)[:, 1].tolist() == model.repair_.calibrated(stated).tolist()
    assert np.mean(changed) <= 0.05 + 2 * (0.05 * 0.95 / 40) ** 0.5


def table(n, rng):
    X, y, _ = bent(n, rng)
    frame = pd.DataFrame(X, columns=["bend", "line"])
    return frame.assign(town=rng.choice(["Aix", "Bonn"], n)), np.where(y == 1, "yes", "no")


@pytest.mark.slow
def test_pipelines_searches_clones_and_files(bends):
    X, y = table(400, np.random.default_rng(4))
    encode = make_column_transformer((OneHotEncoder(), ["town"]), (StandardScaler(), ["bend", "line"]))
    inside = RepairedClassifier(make_pipeline(encode, LogisticRegression()), cv=2, random_state=0)
    model = make_pipeline(FunctionTransformer(), inside).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"] and set(model.predict(X)) == {"no", "yes"}
    p = model.predict_proba(X)
    assert np.allclose(p.sum(axis=1), 1) and p[y == "yes", 1].mean() > p[y == "no", 1].mean() + 0.2
    assert (pickle.loads(pickle.dumps(model)).predict_proba(X) == p).all()
    assert (clone(model).fit(X, y).predict_proba(X) == p).all()
    search = GridSearchCV(inside, {"calibrator": ["platt", "none"], "alpha": [0.0, 0.05]}, scoring="neg_log_loss", cv=2)
    search.fit(X, y)
    assert search.best_params_["alpha"] == 0.05  # at alpha 0 nothing is ever repaired
    assert brier_score_loss(y == "yes", search.predict_proba(X)[:, 1]) < 0.2


@pytest.mark.parametrize("classifier", [GaussianNB(), LinearSVC()])
def test_classifiers_that_state_no_probabilities_or_bad_ones(bends, classifier):
    X, y, q = bent(600, np.random.default_rng(5))
    model = RepairedClassifier(classifier, random_state=0).fit(X, y)
    assert rms(model.predict_proba(X)[:, 1], q) < 0.15


class OfOtherGroups(ClassifierMixin, BaseEstimator):
    """States 0.5, and refuses rows of groups (first column) that it has learned from."""

    def fit(self, X, y, weights_seen=None):
        self.classes_ = np.unique(y)
        self.seen_ = set(X[:, 0]) if len(X) < 300 else set()  # the last fit is on all rows
        self.weighted_ = weights_seen is not None
        return self

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]

    def predict_proba(self, X):
        assert not self.seen_ & set(X[:, 0])
        p = np.clip(0.5 + 0.1 * X[:, 1], 0.1, 0.9)
        return np.column_stack([1 - p, p])


def test_groups_are_never_split(bends):
    X, y, _ = bent(300, np.random.default_rng(6))
    X[:, 0] = np.repeat(np.arange(60), 5)
    RepairedClassifier(OfOtherGroups(), random_state=0).fit(X, y, groups=X[:, 0])
    with pytest.raises(AssertionError):
        RepairedClassifier(OfOtherGroups(), random_state=0).fit(X, y)


def test_weights_count_rows(bends):
    X, y, _ = bent(400, np.random.default_rng(7))
    weight = np.where(X[:, 1] > 0, 3.0, 1.0)
    plain = RepairedClassifier(LogisticRegression(), random_state=0).fit(X, y)
    weighted = RepairedClassifier(LogisticRegression(), random_state=0).fit(X, y, sample_weight=weight)
    again = LogisticRegression().fit(X, y, sample_weight=weight)
    assert (weighted.estimator_.coef_ == again.coef_).all() and rms(
        weighted.predict_proba(X), plain.predict_proba(X)
    ) > 0
    with sklearn.config_context(enable_metadata_routing=True):
        asked = LogisticRegression().set_fit_request(sample_weight=True)
        routed = RepairedClassifier(asked, random_state=0).fit(X, y, sample_weight=weight)
        assert (routed.predict_proba(X) == weighted.predict_proba(X)).all()
        unasked = LogisticRegression().set_fit_request(sample_weight=False)
        alone = RepairedClassifier(unasked, random_state=0).fit(X, y, sample_weight=weight)
        assert (alone.estimator_.coef_ == plain.estimator_.coef_).all()
        pipeline = make_pipeline(RepairedClassifier(asked, random_state=0).set_fit_request(sample_weight=True))
        assert (pipeline.fit(X, y, sample_weight=weight).predict_proba(X) == weighted.predict_proba(X)).all()


def test_bad_input():
    X, y, _ = bent(90, np.random.default_rng(8))
    model = RepairedClassifier(LogisticRegression(), random_state=0)
    with pytest.raises(ValueError, match="one class against the rest"):
        model.fit(X, np.arange(90) % 3)
    with pytest.raises(ValueError, match="y must hold two classes"):
        model.fit(X, np.zeros(90))
    with pytest.raises(ValueError, match="calibrator"):
        RepairedClassifier(LogisticRegression(), calibrator="plat").fit(X, y)
    with pytest.warns(UserWarning, match="60 rows"):
        assert model.fit(X[:50], y[:50]).repair_ is None


NO_PARTITIONS = {
    "in time": (TimeSeriesSplit(5), "50 of 300 rows in none"),
    "random": (ShuffleSplit(3, random_state=0), "in none"),
    "repeated": (RepeatedStratifiedKFold(n_splits=3, n_repeats=2), "300 in several"),
    "rows in the first part only": (PredefinedSplit(np.r_[-np.ones(50), np.arange(250) % 3]), "50 of 300 rows in none"),
    "a list that leaves rows out": ([(np.arange(80), np.arange(80, 100))], "280 of 300 rows in none"),
}


@pytest.mark.parametrize("case", NO_PARTITIONS)
def test_each_row_needs_one_probability(case):
    cv, words = NO_PARTITIONS[case]
    X, y, _ = bent(300, np.random.default_rng(0))

    class Never(LogisticRegression):
        def fit(self, *_, **__):
            raise AssertionError("fitted before the folds were looked at")

    with pytest.raises(ValueError, match=f"^cv .*{words}"):
        RepairedClassifier(Never(), cv=cv).fit(X, y)
